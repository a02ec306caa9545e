// The laws in closed form, and the choice among all of them. A. Chatterjee, A. Ruina, A New Algebraic Rigid Body
// Collision Law Based on Impulse Space Considerations, 1998, sections 4 and 5.
//
//   P_I     the impulse that stops the approach without friction, eq. 3
//   P_II    the one that stops all of u, eq. 4
//   P_0     1.5 P_I, a point inside the permissible region
#include <algorithm>
#include <cmath>

#include "core/columns/columns.hpp"
#include "laws_columns.hpp"
#include "laws_parts.hpp"
#include "vector.hpp"

namespace carom::reference {
namespace {

Vector3 tangential(const Vector3& v) {
  return {v[0], v[1], 0};
}

double length(const Vector3& v) {
  return std::hypot(v[0], v[1], v[2]);
}

// Axes 1 and 2: against the first slip, and at a right angle to it.
struct Axes {
  Vector3 first{1, 0, 0}, second{0, 1, 0};

  explicit Axes(const Vector3& u0) {
    const double slip = length(tangential(u0));
    if (slip > 0) first = (-1 / slip) * tangential(u0);
    second = {-first[1], first[0], 0};
  }
  Vector3 at(double x, double y) const { return x * first + y * second; }
};

Vector3 frictionless(const Collision& c) {
  return (1 + c.restitution) * impulse_space(c).plastic_frictionless;
}

Vector3 no_slip(const Collision& c) {
  return (1 + c.restitution) * impulse_space(c).plastic_sticking;
}

// Eqs. 10 to 14.
Vector3 chatterjee_ruina(const Collision& c, double tangential_restitution) {
  const Cone cone(c.friction);
  const ImpulseSpace space = impulse_space(c);
  const Vector3 first = frictionless(c);
  const Vector3 way = space.plastic_sticking - space.plastic_frictionless;
  const Vector3 candidate = first + (1 + tangential_restitution) * way;
  if (cone.holds(candidate)) return candidate;
  const double kappa = cone.tangential * first[2] / (cone.normal * length(tangential(way)) - cone.tangential * way[2]);
  return cone.onto(first + kappa * way);
}

// Eq. 9, with P_II for M22 u0_t.
Vector3 bilinear(const Collision& c, double tangential_restitution) {
  const Cone cone(c.friction);
  const Vector3 first = frictionless(c);
  if (length(tangential(c.u0)) == 0) return first;
  const double friction = (1 + tangential_restitution) * length(tangential(impulse_space(c).plastic_sticking));
  const bool slips = cone.normal * friction > cone.tangential * first[2];
  return first + (slips ? c.friction * first[2] : friction) * Axes(c.u0).first;
}

// All impulses of this direction with this restitution lie on one straight line through the frictionless one.
Vector3 brach(const Collision& c, double ratio_1, double ratio_2) {
  const Vector3 first = frictionless(c);
  const double size = std::max(std::abs(ratio_1), std::abs(ratio_2));
  if (size == 0) return first;
  const Vector3 ratios = Axes(c.u0).at(ratio_1 / size, ratio_2 / size);
  const double coupling = dot(c.k[2], ratios) / c.k[2][2];
  const Vector3 way = ratios - Vector3{0, 0, coupling};
  const Reach reach(c, 1 + c.restitution, way);
  const double rate = 1 / size + coupling;
  const double unscaled = rate > 0 ? first[2] / rate : infinity;
  const double s = std::min({unscaled, reach.energy, reach.cone});
  const Vector3 p = first + s * way;
  return s == reach.cone ? Cone(c.friction).onto(p) : p;
}

// From P_0 along d, as far as s allows and the permissible region.
Vector3 within_region(const Collision& c, const Vector3& d, double s, const Reach& reach) {
  s = std::min({s, reach.energy, reach.non_penetration, reach.cone});
  const Vector3 p = 1.5 * impulse_space(c).plastic_frictionless + s * d;
  return s == reach.cone ? Cone(c.friction).onto(p) : p;
}

Vector3 projected(const Collision& c, const Vector3& candidate) {
  const Vector3 way = candidate - 1.5 * impulse_space(c).plastic_frictionless;
  const double distance = length(way);
  if (distance == 0) return candidate;
  const Vector3 d = {way[0] / distance, way[1] / distance, way[2] / distance};
  const Reach reach(c, 1.5, d);
  if (std::min({reach.energy, reach.non_penetration, reach.cone}) >= distance) return candidate;
  return within_region(c, d, distance, reach);
}

Vector3 polar(const Collision& c, const LawParameters& parameters) {
  const double across = std::sin(parameters.polar_angle);
  Vector3 d = Axes(c.u0).at(across * std::cos(parameters.azimuth), across * std::sin(parameters.azimuth));
  d[2] = std::cos(parameters.polar_angle);
  const Reach reach(c, 1.5, d);
  const double boundary = std::min({reach.energy, reach.non_penetration, reach.cone});
  // A fraction of 1 uses the distance as it is, so that results on the boundary are exact.
  return within_region(c, d, parameters.fraction < 1 ? parameters.fraction * boundary : boundary, reach);
}

LawOutcome finish(const Collision& c, const Vector3& p, Status status) {
  LawOutcome o;
  o.status = status;
  o.u = c.u0 + c.k * p;
  o.p = p;
  o.path.sliding_end = Cone(c.friction).reached(p) ? SlidingEnd::slip : SlidingEnd::stick;
  return o;
}

LawOutcome failed(const Collision& c, Status status) {
  LawOutcome o;
  o.status = status;
  o.u = c.u0;
  if (status == Status::separating) o.path.sliding_end = SlidingEnd::separating;
  return o;
}

LawOutcome finish(const Collision& c, const Solutions& solutions) {
  if (solutions.count == 0) return failed(c, Status::no_solution);
  return finish(c, solutions.p, solutions.count > 1 ? Status::several_solutions : Status::ok);
}

LawOutcome incremental(const Collision& c, RestitutionLaw restitution_law, std::int32_t step_budget) {
  const Outcome exact = resolve_exact(c, restitution_law, step_budget);
  if (!exact.ended) return failed(c, Status::step_budget_reached);
  LawOutcome o;
  o.u = exact.u;
  o.p = exact.p;
  o.path = exact.path;
  return o;
}

LawOutcome apply_scaled(Law law, const Collision& c, const LawParameters& parameters, RestitutionLaw restitution_law,
                        std::int32_t step_budget);

LawOutcome composite(const Collision& c, const LawParameters& parameters, RestitutionLaw restitution_law,
                     std::int32_t step_budget) {
  const double largest = largest_weight(parameters.weight);
  double sum = 0;
  Vector3 p{};
  Status status = Status::ok;
  const auto add = [&](const auto&, Law law, double weight) {
    if (weight == 0 || is_fault(status)) return;
    const LawOutcome member = apply_scaled(law, c, parameters, restitution_law, step_budget);
    if (member.status != Status::ok) status = member.status;
    sum += weight / largest;
    p = p + weight / largest * member.p;
  };
  columns::each_weight(add, parameters.weight);
  if (is_fault(status)) return failed(c, status);
  return finish(c, 1 / sum * p, status);
}

LawOutcome apply_scaled(Law law, const Collision& c, const LawParameters& parameters, RestitutionLaw restitution_law,
                        std::int32_t step_budget) {
  const auto found = [&](const Vector3& p) { return finish(c, p, Status::ok); };
  switch (law) {
    case Law::incremental:
      return incremental(c, restitution_law, step_budget);
    case Law::frictionless:
      return found(frictionless(c));
    case Law::no_slip:
      return found(no_slip(c));
    case Law::chatterjee_ruina:
      return found(chatterjee_ruina(c, parameters.tangential_restitution));
    case Law::bilinear:
      return found(bilinear(c, parameters.tangential_restitution));
    case Law::whittaker:
      return finish(c, whittaker(c));
    case Law::smith:
      return finish(c, smith(c));
    case Law::anitescu_potra:
      return finish(c, anitescu_potra(c));
    case Law::brach:
      return found(brach(c, parameters.impulse_ratio_1, parameters.impulse_ratio_2));
    case Law::projected:
      return found(projected(c, parameters.candidate));
    case Law::polar:
      return found(polar(c, parameters));
    case Law::composite:
      return composite(c, parameters, restitution_law, step_budget);
    case Law::pfeiffer_glocker:
      break;
  }
  return failed(c, Status::law_unavailable);
}

// Returns the largest shift that keeps the squares of x in range: of a candidate this long, only the direction matters.
int shift_in_range(const Vector3& x) {
  const double largest = std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
  return largest > 0 ? 300 - std::ilogb(largest) : 0;
}

}  // namespace

LawOutcome apply(Law law, const Collision& c, const LawParameters& parameters, RestitutionLaw restitution_law,
                 std::int32_t step_budget) {
  if (c.u0[2] >= 0) return failed(c, Status::separating);
  if (!Cholesky::of(c.k)) return failed(c, Status::collision_matrix_not_positive_definite);

  // K and u0 of the order of 1, so that no square leaves the range of numbers.
  const int of_k = -std::ilogb(trace(c.k)), of_u = -std::ilogb(length(c.u0));
  Collision unit = c;
  for (Vector3& row : unit.k) row = scaled(row, of_k);
  unit.u0 = scaled(c.u0, of_u);
  LawParameters unit_parameters = parameters;
  unit_parameters.candidate = scaled(parameters.candidate, std::min(of_u - of_k, shift_in_range(parameters.candidate)));

  LawOutcome o = apply_scaled(law, unit, unit_parameters, restitution_law, step_budget);
  if (law != Law::incremental && !is_fault(o.status))
    o.u[2] = normal_velocity(law, parameters.weight, -unit.restitution * unit.u0[2], o.u[2]);
  o.u = is_fault(o.status) ? c.u0 : scaled(o.u, -of_u);
  o.p = scaled(o.p, of_k - of_u);
  return o;
}

}  // namespace carom::reference
