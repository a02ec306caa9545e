// The end of a call: the impulses of named contacts and rows go into the solver's memory.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>

#include "fault.hpp"
#include "kernel/scene/scene_job.hpp"
#include "workspace.hpp"

namespace carom::scene {

/// A solved scene, and what its impulses began with.
template <class T>
struct Memorable {
  const Scene<T>& scene;
  const kernel::SceneJob<T>& job;
  Workspace<T>& workspace;
  bool in_substeps, contacts_have_history;
  ThreadTeam& team;

  /// In substeps, of a contact or a row that had `before`.
  SubstepNeed need(std::uint32_t island, const SubstepNeed& before) const {
    const SubstepNeed& wanted = workspace.substeps_wanted[island];
    return wanted.substeps == SubstepNeed::as_before ? before.without_income() : wanted;
  }
};

template <class T>
bool any_fault(const kernel::SceneJob<T>& job) {
  std::uint8_t highest = 0;
  for (std::size_t i = 0; i < job.contacts; ++i) highest = std::max(highest, job.status[i]);
  return is_fault(static_cast<Status>(highest));
}

/// True if a DirectIsland found the impulses, in double.
inline bool is_direct(IslandAlgorithm by) {
  return by == IslandAlgorithm::last_impulses || by == IslandAlgorithm::linear || by == IslandAlgorithm::interior_point;
}

/// Keeps the contacts without fault, manifold by manifold.
template <class T>
void remember_contacts(const Memorable<T>& of) {
  Remembered<T>& remembered = of.workspace.remembered;
  const Graph& graph = of.workspace.graph;
  const kernel::SceneJob<T>& job = of.job;
  const Column<const std::uint64_t>& key = of.scene.contacts.key;
  const Vector3Columns<const T>&begun = job.warm_impulse, &n = of.scene.contacts.normal;
  const Column<T>* const rests[3] = {&job.next_rest.x, &job.next_rest.y, &job.next_rest.z};
  const auto history_of = [&](std::uint32_t i, std::uint32_t island) {
    ImpulseHistory<T> history;
    if (of.in_substeps && of.contacts_have_history) {
      history = remembered.history()[i];
      history.pass(std::max(begun.x[i] * n.x[i] + begun.y[i] * n.y[i] + begun.z[i] * n.z[i], T(0)));
    }
    const bool has_rest = job.next_rest.x && is_direct(of.workspace.island_algorithm[island]);
    for (std::size_t c = 0; c < 3; ++c) history.rest[c] = has_rest ? (*rests[c])[i] : T(0);
    if (of.in_substeps) history.need = of.need(island, history.need);
    return history;
  };
  if (job.contact_at == nullptr && remembered.all_have_keys() && !any_fault(job))
    return remembered.keep_all(key, graph.manifolds, graph.island_of_manifold, history_of, of.team);
  remembered.begin_to_add();
  for (std::uint32_t m = 0; m < graph.manifolds.size(); ++m) {
    bool begins = true;
    const std::uint32_t island = graph.island_of_manifold[m];
    for (std::uint32_t k = 0; k < graph.manifolds[m].count; ++k) {
      const std::uint32_t i = kernel::number_at(job.contact_at, graph.manifolds[m].first + k);
      if (key[i] == 0 || is_fault(static_cast<Status>(job.status[i]))) continue;
      remembered.add(key[i], i, begins, island, history_of(i, island));
      begins = false;
    }
  }
  remembered.replace_contacts();
}

template <class T>
void remember(const Memorable<T>& of) {
  Remembered<T>& remembered = of.workspace.remembered;
  const Graph& graph = of.workspace.graph;
  const kernel::SceneJob<T>& job = of.job;
  if (!of.scene.contacts.key && !of.scene.joints.key) return;
  remembered.keep_absent();
  if (of.scene.contacts.key) remember_contacts(of);
  if (const Column<const std::uint64_t>& key = of.scene.joints.key) {
    const T* const impulse = of.in_substeps ? job.row_warm : job.row_impulse;
    for (std::size_t m = 0; m < graph.groups.size(); ++m)
      for (std::uint32_t k = 0; k < graph.groups[m].count; ++k) {
        const std::uint32_t i = kernel::number_at(job.row_at, graph.groups[m].first + k);
        if (job.row_status[i] != static_cast<std::uint8_t>(Status::ok)) continue;
        const std::uint32_t island = graph.island_of_group[m];
        RememberedRow<T> row{impulse[i], {}, 0};
        if (of.in_substeps) row.need = of.need(island, remembered.rows()[i].need);
        if (job.row_next_rest != nullptr && is_direct(of.workspace.island_algorithm[island]))
          row.rest = job.row_next_rest[i];
        remembered.add_row(key[i], island, row);
      }
    remembered.replace_rows();
  }
  remembered.end_call();
}

}  // namespace carom::scene
