// Draws worlds that move, the methods and steps that engines move them with, and faults on the way.
#pragma once

#include <algorithm>
#include <array>
#include <carom/scene_options.hpp>
#include <cmath>
#include <string_view>
#include <vector>

#include "probe/motion_world.hpp"
#include "random/draw.hpp"
#include "support/scenes/method_options.hpp"

namespace carom::probe {

using scenes::MethodOptions;
using scenes::Procedure;

enum class MotionKind {
  ground,  ///< bodies fall on a plane
  stack,   ///< boxes on each other
  wall,    ///< walls and pyramids
  heap,    ///< bodies fall between four walls
  blow,    ///< a heavy body falls on boxes at rest
  joints,  ///< chains, pendulums and ragdolls
  driven,  ///< kinematic bodies, belts and motors
  space,   ///< free bodies without gravity
  models,  ///< static, rolling and spinning friction, compliance and springs
};
inline constexpr std::array<std::string_view, 9> motion_kind_names{"ground", "stack",  "wall",  "heap",  "blow",
                                                                   "joints", "driven", "space", "models"};

struct DrawnMotion {
  MotionKind kind{};
  MotionWorld world;
  MethodOptions options;
  std::vector<double> steps;    ///< [s] lengths of the steps
  std::vector<bool> is_faulty;  ///< steps that have a contact or row with a fault
  bool has_faults = false;      ///< any of them
  bool rests = false;           ///< an undisturbed stack or wall
  bool is_steady = false;       ///< all steps are equally long
  bool moves_in_call = false;   ///< results have the motion of the bodies
  double size = 1;              ///< [m] of the bodies
};

class MotionDrawer {
 public:
  static constexpr std::size_t steps = 60;
  static constexpr double decades = 3;  ///< of masses
  explicit MotionDrawer(std::uint64_t number) : draw_(number) {}

  DrawnMotion draw() {
    made_.kind = static_cast<MotionKind>(draw_.below(motion_kind_names.size()));
    made_.size = chance(3) ? draw_.log_uniform(3) : 1;
    world().gravity = {0, 0, -9.81};
    world().restitution = chance(2) ? 0 : chance(3) ? 1 : draw_.uniform();
    world().margin = chance(3) ? 0 : 0.04;
    friction_ = chance(4) ? draw_.uniform(0, 0.3) : draw_.uniform(0.2, 1.2);
    ratio_ = chance(3) ? draw_.uniform(0, decades) : 0;
    draw_options();
    draw_steps();
    draw_world();
    // Bodies of the size s move in √(s / 1 m) of the time.
    if (made_.size != 1)
      for (double& h : made_.steps) h *= std::sqrt(made_.size);
    // Last, so that other draws do not depend on it.
    if (carom::Substeps& o = made_.options.substeps; o.min_substeps == 1 && o.max_substeps > 1 && chance(8))
      o.min_direct_substeps = 2;
    return std::move(made_);
  }

 private:
  MotionWorld& world() { return made_.world; }
  bool chance(std::size_t of) { return draw_.below(of) == 0; }
  double speed() const { return std::sqrt(9.81 * made_.size); }

  void draw_options() {
    MethodOptions& o = made_.options;
    const std::size_t what = draw_.below(20);
    o.method = Procedure::substeps;
    if (what >= 12 && what < 15) {
      o.substeps.min_substeps = 1 + static_cast<int>(draw_.below(8));
      o.substeps.max_substeps = o.substeps.min_substeps + static_cast<int>(draw_.below(16));
      o.substeps.inner_iterations = 1 + static_cast<int>(draw_.below(6));
      if (chance(4)) o.substeps.position_correction.relax_iterations = static_cast<int>(draw_.below(3));
      if (chance(4)) o.substeps.iterations = 1 + static_cast<int>(draw_.below(4));
    } else if (what >= 15) {
      const Procedure methods[] = {Procedure::pgs, Procedure::pgs, Procedure::pgs, Procedure::ncp,
                                   Procedure::sequential_impacts};
      o.method = methods[what - 15];
      if (what < 17) o.correct_positions(1);  // the length of each step
      if (what == 16) o.pgs.iterations = 4;
      if (o.method == Procedure::sequential_impacts) o.sequential_impacts.law = Law::incremental;
    }
    made_.moves_in_call = o.moves();
  }

