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
void DirectIslands<T>::set_fixed_rows() {
  const auto set = [&](kernel::SettledRow& row, const T* velocity, const T* change) {
    row.call = memory_.settling.call;
    row.turning = 0;
    row.moves = false;
    for (std::size_t c = 0; c < 6; ++c) {
      row.velocity[c] = row.free[c] = velocity != nullptr ? static_cast<double>(velocity[c]) : 0;
      row.before[c] = row.free[c] - (change != nullptr ? static_cast<double>(change[c]) : 0);
    }
  };
  for (std::size_t i = 0; i < job_.bodies; ++i)
    if (parts_.movable[i] == 0)
      set(memory_.settling.rows[i], job_.velocities[i].numbers,
          job_.changes != nullptr ? job_.changes[i].numbers : nullptr);
  set(memory_.settling.rows[job_.bodies], nullptr, nullptr);
}

/// True if an island may be at rest, from its first manifold.
template <class T>
bool DirectIslands<T>::may_settle(const Constraint& first, double most) const {
  double apart2 = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto speed = [&](std::int32_t body) {
      if (body < 0) return 0.0;
      const double now = static_cast<double>(job_.velocities[body].numbers[c]);
      return job_.changes != nullptr ? now - static_cast<double>(job_.changes[body].numbers[c]) : now;
    };
    const double apart = speed(first.body_a) - speed(first.body_b);
    apart2 += apart * apart;
  }
  return apart2 <= most * most;
}

