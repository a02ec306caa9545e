// Ragdolls of eleven parts fall down stairs, one, or sixteen onto one another. Joints and their limits should hold, and
// energy should only go down.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "measures.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

constexpr double pi = std::numbers::pi;
constexpr int steps = 12;
constexpr double step_depth = 0.3, step_height = 0.18;  // [m]
constexpr double time_step = 1.0 / 120, push = 2;       // [s], [m/s]

btVector3 vector(double x, double y, double z) {
  return {static_cast<btScalar>(x), static_cast<btScalar>(y), static_cast<btScalar>(z)};
}

// Limits [rad] of a joint's angles, which are measured between the frames of its two bodies.
struct Limit {
  const btRigidBody *a, *b;
  btTransform frame_a, frame_b;
  double swing, min_twist, max_twist;  ///< a hinge turns about z; a cone has its axis along x
  bool hinge;
};

double excess(const Limit& limit) {
  const btMatrix3x3 from = limit.a->getWorldTransform().getBasis() * limit.frame_a.getBasis();
  const btMatrix3x3 to = limit.b->getWorldTransform().getBasis() * limit.frame_b.getBasis();
  btQuaternion turn;
  (from.transpose() * to).getRotation(turn);
  if (turn.w() < 0) turn = -turn;
  const double about = static_cast<double>(limit.hinge ? turn.z() : turn.x());
  const double twist = 2 * std::atan2(about, static_cast<double>(turn.w()));
  const double along = static_cast<double>(from.getColumn(0).dot(to.getColumn(0)));
  double most = std::max({0.0, twist - limit.max_twist, limit.min_twist - twist});
  if (!limit.hinge) most = std::max(most, std::acos(std::clamp(along, -1.0, 1.0)) - limit.swing);
  return most;
}

class Ragdoll {
 public:
  Ragdoll(World& world, const btVector3& place) : world_(world), place_(place) {
    // Along z; the doll faces the stairs, which go down along x.
    btRigidBody& pelvis = box(vector(0, 0, 0.95), vector(0.16, 0.32, 0.18), 12);
    btRigidBody& chest = box(vector(0, 0, 1.28), vector(0.2, 0.36, 0.42), 25);
    btRigidBody& head = capsule(vector(0, 0, 1.66), 0.09, 0.10, 5, 2);
    hinge(pelvis, chest, vector(0, 0, 1.05), -0.4, 0.9);
    cone(chest, head, vector(0, 0, 1.52), vector(0, 0, 1), 0.5, 0.7);
    for (const double side : {-1.0, 1.0}) {
      btRigidBody& upper_arm = capsule(vector(0, side * 0.37, 1.43), 0.05, 0.2, 2.5, 1);
      btRigidBody& lower_arm = capsule(vector(0, side * 0.67, 1.43), 0.04, 0.2, 1.5, 1);
      cone(chest, upper_arm, vector(0, side * 0.21, 1.43), vector(0, side, 0), 1.3, 0.6);
      hinge(upper_arm, lower_arm, vector(0, side * 0.52, 1.43), 0, 2.2, vector(0, 0, -side));
      btRigidBody& thigh = capsule(vector(0, side * 0.1, 0.64), 0.07, 0.3, 8, 2);
      btRigidBody& shin = capsule(vector(0, side * 0.1, 0.2), 0.055, 0.3, 4, 2);
      cone(pelvis, thigh, vector(0, side * 0.1, 0.86), vector(0, 0, -1), 0.9, 0.4);
      hinge(thigh, shin, vector(0, side * 0.1, 0.42), 0, 2.2);
    }
  }

  const std::vector<Limit>& limits() const { return limits_; }
  const std::vector<btRigidBody*>& parts() const { return parts_; }

