// Bodies, contacts and joints in structs of an application, for tests of mechanisms.
#pragma once

#include <array>
#include <carom/joints.hpp>
#include <carom/mechanism.hpp>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "random/draw.hpp"

namespace carom::support {

template <class T>
struct MechanismHost {
  using Vector3 = std::array<T, 3>;
  struct Body {
    T inverse_mass = 0;
    std::array<T, 6> inverse_inertia{};
    Vector3 velocity{}, spin{};
  };
  struct Contact {
    std::int32_t a = 0, b = -1;
    Vector3 normal{}, r_a{}, r_b{};
    T friction = 0, restitution = 0;
    T target_velocity = 0;
    Vector3 surface_velocity{};
  };

  std::vector<Body> bodies;
  std::vector<Contact> contacts;
  JointRowData<T> joints;

  /// A body whose inertia [kg m²] has these principal values along the world's axes. Returns its index.
  std::int32_t add(double mass, const Vector& inertia) {
    const auto inverse = [](double x) { return static_cast<T>(1 / x); };
    bodies.push_back({inverse(mass), {inverse(inertia[0]), 0, 0, inverse(inertia[1]), 0, inverse(inertia[2])}, {}, {}});
    return static_cast<std::int32_t>(bodies.size()) - 1;
  }

  Vector3Columns<T> velocity() { return Vector3Columns<T>(bodies[0].velocity.data(), n(), sizeof(Body)); }
  Vector3Columns<T> spin() { return Vector3Columns<T>(bodies[0].spin.data(), n(), sizeof(Body)); }

  Scene<T> scene() {
    Scene<T> scene;
    scene.bodies.inverse_mass = {&bodies[0].inverse_mass, n(), sizeof(Body)};
    scene.bodies.inverse_inertia = {bodies[0].inverse_inertia.data(), n(), sizeof(Body)};
    scene.bodies.velocity = velocity();
    scene.bodies.angular_velocity = spin();
    static const Contact none;
    const Contact& first = contacts.empty() ? none : contacts[0];
    const auto column = [&]<class U>(const U& field) {
      return Column<const U>(&field, contacts.size(), sizeof(Contact));
    };
    const auto vectors = [&](const Vector3& field) {
      return Vector3Columns<const T>(field.data(), contacts.size(), sizeof(Contact));
    };
    scene.contacts.body_a = column(first.a);
    scene.contacts.body_b = column(first.b);
    scene.contacts.normal = vectors(first.normal);
    scene.contacts.r_a = vectors(first.r_a);
    scene.contacts.r_b = vectors(first.r_b);
    scene.contacts.friction = column(first.friction);
    scene.contacts.restitution = column(first.restitution);
    scene.contacts.target_velocity = column(first.target_velocity);
    scene.contacts.surface_velocity = vectors(first.surface_velocity);
    scene.joints = joints.view();
    return scene;
  }

 private:
  std::size_t n() const { return bodies.size(); }
};

/// A symmetric matrix xx, xy, xz, yy, yz, zz of a contact frame, between two vectors of the world.
inline double between(const MechanismContact& contact, const Vector& a, const Vector& b) {
  const Vector x = contact.in_frame(a), y = contact.in_frame(b);
  const auto& [xx, xy, xz, yy, yz, zz] = contact.k;
  return dot(x,
             {xx * y[0] + xy * y[1] + xz * y[2], xy * y[0] + yy * y[1] + yz * y[2], xz * y[0] + yz * y[1] + zz * y[2]});
}

/// Two thin rods in the plane z = 0 that hang from a hinge and from each other by a hinge, and the contact of the
/// second rod's end with an immovable plane. Angles are measured from straight down, anticlockwise.
template <class T>
struct DoublePendulum : MechanismHost<T> {
  struct Rod {
    double mass = 1, length = 1, angle = 0;
  };

  DoublePendulum(const Rod& upper, const Rod& lower, const Vector& normal) : rods{upper, lower} {
    for (const Rod& rod : rods) {
      // A thin rod has no inertia about itself; a thousandth keeps the tensor invertible. Turned by the angle, and for
      // a rod that hangs along -y: x is the axis across.
      const double across = rod.mass * rod.length * rod.length / 12, along = across / 1000;
      this->add(rod.mass, {across, along, across});
      const double c = std::cos(rod.angle), s = std::sin(rod.angle);
      auto& j = this->bodies.back().inverse_inertia;
      j = {as_t(c * c / across + s * s / along),
           as_t(c * s * (1 / across - 1 / along)),
           0,
           as_t(s * s / across + c * c / along),
           0,
           as_t(1 / across)};
    }
    const auto arm = [&](std::size_t i, double share) {
      const Rod& rod = rods[i];
      return std::array<T, 3>{as_t(share * rod.length * std::sin(rod.angle)),
                              as_t(-share * rod.length * std::cos(rod.angle)), 0};
    };
    const std::array<T, 3> z = {0, 0, 1};
    add_hinge<T>(this->joints, {0, -1, arm(0, -0.5), {}}, z);
    add_hinge<T>(this->joints, {1, 0, arm(1, -0.5), arm(0, 0.5)}, z);
    this->contacts.push_back({1, -1, {as_t(normal[0]), as_t(normal[1]), as_t(normal[2])}, arm(1, 0.5), {}});
  }

  /// Lets the rods turn at these rates [rad/s].
  void turn(double upper, double lower) {
    const auto end = [&](std::size_t i, double rate, double share) {
      return std::array<double, 2>{rate * share * rods[i].length * std::cos(rods[i].angle),
                                   rate * share * rods[i].length * std::sin(rods[i].angle)};
    };
    const auto middle = end(0, upper, 0.5), joint = end(0, upper, 1), further = end(1, lower, 0.5);
    this->bodies[0].velocity = {as_t(middle[0]), as_t(middle[1]), 0};
    this->bodies[1].velocity = {as_t(joint[0] + further[0]), as_t(joint[1] + further[1]), 0};
    this->bodies[0].spin = {0, 0, as_t(upper)};
    this->bodies[1].spin = {0, 0, as_t(lower)};
  }

  /// The collision matrix of the plane, xx, xy, yy, by the generalised mass matrix of the two angles. The end of the
  /// second rod is at Σ l_i (sin φ_i, −cos φ_i), so that its Jacobian has the columns l_i (cos φ_i, sin φ_i), and
  ///
  ///   H_11 = (m1/3 + m2) l1²    H_12 = m2 l1 l2 cos(φ1 − φ2) / 2    H_22 = m2 l2² / 3    K = J H⁻¹ Jᵀ
  std::array<double, 3> generalised() const {
    const auto& [p, q] = rods;
    const double h11 = (p.mass / 3 + q.mass) * p.length * p.length, h22 = q.mass * q.length * q.length / 3;
    const double h12 = q.mass * p.length * q.length * std::cos(p.angle - q.angle) / 2;
    const double det = h11 * h22 - h12 * h12;
    const std::array<double, 2> x = {p.length * std::cos(p.angle), q.length * std::cos(q.angle)},
                                y = {p.length * std::sin(p.angle), q.length * std::sin(q.angle)};
    const auto product = [&](const auto& a, const auto& b) {
      return (h22 * a[0] * b[0] - h12 * (a[0] * b[1] + a[1] * b[0]) + h11 * a[1] * b[1]) / det;
    };
    return {product(x, x), product(x, y), product(y, y)};
  }

  std::array<Rod, 2> rods;

 private:
  static T as_t(double x) { return static_cast<T>(x); }
};

}  // namespace carom::support
