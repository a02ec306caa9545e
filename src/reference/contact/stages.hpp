// The stages that spatial and planar contacts share: load, validate, store.
#pragma once

#include <cmath>
#include <limits>

#include "core/columns/check.hpp"
#include "core/columns/public_call.hpp"
#include "laws_columns.hpp"
#include "vector.hpp"

namespace carom::reference {

template <class Parameters>
struct LawsOf : LawOfContact<Parameters> {
  double friction = 0, restitution = 0, max_restitution = 1;
  double step = 0;  // the contact's own step, if given
  bool has_step = false;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  Integrator integrator = Integrator::series;
};

template <class Laws, class Vector, class Body>
struct BodyContactOf : Laws {
  Vector normal{};
  Body a, b;
  Vector r_a{}, r_b{};
  Status indices = Status::ok;
};

// Load.

inline double read(const Column<const double>& column, std::size_t i) {
  return column[i];
}
inline Vector2 read(const carom::planar::Vector2Columns<const double>& v, std::size_t i) {
  return {v.x[i], v.y[i]};
}
inline Vector3 read(const Vector3Columns<const double>& v, std::size_t i) {
  return {v.x[i], v.y[i], v.z[i]};
}
inline Matrix3 read(const SymmetricColumns<const double>& m, std::size_t i) {
  const double xy = m.xy[i], xz = m.xz[i], yz = m.yz[i];
  return {Vector3{m.xx[i], xy, xz}, Vector3{xy, m.yy[i], yz}, Vector3{xz, yz, m.zz[i]}};
}

template <class Body, class Bodies>
Body read_body(const Bodies& bodies, std::size_t i) {
  return {read(bodies.inverse_mass, i), read(bodies.inverse_inertia, i), read(bodies.velocity, i),
          read(bodies.angular_velocity, i)};
}

inline void make_unknown(double& x) {
  x = std::numeric_limits<double>::quiet_NaN();
}
template <std::size_t n>
void make_unknown(std::array<double, n>& v) {
  v.fill(std::numeric_limits<double>::quiet_NaN());
}

/// True if an index is valid: -1 (the world) or the index of a body.
inline bool exists(std::int32_t index, std::size_t bodies) {
  return index >= -1 && (index < 0 || static_cast<std::size_t>(index) < bodies);
}

/// ok, body_index_out_of_range or same_body.
inline Status fault_of_indices(std::int32_t a, std::int32_t b, std::size_t bodies) {
  if (!exists(a, bodies) || !exists(b, bodies)) return Status::body_index_out_of_range;
  return a == b && a >= 0 ? Status::same_body : Status::ok;
}

/// The world is at rest. The state of a body that does not exist is unknown.
template <class Body, class Bodies>
Body load_body(const Bodies& bodies, std::int32_t index) {
  Body body;
  if (index == -1) return body;
  if (exists(index, bodies.inverse_mass.count)) return read_body<Body>(bodies, static_cast<std::size_t>(index));
  make_unknown(body.velocity);
  make_unknown(body.angular_velocity);
  return body;
}

template <class AnyContacts, class Parameters>
void load_laws(const AnyContacts& contacts, std::size_t i, const Options& options, LawsOf<Parameters>& laws) {
  const LawColumns<double>& columns = contacts.laws;
  laws.law = columns.law ? columns.law[i] : options.law;
  LawReader<Parameters>(columns, i, laws).read(laws.law);
  laws.friction = contacts.friction[i];
  laws.restitution = contacts.restitution[i];
  laws.max_restitution = options.data.max_restitution;
  laws.restitution_law = columns.restitution_law ? columns.restitution_law[i] : options.restitution_law;
  // Planar laws do not integrate.
  if constexpr (std::is_same_v<Parameters, LawParameters>) {
    laws.has_step = columns.step && laws.law == Law::incremental;
    if (laws.has_step) laws.step = columns.step[i];
    laws.integrator = options.integrator;
  }
}

/// A contact of bodies, which it stores itself or refers to by index.
template <class BodyContact, class AnyContacts>
BodyContact load_bodies(const AnyContacts& contacts, std::size_t i, const Options& options) {
  BodyContact c;
  load_laws(contacts, i, options, c);
  c.normal = read(contacts.normal, i);
  if constexpr (requires { contacts.bodies; }) {
    const std::int32_t a = contacts.body_a[i], b = contacts.body_b[i];
    c.indices = fault_of_indices(a, b, contacts.bodies.inverse_mass.count);
    c.a = load_body<decltype(c.a)>(contacts.bodies, a);
    c.b = load_body<decltype(c.b)>(contacts.bodies, b);
  } else {
    c.a = read_body<decltype(c.a)>(contacts.a, i);
    c.b = read_body<decltype(c.b)>(contacts.b, i);
  }
  c.r_a = read(contacts.r_a, i);
  c.r_b = read(contacts.r_b, i);
  return c;
}

// Validate.

/// Finds NaN and infinity among the numbers passed to see(). A friction may be infinite.
class Numbers {
 public:
  void see(double x) {
    any_nan_ |= std::isnan(x);
    any_infinite_ |= std::isinf(x);
  }
  template <class X, std::size_t n>
  void see(const std::array<X, n>& all) {
    for (const X& x : all) see(x);
  }
  template <class Body>
  void see(const Body& body) requires requires {
    body.inverse_mass;
  }
  {
    see(body.inverse_mass);
    see(body.inverse_inertia);
    see(body.velocity);
    see(body.angular_velocity);
  }
  template <class Parameters>
  void see_laws(const LawsOf<Parameters>& laws) {
    see(laws.restitution);
    see(laws.step);
    any_nan_ |= std::isnan(laws.friction) || laws.fault == Status::not_a_number;
    any_infinite_ |= laws.fault == Status::infinite;
  }
  Status fault() const { return any_nan_ ? Status::not_a_number : any_infinite_ ? Status::infinite : Status::ok; }

