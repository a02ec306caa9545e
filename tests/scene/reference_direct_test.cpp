// Direct islands of the kernels and of the scalar reference agree. The reference has a dense factorisation and a
// separate interior point.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/scene/thresholds.hpp"
#include "support/scenes/jointed_boxes.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

/// How far results lie apart, relative to the max. velocity, motion and impulse of the step.
struct Differences {
  double velocity = 0, motion = 0, impulse = 0, warm_impulse = 0;
};

template <class T>
class DirectAgreement : public testing::Test {
 public:
  // The impulse of a contact is its weight times a velocity, so its error is the weight times ε. Impulses of a contact
  // move bodies that are lighter than its load, and lever arms have a condition: up to 30 each in these scenes. Both
  // solve in double; results are rounded to T. The weights of an interior point end at an impulse over a velocity
  // within its tolerance: ten times the direct weight.
  static constexpr double bound = 1e4 * SceneThresholds::direct_weight * epsilon<double> + 4 * epsilon<T>;

  static Differences differences(const SceneData<T>& scene, const Solved<T>& found, const Solved<double>& expected) {
    double speed = 1e-300, motion = 0, impulse = 1e-300;
    Differences apart;
    for (std::size_t i = 0; i < scene.body_count(); ++i) {
      const double by_forces = scene.velocity_change[0].empty() ? 0
                                                                : length(at(scene.velocity_change, i)) +
                                                                      length(at(scene.angular_velocity_change, i));
      const double of_body = std::max({length(scene.velocity(i)), length(scene.angular_velocity(i)), by_forces,
                                       length(expected.velocity(i)), length(expected.angular_velocity(i))});
      speed = std::max(speed, of_body);
      impulse = std::max(impulse, of_body * inverse_or_zero(static_cast<double>(scene.bodies.inverse_mass[i])));
      apart.velocity = std::max({apart.velocity, length(found.velocity(i) - expected.velocity(i)),
                                 length(found.angular_velocity(i) - expected.angular_velocity(i))});
      const auto compare_motion = [&](const Vectors3<T>& x, const Vectors3<double>& y) {
        motion = std::max(motion, length(at(y, i)));
        apart.motion = std::max(apart.motion, length(at(x, i) - at(y, i)));
      };
      compare_motion(found.arrays.displacement, expected.arrays.displacement);
      compare_motion(found.arrays.rotation, expected.arrays.rotation);
    }
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      impulse = std::max(impulse, length(expected.impulse(i)));
      apart.impulse = std::max(apart.impulse, length(found.impulse(i) - expected.impulse(i)));
      apart.warm_impulse =
          std::max(apart.warm_impulse, length(at(found.arrays.warm_impulse, i) - at(expected.arrays.warm_impulse, i)));
    }
    apart.velocity /= speed;
    apart.motion /= std::max(motion, h * speed);
    apart.impulse /= impulse;
    apart.warm_impulse /= impulse;
    return apart;
  }

  static bool are_close(const Differences& apart) {
    return apart.velocity <= bound && apart.motion <= bound && apart.impulse <= bound && apart.warm_impulse <= bound;
  }
};
using BothPrecisions = testing::Types<float, double>;
TYPED_TEST_SUITE(DirectAgreement, BothPrecisions);

/// The scene for the reference, which gets the sums of velocities and changes that the library makes in T.
template <class T>
SceneData<double> with_same_sums(const SceneData<T>& scene) {
  SceneData<double> wide = widened(scene);
  const auto take_sums = [](auto& to, const auto& velocity, const auto& change) {
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < change[c].size(); ++i)
        to[c][i] = static_cast<double>(velocity[c][i] + change[c][i]) - static_cast<double>(change[c][i]);
  };
  take_sums(wide.bodies.velocity, scene.bodies.velocity, scene.velocity_change);
  take_sums(wide.bodies.angular_velocity, scene.bodies.angular_velocity, scene.angular_velocity_change);
  return wide;
}

BoxWorld pushed(BoxWorld world, std::size_t box, const Vector& velocity) {
  world.boxes[box].velocity = velocity;
  return world;
}
BoxWorld raised(BoxWorld world, double height, double restitution) {
  for (MovingBox& box : world.boxes) box.position[2] += height;
  world.restitution = restitution;
  return world;
}
BoxWorld sunk(BoxWorld world, double share) {
  for (MovingBox& box : world.boxes) box.position[2] *= 1 - share;
  return world;
}

