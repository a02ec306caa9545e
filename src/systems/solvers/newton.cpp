#include "newton.hpp"

#include <algorithm>
#include <cmath>

#include "systems/problem/measure.hpp"

namespace carom::systems {
namespace {

constexpr double regularisation = 1e-8;
/// A contact that parts no faster than this share of the fastest velocity is guessed to touch.
constexpr double touching = 1e-6;

/// ρ of a row. A moment that moves no body may have any value.
double rho_of(const IslandSystem& system, std::size_t i) {
  const double mean = system.mean_diagonal(i);
  return mean > 0 ? 1 / mean : 1;
}

}  // namespace

/// Writes the rows of contact i: the Jacobian A + B ρ W, with A in diagonal_, and −F in step_.
void Newton::linearise(const IslandSystem& system, std::size_t i) {
  const double rho = rho_[i], friction = system.friction[i];
  const double *r = &r_[3 * i], *u = &u_[3 * i];
  const double z[3] = {r[0] - rho * u[0], r[1] - rho * u[1], r[2] - rho * u[2]};
  double a[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[9] = {};
  double* right = &step_[3 * i];
  for (std::size_t k = 0; k < 3; ++k) right[k] = -r[k];  // of an open contact
  if (z[2] > -touching_) {
    const double length = tangential_length(z), radius = friction * z[2];
    b[8] = 1;
    a[8] = 0;
    right[2] = -rho * u[2];
    if (length <= radius || (touching_ > 0 && friction > 0)) {
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
  if (system.bodies != nullptr) return;
  for (std::size_t k = at(system.row_start[i]); k < at(system.row_start[i + 1]); ++k) {
    const double* w = &system.block[9 * k];
    double* to = &block_[9 * k];
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t c = 0; c < 3; ++c)
        to[3 * row + c] = b[3 * row] * w[c] + b[3 * row + 1] * w[3 + c] + b[3 * row + 2] * w[6 + c];
  }
}

/// Writes the rows of a moment. Its bound is z_n of its contact, which adds a row of the contact's W and off-diagonal
/// numbers of A.
void Newton::linearise_moment(const IslandSystem& system, std::size_t i) {
  const auto contact = at(system.parent_contact[i]);
  const double rho = rho_[i], contact_rho = rho_[contact];
  const double *m = &r_[3 * i], *y = &u_[3 * i];
  const double bound = r_[3 * contact + 2] - contact_rho * u_[3 * contact + 2];
  const double z[3] = {m[0] - rho * y[0], m[1] - rho * y[1], m[2] - rho * y[2]};
  // 1 − A of the moment, the terms of its bound, and −F.
  double b[9] = {}, by_bound[3] = {}, *right = &step_[3 * i];
  for (std::size_t k = 0; k < 3; ++k) right[k] = -m[k];  // of an open contact
  if (bound > 0) {
    const double length = tangential_length(z);
    if (length <= bound) {
      b[0] = b[4] = 1;
      right[0] = -rho * y[0];
      right[1] = -rho * y[1];
    } else {
      const double e[2] = {z[0] / length, z[1] / length}, shrink = bound / length;
      for (std::size_t k = 0; k < 2; ++k) {
        for (std::size_t l = 0; l < 2; ++l) b[3 * k + l] = shrink * ((k == l ? 1 : 0) - e[k] * e[l]);
        by_bound[k] = e[k];
        right[k] = bound * e[k] - m[k];
      }
    }
    if (std::abs(z[2]) <= bound) {
      b[8] = 1;
      right[2] = -rho * y[2];
    } else {
      by_bound[2] = z[2] > 0 ? 1 : -1;
      right[2] = by_bound[2] * bound - m[2];
    }
  }
  for (std::size_t k = 0; k < 9; ++k) {
    diagonal_[9 * i + k] = (k % 4 == 0 ? 1 : 0) - b[k] + regularisation * b[k];
    left_[9 * i + k] = b[k] *= rho;
  }
  for (std::size_t row = 0; row < 3; ++row) {
    beside_.below[9 * i + 3 * row + 2] = -by_bound[row];
    beside_.b_below[9 * i + 3 * row + 2] = contact_rho * by_bound[row];
  }
  if (system.bodies != nullptr) return;
  // Rows of a contact and of its moment have blocks in the same columns.
  const std::size_t first = at(system.row_start[i]), above = at(system.row_start[contact]);
  for (std::size_t k = first; k < at(system.row_start[i + 1]); ++k) {
    const double *w = &system.block[9 * k], *normal = &system.block[9 * (above + k - first) + 6];
    double* to = &block_[9 * k];
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t c = 0; c < 3; ++c)
        to[3 * row + c] = b[3 * row] * w[c] + b[3 * row + 1] * w[3 + c] + b[3 * row + 2] * w[6 + c] +
                          contact_rho * by_bound[row] * normal[c];
  }
  double* const beside = &block_[9 * system.block_of(i, system.parent_contact[i])];
  for (std::size_t row = 0; row < 3; ++row) beside[3 * row + 2] -= by_bound[row];
}

void Newton::run(const IslandSystem& system, Factorisation& lu, Incumbent& best, WorkBudget& work_budget,
                 const NewtonOptions& options) {
  if (!lu.is_planned()) lu.plan(system);
  const std::size_t contacts = system.contacts();
  r_ = best.r;
  block_.resize(9 * system.blocks());
  diagonal_.resize(9 * contacts);
  left_.resize(9 * contacts);
  right_.assign(3 * contacts, 1);
  step_.resize(3 * contacts);
  rho_.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) rho_[i] = rho_of(system, i);
  measure(system, r_, u_);
  touching_ = 0;
  for (std::size_t i = 0; options.guesses && i < 3 * contacts; ++i)
    touching_ = std::max(touching_, touching * std::abs(system.q[i]) * rho_[i / 3]);
  errors_.clear();
  const auto step = [&](std::size_t s) {
    errors_.push_back(best.error);
    if (options.is_judged && has_stalled(errors_, 2, 4)) return false;
    if (system.has_moments()) beside_.clear(contacts);
    std::swap(diagonal_, last_diagonal_);
    std::swap(left_, last_left_);
    diagonal_.resize(9 * contacts);
    left_.resize(9 * contacts);
    for (std::size_t i = 0; i < contacts; ++i) system.is_moment(i) ? linearise_moment(system, i) : linearise(system, i);
    touching_ = 0;
    ++work_budget.newton_iterations;
    work_budget.spend(lu.solve_products() + 2 * work_budget.sweep_cost);
    // Contacts keep their states in the last steps, and the matrix then remains.
    const bool remains = s > 0 && !system.has_moments() && diagonal_ == last_diagonal_ && left_ == last_left_;
    if (!remains) {
      work_budget.spend(lu.products());
      if (!lu.factor(system, block_, diagonal_, left_, right_, beside_)) return false;
    }
    lu.solve(step_);
    for (std::size_t i = 0; i < 3 * contacts; ++i) r_[i] += step_[i];
    const double error = measure(system, r_, u_);
    if (!std::isfinite(error)) return false;
    if (error > 2 * best.error) return true;
    projected_ = r_;
    project(system, projected_);
    best.offer(system, projected_, projected_ == r_ ? error : measure(system, projected_, velocities_),
               work_budget.target);
    return true;
  };
  improve(
      best, work_budget.target, options.max_steps, [&] { return work_budget.affords(lu.products()); }, step);
}

}  // namespace carom::systems
