// Friction with known answers: an incline, a ball with backspin, turntables, a tall box that slides or tips, a gripper,
// and the impulse of a box at rest.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "boxes.hpp"
#include "faces.hpp"
#include "measures.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

constexpr double gravity = 9.81, pi = std::numbers::pi;

btScalar scalar(double number) {
  return static_cast<btScalar>(number);
}

btVector3 origin(const btRigidBody& body) {
  return body.getWorldTransform().getOrigin();
}

// Two blocks at rest on a slope of 1 : 2, on the contacts of their faces. Friction of 0.4 lets one slide, 0.5 just
// holds the other.
std::vector<Number> run_incline(World& world, const Arguments& /*arguments*/) {
  const double slope = std::atan(0.5), end = 2;
  const btTransform tilt(btQuaternion(btVector3(0, 1, 0), scalar(slope)));
  btRigidBody& ground = add_box(world, vector(20, 10, 1), 0, tilt * place(0, 0, -0.5), 1);
  Faces faces(world);
  std::array<btRigidBody*, 2> blocks{};
  const std::array<double, 2> frictions = {0.4, 0.5};
  const std::array<btVector3, 4> corners = {vector(-0.2, -0.2, -0.1), vector(0.2, -0.2, -0.1), vector(0.2, 0.2, -0.1),
                                            vector(-0.2, 0.2, -0.1)};
  for (std::size_t i = 0; i < 2; ++i) {
    blocks[i] = &add_box(world, vector(0.4, 0.4, 0.2), 1, tilt * place(-2, i == 0 ? -1 : 1, 0.1), frictions[i]);
    faces.add(*blocks[i], corners, ground, vector(0, 0, 0.5), vector(0, 0, 1), frictions[i]);
  }
  faces.without_detection();
  const std::array<btVector3, 2> start = {origin(*blocks[0]), origin(*blocks[1])};
  while (world.time() < end - 1e-6) world.step();
  const btVector3 down = tilt.getBasis().getColumn(0);
  const double slid = static_cast<double>((origin(*blocks[0]) - start[0]).dot(down));
  const double stuck = static_cast<double>((origin(*blocks[1]) - start[1]).dot(down));
  // g (sin a - 0.4 cos a) t² / 2. A step's velocity acts for its whole length, so that it is h / t more.
  const double exact = gravity * (std::sin(slope) - 0.4 * std::cos(slope)) * end * end / 2;
  const double late = world.options().time_step / end;
  return {within("with 0.4 it slides, of what it should", "%", 100 * slid / exact, 99.5, 100.5 + 100 * late),
          at_most("with 0.5 it moves", "mm", 1e3 * std::abs(stuck), 1)};
}

// A ball that is thrown forwards and spins backwards. Bullet bounds spin to a quarter turn a step, which 200 rad/s
// at 10 ms is beyond: the step is 5 ms.
std::vector<Number> run_backspin(World& world, const Arguments& /*arguments*/) {
  constexpr double radius = 0.25, speed = 4, spin = 200, friction = 0.5;
  world.add(std::make_shared<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0)), 0, place(0, 0, 0),
            rubbing(friction));
  btRigidBody& ball =
      world.add(std::make_shared<btSphereShape>(scalar(radius)), 1, place(0, 0, radius), rubbing(friction));
  ball.setLinearVelocity(vector(speed, 0, 0));
  ball.setAngularVelocity(vector(0, -spin, 0));
  // The contact slips at v + w r, which friction slows by (1 + 5/2) mu g.
  const double slows = friction * gravity, rolls = (speed + spin * radius) / (3.5 * slows);
  const double final_speed = (5 * speed - 2 * spin * radius) / 7, h = world.options().time_step;
  double worst = 0, began = -1, slip_after = 0;
  while (world.time() < 4) {
    world.step();
    const double v = static_cast<double>(ball.getLinearVelocity().x());
    const double slip = std::abs(v - static_cast<double>(ball.getAngularVelocity().y()) * radius);
    worst = std::max(worst, std::abs(v - std::max(speed - slows * world.time(), final_speed)));
    if (began < 0 && slip < 1e-3) began = world.time();
    if (world.time() > rolls + h) slip_after = std::max(slip_after, slip);
  }
  return {within("it rolls from", "s", began, rolls - h, rolls + h),
          at_most("its speed is off by, of µ g h", "%", 100 * worst / (slows * h), 100),
          at_most("it slips when it rolls", "mm/s", 1e3 * slip_after, 1),
          within("it rolls at", "m/s", static_cast<double>(ball.getLinearVelocity().x()), final_speed - slows * h,
                 final_speed + slows * h)};
}

