#include "sweeps.hpp"

#include <cmath>

#include "measure.hpp"

namespace carom::systems {

void Sweeps::begin(const IslandSystem& system) {
  const std::size_t contacts = system.contacts();
  contact_.resize(contacts);
  weight_.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    weight_[i] = std::sqrt(system.mean_diagonal(i));
    if (system.is_moment(i)) continue;
    contact_[i] = LocalContact(&system.block[9 * static_cast<std::size_t>(system.diagonal[i])], system.friction[i]);
  }
  moment_.clear();
  if (!system.has_moments()) return;
  moment_.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    const std::int32_t m = system.moment[i];
    if (m < 0) continue;
    const auto block = [&](std::size_t row, std::int32_t column) {
      return &system.block[9 * system.block_of(row, column)];
    };
    const auto own = static_cast<std::int32_t>(i);
    moment_[i] = LocalMoment(block(i, own), block(i, m), block(at(m), own), block(at(m), m));
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

void Sweeps::start(const IslandSystem& system, const Best& best) {
  anderson_.begin(system.contacts(), weight_);
  x_ = best.r;
  errors_.clear();
}

void Sweeps::go_on(const IslandSystem& system, Best& best, Effort& effort, std::size_t most, bool judged) {
  constexpr std::size_t span = 10, between = 5;
  const auto products_of_mixing = static_cast<double>(system.contacts());
  while (errors_.size() < most && !effort.exhausted() && best.error > effort.target) {
    const std::size_t done = errors_.size();
    if (judged && done > span && done % between == 0) {
      const double rate = std::log(errors_[done - 1 - span] / errors_[done - 1]) / span;
      const double needed = rate > 0 ? std::log(best.error / effort.target) / rate : 1e300;
      if (!(needed <= static_cast<double>(most - done))) return;
    }
    g_ = x_;
    sweep(system, g_);
    best.offer(system, g_, measure(system, g_, u_), effort.target);
    ++effort.sweeps;
    effort.spend(effort.sweep_cost + products_of_mixing);
    errors_.push_back(best.error);
    anderson_.advance(x_, g_);
  }
}

}  // namespace carom::systems