  void draw_steps() {
    double h = 1.0 / 60;
    if (chance(4)) h *= draw_.log_uniform(1.5);
    made_.steps.assign(steps, h);
    made_.is_faulty.assign(steps, false);
    const std::size_t pattern = draw_.below(8);
    made_.is_steady = pattern > 2;
    if (pattern == 0) made_.steps[draw_.below(steps)] *= draw_.log_uniform(2);
    if (pattern == 1)
      for (std::size_t k = 1; k < steps; k += 2) made_.steps[k] *= 0.3;
    if (pattern == 2)
      for (double& each : made_.steps) each *= draw_.log_uniform(0.7);
    if (chance(6))
      for (std::size_t k = 1 + draw_.below(10); k < steps; k += 1 + draw_.below(20))
        made_.is_faulty[k] = made_.has_faults = true;
  }

  MotionBody body() {
    MotionBody made;
    const double s = 0.5 * made_.size;
    const auto edge = [&] { return s * draw_.uniform(0.5, 1); };
    if (chance(2)) {
      made.radius = edge();
      made.mass = 8 * made.radius * made.radius * made.radius;
    } else {
      made.half[0] = edge(), made.half[1] = edge(), made.half[2] = edge();
      made.mass = 8 * made.half[0] * made.half[1] * made.half[2];
      made.orientation = draw_.rotation();
    }
    made.mass *= 1000 * std::pow(10.0, draw_.uniform(-0.5, 0.5) * ratio_);
    made.friction = std::max(0.0, friction_ + 0.1 * draw_.bell());
    return made;
  }
  MotionBody box(const Vector& position) {
    MotionBody made;
    for (double& x : made.half) x = 0.5 * made_.size;
    made.position = position;
    made.mass = 1000 * made_.size * made_.size * made_.size * std::pow(10.0, draw_.uniform(-0.5, 0.5) * ratio_);
    made.friction = friction_;
    return made;
  }
  void move(MotionBody& made, double most) {
    made.velocity = draw_.bell3(most * speed());
    made.spin = draw_.bell3(most * speed() / made.reach());
  }
  /// Bodies in the cells of a grid, so that none overlap.
  void add_grid(std::size_t count, std::size_t side, double floor, double max_speed) {
    const double cell = 1.8 * made_.size;
    for (std::size_t i = 0; i < count; ++i) {
      MotionBody made = body();
      const auto at = [&](std::size_t k) {
        return cell * (static_cast<double>(k) - 0.5 * static_cast<double>(side - 1));
      };
      made.position = {at(i % side), at(i / side % side),
                       floor + cell * (0.5 + static_cast<double>(i / (side * side)))};
      move(made, max_speed);
      world().bodies.push_back(made);
    }
  }
  void add_ground() { world().planes.push_back({}); }
  void add_box(double x, double y, double z) {
    world().bodies.push_back(box({x * made_.size, y * made_.size, z * made_.size}));
  }
  void add_stack(std::size_t boxes) {
    for (std::size_t i = 0; i < boxes; ++i) add_box(0, 0, 0.5 + static_cast<double>(i));
  }

  /// Half of all piles rest; the others begin with a kick.
  void disturb() {
    made_.rests = chance(2);
    if (made_.rests) {
      world().restitution = chance(2) ? 0 : world().restitution;
      for (MotionBody& of : world().bodies) of.friction = std::max(of.friction, 0.3);
      return;
    }
    for (MotionBody& of : world().bodies)
      if (chance(world().bodies.size() / 2 + 1)) move(of, 0.5);
  }

