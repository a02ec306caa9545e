// Random contacts for `carom generate`, tests and benchmarks. The same seed gives the same bits on every platform.
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "draw.hpp"

namespace carom::support {

template <class T>
using Vectors3 = std::array<std::vector<T>, 3>;

template <class T>
Vector at(const Vectors3<T>& columns, std::size_t i) {
  return {static_cast<double>(columns[0][i]), static_cast<double>(columns[1][i]), static_cast<double>(columns[2][i])};
}

template <class T>
struct BodyArrays {
  std::vector<T> inverse_mass;
  std::array<std::vector<T>, 6> inverse_inertia;  ///< xx, xy, xz, yy, yz, zz
  Vectors3<T> velocity, angular_velocity;

  BodyColumns<const T> columns() const;
};

/// Boxes that touch: one in five slender, half of the contacts against an immovable body (A as often as B), normals in
/// all directions, all approaching, friction in [0, 1.2], restitution in [0, 1]. The float contacts are the double ones
/// of the same seed, rounded, with the normals made unit again.
template <class T>
struct RandomContacts {
  RandomContacts(std::size_t contacts, std::uint64_t seed);

  std::vector<T> friction, restitution;
  Vectors3<T> normal;
  BodyArrays<T> a, b;
  Vectors3<T> r_a, r_b;

  Contacts<T> inline_contacts() const;
  RandomContacts<double> widened() const;  ///< the same values, for the reference

 private:
  RandomContacts() = default;
  friend struct RandomContacts<float>;
};

/// Contacts between such boxes stored once; a quarter of the contacts has -1 for body A, a quarter for body B.
template <class T>
struct RandomIndexedContacts {
  RandomIndexedContacts(std::size_t contacts, std::size_t bodies, std::uint64_t seed);  ///< bodies >= 1

  std::vector<T> friction, restitution;
  Vectors3<T> normal;
  std::vector<std::int32_t> body_a, body_b;
  Vectors3<T> r_a, r_b;
  BodyArrays<T> bodies;

  IndexedContacts<T> indexed_contacts() const;
};

/// Collision matrices with random axes and eigenvalues from about 1/32 to 32 1/kg, all approaching.
template <class T>
struct RandomSpaceContacts {
  RandomSpaceContacts(std::size_t contacts, std::uint64_t seed);

  std::vector<T> friction, restitution;
  std::array<std::vector<T>, 6> k;  ///< xx, xy, xz, yy, yz, zz
  Vectors3<T> separation_velocity;

  KContacts<T> space_contacts() const;
};

}  // namespace carom::support
