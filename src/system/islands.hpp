// The islands of a contact system: contacts that blocks of W connect, directly or through others.
#pragma once

#include <carom/system.hpp>
#include <cstdint>
#include <vector>

#include "island_system.hpp"

namespace carom::systems {

struct Islands {
  std::vector<std::int32_t> island;   ///< of each contact; islands in the order of their first contacts
  std::vector<std::size_t> start;     ///< the islands' first places in `contact`, and its end
  std::vector<std::int32_t> contact;  ///< of the islands one after the other, ascending within each
  std::vector<std::int32_t> local;    ///< of each contact: its place within its island

  std::size_t count() const { return start.size() - 1; }
  std::size_t size(std::size_t i) const { return start[i + 1] - start[i]; }

  /// Blocks of zeros connect nothing.
  template <class T>
  void find(const ContactSystem<T>& system);

 private:
  std::vector<std::int32_t> parent_;
};

template <class T>
bool is_zero(const SystemBlock<T>& block) {
  for (const T x : block)
    if (x != 0) return false;
  return true;
}

/// The part of the system that is island `index`, with q multiplied by `q_scale` and friction of at most
/// `most_friction`.
template <class T>
void read_island(const ContactSystem<T>& system, const Islands& islands, std::size_t index, double q_scale,
                 double most_friction, IslandSystem& island);

}  // namespace carom::systems
