#include "heap.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "world.hpp"

namespace models {
namespace {

constexpr double radius = 0.05;  // [m]
constexpr int discs = 250;

/// Contacts of discs that touch, or may within a step, by cells of the grid.
void touch(World& world, const std::vector<double>& radii, double rolling) {
  constexpr double near = 0.01, cell = 2.5 * radius;
  world.contacts.clear();
  std::map<std::pair<int, int>, std::vector<std::int32_t>> grid;
  const auto cell_of = [](const Vector& x) {
    return std::pair{static_cast<int>(std::floor(x[0] / cell)), static_cast<int>(std::floor(x[2] / cell))};
  };
  for (std::size_t i = 0; i < world.bodies.size(); ++i)
    grid[cell_of(world.bodies[i].position)].push_back(static_cast<std::int32_t>(i));
  const auto add = [&](std::int32_t a, std::int32_t b, const Vector& n, double separation) {
    Contact contact;
    contact.a = a;
    contact.b = b;
    contact.normal = n;
    const double ra = radii[static_cast<std::size_t>(a)];
    contact.r_a = (-ra) * n;
    if (b >= 0) contact.r_b = radii[static_cast<std::size_t>(b)] * n;
    contact.friction = contact.friction_2 = 0.6;
    contact.direction = {n[2], 0, -n[0]};
    contact.rolling_friction = rolling * (b >= 0 ? std::min(ra, radii[static_cast<std::size_t>(b)]) : ra);
    contact.separation = separation;
    contact.key = (static_cast<std::uint64_t>(a) + 1) << 32 | static_cast<std::uint64_t>(b + 1);
    world.contacts.push_back(contact);
  };
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    const Vector& x = world.bodies[i].position;
    const double r = radii[i];
    const auto a = static_cast<std::int32_t>(i);
    if (x[2] - r < near) add(a, -1, {0, 0, 1}, x[2] - r);
    const auto [cx, cz] = cell_of(x);
    for (int dx = -1; dx <= 1; ++dx)
      for (int dz = -1; dz <= 1; ++dz) {
        const auto found = grid.find({cx + dx, cz + dz});
        if (found == grid.end()) continue;
        for (const std::int32_t b : found->second) {
          if (b <= a) continue;
          const Vector d = x - world.bodies[static_cast<std::size_t>(b)].position;
          const double distance = length(d), separation = distance - r - radii[static_cast<std::size_t>(b)];
          if (separation < near && distance > 0) add(a, b, (1 / distance) * d, separation);
        }
      }
  }
}

/// The slope of a flank: a line through the highest discs of bins, between the foot and the top.
double slope_of(const std::vector<Disc>& heap, double side) {
  double top = 0, foot = 0;
  for (const Disc& d : heap) top = std::max(top, d.z + d.r);
  std::map<int, double> surface;  // [bin] the highest
  for (const Disc& d : heap) {
    if (d.x * side < 0) continue;
    double& z = surface[static_cast<int>(std::abs(d.x) / (3 * radius))];
    z = std::max(z, d.z + d.r);
    foot = std::max(foot, std::abs(d.x));
  }
  double n = 0, sx = 0, sz = 0, sxx = 0, sxz = 0;
  for (const auto& [bin, z] : surface) {
    if (z < 0.2 * top || z > 0.95 * top) continue;
    const double x = (bin + 0.5) * 3 * radius;
    n += 1, sx += x, sz += z, sxx += x * x, sxz += x * z;
  }
  const double down = n * sxx - sx * sx;
  return down > 0 ? std::atan(-(n * sxz - sx * sz) / down) * 180 / std::numbers::pi : 0;
}

}  // namespace

Heap pour(double coefficient, int seed) {
  World world(1.0 / 240);
  world.iterations = 30;
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto number = [&] { return static_cast<double>(random() % 4096) / 4096; };
  std::vector<double> radii;
  constexpr int between = 10, settle = 960;  // steps
  for (int step = 0; step < discs / 2 * between + settle; ++step) {
    if (step % between == 0 && radii.size() < discs) {
      double top = 0;
      for (const Body& body : world.bodies) top = std::max(top, body.position[2]);
      for (const double x : {-1.2, 1.2}) {
        const double r = radius * (0.7 + 0.3 * number());
        Body disc = ball(r * r * 400, r, 0.5);
        disc.position = {x * radius + 0.2 * radius * (number() - 0.5), 0, top + 4 * radius};
        world.bodies.push_back(disc);
        radii.push_back(r);
      }
    }
    touch(world, radii, coefficient);
    world.step();
  }
  Heap heap;
  for (std::size_t i = 0; i < radii.size(); ++i)
    heap.discs.push_back({world.bodies[i].position[0], world.bodies[i].position[2], radii[i]});
  heap.angle = (slope_of(heap.discs, 1) + slope_of(heap.discs, -1)) / 2;
  return heap;
}

}  // namespace models
