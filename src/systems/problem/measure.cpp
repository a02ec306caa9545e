#include "measure.hpp"

#include "body_form.hpp"
#include "moments.hpp"
#include "work_budget.hpp"

namespace carom::systems {

double measure(const IslandSystem& system, const Numbers& r, Numbers& u) {
  velocities(system, r, u);
  double sum = 0;
  if (system.has_moments()) {
    for (std::size_t i = 0; i < system.contacts(); ++i) {
      if (system.is_moment(i)) continue;
      const std::int32_t m = system.moment[i];
      sum += m < 0 ? squared_error(&r[3 * i], &u[3 * i], system.friction[i])
                   : squared_error(&r[3 * i], &r[3 * at(m)], &u[3 * i], &u[3 * at(m)], system.friction[i]);
    }
    return std::sqrt(sum);
  }
  for (std::size_t i = 0; i < system.contacts(); ++i) sum += squared_error(&r[3 * i], &u[3 * i], system.friction[i]);
  return std::sqrt(sum);
}

double rounding_of(const IslandSystem& system, const Numbers& r) {
  double sum = 0;
  if (system.bodies != nullptr) return 0x1p-57 * system.bodies->magnitude(r);
  for (std::size_t i = 0; i < system.contacts(); ++i) {
    double y[3] = {0, 0, 0};
    for (auto k = static_cast<std::size_t>(system.row_start[i]); k < static_cast<std::size_t>(system.row_start[i + 1]);
         ++k)
      for (std::size_t e = 0; e < 9; ++e)
        y[e / 3] += std::abs(system.block[9 * k + e] * r[3 * static_cast<std::size_t>(system.column[k]) + e % 3]);
    sum += y[0] * y[0] + y[1] * y[1] + y[2] * y[2];
  }
  return 0x1p-57 * std::sqrt(sum);
}

double sweep_cost(const IslandSystem& system) {
  const auto contacts = static_cast<double>(system.contacts());
  if (system.bodies != nullptr) return 20 * contacts + 2 * system.bodies->products();
  return 2 * static_cast<double>(system.blocks()) + 12 * contacts;
}

void project(const IslandSystem& system, Numbers& r) {
  for (std::size_t i = 0; i < system.contacts(); ++i) {
    if (system.is_moment(i)) continue;
    if (system.has_moments() && system.moment[i] >= 0)
      project(&r[3 * i], &r[3 * at(system.moment[i])], system.friction[i]);
    else
      project(&r[3 * i], system.friction[i]);
  }
}

}  // namespace carom::systems
