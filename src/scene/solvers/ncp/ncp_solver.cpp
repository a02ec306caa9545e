#include "ncp_solver.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace carom::scene::ncp {
namespace {

/// |q| over contacts and bounded rows. Moments have no natural unit and count only if all other components are 0.
double norm_of(const Constraints& constraints, const systems::Numbers& q) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < constraints.cone.size(); ++i) {
    const Cone& cone = constraints.cone[i];
    for (std::size_t d = 0; d < 3; ++d) {
      const double square = q[3 * i + d] * q[3 * i + d];
      all += square;
      if (cone.kind == Cone::contact || (cone.kind != Cone::moment && d == cone.row_direction())) sum += square;
    }
  }
  return std::sqrt(sum > 0 ? sum : all);
}

/// Solves the island in the slot and stores its impulses in Slot::impulse. Velocities and W are scaled to magnitudes
/// near 1, so that the units of the scene do not matter.
systems::WorkBudget solve_system(Slot& slot, double tolerance, double budget) {
  systems::IslandSystem& system = slot.solver.system;
  const double mass = systems::mass_of(system);
  double largest = 0;
  for (const double x : system.q) largest = std::max(largest, std::abs(x));
  const double scale = largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000)) : 1;
  slot.solver.bodies.scale(mass);
  for (double& x : system.q) x *= scale;
  systems::Numbers& r = slot.solver.best.r;
  r.clear();
  for (const Cone& cone : slot.constraints.cone)
    for (const double x : cone.warm) r.push_back(x * scale / mass);
  systems::WorkBudget work_budget;
  work_budget.target = tolerance * norm_of(slot.constraints, system.q);
  work_budget.budget = budget;
  slot.solver.solve(work_budget);
  slot.solver.bodies.scale(1 / mass);
  slot.impulse.resize(r.size());
  for (std::size_t i = 0; i < r.size(); ++i) slot.impulse[i] = r[i] * mass / scale;
  return work_budget;
}

template <class T>
double tolerance_of(const CallOptions& options) {
  return options.ncp.tolerance > 0 ? options.ncp.tolerance : std::is_same_v<T, float> ? 1e-4 : 1e-8;
}

}  // namespace

template <class T>
NcpSolver<T>::NcpSolver(const IslandCall<T>& call, ThreadTeam& team, Memory& memory)
    : options_(call.options.ncp),
      tolerance_(tolerance_of<T>(call.options)),
      job_(call.job),
      graph_(call.graph),
      islands_(call.islands),
      team_(team),
      memory_(memory) {}