  void draw_world() {
    MotionWorld& w = world();
    switch (made_.kind) {
      case MotionKind::ground:
        add_ground();
        add_grid(1 + draw_.below(5), 2, 0, 0.5);
        break;
      case MotionKind::stack:
        add_ground();
        add_stack(1 + draw_.below(10));
        disturb();
        break;
      case MotionKind::wall:
        add_ground();
        draw_wall();
        disturb();
        break;
      case MotionKind::heap:
        add_ground();
        add_walls(2);
        add_grid(4 + draw_.below(13), 2, 0, 0.3);
        break;
      case MotionKind::blow:
        draw_blow();
        break;
      case MotionKind::joints:
        draw_joints();
        break;
      case MotionKind::driven:
        draw_driven();
        break;
      case MotionKind::space:
        w.gravity = {};
        add_grid(2 + draw_.below(7), 2, 0, 0.3);
        for (MotionBody& of : w.bodies) of.velocity = of.velocity - speed() / made_.size * of.position;
        break;
      case MotionKind::models:
        add_ground();
        add_walls(2);
        add_grid(1 + draw_.below(8), 2, 0, 0.3);
        draw_models();
        break;
    }
    if (chance(8) && !made_.rests) overlap();
  }

  void draw_wall() {
    const std::size_t base = 2 + draw_.below(3);
    const bool is_pyramid = chance(2);
    constexpr double spacing = 1.04;  // boxes of a row do not touch at first
    for (std::size_t row = 0; row < base; ++row) {
      // A wall is a running bond whose end boxes overhang by a quarter of their edge.
      const double shift = is_pyramid ? 0.5 * static_cast<double>(row) : row % 2 == 0 ? 0 : 0.25;
      for (std::size_t i = 0; i < (is_pyramid ? base - row : base); ++i)
        add_box(spacing * (static_cast<double>(i) + shift), 0, 0.5 + static_cast<double>(row));
    }
  }
  void add_walls(double distance) {
    for (const double sign : {-1.0, 1.0}) {
      world().planes.push_back({{sign, 0, 0}, -distance * made_.size});
      world().planes.push_back({{0, sign, 0}, -distance * made_.size});
    }
  }
  void draw_blow() {
    add_ground();
    ratio_ = 0;
    const std::size_t below = 1 + draw_.below(6);
    add_stack(below);
    MotionBody heavy = body();
    heavy.mass *= std::pow(10.0, draw_.uniform(0, decades));
    const double drop = draw_.uniform(0, 1);
    heavy.position = {0.2 * draw_.bell() * made_.size, 0,
                      (static_cast<double>(below) + drop) * made_.size + heavy.reach()};
    heavy.velocity = {0, 0, -draw_.uniform(0, 2) * speed()};
    world().bodies.push_back(heavy);
  }

  /// Connects two bodies at a point of the world.
  void join(std::int32_t a, std::int32_t b, const Vector& point, JointType type) {
    MotionJoint joint{a, b, type};
    const auto local = [&](std::int32_t body) {
      if (body < 0) return point;
      const MotionBody& of = world().bodies[static_cast<std::size_t>(body)];
      const Vector arm = point - of.position;
      return Vector{support::dot(arm, of.axis(0)), support::dot(arm, of.axis(1)), support::dot(arm, of.axis(2))};
    };
    joint.at_a = local(a);
    joint.at_b = local(b);
    joint.axis = draw_.direction();
    if (type == JointType::hinge && chance(4)) {
      joint.motor_speed = draw_.bell() * speed() / made_.size;
      joint.motor_torque = world().bodies[static_cast<std::size_t>(a)].mass * 9.81 * made_.size * draw_.uniform();
    }
    world().joints.push_back(joint);
  }
  JointType joint_type() {
    const JointType types[] = {JointType::ball, JointType::ball, JointType::hinge, JointType::hinge, JointType::fixed};
    return types[draw_.below(5)];
  }
  void draw_joints() {
    const bool is_free = chance(3);
    if (chance(3)) world().gravity = {};
    if (chance(2)) add_ground();
    const std::size_t links = 1 + draw_.below(8);
    const double height = 1 + draw_.uniform(0, 8);
    const bool is_tree = chance(3);
    Vector at = {0, 0, height * made_.size};
    for (std::size_t i = 0; i < links; ++i) {
      MotionBody made = body();
      const std::int32_t next = static_cast<std::int32_t>(i);
      Vector along = chance(2) ? Vector{1, 0, 0} : draw_.direction();
      if (along[2] < 0) along[2] = -along[2];
      std::int32_t before = next - 1;
      if (is_tree && i > 0) {
        before = static_cast<std::int32_t>(draw_.below(i));
        const MotionBody& parent = world().bodies[static_cast<std::size_t>(before)];
        at = parent.position + parent.reach() * draw_.direction();
      }
      const double reach = made.reach();
      made.position = at + reach * along;
      if (i + 1 == links) made.mass *= std::pow(10.0, draw_.uniform(0, 2));
      world().bodies.push_back(made);
      if (i > 0 || !is_free) join(next, i == 0 ? scenes::world : before, at, joint_type());
      at = made.position + reach * along;
    }
    if (!is_free && links > 0 && chance(6)) {
      MotionJoint rope{static_cast<std::int32_t>(links) - 1, scenes::world, JointType::rope};
      rope.at_b = {0, 0, height * made_.size};
      rope.length = support::length(world().bodies.back().position - rope.at_b);
      world().joints.push_back(rope);
    }
    // Bodies that begin with one velocity and spin satisfy the joints of free groups.
    const Vector v = draw_.bell3(speed()), spin = draw_.bell3((chance(4) ? 10.0 : 1.0) * speed() / made_.size);
    for (MotionBody& of : world().bodies) {
      if (!is_free) continue;
      of.spin = spin;
      of.velocity = v + support::cross(spin, of.position - world().bodies.front().position);
    }
    lift_above_ground();
  }
  void lift_above_ground() {
    if (world().planes.empty()) return;
    double lowest = 0;
    for (const MotionBody& of : world().bodies) lowest = std::min(lowest, of.position[2] - of.reach());
    if (!(lowest < 0)) return;
    world().planes.front().offset = lowest;
  }