TYPED_TEST(DirectAgreement, of_boxes_that_rest_slide_fall_and_overlap_holds_in_every_step) {
  const struct {
    const char* name;
    BoxWorld world;
    bool needs_interior_point;
  } cases[] = {{"stack", box_stack(10), false},
               {"stack with heavy top", box_stack(5, 10), false},
               {"pyramid", box_pyramid(6), false},
               {"stack pushed at the top", pushed(box_stack(8), 7, {0.3, 0, 0}), true},
               {"stack pushed in the middle", pushed(box_stack(8), 3, {2, 0.3, 0}), true},
               {"pyramid pushed at the top", pushed(box_pyramid(5), 14, {1, 0.3, 0}), true},
               {"drop, e = 0", raised(box_stack(3, 3), 0.5, 0), false},
               {"drop, e = 0.5", raised(box_stack(3, 3), 0.5, 0.5), true},
               {"drop, e = 1", raised(box_stack(3, 3), 0.5, 1), true},
               {"stack with overlap", sunk(box_stack(4), 0.05), false},
               {"pyramid with overlap", sunk(box_pyramid(4), 0.1), false},
               {"block slides", block_on_incline(0.4, 0.3, 1), true},
               {"block sticks", block_on_incline(0.2, 0.3, 0), false}};
  for (const auto& [name, begin, needs_interior_point] : cases) {
    BoxWorld world = begin;
    Vectors3<TypeParam> warm = vectors<TypeParam>(4 * world.supports.size());
    int max_solves = 0;
    for (int step = 0; step < 60; ++step) {
      const std::string what = std::string(name) + ", step " + std::to_string(step);
      SceneData<TypeParam> now = world.template scene_with_forces<TypeParam>(h);
      // The reference has no memory.
      now.key.clear();
      now.warm_impulse = warm;
      const auto found = solved(now, in_substeps());
      const auto expected = solved_by_reference(with_same_sums(now), in_substeps());
      const Differences apart = this->differences(now, found, expected);
      EXPECT_LE(apart.velocity, this->bound) << what;
      EXPECT_LE(apart.motion, this->bound) << what;
      EXPECT_LE(apart.impulse, this->bound) << what;
      EXPECT_LE(apart.warm_impulse, this->bound) << what;
      EXPECT_EQ(found.report.substeps, 1) << what;
      EXPECT_EQ(expected.report.substeps, 1) << what;
      EXPECT_EQ(found.report.iterations, expected.report.iterations) << what;
      EXPECT_EQ(found.arrays.status, expected.arrays.status) << what;
      EXPECT_NEAR(found.report.residual, expected.report.residual, 10 * this->bound) << what;
      max_solves = std::max(max_solves, found.report.iterations);
      warm = found.arrays.warm_impulse;
      world.take_motion(found.arrays);
    }
    // A blow has up to two tries before and after it. The first iterations of an interior point are not its last.
    EXPECT_TRUE(!needs_interior_point || max_solves > 2 * SceneThresholds::direct_tries) << name << max_solves;
  }
}

JointedBoxes doors() {
  JointedBoxes made;
  made.boxes = {{20, {1, 0.1, 2}, {0.5, 0, 0}}, {5, {1, 0.1, 2}, {1.5, 0, 0}}};
  made.join(0, world, {0, 0, 0.5}, JointedBoxes::Kind::hinge);
  made.join(1, 0, {1, 0, 0.5}, JointedBoxes::Kind::hinge);
  for (JointedBoxes::Joint& joint : made.joints) joint.axis = {0, 0, 1};
  made.boxes[1].angular_velocity = {0, 0, 2};
  return made;
}
JointedBoxes ball_on_an_arm(double restitution) {
  JointedBoxes made;
  made.has_floor = true;
  made.restitution = restitution;
  made.boxes = {{1, {0.1, 0.1, 0.1}, {0.5, 0, 0.7}}};
  made.join(0, world, {0, 0, 0.5});
  return made;
}

JointedBoxes motor_and_rope() {
  JointedBoxes made;
  made.has_floor = true;
  made.boxes = {{1, {1, 0.1, 0.1}, {0.5, 0, 1}}, {2, {0.2, 0.2, 0.2}, {1, 0, 0.4}}};
  made.join(0, world, {0, 0, 1}, JointedBoxes::Kind::hinge);
  made.joints[0].speed = -2;
  made.joints[0].torque = 12;
  made.joints.push_back({1, 0, {0, 0, 0.1}, {0.5, 0, 0}, JointedBoxes::Kind::rope});
  made.joints[1].length = 0.7;
  return made;
}

JointedBoxes boxes_on_springs() {
  JointedBoxes made;
  made.has_floor = true;
  made.boxes = {{1, {0.3, 0.3, 0.3}, {0.5, 0, 0.7}}, {3, {0.3, 0.3, 0.3}, {1, 0, 0.7}}};
  made.join(0, world, {0, 0, 0.7});
  made.join(1, 0, {0.75, 0, 0.7});
  made.joints[1].frequency = 3;
  made.joints[1].damping_ratio = 0.1;
  return made;
}

