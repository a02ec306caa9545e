// Machines: an arm that lifts a box by friction, a vehicle on springs, a train of gears, a rope, a row of rods.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "boxes.hpp"
#include "measures.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

constexpr double pi = std::numbers::pi;

btScalar scalar(double number) {
  return static_cast<btScalar>(number);
}

btTransform in(const btRigidBody& body, const btTransform& world) {
  return body.getWorldTransform().inverse() * world;
}

void without_contacts(btRigidBody& body) {
  body.setCollisionFlags(body.getCollisionFlags() | btCollisionObject::CF_NO_CONTACT_RESPONSE);
}

void watch(World& world, const btRigidBody& a, const btRigidBody& b, const btVector3& at) {
  world.watch_joint(a, a.getWorldTransform().inverse() * at, b, b.getWorldTransform().inverse() * at);
}

// A hinge about y that is held at an angle by a motor. Bullet counts how far its first body has turned from its second.
class Servo {
 public:
  Servo(World& world, btRigidBody& child, btRigidBody& parent, const btVector3& at, double torque)
      : step_(world.options().time_step) {
    const btMatrix3x3 z_along_y(1, 0, 0, 0, 0, 1, 0, -1, 0);
    const btTransform frame(z_along_y, at);
    auto hinge = std::make_unique<btHingeConstraint>(child, parent, in(child, frame), in(parent, frame));
    hinge->enableAngularMotor(true, 0, scalar(torque * step_));
    hinge_ = hinge.get();
    world.add(std::move(hinge));
    watch(world, child, parent, at);
  }
  // A tenth of the error goes in a step.
  void aim(double angle) { hinge_->setMotorTarget(scalar(angle), scalar(10 * step_)); }

 private:
  double step_;
  btHingeConstraint* hinge_;
};

