// Draws one contact between two bodies: masses over six decades, inertias that spread over three, friction from none to
// unbounded, restitution from 0 to 1, parameters for every law.
#pragma once

#include "support/properties/row.hpp"

namespace carom::support {

template <std::size_t D>
Tuple<double, D> draw_vector(double size, const char* name) {
  Tuple<double, D> v;
  for (double& x : v) x = size * *uniform(-1, 1).as(name);
  return v;
}

template <std::size_t D>
LawRow<double, D> draw_laws() {
  LawRow<double, D> row;
  const int friction = *integer(0, 9).as("kind of friction");
  row.friction = friction == 0   ? 0
                 : friction == 1 ? std::numeric_limits<double>::infinity()
                                 : *log_uniform(1e-3, 30).as("friction");
  const int restitution = *integer(0, 7).as("kind of restitution");
  row.restitution = restitution < 2 ? restitution : *uniform(0, 1).as("restitution");
  row.tangential_restitution = *uniform(-1, 1).as("tangential restitution");
  for (double& ratio : row.ratios) ratio = *uniform(-2, 2).as("ratio");
  row.polar_angle = D == 3 ? *uniform(0, 3.125).as("polar angle") : *uniform(-3.125, 3.125).as("polar angle");
  row.azimuth = *uniform(-7, 7).as("azimuth");
  row.fraction = *uniform(0, 1).as("fraction");
  // A third of a composite's components is missing, and at least one is present.
  for (double& weight : row.weights) weight = *integer(0, 2).as("member") == 0 ? 0 : *uniform(0.125, 1, 1).as("weight");
  if (D == 3) row.weights[6] = 0;  // pfeiffer_glocker
  row.weights[1] = 1;
  row.restitution_law = static_cast<RestitutionLaw>(*integer(0, 2).as("restitution law"));
  return row;
}

inline std::array<double, 6> draw_inertia(double least, std::integral_constant<std::size_t, 3>) {
  Triangle<Wide, 3> principal{};
  for (const std::size_t i : {0u, 3u, 5u}) principal[i] = least * *log_uniform(1, 1000).as("spread of inertia");
  std::array<double, 6> inertia;
  convert(inertia, conjugated(draw_rotation<3>(), principal));
  return inertia;
}
inline std::array<double, 1> draw_inertia(double least, std::integral_constant<std::size_t, 2>) {
  return {least * *log_uniform(1, 1000).as("spread of inertia")};
}

template <std::size_t D>
BodyRow<double, D> draw_body(double reach) {
  BodyRow<double, D> body;
  body.inverse_mass = *log_uniform(1e-3, 1e3).as("inverse mass");
  const double least = body.inverse_mass / (reach * reach) * *log_uniform(1.0 / 64, 1).as("inverse inertia");
  body.inverse_inertia = draw_inertia(least, std::integral_constant<std::size_t, D>());
  const double speed = *log_uniform(1.0 / 64, 64).as("speed");
  body.velocity = draw_vector<D>(speed, "velocity");
  for (double& w : body.angular_velocity) w = speed / reach * *uniform(-1, 1).as("angular velocity");
  return body;
}

/// Sum of the magnitudes of the terms in u0.
template <class T, std::size_t D>
T terms_of_velocity(const BodiesRow<T, D>& c) {
  return length(c.a.velocity) + length(c.a.angular_velocity) * length(c.r_a) + length(c.b.velocity) +
         length(c.b.angular_velocity) * length(c.r_b);
}

/// Minimum approach speed, relative to the sum of the velocities' magnitudes. Grazing contacts, in which rounding is a
/// large part of u0·n, have other tests.
inline constexpr double min_approach = 1.0 / 16;

template <std::size_t D>
BodiesRow<double, D> draw_bodies() {
  BodiesRow<double, D> c;
  static_cast<LawRow<double, D>&>(c) = draw_laws<D>();
  const double reach = *log_uniform(1.0 / 32, 32).as("reach");
  c.a = draw_body<D>(reach);
  c.b = draw_body<D>(reach);
  c.r_a = draw_vector<D>(reach, "lever");
  c.r_b = draw_vector<D>(reach, "lever");
  const int world = *integer(0, 3).as("world");
  if (world == 0) c.b = {};
  if (world == 1) c.a = {};

  c.normal = draw_vector<D>(1, "normal");
  if (length(c.normal) < 0.125) c.normal.back() += 1;
  const double size = length(c.normal);
  for (double& x : c.normal) x /= size;

  const double terms = terms_of_velocity(c);
  const double approach = -(terms > 0 ? terms : 1) * *log_uniform(min_approach, 1).as("approach");
  const auto u_a = c.a.velocity + swing(c.a.angular_velocity, c.r_a);
  const auto u_b = c.b.velocity + swing(c.b.angular_velocity, c.r_b);
  const double change = approach - dot(u_a - u_b, c.normal);
  if (world == 1) c.b.velocity = c.b.velocity - change * c.normal;
  if (world != 1) c.a.velocity = c.a.velocity + change * c.normal;

  const double inverse_masses = c.a.inverse_mass + c.b.inverse_mass;
  c.candidate = draw_vector<D>(4 * terms / inverse_masses, "candidate");
  return c;
}

template <class T, std::size_t N>
void print(std::ostream& out, const char* name, const std::array<T, N>& v) {
  out << ' ' << name << '=';
  for (std::size_t i = 0; i < N; ++i) out << (i > 0 ? "," : "") << v[i];
}

template <class T, std::size_t D>
std::ostream& operator<<(std::ostream& out, const LawRow<T, D>& c) {
  out << "friction=" << c.friction << " restitution=" << c.restitution << " e_t=" << c.tangential_restitution
      << " polar_angle=" << c.polar_angle << " azimuth=" << c.azimuth << " fraction=" << c.fraction;
  print(out, "ratios", c.ratios);
  print(out, "candidate", c.candidate);
  print(out, "weights", c.weights);
  return out << ' ' << to_string(c.restitution_law);
}

template <class T, std::size_t D>
std::ostream& operator<<(std::ostream& out, const BodiesRow<T, D>& c) {
  out.precision(std::numeric_limits<T>::max_digits10);
  out << static_cast<const LawRow<T, D>&>(c);
  print(out, "normal", c.normal);
  print(out, "r_a", c.r_a);
  print(out, "r_b", c.r_b);
  const auto body = [&](const char* name, const BodyRow<T, D>& b) {
    out << "\n  " << name << ": inverse_mass=" << b.inverse_mass;
    print(out, "inverse_inertia", b.inverse_inertia);
    print(out, "velocity", b.velocity);
    print(out, "angular_velocity", b.angular_velocity);
  };
  body("a", c.a);
  body("b", c.b);
  return out;
}

template <class T, std::size_t D>
std::ostream& operator<<(std::ostream& out, const SpaceRow<T, D>& c) {
  out.precision(std::numeric_limits<T>::max_digits10);
  out << static_cast<const LawRow<T, D>&>(c);
  print(out, "k", c.k);
  print(out, "u0", c.u0);
  return out;
}

}  // namespace carom::support
