#include "island_system.hpp"

namespace carom::systems {

void IslandSystem::clear() {
  row_start.assign(1, 0);
  column.clear();
  diagonal.clear();
  block.clear();
  q.clear();
  friction.clear();
}

void velocities(const IslandSystem& system, const Numbers& r, Numbers& u) {
  const std::size_t contacts = system.contacts();
  u.resize(3 * contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    double y[3] = {system.q[3 * i], system.q[3 * i + 1], system.q[3 * i + 2]};
    const auto end = static_cast<std::size_t>(system.row_start[i + 1]);
    for (auto k = static_cast<std::size_t>(system.row_start[i]); k < end; ++k)
      add_product(&system.block[9 * k], &r[3 * static_cast<std::size_t>(system.column[k])], y);
    for (std::size_t a = 0; a < 3; ++a) u[3 * i + a] = y[a];
  }
}

}  // namespace carom::systems
