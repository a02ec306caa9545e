#include <carom/carom.h>

#include <carom/carom.hpp>

#include "fields.hpp"

using namespace carom;

namespace carom::c {

template <class F, Is<LawInfo> O, class C>
void each_field(F&& f, O& info, C& c) {
  auto& [law, in_space, in_plane, reads_friction, reads_restitution, parameters, restitution, may_gain_energy,
         energy_gain, source] = info;
  f("law", law, c.law);
  f("in_space", in_space, c.in_space);
  f("in_plane", in_plane, c.in_plane);
  f("reads_friction", reads_friction, c.reads_friction);
  f("reads_restitution", reads_restitution, c.reads_restitution);
  f("parameters", parameters.size(), c.parameters);
  f("restitution", restitution, c.restitution);
  f("may_gain_energy", may_gain_energy, c.may_gain_energy);
  f("energy_gain", energy_gain, c.energy_gain);
  f("source", source, c.source);
}

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
const char* carom_bender_schmitt_phase_name(std::int32_t phase) {
  return name_of<BenderSchmittPhase>(phase);
}
const char* carom_contact_filter_name(std::int32_t filter) {
  return name_of<ContactFilter>(filter);
}
const char* carom_error_scale_name(std::int32_t scale) {
  return name_of<ErrorScale>(scale);
}
const char* carom_island_status_name(std::int32_t status) {
  return name_of<IslandStatus>(status);
}
const char* carom_island_algorithm_name(std::int32_t algorithm) {
  return name_of<IslandAlgorithm>(algorithm);
}
const char* carom_combine_rule_name(std::int32_t rule) {
  return name_of<CombineRule>(rule);
}
const char* carom_error_name(std::int32_t error) {
  return error == CAROM_OK ? "ok" : name_of<ErrorKind>(error);
}
const char* carom_contact_state_name(std::int32_t state) {
  return name_of<ContactState>(state);
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
