// Substeps: islands are tried at rest, then solved directly, then swept in substeps.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "energy_audit.hpp"
#include "island_sweeps.hpp"
#include "method.hpp"
#include "scene_parameters.hpp"
#include "substep_counts.hpp"

namespace carom::scene {
namespace {

/// Number of substeps that start from velocities extrapolated from the impulses of one substep.
constexpr int substeps_from_impulses = 32;
/// Bodies, contacts or rows per task of a comparison with the last call.
constexpr std::size_t compared_at_once = 4096;
/// Bodies per task.
constexpr std::size_t bodies_at_once = 64;

template <class T>
class SubstepSweeps : IslandSweeps<T> {
  using Base = IslandSweeps<T>;
  using typename Base::Head;

 public:
  explicit SubstepSweeps(const Call<T>& call) : Base(call), warm_(call.initial.any) {}

  SweepOutcome run() {
    this->begin();
    if (!graph_.parts.empty() && !sweep_parts()) return {.found_faults = true};
    take_direct_islands();
    mark_rows_beyond_range();
    SweepOutcome sum = this->sum_up_blocks();
    for (const direct::Accepted& of : workspace_.direct.accepted) islands_.worst[of.island(graph_)] = of.residual;
    this->judge([&](std::uint32_t i) { return options_.tolerance * islands_.approach[i]; }, true, sum);
    return sum;
  }

 private:
  using Base::dummy_body;
  using Base::each_block;
  using Base::each_colour_set;
  using Base::graph_;
  using Base::islands_;
  using Base::job_;
  using Base::kernels_;
  using Base::options_;
  using Base::workspace_;
  using Job = kernel::SceneJob<T>;
  using Row = kernel::VelocityRow<T>;

  /// Returns false if a contact or a row turns out to be faulty.
  bool sweep_parts() {
    const std::size_t faults = count_faults(job_);
    const Column<const T>& restitution = job_.scene->contacts.restitution;
    const std::size_t different =
        restitution.stride == 0 ? std::min<std::size_t>(restitution.count, 1) : restitution.count;
    for (std::size_t i = 0; i < different && !rebounds_; ++i) rebounds_ = restitution[i] > T(0);
    prepare_energy();
    follow_moving_bodies();
    this->each_part([&](const Part& part, const auto& each) { solve(part, each); });
    return count_faults(job_) == faults;
  }

