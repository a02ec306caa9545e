#include "core/scene/contact_models.hpp"

#include "graph.hpp"

namespace carom::scene {

void Graph::find_models(const Parts& of) {
  models.clear();
  if (of.models == nullptr) return;
  // The max. possible size, so that other scenes of this size do not allocate.
  models.reserve(of.contacts);
  last_.models.reserve(of.contacts);
  models.assign(manifolds.size(), 0);
  std::uint8_t any = 0;
  for (std::size_t m = 0; m < manifolds.size(); ++m) {
    for (std::uint32_t k = 0; k < manifolds[m].count; ++k)
      models[m] |= of.models[kernel::number_at(of_contacts.at(), manifolds[m].first + k)];
    any |= models[m];
  }
  if (any == 0) models.clear();
}

}  // namespace carom::scene