 private:
  bool any_nan_ = false, any_infinite_ = false;
};

template <class Parameters>
Status fault_of_laws(const LawsOf<Parameters>& laws) {
  if (!(laws.restitution >= 0 && laws.restitution <= laws.max_restitution)) return Status::restitution_out_of_range;
  if (laws.friction < 0) return Status::negative_friction;
  if (laws.fault != Status::ok) return laws.fault;
  if (laws.has_step && !(laws.step > 0)) return Status::step_not_positive;
  // Only the incremental law has an integrator.
  const bool euler = laws.law == Law::incremental && laws.integrator == Integrator::euler;
  const auto last = euler ? RestitutionLaw::energetic : RestitutionLaw::kinematic;
  if (laws.restitution_law > last) return Status::restitution_law_unavailable;
  return Status::ok;
}

template <class Body>
bool turns(const Body& body) {
  return body.inverse_inertia != decltype(body.inverse_inertia){};
}
template <class Body>
bool is_immovable(const Body& body) {
  return body.inverse_mass == 0 && !turns(body);
}

/// Upper bound of the rounding error of a zero eigenvalue of K. A mass m keeps K above m. Without a mass K is the rest
/// of a sum whose terms are at most `terms` = Σ tr J |r|². The error of its entries is about 18 ε terms, and the
/// factors that test K for definiteness add 3 ε terms.
inline double rounding_of_k(double mass, double terms) {
  return mass > 0 ? 0 : 32 * std::numeric_limits<double>::epsilon() * terms;
}

/// `numbers` contains the contact's additional numbers.
template <class BodyContact>
Status fault_of_data(const BodyContact& c, const Options& options, Numbers numbers = {}) {
  if (c.indices != Status::ok) return c.indices;
  numbers.see_laws(c);
  numbers.see(c.normal);
  numbers.see(c.a);
  numbers.see(c.b);
  numbers.see(c.r_a);
  numbers.see(c.r_b);
  if (numbers.fault() != Status::ok) return numbers.fault();
  if (!(std::abs(std::sqrt(dot(c.normal, c.normal)) - 1) <= options.data.normal_tolerance))
    return Status::normal_not_unit;
  const Status of_body = first_fault(fault_of_body(c.a, options), fault_of_body(c.b, options));
  if (of_body != Status::ok) return of_body;
  if (is_immovable(c.a) && is_immovable(c.b)) return Status::both_immovable;
  return fault_of_laws(c);
}

// Store. Missing columns are skipped.

/// The results of a contact; vectors are in their frame.
template <class Outcome, class Vector, class AngularVelocity>
struct SolutionOf {
  Status status = Status::ok;
  Outcome outcome;
  Vector velocity_a{}, velocity_b{};
  AngularVelocity angular_velocity_a{}, angular_velocity_b{};
  double energy_gain = 0;
};

template <class Outcome, class Vector>
double energy_gain(const Outcome& outcome, const Vector& u0) {
  return 0.5 * dot(outcome.p, u0 + outcome.u);
}

template <class T>
void write(const Column<T>& column, std::size_t i, T value) {
  if (column) column[i] = value;
}
inline void write(const carom::planar::Vector2Columns<double>& columns, std::size_t i, const Vector2& v) {
  write(columns.x, i, v[0]);
  write(columns.y, i, v[1]);
}
inline void write(const Vector3Columns<double>& columns, std::size_t i, const Vector3& v) {
  write(columns.x, i, v[0]);
  write(columns.y, i, v[1]);
  write(columns.z, i, v[2]);
}

template <class Solution, class Results>
void store(const Solution& s, std::size_t i, const Results& results) {
  auto u = s.outcome.u;
  if (!is_finite(u)) make_unknown(u);
  write(results.impulse, i, s.outcome.p);
  write(results.separation_velocity, i, u);
  write(results.velocity_a, i, s.velocity_a);
  write(results.angular_velocity_a, i, s.angular_velocity_a);
  write(results.velocity_b, i, s.velocity_b);
  write(results.angular_velocity_b, i, s.angular_velocity_b);
  write(results.status, i, s.status);
  write(results.path, i, s.outcome.path);
  write(results.work_compression, i, s.outcome.work_compression);
  write(results.work_decompression, i, s.outcome.work_decompression);
}

/// All contacts of a batch; solve_one(contacts, i) is the Solution of one.
template <class AnyContacts, class Results, class SolveOne>
Report solve_all(const AnyContacts& given, const Results& results, const Options& options, const SolveOne& solve_one) {
  check_options(options);
  const auto contacts = check_columns(given, results, options);
  Report report;
  report.contacts = contacts->friction.count;
  for (std::size_t i = 0; i < report.contacts; ++i) {
    const auto s = public_call("the reference", [&] { return solve_one(*contacts, i); });
    store(s, i, results);
    report.by_status.add(s.status, i);
    report.by_path.add(s.outcome.path);
    if (s.energy_gain > report.max_energy_gain) {
      report.max_energy_gain = s.energy_gain;
      report.max_energy_gain_contact = i;
    }
  }
  return report;
}

}  // namespace carom::reference