  template <class Each>
  void solve(const Part& part, const Each& each) {
    const Substeps& how = options_.substeps;
    const int n = workspace_.substeps[part.first_island];
    Job job = job_;
    set_substeps(job.parameters, options_, n);
    this->prepare_all(job, part, each);
    this->gather_worst(part);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      islands_.approach[i] = islands_.worst[i];
      islands_.iterations[i] = n * (how.iterations + how.position_correction.relax_iterations);
    }
    const auto sweep = [&](auto kernel, int times) {
      const auto repeat = [&](int more) {
        this->sweep_colour_sets(part, each, more,
                                [&](std::byte* const* blocks, std::size_t count, std::size_t slot, int) {
                                  kernel(job, blocks, count, dummy_body(slot));
                                });
      };
      if (times > 0) repeat(1);
      job.begins_substep = job.has_moved = false;
      if (times > 1) repeat(times - 1);
    };
    const T share = T(1) / static_cast<T>(n), h = job.parameters.substep;
    EnergyAudit<T> audit(forced_, workspace_, part, n);
    const auto find_work = [&] { this->find_work(part, each, job, audit); };
    const bool turns =
        std::any_of(graph_.lane_batches.begin() + part.first_lane_batch,
                    graph_.lane_batches.begin() + part.end_lane_batch, [](const LaneBatch& of) { return of.is_joint; });
    if (turns) job.inertia = workspace_.turned.data();
    for (int k = 0; k < n; ++k) {
      // Every substep applies the impulses of the previous one again. Together with the forces they have the same
      // effect again: v + h a + M⁻¹ Jᵀ p is 2 v minus the velocity at the start of the previous substep. For a free
      // body the rounding errors of this formula grow with the power 3/2 of the number of substeps, so after some
      // substeps the forces and impulses themselves are applied.
      const bool is_exact = k % substeps_from_impulses == 0;
      each_body(part, each, [&](std::uint32_t i) {
        k == 0 ? begin_step(i, share) : is_exact ? begin_with_forces(i, share) : begin_substep(i);
      });
      if (k == 0) audit.begin(each, turns);
      if (k == 0 ? warm_ : is_exact)
        each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t count, std::size_t slot) {
          for (std::size_t i = 0; i < count; ++i) kernels_.sweeps->warm_start(job, blocks[i], dummy_body(slot));
        });
      job.elapsed = static_cast<T>(k) * h;
      job.begins_substep = k > 0;
      job.has_moved = false;
      sweep(kernels_.sweeps->correction_rate, how.iterations);
      each_body(part, each, [&](std::uint32_t i) {
        move(i, h);
        if (turns && workspace_.island_energy[graph_.island_of_body[i]].has_joints) audit.turn(i);
      });
      job.elapsed = static_cast<T>(k + 1) * h;
      job.has_moved = true;
      sweep(kernels_.sweeps->relax, how.position_correction.relax_iterations);
      audit.check(each, has_work_, find_work);
    }
    job.elapsed = job.parameters.time_step;
    if (job_.row_warm != nullptr || job_.results->warm_impulse.x)
      each_block(part, each, [&](std::byte* block) {
        mark_hit(this->head(block));
        kernels_.store_warm(job, block);
      });
    if (rebounds_) rebound(part, each, job, audit, find_work);
    each_block(part, each, [&](std::byte* block) { kernels_.finish(job, block); });
  }

  /// Islands that are solved directly are in no part.
  void take_direct_islands() {
    for (const direct::Accepted& of : workspace_.direct.accepted) {
      const std::uint32_t island = of.island(graph_);
      islands_.put(island, {of.approach, of.solves, of.has_converged()});
      islands_.result[island].algorithm = of.algorithm;
      workspace_.substeps[island] = of.substeps;
    }
  }

  /// Kernels check the last substep only. Impulses are summed over the substeps, and the next step starts from a
  /// multiple of the last substep's impulses.
  void mark_rows_beyond_range() {
    for (std::size_t g = 0; g < graph_.groups.size(); ++g)
      for (std::uint32_t r = 0; r < graph_.groups[g].count; ++r) {
        const std::uint32_t i = kernel::number_at(job_.row_at, graph_.groups[g].first + r);
        if (!std::isfinite(job_.row_impulse[i]) || !std::isfinite(job_.row_warm[i]))
          islands_.overflow[graph_.island_of_group[g]] = 1;
      }
  }

  /// Marks the lanes whose islands were hit: their approach speed at the start of the step exceeds
  /// SceneThresholds::impact × gravity × time step.
  void mark_hit(Head& of) const {
    const double impact = SceneThresholds::impact * options_.rest_gravity * options_.time_step;
    of.hit = 0;
    for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
      if (islands_.approach[this->island(of, lane)] > impact) of.hit |= 1u << lane;
  }

  /// Islands with a contact that rebounds are swept again.
  template <class Each, class FindWork>
  void rebound(const Part& part, const Each& each, const Job& job, EnergyAudit<T>& audit, const FindWork& find_work) {
    each_block(part, each, [&](std::byte* block) { kernels_.sweeps->rebound(job, block); });
    this->gather_worst(part);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      if (!(islands_.worst[i] > 0)) islands_.sweeping[i] = Sweeping::done;
    const bool any = this->retire(part, true);
    if (any)
      audit.begin_rebound(each, [&] {
        if (has_work_) find_work();
      });
    if (any)
      this->sweep_colour_sets(part, each, options_.substeps.restitution_iterations,
                              [&](std::byte* const* blocks, std::size_t count, std::size_t slot, int) {
                                kernels_.sweeps->pgs(job, blocks, count, dummy_body(slot));
                              });
    if (any) {
      if (has_work_) find_work();
      audit.check_rebound(each, has_work_);
    }
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      if (islands_.sweeping[i] == Sweeping::goes_on) islands_.iterations[i] += options_.substeps.restitution_iterations;
      islands_.sweeping[i] = Sweeping::goes_on;  // decided by the residual later
    }
  }

  /// Finds the work of the impulses of the last substep, by island.
  template <class Each>
  void find_work(const Part& part, const Each& each, const Job& job, EnergyAudit<T>& audit) {
    each_block(part, each, [&](std::byte* block) { kernels_.work(job, block); });
    audit.forget_work();
    for (std::uint32_t v = part.first_lane_batch; v < part.end_lane_batch; ++v) {
      const Head& of = this->head(workspace_.block_of_lane_batch[v]);
      for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
        audit.add(this->island(of, lane), static_cast<double>(of.work[lane]), (of.loaded >> lane & 1u) != 0,
                  (of.grounded >> lane & 1u) != 0);
    }
  }

  /// Determines which islands may gain energy, from which causes, and the frames in which it is measured.
  void prepare_energy() {
    workspace_.island_energy.assign(graph_.islands, {});
    workspace_.has_joint.assign(graph_.groups.empty() ? 0 : job_.bodies, 0);
    for (std::size_t g = 0; g < graph_.groups.size(); ++g) {
      workspace_.island_energy[graph_.island_of_group[g]].has_joints = true;
      for (const std::int32_t body : {graph_.groups[g].body_a, graph_.groups[g].body_b})
        if (body >= 0) workspace_.has_joint[static_cast<std::size_t>(body)] = 1;
    }
    const SceneContacts<T>& contacts = job_.scene->contacts;
    const JointRows<T>& joints = job_.scene->joints;
    const bool has_soft_rows = joints.frequency.data != nullptr ||
                               (job_.rows > 0 && std::isfinite(options_.substeps.position_correction.joint_frequency));
    has_work_ = contacts.stiffness.data != nullptr || (!job_.relaxes && contacts.frequency.data != nullptr) ||
                (!job_.relaxes && has_soft_rows) || is_any(contacts.target_velocity) ||
                is_any(contacts.surface_velocity.x) || is_any(contacts.surface_velocity.y) ||
                is_any(contacts.surface_velocity.z) || is_any(joints.target_velocity);
    bool any_moves = false;
    for (std::size_t i = 0; i < job_.bodies && !any_moves; ++i) any_moves = is_driven(i);
    has_work_ = has_work_ || any_moves;
    if (any_moves) find_frames();
    if (rebounds_) find_restitution();
  }
  /// An immovable body with a velocity, such as a lift, has the velocity of the end of the step in all substeps, so
  /// that it moves by H v. Bodies on it get the change of that velocity at once, too, and the rest of their own change
  /// in equal parts: relative to it they move as on a body at rest. An island with several such bodies follows them if
  /// their changes are the same.
  void follow_moving_bodies() {
    forced_ = job_;
    if (job_.changes == nullptr) return;
    const auto moves = [&](std::int32_t body) {
      return body >= 0 && kernel::record_of(job_.body_rows, body)[0] > T(0);
    };
    const auto change_of = [&](std::int32_t body) {
      std::array<T, 3> change{};
      for (std::size_t c = 0; c < 3 && body >= 0; ++c) change[c] = job_.changes[body].numbers[c];
      return change;
    };
    bool any = false;
    for (std::size_t i = 0; i < job_.bodies && !any; ++i) {
      const auto body = static_cast<std::int32_t>(i);
      any = !moves(body) && change_of(body) != std::array<T, 3>{};
    }
    if (!any) return;
    Array<std::uint8_t>& known = workspace_.cold;  // as in find_frames
    known.assign(graph_.islands, 0);
    each_constraint([&](const Constraint& of, std::uint32_t island) {
      for (const std::int32_t body : {of.body_a, of.body_b}) {
        if (moves(body)) continue;
        const std::array<T, 3> change = change_of(body);
        std::array<T, 3>& followed = workspace_.followed.data()[island];
        if (known[island] == 0) followed = change;
        known[island] = known[island] == 0 || (known[island] == 1 && followed == change) ? 1 : 2;
      }
    });
    forced_.changes = workspace_.forces.data();
    std::copy_n(job_.changes, job_.bodies + 1, forced_.changes);
    for (std::size_t i = 0; i < job_.bodies; ++i) {
      const std::uint32_t island = graph_.island_of_body[i];
      if (island == Graph::no_island || known[island] != 1 || !moves(static_cast<std::int32_t>(i))) continue;
      for (std::size_t c = 0; c < 3; ++c) forced_.changes[i].numbers[c] -= workspace_.followed.data()[island][c];
    }
  }
  /// True if the column has a number other than 0.
  static bool is_any(const Column<const T>& column) {
    const std::size_t different = column.stride == 0 ? std::min<std::size_t>(column.count, 1) : column.count;
    for (std::size_t i = 0; i < different; ++i)
      if (column[i] != T(0)) return true;
    return false;
  }
  /// True if a part of the body's velocity is not zero and impulses do not change it.
  bool is_driven(std::size_t i) const {
    const T* const record = kernel::record_of(job_.body_rows, static_cast<std::ptrdiff_t>(i));
    const T* const v = job_.velocities[i].numbers;
    if (!(record[0] > T(0)) && (v[0] != T(0) || v[1] != T(0) || v[2] != T(0))) return true;
    return !(record[1] + record[4] + record[6] > T(0)) && (v[3] != T(0) || v[4] != T(0) || v[5] != T(0));
  }
  template <class F>
  void each_constraint(const F& f) const {
    for (std::size_t m = 0; m < graph_.manifolds.size(); ++m) f(graph_.manifolds[m], graph_.island_of_manifold[m]);
    for (std::size_t g = 0; g < graph_.groups.size(); ++g) f(graph_.groups[g], graph_.island_of_group[g]);
  }
  /// An island is measured in the frame of its immovable bodies if they have one velocity: heaps on a lift or a train
  /// are treated as heaps on the ground.
  void find_frames() {
    Array<std::uint8_t>& known = workspace_.cold;  // 0: no body yet; 1: has a frame; 2: different bodies
    known.assign(graph_.islands, 0);
    each_constraint([&](const Constraint& of, std::uint32_t island) {
      for (const std::int32_t body : {of.body_a, of.body_b}) {
        if (body >= 0 && kernel::is_movable(kernel::record_of(job_.body_rows, body))) continue;
        std::array<double, 3> v{};
        for (std::size_t c = 0; c < 3 && body >= 0; ++c) v[c] = static_cast<double>(job_.velocities[body].numbers[c]);
        std::array<double, 3>& frame = workspace_.island_energy[island].frame;
        if (known[island] == 0) frame = v;
        known[island] = known[island] == 0 || (known[island] == 1 && frame == v) ? 1 : 2;
      }
    });
    for (std::size_t i = 0; i < graph_.islands; ++i) {
      IslandEnergy& of = workspace_.island_energy[i];
      if (known[i] != 1) of.frame = {};
      of.has_frame = of.frame != std::array<double, 3>{};
    }
  }
  void find_restitution() {
    const Column<const T>& restitution = job_.scene->contacts.restitution;
    for (std::size_t m = 0; m < graph_.manifolds.size(); ++m) {
      double& most = workspace_.island_energy[graph_.island_of_manifold[m]].restitution;
      for (std::uint32_t k = 0; k < graph_.manifolds[m].count; ++k)
        most = std::max(
            most, static_cast<double>(restitution[kernel::number_at(job_.contact_at, graph_.manifolds[m].first + k)]));
    }
  }

  template <class Each, class F>
  void each_body(const Part& part, const Each& each, const F& f) {
    const std::size_t count = part.end_body - part.first_body;
    each((count + bodies_at_once - 1) / bodies_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      const std::size_t last = std::min(count, end * bodies_at_once);
      for (std::size_t i = first * bodies_at_once; i < last; ++i) f(graph_.bodies[part.first_body + i]);
    });
  }
  void begin_step(std::uint32_t i, T share) {
    T* const v = job_.velocities[i].numbers;
    T* const began = workspace_.began.data()[i].numbers;
    const T* const change = forced_.changes != nullptr ? forced_.changes[i].numbers : nullptr;
    for (std::size_t c = 0; c < 8; ++c) {
      const T by_forces = change != nullptr ? change[c] : T(0);
      began[c] = v[c] - by_forces;
      v[c] = began[c] + share * by_forces;
      job_.displacements[i].numbers[c] = 0;
    }
  }
  void begin_with_forces(std::uint32_t i, T share) {
    T* const v = job_.velocities[i].numbers;
    const T* const change = forced_.changes != nullptr ? forced_.changes[i].numbers : nullptr;
    for (std::size_t c = 0; c < 8; ++c) {
      workspace_.began.data()[i].numbers[c] = v[c];
      if (change != nullptr) v[c] += share * change[c];
    }
  }
  void begin_substep(std::uint32_t i) {
    T* const v = job_.velocities[i].numbers;
    T* const began = workspace_.began.data()[i].numbers;
    for (std::size_t c = 0; c < 8; ++c) {
      const T now = v[c];
      v[c] = (now - began[c]) + now;
      began[c] = now;
    }
  }
  void move(std::uint32_t i, T h) {
    T* const moved = job_.displacements[i].numbers;
    // Read before they are written, as a load of two numbers would wait for the stores of each.
    T by[6], from[6];
    for (std::size_t c = 0; c < 6; ++c) {
      by[c] = h * job_.velocities[i].numbers[c];
      from[c] = moved[c];
    }
    for (std::size_t c = 0; c < 3; ++c) moved[c] = from[c] + by[c];
    const T *const angle = from + 3, *const turn = by + 3;
    constexpr T small = T(small_order);
    const T order[3] = {turn[1] * angle[2] - turn[2] * angle[1], turn[2] * angle[0] - turn[0] * angle[2],
                        turn[0] * angle[1] - turn[1] * angle[0]};
    // Overflow may make NaN.
    if (!(order[0] * order[0] + order[1] * order[1] + order[2] * order[2] <= small * small)) [[unlikely]]
      return turn_far(moved + 3, {turn[0], turn[1], turn[2]});
    for (std::size_t c = 0; c < 3; ++c) moved[3 + c] = angle[c] + (turn[c] + T(0.5) * order[c]);
  }
  static void turn_far(T* angle, const std::array<T, 3>& by) {
    const Rotation turned = combined(vector_of<double>(angle), vector_of<double>(by));
    for (std::size_t c = 0; c < 3; ++c) angle[c] = static_cast<T>(turned[c]);
  }

  Job forced_{};  // its changes are the part that forces add in equal parts: see follow_moving_bodies
  bool warm_, rebounds_ = false;
  bool has_work_ = false;  // impulses may add energy
};

