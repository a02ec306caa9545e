#include <algorithm>

#include "columns.hpp"
#include "sequence.hpp"
#include "sequence_round.hpp"

namespace carom::scene {

template <class T>
void judge_laws(const SceneOptions& options, const IsaEntry& entry, kernel::SceneJob<T>& job, SequenceSpace<T>& space,
                Crew& crew) {
  const Scene<T>& scene = *job.scene;
  const RangeKernels<T, IndexedContacts> kernels{kernel_for<T, IndexedContacts>(*entry.kernels),
                                                 kernel_for<T, IndexedContacts>(*entry.algebraic)};
  while (space.rounds.size() < crew.slots()) space.rounds.push_back(std::make_unique<Round<T>>());
  for (const auto& round : space.rounds) workspace_of(*round);
  crew.each(job.contacts, 4096, [&](std::size_t first, std::size_t end, std::size_t slot) {
    Round<T>& round = *space.rounds[slot];
    for (std::size_t i = first; i < end; i += Round<T>::most) {
      const std::size_t n = std::min(Round<T>::most, end - i);
      const IndexedContacts<T> contacts = columns::sliced(static_cast<const IndexedContacts<T>&>(scene), i, n);
      Results<T> results;
      results.status = {round.status, n};
      kernel::Job<T, IndexedContacts> batch{contacts, results, parameters_for<T>(options.collision)};
      batch.layout.packed_bodies = job.body_rows;
      kernel::OwnTally uncounted;
      solve_range(batch, kernels, 0, n, workspace_of(round), round.members.get(), uncounted);
      for (std::size_t k = 0; k < n; ++k) {
        const Status status = round.status[k];
        const bool of_law = (status >= Status::law_unavailable && status <= Status::restitution_law_unavailable) ||
                            status == Status::collision_matrix_not_positive_definite;
        if (of_law && job.status[i + k] == static_cast<std::uint8_t>(Status::ok))
          job.status[i + k] = static_cast<std::uint8_t>(status);
      }
    }
  });
}

template void judge_laws(const SceneOptions&, const IsaEntry&, kernel::SceneJob<float>&, SequenceSpace<float>&, Crew&);
template void judge_laws(const SceneOptions&, const IsaEntry&, kernel::SceneJob<double>&, SequenceSpace<double>&,
                         Crew&);

}  // namespace carom::scene
