#include <carom/carom.h>

#include <carom/carom.hpp>

using namespace carom;

namespace {

/// Texts are literals, which end with a zero.
template <class E>
const char* name_of(std::int32_t number) {
  return to_string(static_cast<E>(number < 0 || number > 255 ? 255 : number)).data();
}

}  // namespace

const char* carom_law_name(std::int32_t law) {
  return name_of<Law>(law);
}
const char* carom_restitution_law_name(std::int32_t law) {
  return name_of<RestitutionLaw>(law);
}
const char* carom_integrator_name(std::int32_t integrator) {
  return name_of<Integrator>(integrator);
}
const char* carom_status_name(std::int32_t status) {
  return name_of<Status>(status);
}
const char* carom_isa_name(std::int32_t isa) {
  return name_of<Isa>(isa);
}
const char* carom_gradient_status_name(std::int32_t status) {
  return name_of<GradientStatus>(status);
}
const char* carom_scene_method_name(std::int32_t method) {
  return name_of<SceneMethod>(method);
}
const char* carom_contact_state_name(std::int32_t state) {
  return name_of<ContactState>(state);
}

std::int32_t carom_path_index(carom_path path) {
  static_assert(sizeof(carom_path) == sizeof(Path) && CAROM_PATH_ROOM == Path::room &&
                CAROM_STATUS_ROOM == status_room);
  const Path of{static_cast<Course>(path.course), static_cast<Sticking>(path.sticking), path.compressions,
                path.decompressions};
  return of.is_known() ? static_cast<std::int32_t>(of.index()) : -1;
}