template <class T>
class SubstepsMethod final : public Method<T> {
 public:
  void reserve(const CallData<T>& call) const override {
    kernel::SceneJob<T>& job = call.job;
    Workspace<T>& space = call.workspace;
    job.target = kernel::Target::substeps;
    const std::size_t bodies = job.bodies + 1;
    job.displacements = space.displacements.at_least(bodies);
    job.began = space.began.at_least(bodies);
    job.relaxes = call.options.substeps.position_correction.relax_iterations > 0;
    space.forces.at_least(bodies);
    space.followed.at_least(bodies);
    space.inertia.at_least(bodies);
    space.turned.at_least(bodies);
    space.energy_sums.at_least(2 * bodies);
    space.shares.at_least(bodies);
    space.loads.at_least(loads_of_a_body * bodies);
    space.manifold_loads.at_least(loads_of_a_body * (job.contacts + 1));
    space.square_sizes.at_least(bodies);
    this->reserve_blocks(call);
  }

  /// True if the scene has the structure of the last one, whose islands were at rest, and all of them rest again.
  bool keeps_graph(const Call<T>& call) const override {
    LastRest& last = call.workspace.last_rest;
    last.rests_again = may_rest_again(call) && rests_again(call);
    return last.rests_again;
  }

  void prepare(const Call<T>& call) const override {
    kernel::SceneJob<T>& job = call.job;
    Workspace<T>& space = call.workspace;
    Graph& graph = space.graph;
    // An abandoned pass may have left displacements.
    std::fill_n(job.displacements, job.bodies + 1, kernel::VelocityRow<T>{});
    const Slops<T> slops = slops_of(call);
    direct::DirectIslands<T> islands = direct_islands(call, slops);
    islands.settle();
    count_substeps(call, slops);
    islands.solve(space.substeps_wanted, call.is_first_try);
    graph.sort_islands(space.substeps, space.substeps_wanted);
    this->build_graph(call);
    graph.list_bodies(call.parts);
  }

