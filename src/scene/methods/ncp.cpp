#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/scene/contact_models.hpp"
#include "core/support/array.hpp"
#include "island_sweeps.hpp"
#include "method.hpp"
#include "scene/solvers/ncp/ncp_workspace.hpp"

namespace carom::scene {
namespace ncp {

void Lists::fill(std::size_t lists, const Array<std::uint32_t>& of) {
  begin.assign(lists + 1, 0);
  for (const std::uint32_t list : of) ++begin[list + 1];
  for (std::size_t i = 0; i < lists; ++i) begin[i + 1] += begin[i];
  next_.assign(begin.begin(), begin.end() - 1);
  number.resize(of.size());
  for (std::uint32_t i = 0; i < of.size(); ++i) number[next_[of[i]]++] = i;
}

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
systems::WorkBudget solve(Slot& slot, double tolerance, double budget) {
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

}  // namespace
}  // namespace ncp

namespace {

using ncp::Cone;
using ncp::Slot;

template <class T>
class Coulomb : IslandSweeps<T> {
  using Base = IslandSweeps<T>;
  using typename Base::Head;

 public:
  explicit Coulomb(const Call<T>& call)
      : Base(call), space_(call.workspace.ncp), tolerance_(tolerance_of(call.options)), warm_(call.initial.any) {}

  SweepOutcome run() {
    SceneReport& report = call_.report;
    this->begin();
    // An earlier try, which has found faults, may have left some at contacts that no manifold begins with any more.
    if (job_.carried_moment[0] != nullptr)
      for (std::size_t d = 0; d < 3; ++d) std::fill_n(job_.carried_moment[d], job_.contacts, T(0));
    const std::size_t faults = count_faults(job_);
    this->each_part([&](const Part& part, const auto& each) { prepare_and_carry(part, each); });
    if (count_faults(job_) != faults) return {.found_faults = true};
    list_islands();
    std::copy_n(job_.velocities, job_.bodies, job_.kept_velocities);
    if (options_.ncp.pgs_presolve) sweep_all();
    choose_islands();
    solve_islands();
    this->each_part([&](const Part& part, const auto& each) { take_back(part, each); });
    report.pgs_islands =
        static_cast<std::size_t>(std::count(space_.method.begin(), space_.method.end(), Method::sweeps));
    if (!options_.ncp.pgs_presolve && report.pgs_islands > 0) sweep_others();
    call_.team.each(workspace_.block_of_lane_batch.size(), grain, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = first; v < end; ++v) kernels_.finish(job_, workspace_.block_of_lane_batch[v]);
    });
    report.relative_error = 0;
    for (const double error : space_.error) report.relative_error = std::max(report.relative_error, error);
    SweepOutcome outcome = this->sum_up_blocks();
    // No threshold of those solved to the tolerance: whether they have converged has been found by the error.
    this->judge([&](std::uint32_t i) { return is_solved(i) ? -1.0 : threshold(i); }, true, outcome);
    for (std::uint32_t i = 0; i < graph_.islands; ++i)
      if (is_solved(i)) {
        if (workspace_.overflow[i] == 0) workspace_.island_error[i] = space_.error[i];
        workspace_.island_algorithm[i] = IslandAlgorithm::system;
      }
    return outcome;
  }

 private:
  using Base::call_;
  using Base::gather_worst;
  using Base::graph_;
  using Base::head;
  using Base::job_;
  using Base::kernels_;
  using Base::options_;
  using Base::workspace_;
  using Method = ncp::Method;

  static double tolerance_of(const CallOptions& options) {
    return options.ncp.tolerance > 0 ? options.ncp.tolerance : std::is_same_v<T, float> ? 1e-4 : 1e-8;
  }
  bool is_solved(std::uint32_t i) const { return space_.method[i] != Method::sweeps; }
  double threshold(std::uint32_t i) const { return options_.tolerance * workspace_.approach[i]; }

