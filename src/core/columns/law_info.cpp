#include <array>
#include <carom/law_info.hpp>
#include <carom/status.hpp>

#include "columns.hpp"
#include "text.hpp"

namespace carom {
namespace {

constexpr std::size_t count_of(Law law) {
  std::size_t count = 0;
  for (const columns::ParameterRange& range : columns::parameter_ranges) count += range.has_reader(law) ? 1 : 0;
  return count;
}

/// The parameters that a law reads.
template <Law law>
constexpr auto parameters_of = [] {
  std::array<LawParameter, count_of(law)> parameters{};
  auto* to = parameters.begin();
  for (const columns::ParameterRange& range : columns::parameter_ranges)
    if (range.has_reader(law)) *to++ = range.values;
  return parameters;
}();
template <>
constexpr auto parameters_of<Law::composite> = [] {
  std::array<LawParameter, columns::component_count> weights{};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const columns::Component& component = columns::components[i];
    weights[i] = {component.weight, component.law != Law::pfeiffer_glocker, true, 0, columns::any_number};
  }
  return weights;
}();

enum class ReadsFriction : bool { no, yes };

/// A law gains no energy where that is "never", and does not read e where there is no hypothesis of it.
template <Law law>
constexpr LawInfo describe(std::string_view restitution, std::string_view energy_gain, std::string_view source,
                           ReadsFriction reads_friction = ReadsFriction::yes) {
  return {.law = law,
          .in_space = law != Law::pfeiffer_glocker,
          .in_plane = true,
          .reads_friction = reads_friction == ReadsFriction::yes,
          .reads_restitution = restitution != "none",
          .parameters = parameters_of<law>,
          .restitution = restitution,
          .may_gain_energy = energy_gain != "never",
          .energy_gain = energy_gain,
          .source = source};
}

constexpr std::array<LawInfo, law_count> laws = {{
    describe<Law::incremental>("energetic, kinetic or kinematic", "with kinematic restitution",
                               "Routh 1897; Stronge 1990; Mirtich 1996"),
    describe<Law::frictionless>("kinematic", "never", "Newton", ReadsFriction::no),
    describe<Law::no_slip>("kinematic", "never", "Chatterjee, Ruina 1998, eq. 4", ReadsFriction::no),
    describe<Law::chatterjee_ruina>("kinematic", "never", "Chatterjee, Ruina 1998, 5"),
    describe<Law::bilinear>("kinematic where k is 0", "where k is not 0", "Brach 1991; Walton 1992"),
    describe<Law::whittaker>("kinematic", "where k is not 0", "Whittaker 1944; Kane, Levinson 1985"),
    describe<Law::smith>("kinematic", "never", "Smith 1991"),
    describe<Law::anitescu_potra>("kinetic", "never", "Anitescu, Potra 1997"),
    describe<Law::pfeiffer_glocker>("kinetic", "never", "Pfeiffer, Glocker 1996"),
    describe<Law::brach>("kinematic", "never", "Brach 1991"),
    describe<Law::projected>("none", "never", "Chatterjee, Ruina 1998, 4.1"),
    describe<Law::polar>("none", "never", "Chatterjee, Ruina 1998, 4.1"),
    describe<Law::composite>("that of its members", "where a member does", "Chatterjee, Ruina 1998, 5.3"),
}};
static_assert(laws.back().law == static_cast<Law>(law_count - 1));

}  // namespace

const LawInfo& law_info(Law law) {
  const auto index = static_cast<std::size_t>(law);
  if (index >= law_count) throw Error(Text("carom: there is no law of number ", index));
  return laws[index];
}

std::span<const LawInfo> all_laws() {
  return laws;
}

}  // namespace carom