  SweepOutcome solve(const Call<T>& call) const override {
    Workspace<T>& space = call.workspace;
    call.report.pgs_islands = space.graph.islands - space.direct.accepted.size();
    if (!space.last_rest.rests_again) return SubstepSweeps<T>(call).run();
    if (call.job.rows == 0) return outcome_at_rest(space);
    space.islands.begin_call(space.graph.islands);
    return SubstepSweeps<T>(call).run();
  }

  /// Keeps the structure of a scene whose islands have all settled.
  void finish(const Call<T>& call) const override {
    const kernel::SceneJob<T>& job = call.job;
    const Graph& graph = call.workspace.graph;
    LastRest& last = call.workspace.last_rest;
    const std::size_t sound = call.report.count(Status::ok) + call.report.count(Status::separating);
    last.is_there = depends_on_structure(call) && graph.islands > 0 &&
                    call.workspace.direct.settled.size() == graph.islands && sound == job.contacts &&
                    call.report.count_joints(Status::ok) == job.rows && graph.of_contacts.at() == nullptr;
    if (last.rests_again || !last.is_there) return;
    const Parts& parts = call.parts;
    last.movable.assign(parts.movable, parts.movable + job.bodies);
    last.body_a.assign(parts.body_a, parts.body_a + job.contacts);
    last.body_b.assign(parts.body_b, parts.body_b + job.contacts);
    last.link.assign(parts.links.to_previous, parts.links.to_previous + job.contacts);
    last.row_body_a.assign(parts.row_body_a, parts.row_body_a + job.rows);
    last.row_body_b.assign(parts.row_body_b, parts.row_body_b + job.rows);
  }

