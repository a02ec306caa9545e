#include "impact_laws.hpp"

#include <algorithm>
#include <cmath>

#include "contact/call/range.hpp"
#include "core/columns/columns.hpp"
#include "core/support/array.hpp"
#include "scene/solvers/sequential/impact_batch.hpp"

namespace carom::scene {
namespace {

/// Returns whether the collision matrix of contact i is in the range of T. Other overflows depend on velocities and are
/// detected for whole islands.
template <class T>
bool has_finite_matrix(const kernel::SceneJob<T>& job, std::size_t i) {
  T trace = 0;
  const auto add = [&](std::int32_t body, const Vector3Columns<const T>& lever) {
    const T* const row = kernel::record_of(job.body_rows, body);
    const T x = lever.x[i], y = lever.y[i], z = lever.z[i];
    trace += 3 * row[0] + row[1] * (y * y + z * z) + row[4] * (x * x + z * z) + row[6] * (x * x + y * y);
    trace -= 2 * (row[2] * x * y + row[3] * x * z + row[5] * y * z);
  };
  add(job.scene->contacts.body_a[i], job.scene->contacts.r_a);
  add(job.scene->contacts.body_b[i], job.scene->contacts.r_b);
  return std::isfinite(trace);
}

}  // namespace

template <class T>
void validate_laws(const Call<T>& call) {
  const IsaEntry& entry = call.entry;
  kernel::SceneJob<T>& job = call.job;
  ImpactWorkspace<T>& space = call.workspace.sequential_impacts;
  ThreadTeam& team = call.team;
  const IndexedContacts<T> all = job.scene->indexed_contacts();
  const RangeKernels<T, IndexedContacts> kernels{kernel_for<T, IndexedContacts>(*entry.kernels),
                                                 kernel_for<T, IndexedContacts>(*entry.algebraic)};
  while (space.batches.size() < team.slots()) space.batches.push_back(make_owned<ImpactBatch<T>>());
  for (const auto& batch : space.batches) workspace_of(*batch);
  team.each(job.contacts, 4096, [&](std::size_t first, std::size_t end, std::size_t slot) {
    ImpactBatch<T>& batch = *space.batches[slot];
    for (std::size_t i = first; i < end; i += ImpactBatch<T>::most) {
      const std::size_t n = std::min(ImpactBatch<T>::most, end - i);
      const IndexedContacts<T> contacts = columns::sliced(all, i, n);
      Results<T> results;
      results.status = {batch.status, n};
      kernel::Job<T, IndexedContacts> law_job{contacts, results, parameters_for<T>(call.options.collision)};
      law_job.layout.packed_bodies = job.body_rows;
      kernel::OwnTally uncounted;
      solve_range(law_job, kernels, 0, n, workspace_of(batch), batch.components.get(), uncounted);
      for (std::size_t k = 0; k < n; ++k) {
        const Status status = batch.status[k];
        if (job.status[i + k] != static_cast<std::uint8_t>(Status::ok)) continue;
        const bool of_law = status >= Status::law_unavailable && status <= Status::restitution_law_unavailable;
        if (of_law || status == Status::collision_matrix_not_positive_definite ||
            (status == Status::overflow && !has_finite_matrix(job, i + k)))
          job.status[i + k] = static_cast<std::uint8_t>(status);
      }
    }
  });
}

template void validate_laws(const Call<float>&);
template void validate_laws(const Call<double>&);

}  // namespace carom::scene
