// A tippe top is spun on its round belly and turns over onto its stem.
//
// It is a ball whose centre of mass lies below the centre of the ball, with a stem on top. A is its inertia about an
// axis across the stem and C about the stem. Friction at the sliding point of contact turns such a top over if
// 1 - e / R < A / C < 1 + e / R, where e is the distance of the two centres: [Co] R. J. Cohen, The tippe top revisited,
// 1977; also [SS] J. Sauer, E. Schömer, A constraint-based approach to rigid body dynamics for virtual reality
// applications, 1998. As long as the ball alone touches the ground, Jellett's integral L·r stays what it is, with L the
// angular momentum and r the vector from the centre of mass to the point of contact: friction at r has no moment about
// r's line, and L and r turn about the vertical alike.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "program.hpp"

namespace {

using carom_scenes::Number;

constexpr double radius = 0.02;                  // [m] R
constexpr double mass = 0.02;                    // [kg]
constexpr double eccentricity = 0.2 * radius;    // [m] e
constexpr double inertia_along = 0.4 * mass * radius * radius;  // [kg m²] C
constexpr double inertia_ratio = 1.05;           // A / C
constexpr double stem_radius = 0.15 * radius;    // [m] of the ball at the tip of the stem
constexpr double stem_length = 1.05 * radius;    // [m] of its centre from the ball's
constexpr double spin = 180;                     // [rad/s]
constexpr double first_inclination = 0.1;        // [rad]
constexpr double friction = 0.3;
static_assert(inertia_ratio > 1 - eccentricity / radius && inertia_ratio < 1 + eccentricity / radius);

btScalar scalar(double number) { return static_cast<btScalar>(number); }

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  world.add(std::make_shared<btStaticPlaneShape>(btVector3(0, 0, 1), 0.f), 0, btTransform::getIdentity(), {1, 0});
  const auto shape = std::make_shared<btCompoundShape>();
  btSphereShape belly(scalar(radius)), tip(scalar(stem_radius));
  const auto at = [](double z) { return btTransform(btQuaternion::getIdentity(), btVector3(0, 0, scalar(z))); };
  shape->addChildShape(at(eccentricity), &belly);
  shape->addChildShape(at(eccentricity + stem_length), &tip);

  const btQuaternion inclined(btVector3(0, 1, 0), scalar(first_inclination));
  const btVector3 axis = quatRotate(inclined, btVector3(0, 0, 1));
  const double z = radius - eccentricity * std::cos(first_inclination);
  btRigidBody& top = world.add(shape, mass, btTransform(inclined, btVector3(0, 0, scalar(z))), {friction, 0});
  const double inertia_across = inertia_ratio * inertia_along;
  top.setMassProps(scalar(mass), btVector3(scalar(inertia_across), scalar(inertia_across), scalar(inertia_along)));
  top.setFlags(BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT);
  top.updateInertiaTensor();
  top.setAngularVelocity(btVector3(0, 0, scalar(spin)));

  const auto jellett = [&] {
    const btMatrix3x3& turn = top.getWorldTransform().getBasis();
    const btVector3 w = top.getAngularVelocity() * turn;
    const btVector3 momentum = turn * (w * top.getLocalInertia());
    const btVector3 contact = turn.getColumn(2) * scalar(eccentricity) - btVector3(0, 0, scalar(radius));
    return static_cast<double>(momentum.dot(contact));
  };
  const double first_jellett = jellett();

  const double end = arguments.brief ? 0.5 : 8;
  double greatest = 0, turned = end, worst_jellett = 0, sunk = 0;
  bool stem_touched = false;
  while (world.time() < end) {
    const auto& sample = world.step();
    sunk = std::max(sunk, sample.penetration);
    const double cosine = static_cast<double>(top.getWorldTransform().getBasis().getColumn(2).z());
    const double inclination = std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
    greatest = std::max(greatest, inclination);
    if (inclination > 150) turned = std::min(turned, world.time());
    // The tip of the stem is as low as the belly where -cos >= (R - r) / length.
    stem_touched = stem_touched || -cosine > 0.95 * (radius - stem_radius) / stem_length;
    if (!stem_touched) worst_jellett = std::max(worst_jellett, std::abs(jellett() / first_jellett - 1));
    if(getenv("TT") && int(world.time()*2000)%200==0) printf("%.3f %.1f %.1f %.5f %.2g\n", world.time(), inclination, double(top.getAngularVelocity().length()), jellett()/first_jellett, double(top.getWorldTransform().getOrigin().z()));
  }
  std::vector<Number> numbers;
  numbers.push_back({"greatest inclination of the stem", "deg", greatest, arguments.brief ? 0.0 : 150.0});
  numbers.push_back({"time until it is 150 deg", "s", turned});
  numbers.push_back({"largest change of Jellett's integral", "%", 100 * worst_jellett, 0, 1});
  numbers.push_back({"deepest penetration", "mm", 1000 * sunk});
  return numbers;
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"tippe_top", "a tippe top turns over onto its stem", {}, run};
  scene.options.time_step = 1.0 / 2000;
  return show(argc, argv, scene);
}
