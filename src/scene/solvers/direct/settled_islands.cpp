// Islands at rest, for which the last impulses are the solution of the call: they need no further preparation.
// docs/scenes.md, Direct islands.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/jobs/body_record.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "direct_islands.hpp"
#include "scene/warm_start/warm_start_cache.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

/// [1] Speed of both bodies of the first manifold of an island, relative to each other and before forces act, as a
/// multiple of gravity × time step, above which the last impulses are not tried.
constexpr double max_speed = 1e-3;
/// [rad/s] The arms of joints then leave their tangents by 1e-14 m/s at most.
constexpr double max_spin = 1e-6;
/// [1] Speed of an island that is still, as a multiple of the miss that is allowed.
constexpr double still = 16;
/// Islands per task.
constexpr std::size_t settled_at_once = 64;
/// Fewer islands of one manifold are faster one by one. They have the same bits.
constexpr std::size_t fewest_alone = 3;
/// Manifolds of an island that are worth another thread.
constexpr std::uint32_t manifolds_of_share = Graph::points_of_share / kernel::points_of_manifold;

/// True if contacts are in the order of the manifolds, and vectors are in columns without gaps, as far as they are
/// there.
template <class T>
bool has_contiguous_vectors(const kernel::SceneJob<T>& job) {
  const auto is_contiguous = [](const auto& v) {
    for (const auto* column : {&v.x, &v.y, &v.z})
      if (*column && column->stride != static_cast<std::ptrdiff_t>(sizeof(T))) return false;
    return true;
  };
  const SceneContacts<T>& contacts = job.scene->contacts;
  const SceneResults<T>& results = *job.results;
  return job.contact_at == nullptr && is_contiguous(contacts.r_a) && is_contiguous(contacts.r_b) &&
         is_contiguous(job.warm_impulse) && is_contiguous(job.warm_rest) && is_contiguous(job.next_rest) &&
         is_contiguous(results.impulse) && is_contiguous(results.separation_velocity) &&
         is_contiguous(results.warm_impulse);
}

}  // namespace

/// Sets the rows of immovable bodies.
template <class T>
void DirectIslands::set_fixed_rows(const kernel::SceneJob<T>& job, const Parts& parts) {
  const auto set = [&](kernel::SettledRow& row, const T* velocity, const T* change) {
    row.call = settling_.call;
    row.turning = 0;
    row.moves = false;
    for (std::size_t c = 0; c < 6; ++c) {
      row.velocity[c] = row.free[c] = velocity != nullptr ? static_cast<double>(velocity[c]) : 0;
      row.before[c] = row.free[c] - (change != nullptr ? static_cast<double>(change[c]) : 0);
    }
  };
  for (std::size_t i = 0; i < job.bodies; ++i)
    if (parts.movable[i] == 0)
      set(settling_.rows[i], job.velocities[i].numbers, job.changes != nullptr ? job.changes[i].numbers : nullptr);
  set(settling_.rows[job.bodies], nullptr, nullptr);
}

/// True if an island may be at rest, from its first manifold.
template <class T>
bool DirectIslands::may_settle(const kernel::SceneJob<T>& job, const Constraint& first, double most) const {
  double apart2 = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto speed = [&](std::int32_t body) {
      if (body < 0) return 0.0;
      const double now = static_cast<double>(job.velocities[body].numbers[c]);
      return job.changes != nullptr ? now - static_cast<double>(job.changes[body].numbers[c]) : now;
    };
    const double apart = speed(first.body_a) - speed(first.body_b);
    apart2 += apart * apart;
  }
  return apart2 <= most * most;
}

