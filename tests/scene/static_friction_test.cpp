// Static friction of boxes on slopes, with friction 0.4 (21.8°) and static friction 0.6 (30.96°): a box at rest
// holds up to the static limit, a sliding box has the dynamic coefficient until it stops.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>
#include <numbers>
#include <string>

#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

struct Way {
  std::string name;
  MethodOptions options;
  bool steps = false;  ///< Procedure::both_phases
};
const std::vector<Way>& ways() {
  static const std::vector<Way> all = [] {
    MethodOptions iteration;
    iteration.method = Procedure::collisions;
    iteration.bender_schmitt.filter = ContactFilter::touching;
    MethodOptions single_substep;
    single_substep.correct_positions(h);
    return std::vector<Way>{{"substeps", in_substeps()},
                            {"swept substeps", in_swept_substeps()},
                            {"pgs", {}},
                            {"in one piece", single_substep},
                            {"iteration", iteration},
                            {"step", {}, true}};
  }();
  return all;
}

template <class T>
class StaticFriction : public testing::Test {
 public:
  explicit StaticFriction(double degrees = 0, double speed = 0) {
    const double angle = degrees * std::numbers::pi / 180;
    const Rows turn = rotation({0, 1, 0}, angle);
    down_ = turn * Vector{1, 0, 0};
    box_.plane = turn * Vector{0, 0, 1};
    box_.boxes.push_back({1, {1, 1, 0.4}, 0.2 * box_.plane, turn, speed * down_});
    box_.rest(0, -1, -0.5, 0.5, -0.5, 0.5);
    box_.friction = 0.4;
    box_.static_friction = 0.6;
  }
  void TestBody() override {}

  void run(const Way& way, double seconds, bool knows_forces = true) {
    for (int k = 0; k < seconds / h; ++k) {
      if (way.steps) {
        box_.template step<T>(solver_, way.options, h);
      } else if (way.options.method == Procedure::substeps || way.options.pgs.position_correction) {
        box_.template step_in_substeps<T>(solver_, way.options, h);
      } else {
        SceneData<T> scene = box_.template scene_with_forces<T>(h);
        scene.separation.clear();
        if (!knows_forces) {
          put(scene.bodies.velocity, 0, box_.boxes[0].velocity + at(scene.velocity_change, 0));
          scene.velocity_change = scene.angular_velocity_change = {};
        }
        SceneArrays<T> arrays(scene);
        solver_.solve(scene.view(way.options), arrays.view(), way.options);
        box_.take(arrays);
        box_.move(h, {});
      }
    }
  }
  double slid() const { return dot(box_.boxes[0].position - 0.2 * box_.plane, down_); }
  double speed() const { return dot(box_.boxes[0].velocity, down_); }

 private:
  BoxWorld box_;
  Vector down_;
  SceneSolver solver_{{.threads = 1}};
};
TYPED_TEST_SUITE(StaticFriction, Precisions);

// With only dynamic friction the speed is 1.1 to 1.7 m/s. Iterations that end early make the box creep.
TYPED_TEST(StaticFriction, holds_a_box_at_rest_up_to_its_limit) {
  for (const Way& way : ways())
    for (const double degrees : {28.0, 30.5, 30.9}) {
      StaticFriction<TypeParam> box(degrees);
      box.run(way, 1);
      EXPECT_LE(std::abs(box.slid()), 1 * millimetre) << way.name << ", " << degrees << " degrees";
    }
}

TYPED_TEST(StaticFriction, holds_without_knowing_the_forces) {
  StaticFriction<TypeParam> box(30.5);
  box.run(ways()[2], 1, false);
  EXPECT_LE(std::abs(box.slid()), 1 * millimetre);
}

TYPED_TEST(StaticFriction, lets_a_box_slide_beyond_its_limit) {
  for (const Way& way : ways()) {
    StaticFriction<TypeParam> box(31.5);
    box.run(way, 2);
    EXPECT_GE(box.slid(), 0.5) << way.name;
  }
}

// v' = g (sin α - μ cos α). The tolerance is the impulse of friction of one step.
TYPED_TEST(StaticFriction, leaves_a_sliding_box_its_dynamic_friction) {
  const double angle = 28 * std::numbers::pi / 180;
  const double expected = 1 + g * (std::sin(angle) - 0.4 * std::cos(angle));
  for (const Way& way : ways()) {
    StaticFriction<TypeParam> box(28, 1);
    box.run(way, 1);
    EXPECT_NEAR(box.speed(), expected, 0.4 * g * h) << way.name;
  }
}

TYPED_TEST(StaticFriction, stops_a_box_that_dynamic_friction_slows_and_holds_it) {
  for (const Way& way : ways()) {
    StaticFriction<TypeParam> box(20, 1);
    box.run(way, 4);
    const double stopped = box.slid();
    box.run(way, 1);
    EXPECT_NEAR(box.slid(), stopped, 0.1 * millimetre) << way.name;
  }
}

}  // namespace
}  // namespace carom::scenes