  template <class Each>
  void prepare_and_carry(const Part& part, const Each& each) {
    this->prepare_all(job_, part, each);
    gather_worst(part);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      workspace_.approach[i] = workspace_.worst[i];
    each(part.end_lane_batch - part.first_lane_batch, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = part.first_lane_batch + first; v < part.first_lane_batch + end; ++v)
        kernels_.carry(job_, workspace_.block_of_lane_batch[v]);
    });
  }

  /// Impulses and velocities into the blocks and the bodies of the islands that have been solved to the tolerance.
  template <class Each>
  void take_back(const Part& part, const Each& each) {
    each(part.end_lane_batch - part.first_lane_batch, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = part.first_lane_batch + first; v < part.first_lane_batch + end; ++v) {
        std::byte* const block = workspace_.block_of_lane_batch[v];
        const Head& of = head(block);
        std::uint32_t lanes = 0;
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if (const Method by = space_.method[this->island(of, lane)]; by == Method::solved || by == Method::missed)
            lanes |= 1u << lane;
        if (lanes != 0) kernels_.return_to_kept(job_, block, lanes);
      }
    });
  }

  /// PGS iterations over the remaining islands of a part, as in Procedure::pgs, until they have converged. `any_done`:
  /// some islands of the part are done before the start.
  template <class Each>
  void sweep(const Part& part, bool any_done, const Each& each) {
    const SweepLoop<T> loop{kernels_.sweeps->pgs, options_.pgs.iterations, warm_, true};
    this->converge(
        part, any_done, each, loop, [&](std::uint32_t i) { return threshold(i); }, PlainChecks{});
  }

  /// An island that has not converged begins with the sweeps' impulses, and with the velocities of the bodies before
  /// them.
  void sweep_all() {
    this->each_part([&](const Part& part, const auto& each) {
      sweep(part, false, each);
      each(part.end_lane_batch - part.first_lane_batch, [&](std::size_t first, std::size_t end, std::size_t) {
        for (std::size_t v = part.first_lane_batch + first; v < part.first_lane_batch + end; ++v)
          kernels_.carry(job_, workspace_.block_of_lane_batch[v]);
      });
    });
  }

  void sweep_others() {
    Array<Sweeping>& sweeping = workspace_.sweeping;
    for (std::uint32_t i = 0; i < graph_.islands; ++i) sweeping[i] = is_solved(i) ? Sweeping::done : Sweeping::goes_on;
    this->each_part([&](const Part& part, const auto& each) { sweep(part, true, each); });
    for (std::uint32_t i = 0; i < graph_.islands; ++i)
      if (space_.method[i] == Method::missed) sweeping[i] = Sweeping::goes_on;
  }

  void restore_velocities(const ncp::IslandItems& items) {
    const auto restore = [&](std::int32_t body) {
      if (body >= 0 && kernel::is_movable(kernel::record_of(job_.body_rows, body)))
        job_.velocities[body] = job_.kept_velocities[body];
    };
    const auto both = [&](const kernel::Constraint& of) { restore(of.body_a), restore(of.body_b); };
    for (const std::uint32_t* m = items.manifold; m != items.end_manifold; ++m) both(job_.manifolds[*m]);
    for (const std::uint32_t* g = items.group; g != items.end_group; ++g) both(job_.groups[*g]);
  }

  /// The islands that sweeps have not seen to, and that are not too large, as the options have them.
  void choose_islands() {
    space_.method.assign(graph_.islands, Method::sweeps);
    const std::size_t largest =
        options_.ncp.max_island_size > 0 ? static_cast<std::size_t>(options_.ncp.max_island_size) : SIZE_MAX;
    const auto is_left_out = [&](std::uint32_t i) {
      return workspace_.sweeping[i] != Sweeping::goes_on || points_of(i) > largest;
    };
    leave_out(is_left_out);
    for (const std::uint32_t i : space_.order) {
      space_.method[i] = Method::missed;
      if (options_.ncp.pgs_presolve) restore_velocities(items_of(i));
    }
  }

  template <class Is>
  void leave_out(const Is& is) {
    space_.order.erase(std::remove_if(space_.order.begin(), space_.order.end(), is), space_.order.end());
  }

  /// Contacts and rows.
  std::size_t points_of(std::uint32_t i) const {
    std::size_t points = 0;
    for (const std::uint32_t* m = space_.manifolds.of(i); m != space_.manifolds.of(i + 1); ++m)
      points += job_.manifolds[*m].count;
    for (const std::uint32_t* g = space_.groups.of(i); g != space_.groups.of(i + 1); ++g)
      points += job_.groups[*g].count;
    return points;
  }

  void list_islands() {
    space_.manifolds.fill(graph_.islands, graph_.island_of_manifold);
    space_.groups.fill(graph_.islands, graph_.island_of_group);
    space_.order.resize(graph_.islands);
    for (std::uint32_t i = 0; i < graph_.islands; ++i) space_.order[i] = i;
    const auto size = [&](std::uint32_t i) {
      return space_.manifolds.begin[i + 1] - space_.manifolds.begin[i] + space_.groups.begin[i + 1] -
             space_.groups.begin[i];
    };
    std::sort(space_.order.begin(), space_.order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return size(a) != size(b) ? size(a) > size(b) : a < b; });
    space_.error.assign(graph_.islands, 0);
    while (space_.slots.size() < call_.team.slots()) space_.slots.push_back(make_owned<Slot>());
  }

  void solve_islands() {
    call_.team.each_balanced(space_.order.size(), 1, [&](std::size_t first, std::size_t end, std::size_t slot) {
      Slot& in = *space_.slots[slot];
      try {
        for (std::size_t i = first; i < end && !in.error; ++i) solve(space_.order[i], in);
      } catch (...) {
        in.error = std::current_exception();
      }
    });
    std::exception_ptr error;
    for (const auto& slot : space_.slots)
      if (slot->error) error = slot->error;
    if (!error) return;
    // Slots whose memory failed during the work cannot be used again.
    space_.slots.clear();
    std::rethrow_exception(error);
  }

  ncp::IslandItems items_of(std::uint32_t island) const {
    return {space_.manifolds.of(island), space_.manifolds.of(island + 1), space_.groups.of(island),
            space_.groups.of(island + 1), workspace_.approach[island]};
  }

  void solve(std::uint32_t island, Slot& slot) {
    ncp::Constraints& constraints = slot.constraints;
    ncp::read(job_, items_of(island), options_.ncp.max_friction, constraints);
    slot.impulse.assign(3 * constraints.cone.size(), 0);
    bool solved = true;
    const bool is_sound = slot.system.assemble(constraints, slot.solver.system, slot.solver.bodies);
    if (!is_sound) {
      workspace_.overflow[island] = 1;
      slot.lambda.assign(constraints.row.size(), 0);
    } else if (!constraints.cone.empty()) {
      const systems::WorkBudget work_budget = ncp::solve(slot, tolerance_, options_.ncp.budget);
      solved = slot.solver.best.error <= work_budget.target;
      workspace_.sweeps_of_island[island] +=
          work_budget.pgs_iterations + work_budget.interior_point_iterations + work_budget.newton_iterations;
      space_.error[island] =
          slot.solver.best.error > 0 ? tolerance_ * (slot.solver.best.error / work_budget.target) : 0;
    }
    keep_bounds(constraints, slot.impulse);
    if (is_sound) slot.system.apply(constraints, slot.solver.bodies, slot.impulse, slot.lambda);
    workspace_.sweeping[island] = solved ? Sweeping::done : Sweeping::goes_on;
    space_.method[island] = solved ? Method::solved : Method::missed;
    store(constraints, slot);
  }

  template <class Number>
  Number within_bounds(std::size_t row, Number impulse) const {
    const JointRows<T>& joints = job_.scene->joints;
    if (joints.min_impulse) impulse = std::max(impulse, static_cast<Number>(joints.min_impulse[row]));
    if (joints.max_impulse) impulse = std::min(impulse, static_cast<Number>(joints.max_impulse[row]));
    return impulse;
  }

  /// Rows are within their bounds to rounding before the bodies get their impulses. The solver leaves them there to
  /// the tolerance.
  void keep_bounds(const ncp::Constraints& constraints, systems::Numbers& impulse) const {
    for (std::size_t k = 0; k < constraints.cone.size(); ++k) {
      const Cone& cone = constraints.cone[k];
      if (cone.kind == Cone::contact || cone.kind == Cone::moment) continue;
      double& r = impulse[3 * k + cone.row_direction()];
      r = cone.sign * (within_bounds(cone.number, cone.shift + cone.sign * r) - cone.shift);
    }
  }

  void store(const ncp::Constraints& constraints, const Slot& slot) {
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

  ncp::Workspace& space_;
  double tolerance_;
  bool warm_;  // contacts or rows may begin with impulses
};

/// Islands as contact systems, solved to an error. docs/contact-systems.md
template <class T>
class NcpMethod final : public Method<T> {
 public:
  void reserve(const CallData<T>& call) const override {
    kernel::SceneJob<T>& job = call.job;
    job.target = kernel::Target::all;
    reserve_snapshot(call);
    reserve_carried(call);
    if (has_contact_moments(job.scene->contacts)) {
      T* const memory = call.workspace.moments.at_least(6 * (job.contacts + 1));
      std::fill_n(memory, 6 * job.contacts, T(0));
      for (std::size_t i = 0; i < 3; ++i) {
        job.carried_moment[i] = memory + i * job.contacts;
        job.kept_moment[i] = memory + (3 + i) * job.contacts;
      }
    }
    this->reserve_blocks(call);
  }
  SweepOutcome solve(const Call<T>& call) const override { return Coulomb<T>(call).run(); }
};

}  // namespace

template <class T>
const Method<T>& ncp_method() {
  static const NcpMethod<T> method;
  return method;
}
template const Method<float>& ncp_method();
template const Method<double>& ncp_method();

}  // namespace carom::scene