 private:
  static Slops<T> slops_of(const Call<T>& call) {
    return {call.job, call.options, call.workspace.square_sizes.at_least(call.job.bodies + 1), call.team};
  }
  static direct::DirectIslands<T> direct_islands(const Call<T>& call, const Slops<T>& slops) {
    const CachedRow<T>* const rows = call.initial.rows_have_history ? call.workspace.warm_start_cache.rows() : nullptr;
    return {call, call.team, slops, rows, call.workspace.substeps, call.workspace.direct};
  }

  /// True if the graph of a scene depends on bodies, links and statuses alone, and contacts begin with the impulses of
  /// their keys.
  static bool depends_on_structure(const Call<T>& call) {
    return !call.job.has_models && !call.job.scene->contacts.frequency && !call.workspace.static_friction.is_there() &&
           (call.job.contacts == 0 ||
            (call.initial.contacts_have_history && call.workspace.warm_start_cache.all_have_keys()));
  }

  static bool may_rest_again(const Call<T>& call) {
    const kernel::SceneJob<T>& job = call.job;
    const LastRest& last = call.workspace.last_rest;
    return last.was_there && call.same_options && call.is_first_try && depends_on_structure(call) &&
           (job.contacts == 0 || call.workspace.warm_start_cache.is_unchanged()) && last.movable.size() == job.bodies &&
           last.body_a.size() == job.contacts && last.row_body_a.size() == job.rows;
  }

