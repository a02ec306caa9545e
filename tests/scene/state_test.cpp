// SceneSolver::save and restore: the calls after a restored state return the bits that the calls after `save` returned.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "random/draw.hpp"
#include "scene/call/state_archive.hpp"
#include "support/running/isas.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;
using Bytes = std::vector<std::byte>;

template <class T>
class SavedState : public testing::Test {};
TYPED_TEST_SUITE(SavedState, Precisions);

/// Boxes that move by the results of each call.
struct Course {
  std::string name;
  BoxWorld world;
  std::vector<MethodOptions> options;  ///< of the calls, in turn
  std::function<void(BoxWorld& world, int step)> before_step{};
  int saved_at = 20, steps = 15;
};

struct Moment {
  BoxWorld world;
  int step = 0;
};

template <class T>
std::vector<Solved<T>> run(const Course& course, SceneSolver& solver, Moment& now, int steps) {
  std::vector<Solved<T>> made;
  for (int k = 0; k < steps; ++k, ++now.step) {
    MethodOptions options = course.options[static_cast<std::size_t>(now.step) % course.options.size()];
    const BoxWorld before = now.world;
    if (course.before_step) course.before_step(now.world, now.step);
    const bool moves_in_call = options.moves();
    const bool has_targets = !moves_in_call && options.method != Procedure::both_phases;
    options.time_step = h;
    if (options.method == Procedure::both_phases) options.gravity = now.world.gravity;
    if (has_targets)
      for (MovingBox& box : now.world.boxes) box.velocity = box.velocity + h * now.world.gravity;
    SceneData<T> data = moves_in_call ? now.world.scene_with_forces<T>(h) : now.world.scene<T>();
    if (has_targets) {
      for (const T separation : data.separation)
        data.target_velocity.push_back(separation * T(separation > 0 ? -60 : -12));
      data.separation.clear();
    }
    made.push_back(solved(solver, data, options));
    if (moves_in_call) {
      now.world.take_motion(made.back().arrays);
    } else {
      now.world.take(made.back().arrays);
      now.world.move(h, has_targets ? Vector{} : now.world.gravity);
    }
    now.world.supports = before.supports;
  }
  return made;
}

/// Everything but SceneReport::same_graph and threads.
template <class T>
void expect_same(const std::vector<Solved<T>>& a, const std::vector<Solved<T>>& b, const std::string& what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size() && !testing::Test::HasFailure(); ++k) {
    const std::string call = what + ", call " + std::to_string(k);
    expect_same_bits(a[k].arrays, b[k].arrays, call);
    const auto numbers = [](const SceneReport& r) {
      return std::vector<double>{r.max_approach_speed, r.relative_error, r.residual,      r.energy_before,
                                 r.energy_after,       r.joint_work,     r.energy_removed};
    };
    const auto counts = [](const SceneReport& r) {
      return std::vector<std::size_t>{static_cast<std::size_t>(r.iterations),
                                      static_cast<std::size_t>(r.substeps),
                                      r.impacts,
                                      r.islands,
                                      r.max_island_size,
                                      r.colours,
                                      r.overflow_constraints,
                                      r.not_converged,
                                      r.stalled,
                                      r.pgs_islands,
                                      r.lanes,
                                      r.lanes_used};
    };
    EXPECT_TRUE(support::same_bits(numbers(a[k].report), numbers(b[k].report))) << call;
    EXPECT_EQ(counts(a[k].report), counts(b[k].report)) << call;
    EXPECT_EQ(a[k].report.by_status, b[k].report.by_status) << call;
  }
}

Bytes saved(const SceneSolver& solver) {
  Bytes state;
  solver.save(state);
  return state;
}

/// Saves, continues, and restores in the same solver, in a new one, and in one that has solved other scenes.
template <class T>
void expect_same_after_restoring(const Course& course) {
  Moment now{course.world};
  SceneSolver solver({.threads = 1});
  run<T>(course, solver, now, course.saved_at);
  const Moment begun = now;
  const Bytes state = saved(solver);
  const auto expected = run<T>(course, solver, now, course.steps);
  const Bytes state_after = saved(solver);
  const auto expect = [&](SceneSolver& with, const std::string& what) {
    with.restore(state);
    EXPECT_TRUE(saved(with) == state) << course.name << ", " << what;
    now = begun;
    expect_same(run<T>(course, with, now, course.steps), expected, course.name + ", " + what);
    EXPECT_TRUE(saved(with) == state_after) << course.name << ", " << what;
  };
  expect(solver, "the same solver");
  expect(solver, "the same solver again");
  SceneSolver other({.threads = 1});
  expect(other, "a new solver");
  Course another{"other boxes", box_pyramid(6), course.options};
  another.world.boxes[3].velocity[0] = 2;
  Moment of_another{another.world};
  run<T>(another, other, of_another, 7);
  expect(other, "after other scenes");
  run<double>(another, other, of_another, 3);
  run<float>(another, other, of_another, 3);
  other.forget();
  EXPECT_TRUE(saved(other) == saved(SceneSolver())) << course.name << ", forgotten";
  expect(other, "after it has forgotten");
}

