#include "island_system.hpp"

#include <algorithm>
#include <limits>

#include "body_form.hpp"

namespace carom::systems {

void IslandSystem::clear() {
  BlockPattern::clear();
  block.clear();
  bodies = nullptr;
  q.clear();
  friction.clear();
  moment.clear();
  parent_contact.clear();
}

std::size_t IslandSystem::block_of(std::size_t row, std::int32_t of) const {
  const auto begin = column.begin();
  return static_cast<std::size_t>(std::lower_bound(begin + row_start[row], begin + row_start[row + 1], of) - begin);
}

double IslandSystem::mean_diagonal(std::size_t i) const {
  if (bodies != nullptr) return bodies->mean_diagonal(i);
  const double* w = &block[9 * at(diagonal[i])];
  return (w[0] + w[4] + w[8]) / 3;
}

void IslandSystem::own_block(std::size_t i, std::size_t j, double* w) const {
  if (bodies != nullptr) return bodies->own_block(i, j, w);
  std::copy_n(&block[9 * block_of(i, static_cast<std::int32_t>(j))], 9, w);
}

double mass_of(const IslandSystem& system) {
  double largest = 0, sum = 0;
  std::size_t count = 0;
  // A mean may overflow.
  const auto mean_of = [&](std::size_t i) {
    return std::min(system.mean_diagonal(i), std::numeric_limits<double>::max());
  };
  for (std::size_t i = 0; i < system.contacts(); ++i)
    if (!system.is_moment(i)) largest = std::max(largest, mean_of(i)), ++count;
  for (std::size_t i = 0; i < system.contacts(); ++i)
    if (!system.is_moment(i)) sum += mean_of(i) / largest;
  const double mean = sum / static_cast<double>(count) * largest;
  return std::ldexp(1.0, std::clamp(-std::ilogb(mean), -1000, 1000));
}

void add_product(const IslandSystem& system, const Numbers& x, Numbers& y) {
  if (system.bodies != nullptr) return system.bodies->add_product(x, y);
  for (std::size_t i = 0; i < system.contacts(); ++i)
    for (std::size_t k = at(system.row_start[i]); k < at(system.row_start[i + 1]); ++k)
      add_product(&system.block[9 * k], &x[3 * at(system.column[k])], &y[3 * i]);
}

void velocities(const IslandSystem& system, const Numbers& r, Numbers& u) {
  u = system.q;
  add_product(system, r, u);
}

}  // namespace carom::systems
