// Boxes with joints, above a floor that supports their corners, moved step by step.
#pragma once

#include <algorithm>
#include <carom/gyroscopic.hpp>
#include <carom/joints.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/scenes/substeps.hpp"

namespace carom::scenes {

struct JointedBoxes {
  enum class Kind : std::uint8_t { ball, hinge, fixed, rope };
  struct Joint {
    std::int32_t a = 0, b = world;
    Vector at_a{}, at_b{};  ///< [m] in the frames of the bodies
    Kind kind = Kind::ball;
    Vector axis = {0, 1, 0};                                     ///< of a hinge, in the frame of A
    double length = 0;                                           ///< [m] of a rope
    double speed = 0;                                            ///< [rad/s] of a motor about the axis
    double torque = 0;                                           ///< [N m] of the motor
    double frequency = std::numeric_limits<double>::infinity();  ///< [Hz] of the linear rows
    double damping_ratio = 2;
  };

  std::vector<MovingBox> boxes;
  std::vector<Joint> joints;
  Vector gravity = {0, 0, -g};
  double friction = 0.5, restitution = 0;
  bool has_floor = false, has_errors = true;

  /// Joins two bodies at a point of the world.
  void join(std::int32_t a, std::int32_t b, const Vector& point, Kind kind = Kind::ball) {
    joints.push_back({a, b, local(a, point), local(b, point), kind});
  }
  Vector arm(std::int32_t body, const Vector& of) const {
    return body < 0 ? of : boxes[static_cast<std::size_t>(body)].orientation * of;
  }
  Vector error(const Joint& joint) const {
    return place(joint.a) + arm(joint.a, joint.at_a) - place(joint.b) - arm(joint.b, joint.at_b);
  }
  double worst_error() const {
    double worst = 0;
    for (const Joint& joint : joints) worst = std::max(worst, length(error(joint)) - joint.length);
    return worst;
  }
  double kinetic_energy() const {
    double sum = 0;
    for (const MovingBox& of : boxes) sum += of.kinetic_energy();
    return sum;
  }
  double energy() const {
    double sum = kinetic_energy();
    for (const MovingBox& of : boxes) sum -= of.mass * dot(gravity, of.position);
    return sum;
  }

  /// Without keys and warm impulses.
  template <class T>
  SceneData<T> scene() const {
    BoxWorld of;
    of.boxes = boxes;
    SceneData<T> now = of.scene<T>();
    now.velocity_change = now.angular_velocity_change = vectors<T>(boxes.size());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      const Rows j = boxes[i].inertia();
      const auto spin = gyroscopic_velocity<double>(boxes[i].angular_velocity,
                                                    {j[0][0], j[0][1], j[0][2], j[1][1], j[1][2], j[2][2]}, h);
      put(now.velocity_change, i, h * gravity);
      put(now.bodies.angular_velocity, i, spin);
    }
    for (const Joint& joint : joints) add(now, joint);
    for (std::size_t i = 0; has_floor && i < boxes.size(); ++i) add_floor(now, static_cast<std::int32_t>(i));
    return now;
  }

