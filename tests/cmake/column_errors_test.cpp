// Columns that cannot view the caller's data. column_errors_test.py compiles this file: every line with "error:" has
// one error, which contains the text behind it.
#include <carom/carom.hpp>
#include <cstdint>
#include <list>
#include <vector>

struct Vec3 {
  float x, y, z;
};
struct Vec2 {
  float x, y;
};
template <>
struct carom::VectorTraits<Vec2> : carom::VectorOf<float, 2> {};
struct Hit {
  Vec3 normal;
  Vec2 slip;
  double friction, impulse[3], inertia[9];
  std::int32_t law;
  const float r[3];
};
struct Other {
  float friction, normal[3];
};
using InPlane = carom::planar::Vector2Columns<const float>;
using InPlaneMatrices = carom::planar::SymmetricColumns<const float>;
using Matrices = carom::SymmetricColumns<const float>;

void refused(std::vector<Hit>& hits, std::list<Hit>& list, const std::vector<float>& constant,
             std::vector<double>& numbers, std::vector<Hit> (*make)()) {
  carom::Contacts<float> c;
  c = {.normal = {hits, &Hit::normal}};           // error: member_until_you_specialise_VectorTraits_for<Vec3>
  c.r_a = {hits, &Hit::normal};                   // error: member_until_you_specialise_VectorTraits_for<Vec3>
  c.r_b = {hits, &Hit::friction};                 // error: one_number_as_a_vector<double>
  c.a.velocity = {hits, &Hit::impulse};           // error: elements_of_first_type_as_second<double, float>
  c.b.velocity = {hits, &Hit::slip};              // error: vector_whose_size_in_VectorTraits_is<2, Vec2>
  c.normal = {hits, &Other::normal};              // error: rows_of_first_type_by_a_member_of_second<Hit, Other>
  c.normal = {list, &Hit::normal};                // error: rows_that_are_not_contiguous<
  c.normal = {make(), &Hit::normal};              // error: a_temporary_that_owns_its_elements<
  c.normal = {numbers.data(), 1};                 // error: elements_of_first_type_as_second<double, float>
  c.friction = {hits, &Hit::friction};            // error: elements_of_first_type_as_second<double, float>
  c.friction = {hits, &Hit::normal};              // error: elements_of_first_type_as_second<Vec3, float>
  c.friction = {hits, &Other::friction};          // error: rows_of_first_type_by_a_member_of_second<Hit, Other>
  c.friction = {numbers.data(), 1};               // error: elements_of_first_type_as_second<double, float>
  c.friction = std::vector<float>(1);             // error: a_temporary_that_owns_its_elements<
  c.laws.law = {hits, &Hit::law};                 // error: elements_of_first_type_as_second<int, carom::Law>
  c.a.inverse_inertia = {hits, &Hit::inertia};    // error: elements_of_first_type_as_second<double, float>
  carom::Column<const float> friction = numbers;  // error: std::vector<double>
  carom::Column<float> residual = constant;       // error: const std::vector<float>
  carom::Vector3Columns<float> impulse = {hits, &Hit::r};  // error: const_memory_as_a_result<float>
  InPlane vector(hits, &Hit::normal);                      // error: member_until_you_specialise_VectorTraits_for<Vec3>
  InPlaneMatrices k = {hits, &Hit::slip};                  // error: vector_whose_size_in_VectorTraits_is<2, Vec2>
  InPlaneMatrices one = {numbers.data(), 1};               // error: elements_of_first_type_as_second<double, float>
  Matrices many(numbers.data(), 1);                        // error: elements_of_first_type_as_second<double, float>
}
