// Columns of C from arrays whose vectors have adjacent numbers, and columns of immovable bodies.
#include <carom/carom.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace {

const double zero = 0;

std::ptrdiff_t bytes_of(std::int32_t precision) {
  return precision == CAROM_DOUBLE ? sizeof(double) : precision == CAROM_FLOAT ? sizeof(float) : 0;
}

/// The column of number `index` of every element.
template <class Column, class Address>
Column part(Address first, std::int32_t precision, int index, std::size_t n, std::ptrdiff_t stride) {
  using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Address>>, const char, char>;
  if (first == nullptr || bytes_of(precision) == 0) return {};
  return {static_cast<Byte*>(first) + index * bytes_of(precision), n, stride};
}

carom_column zeros(std::size_t n) {
  return {&zero, n, 0};
}

}  // namespace

carom_column carom_part(std::int32_t precision, const void* first, std::int32_t index, std::size_t n,
                        std::ptrdiff_t stride) {
  return part<carom_column>(first, precision, index, n, stride);
}

carom_output carom_output_part(std::int32_t precision, void* first, std::int32_t index, std::size_t n,
                               std::ptrdiff_t stride) {
  return part<carom_output>(first, precision, index, n, stride);
}

carom_vectors3 carom_interleaved3(std::int32_t precision, const void* xyz, std::size_t n, std::ptrdiff_t stride) {
  const auto at = [&](int index) { return carom_part(precision, xyz, index, n, stride); };
  return {at(0), at(1), at(2)};
}

carom_vectors2 carom_interleaved2(std::int32_t precision, const void* xy, std::size_t n, std::ptrdiff_t stride) {
  const auto at = [&](int index) { return carom_part(precision, xy, index, n, stride); };
  return {at(0), at(1)};
}

carom_symmetric3 carom_interleaved_symmetric3(std::int32_t precision, const void* six, std::size_t n,
                                              std::ptrdiff_t stride) {
  const auto at = [&](int index) { return carom_part(precision, six, index, n, stride); };
  return {at(0), at(1), at(2), at(3), at(4), at(5)};
}

carom_symmetric2 carom_interleaved_symmetric2(std::int32_t precision, const void* three, std::size_t n,
                                              std::ptrdiff_t stride) {
  const auto at = [&](int index) { return carom_part(precision, three, index, n, stride); };
  return {at(0), at(1), at(2)};
}

carom_outputs3 carom_interleaved_outputs3(std::int32_t precision, void* xyz, std::size_t n, std::ptrdiff_t stride) {
  const auto at = [&](int index) { return carom_output_part(precision, xyz, index, n, stride); };
  return {at(0), at(1), at(2)};
}

carom_outputs2 carom_interleaved_outputs2(std::int32_t precision, void* xy, std::size_t n, std::ptrdiff_t stride) {
  const auto at = [&](int index) { return carom_output_part(precision, xy, index, n, stride); };
  return {at(0), at(1)};
}

carom_bodies carom_immovable(std::size_t n) {
  const carom_column none = zeros(n);
  const carom_vectors3 vector = {none, none, none};
  return {none, {none, none, none, none, none, none}, vector, vector};
}

carom_planar_bodies carom_planar_immovable(std::size_t n) {
  const carom_column none = zeros(n);
  return {none, none, {none, none}, none};
}
