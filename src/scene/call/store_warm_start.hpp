// The end of a call: the impulses of named contacts and rows go into the solver's memory.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>

#include "core/jobs/scene_job.hpp"
#include "core/support/fault.hpp"
#include "scene/methods/workspace.hpp"

namespace carom::scene {

/// True if a DirectIsland found the impulses, in double.
inline bool is_direct(IslandAlgorithm by) {
  return by == IslandAlgorithm::last_impulses || by == IslandAlgorithm::linear || by == IslandAlgorithm::interior_point;
}

/// A solved scene, and its initial impulses.
template <class T>
struct Memorable {
  const Scene<T>& scene;
  const kernel::SceneJob<T>& job;
  Workspace<T>& workspace;
  bool in_substeps, contacts_have_history;
  ThreadTeam& team;

  /// In substeps: true if the needs of an island's contacts and rows have not changed.
  bool keeps_needs(std::uint32_t island) const {
    return workspace.substeps_wanted[island].substeps == SubstepNeed::as_before;
  }
  /// In substeps, of a contact or a row that had `before`.
  SubstepNeed need(std::uint32_t island, const SubstepNeed& before) const {
    return keeps_needs(island) ? before.without_income() : workspace.substeps_wanted[island];
  }
  /// True if the rounding of an island's impulses is known.
  bool has_rests(std::uint32_t island) const {
    return job.next_rest.x && is_direct(workspace.islands.result[island].algorithm);
  }
  /// Sets to[i] to the normal impulse [N s] that contact i of [first, end) had in the last call. They have one normal,
  /// as contacts of a manifold.
  void normal_impulses_before(std::uint32_t first, std::uint32_t end, T* to) const {
    const WarmStartCache<T>& last = workspace.warm_start_cache;
    const T *const px = last.impulse(0), *const py = last.impulse(1), *const pz = last.impulse(2);
    const Vector3Columns<const T>& n = scene.contacts.normal;
    const T x = n.x[first], y = n.y[first], z = n.z[first];
    for (std::uint32_t i = first; i < end; ++i) to[i - first] = std::max(px[i] * x + py[i] * y + pz[i] * z, T(0));
  }
};

template <class T>
bool any_fault(const kernel::SceneJob<T>& job) {
  std::uint8_t highest = 0;
  for (std::size_t i = 0; i < job.contacts; ++i) highest = std::max(highest, job.status[i]);
  return is_fault(static_cast<Status>(highest));
}

/// Sets the histories of contacts that are in the order of their manifolds, of which these are [from, to). Their rests
/// are stored already.
template <class T>
void set_histories(const Memorable<T>& of, Histories<T>& next, std::size_t from, std::size_t to) {
  const Graph& graph = of.workspace.graph;
  const Histories<T>& last = of.workspace.warm_start_cache.histories();
  const bool has_history = of.in_substeps && of.contacts_have_history;
  T *const now = next.earlier(0), *const before = next.earlier(1);
  const std::size_t begin = graph.manifolds[from].first,
                    stop = graph.manifolds[to - 1].first + graph.manifolds[to - 1].count;
  for (T* column : {now, before})
    if (!has_history) std::fill(column + begin, column + stop, T(0));
  if (has_history) std::copy(last.earlier(0) + begin, last.earlier(0) + stop, before + begin);
  SubstepNeed* const need = next.need();
  for (std::size_t m = from; m < to; ++m) {
    const std::uint32_t first = graph.manifolds[m].first, end = first + graph.manifolds[m].count;
    const std::uint32_t island = graph.island_of_manifold[m];
    if (has_history) of.normal_impulses_before(first, end, now + first);
    if (has_history && of.keeps_needs(island))
      std::transform(last.need() + first, last.need() + end, need + first,
                     [](const SubstepNeed& before) { return before.without_income(); });
    else
      std::fill(need + first, need + end, of.need(island, {}));
    for (std::size_t c = 0; keeps_rests<T> && c < 3 && !of.has_rests(island); ++c)
      std::fill(next.rest(c) + first, next.rest(c) + end, T(0));
  }
}

/// Keeps the contacts without fault, manifold by manifold.
template <class T>
void cache_contacts(const Memorable<T>& of) {
  WarmStartCache<T>& warm_start_cache = of.workspace.warm_start_cache;
  const Graph& graph = of.workspace.graph;
  const kernel::SceneJob<T>& job = of.job;
  const Column<const std::uint64_t>& key = of.scene.contacts.key;
  if (job.contact_at == nullptr && warm_start_cache.all_have_keys() && !any_fault(job))
    return warm_start_cache.keep_all(
        graph.manifolds, graph.island_of_manifold,
        [&](Histories<T>& next, std::size_t first, std::size_t end) { set_histories(of, next, first, end); }, of.team);
  const auto history_of = [&](std::uint32_t i, std::uint32_t island) {
    ImpulseHistory<T> history;
    if (!of.in_substeps) return history;
    if (of.contacts_have_history) {
      const ImpulseHistory<T> last = warm_start_cache.histories().at(i);
      of.normal_impulses_before(i, i + 1, history.earlier);
      history.earlier[1] = last.earlier[0];
      history.need = last.need;
    }
    if (of.has_rests(island)) {
      history.rest[0] = job.next_rest.x[i];
      history.rest[1] = job.next_rest.y[i];
      history.rest[2] = job.next_rest.z[i];
    }
    history.need = of.need(island, history.need);
    return history;
  };
  warm_start_cache.begin_to_add();
  for (std::uint32_t m = 0; m < graph.manifolds.size(); ++m) {
    bool begins = true;
    const std::uint32_t island = graph.island_of_manifold[m];
    for (std::uint32_t k = 0; k < graph.manifolds[m].count; ++k) {
      const std::uint32_t i = kernel::number_at(job.contact_at, graph.manifolds[m].first + k);
      if (key[i] == 0 || is_fault(static_cast<Status>(job.status[i]))) continue;
      warm_start_cache.add(key[i], i, begins, island, history_of(i, island));
      begins = false;
    }
  }
  warm_start_cache.replace_contacts();
}

template <class T>
void remember(const Memorable<T>& of) {
  WarmStartCache<T>& warm_start_cache = of.workspace.warm_start_cache;
  const Graph& graph = of.workspace.graph;
  const kernel::SceneJob<T>& job = of.job;
  if (!of.scene.contacts.key && !of.scene.joints.key) return;
  warm_start_cache.keep_absent();
  if (of.scene.contacts.key) cache_contacts(of);
  if (const Column<const std::uint64_t>& key = of.scene.joints.key) {
    const T* const impulse = of.in_substeps ? job.row_warm : job.row_impulse;
    for (std::size_t m = 0; m < graph.groups.size(); ++m)
      for (std::uint32_t k = 0; k < graph.groups[m].count; ++k) {
        const std::uint32_t i = kernel::number_at(job.row_at, graph.groups[m].first + k);
        if (job.row_status[i] != static_cast<std::uint8_t>(Status::ok)) continue;
        const std::uint32_t island = graph.island_of_group[m];
        CachedRow<T> row{impulse[i], {}, 0};
        if (of.in_substeps) row.need = of.need(island, warm_start_cache.rows()[i].need);
        if (job.row_next_rest != nullptr && is_direct(of.workspace.islands.result[island].algorithm))
          row.rest = job.row_next_rest[i];
        warm_start_cache.add_row(key[i], island, row);
      }
    warm_start_cache.replace_rows();
  }
  warm_start_cache.end_call();
}

}  // namespace carom::scene
