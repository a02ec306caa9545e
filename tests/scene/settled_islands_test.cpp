// Islands whose last impulses solve the call: src/scene/kernels/islands/settle.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "support/scenes/order.hpp"
#include "support/scenes/runs.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

template <class T>
class SettledIslands : public testing::Test {};
TYPED_TEST_SUITE(SettledIslands, Precisions);

/// [m/s] of the velocities by gravity. Shares of a weight, 1/4 and 1/2, have no rounding.
template <class T>
constexpr T fall = T(0.1640625);

template <class T>
void add_point(SceneData<T>& scene, std::int32_t a, std::int32_t b, double x, double y, T load) {
  const std::size_t c = scene.add(Contact{a, b, {0, 0, 1}, {}, 0.5, 0});
  put(scene.r_a, c, {x, y, -0.5});
  put(scene.r_b, c, b < 0 ? Vector{x, y, 0} : Vector{x, y, 0.5});
  put(scene.warm_impulse, c, {0, 0, static_cast<double>(load)});
  scene.separation.push_back(T(0));
}

/// A stack of cubes of 1 kg. The lowest one has 1, 2, 3 or 4 points, the others 4.
template <class T>
SceneData<T> stack_at_rest(int cubes, int points) {
  SceneData<T> scene;
  for (int i = 0; i < cubes; ++i) {
    scene.add(box(1, {1, 1, 1}, {0, 0, i + 0.5}));
    push(scene.velocity_change, Vector{0, 0, -static_cast<double>(fall<T>)});
    push(scene.angular_velocity_change, Vector{});
  }
  const auto count = scene.body_count();
  const auto add = [&](std::int32_t a, std::int32_t b, double x, double y, double share) {
    for (auto& column : scene.warm_impulse) column.push_back(T(0));
    const double load = share * static_cast<double>(count - static_cast<std::size_t>(a));
    add_point(scene, a, b, x, y, static_cast<T>(load) * fall<T>);
  };
  if (points == 1) add(0, world, 0, 0, 1);
  if (points == 2)
    for (const double x : {-0.25, 0.25}) add(0, world, x, 0, 0.5);
  if (points == 3) {
    add(0, world, -0.25, 0, 0.5);
    for (const double y : {-0.25, 0.25}) add(0, world, 0.25, y, 0.25);
  }
  for (std::int32_t i = points == 4 ? 0 : 1; i < cubes; ++i)
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5}) add(i, i == 0 ? world : i - 1, x, y, 0.25);
  return scene;
}

template <class T>
std::vector<SceneData<T>> all_at_rest() {
  std::vector<SceneData<T>> made;
  for (int points = 1; points <= 4; ++points)
    for (const int cubes : {1, 2, 4}) made.push_back(stack_at_rest<T>(cubes, points));
  return made;
}

template <class T>
SceneData<T> together(const std::vector<SceneData<T>>& all) {
  SceneData<T> scene;
  for (const SceneData<T>& one : all) append(scene, one);
  return scene;
}

template <class T>
void expect_settled(const Solved<T>& of, const std::string& what) {
  for (std::size_t i = 0; i < of.report.islands; ++i)
    EXPECT_EQ(of.arrays.island_algorithm[i], IslandAlgorithm::last_impulses) << what << ", island " << i;
}

TYPED_TEST(SettledIslands, keep_their_impulses_and_stop_their_bodies) {
  for (const SceneData<TypeParam>& scene : all_at_rest<TypeParam>()) {
    const auto found = solved(scene, in_substeps());
    expect_settled(found, "");
    EXPECT_EQ(found.report.pgs_islands, 0u);
    EXPECT_EQ(found.report.iterations, 0);
    EXPECT_EQ(found.report.residual, 0);
    // Without its impulses the lowest cube would fall.
    EXPECT_NEAR(found.report.max_approach_speed, static_cast<double>(fall<TypeParam>), 1e-15);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(found.arrays.impulse[c], scene.warm_impulse[c]);
      EXPECT_EQ(found.arrays.warm_impulse[c], scene.warm_impulse[c]);
      const std::vector<TypeParam> none(scene.body_count()), no_motion(scene.contact_count());
      EXPECT_EQ(found.arrays.velocity[c], none);
      EXPECT_EQ(found.arrays.angular_velocity[c], none);
      EXPECT_EQ(found.arrays.displacement[c], none);
      EXPECT_EQ(found.arrays.rotation[c], none);
      EXPECT_EQ(found.arrays.separation_velocity[c], no_motion);
    }
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      EXPECT_EQ(found.arrays.status[i], Status::ok);
      EXPECT_EQ(found.arrays.path[i].sliding_end, SlidingEnd::stick);
    }
  }
}