MethodOptions with_method(Procedure method) {
  MethodOptions options = in_substeps();
  options.method = method;
  set_iterations(options, 10);
  return options;
}

BoxWorld pushed(BoxWorld world, std::size_t box, double speed) {
  world.boxes[box].velocity[0] += speed;
  return world;
}

BoxWorld two_stacks(int boxes) {
  BoxWorld made = box_stack(boxes);
  for (std::int32_t i = 0; i < boxes; ++i) {
    made.boxes.push_back({2, {1, 1, 1}, {10, 0, i + 0.5}});
    made.rest(boxes + i, i == 0 ? world : boxes + i - 1, -0.5, 0.5, -0.5, 0.5);
  }
  return made;
}

/// Leaves the second half of the supports out of some calls, or a point of each support, by turns.
void come_and_go(BoxWorld& world, int step) {
  const bool is_away = step % 9 >= 5;
  if (is_away) world.supports.resize(world.supports.size() / 2);
  if (step % 4 == 3)
    for (std::size_t s = 0; s < world.supports.size(); s += 2)
      world.supports[s].points[1] = world.supports[s].points[0];
}

TYPED_TEST(SavedState, of_direct_islands_gives_the_same_bits) {
  using T = TypeParam;
  expect_same_after_restoring<T>({"tower", box_stack(20), {in_substeps()}});
  expect_same_after_restoring<T>({"pushed tower", pushed(box_stack(8), 7, 0.5), {in_substeps()}, {}, 5, 30});
  expect_same_after_restoring<T>({"pushed pyramid", pushed(box_pyramid(6), 20, 1), {in_substeps()}, {}, 5, 30});
  MethodOptions twice = in_substeps();
  twice.substeps.min_direct_substeps = 2;
  expect_same_after_restoring<T>({"two substeps", pushed(box_stack(5), 2, 0.3), {twice}, {}, 3});
  expect_same_after_restoring<T>({"come and go", two_stacks(5), {in_substeps()}, come_and_go, 16, 30});
}

TYPED_TEST(SavedState, of_swept_islands_gives_the_same_bits) {
  using T = TypeParam;
  expect_same_after_restoring<T>({"swept tower", box_stack(12), {in_swept_substeps()}});
  expect_same_after_restoring<T>({"swept pyramid", pushed(box_pyramid(6), 20, 1), {in_swept_substeps()}});
  BoxWorld slope = block_on_incline(0.5, 0.3, 0.01);
  slope.static_friction = 0.6;
  for (const MethodOptions& options : {in_substeps(), in_swept_substeps(), with_method(Procedure::pgs)})
    expect_same_after_restoring<T>({"static friction", slope, {options}, {}, 3});
}

TYPED_TEST(SavedState, of_all_methods_gives_the_same_bits) {
  using T = TypeParam;
  MethodOptions single_substep = with_method(Procedure::pgs);
  single_substep.correct_positions(h);
  std::vector<MethodOptions> all = {single_substep};
  for (const Procedure method : all_methods) all.push_back(with_method(method));
  for (const MethodOptions& options : all) {
    const std::string name(to_string(options.method));
    expect_same_after_restoring<T>({name + " tower", box_stack(6), {options}});
    expect_same_after_restoring<T>({name + " come and go", two_stacks(3), {options}, come_and_go, 16, 30});
    expect_same_after_restoring<T>({name + " one box", box_stack(1), {options}});
  }
  expect_same_after_restoring<T>({"methods in turn", two_stacks(4), all, come_and_go, 16, 30});
}

// A certificate is planned, factored, iterated and held, in slices of several calls.
TYPED_TEST(SavedState, of_certificates_gives_the_same_bits) {
  using T = TypeParam;
  const auto knock = [](BoxWorld& world, int step) {
    if (step == 20) world.boxes.back().velocity[0] += 0.5;
  };
  for (int at = 0; at < 44; at += fast_build ? 1 : 11)
    expect_same_after_restoring<T>(
        {"pyramid of 136 at " + std::to_string(at), box_pyramid(16), {in_substeps()}, knock, at, 12});
}