 private:
  btRigidBody& box(const btVector3& at, const btVector3& size, double mass) {
    return add(std::make_shared<btBoxShape>(size / 2), at, mass);
  }
  // axis: 1 along y, 2 along z
  btRigidBody& capsule(const btVector3& at, double radius, double length, double mass, int axis) {
    const auto r = static_cast<btScalar>(radius), l = static_cast<btScalar>(length);
    if (axis == 1) return add(std::make_shared<btCapsuleShape>(r, l), at, mass);
    return add(std::make_shared<btCapsuleShapeZ>(r, l), at, mass);
  }
  btRigidBody& add(std::shared_ptr<btCollisionShape> shape, const btVector3& at, double mass) {
    parts_.push_back(
        &world_.add(std::move(shape), mass, btTransform(btQuaternion::getIdentity(), place_ + at), {0.8, 0}));
    return *parts_.back();
  }

  // The frame of a joint in the world, with its axis along x (cone) or z (hinge).
  btTransform frame(const btVector3& at, const btVector3& axis, bool along_z) const {
    btVector3 second, third;
    btPlaneSpace1(axis, second, third);
    btMatrix3x3 basis;
    if (along_z)
      basis.setValue(second.x(), third.x(), axis.x(), second.y(), third.y(), axis.y(), second.z(), third.z(), axis.z());
    else
      basis.setValue(axis.x(), second.x(), third.x(), axis.y(), second.y(), third.y(), axis.z(), second.z(), third.z());
    return btTransform(basis, place_ + at);
  }
  void hinge(btRigidBody& a, btRigidBody& b, const btVector3& at, double least, double greatest,
             const btVector3& axis = btVector3(0, 1, 0)) {
    const btTransform world_frame = frame(at, axis, true);
    const btTransform in_a = a.getWorldTransform().inverse() * world_frame,
                      in_b = b.getWorldTransform().inverse() * world_frame;
    auto joint = std::make_unique<btHingeConstraint>(a, b, in_a, in_b);
    // Bullet counts how far A has turned from B.
    joint->setLimit(static_cast<btScalar>(-greatest), static_cast<btScalar>(-least));
    keep(std::move(joint), {&a, &b, in_a, in_b, 0, least, greatest, true});
  }
  void cone(btRigidBody& a, btRigidBody& b, const btVector3& at, const btVector3& axis, double swing, double twist) {
    const btTransform world_frame = frame(at, axis, false);
    const btTransform in_a = a.getWorldTransform().inverse() * world_frame,
                      in_b = b.getWorldTransform().inverse() * world_frame;
    auto joint = std::make_unique<btConeTwistConstraint>(a, b, in_a, in_b);
    joint->setLimit(static_cast<btScalar>(swing), static_cast<btScalar>(swing), static_cast<btScalar>(twist));
    keep(std::move(joint), {&a, &b, in_a, in_b, swing, -twist, twist, false});
  }
  void keep(std::unique_ptr<btTypedConstraint> joint, const Limit& limit) {
    world_.add(std::move(joint));
    world_.watch_joint(*limit.a, limit.frame_a.getOrigin(), *limit.b, limit.frame_b.getOrigin());
    limits_.push_back(limit);
  }

  World& world_;
  btVector3 place_;
  std::vector<btRigidBody*> parts_;
  std::vector<Limit> limits_;
};

void build_stairs(World& world, double width) {
  const Material stone{0.8, 0};
  const auto add = [&](double from, double to, double top) {
    world.add(std::make_shared<btBoxShape>(vector((to - from) / 2, width / 2, 1)), 0,
              btTransform(btQuaternion::getIdentity(), vector((from + to) / 2, 0, top - 1)), stone);
  };
  const double top = steps * step_height;
  add(-2, 0, top);
  for (int i = 1; i < steps; ++i) add((i - 1) * step_depth, i * step_depth, top - i * step_height);
  add((steps - 1) * step_depth, (steps - 1) * step_depth + 10, 0);
}