/// A scene of a world that has come to rest. Its warm impulses are the impulses of the last step: with a gravity that
/// leans they have all directions, and miss the targets by some 1e-16.
SceneData<double> after_steps(BoxWorld& world) {
  SceneSolver solver({.threads = 1});
  for (int k = 0; k < 30; ++k) world.step_in_substeps<double>(solver, in_substeps(), h);
  SceneData<double> rest = world.scene_with_forces<double>(h);
  SceneArrays<double> last(rest);
  solver.solve(rest.view(in_substeps()), last.view(), in_substeps());
  rest.warm_impulse = last.warm_impulse;
  rest.key.clear();
  return rest;
}

TYPED_TEST(SettledIslands, have_the_same_bits_on_every_isa_and_any_number_of_threads) {
  BoxWorld leaning = box_stack(3);
  leaning.gravity = {0.3, -0.2, -9.7};
  SceneData<TypeParam> scene = together(all_at_rest<TypeParam>());
  if constexpr (std::is_same_v<TypeParam, double>) scene = after_steps(leaning);
  const auto expected = solved(scene, in_substeps());
  expect_settled(expected, "");
  for (const Isa isa : available_isas())
    for (const int threads : {1, 3})
      expect_same_bits(expected.arrays, solved(scene, in_substeps(), {.isa = isa, .threads = threads}).arrays,
                       std::string(to_string(isa)));
}

// Bodies with many manifolds: their sums depend on the order of the manifolds.
TYPED_TEST(SettledIslands, have_the_same_bits_in_any_number_of_shares) {
  for (const bool in_order : {true, false}) {
    BoxWorld world = box_pyramid(46);
    support::Draw draw(1);
    if (!in_order) shuffle(draw, world.supports);
    const std::vector<int> threads = {1, 2, 3, 7};
    std::vector<SceneSolver> solvers;
    for (const int n : threads) solvers.emplace_back(Execution{.threads = n});
    int settled = 0;
    for (int k = 0; k < 60 && settled < 3; ++k) {
      const SceneData<TypeParam> scene = world.template scene_with_forces<TypeParam>(h);
      const auto expected = carom::scenes::solved(solvers[0], scene, in_substeps());
      for (std::size_t s = 1; s < solvers.size(); ++s)
        expect_same_bits(carom::scenes::solved(solvers[s], scene, in_substeps()).arrays, expected.arrays,
                         std::to_string(threads[s]) + " threads, step " + std::to_string(k));
      settled += expected.arrays.island_algorithm[0] == IslandAlgorithm::last_impulses ? 1 : 0;
      world.take_motion(expected.arrays);
    }
    EXPECT_EQ(settled, 3) << in_order;
  }
}

TYPED_TEST(SettledIslands, in_shares_do_not_settle_if_one_contact_does_not_hold) {
  for (const std::size_t contact : {std::size_t{1}, std::size_t{7000}, std::size_t{14399}}) {
    SceneData<TypeParam> scene = stack_at_rest<TypeParam>(3600, 4);
    scene.warm_impulse[2][contact] *= TypeParam(1.5);
    for (const int threads : {1, 3})
      EXPECT_NE(solved(scene, in_substeps(), {.threads = threads}).arrays.island_algorithm[0],
                IslandAlgorithm::last_impulses)
          << contact;
  }
}

TYPED_TEST(SettledIslands, do_not_depend_on_other_islands_or_on_where_their_contacts_stand) {
  const auto all = all_at_rest<TypeParam>();
  const SceneData<TypeParam> scene = together(all);
  const auto found = solved(scene, in_substeps());
  expect_settled(found, "together");
  support::Draw draw(1);
  const std::size_t n = scene.contact_count() / 2;
  const std::vector<std::size_t> order = mixed(draw, n, scene.contact_count() - n);
  const auto apart = solved(reordered(scene, order, {}), in_substeps());
  expect_settled(apart, "apart");
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_EQ(found.arrays.velocity[c], apart.arrays.velocity[c]);
    for (std::size_t i = 0; i < order.size(); ++i)
      EXPECT_EQ(apart.arrays.impulse[c][i], found.arrays.impulse[c][order[i]]);
  }
}

