#include "newton.hpp"

#include <algorithm>
#include <cmath>

#include "measure.hpp"

namespace carom::systems {

/// Writes the rows of contact i: the Jacobian A + B ρ W, with A in diagonal_, and −F in step_.
void Newton::linearise(const IslandSystem& system, std::size_t i) {
  constexpr double regularisation = 1e-8;
  const double rho = 1 / system.mean_diagonal(i), friction = system.friction[i];
  const double *r = &r_[3 * i], *u = &u_[3 * i];
  const double z[3] = {r[0] - rho * u[0], r[1] - rho * u[1], r[2] - rho * u[2]};
  double a[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[9] = {};
  double* right = &step_[3 * i];
  for (std::size_t k = 0; k < 3; ++k) right[k] = -r[k];  // of an open contact
  if (z[2] > 0) {
    const double length = tangential_length(z), radius = friction * z[2];
    b[8] = 1;
    a[8] = 0;
    right[2] = -rho * u[2];
    if (length <= radius) {
      b[0] = b[4] = 1;
      a[0] = a[4] = 0;
      right[0] = -rho * u[0];
      right[1] = -rho * u[1];
    } else {
      // The derivative of the projection: by z_t across z_t, by z_n along it.
      const double x = z[0] / length, y = z[1] / length, shrink = radius / length;
      b[0] = shrink * (1 - x * x);
      b[1] = b[3] = -shrink * x * y;
      b[4] = shrink * (1 - y * y);
      b[2] = friction * x;
      b[5] = friction * y;
      a[0] = 1 - b[0];
      a[1] = a[3] = -b[1];
      a[4] = 1 - b[4];
      a[2] = -b[2];
      a[5] = -b[5];
      right[0] = radius * x - r[0];
      right[1] = radius * y - r[1];
    }
  }
  for (std::size_t k = 0; k < 9; ++k) {
    diagonal_[9 * i + k] = a[k] + regularisation * b[k];
    b[k] *= rho;
    left_[9 * i + k] = b[k];
  }
  for (auto k = static_cast<std::size_t>(system.row_start[i]); k < static_cast<std::size_t>(system.row_start[i + 1]);
       ++k) {
    const double* w = &system.block[9 * k];
    double* to = &block_[9 * k];
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t c = 0; c < 3; ++c)
        to[3 * row + c] = b[3 * row] * w[c] + b[3 * row + 1] * w[3 + c] + b[3 * row + 2] * w[6 + c];
  }
}

void Newton::run(const IslandSystem& system, Factorisation& lu, Best& best, Effort& effort, std::size_t most_steps) {
  if (!lu.is_planned()) lu.plan(system);
  const std::size_t contacts = system.contacts();
  r_ = best.r;
  block_.resize(9 * system.blocks());
  diagonal_.resize(9 * contacts);
  left_.resize(9 * contacts);
  right_.assign(3 * contacts, 1);
  step_.resize(3 * contacts);
  measure(system, r_, u_);
  for (std::size_t s = 0; s < most_steps && best.error > effort.target && !effort.exhausted(); ++s) {
    for (std::size_t i = 0; i < contacts; ++i) linearise(system, i);
    ++effort.newton_steps;
    effort.spend(lu.products() + lu.solve_products() + 2 * effort.sweep_cost);
    if (!lu.factor(system, block_, diagonal_, left_, right_)) return;
    lu.solve(step_);
    for (std::size_t i = 0; i < 3 * contacts; ++i) r_[i] += step_[i];
    const double error = measure(system, r_, u_);
    if (!std::isfinite(error)) return;
    if (error > 2 * best.error) continue;
    projected_ = r_;
    project(system, projected_);
    best.offer(system, projected_, measure(system, projected_, velocities_), effort.target);
  }
}

}  // namespace carom::systems
