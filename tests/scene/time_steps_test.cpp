// A solver remembers loads from step to step. They hold in steps of another length, for islands that are left out for
// some calls, and for manifolds whose points come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/scene/thresholds.hpp"
#include "random/draw.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

template <class T>
class Memory : public testing::Test {};
TYPED_TEST_SUITE(Memory, Precisions);

double fastest(const BoxWorld& boxes) {
  double speed = 0;
  for (const MovingBox& box : boxes.boxes)
    speed = std::max({speed, length(box.velocity), length(box.angular_velocity)});
  return speed;
}

// The figure is a mark of the method. Without a load for the length of a step a stack of ten is thrown up at 1.2 m/s.
TYPED_TEST(Memory, of_loads_holds_stacks_at_rest_when_the_time_step_changes) {
  struct Steps {
    std::string name;
    std::function<double(int)> at;
  };
  std::vector<Steps> all = {{"60 and 180 Hz in turn", [](int k) { return k % 2 == 0 ? h : h / 3; }},
                            {"20 and 1000 Hz in turn", [](int k) { return k % 2 == 0 ? 1.0 / 20 : 1.0 / 1000; }},
                            {"of random length", [draw = support::Draw(1)](int) mutable {
                               return 0.05 * std::pow(0.02, draw.uniform(0, 1));
                             }}};
  for (const double other : {1.0 / 20, 1.0 / 30, 0.1162, 1.0 / 180, 1.0 / 1000})
    all.push_back({"one of " + std::to_string(other), [=](int k) { return k == 150 ? other : h; }});
  for (const MethodOptions& options : {in_substeps(), in_swept_substeps()})
    for (const int number : {10, 20})
      for (Steps& steps : all) {
        BoxWorld boxes = box_stack(number);
        SceneSolver solver({.threads = 1});
        double speed = 0;
        // Swept stacks settle first.
        for (int k = 0; k < 240; ++k) {
          boxes.template step_in_substeps<TypeParam>(solver, options, steps.at(k));
          if (k >= 120) speed = std::max(speed, fastest(boxes));
        }
        EXPECT_LE(speed, 0.01) << number << " boxes, least " << options.substeps.min_substeps << ", steps "
                               << steps.name;
      }
}

// An island that is missing for the max. number of calls continues with the bits that it would have had.
TYPED_TEST(Memory, of_an_island_that_is_left_out_lasts_for_the_documented_number_of_calls) {
  using T = TypeParam;
  SceneData<T> scene = box_stack(5).template scene_with_forces<T>(h);
  SceneData<T> hanging = chain<T>(6);
  hanging.velocity_change = hanging.angular_velocity_change = vectors<T>(hanging.body_count());
  hanging.separation.assign(hanging.contact_count(), T(0));
  append(scene, hanging);
  scene.key.clear();
  for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  for (std::size_t i = 0; i < scene.row_count(); ++i) scene.joints.rows[i].key = i + 1;
  SceneData<T> other = box_stack(1).template scene_with_forces<T>(h), other_chain = chain<T>(2);
  other_chain.velocity_change = other_chain.angular_velocity_change = vectors<T>(other_chain.body_count());
  other_chain.separation.assign(other_chain.contact_count(), T(0));
  append(other, other_chain);
  other.key.clear();
  for (std::size_t i = 0; i < other.contact_count(); ++i) other.key.push_back(1000 + i);
  for (std::size_t i = 0; i < other.row_count(); ++i) other.joints.rows[i].key = 1000 + i;

  for (const MethodOptions& options : {in_substeps(), in_swept_substeps(), MethodOptions{}}) {
    const auto after = [&](int left_out) {
      SceneSolver solver({.threads = 1});
      for (int k = 0; k < 3; ++k) solved(solver, scene, options);
      for (int k = 0; k < left_out; ++k) solved(solver, other, options);
      return solved(solver, scene, options);
    };
    const Solved<T> expected = after(0), cold = solved(scene, options);
    for (const int left_out : {1, SceneThresholds::warm_start_calls})
      expect_same_bits(after(left_out).arrays, expected.arrays, std::to_string(left_out) + " calls");
    const Solved<T> forgotten = after(SceneThresholds::warm_start_calls + 1);
    expect_same_bits(forgotten.arrays, cold.arrays, "forgotten");
    // Direct islands may find the same impulses from any start.
    if (forgotten.report.pgs_islands > 0) {
      EXPECT_NE(forgotten.arrays.joint_impulse, expected.arrays.joint_impulse);
    }
  }
}

