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
  const SceneResults<T>& results;  ///< of contacts, as the kernels have stored them
  Workspace<T>& workspace;
  bool in_substeps, contacts_have_history;
};

template <class T>
void remember(const Memorable<T>& of) {
  Remembered<T>& remembered = of.workspace.remembered;
  const Graph& graph = of.workspace.graph;
  const kernel::SceneJob<T>& job = of.job;
  const auto need = [&](std::uint32_t island) {
    return of.in_substeps ? of.workspace.substeps_wanted[island] : SubstepNeed{};
  };
  if (const Column<const std::uint64_t>& key = of.scene.contacts.key) {
    const Vector3Columns<T>& p = of.in_substeps ? of.results.warm_impulse : of.results.impulse;
    const Vector3Columns<const T>&begun = job.warm_impulse, &n = of.scene.contacts.normal;
    for (std::uint32_t m = 0; m < graph.manifolds.size(); ++m)
      for (std::uint32_t k = 0; k < graph.manifolds[m].count; ++k) {
        const std::uint32_t i = kernel::number_at(job.contact_at, graph.manifolds[m].first + k);
        if (is_fault(static_cast<Status>(job.status[i]))) continue;
        ImpulseHistory<T> history;
        if (of.in_substeps && of.contacts_have_history) {
          history = remembered.history()[i];
          history.pass(std::max(begun.x[i] * n.x[i] + begun.y[i] * n.y[i] + begun.z[i] * n.z[i], T(0)));
        }
        history.need = need(graph.island_of_manifold[m]);
        remembered.add(key[i], {p.x[i], p.y[i], p.z[i]}, history, m);
      }
    remembered.replace_contacts();
  }
  if (const Column<const std::uint64_t>& key = of.scene.joints.key) {
    const T* const impulse = of.in_substeps ? job.row_warm : job.row_impulse;
    for (std::size_t m = 0; m < graph.groups.size(); ++m)
      for (std::uint32_t k = 0; k < graph.groups[m].count; ++k) {
        const std::uint32_t i = kernel::number_at(job.row_at, graph.groups[m].first + k);
        if (job.row_status[i] != static_cast<std::uint8_t>(Status::ok)) continue;
        remembered.add_row(key[i], impulse[i], need(graph.island_of_group[m]));
      }
    remembered.replace_rows();
  }
}

}  // namespace carom::scene