/// Appends the rows of an island. Returns false if it has springs, motors, or errors that are to be corrected.
template <class T>
bool DirectIslands::take_rows(const CallOptions& options, const kernel::SceneJob<T>& job, const Graph& graph,
                              const Slops<T>& slops, const CachedRow<T>* warm_start_cache,
                              kernel::SettledIsland& island) {
  const JointRows<T>& rows = job.scene->joints;
  const double h = options.time_step;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto read = [](const Column<const T>& column, std::size_t i, double otherwise) {
    return column ? static_cast<double>(column[i]) : otherwise;
  };
  const auto set = [](double(&along)[6], const Vector3& linear, const Vector3& angular) {
    std::copy(linear.begin(), linear.end(), along);
    std::copy(angular.begin(), angular.end(), along + 3);
  };
  island.first_row = island.end_row = static_cast<std::uint32_t>(settled_joint_rows_.size());
  for (std::uint32_t k = group_begin_[island.number]; k < group_begin_[island.number + 1]; ++k) {
    const Constraint& of = graph.groups[groups_[k]];
    const double allowed = std::sqrt(slops.square_of(of)) *
                           (rows.position_error ? Thresholds::direct_closed : Thresholds::direct_joint_drift);
    for (std::uint32_t r = 0; r < of.count; ++r) {
      const std::uint32_t i = kernel::number_at(job.row_at, of.first + r);
      const double frequency = read(rows.frequency, i, options.substeps.position_correction.joint_frequency);
      const double least = read(rows.min_impulse, i, -infinity), largest = read(rows.max_impulse, i, infinity);
      if (read(rows.target_velocity, i, 0) != 0 || read(rows.compliance, i, 0) != 0 ||
          (frequency != 0 && frequency != infinity) ||
          (warm_start_cache != nullptr && warm_start_cache[i].need.direct > 1))
        return false;
      kernel::SettledJointRow& row = settled_joint_rows_.emplace_back();
      ++island.end_row;
      row.body_a = of.body_a;
      row.body_b = of.body_b;
      row.row = i;
      set(row.along_a, vector_at(rows.linear_a, i), vector_at(rows.angular_a, i));
      set(row.along_b, vector_at(rows.linear_b, i), vector_at(rows.angular_b, i));
      RowResponse response;
      const auto add_side = [&](std::int32_t body, const double(&along)[6]) {
        const T* const record = kernel::record_of(job.body_rows, body);
        if (!kernel::is_movable(record)) return;
        std::array<double, 6> j;
        for (std::size_t c = 0; c < 6; ++c) j[c] = static_cast<double>(record[kernel::BodyRecord::inverse_inertia + c]);
        response.add(static_cast<double>(record[kernel::BodyRecord::inverse_mass]), j, {along[0], along[1], along[2]},
                     {along[3], along[4], along[5]});
      };
      add_side(row.body_a, row.along_a);
      add_side(row.body_b, row.along_b);
      // PGS detects rows that no impulse moves, and rows out of range.
      if (!response.is_sound(max_number<T>())) return false;
      const bool is_bounded = least > -infinity || largest < infinity;
      row.impulse = static_cast<double>(job.row_impulse[i]);
      if (job.row_warm_rest && !is_bounded) row.impulse += static_cast<double>(job.row_warm_rest[i]);
      row.below = row.above = island.max_miss;
      if (is_bounded && row.impulse <= least) row.above = infinity;
      if (is_bounded && row.impulse >= largest) row.below = infinity;
      const bool keeps_position = frequency == infinity;
      double error = read(rows.position_error, i, 0);
      // An error on the side where the row does not push may shrink to 0.
      if (keeps_position && ((largest == 0 && error < 0) || (least == 0 && error > 0))) row.target = -error / h;
      if (largest == 0) error = std::max(error, 0.0);
      if (least == 0) error = std::min(error, 0.0);
      const bool is_free = (row.above == infinity || row.below == infinity) && !(least == 0 || largest == 0);
      if (keeps_position && !is_free && std::abs(error) > allowed) return false;
    }
  }
  return true;
}