// Rows of joints in all: substeps by spin, tension, curvature, corrected errors, rebounds.
TYPED_TEST(DirectAgreement, of_joints_that_swing_fall_and_rebound_holds_in_every_step) {
  const struct {
    const char* name;
    JointedBoxes boxes;
  } cases[] = {{"doors", doors()},
               {"ball on an arm, e = 0.5", ball_on_an_arm(0.5)},
               {"ball on an arm, e = 1", ball_on_an_arm(1)},
               {"doll", doll(0.2, {0.3, 1.1, 0.7})},
               {"doll that lies", doll(0.01, {0, 1.5, 0})},
               {"motor that lifts a box by a rope", motor_and_rope()},
               {"boxes on springs", boxes_on_springs()}};
  for (const auto& [name, begin] : cases) {
    JointedBoxes boxes = begin;
    std::vector<TypeParam> rows;
    int max_substeps = 0;
    std::size_t apart = 0, refused = 0, steps = fast_build ? 60 : 15;
    for (std::size_t step = 0; step < steps; ++step) {
      // The reference has no memory, and contacts come and go: only rows have warm impulses.
      SceneData<TypeParam> now = boxes.template scene<TypeParam>();
      for (std::size_t r = 0; r < rows.size(); ++r) now.joints.rows[r].warm_impulse = rows[r];
      const auto found = solved(now, in_substeps());
      const auto expected = solved_by_reference(with_same_sums(now), in_substeps());
      double size = 1e-300, off = 0;
      for (std::size_t r = 0; r < now.row_count(); ++r) {
        size = std::max(size, std::abs(expected.arrays.joint_impulse[r]));
        off = std::max({off,
                        std::abs(static_cast<double>(found.arrays.joint_impulse[r]) - expected.arrays.joint_impulse[r]),
                        std::abs(static_cast<double>(found.arrays.joint_warm_impulse[r]) -
                                 expected.arrays.joint_warm_impulse[r])});
      }
      const bool is_close = this->are_close(this->differences(now, found, expected)) && off <= this->bound * size;
      apart += is_close ? 0 : 1;
      refused += found.report.pgs_islands;
      EXPECT_EQ(found.report.substeps, expected.report.substeps) << name << ", step " << step;
      max_substeps = std::max(max_substeps, found.report.substeps);
      rows = found.arrays.joint_warm_impulse;
      boxes.take(found.arrays);
    }
    // Roundings decide now and then how often an interior point iterates, and whether it ends.
    EXPECT_LE(apart, steps / 15) << name;
    EXPECT_LE(refused, steps / 15) << name;
    EXPECT_GE(max_substeps, 2) << name;
  }
}

/// Everything that a direct island may have.
template <class T>
SceneData<T> random_plain_scene(std::uint64_t seed) {
  auto scene = random_scene<T>(seed);
  support::Draw draw(seed + 1000);
  scene.surface_velocity = scene.warm_impulse = vectors<T>(scene.contact_count());
  for (std::size_t i = 0; i < scene.contact_count(); ++i) {
    scene.separation.push_back(static_cast<T>(draw.uniform(-0.02, 0.01)));
    scene.target_velocity.push_back(static_cast<T>(draw.uniform(-0.1, 0.1)));
    if (seed % 3 == 0) put(scene.surface_velocity, i, draw.bell3(0.5));
    const Vector normal = at(scene.normal, i);
    if (seed % 2 == 0) put(scene.warm_impulse, i, draw.uniform(-0.1, 0.5) * normal + draw.bell3(0.05));
  }
  scene.velocity_change = scene.angular_velocity_change = vectors<T>(scene.body_count());
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    put(scene.velocity_change, i, draw.bell3(0.3));
    put(scene.angular_velocity_change, i, draw.bell3(0.3));
  }
  return scene;
}

TYPED_TEST(DirectAgreement, of_random_scenes_includes_gaps_targets_belts_forces_and_warm_impulses) {
  const std::size_t count = fast_build ? 1000 : 100;
  std::size_t apart = 0, direct = 0, islands = 0;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const auto scene = random_plain_scene<TypeParam>(seed);
    MethodOptions options = in_substeps();
    options.substeps.warm_start = seed % 5 == 0 ? 0.75 : 1;
    const auto found = solved(scene, options);
    const auto expected = solved_by_reference(with_same_sums(scene), options);
    const bool is_same =
        found.report.substeps == expected.report.substeps && this->are_close(this->differences(scene, found, expected));
    apart += is_same ? 0 : 1;
    islands += found.report.islands;
    for (std::size_t i = 0; i < found.report.islands; ++i) direct += found.arrays.island_substeps[i] == 1 ? 1 : 0;
  }
  // Roundings decide now and then whether a contact sticks, or how often an interior point iterates.
  EXPECT_LE(apart, count / 100);
  EXPECT_GE(direct, islands * 9 / 10);
}