// Four kinematic tables spin up within a second, with a box on each, 0.7 m from its axis. A box stays if mu g exceeds
// its acceleration.
std::vector<Number> run_turntable(World& world, const Arguments& arguments) {
  struct Case {
    double friction, spin;
    bool stays;
    const char* name;
  };
  constexpr std::array<Case, 4> cases = {{{0.2, 2, false, "0.2, 2 rad/s: farthest from the axis"},
                                          {0.2, 5, false, "0.2, 5 rad/s"},
                                          {0.5, 5, false, "0.5, 5 rad/s"},
                                          {0.5, 2, true, "0.5, 2 rad/s"}}};
  constexpr double from_axis = 0.7, apart = 20;
  std::array<btRigidBody*, 4> tables{}, boxes{};
  for (std::size_t i = 0; i < 4; ++i) {
    const double y = apart * static_cast<double>(i);
    tables[i] = &add_box(world, vector(4, 4, 0.2), 0, place(0, y, -0.1), cases[i].friction);
    tables[i]->setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT);
    boxes[i] = &add_box(world, vector(0.1, 0.1, 0.1), 1, place(from_axis, y, 0.05), cases[i].friction);
  }
  std::array<double, 4> farthest{};
  double moved = 0, angle = 0;
  const double end = arguments.brief ? 5 : 10, h = world.options().time_step;
  std::array<double, 4> turned{};
  while (world.time() < end) {
    const double share = std::min(world.time() + h, 1.0);
    for (std::size_t i = 0; i < 4; ++i) {
      turned[i] += cases[i].spin * share * h;
      btTransform at = tables[i]->getWorldTransform();
      at.setRotation(btQuaternion(btVector3(0, 0, 1), scalar(std::remainder(turned[i], 2 * pi))));
      tables[i]->setWorldTransform(at);
    }
    world.step();
    for (std::size_t i = 0; i < 4; ++i) {
      const btVector3 on_table = tables[i]->getWorldTransform().inverse() * origin(*boxes[i]);
      farthest[i] =
          std::max(farthest[i], std::hypot(static_cast<double>(on_table.x()), static_cast<double>(on_table.y())));
      if (cases[i].stays)
        moved = std::max(moved,
                         std::hypot(static_cast<double>(on_table.x()) - from_axis, static_cast<double>(on_table.y())));
    }
    angle = turned[0];
  }
  std::vector<Number> numbers;
  for (std::size_t i = 0; i < 3; ++i) numbers.push_back(within(cases[i].name, "m", farthest[i], 1, 1e6));
  // A body that moves straight for a step ends (w h)² r / 2 farther out: 0.14 mm a step here.
  numbers.push_back(at_most("0.5, 2 rad/s", "m", farthest[3], 1));
  numbers.push_back(told("the last moves on its table by", "mm", 1e3 * moved));
  numbers.push_back(told("turns of the slow tables", "", angle / (2 * pi)));
  return numbers;
}

// Painlevé's box, as wide along its way as half its height: it tips where friction is above a half.
std::vector<Number> run_tall_box(World& world, const Arguments& arguments) {
  constexpr double speed = 4, mass = 43.2;
  const std::array<double, 2> frictions = {0.45, 0.55};
  add_ground(world, 1);
  std::array<btRigidBody*, 2> boxes{};
  for (std::size_t i = 0; i < 2; ++i) {
    boxes[i] = &world.add(std::make_shared<btBoxShape>(vector(0.3, 0.15, 0.6)), mass,
                          place(0, 5 * static_cast<double>(i), 0.6), {frictions[i], 0});
    boxes[i]->setLinearVelocity(vector(speed, 0, 0));
  }
  double tilt = 0;
  const auto upright = [&](std::size_t i) {
    return static_cast<double>(boxes[i]->getWorldTransform().getBasis().getColumn(2).z());
  };
  const double end = arguments.brief ? 4 : 8;
  while (world.time() < end) {
    world.step();
    tilt = std::max(tilt, std::acos(std::min(1.0, upright(0))));
  }
  const double way = static_cast<double>(origin(*boxes[0]).x()), exact = speed * speed / (2 * frictions[0] * gravity);
  const double h = world.options().time_step;
  return {within("with 0.45 it stops after", "m", way, exact - speed * h, exact + speed * h),
          at_most("it tilts on the way", "°", tilt * 180 / pi, 1),
          within("with 0.55 it ends at a height of", "m", static_cast<double>(origin(*boxes[1]).z()), 0.29, 0.31),
          at_most("its speed then", "mm/s", 1e3 * corner_speed(*boxes[1]), 10)};
}