/// True if an island is a manifold of four points between a body and the world, or a body that rests and is not moved.
bool DirectIslands::is_alone(const Graph& graph, const Parts& parts, const kernel::SettledIsland& island) const {
  if (!settling_.is_contiguous || island.end != island.first + 1 || island.first_row < island.end_row ||
      island.stopped_bodies > 0)
    return false;
  const Constraint& of = graph.manifolds[manifolds_[island.first]];
  const auto moves = [&](std::int32_t body) { return body >= 0 && parts.movable[body] != 0; };
  if (of.count != kernel::points_of_manifold || moves(of.body_a) == moves(of.body_b)) return false;
  const std::int32_t other = moves(of.body_a) ? of.body_b : of.body_a;
  if (other < 0) return true;
  const kernel::SettledRow& row = settling_.rows[other];
  const auto is_zero = [](double x) { return x == 0; };
  return std::all_of(row.free, row.free + 6, is_zero) && std::all_of(row.before, row.before + 6, is_zero);
}

void DirectIslands::forget_settled(const Graph& graph) {
  accepted_.clear();
  settled_.clear();
  settled_shares_.clear();
  settled_joint_rows_.clear();
  is_settled_.assign(graph.islands, 0);
}

template <class T>
void DirectIslands::settle(const CallOptions& options, const kernel::SceneKernelsFor<T>& kernels,
                           const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts,
                           const Slops<T>& slops, const CachedRow<T>* warm_start_cache, ThreadTeam& team) {
  const std::size_t max_islands = std::min(parts.bodies, parts.contacts + parts.rows);
  // Also for a call that is solved again with more islands.
  accepted_.reserve(max_islands);
  is_settled_.reserve(max_islands);
  excluded_.reserve(max_islands);
  for (auto* begin : {&begin_, &group_begin_}) begin->reserve(max_islands + 2);
  manifolds_.reserve(parts.contacts);
  groups_.reserve(parts.rows);
  solver_of_body_.reserve(parts.bodies);
  forget_settled(graph);
  if (!options.solves_islands) return;
  list_islands(job, graph);
  if (settled_rows_.size() < parts.bodies + 1) settled_rows_.resize(parts.bodies + 1);
  settled_.reserve(max_islands);
  settled_shares_.reserve(parts.contacts / manifolds_of_share + 1);
  settled_share_of_.resize(parts.bodies);
  settled_joint_rows_.reserve(parts.rows);
  settled_manifolds_.at_least(parts.contacts + 1);
  if (options.substeps.min_direct_substeps == 1)
    try_to_settle(options, kernels, job, graph, parts, slops, warm_start_cache, team);
}

template <class T>
bool DirectIslands::settle_again(const CallOptions& options, const kernel::SceneKernelsFor<T>& kernels,
                                 const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts,
                                 const Slops<T>& slops, const CachedRow<T>* warm_start_cache,
                                 Array<std::int32_t>& substeps, ThreadTeam& team) {
  forget_settled(graph);
  try_to_settle(options, kernels, job, graph, parts, slops, warm_start_cache, team);
  if (settled_.size() < graph.islands) return false;
  store_settled(kernels, job, graph, substeps, team);
  return true;
}

/// Sets slop and friction of manifolds until one of them is not plain.
template <class T>
DirectIslands::Plainness DirectIslands::prepare_to_settle(const kernel::SceneJob<T>& job, const Graph& graph,
                                                          const Parts& parts, const Slops<T>& slops,
                                                          std::uint32_t first, std::uint32_t end) const {
  const SceneContacts<T>& contacts = job.scene->contacts;
  // Contacts at rest may use all of their friction: impulses on the cone, rounded, are in it.
  constexpr double rounded_up = 1 + 4 * double{std::numeric_limits<T>::epsilon()};
  for (std::uint32_t k = first; k < end; ++k) {
    const Constraint& of = graph.manifolds[manifolds_[k]];
    kernel::SettledManifold& to = settling_.of_manifold[k];
    const std::uint32_t contact = kernel::number_at(job.contact_at, of.first);
    to.slop = std::sqrt(slops.square_of(of));
    to.friction = rounded_up * std::min(static_cast<double>(contacts.friction[contact]), Thresholds::max_friction);
    if (contacts.surface_velocity.x && vector_at(contacts.surface_velocity, contact) != Vector3{})
      return {false, false};
  }
  const bool may_be_large = end - first + 1 >= static_cast<std::uint32_t>(Thresholds::large_bodies);
  return {true, may_be_large && drive_nothing(job, graph, parts, first, end)};
}