/// Islands of one manifold are solved side by side if columns have no gaps, and one by one in structs.
template <class TypeParam>
SceneArrays<TypeParam> same_bits_in_structs(const SceneData<TypeParam>& scene) {
  SceneArrays<TypeParam> expected(scene), found(scene);
  Scene<TypeParam> view = scene.view(in_substeps());
  SceneSolver solver({.threads = 1});
  solver.solve(view, expected.view(), in_substeps());
  struct Contact {
    TypeParam r_a[3], r_b[3], impulse[3], result[3];
  };
  std::vector<Contact> contacts(scene.contact_count());
  const auto columns = [&](auto Contact::*member) {
    const auto column = [&](std::size_t c) {
      return Column<TypeParam>(&(contacts[0].*member)[c], contacts.size(), sizeof(Contact));
    };
    return Vector3Columns<TypeParam>{column(0), column(1), column(2)};
  };
  for (std::size_t i = 0; i < contacts.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      contacts[i].r_a[c] = scene.r_a[c][i];
      contacts[i].r_b[c] = scene.r_b[c][i];
      contacts[i].impulse[c] = scene.warm_impulse[c][i];
    }
  view.contacts.r_a = columns(&Contact::r_a);
  view.contacts.r_b = columns(&Contact::r_b);
  view.contacts.warm_impulse = columns(&Contact::impulse);
  SceneResults<TypeParam> results = found.view();
  results.impulse = columns(&Contact::result);
  solver.solve(view, results, in_substeps());
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < contacts.size(); ++i) found.impulse[c][i] = contacts[i].result[c];
  expect_same_bits(expected, found, "structs");
  return expected;
}
TYPED_TEST(SettledIslands, may_be_given_in_structs) {
  same_bits_in_structs(together(all_at_rest<TypeParam>()));
}

/// The same with the bodies in the other order.
template <class T>
SceneData<T> mirrored(SceneData<T> scene) {
  std::swap(scene.body_a, scene.body_b);
  std::swap(scene.r_a, scene.r_b);
  for (auto* columns : {&scene.normal, &scene.warm_impulse})
    for (auto& column : *columns)
      for (T& x : column) x = T(0) - x;
  return scene;
}

/// Cubes on the ground and on a body that rests, in both orders of the bodies, and some that do not rest.
template <class T>
SceneData<T> cubes_apart() {
  SceneData<T> cube = stack_at_rest<T>(1, 4);
  std::vector<SceneData<T>> all = {cube, mirrored(cube)};
  const auto add_with = [&](const auto& change) {
    SceneData<T> changed = cube;
    change(changed);
    all.push_back(changed);
    all.push_back(mirrored(changed));
  };
  const T tiny = T(1e-6) * fall<T>;
  add_with([](SceneData<T>& s) {
    s.add(Body{}), push(s.velocity_change, Vector{}), push(s.angular_velocity_change, Vector{});
    s.bodies.inverse_mass[1] = 0;
    for (auto& column : s.bodies.inverse_inertia) column[1] = 0;
    std::fill(s.body_b.begin(), s.body_b.end(), 1);
  });
  add_with([&](SceneData<T>& s) { s.warm_impulse[2][1] += tiny; });
  // Friction beyond its limit whose forces and moments cancel.
  add_with([](SceneData<T>& s) { s.warm_impulse[0][0] = T(0.1), s.warm_impulse[0][2] = -T(0.1); });
  add_with([&](SceneData<T>& s) { s.warm_impulse[2][0] = s.warm_impulse[2][3] = -tiny; });
  add_with([&](SceneData<T>& s) { s.bodies.angular_velocity[2][0] += tiny; });
  add_with([](SceneData<T>& s) { s.separation[2] = T(0.1); });
  add_with([](SceneData<T>& s) { std::fill(s.friction.begin(), s.friction.end(), T(0)); });
  return together(all);
}

