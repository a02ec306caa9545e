#include <algorithm>
#include <array>
#include <atomic>
#include <carom/system.hpp>
#include <chrono>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "check_system.hpp"
#include "contact_forms.hpp"
#include "island_solver.hpp"
#include "islands.hpp"
#include "measure.hpp"
#include "moments.hpp"
#include "solver/check.hpp"
#include "solver/dispatch.hpp"
#include "solver/floating_point.hpp"
#include "solver/schedule.hpp"

namespace carom {
namespace {

using systems::Islands;
using systems::IslandSolver;
using systems::IslandSystem;

template <class T>
double tolerance_of(const SystemOptions& options) {
  if (options.tolerance > 0) return options.tolerance;
  return std::is_same_v<T, float> ? 1e-4 : 1e-8;
}

/// The power of two that brings the largest number of q near 1, so that no square of it leaves the range of double.
template <class T>
double scale_of(const ContactSystem<T>& system) {
  double largest = 0;
  for (std::size_t i = 0; i < systems::rows_of(system); ++i)
    for (const double x : systems::velocity_of(system, i)) largest = std::max(largest, std::abs(x));
  return largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000)) : 1;
}

/// |q| of contacts in the numbers of the solver. Moments have no part in it: their lengths may be any.
template <class T>
double norm_of(const ContactSystem<T>& system, double scale, double most_friction) {
  const bool has_models = systems::has_models(system);
  double sum = 0;
  for (std::size_t i = 0; i < system.friction.count; ++i) {
    std::array<double, 3> q = systems::velocity_of(system, i);
    for (double& x : q) x *= scale;
    if (has_models) systems::turn_velocity(systems::form_of(system, i, most_friction), q.data());
    for (const double x : q) sum += x * x;
  }
  return std::sqrt(sum);
}

double norm_of(const IslandSystem& island) {
  double sum = 0;
  for (std::size_t i = 0; i < island.q.size(); ++i)
    if (!island.is_moment(i / 3)) sum += island.q[i] * island.q[i];
  return std::sqrt(sum);
}

/// The state that the natural map tells, with the mass that suits the contact.
ContactState state_of(const IslandSystem& system, std::size_t i, const std::vector<double>& impulse,
                      const std::vector<double>& velocity) {
  const double rho = 1 / system.mean_diagonal(i), friction = system.friction[i];
  const double *r = &impulse[3 * i], *u = &velocity[3 * i];
  double v[3] = {u[0], u[1], u[2] + friction * systems::tangential_length(u)};
  const bool has_moment = system.has_moments() && system.moment[i] >= 0;
  if (has_moment) v[2] = systems::with_slips(u, &velocity[3 * systems::at(system.moment[i])], friction);
  double z[3] = {r[0] - rho * v[0], r[1] - rho * v[1], r[2] - rho * v[2]};
  const double t = systems::tangential_length(z);
  if (has_moment) {
    const double *m = &impulse[3 * systems::at(system.moment[i])], *y = &velocity[3 * systems::at(system.moment[i])];
    double w[3] = {m[0] - rho * y[0], m[1] - rho * y[1], m[2] - rho * y[2]};
    systems::project(z, w, friction);
    if (z[2] <= 0) return ContactState::open;
  } else if (friction * t <= -z[2]) {
    return ContactState::open;
  }
  return t < friction * z[2] ? ContactState::stick : ContactState::slip;
}

/// Impulses are in units of `mass` / `scale`, velocities of 1 / `scale`.
template <class T>
void store(const SystemResults<T>& results, const Islands& islands, std::size_t index, std::size_t contacts,
           const std::vector<double>& impulse, const std::vector<double>& velocity, double mass, double scale) {
  for (std::size_t c = 0; c < islands.size(index); ++c) {
    const auto row = static_cast<std::size_t>(islands.contact[islands.start[index] + c]);
    const bool is_moment = row >= contacts;
    const std::size_t i = is_moment ? row - contacts : row;
    const double *r = &impulse[3 * c], *u = &velocity[3 * c];
    if (results.island && !is_moment) results.island[i] = static_cast<std::int32_t>(index);
    const auto put = [&](const Vector3Columns<T>& to, const double* from, double factor) {
      if (!to.x) return;
      to.x[i] = static_cast<T>(from[0] * factor / scale);
      to.y[i] = static_cast<T>(from[1] * factor / scale);
      to.z[i] = static_cast<T>(from[2] * factor / scale);
    };
    put(is_moment ? results.angular_impulse : results.impulse, r, mass);
    put(is_moment ? results.angular_velocity : results.velocity, u, 1);
  }
}

}  // namespace

std::string_view to_string(ContactState state) {
  switch (state) {
    case ContactState::open:
      return "open";
    case ContactState::stick:
      return "stick";
    case ContactState::slip:
      return "slip";
  }
  return "unknown";
}

struct SystemSolver::State {
  explicit State(const Execution& given) : execution(given) { find_isa(given.isa); }

  struct Release {
    std::atomic<bool>& busy;
    ~Release() { busy.store(false, std::memory_order_release); }
  };

  struct Slot {
    IslandSolver solver;
    systems::ContactForms forms;
    std::vector<double> velocity;
  };