// The most of anything in the run so far.
struct Most {
  double angle_beyond = 0;   ///< [rad] of a joint beyond its limits
  double turn = 0;           ///< [rad] of a part in a step
  double relative_turn = 0;  ///< [rad] of two parts of a joint, in a step
  double corner_speed = 0;   ///< [m/s]

  void look(const Ragdoll& doll) {
    for (const Limit& limit : doll.limits()) {
      angle_beyond = std::max(angle_beyond, excess(limit));
      const btVector3 spin = limit.a->getAngularVelocity() - limit.b->getAngularVelocity();
      relative_turn = std::max(relative_turn, static_cast<double>(spin.length()) * time_step);
    }
    for (const btRigidBody* part : doll.parts()) {
      turn = std::max(turn, static_cast<double>(part->getAngularVelocity().length()) * time_step);
      corner_speed = std::max(corner_speed, carom_scenes::corner_speed(*part));
    }
  }
};

std::vector<Number> run(World& world, const Arguments& arguments, int rows, int high) {
  btContactSolverInfo& info = world.bullet().getSolverInfo();
  info.m_numIterations = 10;
  build_stairs(world, 4 + 2 * (rows - 1));
  std::vector<Ragdoll> dolls;
  for (int i = 0; i < high; ++i)
    for (int j = 0; j < rows; ++j)
      dolls.emplace_back(world, vector(-0.15, 1.8 * (j - 0.5 * (rows - 1)), steps * step_height + 0.02 + 2 * i));
  for (const Ragdoll& doll : dolls)
    for (btRigidBody* part : doll.parts()) part->setLinearVelocity(vector(push, 0, 0));
  world.step();
  const double brought = world.samples().back().kinetic_energy + world.samples().back().potential_energy;
  const double end = arguments.brief ? 2 : 10;
  Most most;
  while (world.time() < end) {
    world.step();
    for (const Ragdoll& doll : dolls) most.look(doll);
  }
  // Joints hold velocities: a lever arm r that turns by w in a step leaves its end r w² / 2 away. The longest two of a
  // joint, in chest and upper arm, have 0.4 m.
  const double bend = 1e3 * 0.4 * most.turn * most.turn / 2;
  // Bullet finds that bodies have met, or a joint its limit, up to a step after they did.
  const double reach = 1e3 * most.corner_speed * time_step, late = most.relative_turn * 180 / pi;
  // [J] The push against an error is a share of it a step; this is its energy if all parts had its velocity.
  double mass = 0;
  for (const Ragdoll& doll : dolls)
    for (const btRigidBody* part : doll.parts()) mass += static_cast<double>(part->getMass());
  const double error = std::max(max_joint_error({world, 0}), deepest_penetration({world, 0}));
  const double pushed = mass * std::pow(static_cast<double>(info.m_erp) * error / time_step, 2) / 2;
  return {
      {"largest joint error", "mm", 1e3 * max_joint_error({world, 0}), 0, bend},
      {"largest angle beyond a limit", "°", most.angle_beyond * 180 / pi, 0, late},
      {"deepest penetration", "mm", 1e3 * deepest_penetration({world, 0}), 0, reach},
      {"rise of energy in a step, of all", "%", 100 * max_energy_rise({world, 0}) / brought, 0, 100 * pushed / brought},
      {"rise of energy in all, of all", "%", 100 * max_energy_gain({world, 0}) / brought},
      {"kinetic energy at the end", "J", world.samples().back().kinetic_energy},
      {"solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0})}};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Scene> scenes = {{"one",
                                "a ragdoll falls down stairs",
                                {},
                                [](World& world, const Arguments& arguments) { return run(world, arguments, 1, 1); }},
                               {"sixteen",
                                "sixteen ragdolls fall onto one another and down stairs",
                                {},
                                [](World& world, const Arguments& arguments) { return run(world, arguments, 4, 4); }}};
  for (Scene& scene : scenes) scene.options.time_step = time_step;
  return show_all(argc, argv, "ragdoll", scenes);
}
