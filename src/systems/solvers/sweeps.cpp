#include "sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "systems/problem/body_form.hpp"
#include "systems/problem/measure.hpp"

namespace carom::systems {

void Sweeps::begin(const IslandSystem& system) {
  const std::size_t contacts = system.contacts();
  contact_.resize(contacts);
  weight_.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    weight_[i] = std::sqrt(system.mean_diagonal(i));
    if (system.is_moment(i)) continue;
    double own[9];
    system.own_block(i, i, own);
    contact_[i] = LocalContact(own, system.friction[i]);
  }
  if (system.bodies != nullptr) {
    own_.resize(9 * contacts);
    for (std::size_t i = 0; i < contacts; ++i) system.own_block(i, i, &own_[9 * i]);
  }
  moment_.clear();
  if (!system.has_moments()) return;
  moment_.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    const std::int32_t m = system.moment[i];
    if (m < 0) continue;
    double pp[9], pm[9], mp[9], mm[9];
    system.own_block(i, i, pp);
    system.own_block(i, at(m), pm);
    system.own_block(at(m), i, mp);
    system.own_block(at(m), at(m), mm);
    moment_[i] = LocalMoment(pp, pm, mp, mm);
    if (system.bodies == nullptr) continue;
    beside_.resize(18 * contacts);
    std::copy_n(pm, 9, &beside_[18 * i]);
    std::copy_n(mp, 9, &beside_[18 * i + 9]);
  }
}

/// Contact after contact changes the velocities of its bodies. Joints answer between the sweeps.
void Sweeps::sweep_by_bodies(const IslandSystem& system, Numbers& r) {
  const BodyForm& form = *system.bodies;
  form.answer(r, v_);
  const auto velocity = [&](std::size_t row, double* u) {
    for (std::size_t a = 0; a < 3; ++a) u[a] = system.q[3 * row + a];
    form.add_velocity(row, v_, &r[3 * row], u);
  };
  const auto subtract = [](const double* w, const double* x, double* u) {
    const double less[3] = {-x[0], -x[1], -x[2]};
    add_product(w, less, u);
  };
  for (std::size_t i = 0; i < system.contacts(); ++i) {
    if (system.is_moment(i)) continue;
    double b[3], b_m[3], *own = &r[3 * i];
    velocity(i, b);
    subtract(&own_[9 * i], own, b);
    double change[3] = {-own[0], -own[1], -own[2]};
    const std::int32_t m = system.has_moments() ? system.moment[i] : -1;
    if (m < 0) {
      contact_[i].solve(b, own);
    } else {
      double* const moment = &r[3 * at(m)];
      velocity(at(m), b_m);
      subtract(&own_[9 * at(m)], moment, b_m);
      subtract(&beside_[18 * i], moment, b);
      subtract(&beside_[18 * i + 9], own, b_m);
      double turn[3] = {-moment[0], -moment[1], -moment[2]};
      moment_[i].solve(contact_[i], b, b_m, own, moment);
      for (std::size_t a = 0; a < 3; ++a) turn[a] += moment[a];
      form.push(at(m), turn, v_);
    }
    for (std::size_t a = 0; a < 3; ++a) change[a] += own[a];
    form.push(i, change, v_);
  }
}

/// The moment of a contact is solved with it.
void Sweeps::sweep_with_moments(const IslandSystem& system, Numbers& r) {
  const auto velocity_by_others = [&](std::size_t row, std::int32_t contact, std::int32_t moment, double* b) {
    for (std::size_t a = 0; a < 3; ++a) b[a] = system.q[3 * row + a];
    for (std::size_t k = at(system.row_start[row]); k < at(system.row_start[row + 1]); ++k)
      if (const std::int32_t j = system.column[k]; j != contact && j != moment)
        add_product(&system.block[9 * k], &r[3 * at(j)], b);
  };
  for (std::size_t i = 0; i < system.contacts(); ++i) {
    if (system.is_moment(i)) continue;
    const std::int32_t contact = static_cast<std::int32_t>(i), moment = system.moment[i];
    double b[3], b_m[3];
    velocity_by_others(i, contact, moment, b);
    if (moment < 0) {
      contact_[i].solve(b, &r[3 * i]);
      continue;
    }
    velocity_by_others(at(moment), contact, moment, b_m);
    moment_[i].solve(contact_[i], b, b_m, &r[3 * i], &r[3 * at(moment)]);
  }
}

void Sweeps::sweep(const IslandSystem& system, Numbers& r) {
  if (system.bodies != nullptr) return sweep_by_bodies(system, r);
  if (system.has_moments()) return sweep_with_moments(system, r);
  const std::size_t contacts = system.contacts();
  for (std::size_t i = 0; i < contacts; ++i) {
    double b[3] = {system.q[3 * i], system.q[3 * i + 1], system.q[3 * i + 2]};
    const auto first = static_cast<std::size_t>(system.row_start[i]);
    const auto own = static_cast<std::size_t>(system.diagonal[i]);
    const auto end = static_cast<std::size_t>(system.row_start[i + 1]);
    for (std::size_t k = first; k < own; ++k)
      add_product(&system.block[9 * k], &r[3 * static_cast<std::size_t>(system.column[k])], b);
    for (std::size_t k = own + 1; k < end; ++k)
      add_product(&system.block[9 * k], &r[3 * static_cast<std::size_t>(system.column[k])], b);
    contact_[i].solve(b, &r[3 * i]);
  }
}

void Sweeps::start(const IslandSystem& system, const Incumbent& best) {
  anderson_.begin(system.contacts(), weight_);
  x_ = best.r;
  errors_.clear();
}

void Sweeps::go_on(const IslandSystem& system, Incumbent& best, WorkBudget& work_budget, std::size_t most,
                   bool judged) {
  constexpr std::size_t span = 10, between = 5;
  const auto products_of_mixing = static_cast<double>(system.contacts());
  const std::size_t had = std::min(errors_.size(), most);
  const auto step = [&](std::size_t s) {
    const std::size_t done = had + s;
    if (judged && done > span && done % between == 0) {
      const double rate = std::log(errors_[done - 1 - span] / errors_[done - 1]) / span;
      const double needed = rate > 0 ? std::log(best.error / work_budget.target) / rate : 1e300;
      if (!(needed <= static_cast<double>(most - done))) return false;
    }
    g_ = x_;
    sweep(system, g_);
    best.offer(system, g_, measure(system, g_, u_), work_budget.target);
    ++work_budget.pgs_iterations;
    work_budget.spend(work_budget.sweep_cost + products_of_mixing);
    errors_.push_back(best.error);
    anderson_.advance(x_, g_);
    return true;
  };
  improve(
      best, work_budget.target, most - had, [&] { return !work_budget.exhausted(); }, step);
}

}  // namespace carom::systems