/// The contacts of a scene but one of the four of each pair, by f(number of the pair).
template <class T, class F>
SceneData<T> without_one_point(const BoxWorld& boxes, const F& f) {
  const SceneData<T> all = boxes.scene_with_forces<T>(h);
  BoxWorld bodies = boxes;
  bodies.supports.clear();
  SceneData<T> made = bodies.scene_with_forces<T>(h);
  for (std::size_t i = 0; i < all.contact_count(); ++i) {
    if (static_cast<int>(i % 4) == f(static_cast<int>(i / 4))) continue;
    const std::size_t c = made.add(Contact{all.body_a[i], all.body_b[i], at(all.normal, i), {}, boxes.friction, 0});
    put(made.r_a, c, at(all.r_a, i));
    put(made.r_b, c, at(all.r_b, i));
    made.separation.push_back(all.separation[i]);
    made.key.push_back(all.key[i]);
  }
  return made;
}

// Three of four points stay, in other corners from step to step; the centre of mass is on the edge of their triangle.
TYPED_TEST(Memory, of_manifolds_holds_boxes_still_whose_points_come_and_go) {
  using T = TypeParam;
  const std::function<int(int)> missing[] = {[](int k) { return 2 * (k % 2); }, [](int k) { return k % 4; }};
  for (const int number : {1, 2, 5})
    for (const auto& gone : missing) {
      BoxWorld boxes = box_stack(number);
      const BoxWorld start = boxes;
      SceneSolver solver({.threads = 1});
      double moved = 0;
      for (int k = 0; k < (support::fast_build ? 600 : 60); ++k) {
        const SceneData<T> scene = without_one_point<T>(boxes, [&](int) { return gone(k); });
        SceneArrays<T> arrays(scene);
        solver.solve(scene.view(in_substeps()), arrays.view(), in_substeps());
        for (std::size_t i = 0; i < boxes.boxes.size(); ++i) {
          MovingBox& box = boxes.boxes[i];
          box.velocity = at(arrays.velocity, i);
          box.angular_velocity = at(arrays.angular_velocity, i);
          box.move(at(arrays.displacement, i), at(arrays.rotation, i));
          moved = std::max(moved, length(box.position - start.boxes[i].position));
        }
      }
      EXPECT_LE(moved, 0.1 * millimetre) << number << " boxes";
    }
}

// A plate falls with the acceleration a < g for one step, after 30 steps of rest. A box on it keeps the load 1 - a / g,
// and moves as the plate does.
TYPED_TEST(Memory, of_a_lift_is_its_change_of_velocity) {
  using T = TypeParam;
  for (const MethodOptions& options : {in_substeps(), in_swept_substeps(), in_substeps(32)})
    for (const bool turns : {false, true})
      for (const double share : {0.3, 0.6, 0.75, 0.96}) {
        double separation = 0, velocity = 0, of_plate = 0, load = 0;
        SceneSolver solver({.threads = 1});
        for (int k = 0; k <= 30; ++k) {
          const double falls = k < 30 ? 0 : share * g * h;
          SceneData<T> scene;
          scene.add(Body{.inverse_mass = 0, .inverse_inertia = {}, .velocity = {0, 0, of_plate}});
          of_plate -= falls;
          Body box{.velocity = {0, 0, velocity}};
          if (!turns) box.inverse_inertia = {};
          scene.add(box);
          scene.velocity_change = scene.angular_velocity_change = vectors<T>(2);
          put(scene.velocity_change, 0, {0, 0, -falls});
          put(scene.velocity_change, 1, {0, 0, -g * h});
          scene.add(Contact{.a = 1, .b = 0, .friction = 0});
          put(scene.r_a, 0, {});
          put(scene.r_b, 0, {});
          scene.separation.push_back(static_cast<T>(separation));
          scene.key.push_back(1);
          const Solved<T> made = solved(solver, scene, options);
          velocity = made.velocity(1)[2];
          load = made.impulse(0)[2];
          separation += at(made.arrays.displacement, 1)[2] - h * of_plate;
        }
        const std::string what =
            "least " + std::to_string(options.substeps.min_substeps) + ", " + std::to_string(share) + " g";
        // A direct solution leaves 1e-5 of a change of its impulses.
        const double tolerance = 64 * epsilon<T> + 2e-5 * g * h;
        EXPECT_NEAR(load, (1 - share) * g * h, tolerance) << what;
        EXPECT_NEAR(velocity, of_plate, tolerance) << what;
        EXPECT_NEAR(separation, 0, 64 * epsilon<T> + 2e-5 * g * h * h) << what;
      }
}

}  // namespace
}  // namespace carom::scenes
