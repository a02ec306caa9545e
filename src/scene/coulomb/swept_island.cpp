#include "swept_island.hpp"

#include <algorithm>
#include <cmath>

#include "system/measure.hpp"

namespace carom::scene::coulomb {

void SweptIsland::resize() {
  for (systems::Numbers* numbers : {&x, &r, &u}) numbers->resize(3 * contacts());
  friction.resize(contacts());
  response.resize(contacts());
  squared_error_.resize(chunks());
}

void SweptIsland::set_units(double new_scale, double new_mass) {
  scale = new_scale;
  mass = new_mass;
  inverse_scale = 1 / scale;
  inverse_mass = 1 / mass;
}

bool SweptIsland::has_sound_responses() const {
  return std::all_of(response.begin(), response.end(), [](double w) { return w > 0 && std::isfinite(w); });
}

void SweptIsland::begin(double tolerance, double unit) {
  state = goes_on;
  sweeps = 0;
  looks_.clear();
  double largest = 0;
  for (const double q : u) largest = std::max(largest, std::abs(q));
  set_units(largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000)) : 1,
            systems::mass_of(response));
  double slowest = HUGE_VAL, sum = 0;  // of the contacts as they part
  for (std::size_t i = 0; i < contacts(); ++i) {
    for (std::size_t d = 0; d < 3; ++d) {
      u[3 * i + d] *= scale;
      x[3 * i + d] = x[3 * i + d] * scale * inverse_mass;
      sum += u[3 * i + d] * u[3 * i + d];
    }
    if (!(u[3 * i + 2] >= slowest)) slowest = u[3 * i + 2];
  }
  q_norm = std::sqrt(sum);
  target = tolerance * q_norm;
  best.error = HUGE_VAL;  // also where the error is not a number
  if (!std::isfinite(q_norm)) {
    state = left;
  } else if (slowest >= 0) {
    std::fill(x.begin(), x.end(), 0.0);
    r = x;
    best.error = noise(unit);
    if (slowest >= best.error) best.error = 0;
    state = best.error <= target ? solved : left;
  }
  best.r = x;
}

/// How far u may be from W r + q: some roundings of velocities that bodies had, and of those that impulses gave them.
double SweptIsland::noise(double unit) const {
  constexpr double roundings = 8;
  double sum = squared_speed * scale * scale;
  for (std::size_t i = 0; i < contacts(); ++i) {
    const double own = response[i] * mass;
    for (std::size_t d = 0; d < 3; ++d) sum += own * own * r[3 * i + d] * r[3 * i + d];
  }
  return roundings * unit * std::sqrt(sum);
}

/// The errors fall ever more slowly: half of the looks so far tell how fast they do now. They rest at times, so that a
/// part of all sweeps is not judged. No more sweeps are taken than twelve steps of the interior point are worth, of
/// which it needs some more: on one core such a step takes about 500 ns a contact and 3 ns a product of its
/// factorisation, and a sweep 8 ns a contact, and of no island less than 320 ns. Where the budget is too small for
/// these steps, all of it goes into sweeps.
bool SweptIsland::is_worth_more(double budget) const {
  if (looks_.size() <= looks_before) return sweeps < budget / cost;
  const auto n = static_cast<double>(contacts());
  constexpr double fewest_steps = 20;
  const double step = (products + 60 * n) / (2 * blocks + 12 * n);  // in sweeps over W
  if (budget - cost * sweeps < fewest_steps * step) return sweeps < budget / cost;
  const double most = std::min(budget / cost, (750 * n + 4.5 * products) / (n + 40));
  if (sweeps < most / 32) return true;
  const Look &now = looks_.back(), &before = looks_[looks_.size() / 2];
  const double rate = std::log(before.error / now.error) / (now.sweeps - before.sweeps);
  return rate > 0 && std::log(now.error / target) / rate <= most - sweeps;
}

void SweptIsland::measure(std::size_t of_chunk) {
  const std::size_t end = std::min(contacts(), (of_chunk + 1) * chunk);
  double sum = 0;
  for (std::size_t i = of_chunk * chunk; i < end; ++i) sum += systems::squared_error(&r[3 * i], &u[3 * i], friction[i]);
  squared_error_[of_chunk] = sum;
}

void SweptIsland::judge(double unit, double budget) {
  double sum = 0;
  for (const double of_chunk : squared_error_) sum += of_chunk;
  double error = std::sqrt(sum);
  const double unknown = error <= target ? noise(unit) : 0;
  error += unknown;
  const bool begins = looks_.empty();
  if (begins && !std::isfinite(error)) {
    std::fill(r.begin(), r.end(), 0.0);
    best.r = r;
  }
  if (error < best.error) {
    best.error = error;
    best.r = r;
  }
  looks_.push_back({sweeps, best.error});
  if (error <= target) {
    state = solved;
  } else if (unknown > target / 2 || (!begins && !std::isfinite(error)) || !is_worth_more(budget)) {
    state = left;
  } else if (begins) {
    weight_.resize(contacts());
    for (std::size_t i = 0; i < contacts(); ++i) weight_[i] = std::sqrt(response[i] * mass);
    anderson_.begin(contacts(), weight_);
    x = r;
  } else {
    anderson_.advance(x, r);
  }
}

}  // namespace carom::scene::coulomb