  template <class T>
  void take(const SceneArrays<T>& arrays) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes[i].velocity = at(arrays.velocity, i);
      boxes[i].angular_velocity = at(arrays.angular_velocity, i);
      boxes[i].move(at(arrays.displacement, i), at(arrays.rotation, i));
    }
  }

  template <class T>
  SceneReport step(SceneSolver& solver, const MethodOptions& options = in_substeps()) {
    SceneData<T> now = scene<T>();
    for (std::size_t r = 0; r < now.joints.rows.size(); ++r) now.joints.rows[r].key = r + 1;
    for (std::size_t c = 0; c < now.contact_count(); ++c) now.key.push_back(corner_[c] + 1);
    SceneArrays<T> arrays(now);
    Scene<T> view = now.view(options);
    if (!has_errors) view.joints.position_error = {};
    const SceneReport report = solver.solve(view, arrays.view(), options);
    take(arrays);
    return report;
  }

 private:
  Vector place(std::int32_t body) const { return body < 0 ? Vector{} : boxes[static_cast<std::size_t>(body)].position; }
  Vector local(std::int32_t body, const Vector& point) const {
    if (body < 0) return point;
    const MovingBox& of = boxes[static_cast<std::size_t>(body)];
    const Vector arm = point - of.position;
    Vector made{};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t r = 0; r < 3; ++r) made[c] += of.orientation[r][c] * arm[r];
    return made;
  }

  template <class T>
  void add(SceneData<T>& now, const Joint& joint) const {
    const JointBodies<T> pair{joint.a, joint.b, vector_of<T>(arm(joint.a, joint.at_a)),
                              joint.b < 0 ? std::array<T, 3>{} : vector_of<T>(arm(joint.b, joint.at_b))};
    const Vector lacks = error(joint);
    if (joint.kind == Kind::rope) {
      const std::size_t row = add_distance_joint(now.joints, pair, vector_of<T>((1 / length(lacks)) * lacks));
      now.joints.rows[row].position_error = static_cast<T>(length(lacks) - joint.length);
      now.joints.rows[row].max_impulse = 0;
      return;
    }
    if (joint.torque > 0) {
      const std::size_t row = add_motor(now.joints, pair, vector_of<T>(arm(joint.a, joint.axis)),
                                        static_cast<T>(joint.speed), static_cast<T>(h * joint.torque));
      now.joints.rows[row].frequency = 0;
    }
    const std::size_t first = joint.kind == Kind::ball ? add_ball_joint(now.joints, pair)
                              : joint.kind == Kind::hinge
                                  ? add_hinge(now.joints, pair, vector_of<T>(arm(joint.a, joint.axis)))
                                  : add_fixed_joint(now.joints, pair);
    for (std::size_t c = 0; c < 3; ++c) {
      auto& row = now.joints.rows[first + c];
      row.position_error = static_cast<T>(lacks[c]);
      row.frequency = static_cast<T>(joint.frequency);
      row.damping_ratio = static_cast<T>(joint.damping_ratio);
    }
  }
  template <class T>
  void add_floor(SceneData<T>& now, std::int32_t i) const {
    const MovingBox& of = boxes[static_cast<std::size_t>(i)];
    for (int corner = 0; corner < 8; ++corner) {
      const Vector point = of.position + of.orientation * Vector{(corner & 1 ? 0.5 : -0.5) * of.edges[0],
                                                                 (corner & 2 ? 0.5 : -0.5) * of.edges[1],
                                                                 (corner & 4 ? 0.5 : -0.5) * of.edges[2]};
      if (point[2] > 0.1) continue;
      if (now.contact_count() == 0) corner_.clear();
      now.add(Contact{i, world, {0, 0, 1}, point, friction, restitution});
      now.separation.push_back(static_cast<T>(point[2]));
      corner_.push_back(static_cast<std::uint64_t>(8 * i + corner));
    }
  }

  mutable std::vector<std::uint64_t> corner_;  // of the contacts of the last scene
};

/// A doll of 15 boxes on ball joints and hinges, with masses of up to 365 : 1, whose lowest corner is at `height`.
inline JointedBoxes doll(double height, const Vector& tilt) {
  JointedBoxes made;
  made.has_floor = true;
  constexpr double heavy = 0.33;
  const auto limb = [&](double mass, const Vector& edges, const Vector& at) {
    made.boxes.push_back({mass, edges, at});
    return static_cast<std::int32_t>(made.boxes.size()) - 1;
  };
  const std::int32_t pelvis = limb(heavy, {0.14, 0.22, 0.14}, {0, 0, 0});
  const std::int32_t chest = limb(0.9 * heavy, {0.16, 0.28, 0.3}, {0, 0, 0.24});
  const std::int32_t head = limb(0.2 * heavy, {0.14, 0.12, 0.18}, {0, 0, 0.49});
  made.join(pelvis, chest, {0, 0, 0.08});
  made.join(chest, head, {0, 0, 0.4});
  for (const double side : {-1.0, 1.0}) {
    const std::int32_t upper = limb(0.07 * heavy, {0.06, 0.26, 0.06}, {0, 0.28 * side, 0.34});
    const std::int32_t lower = limb(0.03 * heavy, {0.05, 0.24, 0.05}, {0, 0.54 * side, 0.34});
    const std::int32_t hand = limb(heavy / 365, {0.03, 0.08, 0.05}, {0, 0.71 * side, 0.34});
    made.join(chest, upper, {0, 0.15 * side, 0.34});
    made.join(upper, lower, {0, 0.415 * side, 0.34}, JointedBoxes::Kind::hinge);
    made.join(lower, hand, {0, 0.67 * side, 0.34});
    const std::int32_t thigh = limb(0.2 * heavy, {0.11, 0.1, 0.42}, {0, 0.08 * side, -0.29});
    const std::int32_t shin = limb(0.1 * heavy, {0.08, 0.08, 0.4}, {0, 0.08 * side, -0.71});
    const std::int32_t foot = limb(4 * heavy / 365, {0.2, 0.08, 0.06}, {0.05, 0.08 * side, -0.95});
    made.join(pelvis, thigh, {0, 0.08 * side, -0.08});
    made.join(thigh, shin, {0, 0.08 * side, -0.51}, JointedBoxes::Kind::hinge);
    made.join(shin, foot, {0, 0.08 * side, -0.92});
  }
  const double angle = length(tilt);
  const Rows turn = rotation((1 / angle) * tilt, angle);
  double lowest = 0;
  for (MovingBox& of : made.boxes) {
    of.position = turn * of.position;
    of.orientation = turn;
    lowest = std::min(lowest, of.position[2] - length(of.edges) / 2);
  }
  for (MovingBox& of : made.boxes) of.position[2] += height - lowest;
  return made;
}

}  // namespace carom::scenes
