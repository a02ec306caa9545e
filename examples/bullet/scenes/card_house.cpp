// A house of cards of three storeys that should stand for a minute.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "measures.hpp"
#include "program.hpp"

namespace {

using namespace carom_scenes;

constexpr int storeys = 3;
// A playing card: [m] along its slope, across it, through it; [kg].
constexpr double length = 0.089, width = 0.0635, thickness = 0.0003, card_mass = 0.0018;
constexpr double pi = std::numbers::pi;
// [rad] from the vertical, and the friction between any two bodies. A card that bears P and weighs W pushes its foot
// outwards by (P + W / 2) tan(lean) where (P + W) holds it. Two cards meet with a normal up to the lean off the
// horizontal. Both stand by friction above tan(lean) = 0.36.
constexpr double lean = 20 * pi / 180, friction = 0.6;
constexpr double overlap = 1e-5;  // [m] Bullet's detector reports a point between boxes only where they overlap
constexpr double time_step = 1.0 / 120, settled = 0.5, gravity = 9.81;

btVector3 vector(double x, double y, double z) {
  return {static_cast<btScalar>(x), static_cast<btScalar>(y), static_cast<btScalar>(z)};
}

std::vector<const btRigidBody*> build(World& world) {
  // Friction that each body brings; Bullet takes the product of two.
  const Material material{std::sqrt(friction), 0};
  world.add(std::make_shared<btBoxShape>(vector(0.5, 0.5, 0.1)), 0,
            btTransform(btQuaternion::getIdentity(), vector(0, 0, -0.1)), material);
  // Bullet gives a box a margin of a tenth of its thinnest half extent, here 0.015 mm.
  const auto card = std::make_shared<btBoxShape>(vector(thickness, width, length) / 2);
  std::vector<const btRigidBody*> cards;
  const auto add = [&](double x, double z, double turn) {
    const btQuaternion about_y(btVector3(0, 1, 0), static_cast<btScalar>(turn));
    cards.push_back(&world.add(card, card_mass, btTransform(about_y, vector(x, 0, z)), material));
  };
  // A card that leans stands on one long edge and bears the next storey on the other, which is its outer one.
  const double tall = length * std::cos(lean) + thickness * std::sin(lean);
  // Both cards of a pair meet with their upper inner edges.
  const double centre_x = 0.5 * length * std::sin(lean) + 0.5 * thickness * std::cos(lean) - overlap / 2;
  // Ends of neighbouring horizontal cards have a gap, and each still lies on the outer edge of a leaning card.
  const double distance = length + 0.5 * thickness;
  double ground = 0;
  for (int storey = 0; storey < storeys; ++storey) {
    const int pairs = storeys - storey;
    const double middle = ground + tall / 2 - overlap;
    for (int i = 0; i < pairs; ++i) {
      const double x = (i - 0.5 * (pairs - 1)) * distance;
      add(x - centre_x, middle, lean);
      add(x + centre_x, middle, -lean);
    }
    ground += tall - overlap;
    for (int i = 0; i + 1 < pairs; ++i)
      add((i - 0.5 * (pairs - 2)) * distance, ground + thickness / 2 - overlap, pi / 2);
    ground += thickness - overlap;
  }
  return cards;
}

std::vector<Number> run(World& world, const Arguments& arguments) {
  btContactSolverInfo& info = world.bullet().getSolverInfo();
  info.m_numIterations = 20;
  info.m_warmstartingFactor = 1;
  const std::vector<const btRigidBody*> cards = build(world);
  const double end = arguments.brief ? 3 : 60;
  while (world.time() < settled) world.step();
  const Drift drift(cards);
  double furthest = 0;
  while (world.time() < end) {
    world.step();
    furthest = std::max(furthest, drift.largest());
  }
  // A hundredth of what gravity gives to cards at rest in one step, if nothing holds them.
  const double bound = 0.01 * static_cast<double>(cards.size()) * card_mass * std::pow(gravity * time_step, 2) / 2;
  return {{"largest drift of a card", "mm", 1e3 * furthest, 0, 1},
          {"kinetic energy, second half", "µJ", 1e6 * greatest_kinetic_energy({world, end / 2}), 0, 1e6 * bound},
          {"deepest penetration", "mm", 1e3 * deepest_penetration({world, 0})},
          {"solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0})}};
}

}  // namespace

int main(int argc, char** argv) {
  Scene scene{"card_house", "a card house of three storeys stands", {}, run};
  scene.options.time_step = time_step;
  scene.options.solver.contacts = carom::bullet::Contacts::simultaneous;
  // With it 20 iterations do. Without it 50 do.
  scene.options.solver.scene.shock_propagation.enabled = true;
  return show(argc, argv, scene);
}