/// Appends the rows of an island. Returns false if it has springs, motors, or errors that are to be corrected.
template <class T>
bool DirectIslands<T>::take_rows(kernel::SettledIsland& island) {
  const JointRows<T>& rows = job_.scene->joints;
  const double h = options_.time_step;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto read = [](const Column<const T>& column, std::size_t i, double otherwise) {
    return column ? static_cast<double>(column[i]) : otherwise;
  };
  const auto set = [](double(&along)[6], const Vector3& linear, const Vector3& angular) {
    std::copy(linear.begin(), linear.end(), along);
    std::copy(angular.begin(), angular.end(), along + 3);
  };
  island.first_row = island.end_row = static_cast<std::uint32_t>(memory_.settled_joint_rows.size());
  for (std::uint32_t k = memory_.groups.begin[island.number]; k < memory_.groups.begin[island.number + 1]; ++k) {
    const Constraint& of = group(k);
    const double allowed = std::sqrt(slops_.square_of(of)) *
                           (rows.position_error ? Thresholds::direct_closed : Thresholds::direct_joint_drift);
    for (std::uint32_t r = 0; r < of.count; ++r) {
      const std::uint32_t i = row_at(of, r);
      const double frequency = read(rows.frequency, i, options_.substeps.position_correction.joint_frequency);
      const double least = read(rows.min_impulse, i, -infinity), largest = read(rows.max_impulse, i, infinity);
      if (read(rows.target_velocity, i, 0) != 0 || read(rows.compliance, i, 0) != 0 ||
          (frequency != 0 && frequency != infinity) || (cached_rows_ != nullptr && cached_rows_[i].need.direct > 1))
        return false;
      kernel::SettledJointRow& row = memory_.settled_joint_rows.emplace_back();
      ++island.end_row;
      row.body_a = of.body_a;
      row.body_b = of.body_b;
      row.row = i;
      set(row.along_a, vector_at(rows.linear_a, i), vector_at(rows.angular_a, i));
      set(row.along_b, vector_at(rows.linear_b, i), vector_at(rows.angular_b, i));
      RowResponse response;
      const auto add_side = [&](std::int32_t body, const double(&along)[6]) {
        const T* const record = kernel::record_of(job_.body_rows, body);
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
      row.impulse = static_cast<double>(job_.row_impulse[i]);
      if (job_.row_warm_rest && !is_bounded) row.impulse += static_cast<double>(job_.row_warm_rest[i]);
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
template <class T>
bool DirectIslands<T>::is_alone(const kernel::SettledIsland& island) const {
  if (!memory_.settling.is_contiguous || island.end != island.first + 1 || island.first_row < island.end_row ||
      island.stopped_bodies > 0)
    return false;
  const Constraint& of = manifold(island.first);
  if (of.count != kernel::points_of_manifold || moves(of.body_a) == moves(of.body_b)) return false;
  const std::int32_t other = moves(of.body_a) ? of.body_b : of.body_a;
  if (other < 0) return true;
  const kernel::SettledRow& row = memory_.settling.rows[other];
  const auto is_zero = [](double x) { return x == 0; };
  return std::all_of(row.free, row.free + 6, is_zero) && std::all_of(row.before, row.before + 6, is_zero);
}

template <class T>
void DirectIslands<T>::forget_settled() {
  memory_.accepted.clear();
  memory_.settled.clear();
  memory_.settled_shares.clear();
  memory_.settled_joint_rows.clear();
  memory_.is_settled.assign(graph_.islands, 0);
}

template <class T>
void DirectIslands<T>::settle() {
  const std::size_t max_islands = std::min(parts_.bodies, parts_.contacts + parts_.rows);
  // Also for a call that is solved again with more islands.
  memory_.accepted.reserve(max_islands);
  memory_.is_settled.reserve(max_islands);
  memory_.excluded.reserve(max_islands);
  memory_.manifolds.reserve(max_islands, parts_.contacts);
  memory_.groups.reserve(max_islands, parts_.rows);
  memory_.solver_of_body.reserve(parts_.bodies);
  forget_settled();
  if (!options_.solves_islands) return;
  list_islands();
  if (memory_.settled_rows.size() < parts_.bodies + 1) memory_.settled_rows.resize(parts_.bodies + 1);
  memory_.settled.reserve(max_islands);
  memory_.settled_shares.reserve(parts_.contacts / manifolds_of_share + 1);
  memory_.settled_share_of.resize(parts_.bodies);
  memory_.settled_joint_rows.reserve(parts_.rows);
  memory_.settled_manifolds.at_least(parts_.contacts + 1);
  if (options_.substeps.min_direct_substeps == 1) try_to_settle();
}

template <class T>
bool DirectIslands<T>::settle_again() {
  forget_settled();
  try_to_settle();
  if (memory_.settled.size() < graph_.islands) return false;
  store_settled();
  return true;
}

/// Sets slop and friction of manifolds until one of them is not plain.
template <class T>
typename DirectIslands<T>::Plainness DirectIslands<T>::prepare_to_settle(std::uint32_t first, std::uint32_t end) const {
  const SceneContacts<T>& contacts = job_.scene->contacts;
  // Contacts at rest may use all of their friction: impulses on the cone, rounded, are in it.
  constexpr double rounded_up = 1 + 4 * double{std::numeric_limits<T>::epsilon()};
  for (std::uint32_t k = first; k < end; ++k) {
    const Constraint& of = manifold(k);
    kernel::SettledManifold& to = memory_.settling.of_manifold[k];
    const std::uint32_t contact = contact_at(of);
    to.slop = std::sqrt(slops_.square_of(of));
    to.friction = rounded_up * std::min(static_cast<double>(contacts.friction[contact]), Thresholds::max_friction);
    if (contacts.surface_velocity.x && vector_at(contacts.surface_velocity, contact) != Vector3{})
      return {false, false};
  }
  const bool may_be_large = end - first + 1 >= static_cast<std::uint32_t>(Thresholds::large_bodies);
  return {true, may_be_large && drive_nothing(first, end)};
}

/// Finds out whether the island may be large, and whether it rests on a certificate.
template <class T>
void DirectIslands<T>::take_certificate(bool drives_nothing, kernel::SettledIsland& island) const {
  Candidate candidate;
  candidate.first = island.first;
  candidate.end = island.end;
  candidate.first_group = memory_.groups.begin[island.number];
  candidate.end_group = memory_.groups.begin[island.number + 1];
  island.may_be_large = drives_nothing && step_.remembers && has_size_of_large(candidate);
  if (!island.may_be_large) return;
  const std::int32_t solver = solver_of(island.number);
  if (solver < 0) return;
  const Constraint& first = manifold(island.first);
  island.stopped_bodies =
      memory_.solvers[static_cast<std::size_t>(solver)]->stopped_bodies(job_.scene->contacts.key[contact_at(first)]);
  if (island.stopped_bodies == 0) return;
  island.reference_body = moves(first.body_a) ? first.body_a : first.body_b;
  // Impulses that miss by more would count as not converged.
  island.max_miss = std::min(Thresholds::direct_calm * step_.weight_speed, Thresholds::direct_push);
  island.max_error = island.still = Thresholds::large_stop * step_.weight_speed;
}

/// Settles an island on several threads.
template <class T>
bool DirectIslands<T>::settle_in_shares(std::uint32_t count, kernel::SettledIsland& island) {
  std::array<std::uint8_t, Graph::max_shares> passes{};
  const auto each_share = [&](const auto& f) {
    team_.each(count, 1, count, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t s = first; s < end; ++s) passes[s] = f(s) ? 1 : 0;
    });
    return std::all_of(passes.begin(), passes.begin() + count, [](std::uint8_t passed) { return passed != 0; });
  };
  const auto begin_of = [&](std::size_t share) {
    return island.first + static_cast<std::uint32_t>(std::uint64_t{island.end - island.first} * share / count);
  };
  std::array<std::uint8_t, Graph::max_shares> drives_nothing{};
  const bool is_plain = each_share([&](std::size_t s) {
    const Plainness made = prepare_to_settle(begin_of(s), begin_of(s + 1));
    drives_nothing[s] = made.drives_nothing ? 1 : 0;
    return made.is_plain;
  });
  if (!is_plain) return false;
  take_certificate(std::count(drives_nothing.begin(), drives_nothing.end(), 1) == count, island);
  island.share_of = memory_.settled_share_of.data();
  island.end_of_island = island.end;
  const std::size_t first_share = memory_.settled_shares.size();
  memory_.settled_shares.resize(first_share + count, island);
  kernel::SettledIsland* const share = memory_.settled_shares.data() + first_share;
  // Backwards: a body belongs to the first share that it occurs in.
  for (std::uint32_t s = count; s-- > 0;) {
    share[s].share = static_cast<std::uint8_t>(s);
    share[s].first = begin_of(s);
    share[s].end = begin_of(s + 1);
    for (std::uint32_t k = share[s].first; k < share[s].end; ++k)
      for (const std::int32_t body : {manifold(k).body_a, manifold(k).body_b})
        if (body >= 0) memory_.settled_share_of[static_cast<std::size_t>(body)] = static_cast<std::uint8_t>(s);
  }
  bool is_settled =
      each_share([&](std::size_t s) { return kernels_.begin_to_settle(job_, memory_.settling, share[s]); });
  island.is_still = true;
  for (std::uint32_t s = 0; s < count; ++s) {
    island.bodies += share[s].bodies;
    island.is_still = island.is_still && share[s].is_still;
  }
  for (std::uint32_t s = 0; s < count; ++s) {
    share[s].bodies = island.bodies;
    share[s].is_still = island.is_still;
  }
  is_settled =
      is_settled && each_share([&](std::size_t s) { return kernels_.end_settling(job_, memory_.settling, share[s]); });
  for (std::uint32_t s = 0; s < count; ++s) {
    island.approach = std::max(island.approach, share[s].approach);
    island.residual = std::max(island.residual, share[s].residual);
  }
  if (!is_settled) memory_.settled_shares.resize(first_share);
  return is_settled;
}

template <class T>
void DirectIslands<T>::try_to_settle() {
  // Per kind of constraint, so that columns and rows of other islands make no difference.
  const bool tries_contacts = job_.warm_impulse.x && job_.parameters.warm_start == T(1);
  const bool tries_rows = options_.substeps.joint_warm_start == 1;
  memory_.settling = {memory_.manifolds.number.data(),
                      memory_.settled_manifolds.data(),
                      nullptr,
                      memory_.settled_rows.data(),
                      ++memory_.settling_call,
                      step_.time_step,
                      Thresholds::direct_impact * step_.weight_speed,
                      step_.restitution_threshold,
                      Thresholds::direct_impact,
                      Thresholds::direct_closed,
                      Thresholds::large_closed,
                      static_cast<std::size_t>(Thresholds::large_bodies),
                      max_spin,
                      max_number<T>(),
                      has_contiguous_vectors(job_)};
  for (std::uint32_t i = 0; i < graph_.islands; ++i) {
    if (memory_.excluded[i] != 0) continue;
    const double max_miss = Thresholds::direct_settled * step_.weight_speed;
    const bool has_contacts = !memory_.manifolds.is_empty(i);
    if ((has_contacts && !tries_contacts) || (!memory_.groups.is_empty(i) && !tries_rows)) continue;
    const Constraint& first = has_contacts ? manifold(memory_.manifolds.begin[i]) : group(memory_.groups.begin[i]);
    if (!may_settle(first, max_speed * step_.weight_speed)) continue;
    kernel::SettledIsland& island = memory_.settled.emplace_back();
    island.number = i;
    island.first = memory_.manifolds.begin[i];
    island.end = memory_.manifolds.begin[i + 1];
    island.max_miss = island.max_error = max_miss;
    island.still = still * max_miss;
    if (!memory_.groups.is_empty(i) && !take_rows(island)) memory_.settled.pop_back();
  }
  if (memory_.settled.empty()) return;
  memory_.settling.joint_rows = memory_.settled_joint_rows.data();
  set_fixed_rows();
  const auto shares_of = [&](const kernel::SettledIsland& island) {
    const std::size_t most = island.first_row < island.end_row ? 1 : std::min(team_.slots(), Graph::max_shares);
    return static_cast<std::uint32_t>(
        std::clamp<std::size_t>((island.end - island.first) / manifolds_of_share, 1, most));
  };
  team_.each_balanced(memory_.settled.size(), settled_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
    kernel::SettledIsland* alone[kernel::settled_side_by_side];
    std::size_t waiting = 0;
    const auto settle = [&](kernel::SettledIsland& island) {
      if (kernels_.settle(job_, memory_.settling, island)) memory_.is_settled[island.number] = 1;
    };
    const auto settle_alone = [&] {
      const std::uint32_t set =
          waiting < fewest_alone ? 0 : kernels_.settle_alone(job_, memory_.settling, alone, waiting);
      for (std::size_t k = 0; k < waiting; ++k)
        (set >> k & 1u) != 0 ? void(memory_.is_settled[alone[k]->number] = 1) : settle(*alone[k]);
      waiting = 0;
    };
    for (std::size_t i = first; i < end; ++i) {
      kernel::SettledIsland& island = memory_.settled[i];
      if (shares_of(island) > 1) continue;
      const Plainness made = prepare_to_settle(island.first, island.end);
      take_certificate(made.drives_nothing, island);
      if (!made.is_plain) continue;
      if (!is_alone(island)) {
        settle(island);
        continue;
      }
      alone[waiting++] = &island;
      if (waiting == kernel::settled_side_by_side) settle_alone();
    }
    settle_alone();
  });
  for (kernel::SettledIsland& island : memory_.settled)
    if (const std::uint32_t count = shares_of(island); count > 1)
      memory_.is_settled[island.number] = settle_in_shares(count, island) ? 1 : 0;
  const auto has_failed = [&](const kernel::SettledIsland& of) { return memory_.is_settled[of.number] == 0; };
  memory_.settled.erase(std::remove_if(memory_.settled.begin(), memory_.settled.end(), has_failed),
                        memory_.settled.end());
}

/// Stores the islands that have settled. Their solvers stay theirs.
template <class T>
void DirectIslands<T>::store_settled() {
  const Column<Path>& path = job_.results->path;
  const auto store = [&](const kernel::SettledIsland& island) {
    kernels_.store_settled(job_, memory_.settling, island);
    for (std::uint32_t k = island.first; k < island.end && path; ++k) {
      const Constraint& of = manifold(k);
      for (std::uint32_t c = 0; c < of.count; ++c) {
        const std::uint32_t contact = contact_at(of, c);
        Path taken{};
        taken.sliding_end =
            job_.status[contact] == static_cast<std::uint8_t>(Status::ok) ? SlidingEnd::stick : SlidingEnd::separating;
        path[contact] = taken;
      }
    }
  };
  team_.each_balanced(memory_.settled.size(), settled_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
    for (std::size_t i = first; i < end; ++i)
      if (memory_.settled[i].share_of == nullptr) store(memory_.settled[i]);
  });
  team_.each(memory_.settled_shares.size(), 1, [&](std::size_t first, std::size_t end, std::size_t) {
    for (std::size_t i = first; i < end; ++i) store(memory_.settled_shares[i]);
  });
  for (const kernel::SettledIsland& island : memory_.settled) {
    for (std::uint32_t k = island.first_row; k < island.end_row; ++k) {
      const kernel::SettledJointRow& row = memory_.settling.joint_rows[k];
      job_.row_impulse[row.row] = job_.row_warm[row.row] = without_subnormals<T>(row.impulse);
      if (job_.row_next_rest != nullptr)
        job_.row_next_rest[row.row] = without_subnormals<T>(row.impulse - static_cast<double>(job_.row_warm[row.row]));
      job_.row_work[row.row] = static_cast<T>(row.impulse * 0.5 * (row.free + row.velocity));
    }
    const bool is_group = island.first == island.end;
    substeps_[island.number] = solved;
    memory_.accepted.push_back(
        {is_group ? memory_.groups.number[memory_.groups.begin[island.number]] : memory_.manifolds.number[island.first],
         is_group, island.approach, island.residual, 0, 1, IslandAlgorithm::last_impulses});
  }
}

#define CAROM_INSTANTIATE(T)                      \
  template void DirectIslands<T>::settle();       \
  template bool DirectIslands<T>::settle_again(); \
  template void DirectIslands<T>::store_settled();
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom::scene::direct