TYPED_TEST(SettledIslands, cubes_apart_have_the_bits_that_each_has_alone) {
  const auto found = same_bits_in_structs(cubes_apart<TypeParam>());
  // The first four, the two without friction, and the two whose friction is cut off to its limit.
  EXPECT_EQ(std::count(found.island_algorithm.begin(), found.island_algorithm.end(), IslandAlgorithm::last_impulses),
            8);
}

TEST(SettledCubes, that_lean_have_the_bits_that_each_has_alone) {
  BoxWorld leaning = box_stack(1);
  for (int i = 1; i < 11; ++i) {
    leaning.boxes.push_back({1 + 0.1 * i, {1, 1 + 0.05 * i, 1}, {3.0 * i, 0, 0.5}});
    leaning.rest(i, world, -0.5, 0.5, -0.5, 0.5);
  }
  leaning.gravity = {0.3, -0.2, -9.7};
  const auto found = same_bits_in_structs(after_steps(leaning));
  EXPECT_EQ(std::count(found.island_algorithm.begin(), found.island_algorithm.end(), IslandAlgorithm::last_impulses),
            11);
}

/// A change after which the impulses that an island begins with are no solution.
template <class T>
struct Disturbance {
  std::string name;
  std::function<void(SceneData<T>&)> disturb;
};

TYPED_TEST(SettledIslands, are_only_those_that_the_impulses_solve) {
  using T = TypeParam;
  const T tiny = T(1e-6) * fall<T>;
  const std::vector<Disturbance<T>> all = {
      {"an impulse", [&](SceneData<T>& s) { s.warm_impulse[2][5] += tiny; }},
      {"friction", [&](SceneData<T>& s) { s.warm_impulse[0][0] = tiny, s.warm_impulse[0][1] = -2 * tiny; }},
      {"the cone", [&](SceneData<T>& s) { s.warm_impulse[0][0] = T(0.1), s.warm_impulse[0][1] = -T(0.1); }},
      {"pulling", [&](SceneData<T>& s) { s.warm_impulse[2][0] = s.warm_impulse[2][3] = -tiny; }},
      {"a velocity", [&](SceneData<T>& s) { s.bodies.velocity[0][1] += tiny; }},
      {"a rotation", [&](SceneData<T>& s) { s.bodies.angular_velocity[2][0] += tiny; }},
      {"a force", [&](SceneData<T>& s) { s.velocity_change[1][1] = tiny; }},
      {"a gap", [&](SceneData<T>& s) { s.separation[2] = T(0.1); }},
      {"a surface",
       [&](SceneData<T>& s) {
         s.surface_velocity = vectors<T>(s.contact_count());
         std::fill_n(s.surface_velocity[0].begin(), 4, T(1));
       }},
      {"a target",
       [&](SceneData<T>& s) {
         s.target_velocity.assign(s.contact_count(), T(0));
         s.target_velocity[6] = tiny;
       }},
      {"a soft contact",
       [&](SceneData<T>& s) {
         s.frequency.assign(s.contact_count(), std::numeric_limits<T>::infinity());
         s.frequency[6] = T(10);
       }},
  };
  const SceneData<T> rest = stack_at_rest<T>(2, 4);
  expect_settled(solved(rest, in_substeps()), "undisturbed");
  for (const Disturbance<T>& of : all) {
    SceneData<T> scene = rest;
    of.disturb(scene);
    const auto found = solved(scene, in_substeps());
    EXPECT_NE(found.arrays.island_algorithm[0], IslandAlgorithm::last_impulses) << of.name;
  }
}

/// A chain of cubes of 1 kg that hangs from the world. The lowest one is on the floor with half of its weight, and a
/// slack rope is attached to it.
template <class T>
SceneData<T> chain_at_rest(int cubes) {
  SceneData<T> scene;
  for (int i = 0; i < cubes; ++i) {
    scene.add(box(1, {1, 1, 1}, {0, 0, -i - 0.5}));
    push(scene.velocity_change, Vector{0, 0, -static_cast<double>(fall<T>)});
    push(scene.angular_velocity_change, Vector{});
    const std::size_t first =
        add_ball_joint<T>(scene.joints, {i, i - 1, {0, 0, T(0.5)}, {0, 0, i == 0 ? T(0) : T(-0.5)}});
    scene.joints.rows[first + 2].warm_impulse = (static_cast<T>(cubes - i) - T(0.5)) * fall<T>;
  }
  for (auto& column : scene.warm_impulse) column.push_back(T(0));
  add_point(scene, cubes - 1, world, 0, 0, T(0.5) * fall<T>);
  const std::size_t rope = add_distance_joint<T>(scene.joints, {cubes - 1, world, {T(0.5), 0, 0}, {}}, {0, 0, -1});
  scene.joints.rows[rope].max_impulse = 0;
  scene.joints.rows[rope].position_error = T(-0.5);
  return scene;
}