/// Finds out whether the island may be large, and whether it rests on a certificate.
template <class T>
void DirectIslands::take_certificate(const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts,
                                     const StepOptions& step, bool drives_nothing,
                                     kernel::SettledIsland& island) const {
  Candidate candidate;
  candidate.first = island.first;
  candidate.end = island.end;
  candidate.first_group = group_begin_[island.number];
  candidate.end_group = group_begin_[island.number + 1];
  island.may_be_large = drives_nothing && step.remembers && has_size_of_large(job, candidate);
  if (!island.may_be_large) return;
  const std::int32_t solver = solver_of(graph, parts, island.number);
  if (solver < 0) return;
  const Constraint& first = graph.manifolds[manifolds_[island.first]];
  island.stopped_bodies = solvers_[static_cast<std::size_t>(solver)]->stopped_bodies(
      job.scene->contacts.key[kernel::number_at(job.contact_at, first.first)]);
  if (island.stopped_bodies == 0) return;
  island.reference_body = first.body_a >= 0 && parts.movable[first.body_a] != 0 ? first.body_a : first.body_b;
  // Impulses that miss by more would count as not converged.
  island.max_miss = std::min(Thresholds::direct_calm * step.weight_speed, Thresholds::direct_push);
  island.max_error = island.still = Thresholds::large_stop * step.weight_speed;
}

/// Settles an island on several threads.
template <class T>
bool DirectIslands::settle_in_shares(const kernel::SceneKernelsFor<T>& kernels, const kernel::SceneJob<T>& job,
                                     const Graph& graph, const Parts& parts, const Slops<T>& slops,
                                     const StepOptions& step, std::uint32_t count, kernel::SettledIsland& island,
                                     ThreadTeam& team) {
  std::array<std::uint8_t, Graph::max_shares> passes{};
  const auto each_share = [&](const auto& f) {
    team.each(count, 1, count, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t s = first; s < end; ++s) passes[s] = f(s) ? 1 : 0;
    });
    return std::all_of(passes.begin(), passes.begin() + count, [](std::uint8_t passed) { return passed != 0; });
  };
  const auto begin_of = [&](std::size_t share) {
    return island.first + static_cast<std::uint32_t>(std::uint64_t{island.end - island.first} * share / count);
  };
  std::array<std::uint8_t, Graph::max_shares> drives_nothing{};
  const bool is_plain = each_share([&](std::size_t s) {
    const Plainness made = prepare_to_settle(job, graph, parts, slops, begin_of(s), begin_of(s + 1));
    drives_nothing[s] = made.drives_nothing ? 1 : 0;
    return made.is_plain;
  });
  if (!is_plain) return false;
  take_certificate(job, graph, parts, step, std::count(drives_nothing.begin(), drives_nothing.end(), 1) == count,
                   island);
  island.share_of = settled_share_of_.data();
  island.end_of_island = island.end;
  const std::size_t first_share = settled_shares_.size();
  settled_shares_.resize(first_share + count, island);
  kernel::SettledIsland* const share = settled_shares_.data() + first_share;
  // Backwards: a body belongs to the first share that it occurs in.
  for (std::uint32_t s = count; s-- > 0;) {
    share[s].share = static_cast<std::uint8_t>(s);
    share[s].first = begin_of(s);
    share[s].end = begin_of(s + 1);
    for (std::uint32_t k = share[s].first; k < share[s].end; ++k)
      for (const std::int32_t body : {graph.manifolds[manifolds_[k]].body_a, graph.manifolds[manifolds_[k]].body_b})
        if (body >= 0) settled_share_of_[static_cast<std::size_t>(body)] = static_cast<std::uint8_t>(s);
  }
  bool is_settled = each_share([&](std::size_t s) { return kernels.begin_to_settle(job, settling_, share[s]); });
  island.is_still = true;
  for (std::uint32_t s = 0; s < count; ++s) {
    island.bodies += share[s].bodies;
    island.is_still = island.is_still && share[s].is_still;
  }
  for (std::uint32_t s = 0; s < count; ++s) {
    share[s].bodies = island.bodies;
    share[s].is_still = island.is_still;
  }
  is_settled = is_settled && each_share([&](std::size_t s) { return kernels.end_settling(job, settling_, share[s]); });
  for (std::uint32_t s = 0; s < count; ++s) {
    island.approach = std::max(island.approach, share[s].approach);
    island.residual = std::max(island.residual, share[s].residual);
  }
  if (!is_settled) settled_shares_.resize(first_share);
  return is_settled;
}

