// Worlds that move: balls and boxes between planes and on each other, with joints. Contacts and joint errors follow the
// positions of the bodies, as in an engine.
#pragma once

#include <algorithm>
#include <carom/joints.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/scenes/rotations.hpp"
#include "support/scenes/scene_of_columns.hpp"

namespace carom::probe {

using support::Rows;
using support::Vector;

/// A ball, or a box if `radius` is 0. A body of infinite mass moves at its velocity.
struct MotionBody {
  double mass = 1, radius = 0;
  Vector half = {0.5, 0.5, 0.5};  ///< [m] half of the edges
  Vector position{};
  Rows orientation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Vector velocity{}, spin{};
  double friction = 0.5;

  bool moves() const { return !std::isinf(mass); }
  double reach() const { return radius > 0 ? radius : support::length(half); }
  Vector axis(std::size_t c) const { return {orientation[0][c], orientation[1][c], orientation[2][c]}; }
  Vector in_world(const Vector& local) const { return orientation * local; }
  /// Moments of inertia about the body's axes.
  Vector moments() const {
    if (radius > 0) return {0.4 * mass * radius * radius, 0.4 * mass * radius * radius, 0.4 * mass * radius * radius};
    const auto [x, y, z] = half;
    return {mass / 3 * (y * y + z * z), mass / 3 * (x * x + z * z), mass / 3 * (x * x + y * y)};
  }
  /// I x
  Vector inertia_times(const Vector& x) const {
    const Vector i = moments();
    Vector made{};
    for (std::size_t c = 0; c < 3; ++c) made = made + (i[c] * support::dot(axis(c), x)) * axis(c);
    return made;
  }
};

/// A half-space of the world, or of a body of infinite mass that carries it.
struct MotionPlane {
  Vector normal = {0, 0, 1};
  double offset = 0;  ///< [m] from the origin or the body's position
  std::int32_t body = scenes::world;
  Vector surface_velocity{};
};

enum class JointType { ball, hinge, fixed, rope };

struct MotionJoint {
  std::int32_t a = 0, b = scenes::world;
  JointType type = JointType::ball;
  Vector at_a{}, at_b{};                     ///< in the frames of the bodies
  Vector axis = {0, 0, 1};                   ///< of a hinge, in the frame of A
  double length = 0;                         ///< [m] of a rope
  double motor_speed = 0, motor_torque = 0;  ///< of a hinge; no motor if the torque is 0
};

/// A pair of a contact or joint, and the features that touch: the name of a contact.
struct MotionTouch {
  std::uint64_t key;
  std::size_t plane;  ///< `no_plane` between bodies
};
inline constexpr std::size_t no_plane = std::numeric_limits<std::size_t>::max();

struct MotionWorld {
  static constexpr std::uint64_t max_bodies = 100'000;  ///< up to which the keys of contacts differ

  std::vector<MotionBody> bodies;
  std::vector<MotionPlane> planes;
  std::vector<MotionJoint> joints;
  Vector gravity{};
  double restitution = 0, margin = 0.02;
  /// Coefficients of contact models, for all contacts; none if 0.
  double rolling = 0, spinning = 0, compliance = 0, stiffness = 0, damping = 0, static_factor = 1;

  Vector force_change(const MotionBody& body, double h) const { return body.moves() ? h * gravity : Vector{}; }

  /// The columns of a step of length `h`. `touches` receives the name of each contact.
  template <class T>
  scenes::SceneData<T> scene(double h, std::vector<MotionTouch>& touches) const {
    scenes::SceneData<T> made;
    touches.clear();
    for (const MotionBody& body : bodies) add(made, body, h);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (!bodies[i].moves()) continue;
      for (std::size_t p = 0; p < planes.size(); ++p) touch_plane(made, touches, i, p, h);
    }
    std::vector<double> reaches;
    for (const MotionBody& body : bodies) reaches.push_back(reach_of(body, h));
    for (std::size_t i = 0; i < bodies.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const Vector apart = bodies[i].position - bodies[k].position;
        const double most = reaches[i] + reaches[k];
        if (support::dot(apart, apart) <= most * most) touch(made, touches, i, k, h);
      }
    for (std::size_t j = 0; j < joints.size(); ++j) add_joint(made, j, h);
    add_models(made);
    add_surfaces(made, touches);
    return made;
  }

