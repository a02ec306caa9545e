// The order of visits. Full warm starting repeats the last acceleration, v' = G (2 v - v_before) with G the sweeps of a
// substep, and grows where visits wind round cycles of four bodies in one sense: docs/scenes.md, Order.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <carom/carom.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "support/scenes/box_world.hpp"
#include "support/scenes/contact_graph.hpp"
#include "support/scenes/order.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

/// Orders in which an engine may number and submit the boxes of a pyramid.
enum class Numbering { input, reversed, zigzag, shuffled };
constexpr std::pair<Numbering, const char*> numberings[] = {{Numbering::input, "input order"},
                                                            {Numbering::reversed, "reversed"},
                                                            {Numbering::zigzag, "zigzag"},
                                                            {Numbering::shuffled, "shuffled"}};

/// A pyramid whose boxes are numbered anew: number_of[i] is the new number of box i of box_pyramid.
struct Numbered {
  BoxWorld boxes;
  std::vector<std::int32_t> number_of;

  Numbered(int base, Numbering numbering) {
    const BoxWorld pyramid = box_pyramid(base);
    const auto n = static_cast<std::int32_t>(pyramid.boxes.size());
    support::Draw draw(static_cast<std::uint64_t>(base));
    std::vector<std::int32_t> order(pyramid.boxes.size());  // of boxes
    std::iota(order.begin(), order.end(), 0);
    if (numbering == Numbering::reversed) std::reverse(order.begin(), order.end());
    if (numbering == Numbering::shuffled) shuffle(draw, order);
    if (numbering == Numbering::zigzag)
      for (std::int32_t first = 0, row = 0; first < n; first += base - row, ++row)
        if (row % 2 == 1) std::reverse(order.begin() + first, order.begin() + first + base - row);
    number_of.resize(order.size());
    boxes = pyramid;
    for (std::size_t k = 0; k < order.size(); ++k) {
      number_of[static_cast<std::size_t>(order[k])] = static_cast<std::int32_t>(k);
      boxes.boxes[k] = pyramid.boxes[static_cast<std::size_t>(order[k])];
    }
    for (BoxWorld::Support& support : boxes.supports) {
      support.upper = number_of[static_cast<std::size_t>(support.upper)];
      if (support.lower >= 0) support.lower = number_of[static_cast<std::size_t>(support.lower)];
    }
    if (numbering == Numbering::shuffled)
      shuffle(draw, boxes.supports);
    else
      std::stable_sort(boxes.supports.begin(), boxes.supports.end(),
                       [](const auto& a, const auto& b) { return a.upper < b.upper; });
  }
};

/// When the manifold of each pair is visited: the number of its colour.
class Visits {
 public:
  explicit Visits(const SceneData<double>& scene) : graph_(ContactGraph(scene, 1 << 20).graph) {
    std::size_t time = 0;
    for (const scene::ColourSet& set : graph_.colour_sets) {
      for (std::uint32_t v = set.first; v < set.end; ++v)
        for (std::uint32_t lane = 0; lane < graph_.lane_batches[v].lanes; ++lane) {
          const auto& of = graph_.manifolds[graph_.order[graph_.lane_batches[v].first + lane]];
          time_of_[std::minmax(of.body_a, of.body_b)] = time;
          bodies_.resize(time + 1);
          for (const std::int32_t body : {of.body_a, of.body_b})
            if (body >= 0) bodies_[time].push_back(body);
        }
      ++time;
    }
  }

  std::size_t time(std::int32_t a, std::int32_t b) const { return time_of_.at(std::minmax(a, b)); }
  std::size_t manifolds() const { return graph_.manifolds.size(); }
  std::size_t visited() const { return time_of_.size(); }
  std::size_t overflow_constraints() const { return graph_.overflow_constraints; }
  /// The bodies of each colour.
  const std::vector<std::vector<std::int32_t>>& bodies() const { return bodies_; }

 private:
  scene::Graph graph_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> time_of_;
  std::vector<std::vector<std::int32_t>> bodies_;
};

/// Cycles of a top box, the two boxes below it and the box on which both of these stand.
struct Winding {
  int cycles = 0, unbalanced = 0, net = 0;
};
Winding winding_of(const Numbered& pyramid, int base, const Visits& visits) {
  Winding made;
  const auto box = [&](int row, int i) {
    return pyramid.number_of[static_cast<std::size_t>(row * base - row * (row - 1) / 2 + i)];
  };
  for (int row = 2; row < base; ++row)
    for (int i = 0; i < base - row; ++i) {
      const std::array<std::int32_t, 4> round = {box(row, i), box(row - 1, i), box(row - 2, i + 1),
                                                 box(row - 1, i + 1)};
      int later = 0;
      for (std::size_t k = 0; k < 4; ++k) {
        const auto next = [&](std::size_t by) { return round[(k + by) % 4]; };
        const std::size_t here = visits.time(next(0), next(1)), there = visits.time(next(1), next(2));
        EXPECT_NE(here, there);  // they share a body
        later += here < there ? 1 : 0;
      }
      ++made.cycles;
      made.unbalanced += later != 2 ? 1 : 0;
      made.net += later - 2;
    }
  return made;
}