// Shoulder, elbow and wrist lift the palm, which stays level; two fingers slide on it and press the box between them.
std::vector<Number> run_arm(World& world, const Arguments& arguments) {
  constexpr double edge = 0.2, box_mass = 2, pressure = 50, friction = 0.8;  // [m], [kg], [N], [1]
  constexpr double close = 1, raise = 3, turn = 25 * pi / 180;               // [s], [rad] of the shoulder
  add_ground(world, friction);
  btRigidBody& base = add_box(world, vector(0.3, 0.3, 1), 0, place(0, 0, 0.5), friction);
  const auto link = [&](const btVector3& from, const btVector3& to, double mass) -> btRigidBody& {
    const btVector3 along = to - from;
    const btQuaternion tilt(btVector3(0, 1, 0), std::atan2(-along.z(), along.x()));
    btRigidBody& body = add_box(world, vector(static_cast<double>(along.length()), 0.1, 0.1), mass,
                                btTransform(tilt, (from + to) / 2), friction);
    without_contacts(body);
    return body;
  };
  const btVector3 shoulder = vector(0, 0, 1), elbow = vector(0.7, 0, 1.7), wrist = vector(1.2, 0, 0.8);
  btRigidBody& upper = link(shoulder, elbow, 10);
  btRigidBody& lower = link(elbow, wrist, 5);
  btRigidBody& palm = add_box(world, vector(0.1, 0.6, 0.1), 2, btTransform(btQuaternion::getIdentity(), wrist), 0.5);
  without_contacts(palm);
  Servo at_shoulder(world, upper, base, shoulder, 1000), at_elbow(world, lower, upper, elbow, 500),
      at_wrist(world, palm, lower, wrist, 200);
  btRigidBody& box = add_box(world, vector(edge, edge, edge), box_mass, place(1.2, 0, edge / 2), friction);
  std::array<btRigidBody*, 2> fingers{};
  for (std::size_t i = 0; i < 2; ++i) {
    const double side = i == 0 ? -1 : 1;
    btRigidBody& finger =
        add_box(world, vector(0.1, 0.04, 0.7), 0.5, place(1.2, side * (edge / 2 + 0.05), 0.45), friction);
    const btMatrix3x3 x_along_y(0, -1, 0, 1, 0, 0, 0, 0, 1);
    const btTransform frame(x_along_y, finger.getWorldTransform().getOrigin());
    auto slider = std::make_unique<btSliderConstraint>(palm, finger, in(palm, frame), in(finger, frame), true);
    slider->setLowerLinLimit(scalar(-0.2));
    slider->setUpperLinLimit(scalar(0.2));
    slider->setLowerAngLimit(0);
    slider->setUpperAngLimit(0);
    world.add(std::move(slider));
    fingers[i] = &finger;
  }
  const double end = arguments.brief ? 6 : 20;
  const auto below_fingers = [&] {
    const btVector3 middle =
        (fingers[0]->getWorldTransform().getOrigin() + fingers[1]->getWorldTransform().getOrigin()) / 2;
    return palm.getWorldTransform().getBasis().transpose() * (box.getWorldTransform().getOrigin() - middle);
  };
  btVector3 held;
  double slip = 0;
  bool lifting = false;
  while (world.time() < end) {
    const double share = std::clamp((world.time() - close) / (raise - close), 0.0, 1.0);
    const double angle = -turn * share * share * (3 - 2 * share);
    at_shoulder.aim(angle);
    at_elbow.aim(0);
    at_wrist.aim(-angle);
    fingers[0]->applyCentralForce(vector(0, pressure, 0));
    fingers[1]->applyCentralForce(vector(0, -pressure, 0));
    world.step();
    if (world.time() < close) continue;
    if (!lifting) held = below_fingers();
    lifting = true;
    slip = std::max(slip, static_cast<double>((below_fingers() - held).length()));
  }
  // The wrist is 1.2 m and -0.2 m from the shoulder.
  const double lift = 1.2 * std::sin(turn) - 0.2 * (std::cos(turn) - 1);
  return {within("the box is up by, of what the arm turns", "%",
                 100 * (static_cast<double>(box.getWorldTransform().getOrigin().z()) - edge / 2) / lift, 95, 105),
          at_most("it slips in the fingers", "mm", 1e3 * slip, 5),
          at_most("joint error", "mm", 1e3 * max_joint_error({world, 0}), 5),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

// A chassis on four driven wheels with springs goes over bumps and comes to rest. Wheels are balls.
std::vector<Number> run_vehicle(World& world, const Arguments& arguments) {
  constexpr double radius = 0.35, wheel_mass = 40, chassis_mass = 800, stiffness = 20000, damping = 2000;
  constexpr double speed = 5, drive = 5, friction = 0.8;  // [m/s], [s], [1]
  add_ground(world, friction);
  for (int i = 0; i < 6; ++i)
    add_box(world, vector(0.3, 1.5, 0.1), 0, place(6 + 2 * i, i % 2 == 0 ? 0.8 : -0.8, 0), friction);
  btRigidBody& chassis = add_box(world, vector(3, 1.4, 0.4), chassis_mass, place(0, 0, radius + 0.15), friction);
  std::vector<btHinge2Constraint*> axles;
  std::vector<btRigidBody*> wheels;
  for (const double x : {-1.2, 1.2})
    for (const double y : {-0.9, 0.9}) {
      const btTransform at = place(x, y, radius);
      btRigidBody& wheel =
          world.add(std::make_shared<btSphereShape>(scalar(radius)), wheel_mass, at, rubbing(friction));
      btVector3 anchor = at.getOrigin(), up(0, 0, 1), axle(0, 1, 0);
      auto joint = std::make_unique<btHinge2Constraint>(chassis, wheel, anchor, up, axle);
      joint->setLowerLimit(0);  // It does not steer.
      joint->setUpperLimit(0);
      joint->setStiffness(2, scalar(stiffness));
      joint->setDamping(2, scalar(damping));
      joint->enableMotor(3, true);
      joint->setMaxMotorForce(3, scalar(400));
      axles.push_back(joint.get());
      wheels.push_back(&wheel);
      world.add(std::move(joint));
    }
  std::vector<btVector3> anchors;
  for (const btRigidBody* wheel : wheels)
    anchors.push_back(chassis.getWorldTransform().inverse() * wheel->getWorldTransform().getOrigin());
  double off = 0;
  const auto go = [&](double until, double at) {
    for (btHinge2Constraint* axle : axles) axle->setTargetVelocity(3, scalar(-at / radius));
    while (world.time() < until) {
      world.step();
      for (std::size_t i = 0; i < wheels.size(); ++i) {
        const btVector3 now = chassis.getWorldTransform().inverse() * wheels[i]->getWorldTransform().getOrigin();
        off = std::max(off, std::hypot(static_cast<double>(now.x() - anchors[i].x()),
                                       static_cast<double>(now.y() - anchors[i].y())));
      }
    }
  };
  go(1, 0);
  go(1 + drive, speed);
  const double way = static_cast<double>(chassis.getWorldTransform().getOrigin().x());
  const double end = 1 + drive + (arguments.brief ? 6 : 20);
  go(end - 2, 0);
  const Drift drift({&chassis});
  double fastest = 0;
  while (world.time() < end) {
    world.step();
    fastest = std::max(fastest, corner_speed(chassis));
  }
  const double level =
      std::acos(std::min(1.0, static_cast<double>(chassis.getWorldTransform().getBasis().getColumn(2).z()))) * 180 / pi;
  // Without its weight, the springs would hold the chassis at the height of their anchors.
  const double sag = chassis_mass * 9.81 / (4 * stiffness);
  const double height = static_cast<double>(chassis.getWorldTransform().getOrigin().z());
  return {within("way in 5 s of 5 m/s", "m", std::abs(way), 15, 25),
          at_most("a wheel off its spring's line", "mm", 1e3 * off, 5),
          at_most("the chassis moves in the last 2 s", "mm", 1e3 * drift.largest(), 1),
          at_most("its speed then", "mm/s", 1e3 * fastest, 1),
          at_most("its tilt", "°", level, 1),
          within("its height less that of springs", "mm", 1e3 * (height - (radius + 0.15 - sag)), -10, 10),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

// Three wheels, geared 1 : 10 twice. A motor turns the first, the last is heavy and resists.
std::vector<Number> run_gears(World& world, const Arguments& arguments) {
  constexpr double ratio = 10, speed = 20, torque = 50, load = 2000;  // [1], [rad/s], [N m] of the motor and the load
  const std::array<double, 3> radii = {0.1, 0.3, 1}, masses = {1, 5, 200};
  btRigidBody& frame = add_box(world, vector(0.1, 0.1, 0.1), 0, place(0, 0, 0), 0.5);
  without_contacts(frame);
  std::array<btRigidBody*, 3> wheels{};
  std::array<btHingeConstraint*, 3> hinges{};
  for (std::size_t i = 0; i < 3; ++i) {
    const btTransform at = place(static_cast<double>(i) * 1.5, 0, 1);
    wheels[i] = &world.add(std::make_shared<btCylinderShapeZ>(vector(radii[i], radii[i], 0.05)), masses[i], at);
    without_contacts(*wheels[i]);
    auto hinge = std::make_unique<btHingeConstraint>(*wheels[i], frame, btTransform::getIdentity(), in(frame, at));
    hinges[i] = hinge.get();
    world.add(std::move(hinge));
    watch(world, *wheels[i], frame, at.getOrigin());
  }
  hinges[0]->enableAngularMotor(true, scalar(speed), scalar(torque * world.options().time_step));
  const btVector3 axis(0, 0, 1);
  for (std::size_t i = 0; i < 2; ++i)
    world.add(std::make_unique<btGearConstraint>(*wheels[i], *wheels[i + 1], axis, axis, scalar(ratio)));
  std::array<double, 3> angle{}, last{};
  const auto turned = [&](std::size_t i) {
    const btVector3 x = wheels[i]->getWorldTransform().getBasis().getColumn(0);
    return std::atan2(static_cast<double>(x.y()), static_cast<double>(x.x()));
  };
  const double end = arguments.brief ? 3 : 10;
  double slip = 0;
  while (world.time() < end) {
    wheels[2]->applyTorque(vector(0, 0, wheels[2]->getAngularVelocity().z() > 0 ? -load : load));
    world.step();
    for (std::size_t i = 0; i < 3; ++i) {
      angle[i] += std::remainder(turned(i) - last[i], 2 * pi);
      last[i] = turned(i);
    }
    slip = std::max({slip, std::abs(angle[0] + ratio * angle[1]), std::abs(angle[1] + ratio * angle[2])});
  }
  return {within("the motor has turned, of its speed", "%", 100 * std::abs(angle[0]) / (speed * end), 95, 105),
          at_most("slip of a gear, of its faster wheel", "°", slip * 180 / pi, 1),
          at_most("slip of both, of the motor's way", "%",
                  100 * std::abs(angle[0] - ratio * ratio * angle[2]) / std::abs(angle[0]), 0.1),
          at_most("joint error", "mm", 1e3 * max_joint_error({world, 0}), 1),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

// A rope of thirty links of 0.1 kg swings from 45° with a thousand times the mass of a link at its end.
std::vector<Number> run_rope(World& world, const Arguments& arguments) {
  constexpr int links = 30;
  constexpr double length = 0.2, mass = 0.1, weight = 100;
  btRigidBody* last = &add_box(world, vector(0.1, 0.1, 0.1), 0, place(0, 0, 10), 0.5);
  const btQuaternion tilt(btVector3(0, 1, 0), scalar(-pi / 4));
  const btVector3 along = quatRotate(tilt, vector(0, 0, -length));
  btVector3 pivot = vector(0, 0, 10);
  for (int i = 0; i < links; ++i) {
    const bool end = i + 1 == links;
    const double thick = end ? 0.3 : 0.05;
    btRigidBody& link = add_box(world, vector(thick, thick, end ? 0.3 : length), end ? weight : mass,
                                btTransform(tilt, pivot + along / 2), 0.5);
    without_contacts(link);
    world.add(std::make_unique<btPoint2PointConstraint>(*last, link, last->getWorldTransform().inverse() * pivot,
                                                        link.getWorldTransform().inverse() * pivot));
    watch(world, *last, link, pivot);
    pivot += along;
    last = &link;
  }
  const double end = arguments.brief ? 5 : 20;
  const double reach = links * length - length / 2, lowest = 10 - reach;
  double error = 0, deepest = 10;
  while (world.time() < end) {
    error += world.step().joint_error;
    deepest = std::min(deepest, static_cast<double>(last->getWorldTransform().getOrigin().z()));
  }
  // It falls by (1 - cos 45°) of its length.
  const double swing = weight * 9.81 * reach * (1 - std::cos(pi / 4));
  return {at_most("joint error, mean", "mm", 1e3 * error / static_cast<double>(world.samples().size()), 2),
          at_most("joint error, peak", "mm", 1e3 * max_joint_error({world, 0}), 10),
          at_most("the weight below where the rope ends", "mm", 1e3 * (lowest - deepest), 20),
          at_most("energy gained, of the swing's", "%", 100 * max_energy_gain({world, 0}) / swing, 1),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

// Cubes of 0.1 · 2^i kg in a row from the wall, each fixed to the previous one.
std::vector<Number> run_rods(World& world, const Arguments& arguments) {
  constexpr int cubes = 10;
  constexpr double edge = 0.1;
  btRigidBody* last = &add_box(world, vector(edge, edge, edge), 0, place(0, 0, 1), 0.5);
  for (int i = 0; i < cubes; ++i) {
    btRigidBody& cube =
        add_box(world, vector(edge, edge, edge), 0.1 * std::pow(2, i), place((i + 1) * edge, 0, 1), 0.5);
    const btTransform frame = place((i + 0.5) * edge, 0, 1);
    world.add(std::make_unique<btFixedConstraint>(*last, cube, in(*last, frame), in(cube, frame)));
    watch(world, *last, cube, frame.getOrigin());
    last = &cube;
  }
  const double end = arguments.brief ? 3 : 10;
  double sag = 0;
  while (world.time() < end) {
    world.step();
    sag = std::max(sag, 1 - static_cast<double>(last->getWorldTransform().getOrigin().z()));
  }
  return {
      at_most("the tip has sagged at most", "mm", 1e3 * sag, 1),
      told("the tip sags at the end", "mm", 1e3 * (1 - static_cast<double>(last->getWorldTransform().getOrigin().z()))),
      told("joint error", "mm", 1e3 * max_joint_error({world, 0})),
      told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Scene> scenes = {{"arm", "an arm lifts a box by friction", {}, run_arm},
                               {"vehicle", "a vehicle drives over bumps and rests", {}, run_vehicle},
                               {"gears", "gears of 1 : 100 turn a load", {}, run_gears},
                               {"rope", "a rope swings 1000 times a link's mass", {}, run_rope},
                               {"rods", "cubes on fixed joints stand out from a wall", {}, run_rods}};
  for (Scene& scene : scenes) {
    scene.options.time_step = 0.01;
  }
  return show_all(argc, argv, "machines", scenes);
}
