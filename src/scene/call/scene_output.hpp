// Stores the results of a scene that the kernels have not stored themselves.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"
#include "core/support/array.hpp"
#include "core/support/fault.hpp"
#include "core/threads/thread_team.hpp"
#include "scene/methods/sweeps.hpp"
#include "scene/methods/workspace.hpp"
#include "scene_input.hpp"

namespace carom::scene {

template <class T>
class SceneOutput {
 public:
  /// `stored` are the destinations of the kernels: the caller's columns, or the solver's memory.
  SceneOutput(const kernel::SceneJob<T>& job, const Workspace<T>& workspace, const SceneResults<T>& results,
              const SceneResults<T>& stored, const CallOptions& options)
      : job_(job),
        workspace_(workspace),
        results_(results),
        inner_(stored),
        options_(options),
        movable_(workspace.movable.data()),
        bodies_(job.bodies),
        contacts_(job.contacts),
        rows_(job.rows) {}

  /// Stores velocities, statuses, and the results of faulty contacts and rows.
  void store(ThreadTeam& team, SceneReport& report) {
    const auto put = [](const auto& column, std::size_t i, auto value) {
      if (column) column[i] = value;
    };
    team.each(bodies_, validated_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      const Vector3Columns<T>&v = results_.velocity, &w = results_.angular_velocity;
      const Column<T>* const columns[6] = {&v.x, &v.y, &v.z, &w.x, &w.y, &w.z};
      for (std::size_t c = 0; c < 6; ++c)
        if (*columns[c])
          for (std::size_t i = first; i < end; ++i) (*columns[c])[i] = without_sign(job_.velocities[i].numbers[c]);
    });
    count_statuses(team, report);
    const std::size_t sound = report.count(Status::ok) + report.count(Status::separating);
    store_motion(team);
    if (options_.moves_bodies) store_warm_impulses(team, sound < contacts_);
    for (std::size_t i = 0; i < contacts_ && sound < contacts_; ++i) {
      if (!is_fault(static_cast<Status>(job_.status[i]))) continue;
      const T unknown = std::numeric_limits<T>::quiet_NaN();
      for (const auto* of : {&inner_.impulse, &inner_.angular_impulse, &inner_.warm_angular_impulse})
        for (const auto* column : {&of->x, &of->y, &of->z}) put(*column, i, T(0));
      const Vector3Columns<T>& u = results_.separation_velocity;
      for (const auto* column : {&u.x, &u.y, &u.z}) put(*column, i, unknown);
      put(results_.path, i, Path{});
    }
    team.each(contacts_, validated_at_once,
              [&](std::size_t first, std::size_t end, std::size_t) { store_contacts(first, end); });
    for (std::size_t i = 0; i < rows_; ++i) {
      report.joints_by_status.add(static_cast<Status>(job_.row_status[i]), i);
      if (job_.row_status[i] == ok) report.joint_work += static_cast<double>(job_.row_work[i]);
      put(results_.joint_status, i, static_cast<Status>(job_.row_status[i]));
      put(results_.joint_impulse, i, job_.row_status[i] == ok ? without_sign(job_.row_impulse[i]) : T(0));
      const T* const after = job_.row_warm != nullptr ? job_.row_warm : job_.row_impulse;
      put(results_.joint_warm_impulse, i, job_.row_status[i] == ok ? without_sign(after[i]) : T(0));
    }
    // Work that overflows may have either sign, or be NaN.
    if (!std::isfinite(report.joint_work)) report.joint_work = std::numeric_limits<double>::infinity();
    store_islands(team);
  }

 private:
  static constexpr auto ok = static_cast<std::uint8_t>(Status::ok);
  static constexpr std::size_t manifolds_at_once = 128;

  /// Replaces -0 by +0. An island that has ended adds zeros while its neighbours in the lanes go on, so the sign of a
  /// zero depends on the neighbours and on the number of lanes.
  static T without_sign(T x) { return x + T(0); }

