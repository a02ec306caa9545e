#include <algorithm>
#include <array>
#include <carom/system.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "check_system.hpp"
#include "contact_forms.hpp"
#include "core/support/array.hpp"
#include "core/threads/floating_point.hpp"
#include "core/threads/schedule.hpp"
#include "core/threads/solver_state.hpp"
#include "islands.hpp"
#include "systems/problem/measure.hpp"
#include "systems/problem/moments.hpp"
#include "systems/solvers/island_solver.hpp"

namespace carom {
namespace {

using systems::Islands;
using systems::IslandSolver;
using systems::IslandSystem;
using systems::Numbers;

template <class T>
double tolerance_of(const SystemOptions& options) {
  if (options.tolerance > 0) return options.tolerance;
  return std::is_same_v<T, float> ? 1e-4 : 1e-8;
}

/// Returns the power of two that scales the max |q| to about 1, so that no square of q exceeds the range of double. The
/// rows are `row_of(0)` to `row_of(rows - 1)`.
template <class T, class RowOf>
double scale_of(const ContactSystem<T>& system, std::size_t rows, const RowOf& row_of) {
  double largest = 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (const double x : systems::velocity_of(system, row_of(i))) largest = std::max(largest, std::abs(x));
  return largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000)) : 1;
}

/// |q| of contacts in the solver's units. Moments do not count, because their units of length are arbitrary.
template <class T>
double norm_of(const ContactSystem<T>& system, double scale, double max_friction) {
  const bool has_models = systems::has_models(system);
  double sum = 0;
  for (std::size_t i = 0; i < system.friction.count; ++i) {
    std::array<double, 3> q = systems::velocity_of(system, i);
    for (double& x : q) x *= scale;
    if (has_models) systems::turn_velocity(systems::form_of(system, i, max_friction), q.data());
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

/// Returns the state of a contact with an impulse, by the natural map with the mass 1 / mean_diagonal. If the map says
/// open, the impulse is a remainder of the iterations, and its position in the cone decides.
ContactState state_of(const IslandSystem& system, std::size_t i, const Numbers& impulse, const Numbers& velocity) {
  const double rho = 1 / system.mean_diagonal(i), friction = system.friction[i];
  const double *r = &impulse[3 * i], *u = &velocity[3 * i];
  double v[3] = {u[0], u[1], u[2] + friction * systems::tangential_length(u)};
  const bool has_moment = system.has_moments() && system.moment[i] >= 0;
  if (has_moment) v[2] = systems::with_slips(u, &velocity[3 * systems::at(system.moment[i])], friction);
  double z[3] = {r[0] - rho * v[0], r[1] - rho * v[1], r[2] - rho * v[2]};
  const double t = systems::tangential_length(z);
  bool is_open = friction * t <= -z[2];
  if (has_moment) {
    const double *m = &impulse[3 * systems::at(system.moment[i])], *y = &velocity[3 * systems::at(system.moment[i])];
    double w[3] = {m[0] - rho * y[0], m[1] - rho * y[1], m[2] - rho * y[2]};
    systems::project(z, w, friction);
    is_open = z[2] <= 0;
  }
  const bool sticks = is_open ? systems::tangential_length(r) < (1 - 0x1p-50) * friction * r[2] : t < friction * z[2];
  return sticks ? ContactState::stick : ContactState::slip;
}

/// Converts x from units of `unit` / `scale` to the caller's units.
double in_units(double x, double unit, double scale) {
  const double y = x * unit;
  return std::isfinite(y) ? y / scale : x / scale * unit;
}

/// Limits x to the range of T, and NaN to 0. `fits` becomes false if this changes x.
template <class T>
double held(double x, bool& fits) {
  constexpr double end = std::numeric_limits<T>::max();
  if (std::abs(x) <= end) return x;
  fits = false;
  return std::isnan(x) ? 0 : std::copysign(end, x);
}

}  // namespace

struct SystemSolver::State : SolverState {
  using SolverState::SolverState;

  struct Slot {
    IslandSolver solver;
    systems::ContactForms forms;
    Numbers velocity, start;
    double scale = 1, mass = 1;  // impulses are in units of mass / scale, velocities in units of 1 / scale
  };

  std::size_t row_of(std::size_t island, std::size_t place) const {
    return static_cast<std::size_t>(islands.contact[islands.start[island] + place]);
  }

  /// Reads the warm impulses of the island in units of its system. Zero by default.
  template <class T>
  void read_warm(const ContactSystem<T>& system, std::size_t index, const Slot& slot, Numbers& r) const {
    r.assign(3 * islands.size(index), 0);
    if (!system.warm_impulse.x && !system.warm_angular_impulse.x) return;
    for (std::size_t c = 0; c < islands.size(index); ++c) {
      const std::array<double, 3> warm =
          systems::of_row(system, system.warm_impulse, system.warm_angular_impulse, row_of(index, c));
      for (std::size_t a = 0; a < 3; ++a) r[3 * c + a] = warm[a] * slot.scale / slot.mass;
      if (slot.forms.any()) slot.forms.from_world(c, &r[3 * c]);
    }
  }

  /// The power of two by which impulses must be divided to fit into T; 0 if they fit.
  template <class T>
  int excess_of(const Slot& slot, const Numbers& r) const {
    int excess = 0;
    for (std::size_t c = 0; c < r.size() / 3; ++c) {
      double x[3] = {r[3 * c], r[3 * c + 1], r[3 * c + 2]};
      if (slot.forms.any()) slot.forms.to_world(c, x);
      bool fits = true;
      for (const double number : x) held<T>(in_units(number, slot.mass, slot.scale), fits);
      for (const double number : x)
        if (!fits && number != 0)
          excess = std::max(excess, std::ilogb(number) + std::ilogb(slot.mass) - std::ilogb(slot.scale) + 2 -
                                        std::ilogb(static_cast<double>(std::numeric_limits<T>::max())));
    }
    return excess;
  }

  /// Shortens impulses that do not fit into T. Replaces them by the start if it has the smaller error. Returns false if
  /// the impulses do not fit.
  template <class T>
  bool fit(const ContactSystem<T>& system, std::size_t index, Slot& slot) const {
    systems::Incumbent& best = slot.solver.best;
    const int excess = excess_of<T>(slot, best.r);
    if (excess == 0) return true;
    for (double& x : best.r) x = std::ldexp(x, -excess);
    best.error = systems::measure(slot.solver.system, best.r, slot.velocity);
    read_warm(system, index, slot, slot.start);
    systems::project(slot.solver.system, slot.start);
    if (excess_of<T>(slot, slot.start) > 0) slot.start.assign(slot.start.size(), 0);
    const double error = systems::measure(slot.solver.system, slot.start, slot.velocity);
    if (error < best.error) {
      best.error = error;
      best.r = slot.start;
    }
    return false;
  }

  /// Shortens friction that leaves its cone because its square vanishes, and the error with it. Returns false if there
  /// is any. Such friction is below 1e-150 of |q| in units of the error's mass.
  static bool cut_vanishing_friction(Slot& slot) {
    const IslandSystem& island = slot.solver.system;
    bool keeps = true;
    for (std::size_t c = 0; c < island.contacts(); ++c) {
      double* const r = &slot.solver.best.r[3 * c];
      const double largest = std::max(std::abs(r[0]), std::abs(r[1]));
      if (!(largest < 0x1p-500) || island.is_moment(c)) continue;
      const double length = std::hypot(r[0], r[1]), bound = island.friction[c] * r[2];
      if (length <= bound) continue;
      for (std::size_t a = 0; a < 2; ++a) r[a] *= (1 - 0x1p-50) * (bound / length);
      keeps = false;
    }
    return keeps;
  }

  /// Stores impulses, velocities and states of an island for write(). False if a velocity does not fit into T.
  template <class T>
  bool keep(const ContactSystem<T>& system, std::size_t index, Slot& slot) {
    Numbers &r = slot.solver.best.r, &u = slot.velocity;
    const std::size_t rows = islands.size(index), contacts = system.friction.count;
    const auto impulse_of = [&](std::size_t c, double* to) {
      for (std::size_t a = 0; a < 3; ++a) to[a] = r[3 * c + a];
      if (slot.forms.any()) slot.forms.to_world(c, to);
      for (std::size_t a = 0; a < 3; ++a) to[a] = in_units(to[a], slot.mass, slot.scale);
    };
    systems::velocities(slot.solver.system, r, u);
    for (std::size_t c = 0; c < rows; ++c) {
      const std::size_t row = row_of(index, c);
      double* const kept = &impulse[3 * row];
      impulse_of(c, kept);
      if (row >= contacts) continue;
      const bool is_open = static_cast<T>(kept[0]) == 0 && static_cast<T>(kept[1]) == 0 && static_cast<T>(kept[2]) == 0;
      state[row] = is_open ? ContactState::open : state_of(slot.solver.system, c, r, u);
    }
    const Numbers& outside = slot.solver.outside();
    for (std::size_t i = 0; i < outside.size(); ++i) u[i] += outside[i];
    if (slot.forms.any()) {
      for (std::size_t c = 0; c < rows; ++c) slot.forms.to_world(c, &r[3 * c]);
      slot.forms.velocities(system, islands, index, slot.mass, slot.scale, r, u);
    }
    bool fits = true;
    for (std::size_t c = 0; c < rows; ++c)
      for (std::size_t a = 0; a < 3; ++a) velocity[3 * row_of(index, c) + a] = held<T>(u[3 * c + a] / slot.scale, fits);
    return fits;
  }

  template <class T>
  void solve_island(const ContactSystem<T>& system, const SystemOptions& options, std::size_t index, double scale,
                    double q_norm, Slot& slot) {
    IslandSolver& solver = slot.solver;
    const bool by_island = options.scale == ErrorScale::island;
    slot.scale = scale;
    if (by_island) slot.scale = scale_of(system, islands.size(index), [&](std::size_t c) { return row_of(index, c); });
    read_island(system, islands, index, slot.scale, options.max_friction, solver.system);
    slot.forms.shape(system, islands, index, options.max_friction, solver.system);
    const std::size_t rows = solver.system.contacts();
    // W in units of the error's mass, so that the mass in the solver's own error is 1.
    slot.mass = options.error_mass > 0 ? options.error_mass : systems::mass_of(solver.system);
    if (slot.mass != 1)
      for (double& w : solver.system.block) w *= slot.mass;
    read_warm(system, index, slot, solver.best.r);
    const double base = by_island ? norm_of(solver.system) : q_norm;
    const double share =
        by_island ? 1 : std::sqrt(static_cast<double>(rows) / static_cast<double>(systems::rows_of(system)));
    systems::WorkBudget work_budget;
    work_budget.target = tolerance_of<T>(options) * base * share;
    work_budget.budget = options.budget;
    work_budget.range_limit = options.range_tolerance * base * share;
    solver.solve(work_budget);
    const bool friction_counts = cut_vanishing_friction(slot);
    const bool impulses_fit = fit(system, index, slot);
    const bool velocities_fit = keep(system, index, slot);
    const auto relative = [&](double x) { return x > 0 ? x / base : 0; };
    SystemIsland& island = found[index];
    for (std::size_t c = 0; c < rows; ++c) island.contacts += solver.system.is_moment(c) ? 0 : 1;
    island.solved = friction_counts && impulses_fit && velocities_fit && solver.best.error <= work_budget.target;
    island.error = relative(solver.best.error);
    island.pgs_iterations = work_budget.pgs_iterations;
    island.interior_point_iterations = work_budget.interior_point_iterations;
    island.newton_iterations = work_budget.newton_iterations;
    island.range_distance = relative(solver.range_distance);
    const auto squared = [&](double x) { return x > 0 ? std::pow(x / q_norm * (scale / slot.scale), 2) : 0; };
    squares[index] = {squared(solver.best.error), squared(solver.range_distance)};
  }

  /// Writes all results, once all islands are solved.
  template <class T>
  void write(const ContactSystem<T>& system, const SystemResults<T>& results) const {
    const auto put = [](const Vector3Columns<T>& to, std::size_t count, const double* from) {
      for (std::size_t i = 0; to.x && i < count; ++i, from += 3) {
        to.x[i] = static_cast<T>(from[0]);
        to.y[i] = static_cast<T>(from[1]);
        to.z[i] = static_cast<T>(from[2]);
      }
    };
    const std::size_t contacts = system.friction.count, moments = system.moment.count;
    put(results.impulse, contacts, impulse.data());
    put(results.velocity, contacts, velocity.data());
    put(results.angular_impulse, moments, impulse.data() + 3 * contacts);
    put(results.angular_velocity, moments, velocity.data() + 3 * contacts);
    for (std::size_t i = 0; results.state && i < contacts; ++i) results.state[i] = state[i];
    for (std::size_t i = 0; results.island && i < contacts; ++i) results.island[i] = islands.island[i];
  }

  template <class T>
  SystemReport run(const ContactSystem<T>& given, const SystemResults<T>& results, const SystemOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    const OneCall one_call(busy);
    check_options(options);
    const HeldMemory::Scope scope(&held_memory);
    SystemReport report;
    const auto resolved = systems::check_columns(given, results);
    const ContactSystem<T>& system = *resolved;
    report.contacts = system.friction.count;
    systems::check_values(system, options, check_space);
    const DefaultFloatingPoint environment;
    if (report.contacts > 0) {
      islands.find(system);
    } else {
      islands.start.assign(1, 0);
    }
    report.islands = islands.count();
    found.assign(report.islands, {});
    squares.assign(report.islands, {});
    const std::size_t rows = systems::rows_of(system);
    impulse.resize(3 * rows);
    velocity.resize(3 * rows);
    state.resize(report.contacts);
    const double scale = scale_of(system, rows, [](std::size_t i) { return i; });
    const double q_norm = report.contacts > 0 ? norm_of(system, scale, options.max_friction) : 0;

    order.resize(report.islands);
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    // Large islands first, so that no thread waits for a large one at the end.
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return islands.size(a) != islands.size(b) ? islands.size(a) > islands.size(b) : a < b;
    });
    CallThreads call_threads(execution);
    const std::size_t threads = std::clamp(report.islands, std::size_t{1}, call_threads.count());
    while (slots.size() < threads) slots.push_back(make_owned<Slot>());
    used.assign(threads, 0);
    try {
      const auto task = [&](std::size_t index, std::size_t slot) {
        used[slot] = 1;
        solve_island(system, options, order[index], scale, q_norm, *slots[slot]);
      };
      call_threads.run_tasks(order.size(), threads, std::ref(task));
    } catch (...) {
      slots.clear();
      found.clear();
      throw;
    }

    write(system, results);
    for (std::size_t i = 0; i < report.contacts; ++i) report.by_state.add(state[i], i);

    double error = 0, distance = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const SystemIsland& island = found[i];
      report.max_island_size = std::max(report.max_island_size, island.contacts);
      report.unsolved += island.solved ? 0 : 1;
      report.pgs_iterations += island.pgs_iterations;
      report.interior_point_iterations += island.interior_point_iterations;
      report.newton_iterations += island.newton_iterations;
      error += squares[i].error;
      distance += squares[i].range_distance;
    }
    report.error = std::sqrt(error);
    report.range_distance = std::sqrt(distance);
    report.threads = static_cast<int>(std::max<std::ptrdiff_t>(1, std::count(used.begin(), used.end(), 1)));
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    call_threads.end();
    return report;
  }

  systems::CheckSpace check_space;
  Islands islands;
  Array<std::size_t> order;
  Array<SystemIsland> found;
  struct Squares {
    double error = 0, range_distance = 0;
  };
  Array<Squares> squares;  // of islands, relative to the q of the whole system
  // Results of the rows in the caller's units, within the range of T.
  Numbers impulse, velocity;
  Array<ContactState> state;
  Array<Owned<Slot>> slots;
  Array<char> used;
};

CAROM_SOLVER_MEMBERS(SystemSolver)
std::span<const SystemIsland> SystemSolver::islands() const {
  return state().found;
}

template <class T>
SystemReport SystemSolver::solve(const ContactSystem<T>& system, const SystemResults<T>& results,
                                 const SystemOptions& options) {
  return public_call("SystemSolver::solve", [&] { return state().run(system, results, options); });
}
template <class T>
Expected<SystemReport> SystemSolver::try_solve(const ContactSystem<T>& system, const SystemResults<T>& results,
                                               const SystemOptions& options) noexcept {
  return without_exceptions([&] { return solve(system, results, options); });
}
#define CAROM_INSTANTIATE(T)                                                                                         \
  template SystemReport SystemSolver::solve(const ContactSystem<T>&, const SystemResults<T>&, const SystemOptions&); \
  template Expected<SystemReport> SystemSolver::try_solve(const ContactSystem<T>&, const SystemResults<T>&,          \
                                                          const SystemOptions&) noexcept;
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom
