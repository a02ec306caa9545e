#include "measure.hpp"

namespace carom::systems {

double measure(const IslandSystem& system, const Numbers& r, Numbers& u) {
  velocities(system, r, u);
  double sum = 0;
  for (std::size_t i = 0; i < system.contacts(); ++i) sum += squared_error(&r[3 * i], &u[3 * i], system.friction[i]);
  return std::sqrt(sum);
}

void project(const IslandSystem& system, Numbers& r) {
  for (std::size_t i = 0; i < system.contacts(); ++i) project(&r[3 * i], system.friction[i]);
}

}  // namespace carom::systems
