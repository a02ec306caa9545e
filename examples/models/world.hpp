// A small application: bodies and contacts in its own structs, which carom reads in place, and time steps.
#pragma once

#include <array>
#include <carom/scene.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace models {

using Vector = std::array<double, 3>;

inline Vector operator+(const Vector& a, const Vector& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vector operator-(const Vector& a, const Vector& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vector operator*(double s, const Vector& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
inline double dot(const Vector& a, const Vector& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double length(const Vector& a);

/// Axes of a body in the world, the columns of its rotation.
struct Axes {
  Vector x = {1, 0, 0}, y = {0, 1, 0}, z = {0, 0, 1};

  Vector operator*(const Vector& v) const { return v[0] * x + (v[1] * y + v[2] * z); }
  void turn(const Vector& rotation);
};

struct Body {
  double inverse_mass = 0;             // [1/kg]
  Vector inverse_inertia = {0, 0, 0};  // [1/(kg m²)] about the axes of the body
  Vector position{};                   // [m] of the centre of mass
  Axes axes{};
  std::array<double, 6> inverse_inertia_in_world{};
  Vector velocity{}, angular_velocity{};
  Vector displacement{}, rotation{};  // of the last step
};

/// A contact as carom's columns of the same names have it. -1 is the ground.
struct Contact {
  std::int32_t a = -1, b = -1;
  Vector normal = {0, 0, 1}, r_a{}, r_b{};
  double friction = 0, friction_2 = 0;
  Vector direction = {1, 0, 0};
  double rolling_friction = 0, spinning_friction = 0;
  double separation = 0;
  double stiffness = std::numeric_limits<double>::infinity(), damping = 0;
  std::uint64_t key = 0;
  Vector impulse{}, angular_impulse{};  // results
};

class World {
 public:
  explicit World(double time_step) : time_step_(time_step) {}

  std::vector<Body> bodies;
  std::vector<Contact> contacts;
  Vector gravity = {0, 0, -9.81};
  int iterations = 100;

  double time_step() const { return time_step_; }
  /// Gravity, contacts, motion. The application has set the contacts.
  void step();

 private:
  double time_step_;
  carom::SceneSolver solver_;
};

/// A ball of mass m [kg], radius r [m] and inertia f m r².
Body ball(double m, double r, double f);
/// A box with these edges [m].
Body box(double m, const Vector& edges);

}  // namespace models
