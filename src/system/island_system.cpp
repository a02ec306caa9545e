#include "island_system.hpp"

#include <algorithm>
#include <limits>

namespace carom::systems {

void IslandSystem::clear() {
  row_start.assign(1, 0);
  column.clear();
  diagonal.clear();
  block.clear();
  q.clear();
  friction.clear();
  moment.clear();
  bearer.clear();
}

std::size_t IslandSystem::block_of(std::size_t row, std::int32_t of) const {
  const auto begin = column.begin();
  return static_cast<std::size_t>(std::lower_bound(begin + row_start[row], begin + row_start[row + 1], of) - begin);
}

namespace {

/// each(f) calls f with the mean diagonal of each W_ii.
template <class Each>
double mass_of_each(const Each& each) {
  double largest = 0, sum = 0;
  std::size_t count = 0;
  // A mean may overflow.
  const auto within = [](double mean) { return std::min(mean, std::numeric_limits<double>::max()); };
  each([&](double mean) { largest = std::max(largest, within(mean)), ++count; });
  each([&](double mean) { sum += within(mean) / largest; });
  const double mean = sum / static_cast<double>(count) * largest;
  return std::ldexp(1.0, std::clamp(-std::ilogb(mean), -1000, 1000));
}

}  // namespace

double mass_of(const IslandSystem& system) {
  return mass_of_each([&](const auto& f) {
    for (std::size_t i = 0; i < system.contacts(); ++i)
      if (!system.is_moment(i)) f(system.mean_diagonal(i));
  });
}

double mass_of(const Numbers& mean_diagonals) {
  return mass_of_each([&](const auto& f) { std::for_each(mean_diagonals.begin(), mean_diagonals.end(), f); });
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
