#include "sweeps.hpp"

#include <cmath>

#include "measure.hpp"

namespace carom::systems {

void Sweeps::begin(const IslandSystem& system) {
  const std::size_t contacts = system.contacts();
  contact_.resize(contacts);
  weight_.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    contact_[i] = LocalContact(&system.block[9 * static_cast<std::size_t>(system.diagonal[i])], system.friction[i]);
    weight_[i] = std::sqrt(system.mean_diagonal(i));
  }
}

void Sweeps::sweep(const IslandSystem& system, Numbers& r) {
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
