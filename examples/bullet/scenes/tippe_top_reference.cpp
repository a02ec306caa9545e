// Symbols: k the stem's direction, v the velocity of the centre of mass along the ground, w the angular velocity, all
// in the frame of the world; r = e k - R z is the vector from the centre of mass to the point of contact, u its
// velocity. N is the normal force and N f friction. The belly stays on the ground: the centre of mass is R - e k_z
// above it.
#include "tippe_top_reference.hpp"

#include <cmath>

namespace carom_scenes {

namespace {

struct Vector {
  double x, y, z;
};

Vector operator+(const Vector& a, const Vector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector operator*(double s, const Vector& a) {
  return {s * a.x, s * a.y, s * a.z};
}
double dot(const Vector& a, const Vector& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct State {
  Vector k, v, w;
};

State operator+(const State& a, const State& b) {
  return {a.k + b.k, a.v + b.v, a.w + b.w};
}
State operator*(double s, const State& a) {
  return {s * a.k, s * a.v, s * a.w};
}

State rate(const TippeTop& top, const State& state) {
  // [m/s] Friction grows with slip up to about here; it is a thousandth of the slip that turns the top over.
  constexpr double rounding = 1e-4;
  const Vector k = state.k, v = state.v, w = state.w;
  const double a = top.inertia_across, c = top.inertia_along, e = top.eccentricity;
  const auto inverse_inertia = [&](const Vector& torque) {
    return (1 / a) * torque + ((1 / c - 1 / a) * dot(k, torque)) * k;
  };
  const Vector momentum = a * w + ((c - a) * dot(k, w)) * k;
  const Vector k_rate = cross(w, k);
  const Vector r = e * k + Vector{0, 0, -top.radius};
  Vector u = v + cross(w, r);
  u.z = 0;
  const Vector f = (-top.friction / std::sqrt(dot(u, u) + rounding * rounding)) * u;

  // w' = N turn + spin; the height of the centre of mass satisfies m (-e k_z'') = N - m g, which determines N.
  const Vector turn = inverse_inertia(cross(r, f + Vector{0, 0, 1}));
  const Vector spin = inverse_inertia(cross(momentum, w));
  const double lift = -e * cross(turn, k).z, fall = -e * (cross(spin, k) + cross(w, k_rate)).z;
  const double normal = (top.gravity + fall) / (1 / top.mass - lift);
  return {k_rate, (normal / top.mass) * f, normal * turn + spin};
}

}  // namespace

double time_to_incline(const TippeTop& top, double spin, double first, double last) {
  constexpr double step = 1e-5;  // [s] stable: slip that ends does so at a rate of 1e5 / s
  State state{{std::sin(first), 0, std::cos(first)}, {0, 0, 0}, {0, 0, spin}};
  double time = 0;
  while (state.k.z > std::cos(last) && time < 10) {
    const State k1 = rate(top, state);
    const State k2 = rate(top, state + step / 2 * k1);
    const State k3 = rate(top, state + step / 2 * k2);
    const State k4 = rate(top, state + step * k3);
    state = state + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    state.k = (1 / std::sqrt(dot(state.k, state.k))) * state.k;
    time += step;
  }
  return time;
}

}  // namespace carom_scenes