TYPED_TEST(SettledIslands, hang_on_joints) {
  for (const int cubes : {1, 2, 4}) {
    const SceneData<TypeParam> scene = chain_at_rest<TypeParam>(cubes);
    const auto found = solved(scene, in_substeps());
    expect_settled(found, std::to_string(cubes));
    EXPECT_EQ(found.report.islands, 1u);
    EXPECT_EQ(found.report.residual, 0);
    for (std::size_t r = 0; r < scene.row_count(); ++r) {
      EXPECT_EQ(found.arrays.joint_impulse[r], scene.joints.rows[r].warm_impulse);
      EXPECT_EQ(found.arrays.joint_warm_impulse[r], scene.joints.rows[r].warm_impulse);
    }
    // The impulses of the joints take as much energy as the fall has in the middle of the step.
    double work = 0;
    for (const auto& row : scene.joints.rows)
      if (row.warm_impulse > TypeParam(0)) work -= 0.5 * static_cast<double>(row.warm_impulse * fall<TypeParam>);
    EXPECT_NEAR(found.report.joint_work, cubes == 1 ? work : found.report.joint_work, 1e-12);
    const std::vector<TypeParam> none(scene.body_count());
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_EQ(found.arrays.velocity[c], none);
      EXPECT_EQ(found.arrays.displacement[c], none);
    }
  }
}

TYPED_TEST(SettledIslands, hang_on_joints_only_if_these_are_rigid_and_at_rest) {
  using T = TypeParam;
  const T tiny = T(1e-6) * fall<T>;
  const std::vector<Disturbance<T>> all = {
      {"an impulse", [&](SceneData<T>& s) { s.joints.rows[2].warm_impulse += tiny; }},
      {"an error", [&](SceneData<T>& s) { s.joints.rows[1].position_error = T(0.01); }},
      {"a tight rope", [&](SceneData<T>& s) { s.joints.rows.back().position_error = T(0.01); }},
      {"a spring", [&](SceneData<T>& s) { s.joints.rows[2].frequency = T(5); }},
      {"compliance", [&](SceneData<T>& s) { s.joints.rows[2].compliance = T(1e-3); }},
      {"a motor", [&](SceneData<T>& s) { s.joints.rows[0].target_velocity = T(1e-3); }},
      {"a bound",
       [&](SceneData<T>& s) {
         s.joints.rows[2].max_impulse = fall<T>;
         s.joints.rows[2].warm_impulse = fall<T>;
       }},
      {"a spin", [&](SceneData<T>& s) { s.bodies.angular_velocity[2][0] = T(1e-4); }},
  };
  const SceneData<T> rest = chain_at_rest<T>(2);
  expect_settled(solved(rest, in_substeps()), "undisturbed");
  for (const Disturbance<T>& of : all) {
    SceneData<T> scene = rest;
    of.disturb(scene);
    EXPECT_NE(solved(scene, in_substeps()).arrays.island_algorithm[0], IslandAlgorithm::last_impulses) << of.name;
  }
}

// The impulses solve the velocities of the call, but not its positions.
TYPED_TEST(SettledIslands, leave_overlaps_to_position_correction) {
  SceneData<TypeParam> scene = stack_at_rest<TypeParam>(2, 4);
  std::fill_n(scene.separation.begin(), 4, TypeParam(-0.1));
  const auto found = solved(scene, in_substeps());
  EXPECT_GT(found.arrays.displacement[2][0], TypeParam(0.001));
  EXPECT_EQ(found.arrays.velocity[2][0], TypeParam(0));
}