TEST(Colours, hold_every_manifold_once_and_no_movable_body_twice) {
  for (const int base : {10, 20})
    for (const auto& [numbering, name] : numberings) {
      const Visits visits(Numbered(base, numbering).boxes.scene<double>());
      EXPECT_EQ(visits.visited(), visits.manifolds()) << name;
      EXPECT_EQ(visits.overflow_constraints(), 0u) << name;
      for (std::vector<std::int32_t> bodies : visits.bodies()) {
        std::sort(bodies.begin(), bodies.end());
        EXPECT_EQ(std::adjacent_find(bodies.begin(), bodies.end()), bodies.end()) << name;
      }
    }
}

// Four visits have 24 orders, and 8 of them wind round the cycle, 4 in each sense. The expected share of winding cycles
// is therefore 1/3, or less if two visits have one colour. For N independent cycles the standard deviation of this
// share is √(2 / 9N), and the standard deviation of the net winding is √(N / 3). The test allows three standard
// deviations. An order by levels or parities winds round every cycle, and its net winding is N.
TEST(Colours, do_not_wind_round_cycles_of_four_bodies) {
  for (const int base : {10, 20})
    for (const auto& [numbering, name] : numberings) {
      const Numbered pyramid(base, numbering);
      const Winding found = winding_of(pyramid, base, Visits(pyramid.boxes.scene<double>()));
      const double n = found.cycles;
      EXPECT_EQ(found.cycles, (base - 1) * (base - 2) / 2);
      EXPECT_LE(found.unbalanced / n, 1.0 / 3 + 3 * std::sqrt(2 / (9 * n))) << name << ", base " << base;
      EXPECT_LE(std::abs(found.net), 3 * std::sqrt(n / 3)) << name << ", base " << base << ": " << found.unbalanced;
      EXPECT_LE(found.unbalanced, base == 20 ? 0.4 * n : n) << name;
    }
}

// Every step has the positions of the first one, with overlaps within the slop; only velocities and impulses change
// from step to step. The disturbance is small compared with gravity, so that all contacts stay closed. The pyramid then
// sways like a spring with a period of about 80 steps. The largest kinetic energy of 100 steps measures the amplitude,
// which must not increase.
TEST(WarmStartedSubsteps, do_not_grow_on_a_frozen_pyramid_however_it_is_numbered) {
  constexpr double h = 1.0 / 60, fall = 9.81 * h;
  constexpr int settling = 100, steps = 300, period = 100;
  for (const int base : fast_build ? std::vector{10, 20} : std::vector{4})
    for (const auto& [numbering, name] : numberings) {
      BoxWorld boxes = Numbered(base, numbering).boxes;
      boxes.friction = boxes.static_friction = 1000;
      for (MovingBox& moving : boxes.boxes) moving.position[2] -= 0.002 * (moving.position[2] + 0.5);
      const SceneData<double> frozen = boxes.scene<double>();
      MethodOptions options;
      options.method = Procedure::substeps;
      options.time_step = h;
      options.substeps.min_substeps = options.substeps.max_substeps = 8;
      SceneSolver solver({.threads = 1});
      support::Draw draw(3);
      double before = 0, after = 0;
      for (int k = 0; k < settling + steps; ++k) {
        SceneData<double> now = frozen;
        now.velocity_change = now.angular_velocity_change = vectors<double>(boxes.boxes.size());
        for (std::size_t i = 0; i < boxes.boxes.size(); ++i) {
          MovingBox& moving = boxes.boxes[i];
          if (k == settling) {
            moving.velocity = moving.velocity + draw.bell3(1e-4);
            moving.angular_velocity = moving.angular_velocity + draw.bell3(1e-4);
          }
          put(now.velocity_change, i, {0, 0, -fall});
          put(now.bodies.velocity, i, moving.velocity);
          put(now.bodies.angular_velocity, i, moving.angular_velocity);
        }
        SceneArrays<double> arrays(now);
        solver.solve(now.view(options), arrays.view(), options);
        boxes.take(arrays);
        if (k >= settling && k < settling + period) before = std::max(before, boxes.kinetic_energy());
        if (k >= settling + steps - period) after = std::max(after, boxes.kinetic_energy());
      }
      EXPECT_LE(after, before) << name << ", base " << base;
    }
}

}  // namespace
}  // namespace carom::scenes
