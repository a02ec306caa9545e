// A tippe top is spun on its round belly and turns over onto its stem.
//
// It is a ball whose centre of mass lies below the centre of the ball, with a stem on top. A is its inertia about an
// axis across the stem and C about the stem. Friction at the sliding point of contact turns such a top over if
// 1 - e / R < A / C < 1 + e / R, where e is the distance of the two centres: R. J. Cohen, The tippe top revisited,
// 1977; as a scene: J. Sauer, E. Schömer, A constraint-based approach to rigid body dynamics for virtual reality
// applications, 1998.
//
// As long as only the belly touches the ground, Jellett's integral L·r is constant, with L the angular momentum and r
// the vector from the centre of mass to the point of contact. A force F at r has (r × F)·r = 0, and r changes by
// e w × k, perpendicular to the plane of the angular velocity w and the stem k, which contains L.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "program.hpp"
#include "tippe_top_reference.hpp"

namespace {

using carom_scenes::Number;

constexpr double radius = 0.02;                                 // [m] R
constexpr double mass = 0.02;                                   // [kg]
constexpr double eccentricity = 0.2 * radius;                   // [m] e
constexpr double inertia_along = 0.4 * mass * radius * radius;  // [kg m²] C
constexpr double inertia_across = 1.05 * inertia_along;         // [kg m²] A
constexpr double tip_radius = 0.15 * radius;                    // [m] of the ball at the tip of the stem
constexpr double stem = 1.05 * radius;                          // [m] from the belly's centre to the tip's
constexpr double friction = 0.3;
constexpr double spin = 220;               // [rad/s] about the vertical
constexpr double first_inclination = 0.1;  // [rad]
constexpr double time_step = 1.0 / 8000;
constexpr double degree = std::numbers::pi / 180;
static_assert(inertia_across / inertia_along > 1 - eccentricity / radius);
static_assert(inertia_across / inertia_along < 1 + eccentricity / radius);

btScalar scalar(double number) {
  return static_cast<btScalar>(number);
}

// The origin of a body is its centre of mass.
class TopShape final : public btCompoundShape {
 public:
  TopShape() {
    const auto at = [](double z) { return btTransform(btQuaternion::getIdentity(), btVector3(0, 0, scalar(z))); };
    addChildShape(at(eccentricity), &belly_);
    addChildShape(at(eccentricity + stem), &tip_);
  }

 private:
  btSphereShape belly_{scalar(radius)}, tip_{scalar(tip_radius)};
};

btRigidBody& add_top(carom_scenes::World& world) {
  const btQuaternion inclined(btVector3(0, 1, 0), scalar(first_inclination));
  const double z = radius - eccentricity * std::cos(first_inclination);
  const btTransform pose(inclined, btVector3(0, 0, scalar(z)));
  btRigidBody& top = world.add(std::make_shared<TopShape>(), mass, pose, {friction, 0});
  top.setMassProps(scalar(mass), btVector3(scalar(inertia_across), scalar(inertia_across), scalar(inertia_along)));
  top.updateInertiaTensor();
  // Bullet's own choice, the implicit torque, is lost on bodies as small as this one: it comes from a linear system
  // whose determinant, the product of the three inertias, Bullet takes for 0 below 1e-7.
  top.setFlags(BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT);
  top.setAngularVelocity(btVector3(0, 0, scalar(spin)));
  return top;
}

double jellett(const btRigidBody& top) {
  const btMatrix3x3& turn = top.getWorldTransform().getBasis();
  const btVector3 momentum = turn * ((top.getAngularVelocity() * turn) * top.getLocalInertia());
  const btVector3 contact = turn.getColumn(2) * scalar(eccentricity) - btVector3(0, 0, scalar(radius));
  return static_cast<double>(momentum.dot(contact));
}

std::vector<Number> run(carom_scenes::World& world, const carom_scenes::Arguments& arguments) {
  world.add(std::make_shared<btStaticPlaneShape>(btVector3(0, 0, 1), 0.f), 0, btTransform::getIdentity(), {1, 0});
  const btRigidBody& top = add_top(world);
  const double first_jellett = jellett(top);

  const double end = arguments.brief ? 2 : 8;
  // [rad] where the tip of the stem and the belly both touch the ground
  const double both_touch = std::acos(-(radius - tip_radius) / stem);
  double greatest = 0, level = end, over = end, min_after = 180 * degree, worst_jellett = 0;
  while (world.time() < end) {
    world.step();
    const double cosine = static_cast<double>(top.getWorldTransform().getBasis().getColumn(2).z());
    const double inclination = std::acos(std::clamp(cosine, -1.0, 1.0));
    greatest = std::max(greatest, inclination);
    if (inclination > 90 * degree) level = std::min(level, world.time());
    if (inclination > 150 * degree) over = std::min(over, world.time());
    if (greatest > 150 * degree) min_after = std::min(min_after, inclination);
    if (greatest < 0.95 * both_touch)
      worst_jellett = std::max(worst_jellett, std::abs(jellett(top) / first_jellett - 1));
  }
  if (greatest < 150 * degree) min_after = 0;

  const double exact = carom_scenes::time_to_incline(
      {radius, eccentricity, mass, inertia_across, inertia_along, friction}, spin, first_inclination, 90 * degree);
  // A step turns the top by w h. A method of first order uses the values at one end of that turn for its middle.
  const double first_order = spin * time_step / 2;
  return {{"greatest inclination of the stem", "deg", greatest / degree, 150},
          {"least inclination after it was 150 deg", "deg", min_after / degree, both_touch / degree},
          {"time until it is 150 deg", "s", over},
          {"time until it is level", "s", level},
          {"error of that time", "%", 100 * std::abs(level / exact - 1), 0, 100 * first_order},
          {"largest change of Jellett's integral", "%", 100 * worst_jellett, 0, 100 * first_order}};
}

}  // namespace

int main(int argc, char** argv) {
  carom_scenes::Scene scene{"tippe_top", "a tippe top turns over onto its stem", {}, run};
  scene.options.time_step = time_step;
  scene.options.solver.scene.use<carom::Pgs>();
  return show(argc, argv, scene);
}