  /// Stores statuses, and the impulses in the solver's memory. Processes a few contacts at a time, so that an array of
  /// structures stays in the first-level cache.
  void store_contacts(std::size_t first, std::size_t end) const {
    constexpr std::size_t most = 128;
    for (std::size_t begin = first; begin < end; begin += most) {
      const std::size_t n = std::min(most, end - begin);
      copy_stored(inner_.impulse, results_.impulse, begin, n);
      copy_stored(inner_.angular_impulse, results_.angular_impulse, begin, n);
      copy_stored(options_.moves_bodies ? inner_.warm_angular_impulse : inner_.angular_impulse,
                  results_.warm_angular_impulse, begin, n);
      if (!options_.moves_bodies) copy_stored(inner_.impulse, results_.warm_impulse, begin, n);
      copy(reinterpret_cast<const Status*>(job_.status), results_.status, begin, n);
    }
  }
  /// Copies from the solver's memory to the caller's columns. Without such memory the results are zeros. Does not
  /// change columns that kernels have written.
  static void copy_stored(const Vector3Columns<T>& from, const Vector3Columns<T>& to, std::size_t first,
                          std::size_t n) {
    const Column<T>* const of[3] = {&from.x, &from.y, &from.z};
    const Column<T>* const at[3] = {&to.x, &to.y, &to.z};
    for (std::size_t c = 0; c < 3; ++c) {
      if (of[c]->data == at[c]->data || !*at[c]) continue;
      if (*of[c])
        copy(of[c]->data, *at[c], first, n);
      else
        for (std::size_t i = first; i < first + n; ++i) (*at[c])[i] = T(0);
    }
  }
  template <class V>
  static void copy(const V* from, const Column<V>& to, std::size_t first, std::size_t n) {
    if (!to) return;
    if (to.stride == static_cast<std::ptrdiff_t>(sizeof(V)))
      std::copy_n(from + first, n, to.data + first);
    else
      for (std::size_t i = first; i < first + n; ++i) to[i] = from[i];
  }

