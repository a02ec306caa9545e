// The islands of a contact system: contacts that blocks of W connect, directly or through others, with their moments.
#pragma once

#include <array>
#include <carom/system.hpp>
#include <cstdint>

#include "core/support/array.hpp"
#include "systems/problem/island_system.hpp"

namespace carom::systems {

/// Contacts and moments: the rows of W.
template <class T>
std::size_t rows_of(const ContactSystem<T>& system) {
  return system.friction.count + system.moment.count;
}
/// An element of vectors of contacts or of moments.
template <class T>
std::array<double, 3> of_row(const ContactSystem<T>& system, const Vector3Columns<const T>& contacts,
                             const Vector3Columns<const T>& moments, std::size_t row) {
  const std::size_t count = system.friction.count;
  const Vector3Columns<const T>& from = row < count ? contacts : moments;
  const std::size_t i = row < count ? row : row - count;
  if (!from.x) return {};
  return {static_cast<double>(from.x[i]), static_cast<double>(from.y[i]), static_cast<double>(from.z[i])};
}
/// q of a row.
template <class T>
std::array<double, 3> velocity_of(const ContactSystem<T>& system, std::size_t row) {
  return of_row(system, system.velocity, system.angular_velocity, row);
}

struct Islands {
  Array<std::int32_t> island;   ///< of each row; islands in the order of their first rows
  Array<std::size_t> start;     ///< the islands' first places in `contact`, and its end
  Array<std::int32_t> contact;  ///< of the islands one after the other, ascending within each
  Array<std::int32_t> local;    ///< of each row: its place within its island

  std::size_t count() const { return start.size() - 1; }
  std::size_t size(std::size_t i) const { return start[i + 1] - start[i]; }

  /// Blocks of zeros do not connect contacts.
  template <class T>
  void find(const ContactSystem<T>& system);

 private:
  Array<std::int32_t> parent_;
};

template <class T>
bool is_zero(const SystemBlock<T>& block) {
  for (const T x : block)
    if (x != 0) return false;
  return true;
}

/// The part of the system that is island `index`, with q multiplied by `q_scale` and friction of at most
/// `max_friction`.
template <class T>
void read_island(const ContactSystem<T>& system, const Islands& islands, std::size_t index, double q_scale,
                 double max_friction, IslandSystem& island);

}  // namespace carom::systems