// Sweeps find these faults, so their islands are left to sweeps.
TYPED_TEST(SettledIslands, report_the_faults_that_sweeps_find) {
  SceneData<TypeParam> scene = stack_at_rest<TypeParam>(2, 4);
  scene.joints.rows.push_back({.body_a = 0, .body_b = 1});
  const auto found = solved(scene, in_substeps());
  EXPECT_EQ(found.arrays.joint_status[0], Status::collision_matrix_not_positive_definite);
  EXPECT_EQ(found.arrays.velocity[2], std::vector<TypeParam>(2));

  SceneData<TypeParam> far = stack_at_rest<TypeParam>(1, 4);
  for (auto& column : far.warm_impulse) column.push_back(TypeParam(0));
  add_point<TypeParam>(far, 0, world, 0, 0, TypeParam(0));
  far.r_a[0].back() = std::sqrt(std::numeric_limits<TypeParam>::max()) * TypeParam(2);
  EXPECT_EQ(solved(far, in_substeps()).arrays.status.back(), Status::overflow);
}

// Velocities that a call leaves would add up, and the island would be solved again.
TYPED_TEST(SettledIslands, settle_in_every_call_and_do_not_move_at_all) {
  for (const int base : {3, 6}) {
    BoxWorld world = box_pyramid(base);
    SceneSolver solver({.threads = 1});
    const auto step = [&] { return world.step_in_substeps<TypeParam>(solver, in_substeps(), h); };
    for (int k = 0; k < 60; ++k) step();
    const BoxWorld start = world;
    for (int k = 0; k < 20; ++k) EXPECT_EQ(step().iterations, 0) << base << ", call " << k;
    for (std::size_t i = 0; i < start.boxes.size(); ++i)
      EXPECT_EQ(world.boxes[i].position, start.boxes[i].position) << base << ", box " << i;
  }
}

// A solver first tries the islands of the last call, if the options are the last call's. This changes no bit, even if
// other data have changed.
template <class T>
void expect_the_bits_of_a_call_with_other_options(bool has_joint) {
  std::vector<Disturbance<T>> all = {
      {"nothing", [](SceneData<T>&) {}},
      {"friction of a point", [](SceneData<T>& s) { s.friction[6] = T(0.25); }},
      {"a normal", [](SceneData<T>& s) { s.normal[0][9] = T(1e-6); }},
      {"a pair", [](SceneData<T>& s) { std::fill_n(s.body_b.begin() + 4, 4, world); }},
      {"a body that nothing moves",
       [](SceneData<T>& s) {
         s.bodies.inverse_mass[1] = 0;
         for (auto& column : s.bodies.inverse_inertia) column[1] = 0;
         s.bodies.velocity[2][1] = s.velocity_change[2][1] = 0;
       }},
      {"a mass", [](SceneData<T>& s) { s.bodies.inverse_mass[2] = T(0.5); }},
      {"a fault", [](SceneData<T>& s) { s.r_a[0][5] = std::numeric_limits<T>::quiet_NaN(); }},
      {"a faulty body", [](SceneData<T>& s) { s.bodies.inverse_mass[0] = -1; }},
      {"a body out of range", [](SceneData<T>& s) { s.body_a[3] = 99; }},
      {"a key", [](SceneData<T>& s) { s.key[2] = 1000; }},
      {"keys in another order", [](SceneData<T>& s) { std::swap(s.key[2], s.key[3]); }},
      {"a velocity", [](SceneData<T>& s) { s.bodies.velocity[0][2] += T(0.5); }},
      {"a soft contact",
       [](SceneData<T>& s) {
         s.frequency.assign(s.contact_count(), std::numeric_limits<T>::infinity());
         s.frequency[6] = T(10);
       }},
      {"static friction", [](SceneData<T>& s) { s.static_friction.assign(s.contact_count(), T(0.75)); }},
      {"rolling friction", [](SceneData<T>& s) { s.rolling_friction.assign(s.contact_count(), T(0.125)); }},
      {"impulses of the caller", [](SceneData<T>& s) { s.warm_impulse = vectors<T>(s.contact_count()); }},
      {"no contacts of a body",
       [](SceneData<T>& s) { each_contact_column(s, [](auto& column) { column.resize(column.size() - 4); }); }},
      {"a body more",
       [](SceneData<T>& s) {
         s.add(Body{}), push(s.velocity_change, Vector{}), push(s.angular_velocity_change, Vector{});
       }},
  };
  if (has_joint) {
    all.push_back({"a row's bodies", [](SceneData<T>& s) { s.joints.rows[1].body_b = 0; }});
    all.push_back({"a row's error", [](SceneData<T>& s) { s.joints.rows[0].position_error = T(0.02); }});
    all.push_back(
        {"a row's fault", [](SceneData<T>& s) { s.joints.rows[2].linear_a[0] = std::numeric_limits<T>::infinity(); }});
  }
  BoxWorld boxes = box_stack(3);
  for (const double x : {3.0, 6.0}) {
    boxes.boxes.push_back({1, {1, 1, 1}, {x, 0, 0.5}});
    boxes.rest(static_cast<std::int32_t>(boxes.boxes.size()) - 1, world, -0.5, 0.5, -0.5, 0.5);
  }
  const auto scene_of = [&](const BoxWorld& of) {
    SceneData<T> made = of.scene_with_forces<T>(h);
    if (has_joint) add_ball_joint<T>(made.joints, {3, world, {0, 0, T(0.5)}, {}});
    for (std::size_t r = 0; r < made.row_count(); ++r) made.joints.rows[r].key = r + 1;
    return made;
  };
  SceneSolver steady({.threads = 1}), changing({.threads = 1});
  MethodOptions options = in_substeps(), other_options = options;
  const auto call = [&](const SceneData<T>& now, const std::string& what) {
    // Its columns are elsewhere in every call.
    SceneArrays<T> arrays(now), other_arrays(now);
    ++other_options.bender_schmitt.max_iterations;  // of another method
    const SceneReport found = steady.solve(now.view(options), arrays.view(), options);
    const SceneReport expected = changing.solve(now.view(other_options), other_arrays.view(), other_options);
    expect_same_bits(arrays, other_arrays, what);
    expect_same(found, expected, what);
    std::vector<std::byte> state, expected_state;
    steady.save(state);
    changing.save(expected_state);
    EXPECT_EQ(state, expected_state) << what;
    boxes.take_motion(arrays);
    return arrays.island_algorithm[0];
  };
  for (const Disturbance<T>& of : all) {
    const BoxWorld before = boxes;
    for (int k = 0; k < 40; ++k) call(scene_of(boxes), "before " + of.name);
    ASSERT_EQ(call(scene_of(boxes), "before " + of.name), IslandAlgorithm::last_impulses) << of.name;
    SceneData<T> disturbed = scene_of(boxes);
    of.disturb(disturbed);
    for (int k = 0; k < 2; ++k) call(disturbed, of.name);
    boxes = before;
    for (int k = 0; k < 2; ++k) call(scene_of(boxes), "after " + of.name);
  }
}

