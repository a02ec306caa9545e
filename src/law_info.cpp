#include <array>
#include <carom/law_info.hpp>
#include <carom/status.hpp>

#include "columns.hpp"

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
  std::size_t i = 0;
  for (const columns::ParameterRange& range : columns::parameter_ranges)
    if (range.has_reader(law)) parameters[i++] = range.values;
  return parameters;
}();

constexpr auto weights = [] {
  std::array<LawParameter, columns::member_count> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const columns::Member& member = columns::members[i];
    all[i] = {member.weight, member.law != Law::pfeiffer_glocker, true, 0, columns::any_number};
  }
  return all;
}();

constexpr std::array<LawInfo, law_count> laws = {{
    {.law = Law::incremental,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = true,
     .parameters = {},
     .restitution = "energetic, kinetic or kinematic",
     .may_gain_energy = true,
     .energy_gain = "with kinematic restitution",
     .source = "Routh 1897; Stronge 1990; Mirtich 1996"},
    {.law = Law::frictionless,
     .in_space = true,
     .in_plane = true,
     .reads_friction = false,
     .reads_restitution = true,
     .parameters = {},
     .restitution = "kinematic",
     .may_gain_energy = false,
     .energy_gain = "never",
     .source = "Newton"},
    {.law = Law::no_slip,
     .in_space = true,
     .in_plane = true,
     .reads_friction = false,
     .reads_restitution = true,
     .parameters = {},
     .restitution = "kinematic",
     .may_gain_energy = false,
     .energy_gain = "never",
     .source = "Chatterjee, Ruina 1998, eq. 4"},
    {.law = Law::chatterjee_ruina,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = true,
     .parameters = parameters_of<Law::chatterjee_ruina>,
     .restitution = "kinematic",
     .may_gain_energy = false,
     .energy_gain = "never",
     .source = "Chatterjee, Ruina 1998, 5"},
    {.law = Law::bilinear,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = true,
     .parameters = parameters_of<Law::bilinear>,
     .restitution = "kinematic where k is 0",
     .may_gain_energy = true,
     .energy_gain = "where k is not 0",
     .source = "Brach 1991; Walton 1992"},
    {.law = Law::whittaker,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = true,
     .parameters = {},
     .restitution = "kinematic",
     .may_gain_energy = true,
     .energy_gain = "where k is not 0",
     .source = "Whittaker 1944; Kane, Levinson 1985"},
    {.law = Law::smith,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = true,
     .parameters = {},
     .restitution = "kinematic",
     .may_gain_energy = false,
     .energy_gain = "never",
     .source = "Smith 1991"},
    {.law = Law::anitescu_potra,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = true,
     .parameters = {},
     .restitution = "kinetic",
     .may_gain_energy = false,
     .energy_gain = "never",
     .source = "Anitescu, Potra 1997"},
    {.law = Law::pfeiffer_glocker,
     .in_space = false,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = true,
     .parameters = parameters_of<Law::pfeiffer_glocker>,
     .restitution = "kinetic",
     .may_gain_energy = false,
     .energy_gain = "never",
     .source = "Pfeiffer, Glocker 1996"},
    {.law = Law::brach,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = true,
     .parameters = parameters_of<Law::brach>,
     .restitution = "kinematic",
     .may_gain_energy = false,
     .energy_gain = "never",
     .source = "Brach 1991"},
    {.law = Law::projected,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = false,
     .parameters = parameters_of<Law::projected>,
     .restitution = "none",
     .may_gain_energy = false,
     .energy_gain = "never",
     .source = "Chatterjee, Ruina 1998, 4.1"},
    {.law = Law::polar,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = false,
     .parameters = parameters_of<Law::polar>,
     .restitution = "none",
     .may_gain_energy = false,
     .energy_gain = "never",
     .source = "Chatterjee, Ruina 1998, 4.1"},
    {.law = Law::composite,
     .in_space = true,
     .in_plane = true,
     .reads_friction = true,
     .reads_restitution = true,
     .parameters = weights,
     .restitution = "that of its members",
     .may_gain_energy = true,
     .energy_gain = "where a member does",
     .source = "Chatterjee, Ruina 1998, 5.3"},
}};

}  // namespace

const LawInfo& law_info(Law law) {
  const auto index = static_cast<std::size_t>(law);
  if (index >= law_count) throw Error("carom: there is no law of number " + std::to_string(index));
  return laws[index];
}

std::span<const LawInfo> all_laws() {
  return laws;
}

}  // namespace carom
