// The office toy: of five balls in a row as many leave on one side as hit on the other, and they rise as high.
//
// Each ball hangs by a hinge, and the balls hit each other at their centres of percussion: I / (m l) below the centre
// of mass, with I the inertia and l the distance of the centre of mass from the hinge. An impulse there turns the ball
// about its hinge without a reaction of the hinge.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

#include "program.hpp"

namespace {

using carom_scenes::Number;

constexpr std::size_t count = 5;
constexpr double radius = 0.01;  // [m]
constexpr double mass = 0.033;   // [kg] steel
constexpr double inertia = 0.4 * mass * radius * radius;
constexpr double length = 0.14;  // [m] from the hinge to the centre of mass
constexpr double percussion = inertia / (mass * length);
constexpr double time_step = 1.0 / 1000;
constexpr double lift = 30 * std::numbers::pi / 180;  // [rad]

btScalar scalar(double number) {
  return static_cast<btScalar>(number);
}

// The origin of a body is its centre of mass.
class BallShape final : public btCompoundShape {
 public:
  BallShape() { addChildShape(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, scalar(-percussion))), &ball_); }

 private:
  btSphereShape ball_{scalar(radius)};
};

// From one collision to the next all balls that move are on one side.
struct HalfSwing {
  std::size_t leaving = 0;  // balls at half of the lift or higher
  double error = 0;         // [1] largest error of a height, as share of the lift
};

class Cradle {
 public:
  Cradle(std::size_t lifted, const std::array<btRigidBody*, count>& balls) : lifted_(lifted), balls_(balls) {}

  void look() {
    std::array<double, count> heights{};
    double side = 0;
    for (std::size_t i = 0; i < count; ++i) side += heights[i] = height(i);
    // 0.1 keeps the moment of the collision out.
    if (std::abs(side) > 0.1 && (side > 0) != right_) {
      finish();
      right_ = side > 0;
      top_ = 0;
    }
    if (std::abs(side) > top_) {
      top_ = std::abs(side);
      heights_ = heights;
    }
  }

  /// The first one begins with the first collision.
  const std::vector<HalfSwing>& half_swings() const { return half_swings_; }

 private:
  // Height above the lowest point as share of the lift, with the sign of the side.
  double height(std::size_t i) const {
    const btVector3 up = balls_[i]->getWorldTransform().getBasis().getColumn(2);
    const double share = (1 - static_cast<double>(up.z())) / (1 - std::cos(lift));
    return up.x() < 0 ? share : -share;
  }

  void finish() {
    HalfSwing swing;
    for (std::size_t i = 0; i < count; ++i) {
      const bool leaves = right_ ? i + lifted_ >= count : i < lifted_;
      const double reached = std::abs(heights_[i]);
      swing.error = std::max(swing.error, std::abs(reached - (leaves ? 1 : 0)));
      swing.leaving += reached > 0.5 ? 1 : 0;
    }
    if (begun_) half_swings_.push_back(swing);
    begun_ = true;
  }

  std::size_t lifted_;
  std::array<btRigidBody*, count> balls_;
  std::array<double, count> heights_{};  // at the time of their max. sum
  double top_ = 0;
  bool right_ = false, begun_ = false;
  std::vector<HalfSwing> half_swings_;
};

Cradle add_cradle(carom_scenes::World& world, std::size_t lifted, double y) {
  std::array<btRigidBody*, count> balls{};
  const auto shape = std::make_shared<BallShape>();
  const btVector3 hinge(0, 0, scalar(length)), axis(0, 1, 0);
  for (std::size_t i = 0; i < count; ++i) {
    const btQuaternion turn(axis, scalar(i < lifted ? lift : 0));
    const btVector3 pivot(scalar(2 * radius * static_cast<double>(i)), scalar(y), scalar(length));
    const btTransform pose(turn, pivot - quatRotate(turn, hinge));
    btRigidBody& ball = world.add(shape, mass, pose, {0, 1});
    ball.setMassProps(scalar(mass), btVector3(scalar(inertia), scalar(inertia), scalar(inertia)));
    ball.updateInertiaTensor();
    world.add(std::make_unique<btHingeConstraint>(ball, hinge, axis));
    world.watch_joint(ball, hinge, btTypedConstraint::getFixedBody(), pivot);
    balls[i] = &ball;
  }
  return {lifted, balls};
}

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  btContactSolverInfo& info = world.bullet().getSolverInfo();
  info.m_restitutionVelocityThreshold = 0;
  // Colliding balls overlap by their motion in a step. Position correction would move balls that should stay at rest.
  info.m_erp2 = 0;
  Cradle one = add_cradle(world, 1, 0), two = add_cradle(world, 2, 0.1);
  const std::size_t wanted = arguments.brief ? 2 : 20;
  double joint_error = 0;
  // A half swing takes 0.38 s.
  while (world.time() < 0.4 * static_cast<double>(wanted + 2) &&
         std::min(one.half_swings().size(), two.half_swings().size()) < wanted) {
    joint_error = std::max(joint_error, world.step().joint_error);
    one.look();
    two.look();
  }
  const auto at = [](const Cradle& cradle, std::size_t i) {
    return i < cradle.half_swings().size() ? cradle.half_swings()[i] : HalfSwing{0, 1};
  };
  const auto worst = [&](std::size_t i) { return 100 * std::max(at(one, i).error, at(two, i).error); };
  const auto leaving = [&](const Cradle& cradle, std::size_t i) { return static_cast<double>(at(cradle, i).leaving); };
  // A ball is up to v h past its lowest point when it hits, and as far when it leaves: a share (v h / l)² / (2 (1 - cos
  // lift)) = (h / l)² l g of the lift each time, for each of the two balls that may have a part in it.
  const double off = 4 * time_step * time_step * 9.81 / length;
  return {{"largest error of a height, first collision", "% of the lift", worst(0), 0, 100 * off},
          {"largest error of a height, last collision", "% of the lift", worst(wanted - 1)},
          {"balls that leave of one lifted, first", "", leaving(one, 0), 1, 1},
          {"balls that leave of one lifted, last", "", leaving(one, wanted - 1), 1, 1},
          {"balls that leave of two lifted, first", "", leaving(two, 0), 2, 2},
          {"balls that leave of two lifted, last", "", leaving(two, wanted - 1), 2, 2},
          {"joint error", "mm", 1000 * joint_error},
          {"collisions", "", static_cast<double>(std::min(one.half_swings().size(), two.half_swings().size())),
           static_cast<double>(wanted)}};
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"cradle", "Newton's cradle: as many balls leave as hit", {}, run};
  scene.options.time_step = time_step;
  scene.options.solver.scene.use<carom::Pgs>();
  scene.options.solver.collisions = carom::SequentialImpacts{};
  return show(argc, argv, scene);
}