template <class T>
void DirectIslands::try_to_settle(const CallOptions& options, const kernel::SceneKernelsFor<T>& kernels,
                                  const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts,
                                  const Slops<T>& slops, const CachedRow<T>* warm_start_cache, ThreadTeam& team) {
  // Per kind of constraint, so that columns and rows of other islands make no difference.
  const bool tries_contacts = job.warm_impulse.x && job.parameters.warm_start == T(1);
  const bool tries_rows = options.substeps.joint_warm_start == 1;
  const StepOptions step = step_options(options, *job.scene);
  settling_ = {manifolds_.data(),
               settled_manifolds_.data(),
               nullptr,
               settled_rows_.data(),
               ++settling_call_,
               step.time_step,
               Thresholds::direct_impact * step.weight_speed,
               step.restitution_threshold,
               Thresholds::direct_impact,
               Thresholds::direct_closed,
               Thresholds::large_closed,
               static_cast<std::size_t>(Thresholds::large_bodies),
               max_spin,
               max_number<T>(),
               has_contiguous_vectors(job)};
  for (std::uint32_t i = 0; i < graph.islands; ++i) {
    if (excluded_[i] != 0) continue;
    const double max_miss = Thresholds::direct_settled * step.weight_speed;
    const bool has_contacts = begin_[i] < begin_[i + 1];
    if ((has_contacts && !tries_contacts) || (group_begin_[i] < group_begin_[i + 1] && !tries_rows)) continue;
    const Constraint& first =
        has_contacts ? graph.manifolds[manifolds_[begin_[i]]] : graph.groups[groups_[group_begin_[i]]];
    if (!may_settle(job, first, max_speed * step.weight_speed)) continue;
    kernel::SettledIsland& island = settled_.emplace_back();
    island.number = i;
    island.first = begin_[i];
    island.end = begin_[i + 1];
    island.max_miss = island.max_error = max_miss;
    island.still = still * max_miss;
    if (group_begin_[i] < group_begin_[i + 1] && !take_rows(options, job, graph, slops, warm_start_cache, island))
      settled_.pop_back();
  }
  if (settled_.empty()) return;
  settling_.joint_rows = settled_joint_rows_.data();
  set_fixed_rows(job, parts);
  const auto shares_of = [&](const kernel::SettledIsland& island) {
    const std::size_t most = island.first_row < island.end_row ? 1 : std::min(team.slots(), Graph::max_shares);
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>((island.end - island.first) / manifolds_of_share, 1, most));
  };
  team.each_balanced(settled_.size(), settled_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
    kernel::SettledIsland* alone[kernel::settled_side_by_side];
    std::size_t waiting = 0;
    const auto settle = [&](kernel::SettledIsland& island) {
      if (kernels.settle(job, settling_, island)) is_settled_[island.number] = 1;
    };
    const auto settle_alone = [&] {
      const std::uint32_t set = waiting < fewest_alone ? 0 : kernels.settle_alone(job, settling_, alone, waiting);
      for (std::size_t k = 0; k < waiting; ++k)
        (set >> k & 1u) != 0 ? void(is_settled_[alone[k]->number] = 1) : settle(*alone[k]);
      waiting = 0;
    };
    for (std::size_t i = first; i < end; ++i) {
      kernel::SettledIsland& island = settled_[i];
      if (shares_of(island) > 1) continue;
      const Plainness made = prepare_to_settle(job, graph, parts, slops, island.first, island.end);
      take_certificate(job, graph, parts, step, made.drives_nothing, island);
      if (!made.is_plain) continue;
      if (!is_alone(graph, parts, island)) {
        settle(island);
        continue;
      }
      alone[waiting++] = &island;
      if (waiting == kernel::settled_side_by_side) settle_alone();
    }
    settle_alone();
  });
  for (kernel::SettledIsland& island : settled_)
    if (const std::uint32_t count = shares_of(island); count > 1)
      is_settled_[island.number] =
          settle_in_shares(kernels, job, graph, parts, slops, step, count, island, team) ? 1 : 0;
  const auto has_failed = [&](const kernel::SettledIsland& of) { return is_settled_[of.number] == 0; };
  settled_.erase(std::remove_if(settled_.begin(), settled_.end(), has_failed), settled_.end());
}

