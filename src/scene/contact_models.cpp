#include "contact_models.hpp"

#include <carom/status.hpp>
#include <string>

#include "graph.hpp"
#include "single_substep.hpp"

namespace carom::scene {

template <class T>
void check_contact_models(const Scene<T>& scene, const SceneOptions& options) {
  const SceneContacts<T>& c = scene.contacts;
  if (c.static_friction && options.method == SceneMethod::ncp)
    throw Error("carom: the column contacts.static_friction is not for the method ncp, whose friction is one number");
  if (!has_contact_models(c)) return;
  const char* const name = c.friction_2              ? "friction_2"
                           : c.rolling_friction      ? "rolling_friction"
                           : c.spinning_friction     ? "spinning_friction"
                           : c.normal_compliance     ? "normal_compliance"
                           : c.tangential_compliance ? "tangential_compliance"
                                                     : "stiffness";
  const auto refuse = [&](const std::string& why) {
    throw Error(std::string("carom: the column contacts.") + name + why);
  };
  const bool has_step = options.method == SceneMethod::substeps || is_single_substep(options);
  if (options.method != SceneMethod::pgs && options.method != SceneMethod::ncp && !has_step)
    refuse(" is not for the method " + std::string(to_string(options.method)) + ", but for pgs, substeps and ncp");
  if (options.shock_propagation.enabled && !has_step && options.method != SceneMethod::ncp)
    refuse(" does not go with the option shock_propagation");
  if (c.stiffness && !has_step)
    throw Error("carom: the column contacts.stiffness needs substeps, or the option pgs.time_step above 0");
}
template void check_contact_models(const Scene<float>&, const SceneOptions&);
template void check_contact_models(const Scene<double>&, const SceneOptions&);

void Graph::find_models(const Parts& of) {
  models.clear();
  if (of.models == nullptr) return;
  // This is as much as there can be, so that other scenes of this size allocate nothing.
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