  /// Moves the bodies by the results: by the motion in the call, or by the new velocities.
  template <class T>
  void take(const scenes::SceneArrays<T>& made, double h, bool moved_in_call) {
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      MotionBody& body = bodies[b];
      if (body.moves()) {
        body.velocity = scenes::at(made.velocity, b);
        body.spin = scenes::at(made.angular_velocity, b);
      }
      const bool takes_motion = moved_in_call && body.moves();
      body.position = body.position + (takes_motion ? scenes::at(made.displacement, b) : h * body.velocity);
      turn(body, takes_motion ? scenes::at(made.rotation, b) : h * body.spin);
    }
  }

 private:
  static void turn(MotionBody& body, const Vector& by) {
    const double angle = support::length(by);
    if (angle > 0) body.orientation = scenes::rotation((1 / angle) * by, angle) * body.orientation;
  }

  template <class T>
  void add(scenes::SceneData<T>& made, const MotionBody& body, double h) const {
    scenes::Body to;
    to.position = body.position;
    to.velocity = body.velocity;
    to.angular_velocity = body.spin;
    to.inverse_mass = body.moves() ? 1 / body.mass : 0;
    to.inverse_inertia = {};
    if (body.moves()) {
      const Vector moments = body.moments();
      std::size_t k = 0;
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = r; c < 3; ++c, ++k)
          for (std::size_t a = 0; a < 3; ++a)
            to.inverse_inertia[k] += body.orientation[r][a] * body.orientation[c][a] / moments[a];
    }
    made.add(to);
    scenes::push(made.velocity_change, force_change(body, h));
    scenes::push(made.angular_velocity_change, Vector{});
  }

  /// [m] Bodies that are farther apart than the sum do not come into contact within the step.
  double reach_of(const MotionBody& body, double h) const {
    return (1 + margin) * body.reach() + 1.5 * h *
                                             (support::length(body.velocity) +
                                              body.reach() * support::length(body.spin) + h * support::length(gravity));
  }

  /// Contacts come as soon as bodies may touch within the step.
  double margin_of(const MotionBody& a, const Vector& other, double h) const {
    return margin * a.reach() + 1.5 * h *
                                    (support::length(a.velocity - other) + a.reach() * support::length(a.spin) +
                                     h * support::length(gravity));
  }

  template <class T>
  void add(scenes::SceneData<T>& made, std::vector<MotionTouch>& touches, std::int32_t a, std::int32_t b,
           const Vector& normal, const Vector& point, double separation, double friction, MotionTouch name) const {
    made.add(scenes::Contact{a, b, normal, point, friction, restitution});
    made.separation.push_back(static_cast<T>(separation));
    made.key.push_back(name.key);
    touches.push_back(name);
  }

  template <class T>
  void touch_plane(scenes::SceneData<T>& made, std::vector<MotionTouch>& touches, std::size_t i, std::size_t p,
                   double h) const {
    const MotionBody& a = bodies[i];
    const MotionPlane& plane = planes[p];
    const MotionBody* const carrier = plane.body < 0 ? nullptr : &bodies[static_cast<std::size_t>(plane.body)];
    const Vector velocity = carrier == nullptr ? Vector{} : carrier->velocity;
    const double offset = plane.offset + (carrier == nullptr ? 0 : support::dot(plane.normal, carrier->position));
    const double height = support::dot(plane.normal, a.position) - offset, margin_here = margin_of(a, velocity, h);
    if (height - a.reach() > margin_here) return;
    const auto name = [&](std::uint64_t feature) {
      return MotionTouch{(i * max_bodies + p + 1) * 64 + feature + 1, p};
    };
    const auto add_point = [&](const Vector& arm, std::uint64_t feature) {
      const double separation = height + support::dot(plane.normal, arm);
      if (separation > margin_here) return;
      add(made, touches, static_cast<std::int32_t>(i), plane.body, plane.normal,
          a.position + arm - (0.5 * separation) * plane.normal, separation, a.friction, name(feature));
    };
    if (a.radius > 0) return add_point((-a.radius) * plane.normal, 0);
    for (std::uint64_t k = 0; k < 8; ++k) add_point(a.in_world(corner(a, k)), k);
  }
  static Vector corner(const MotionBody& a, std::uint64_t k) {
    return {(k & 1) != 0 ? a.half[0] : -a.half[0], (k & 2) != 0 ? a.half[1] : -a.half[1],
            (k & 4) != 0 ? a.half[2] : -a.half[2]};
  }

  template <class T>
  void touch(scenes::SceneData<T>& made, std::vector<MotionTouch>& touches, std::size_t i, std::size_t k,
             double h) const {
    const MotionBody &a = bodies[i], &b = bodies[k];
    if (!a.moves() && !b.moves()) return;
    const double near = std::max(margin_of(a, b.velocity, h), margin_of(b, a.velocity, h));
    if (support::length(a.position - b.position) > a.reach() + b.reach() + near) return;
    for (const MotionJoint& joint : joints)
      if ((joint.a == static_cast<std::int32_t>(i) && joint.b == static_cast<std::int32_t>(k)) ||
          (joint.b == static_cast<std::int32_t>(i) && joint.a == static_cast<std::int32_t>(k)))
        return;
    const double friction = 0.5 * (a.friction + b.friction);
    const auto name = [&](std::uint64_t feature) {
      return MotionTouch{((i + 1) * max_bodies + k) * 64 * 1000 + feature + 1, no_plane};
    };
    const auto add_between = [&](const Vector& normal, const Vector& point, double separation, std::uint64_t feature) {
      if (separation < near)
        add(made, touches, static_cast<std::int32_t>(i), static_cast<std::int32_t>(k), normal, point, separation,
            friction, name(feature));
    };
    if (a.radius > 0 && b.radius > 0) {
      const Vector d = a.position - b.position;
      const double distance = support::length(d);
      if (!(distance > 0)) return;
      const double separation = distance - a.radius - b.radius;
      const Vector n = (1 / distance) * d;
      return add_between(n, b.position + (b.radius + 0.5 * separation) * n, separation, 0);
    }
    if (a.radius > 0) return ball_on_box(a, b, 1, add_between);
    if (b.radius > 0) return ball_on_box(b, a, -1, add_between);
    boxes(a, b, add_between);
  }

  /// The normal points from the box to the ball, times `sign`.
  template <class F>
  static void ball_on_box(const MotionBody& ball, const MotionBody& box, double sign, const F& f) {
    const Vector d = ball.position - box.position;
    Vector local{}, nearest{};
    for (std::size_t c = 0; c < 3; ++c) {
      local[c] = support::dot(d, box.axis(c));
      nearest[c] = std::clamp(local[c], -box.half[c], box.half[c]);
    }
    const Vector away = local - nearest;
    const double distance = support::length(away);
    Vector n{};
    double separation = distance - ball.radius;
    if (distance > 1e-9 * ball.radius) {
      n = box.in_world((1 / distance) * away);
    } else {
      std::size_t face = 0;
      for (std::size_t c = 1; c < 3; ++c)
        if (box.half[c] - std::abs(local[c]) < box.half[face] - std::abs(local[face])) face = c;
      n = (local[face] < 0 ? -1.0 : 1.0) * box.axis(face);
      separation = std::abs(local[face]) - box.half[face] - ball.radius;
    }
    f(sign * n, ball.position - (ball.radius + 0.5 * separation) * n, separation, 0);
  }

  /// The face that separates best, and the face of the other box that opposes it, clipped to its sides. Edges that
  /// cross touch by their faces.
  template <class F>
  static void boxes(const MotionBody& a, const MotionBody& b, const F& f) {
    const Vector d = a.position - b.position;
    double best = -std::numeric_limits<double>::infinity();
    std::size_t face = 0;
    bool of_b = true;
    for (const bool on_b : {true, false})
      for (std::size_t c = 0; c < 3; ++c) {
        const Vector n = (on_b ? b : a).axis(c);
        double reach = 0;
        for (std::size_t k = 0; k < 3; ++k)
          reach += (on_b ? a : b).half[k] * std::abs(support::dot(n, (on_b ? a : b).axis(k)));
        const double separation = std::abs(support::dot(d, n)) - (on_b ? b : a).half[c] - reach;
        // A face changes only for one that is better by more than rounding.
        if (separation <= best + 1e-6 * a.reach()) continue;
        best = separation;
        face = c;
        of_b = on_b;
      }
    const MotionBody &below = of_b ? b : a, &above = of_b ? a : b;
    const Vector between = above.position - below.position;
    const double side = support::dot(between, below.axis(face)) < 0 ? -1 : 1;
    const Vector n = side * below.axis(face);
    std::size_t other = 0;
    for (std::size_t k = 1; k < 3; ++k)
      if (std::abs(support::dot(n, above.axis(k))) > std::abs(support::dot(n, above.axis(other)))) other = k;
    const double down = support::dot(n, above.axis(other)) > 0 ? -1 : 1;
    const std::size_t u = (other + 1) % 3, v = (other + 2) % 3;
    std::vector<Vector> polygon;
    for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
      Vector local{};
      local[other] = down * above.half[other];
      local[u] = x * above.half[u];
      local[v] = y * above.half[v];
      polygon.push_back(between + above.in_world(local));
    }
    for (std::size_t c = 0; c < 3; ++c) {
      if (c == face) continue;
      for (const double sign : {-1.0, 1.0}) clip(polygon, sign * below.axis(c), below.half[c]);
    }
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const double separation = support::dot(n, polygon[k]) - below.half[face];
      f(of_b ? n : -1.0 * n, below.position + polygon[k] - (0.5 * separation) * n, separation, k);
    }
  }
  /// Keeps the part with n·x <= offset.
  static void clip(std::vector<Vector>& polygon, const Vector& n, double offset) {
    std::vector<Vector> kept;
    for (std::size_t k = 0; k < polygon.size(); ++k) {
      const Vector &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
      const double at_p = support::dot(n, p) - offset, at_q = support::dot(n, q) - offset;
      if (at_p <= 0) kept.push_back(p);
      if ((at_p < 0 && at_q > 0) || (at_p > 0 && at_q < 0)) kept.push_back(p + (at_p / (at_p - at_q)) * (q - p));
    }
    polygon = kept;
  }

  template <class T>
  void add_joint(scenes::SceneData<T>& made, std::size_t j, double h) const {
    const MotionJoint& joint = joints[j];
    const MotionBody& a = bodies[static_cast<std::size_t>(joint.a)];
    const MotionBody* const b = joint.b < 0 ? nullptr : &bodies[static_cast<std::size_t>(joint.b)];
    const Vector r_a = a.in_world(joint.at_a), r_b = b == nullptr ? Vector{} : b->in_world(joint.at_b);
    const Vector error = a.position + r_a - (b == nullptr ? joint.at_b : b->position + r_b),
                 axis = a.in_world(joint.axis);
    const auto narrowed = [](const Vector& v) {
      return std::array<T, 3>{static_cast<T>(v[0]), static_cast<T>(v[1]), static_cast<T>(v[2])};
    };
    const JointBodies<T> pair{joint.a, joint.b, narrowed(r_a), narrowed(r_b)};
    auto& rows = made.joints.rows;
    const std::size_t first = rows.size();
    const auto take_error = [&](std::size_t from, std::size_t end) {
      for (std::size_t r = from; r < end; ++r)
        rows[r].position_error = rows[r].linear_a[0] * static_cast<T>(error[0]) +
                                 rows[r].linear_a[1] * static_cast<T>(error[1]) +
                                 rows[r].linear_a[2] * static_cast<T>(error[2]);
    };
    if (joint.type == JointType::ball) add_ball_joint(made.joints, pair);
    if (joint.type == JointType::hinge) add_hinge(made.joints, pair, narrowed(axis));
    if (joint.type == JointType::fixed) add_fixed_joint(made.joints, pair);
    if (joint.type == JointType::rope) {
      const double distance = support::length(error);
      add_distance_joint(made.joints, pair, narrowed(distance > 0 ? error : Vector{0, 0, 1}));
      rows[first].max_impulse = 0;
      rows[first].position_error = static_cast<T>(distance - joint.length);
    } else {
      take_error(first, rows.size());
    }
    if (joint.type == JointType::hinge && joint.motor_torque > 0) {
      add_motor(made.joints, pair, narrowed(axis), static_cast<T>(joint.motor_speed),
                static_cast<T>(joint.motor_torque * h));
      rows.back().frequency = 0;
    }
    for (std::size_t r = first; r < rows.size(); ++r) rows[r].key = (j + 1) * 16 + (r - first) + 1;
  }

  template <class T>
  void add_surfaces(scenes::SceneData<T>& made, const std::vector<MotionTouch>& touches) const {
    const auto is_belt = [](const MotionPlane& plane) { return plane.surface_velocity != Vector{}; };
    if (std::none_of(planes.begin(), planes.end(), is_belt)) return;
    for (const MotionTouch& touch : touches)
      scenes::push(made.surface_velocity, touch.plane == no_plane ? Vector{} : planes[touch.plane].surface_velocity);
  }

  template <class T>
  void add_models(scenes::SceneData<T>& made) const {
    const std::size_t n = made.contact_count();
    const auto fill = [n](auto& column, double x) {
      if (x > 0) column.assign(n, static_cast<T>(x));
    };
    fill(made.rolling_friction, rolling);
    fill(made.spinning_friction, spinning);
    fill(made.normal_compliance, compliance);
    fill(made.stiffness, stiffness);
    if (stiffness > 0) fill(made.damping, damping);
    if (static_factor > 1)
      for (const T x : made.friction) made.static_friction.push_back(static_cast<T>(static_factor) * x);
  }
};

}  // namespace carom::probe
