// A scene of a planar engine in 3D: bodies turn only about z, normals, r_a and r_b are in the plane. All motion stays
// in the plane.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <vector>

#include "support/scenes/iterations.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class PlanarScene : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PlanarScene, Precisions);

/// A planar body: of its inverse inertia only zz is there.
Body disc_or_box(double mass, double inertia, const Vector& position, const Vector& velocity, double spin) {
  return {1 / mass, {0, 0, 0, 0, 0, 1 / inertia}, velocity, {0, 0, spin}, position};
}

/// Boxes of 1 m in a stack along y, some of them moving and turning in the plane.
template <class T>
SceneData<T> planar_stack() {
  SceneData<T> scene;
  support::Draw draw(3);
  for (int i = 0; i < 6; ++i) {
    const Vector velocity = {draw.bell(), draw.bell() - 1, 0};
    const std::int32_t a = scene.add(disc_or_box(1, 1.0 / 6, {0, i + 0.5, 0}, velocity, draw.bell()));
    for (const double x : {-0.5, 0.5})
      scene.add(Contact{a, a - 1, {0, 1, 0}, {x, static_cast<double>(i), 0}, 0.5, 0.25});
  }
  return scene;
}

TYPED_TEST(PlanarScene, never_leaves_the_plane_under_any_method) {
  const auto scene = planar_stack<TypeParam>();
  for (const Procedure method : all_methods) {
    MethodOptions options = usual(method);
    options.bender_schmitt.rest_tolerance = method == Procedure::resting ? 100 : options.bender_schmitt.rest_tolerance;
    const auto made = solved(scene, options);
    for (std::size_t i = 0; i < scene.body_count(); ++i) {
      EXPECT_EQ(made.velocity(i)[2], 0) << to_string(method);
      EXPECT_EQ(made.angular_velocity(i)[0], 0) << to_string(method);
      EXPECT_EQ(made.angular_velocity(i)[1], 0) << to_string(method);
    }
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      EXPECT_FALSE(is_fault(made.arrays.status[i])) << to_string(method);
      EXPECT_EQ(made.impulse(i)[2], 0) << to_string(method);
    }
    EXPECT_LT(made.report.energy_after, made.report.energy_before) << to_string(method);
  }
}

TYPED_TEST(PlanarScene, of_one_contact_in_sequence_has_the_impulse_of_planar_contacts) {
  using T = TypeParam;
  support::Draw draw(5);
  for (const Law law : {Law::chatterjee_ruina, Law::whittaker, Law::frictionless}) {
    for (int k = 0; k < 50; ++k) {
      SceneData<T> scene;
      const Vector n = {0.6, 0.8, 0}, point = {draw.bell(), draw.bell(), 0};
      const double inertia_a = draw.uniform(0.1, 1), inertia_b = draw.uniform(0.1, 1);
      scene.add(disc_or_box(1, inertia_a, {0, 1, 0}, {draw.bell(), -3, 0}, draw.bell()));
      scene.add(disc_or_box(2, inertia_b, {0, -1, 0}, {draw.bell(), 1, 0}, draw.bell()));
      scene.add(Contact{0, 1, n, point, 0.4, 0.5});
      MethodOptions options;
      options.method = Procedure::sequential_impacts;
      options.sequential_impacts.law = law;
      options.tolerance = 0;
      const auto made = solved(scene, options);

      const auto numbers = [&](const std::vector<T>& column, std::size_t body) {
        return Column<const T>(&column[body], 1);
      };
      const auto state = [&](std::size_t body) {
        planar::BodyColumns<const T> columns;
        columns.inverse_mass = numbers(scene.bodies.inverse_mass, body);
        columns.inverse_inertia = numbers(scene.bodies.inverse_inertia[5], body);
        columns.velocity = {numbers(scene.bodies.velocity[0], body), numbers(scene.bodies.velocity[1], body)};
        columns.angular_velocity = numbers(scene.bodies.angular_velocity[2], body);
        return columns;
      };
      planar::Contacts<T> contact;
      contact.friction = scene.friction;
      contact.restitution = scene.restitution;
      contact.laws.tangential_restitution = scene.tangential_restitution;
      contact.normal = {scene.normal[0], scene.normal[1]};
      contact.r_a = {scene.r_a[0], scene.r_a[1]};
      contact.r_b = {scene.r_b[0], scene.r_b[1]};
      contact.a = state(0);
      contact.b = state(1);
      std::vector<T> x(1), y(1);
      planar::Results<T> results;
      results.impulse = {x, y};
      Solver({.threads = 1}).solve(select(contact, {.law = law}), results, {.law = law});
      // Both are exact to some tens of roundings; K of these bodies has a condition of up to 50.
      const double bound = 2000 * epsilon<T> * (length(made.impulse(0)) + 1);
      EXPECT_NEAR(made.impulse(0)[0], static_cast<double>(x[0]), bound) << to_string(law) << ' ' << k;
      EXPECT_NEAR(made.impulse(0)[1], static_cast<double>(y[0]), bound) << to_string(law) << ' ' << k;
    }
  }
}

// A cube on a wall has the same results as a planar square.
TYPED_TEST(PlanarScene, of_a_square_on_a_wall_has_the_known_answers) {
  auto scene = cube_against_wall<TypeParam>();
  scene.bodies.inverse_inertia[0] = scene.bodies.inverse_inertia[3] = {0};
  MethodOptions options = exact<TypeParam>(Procedure::pgs);
  const double bound = sizeof(TypeParam) == sizeof(float) ? 1e-4 : 1e-11;
  EXPECT_NEAR(solved(scene, options).velocity(0)[1], 3, bound);
  options = exact<TypeParam>(Procedure::sequential_impacts);
  options.sequential_impacts.law = Law::frictionless;
  set_iterations(options, 100);
  const auto made = solved(scene, options);
  EXPECT_NEAR(made.velocity(0)[1], 2.76, bound);
  EXPECT_NEAR(made.angular_velocity(0)[2], -2.88, bound);
}

}  // namespace
}  // namespace carom::scenes
