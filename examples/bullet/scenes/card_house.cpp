// Houses of cards: three storeys for a minute, and houses of 26 and 40 cards from publications.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "boxes.hpp"
#include "measures.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

constexpr double pi = std::numbers::pi;

// A card with load P and weight W pushes its foot outwards by (P + W / 2) tan(lean); the normal force there is P + W.
// The contact normal between two cards is up to the lean off the horizontal. Both hold if friction is above tan(lean).
struct House {
  int storeys = 3;
  double length = 0.089, width = 0.0635, thickness = 0.0003, card_mass = 0.0018;  // [m] along the slope, across; [kg]
  double lean = 20 * pi / 180, friction = 0.6;  // [rad] from the vertical; [1] between any two bodies
  double overlap = 1e-5;  // [m] Bullet's detector reports a point between boxes only where they overlap
};

// Anvil's and FBF's houses: 65° to the ground, friction 0.8.
House standard(int storeys, double size) {
  return {storeys, 0.088 * size, 0.063 * size, 0.0003 * size, 0.0018, 25 * pi / 180, 0.8, 1e-5 * size};
}

constexpr double settled = 0.5, gravity = 9.81;

std::vector<const btRigidBody*> build(World& world, const House& house) {
  const auto& [storeys, length, width, thickness, card_mass, lean, friction, overlap] = house;
  // Friction that each body brings; Bullet takes the product of two.
  const Material material = rubbing(friction);
  const double ground_size = 10 * length;
  world.add(std::make_shared<btBoxShape>(vector(ground_size, ground_size, 0.1)), 0, place(0, 0, -0.1), material);
  // Bullet gives a box a margin of a tenth of its thinnest half extent, here 0.015 mm.
  const auto card = std::make_shared<btBoxShape>(vector(thickness, width, length) / 2);
  std::vector<const btRigidBody*> cards;
  const auto add = [&, mass = card_mass](double x, double z, double turn) {
    const btQuaternion about_y(btVector3(0, 1, 0), static_cast<btScalar>(turn));
    cards.push_back(&world.add(card, mass, btTransform(about_y, vector(x, 0, z)), material));
  };
  // A leaning card stands on one long edge and supports the next storey with the other, its outer one.
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

std::vector<Number> run_minute(World& world, const Arguments& arguments) {
  btContactSolverInfo& info = world.bullet().getSolverInfo();
  info.m_numIterations = 20;
  info.m_warmstartingFactor = 1;
  const std::vector<const btRigidBody*> cards = build(world, {});
  const double end = arguments.brief ? 3 : 60;
  while (world.time() < settled) world.step();
  const Drift drift(cards);
  double furthest = 0;
  while (world.time() < end) {
    world.step();
    furthest = std::max(furthest, drift.largest());
  }
  // A hundredth of the energy that gravity adds to cards at rest in one step without contacts.
  const double bound = 0.01 * static_cast<double>(cards.size()) * House{}.card_mass *
                       std::pow(gravity * world.options().time_step, 2) / 2;
  return {{"largest drift of a card", "mm", 1e3 * furthest, 0, 1},
          {"kinetic energy, second half", "µJ", 1e6 * max_kinetic_energy({world, end / 2}), 0, 1e6 * bound},
          {"deepest penetration", "mm", 1e3 * deepest_penetration({world, 0})},
          {"solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0})}};
}

// After 2 s no card moves by 0.25 % of its length, turns by 0.0025 rad or sinks by 20 µm, over 8 s.
std::vector<Number> run_standard(World& world, const Arguments& arguments, const House& house) {
  world.bullet().getSolverInfo().m_warmstartingFactor = 1;
  const std::vector<const btRigidBody*> cards = build(world, house);
  const auto top = [&] {
    double most = 0;
    for (const btRigidBody* card : cards)
      most = std::max(most, static_cast<double>(card->getWorldTransform().getOrigin().z()));
    return most;
  };
  const double built = top();
  while (world.time() < 2) world.step();
  std::vector<btTransform> start;
  for (const btRigidBody* card : cards) start.push_back(card->getWorldTransform());
  double moved = 0, turned = 0, sunk = 0;
  const double end = arguments.brief ? 4 : 10;
  while (world.time() < end) {
    world.step();
    for (std::size_t i = 0; i < cards.size(); ++i) {
      const btTransform& now = cards[i]->getWorldTransform();
      const btVector3 way = now.getOrigin() - start[i].getOrigin();
      moved = std::max(moved, static_cast<double>(way.length()));
      sunk = std::max(sunk, -static_cast<double>(way.z()));
      turned = std::max(turned, static_cast<double>(start[i].getRotation().angleShortestPath(now.getRotation())));
    }
  }
  return {at_most("a card moves, of its length", "%", 100 * moved / house.length, 0.25),
          at_most("it turns", "mrad", 1e3 * turned, 2.5),
          at_most("it sinks", "µm", 1e6 * sunk, 20),
          at_most("the top is lower than built by", "%", 100 * (1 - top() / built), 1),
          told("deepest penetration", "mm", 1e3 * deepest_penetration({world, 0})),
          told("solver, mean of a step", "µs", 1e6 * mean_solver_seconds({world, 0}))};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Scene> scenes = {{"minute", "a card house of three storeys stands for a minute", {}, run_minute}};
  scenes[0].options.time_step = 1.0 / 120;
  // Cards are thinner than the slop for bodies of a metre.
  const auto set_slop = [](WorldOptions& options, const House& house) {
    options.solver.scene.use<carom::Substeps>().position_correction.slop = house.overlap;
  };
  set_slop(scenes[0].options, House{});
  const auto add = [&](const char* name, const char* title, const House& house) {
    scenes.push_back({name, title, {}, [house](World& world, const Arguments& arguments) {
                        return run_standard(world, arguments, house);
                      }});
    WorldOptions& options = scenes.back().options;
    options.time_step = 0.01;
    set_slop(options, house);
  };
  add("26", "a house of 26 cards", standard(4, 1));
  add("40", "a house of 40 cards", standard(5, 1));
  add("26large", "a house of 26 cards of ten times the size", standard(4, 10));
  add("40large", "a house of 40 cards of ten times the size", standard(5, 10));
  return show_all(argc, argv, "card_house", scenes);
}