  template <class T>
  void solve_island(const ContactSystem<T>& system, const SystemResults<T>& results, const SystemOptions& options,
                    std::size_t index, double scale, double q_norm, Slot& slot) {
    IslandSolver& solver = slot.solver;
    read_island(system, islands, index, scale, options.most_friction, solver.system);
    slot.forms.shape(system, islands, index, options.most_friction, solver.system);
    const std::size_t contacts = solver.system.contacts();
    // W in units of the error's mass, so that the solver's own error has the mass 1.
    const double mass = options.error_mass > 0 ? options.error_mass : systems::mass_of(solver.system);
    if (mass != 1)
      for (double& w : solver.system.block) w *= mass;
    std::vector<double>& r = solver.best.r;
    r.assign(3 * contacts, 0);
    if (system.warm_impulse.x || system.warm_angular_impulse.x) {
      for (std::size_t c = 0; c < contacts; ++c) {
        const std::array<double, 3> warm =
            systems::of_row(system, system.warm_impulse, system.warm_angular_impulse,
                            static_cast<std::size_t>(islands.contact[islands.start[index] + c]));
        for (std::size_t a = 0; a < 3; ++a) r[3 * c + a] = warm[a] * scale / mass;
        if (slot.forms.any()) slot.forms.from_world(c, &r[3 * c]);
      }
    }
    const bool by_island = options.scale == ErrorScale::island;
    const double base = by_island ? norm_of(solver.system) : q_norm;
    const double share =
        by_island ? 1 : std::sqrt(static_cast<double>(contacts) / static_cast<double>(systems::rows_of(system)));
    systems::Effort effort;
    effort.target = tolerance_of<T>(options) * base * share;
    effort.budget = options.budget;
    solver.solve(effort);
    systems::velocities(solver.system, r, slot.velocity);
    std::size_t moments = 0;
    for (std::size_t c = 0; c < contacts; ++c) {
      if (solver.system.is_moment(c))
        ++moments;
      else if (results.state)
        results.state[static_cast<std::size_t>(islands.contact[islands.start[index] + c])] =
            state_of(solver.system, c, r, slot.velocity);
    }
    if (slot.forms.any()) {
      for (std::size_t c = 0; c < contacts; ++c) slot.forms.to_world(c, &r[3 * c]);
      slot.forms.velocities(system, islands, index, mass, scale, r, slot.velocity);
    }
    store(results, islands, index, system.friction.count, r, slot.velocity, mass, scale);
    found[index] = {contacts - moments,
                    solver.best.error <= effort.target,
                    solver.best.error > 0 ? solver.best.error / base : 0,
                    effort.sweeps,
                    effort.interior_steps,
                    effort.newton_steps};
    squared_errors[index] = solver.best.error > 0 ? std::pow(solver.best.error / q_norm, 2) : 0;
  }

  template <class T>
  SystemReport run(const ContactSystem<T>& system, const SystemResults<T>& results, const SystemOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    systems::check_options(options);
    if (busy.exchange(true, std::memory_order_acquire))
      throw Error("carom: another call is at work in this solver; a solver serves one call at a time", ErrorKind::busy);
    const Release release{busy};
    SystemReport report;
    report.contacts = systems::check_columns(system, results);
    systems::check_values(system, options);
    const DefaultFloatingPoint environment;
    if (report.contacts > 0) {
      islands.find(system);
    } else {
      islands.start.assign(1, 0);
    }
    report.islands = islands.count();
    found.assign(report.islands, {});
    squared_errors.assign(report.islands, 0);
    const double scale = report.contacts > 0 ? scale_of(system) : 1;
    const double q_norm = report.contacts > 0 ? norm_of(system, scale, options.most_friction) : 0;

    order.resize(report.islands);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    // Large ones first, so that no thread waits for one in the end.
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return islands.size(a) > islands.size(b); });
    const std::size_t threads = std::clamp(report.islands, std::size_t{1}, threads_here(execution.threads));
    while (slots.size() < threads) slots.push_back(std::make_unique<Slot>());
    used.assign(threads, 0);
    try {
      run_tasks(order.size(), threads, [&](std::size_t task, std::size_t slot) {
        used[slot] = 1;
        solve_island(system, results, options, order[task], scale, q_norm, *slots[slot]);
      });
    } catch (...) {
      slots.clear();
      found.clear();
      throw;
    }

    double sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const SystemIsland& island = found[i];
      report.largest_island = std::max(report.largest_island, island.contacts);
      report.missed += island.solved ? 0 : 1;
      report.sweeps += island.sweeps;
      report.interior_steps += island.interior_steps;
      report.newton_steps += island.newton_steps;
      sum += squared_errors[i];
    }
    report.error = std::sqrt(sum);
    report.threads = static_cast<int>(std::max<std::ptrdiff_t>(1, std::count(used.begin(), used.end(), 1)));
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
  }

  Execution execution;
  std::atomic<bool> busy{false};
  Islands islands;
  std::vector<std::size_t> order;
  std::vector<SystemIsland> found;
  std::vector<double> squared_errors;  // relative to the whole system's q
  std::vector<std::unique_ptr<Slot>> slots;
  std::vector<char> used;
};

SystemSolver::SystemSolver(const Execution& execution) {
  check_execution(execution);
  state_ = std::make_unique<State>(execution);
}
SystemSolver::~SystemSolver() = default;
SystemSolver::SystemSolver(SystemSolver&&) noexcept = default;
SystemSolver& SystemSolver::operator=(SystemSolver&&) noexcept = default;

SystemSolver::State& SystemSolver::state() const {
  if (!state_) throw Error("carom: this solver has been moved from", ErrorKind::moved_from);
  return *state_;
}
const Execution& SystemSolver::execution() const {
  return state().execution;
}
std::span<const SystemIsland> SystemSolver::islands() const {
  return state().found;
}

template <class T>
SystemReport SystemSolver::solve(const ContactSystem<T>& system, const SystemResults<T>& results,
                                 const SystemOptions& options) {
  return state().run(system, results, options);
}

template SystemReport SystemSolver::solve(const ContactSystem<float>&, const SystemResults<float>&,
                                          const SystemOptions&);
template SystemReport SystemSolver::solve(const ContactSystem<double>&, const SystemResults<double>&,
                                          const SystemOptions&);

}  // namespace carom