// Certificates fail and wait, islands are solved again, refused, and large for some calls only.
TYPED_TEST(SavedState, of_certificates_that_fail_gives_the_same_bits) {
  using T = TypeParam;
  const auto tilt = [](BoxWorld& world, int step) {
    const bool is_tilted = step % 8 == 3 || step == 13;
    world.gravity = {is_tilted ? 0.01 : 0, 0, -9.81};
  };
  const auto take_away = [](BoxWorld& world, int step) {
    if (step % 10 == 6) world.supports.resize(world.supports.size() - 3);
    if (step == 15) world.boxes.back().velocity[0] += 0.02;
  };
  for (int at = 2; at < 34; at += fast_build ? 3 : 15) {
    const std::string when = " at " + std::to_string(at);
    expect_same_after_restoring<T>({"tilted" + when, box_pyramid(14), {in_substeps()}, tilt, at, 16});
    expect_same_after_restoring<T>(
        {"tall tower" + when, pushed(box_stack(110), 80, 0.05), {in_substeps()}, tilt, at, 16});
    expect_same_after_restoring<T>({"reduced" + when, box_pyramid(14), {in_substeps()}, take_away, at, 16});
  }
}

template <class T>
SceneData<T> with_keys(SceneData<T> scene) {
  for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  for (std::size_t r = 0; r < scene.row_count(); ++r) scene.joints.rows[r].key = r + 1;
  return scene;
}

/// Calls with the same positions, on velocities that change.
template <class T>
std::vector<Solved<T>> repeated(SceneSolver& solver, SceneData<T>& scene, const MethodOptions& options, int calls) {
  std::vector<Solved<T>> made;
  for (int k = 0; k < calls; ++k) {
    made.push_back(solved(solver, scene, options));
    for (std::size_t c = 0; c < 3; ++c) {
      scene.bodies.velocity[c] = made.back().arrays.velocity[c];
      scene.bodies.angular_velocity[c] = made.back().arrays.angular_velocity[c];
    }
    for (T& v : scene.bodies.velocity[2]) v -= T(0.16) * T(k % 3 == 0);
  }
  return made;
}

template <class T>
void expect_same_when_repeated(const SceneData<T>& start, const MethodOptions& options, const std::string& what) {
  SceneData<T> scene = start;
  SceneSolver solver({.threads = 1});
  repeated(solver, scene, options, 5);
  const SceneData<T> begun = scene;
  const Bytes state = saved(solver);
  const auto expected = repeated(solver, scene, options, 8);
  const Bytes state_after = saved(solver);
  SceneSolver other({.threads = 1});
  for (SceneSolver* with : {&solver, &other, &other}) {
    with->restore(state);
    scene = begun;
    expect_same(repeated(*with, scene, options, 8), expected, what);
    EXPECT_TRUE(saved(*with) == state_after) << what;
  }
}

TYPED_TEST(SavedState, of_joints_and_moments_gives_the_same_bits) {
  using T = TypeParam;
  SceneData<T> joints = chain<T>(12);
  append(joints, stack<T>(3));
  SceneData<T> rolling = stack<T>(4);
  rolling.rolling_friction.assign(rolling.contact_count(), T(0.05));
  rolling.spinning_friction.assign(rolling.contact_count(), T(0.02));
  for (const Procedure method : {Procedure::substeps, Procedure::pgs, Procedure::ncp}) {
    const MethodOptions options = with_method(method);
    expect_same_when_repeated(with_keys(joints), options, "joints");
    expect_same_when_repeated(with_keys(rolling), options, "moments");
  }
  expect_same_when_repeated(with_keys(joints), in_swept_substeps(), "swept joints");
}

/// A state with contacts, rows, absent islands, a direct island and a certificate.
template <class T>
Bytes full_state() {
  SceneSolver solver({.threads = 1});
  const Course course{"", box_pyramid(14), {in_substeps()}};
  Moment now{course.world};
  SceneData<T> joints = with_keys(chain<T>(3));
  for (int k = 0; k < 3; ++k) solved(solver, joints, in_substeps());
  SceneData<T> contacts = with_keys(stack<T>(2));
  contacts.key[0] = 1000;
  solved(solver, contacts, in_substeps());
  run<T>(course, solver, now, 3);
  return saved(solver);
}

/// Saves small worlds and their joints.
template <class T>
Bytes small_state() {
  SceneSolver solver({.threads = 1});
  SceneData<T> scene = chain<T>(3);
  append(scene, stack<T>(2));
  scene = with_keys(scene);
  for (int k = 0; k < 3; ++k) solved(solver, scene, in_substeps());
  SceneData<T> alone = with_keys(stack<T>(1));
  alone.key.assign(alone.contact_count(), 0);
  alone.key[0] = 77;
  solved(solver, alone, in_substeps());
  return saved(solver);
}