TYPED_TEST(SettledIslands, have_the_same_bits_after_a_call_with_other_options) {
  for (const bool has_joint : {true, false}) expect_the_bits_of_a_call_with_other_options<TypeParam>(has_joint);
}

// Options that change the impulses, or ask for more than one substep.
TYPED_TEST(SettledIslands, need_whole_impulses_and_one_substep) {
  const SceneData<TypeParam> rest = stack_at_rest<TypeParam>(2, 4);
  MethodOptions weak = in_substeps(), several = in_substeps();
  weak.substeps.warm_start = 0.5;
  several.substeps.min_direct_substeps = 2;
  for (const MethodOptions& options : {weak, several, in_swept_substeps()})
    EXPECT_NE(solved(rest, options).arrays.island_algorithm[0], IslandAlgorithm::last_impulses);
}

// A call at rest keeps the initial values for the iterations and direct solutions of the next one.
TYPED_TEST(SettledIslands, wake_as_if_they_had_been_solved) {
  const auto after = [&](int steps_at_rest) {
    BoxWorld world = box_stack(6);
    SceneSolver solver({.threads = 1});
    for (int k = 0; k < 10 + steps_at_rest; ++k) world.step_in_substeps<TypeParam>(solver, in_substeps(), h);
    world.boxes[3].velocity = {0.5, 0.2, 0};
    for (int k = 0; k < 60; ++k) world.step_in_substeps<TypeParam>(solver, in_substeps(), h);
    return world;
  };
  const BoxWorld soon = after(0), late = after(100);
  for (std::size_t i = 0; i < soon.boxes.size(); ++i)
    EXPECT_LE(length(soon.boxes[i].position - late.boxes[i].position), 1e-3) << i;
}

}  // namespace
}  // namespace carom::scenes