TYPED_TEST(DirectAgreement, includes_the_choice_of_the_islands) {
  // The reference orders bodies by exact minimum degree, the kernels by approximate minimum degree. The limit of the
  // work is proportional to the number of sweeps, 80 multiply-adds a point here.
  std::size_t direct = 0, swept = 0;
  const auto compare = [&](const SceneData<TypeParam>& scene, int sweeps, const std::string& what) {
    MethodOptions options = in_substeps();
    options.substeps.max_substeps = 2;
    options.substeps.inner_iterations = 1;
    options.substeps.iterations = sweeps;
    options.substeps.position_correction.relax_iterations = 0;
    const auto found = solved(scene, options);
    const auto expected = solved_by_reference(with_same_sums(scene), options);
    const auto is_direct = [](const auto& of, std::size_t contact) {
      return of.arrays.island_substeps[static_cast<std::size_t>(of.arrays.island[contact])] == 1;
    };
    std::size_t different = 0;
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      different += is_direct(found, i) == is_direct(expected, i) ? 0 : 1;
      ++(is_direct(found, i) ? direct : swept);
    }
    EXPECT_EQ(different, 0u) << what << ", " << sweeps << " sweeps";
  };
  for (const int sweeps : {1, 2, 4, 8, 16, 32}) {
    compare(stack<TypeParam>(20), sweeps, "stack");
    compare(pyramid<TypeParam>(12), sweeps, "pyramid");
    compare(pile<TypeParam>(fast_build ? 600 : 200), sweeps, "pile");
    compare(islands<TypeParam>(50, 2, 8, 1), sweeps, "islands");
  }
  EXPECT_GT(direct, 1000u);
  EXPECT_GT(swept, 1000u);
}

// The edges of direct islands: a factorisation that is kept, results beyond the range, very rough contacts.

/// Two cubes that meet. One of them, `on_ground`, also meets the ground. Nothing else differs.
SceneData<double> meeting_cubes(std::int32_t on_ground) {
  SceneData<double> scene;
  const std::int32_t a = scene.add(box(1, {1, 1, 1}, {0, 0, 0}, {1, 0, -0.2}));
  const std::int32_t b = scene.add(box(1, {1, 1, 1}, {1, 0, 0}, {-1, 0, -0.2}));
  scene.add(Contact{a, b, {-1, 0, 0}, {0.5, 0, 0}, 2, 0});
  scene.add(Contact{on_ground, world, {0, 0, 1}, {static_cast<double>(on_ground), 0, -0.5}, 2, 0});
  return scene;
}

TEST(DirectIslands, factor_again_if_another_body_of_an_equal_island_is_on_the_ground) {
  SceneSolver solver({.threads = 1});
  solved(solver, meeting_cubes(0), in_substeps());
  const auto scene = meeting_cubes(1);
  const auto found = solved(solver, scene, in_substeps());
  expect_same_bits(found.arrays, solved(scene, in_substeps()).arrays, "after an island with the other cube");
}

TEST(DirectIslands, with_results_beyond_the_range_are_swept) {
  for (const double speed : {1e150, 1e154, 1e160, 1e200}) {
    SceneData<double> scene;
    const std::int32_t a = scene.add(box(1, {1, 1, 1}, {}, {0, 0, -speed}));
    scene.add(Contact{a, world, {0, 0, 1}, {0, 0, -0.5}, 0.5, 0.5});
    const auto found = solved(scene, in_substeps());
    EXPECT_TRUE(std::isfinite(found.velocity(0)[2])) << speed;
    EXPECT_EQ(found.report.substeps, speed < 1e153 ? 1 : 4) << speed;
  }
}

TEST(DirectIslands, do_not_gain_energy_with_very_rough_contacts) {
  const double frictions[] = {0, 1e-7, 0.5, 50, std::numeric_limits<double>::infinity()};
  const std::size_t count = fast_build ? 1000 : 100;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    RandomSceneOptions drawn;
    drawn.max_bodies = 12;
    drawn.max_contacts = 40;
    drawn.max_restitution = 0;
    auto scene = random_scene<double>(seed, drawn);
    support::Draw draw(seed);
    for (double& friction : scene.friction) friction = frictions[draw.below(5)];
    const auto found = solved(scene, in_substeps());
    if (found.report.substeps > 1) continue;
    EXPECT_LE(energy_after(scene, found), energy_before(scene) * (1 + 1e-4)) << seed;
  }
}

}  // namespace
}  // namespace carom::scenes