TYPED_TEST(SavedState, that_is_cut_or_altered_is_refused_and_changes_nothing) {
  const Bytes state = small_state<TypeParam>();
  SceneSolver solver;
  solver.restore(full_state<TypeParam>());
  const Bytes before = saved(solver);
  const auto refuses = [&](std::span<const std::byte> bytes) {
    try {
      solver.restore(bytes);
    } catch (const Error& error) {
      return error.kind() == ErrorKind::argument;
    }
    return false;
  };
  for (std::size_t size = 0; size < state.size(); ++size)
    ASSERT_TRUE(refuses(std::span(state).first(size))) << size << " of " << state.size() << " bytes";
  Bytes altered = state;
  for (std::size_t i = 0; i < state.size(); ++i) {
    altered[i] ^= static_cast<std::byte>(1u << i % 8);
    ASSERT_TRUE(refuses(altered)) << "byte " << i << " of " << state.size();
    altered[i] = state[i];
  }
  altered.push_back({});
  EXPECT_TRUE(refuses(altered));
  EXPECT_TRUE(refuses(Bytes(state.size())));
  EXPECT_TRUE(saved(solver) == before);
  solver.restore(state);
  EXPECT_TRUE(saved(solver) == state);
}

// Bytes with a right checksum that no solver has saved: they are refused, or calls after them end.
TYPED_TEST(SavedState, with_forged_numbers_is_refused_or_solved) {
  using T = TypeParam;
  support::Draw draw(3);
  std::size_t refused = 0, taken = 0;
  for (const Bytes& state : {small_state<T>(), full_state<T>()}) {
    SceneSolver solver({.threads = 1});
    SceneData<T> scene = chain<T>(3);
    append(scene, stack<T>(2));
    scene = with_keys(scene);
    const SceneData<T> large = box_pyramid(14).scene_with_forces<T>(h);
    const bool is_small = state.size() < 20000;
    const int tries = fast_build ? (is_small ? 4000 : 400) : (is_small ? 300 : 30);
    for (int k = 0; k < tries; ++k) {
      Bytes forged = state;
      const std::size_t room = forged.size() - scene::size_of_state_head;
      for (std::size_t n = 1 + draw.below(3); n > 0; --n)
        forged[scene::size_of_state_head + draw.below(room)] ^= static_cast<std::byte>(1u << draw.below(8));
      scene::write_state_head(forged);
      try {
        solver.restore(forged);
        ++taken;
      } catch (const Error&) {
        ++refused;
        continue;
      }
      for (int call = 0; call < 2; ++call) solved(solver, is_small ? scene : large, in_substeps());
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_GT(taken, 0u);
}

TEST(SavedStates, need_room_and_a_solver) {
  SceneSolver solver;
  const std::size_t size = solver.save(std::span<std::byte>{});
  Bytes state(size + 5, std::byte{1});
  EXPECT_THROW(solver.save(std::span(state).first(size - 1)), Error);
  EXPECT_EQ(state, Bytes(size + 5, std::byte{1}));
  EXPECT_EQ(solver.save(std::span(state)), size);
  EXPECT_EQ(state.back(), std::byte{1});
  solver.restore(std::span(state).first(size));
  const SceneSolver taken = std::move(solver);
  EXPECT_THROW(solver.save(state), Error);
  EXPECT_THROW(solver.restore(state), Error);
}

// The state is of no ISA: it goes from one machine to another.
TYPED_TEST(SavedState, is_restored_on_every_isa_with_the_same_bits) {
  const Course course{"", pushed(box_pyramid(14), 100, 0.2), {in_substeps()}};
  std::vector<Bytes> after;
  Bytes state;
  for (const Isa isa : support::isas_with_fma()) {
    SceneSolver solver({.isa = isa, .threads = 2});
    Moment now{course.world};
    run<TypeParam>(course, solver, now, 9);
    if (state.empty()) state = saved(solver);
    EXPECT_TRUE(saved(solver) == state) << to_string(isa);
    solver.restore(state);
    run<TypeParam>(course, solver, now, 9);
    after.push_back(saved(solver));
    EXPECT_TRUE(after.back() == after.front()) << to_string(isa);
  }
}

// Contacts that are left out age in calls of one manifold, too: docs/scenes.md, Warm starting.
TYPED_TEST(SavedState, has_the_same_age_after_calls_of_one_manifold) {
  using T = TypeParam;
  const MethodOptions options = with_method(Procedure::pgs);
  const SceneData<T> two = two_stacks(1).scene<T>();
  const SceneData<T> one = box_stack(1).scene<T>();
  SceneSolver solver({.threads = 1}), restored({.threads = 1});
  solved(solver, two, options);
  SceneArrays<T> arrays(one);
  const Scene<T> scene = one.view(options);
  const SceneResults<T> results = arrays.view();
  for (int k = 0; k < 10; ++k) solver.solve(scene, results, options);
  for (int k = 0; k < 10; ++k) {
    restored.restore(saved(solver));
    restored.solve(scene, results, options);
    solver.solve(scene, results, options);
    EXPECT_TRUE(saved(restored) == saved(solver)) << k;
  }
}

}  // namespace
}  // namespace carom::scenes
