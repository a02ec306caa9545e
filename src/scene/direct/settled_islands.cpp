// Islands at rest, whose last impulses are the solution of the call: nothing else is prepared for them.
// docs/scenes.md, Direct islands.
#include <algorithm>
#include <cmath>

#include "direct_islands.hpp"
#include "kernel/body_record.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

/// [1] Speed of both bodies of the first manifold of an island, relative to each other and before forces act, as a
/// multiple of gravity × time step, above which the last impulses are not tried.
constexpr double most_speed = 1e-3;
/// Islands per task.
constexpr std::size_t settled_at_once = 64;

}  // namespace

/// Sets the rows of bodies that nothing moves.
template <class T>
void DirectIslands::set_fixed_rows(const kernel::SceneJob<T>& job, const Parts& parts) {
  const auto set = [&](kernel::SettledRow& row, const T* velocity, const T* change) {
    row.call = settling_.call;
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

template <class T>
void DirectIslands::settle(const SceneOptions& options, const kernel::SceneKernelsFor<T>& kernels,
                           const kernel::SceneJob<T>& job, const Graph& graph, const Parts& parts,
                           const Slops<T>& slops, ThreadTeam& team) {
  accepted_.clear();
  settled_.clear();
  settled_numbers_.clear();
  is_settled_.assign(graph.islands, 0);
  if (!solves_islands(options)) return;
  list_islands(job, graph);
  const SceneContacts<T>& contacts = job.scene->contacts;
  if (options.substeps.direct_least != 1 || !job.warm_impulse.x || job.parameters.warm_start != T(1)) return;
  const StepOptions step = step_options(options, *job.scene);
  settling_ = {manifolds_.data(),
               settled_manifolds_.at_least(parts.contacts + 1),
               nullptr,
               ++settling_call_,
               step.time_step,
               Thresholds::direct_settled * step.weight_speed,
               Thresholds::direct_blow * step.weight_speed,
               step.restitution_threshold,
               Thresholds::direct_blow,
               Thresholds::direct_closed,
               Thresholds::large_closed,
               static_cast<std::size_t>(Thresholds::large_bodies),
               most_number<T>()};
  if (settled_rows_.size() < parts.bodies + 1) settled_rows_.resize(parts.bodies + 1);
  settling_.rows = settled_rows_.data();
  settled_.reserve(std::min(parts.bodies, parts.contacts));
  settled_numbers_.reserve(settled_.capacity());
  for (std::uint32_t i = 0; i < graph.islands; ++i)
    if (excluded_[i] == 0 && group_begin_[i] == group_begin_[i + 1] &&
        may_settle(job, graph.manifolds[manifolds_[begin_[i]]], most_speed * step.weight_speed))
      settled_.push_back({begin_[i], begin_[i + 1]});
  if (settled_.empty()) return;
  set_fixed_rows(job, parts);
  const auto is_driven = [&](std::uint32_t contact) {
    return contacts.surface_velocity.x && vector_at(contacts.surface_velocity, contact) != Vector3{};
  };
  team.each(settled_.size(), settled_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
    for (std::size_t i = first; i < end; ++i) {
      kernel::SettledIsland& island = settled_[i];
      bool is_plain = true;
      for (std::uint32_t k = island.first; k < island.end && is_plain; ++k) {
        const Constraint& of = graph.manifolds[manifolds_[k]];
        kernel::SettledManifold& to = settling_.of_manifold[k];
        const std::uint32_t contact = kernel::number_at(job.contact_at, of.first);
        to.slop = std::sqrt(slops.square_of(of));
        to.slipping = Thresholds::direct_slipping *
                      std::min(static_cast<double>(contacts.friction[contact]), Thresholds::most_friction);
        is_plain = !is_driven(contact);
      }
      Candidate candidate;
      candidate.first = island.first;
      candidate.end = island.end;
      island.may_be_large = is_plain && step.remembers && may_be_large(job, graph, parts, candidate);
      if (is_plain && kernels.settle(job, settling_, island))
        is_settled_[graph.island_of_manifold[manifolds_[island.first]]] = 1;
    }
  });
  const auto has_failed = [&](const kernel::SettledIsland& of) {
    return is_settled_[graph.island_of_manifold[manifolds_[of.first]]] == 0;
  };
  settled_.erase(std::remove_if(settled_.begin(), settled_.end(), has_failed), settled_.end());
  for (const kernel::SettledIsland& of : settled_)
    settled_numbers_.push_back(graph.island_of_manifold[manifolds_[of.first]]);
}

/// Stores the islands that have settled. Their solvers stay theirs.
template <class T>
void DirectIslands::store_settled(const kernel::SceneKernelsFor<T>& kernels, const kernel::SceneJob<T>& job,
                                  const Graph& graph, std::vector<std::int32_t>& substeps, ThreadTeam& team) {
  const Column<Path>& path = job.results->path;
  team.each(settled_.size(), settled_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
    for (std::size_t i = first; i < end; ++i) {
      const kernel::SettledIsland& island = settled_[i];
      kernels.store_settled(job, settling_, island);
      for (std::uint32_t k = island.first; k < island.end && path; ++k) {
        const Constraint& of = graph.manifolds[manifolds_[k]];
        for (std::uint32_t c = 0; c < of.count; ++c) {
          const std::uint32_t contact = kernel::number_at(job.contact_at, of.first + c);
          Path taken{};
          taken.course =
              job.status[contact] == static_cast<std::uint8_t>(Status::ok) ? Course::stick : Course::separating;
          path[contact] = taken;
        }
      }
    }
  });
  for (const kernel::SettledIsland& island : settled_) {
    const std::uint32_t manifold = manifolds_[island.first];
    substeps[graph.island_of_manifold[manifold]] = solved;
    accepted_.push_back({manifold, false, island.approach, island.residual, 0, 1, IslandAlgorithm::last_impulses});
  }
}

#define CAROM_INSTANTIATE(T)                                                                                   \
  template void DirectIslands::settle(const SceneOptions&, const kernel::SceneKernelsFor<T>&,                  \
                                      const kernel::SceneJob<T>&, const Graph&, const Parts&, const Slops<T>&, \
                                      ThreadTeam&);                                                            \
  template void DirectIslands::store_settled(const kernel::SceneKernelsFor<T>&, const kernel::SceneJob<T>&,    \
                                             const Graph&, std::vector<std::int32_t>&, ThreadTeam&);
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom::scene::direct
