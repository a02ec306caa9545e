#include <carom/carom.h>

#include <carom/carom.hpp>

#include "fields.hpp"

using namespace carom;

namespace carom::c {

namespace {

/// Throws Error if no law has the number.
const LawInfo& described(std::int32_t law) {
  if (law < 0 || law >= carom_law_count()) throw Error(Text("carom: there is no law of number ", law));
  return law_info(static_cast<Law>(law));
}

}  // namespace
}  // namespace carom::c

namespace {

/// Texts are literals, which end with a zero.
template <class E>
const char* name_of(std::int32_t number) {
  return to_string(static_cast<E>(number < 0 || number > 255 ? 255 : number)).data();
}

}  // namespace

#define CAROM_NAME_OF(function, Enum)         \
  const char* function(std::int32_t number) { \
    return name_of<Enum>(number);             \
  }
CAROM_NAME_OF(carom_law_name, Law)
CAROM_NAME_OF(carom_restitution_law_name, RestitutionLaw)
CAROM_NAME_OF(carom_integrator_name, Integrator)
CAROM_NAME_OF(carom_status_name, Status)
CAROM_NAME_OF(carom_isa_name, Isa)
CAROM_NAME_OF(carom_gradient_status_name, GradientStatus)
CAROM_NAME_OF(carom_scene_method_name, SceneMethod)
CAROM_NAME_OF(carom_bender_schmitt_phase_name, BenderSchmittPhase)
CAROM_NAME_OF(carom_contact_filter_name, ContactFilter)
CAROM_NAME_OF(carom_error_scale_name, ErrorScale)
CAROM_NAME_OF(carom_island_status_name, IslandStatus)
CAROM_NAME_OF(carom_island_algorithm_name, IslandAlgorithm)
CAROM_NAME_OF(carom_combine_rule_name, CombineRule)
CAROM_NAME_OF(carom_contact_state_name, ContactState)
#undef CAROM_NAME_OF

const char* carom_error_name(std::int32_t error) {
  return error == CAROM_OK ? "ok" : name_of<ErrorKind>(error);
}

std::int32_t carom_path_index(carom_path path) {
  static_assert(sizeof(carom_path) == sizeof(Path) && CAROM_PATH_ROOM == Path::room &&
                CAROM_STATUS_ROOM == status_room && CAROM_STATE_ROOM >= contact_state_count);
  const Path of{static_cast<SlidingEnd>(path.sliding_end), static_cast<Sticking>(path.sticking), path.compressions,
                path.decompressions};
  return of.is_known() ? static_cast<std::int32_t>(of.index()) : -1;
}

std::int32_t carom_law_count() {
  return static_cast<std::int32_t>(law_count);
}

carom_error carom_law_info_of(std::int32_t law, carom_law_info* info) {
  return c::guarded([&] {
    c::check_report(&c::given(info, "info"));
    c::put_report(c::described(law), info);
  });
}

carom_error carom_law_parameter_at(std::int32_t law, std::size_t index, carom_law_parameter* parameter) {
  return c::guarded([&] {
    c::check_report(&c::given(parameter, "parameter"));
    const auto parameters = c::described(law).parameters;
    if (index >= parameters.size())
      throw Error(Text("carom: there is no parameter ", index, " of the law ", carom_law_name(law)));
    c::put_report(parameters[index], parameter);
  });
}
