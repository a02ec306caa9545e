#include "units.hpp"

namespace carom::io {
namespace {

struct Quantity {
  std::string_view name;  ///< without body and component
  std::string_view unit;
};

constexpr Quantity quantities[] = {
    {"friction", "1"},
    {"friction_direction", "1"},
    {"static_friction", "1"},
    {"restitution", "1"},
    {"tangential_restitution", "1"},
    {"impulse_ratio", "1"},
    {"fraction", "1"},
    {"normal", "1"},
    {"steps", "1"},
    {"damping_ratio", "1"},
    {"frequency", "Hz"},
    {"inverse_mass", "1/kg"},
    {"k", "1/kg"},
    {"normal_compliance", "1/kg"},
    {"tangential_compliance", "1/kg"},
    {"inverse_inertia", "1/(kg m^2)"},
    {"r_a", "m"},
    {"r_b", "m"},
    {"separation", "m"},
    {"slop", "m"},
    {"rolling_friction", "m"},
    {"spinning_friction", "m"},
    {"velocity", "m/s"},
    {"new_velocity", "m/s"},
    {"new_separation_velocity", "m/s"},
    {"target_velocity", "m/s"},
    {"surface_velocity", "m/s"},
    {"u0", "m/s"},
    {"u", "m/s"},
    {"margin_non_penetration", "m/s"},
    {"angular_velocity", "rad/s"},
    {"new_angular_velocity", "rad/s"},
    {"polar_angle", "rad"},
    {"azimuth", "rad"},
    {"impulse", "N s"},
    {"impulse_step", "N s"},
    {"warm_impulse", "N s"},
    {"p", "N s"},
    {"candidate", "N s"},
    {"plastic_frictionless", "N s"},
    {"plastic_sticking", "N s"},
    {"margin_tension", "N s"},
    {"margin_cone", "N s"},
    {"angular_impulse", "N m s"},
    {"warm_angular_impulse", "N m s"},
    {"work_compression", "J"},
    {"work_decompression", "J"},
    {"contact_energy", "J"},
    {"margin_energy", "J"},
    {"stiffness", "N/m"},
    {"damping", "N s/m"},
};

/// True if the rest of a name after its quantity is a body, a component, both or nothing: "_a_xx", "_2".
bool is_body_or_component(std::string_view rest) {
  if (rest.starts_with("_a") || rest.starts_with("_b")) rest.remove_prefix(2);
  return rest.empty() || (rest.size() <= 3 && rest.front() == '_' && rest.size() > 1 &&
                          rest.find_first_not_of("12xyz", 1) == std::string_view::npos);
}

}  // namespace

std::string unit_of(std::string_view column) {
  if (column.starts_with("weight_")) return "1";
  for (const auto& [name, unit] : quantities)
    if (column.starts_with(name) && is_body_or_component(column.substr(name.size()))) return std::string(unit);
  return {};
}

}  // namespace carom::io