  void draw_driven() {
    MotionBody plate;
    plate.mass = std::numeric_limits<double>::infinity();
    plate.position = {0, 0, -made_.size};
    const std::size_t what = draw_.below(3);
    if (what == 0) plate.velocity = {0, 0, speed() * draw_.bell()};
    if (what == 1) plate.velocity = draw_.bell3(0.5 * speed());
    const bool is_stack = chance(2);
    is_stack ? add_stack(1 + draw_.below(5)) : add_grid(1 + draw_.below(6), 2, 0, 0.2);
    MotionPlane top{{0, 0, 1}, made_.size, static_cast<std::int32_t>(world().bodies.size())};
    if (what == 2) top.surface_velocity = {speed() * draw_.bell(), 0, 0};
    world().bodies.push_back(plate);
    world().planes.push_back(top);
    if (chance(3)) {
      // A wall that pushes.
      MotionBody wall = plate;
      wall.velocity = {speed() * draw_.uniform(0, 1), 0, 0};
      wall.position = {-3 * made_.size, 0, 0};
      world().planes.push_back({{1, 0, 0}, 0, static_cast<std::int32_t>(world().bodies.size())});
      world().bodies.push_back(wall);
    }
  }

  void draw_models() {
    MotionWorld& w = world();
    MethodOptions& o = made_.options;
    if (o.method == Procedure::sequential_impacts) o = {}, o.method = Procedure::substeps;
    made_.moves_in_call = o.moves();
    if (chance(2)) w.rolling = draw_.uniform(0, 0.2) * made_.size;
    if (chance(2)) w.spinning = draw_.uniform(0, 0.2) * made_.size;
    const double weight = 1000 * made_.size * made_.size * made_.size;
    if (chance(4)) w.compliance = draw_.log_uniform(3) / weight;
    if (o.method != Procedure::ncp && chance(2)) w.static_factor = draw_.uniform(1, 2);
    if (made_.moves_in_call && chance(4)) {
      w.stiffness = weight * 9.81 / (0.02 * made_.size) * draw_.log_uniform(3);
      w.damping = chance(2) ? 0 : draw_.uniform(0, 1) * std::sqrt(w.stiffness * weight);
    }
  }

  /// Bodies begin inside each other or the ground.
  void overlap() {
    for (MotionBody& of : world().bodies)
      if (of.moves()) of.position = of.position + draw_.bell3(0.1 * made_.size);
  }

  support::Draw draw_;
  double friction_ = 0.5, ratio_ = 0;
  DrawnMotion made_;
};

}  // namespace carom::probe