// Two fingers press a column that bears three cubes, a kilogram each, and go up with 0.79 m/s². Two grippers, 5 % below
// and above the force of 42.4 N that bears them. The column is so tall that it can slip all the way.
std::vector<Number> run_gripper(World& world, const Arguments& /*arguments*/) {
  constexpr double friction = 0.5, edge = 0.1, tall = 1, lift = 0.79, begin = 1, end = 2.5;
  const double needed = 4 * (gravity + lift) / (2 * friction);
  const std::array<double, 2> forces = {0.95 * needed, 1.05 * needed};
  add_ground(world, friction);
  std::array<btRigidBody*, 2> palms{}, lowest{}, top{};
  std::array<std::array<btRigidBody*, 2>, 2> fingers{};
  for (std::size_t i = 0; i < 2; ++i) {
    const double x = 3 * static_cast<double>(i);
    palms[i] = &add_box(world, vector(0.1, 0.1, 0.1), 0, place(x, 0, 1), friction);
    palms[i]->setCollisionFlags(btCollisionObject::CF_KINEMATIC_OBJECT | btCollisionObject::CF_NO_CONTACT_RESPONSE);
    lowest[i] = &add_box(world, vector(edge, edge, tall), 1, place(x, 0, tall / 2), friction);
    for (int j = 0; j < 3; ++j)
      top[i] = &add_box(world, vector(edge, edge, edge), 1, place(x, 0, tall + (j + 0.5) * edge), friction);
    for (std::size_t j = 0; j < 2; ++j) {
      const double side = j == 0 ? -1 : 1;
      btRigidBody& finger =
          add_box(world, vector(0.05, 0.08, 0.08), 1, place(x + side * (edge / 2 + 0.026), 0, edge), friction);
      const btTransform frame = finger.getWorldTransform();
      auto slider = std::make_unique<btSliderConstraint>(
          *palms[i], finger, palms[i]->getWorldTransform().inverse() * frame, btTransform::getIdentity(), true);
      slider->setLowerLinLimit(scalar(-0.1));
      slider->setUpperLinLimit(scalar(0.1));
      slider->setLowerAngLimit(0);
      slider->setUpperAngLimit(0);
      world.add(std::move(slider));
      fingers[i][j] = &finger;
    }
  }
  double up = 0;
  while (world.time() < end) {
    const double since = std::max(0.0, world.time() + world.options().time_step - begin);
    up = lift * since * since / 2;
    for (std::size_t i = 0; i < 2; ++i) {
      btTransform at = palms[i]->getWorldTransform();
      at.getOrigin().setZ(scalar(1 + up));
      palms[i]->setWorldTransform(at);
      fingers[i][0]->applyCentralForce(vector(forces[i], 0, 0));
      fingers[i][1]->applyCentralForce(vector(-forces[i], 0, 0));
    }
    world.step();
  }
  const auto lag = [&](std::size_t i) { return up + tall / 2 - static_cast<double>(origin(*lowest[i]).z()); };
  return {within("5 % too weak: the cubes lag by", "mm", 1e3 * lag(0), 50, 1e6),
          at_most("5 % stronger than needed: they lag by", "mm", 1e3 * std::abs(lag(1)), 10),
          told("the fingers went up by", "mm", 1e3 * up),
          told("the top cube of the second went up by", "mm",
               1e3 * (static_cast<double>(origin(*top[1]).z()) - tall - 2.5 * edge))};
}

// The impulses of a box at rest are its weight's, in every step.
std::vector<Number> run_impulse(World& world, const Arguments& /*arguments*/) {
  constexpr double mass = 3;
  add_ground(world, 0.5);
  add_box(world, vector(1, 1, 1), mass, place(0, 0, 0.5), 0.5);
  double least = 1e9, most = 0;
  while (world.time() < 4) {
    world.step();
    if (world.time() < 1) continue;
    double sum = 0;
    btDispatcher& dispatcher = *world.bullet().getDispatcher();
    for (int m = 0; m < dispatcher.getNumManifolds(); ++m)
      for (int p = 0; p < dispatcher.getManifoldByIndexInternal(m)->getNumContacts(); ++p)
        sum += static_cast<double>(dispatcher.getManifoldByIndexInternal(m)->getContactPoint(p).getAppliedImpulse());
    const double share = sum / (mass * gravity * world.options().time_step);
    least = std::min(least, share);
    most = std::max(most, share);
  }
  return {within("smallest sum of a step, of m g h", "%", 100 * least, 99, 101),
          within("largest", "%", 100 * most, 99, 101)};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Scene> scenes = {{"incline", "blocks on a slope of 1 : 2", {}, run_incline},
                               {"backspin", "a ball with backspin comes back", {}, run_backspin},
                               {"turntable", "boxes on turntables", {}, run_turntable},
                               {"tall", "tall boxes slide or tip", {}, run_tall_box},
                               {"gripper", "grippers lift four cubes or drop them", {}, run_gripper},
                               {"impulse", "the impulse of a box at rest", {}, run_impulse}};
  for (Scene& scene : scenes) {
    scene.options.time_step = scene.name == "backspin" ? 0.005 : 0.01;
  }
  return show_all(argc, argv, "friction", scenes);
}