template <class T>
void NcpSolver<T>::begin() {
  memory_.manifolds.fill(graph_.islands, graph_.island_of_manifold);
  memory_.groups.fill(graph_.islands, graph_.island_of_group);
  memory_.order.resize(graph_.islands);
  for (std::uint32_t i = 0; i < graph_.islands; ++i) memory_.order[i] = i;
  const auto size = [&](std::uint32_t i) {
    return memory_.manifolds.begin[i + 1] - memory_.manifolds.begin[i] + memory_.groups.begin[i + 1] -
           memory_.groups.begin[i];
  };
  std::sort(memory_.order.begin(), memory_.order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
  memory_.error.assign(graph_.islands, 0);
  while (memory_.slots.size() < team_.slots()) memory_.slots.push_back(make_owned<Slot>());
}

template <class T>
void NcpSolver<T>::choose() {
  const auto each_constraint = [&](std::uint32_t island, const auto& f) {
    const IslandItems items = items_of(island);
    for (const std::uint32_t* m = items.manifold; m != items.end_manifold; ++m) f(job_.manifolds[*m]);
    for (const std::uint32_t* g = items.group; g != items.end_group; ++g) f(job_.groups[*g]);
  };
  const std::size_t largest =
      options_.max_island_size > 0 ? static_cast<std::size_t>(options_.max_island_size) : SIZE_MAX;
  const auto is_left_out = [&](std::uint32_t island) {
    if (islands_.sweeping[island] != Sweeping::goes_on) return true;
    std::size_t points = 0;
    each_constraint(island, [&](const kernel::Constraint& of) { points += of.count; });
    return points > largest;
  };
  Array<std::uint32_t>& order = memory_.order;
  order.erase(std::remove_if(order.begin(), order.end(), is_left_out), order.end());
  memory_.by.assign(graph_.islands, SolvedBy::sweeps);
  for (const std::uint32_t island : order) {
    memory_.by[island] = SolvedBy::missed;
    if (!options_.pgs_presolve) continue;
    each_constraint(island, [&](const kernel::Constraint& of) {
      for (const std::int32_t body : {of.body_a, of.body_b})
        if (body >= 0 && kernel::is_movable(kernel::record_of(job_.body_rows, body)))
          job_.velocities[body] = job_.kept_velocities[body];
    });
  }
}

template <class T>
void NcpSolver<T>::solve() {
  team_.each_balanced(memory_.order.size(), 1, [&](std::size_t first, std::size_t end, std::size_t slot) {
    Slot& in = *memory_.slots[slot];
    try {
      for (std::size_t i = first; i < end && !in.error; ++i) solve(memory_.order[i], in);
    } catch (...) {
      in.error = std::current_exception();
    }
  });
  std::exception_ptr error;
  for (const auto& slot : memory_.slots)
    if (slot->error) error = slot->error;
  if (!error) return;
  // Slots whose memory failed during the work cannot be used again.
  memory_.slots.clear();
  std::rethrow_exception(error);
}

template <class T>
IslandItems NcpSolver<T>::items_of(std::uint32_t island) const {
  return {memory_.manifolds.of(island), memory_.manifolds.of(island + 1), memory_.groups.of(island),
          memory_.groups.of(island + 1), islands_.approach[island]};
}

template <class T>
void NcpSolver<T>::solve(std::uint32_t island, Slot& slot) {
  Constraints& constraints = slot.constraints;
  read(job_, items_of(island), options_.max_friction, constraints);
  slot.impulse.assign(3 * constraints.cone.size(), 0);
  bool solved = true;
  const bool is_sound = slot.system.assemble(constraints, slot.solver.system, slot.solver.bodies);
  if (!is_sound) {
    islands_.overflow[island] = 1;
    slot.lambda.assign(constraints.row.size(), 0);
  } else if (!constraints.cone.empty()) {
    const systems::WorkBudget work_budget = solve_system(slot, tolerance_, options_.budget);
    solved = slot.solver.best.error <= work_budget.target;
    islands_.iterations[island] +=
        work_budget.pgs_iterations + work_budget.interior_point_iterations + work_budget.newton_iterations;
    memory_.error[island] = slot.solver.best.error > 0 ? tolerance_ * (slot.solver.best.error / work_budget.target) : 0;
  }
  keep_bounds(constraints, slot.impulse);
  if (is_sound) slot.system.apply(constraints, slot.solver.bodies, slot.impulse, slot.lambda);
  islands_.sweeping[island] = solved ? Sweeping::done : Sweeping::goes_on;
  memory_.by[island] = solved ? SolvedBy::solved : SolvedBy::missed;
  store(constraints, slot);
}

template <class T>
template <class Number>
Number NcpSolver<T>::within_bounds(std::size_t row, Number impulse) const {
  const JointRows<T>& joints = job_.scene->joints;
  if (joints.min_impulse) impulse = std::max(impulse, static_cast<Number>(joints.min_impulse[row]));
  if (joints.max_impulse) impulse = std::min(impulse, static_cast<Number>(joints.max_impulse[row]));
  return impulse;
}

/// Rows are within their bounds to rounding before the bodies get their impulses. The solver leaves them there to
/// the tolerance.
template <class T>
void NcpSolver<T>::keep_bounds(const Constraints& constraints, systems::Numbers& impulse) const {
  for (std::size_t k = 0; k < constraints.cone.size(); ++k) {
    const Cone& cone = constraints.cone[k];
    if (cone.kind == Cone::contact || cone.kind == Cone::moment) continue;
    double& r = impulse[3 * k + cone.row_direction()];
    r = cone.sign * (within_bounds(cone.number, cone.shift + cone.sign * r) - cone.shift);
  }
}

template <class T>
void NcpSolver<T>::store(const Constraints& constraints, const Slot& slot) {
  const auto keep_row = [&](std::size_t i, double impulse) {
    job_.kept_rows[i] = within_bounds(i, static_cast<T>(impulse));
  };
  for (std::size_t k = 0; k < constraints.cone.size(); ++k) {
    const Cone& cone = constraints.cone[k];
    const double* const r = &slot.impulse[3 * k];
    if (cone.kind == Cone::contact || cone.kind == Cone::moment) {
      T* const* const to = cone.kind == Cone::contact ? job_.kept : job_.kept_moment;
      for (std::size_t d = 0; d < 3; ++d) to[d][cone.number] = static_cast<T>(cone.scale[d] * r[d]);
      // A moment follows its contact. A contact without one may hold the moment that its manifold begins with.
      if (cone.kind == Cone::contact && job_.kept_moment[0] != nullptr)
        for (std::size_t d = 0; d < 3; ++d) job_.kept_moment[d][cone.number] = T(0);
    } else {
      keep_row(cone.number, cone.shift + cone.sign * r[cone.row_direction()]);
    }
  }
  for (std::size_t k = 0; k < constraints.row.size(); ++k) keep_row(constraints.row[k].number, slot.lambda[k]);
  for (std::size_t b = 0; b < constraints.body.size(); ++b)
    for (std::size_t c = 0; c < 6; ++c)
      job_.velocities[constraints.body[b]].numbers[c] = job_.kept_velocities[constraints.body[b]].numbers[c] =
          static_cast<T>(constraints.velocity[b][c]);
}

template class NcpSolver<float>;
template class NcpSolver<double>;

}  // namespace carom::scene::ncp
