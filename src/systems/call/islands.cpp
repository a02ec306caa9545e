#include "islands.hpp"

#include <algorithm>
#include <cmath>

#include "core/support/forest.hpp"

namespace carom::systems {

template <class T>
void Islands::find(const ContactSystem<T>& system) {
  const std::size_t contacts = rows_of(system);
  parent_.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) parent_[i] = static_cast<std::int32_t>(i);
  // The smallest row is the root.
  const auto connect = [&](std::int32_t i, std::int32_t j) {
    const std::int32_t a = root_of(parent_, i), b = root_of(parent_, j);
    parent_[at(std::max(a, b))] = std::min(a, b);
  };
  for (std::size_t m = 0; m < system.moment.count; ++m)
    connect(static_cast<std::int32_t>(system.friction.count + m), system.moment[m]);
  for (std::size_t i = 0; i < contacts; ++i)
    for (auto k = static_cast<std::size_t>(system.row_start[i]); k < static_cast<std::size_t>(system.row_start[i + 1]);
         ++k) {
      const std::int32_t j = system.column[k];
      if (static_cast<std::size_t>(j) == i || is_zero(system.block[k])) continue;
      connect(static_cast<std::int32_t>(i), j);
    }
  island.resize(contacts);
  local.resize(contacts);
  contact.resize(contacts);
  start.assign(1, 0);
  for (std::size_t i = 0; i < contacts; ++i) {
    const auto r = static_cast<std::size_t>(root_of(parent_, static_cast<std::int32_t>(i)));
    if (r == i) {
      island[i] = static_cast<std::int32_t>(start.size() - 1);
      start.push_back(0);
    } else {
      island[i] = island[r];
    }
    local[i] = static_cast<std::int32_t>(start[static_cast<std::size_t>(island[i]) + 1]++);
  }
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  for (std::size_t i = 0; i < contacts; ++i)
    contact[start[static_cast<std::size_t>(island[i])] + static_cast<std::size_t>(local[i])] =
        static_cast<std::int32_t>(i);
}

template <class T>
void read_island(const ContactSystem<T>& system, const Islands& islands, std::size_t index, double q_scale,
                 double max_friction, IslandSystem& island) {
  island.clear();
  for (std::size_t c = islands.start[index]; c < islands.start[index + 1]; ++c) {
    const auto i = static_cast<std::size_t>(islands.contact[c]);
    for (auto k = static_cast<std::size_t>(system.row_start[i]); k < static_cast<std::size_t>(system.row_start[i + 1]);
         ++k) {
      const auto j = static_cast<std::size_t>(system.column[k]);
      const SystemBlock<T>& block = system.block[k];
      if (j == i)
        island.diagonal.push_back(static_cast<std::int32_t>(island.column.size()));
      else if (is_zero(block))
        continue;
      island.column.push_back(islands.local[j]);
      for (const T x : block) island.block.push_back(static_cast<double>(x));
    }
    island.row_start.push_back(static_cast<std::int32_t>(island.column.size()));
    for (const double x : velocity_of(system, i)) island.q.push_back(x * q_scale);
    const bool is_contact = i < system.friction.count;
    island.friction.push_back(is_contact ? std::min(static_cast<double>(system.friction[i]), max_friction) : 0);
  }
}

template void Islands::find(const ContactSystem<float>&);
template void Islands::find(const ContactSystem<double>&);
template void read_island(const ContactSystem<float>&, const Islands&, std::size_t, double, double, IslandSystem&);
template void read_island(const ContactSystem<double>&, const Islands&, std::size_t, double, double, IslandSystem&);

}  // namespace carom::systems