  /// Stores the displacements of all bodies, including free bodies. Methods that do not move bodies leave that to the
  /// velocities after the step.
  void store_motion(ThreadTeam& team) const {
    const Vector3Columns<T>&x = results_.displacement, &turn = results_.rotation;
    const Column<T>* const columns[6] = {&x.x, &x.y, &x.z, &turn.x, &turn.y, &turn.z};
    if (std::none_of(columns, columns + 6, [](const Column<T>* column) { return static_cast<bool>(*column); })) return;
    const auto h = static_cast<T>(options_.time_step);
    // A body without contacts and rows moves on a parabola if islands are solved directly, otherwise as its substeps
    // would move it.
    const auto n = static_cast<T>(options_.substeps.min_substeps);
    const T by_forces = T(0.5) * (options_.solves_islands ? h : h * (T(1) - T(1) / n));
    team.each(bodies_, validated_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t i = first; i < end; ++i) {
        const std::uint32_t island = workspace_.graph.island_of_body[i];
        const bool is_solved =
            options_.moves_bodies && island != Graph::no_island && workspace_.islands.overflow[island] == 0;
        T moved[6];
        if (is_solved) {
          std::copy_n(job_.displacements[i].numbers, 6, moved);
        } else {
          const bool is_pushed = options_.moves_bodies && job_.changes != nullptr && movable_[i] != 0;
          const T* const change = is_pushed ? job_.changes[i].numbers : nullptr;
          for (std::size_t c = 0; c < 6; ++c)
            moved[c] = h * job_.velocities[i].numbers[c] - (change != nullptr ? by_forces * change[c] : T(0));
        }
        for (std::size_t c = 0; c < 6; ++c)
          if (*columns[c]) (*columns[c])[i] = without_sign(moved[c]);
      }
    });
  }

  /// Stores the impulses that the next step begins with.
  void store_warm_impulses(ThreadTeam& team, bool has_faults) const {
    const Column<T>* const to[3] = {&results_.warm_impulse.x, &results_.warm_impulse.y, &results_.warm_impulse.z};
    const Column<T>* const from[3] = {&inner_.warm_impulse.x, &inner_.warm_impulse.y, &inner_.warm_impulse.z};
    for (std::size_t c = 0; c < 3; ++c) {
      if (!*to[c]) continue;
      team.each(contacts_, validated_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
        copy(from[c]->data, *to[c], first, end - first);
        for (std::size_t i = first; i < end && has_faults; ++i)
          if (is_fault(static_cast<Status>(job_.status[i]))) (*to[c])[i] = T(0);
      });
    }
  }

  void store_islands(ThreadTeam& team) const {
    const Graph& graph = workspace_.graph;
    const auto number = [&](const Column<std::int32_t>& to, std::size_t count, const Array<Constraint>& from,
                            const Array<std::uint32_t>& island, const std::uint32_t* at) {
      if (!to) return;
      std::size_t in_islands = 0;
      for (const Constraint& m : from) in_islands += m.count;
      for (std::size_t i = 0; i < count && in_islands < count; ++i) to[i] = -1;
      team.each(from.size(), manifolds_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
        for (std::size_t m = first; m < end; ++m)
          for (std::uint32_t k = 0; k < from[m].count; ++k)
            to[kernel::number_at(at, from[m].first + k)] = static_cast<std::int32_t>(island[m]);
      });
    };
    number(results_.island, contacts_, graph.manifolds, graph.island_of_manifold, job_.contact_at);
    number(results_.joint_island, rows_, graph.groups, graph.island_of_group, job_.row_at);
    const IslandResults<T>& to = results_.islands;
    for (std::size_t i = 0; i < graph.islands; ++i) {
      const IslandResult& island = workspace_.islands.result[i];
      if (to.status) to.status[i] = island.status;
      if (to.residual) to.residual[i] = without_sign(static_cast<T>(island.residual));
      if (to.iterations) to.iterations[i] = island.iterations;
      if (to.substeps) to.substeps[i] = workspace_.substeps.empty() ? 1 : std::max(workspace_.substeps[i], 1);
      if (to.energy_removed) to.energy_removed[i] = static_cast<T>(removed_energy(workspace_, i));
      if (to.relative_error) to.relative_error[i] = static_cast<T>(island.error);
      if (to.algorithm) to.algorithm[i] = island.algorithm;
    }
  }

  void count_statuses(ThreadTeam& team, SceneReport& report) const {
    const auto separating = static_cast<std::uint8_t>(Status::separating);
    std::atomic<std::size_t> above_separating{0}, above_ok{0};
    team.each(contacts_, 4 * validated_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      above_separating.fetch_add(count_above(separating, job_.status + first, end - first), std::memory_order_relaxed);
      above_ok.fetch_add(count_above(ok, job_.status + first, end - first), std::memory_order_relaxed);
    });
    const std::size_t others = above_separating, separate = above_ok - others;
    const auto first = [&](std::uint8_t status) {
      return static_cast<std::size_t>(std::find(job_.status, job_.status + contacts_, status) - job_.status);
    };
    // Only statuses that occur are searched for.
    if (separate > 0) report.by_status.add(Status::separating, first(separating), separate);
    if (contacts_ > above_ok) report.by_status.add(Status::ok, first(ok), contacts_ - above_ok);
    std::size_t counted = contacts_ - others;
    for (std::size_t i = 0; i < contacts_ && counted < contacts_; ++i)
      if (job_.status[i] > separating) {
        report.by_status.add(static_cast<Status>(job_.status[i]), i);
        ++counted;
      }
  }

  const kernel::SceneJob<T>& job_;
  const Workspace<T>& workspace_;
  const SceneResults<T>&results_, &inner_;
  const CallOptions& options_;
  const std::uint8_t* movable_;
  std::size_t bodies_, contacts_, rows_;
};

}  // namespace carom::scene