  static bool has_last_structure(const Call<T>& call) {
    const kernel::SceneJob<T>& job = call.job;
    const LastRest& last = call.workspace.last_rest;
    const Parts& parts = call.parts;
    std::atomic<bool> is_same{true};
    const auto compare = [&](std::size_t count, const auto& are_same) {
      call.team.each(count, compared_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
        const auto same = [&](const auto& x, const auto* y) {
          return std::equal(x.data() + first, x.data() + end, y + first);
        };
        const auto all_ok = [&](const std::uint8_t* status) {
          return std::all_of(status + first, status + end,
                             [](std::uint8_t of) { return of == static_cast<std::uint8_t>(Status::ok); });
        };
        if (!are_same(same, all_ok)) is_same.store(false, std::memory_order_relaxed);
      });
    };
    compare(job.bodies, [&](const auto& same, const auto&) { return same(last.movable, parts.movable); });
    compare(job.contacts, [&](const auto& same, const auto& all_ok) {
      return all_ok(job.status) && same(last.body_a, parts.body_a) && same(last.body_b, parts.body_b) &&
             same(last.link, parts.links.to_previous);
    });
    compare(job.rows, [&](const auto& same, const auto& all_ok) {
      return all_ok(job.row_status) && same(last.row_body_a, parts.row_body_a) &&
             same(last.row_body_b, parts.row_body_b);
    });
    return is_same;
  }

  static bool rests_again(const Call<T>& call) {
    if (!has_last_structure(call)) return false;
    Workspace<T>& space = call.workspace;
    set_graph(call.job, space.graph);
    const Slops<T> slops = slops_of(call);
    if (!direct_islands(call, slops).settle_again()) return false;
    space.graph.is_of_last_call = true;
    return true;
  }

  /// The outcome of islands without rows that rest again. The workspace has their other results from the last call.
  static SweepOutcome outcome_at_rest(Workspace<T>& space) {
    SweepOutcome sum;
    for (const direct::Accepted& of : space.direct.accepted) {
      const std::uint32_t island = of.island(space.graph);
      space.substeps[island] = of.substeps;
      space.islands.result[island].residual = std::max(of.residual, 0.0);
      space.islands.result[island].approach = 0;
      space.islands.note_error(island, of.approach);
      sum.approach = std::max(sum.approach, of.approach);
    }
    return sum;
  }
};

}  // namespace

template <class T>
const Method<T>& substeps_method() {
  static const SubstepsMethod<T> method;
  return method;
}
template const Method<float>& substeps_method();
template const Method<double>& substeps_method();

}  // namespace carom::scene