/// Stores the islands that have settled. Their solvers stay theirs.
template <class T>
void DirectIslands::store_settled(const kernel::SceneKernelsFor<T>& kernels, const kernel::SceneJob<T>& job,
                                  const Graph& graph, Array<std::int32_t>& substeps, ThreadTeam& team) {
  const Column<Path>& path = job.results->path;
  const auto store = [&](const kernel::SettledIsland& island) {
    kernels.store_settled(job, settling_, island);
    for (std::uint32_t k = island.first; k < island.end && path; ++k) {
      const Constraint& of = graph.manifolds[manifolds_[k]];
      for (std::uint32_t c = 0; c < of.count; ++c) {
        const std::uint32_t contact = kernel::number_at(job.contact_at, of.first + c);
        Path taken{};
        taken.sliding_end =
            job.status[contact] == static_cast<std::uint8_t>(Status::ok) ? SlidingEnd::stick : SlidingEnd::separating;
        path[contact] = taken;
      }
    }
  };
  team.each_balanced(settled_.size(), settled_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
    for (std::size_t i = first; i < end; ++i)
      if (settled_[i].share_of == nullptr) store(settled_[i]);
  });
  team.each(settled_shares_.size(), 1, [&](std::size_t first, std::size_t end, std::size_t) {
    for (std::size_t i = first; i < end; ++i) store(settled_shares_[i]);
  });
  for (const kernel::SettledIsland& island : settled_) {
    for (std::uint32_t k = island.first_row; k < island.end_row; ++k) {
      const kernel::SettledJointRow& row = settling_.joint_rows[k];
      job.row_impulse[row.row] = job.row_warm[row.row] = without_subnormals<T>(row.impulse);
      if (job.row_next_rest != nullptr)
        job.row_next_rest[row.row] = without_subnormals<T>(row.impulse - static_cast<double>(job.row_warm[row.row]));
      job.row_work[row.row] = static_cast<T>(row.impulse * 0.5 * (row.free + row.velocity));
    }
    const bool is_group = island.first == island.end;
    substeps[island.number] = solved;
    accepted_.push_back({is_group ? groups_[group_begin_[island.number]] : manifolds_[island.first], is_group,
                         island.approach, island.residual, 0, 1, IslandAlgorithm::last_impulses});
  }
}

#define CAROM_INSTANTIATE(T)                                                                                         \
  template bool DirectIslands::settle_again(const CallOptions&, const kernel::SceneKernelsFor<T>&,                   \
                                            const kernel::SceneJob<T>&, const Graph&, const Parts&, const Slops<T>&, \
                                            const CachedRow<T>*, Array<std::int32_t>&, ThreadTeam&);                 \
  template void DirectIslands::settle(const CallOptions&, const kernel::SceneKernelsFor<T>&,                         \
                                      const kernel::SceneJob<T>&, const Graph&, const Parts&, const Slops<T>&,       \
                                      const CachedRow<T>*, ThreadTeam&);                                             \
  template void DirectIslands::store_settled(const kernel::SceneKernelsFor<T>&, const kernel::SceneJob<T>&,          \
                                             const Graph&, Array<std::int32_t>&, ThreadTeam&);
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom::scene::direct
