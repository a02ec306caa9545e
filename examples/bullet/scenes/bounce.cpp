// Balls fall from a metre on a plane and rebound with e = 0.5 and 0.8.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "boxes.hpp"
#include "theme.hpp"

namespace {

using namespace carom_scenes;

constexpr double radius = 0.05, drop = 1, gravity = 9.81;

struct Bounces {
  double speed_error = 0;   // [1] max. error of a rebound's speed relative to e times the speed before
  double height_rise = -1;  // [m] max. rise of a bounce above the previous one
  double first_error = 0;   // [1] of the first rebound's energy against e²
};

// Speeds are computed from the heights of the tops. A top is between two steps, on their parabola.
Bounces measure(World& world, double restitution, double end) {
  world.add(std::make_shared<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0)), 0, place(0, 0, 0), {0, 1});
  btRigidBody& ball = world.add(std::make_shared<btSphereShape>(static_cast<btScalar>(radius)), 1,
                                place(0, 0, radius + drop), {0, restitution});
  Bounces bounces;
  double before = drop;
  double last_speed = 0, last_height = drop, top = 0;
  bool first = true;
  while (world.time() < end) {
    world.step();
    const double v = static_cast<double>(ball.getLinearVelocity().z());
    const double height = static_cast<double>(ball.getWorldTransform().getOrigin().z()) - radius;
    if (v <= 0 && last_speed > 0) {
      top = std::max(height, last_height + last_speed * last_speed / (2 * gravity));
      // With steps of 10 ms, tops are known to 0.5 mm, which is too inaccurate for lower tops.
      if (top < 0.03) break;
      const double ratio = std::sqrt(top / before);
      bounces.speed_error = std::max(bounces.speed_error, std::abs(ratio / restitution - 1));
      bounces.height_rise = std::max(bounces.height_rise, top - before);
      if (first) bounces.first_error = top / before / (restitution * restitution) - 1;
      first = false;
      before = top;
    }
    last_speed = v;
    last_height = height;
  }
  return bounces;
}

std::vector<Number> run(World& world, double e) {
  const double end = 5;
  const Bounces coarse = measure(world, e, end);
  WorldOptions options = world.options();
  options.time_step = 0.001;
  World fine_world(world.responder(), options);
  const Bounces fine = measure(fine_world, e, end);
  return {at_most("speed of a rebound, error", "%", 100 * coarse.speed_error, 5),
          at_most("a bounce above the one before", "mm", 1e3 * coarse.height_rise, 1),
          within("e² at 1 ms, error", "%", 100 * fine.first_error, -1, 1)};
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<Scene> scenes;
  for (const double e : {0.5, 0.8}) {
    scenes.push_back({e < 0.6 ? "half" : "most",
                      fmt::format("a ball rebounds with e = {}", e),
                      {},
                      [e](World& world, const Arguments&) { return run(world, e); }});
    scenes.back().options.time_step = 0.01;
  }
  return show_all(argc, argv, "bounce", scenes);
}
