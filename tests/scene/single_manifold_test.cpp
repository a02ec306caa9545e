// Islands of one manifold have separate code: several are solved in parallel on lanes, and a single one with its points
// on the lanes.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

/// Adds a body on the ground, on one that moves by itself, or on another free one, with one to four points: it rests,
/// slides, tumbles or leaves.
template <class T>
void add_island(SceneData<T>& scene, std::uint64_t seed) {
  support::Draw draw(seed);
  const std::size_t partner = seed % 3;  // the ground, a kinematic body, a free one
  const double scale = std::exp2(draw.uniform(-4, 4));
  const auto body = [&](bool is_free) {
    Body b;
    b.inverse_mass = is_free ? scale * draw.uniform(0.5, 2) : 0;
    b.inverse_inertia = {};
    if (is_free) {
      const Vector d = {draw.uniform(2, 8), draw.uniform(2, 8), draw.uniform(2, 8)};
      const double o = draw.uniform(-1, 1);
      b.inverse_inertia = {scale * d[0], scale * o, scale * -o, scale * d[1], scale * o / 2, scale * d[2]};
    }
    b.velocity = draw.bell3(seed % 5 == 0 ? 0.02 : 1);
    b.angular_velocity = draw.bell3(seed % 5 == 0 ? 0.02 : 1);
    const std::int32_t number = scene.add(b);
    for (auto* const change : {&scene.velocity_change, &scene.angular_velocity_change})
      push(*change, draw.bell3(is_free ? 0.1 : 0));
    return number;
  };
  const std::int32_t a = body(true), b = partner == 0 ? world : body(partner == 2);
  Vector n = draw.bell3(1);
  n = (1 / length(n)) * n;
  const double friction = seed % 7 == 0 ? 0 : draw.uniform(0, 1.2), stickier = draw.uniform(1, 1.5);
  const std::size_t points = 1 + draw.below(4);
  const Vector belt = seed % 4 == 0 ? draw.bell3(0.3) : Vector{};
  for (std::size_t p = 0; p < points; ++p) {
    Contact contact;
    // Some manifolds have the ground, or the other body, first.
    contact.a = seed % 2 == 0 ? a : b;
    contact.b = seed % 2 == 0 ? b : a;
    contact.normal = n;
    contact.point = draw.bell3(0.5);
    contact.friction = friction;
    contact.restitution = seed % 6 == 0 ? draw.uniform(0, 1) : 0;
    scene.add(contact);
    scene.static_friction.push_back(static_cast<T>(stickier * friction));
    scene.target_velocity.push_back(static_cast<T>(draw.uniform(-0.05, 0.1)));
    push(scene.surface_velocity, belt);
    push(scene.warm_impulse, (1 / scale) * (draw.uniform(0, 0.5) * n + draw.bell3(0.1)));
  }
}

template <class T>
SceneData<T> scene_of(std::uint64_t first, std::uint64_t islands) {
  SceneData<T> scene;
  for (std::uint64_t seed = first; seed < first + islands; ++seed) add_island(scene, seed);
  return scene;
}

/// As an engine calls it, and to the end.
std::vector<MethodOptions> all_options() {
  MethodOptions few, many;
  few.tolerance = 1e-3;
  few.restitution_threshold = 0.2;
  many.pgs.iterations = 400;
  many.pgs.warm_start = 0.5;
  return {few, many};
}

template <class T>
class SingleManifold : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SingleManifold, Precisions);

TYPED_TEST(SingleManifold, has_the_bits_that_it_has_alone) {
  using T = TypeParam;
  constexpr std::uint64_t islands = 61;  // full vectors and some that are not
  const auto together = scene_of<T>(1, islands);
  for (const Isa isa : available_isas())
    for (const MethodOptions& options : all_options()) {
      const auto all = solved(together, options, {.isa = isa, .threads = 1});
      EXPECT_EQ(all.report.islands, islands);
      std::size_t body = 0, contact = 0;
      for (std::uint64_t i = 0; i < islands; ++i) {
        const std::string what = std::string(to_string(isa)) + ", island " + std::to_string(i);
        const auto one = scene_of<T>(1 + i, 1);
        const auto alone = solved(one, options, {.isa = isa, .threads = 1});
        for (std::size_t k = 0; k < one.body_count(); ++k, ++body) {
          EXPECT_EQ(all.velocity(body), alone.velocity(k)) << what;
          EXPECT_EQ(all.angular_velocity(body), alone.angular_velocity(k)) << what;
        }
        for (std::size_t k = 0; k < one.contact_count(); ++k, ++contact) {
          EXPECT_EQ(all.impulse(contact), alone.impulse(k)) << what;
          EXPECT_EQ(at(all.arrays.separation_velocity, contact), at(alone.arrays.separation_velocity, k)) << what;
          EXPECT_EQ(all.arrays.status[contact], alone.arrays.status[k]) << what;
          EXPECT_EQ(all.arrays.path[contact], alone.arrays.path[k]) << what;
        }
        EXPECT_EQ(all.arrays.island_status[i], alone.arrays.island_status[0]) << what;
        EXPECT_EQ(all.arrays.island_residual[i], alone.arrays.island_residual[0]) << what;
        EXPECT_EQ(all.arrays.island_iterations[i], alone.arrays.island_iterations[0]) << what;
      }
    }
}

TYPED_TEST(SingleManifold, has_the_bits_of_every_isa_with_fused_operations_alone_or_beside_others) {
  using T = TypeParam;
  for (const std::uint64_t islands : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{30}}) {
    const auto scene = scene_of<T>(5, islands);
    for (const MethodOptions& options : all_options()) {
      const auto expected = solved(scene, options, {.isa = Isa::scalar, .threads = 1});
      for (const Isa isa : available_isas())
        if (isa != Isa::sse2)
          expect_same_bits(solved(scene, options, {.isa = isa, .threads = 1}).arrays, expected.arrays,
                           std::string(to_string(isa)));
    }
  }
}

/// A body whose inertia is a hundred times larger about one axis than about another, that slides on one point: an
/// impulse on the cone against its slip pulls the point down by friction's torque more than its normal part pushes it
/// up.
template <class T>
SceneData<T> steep_islands(std::size_t islands) {
  SceneData<T> scene;
  for (std::size_t i = 0; i < islands; ++i) {
    Body body;
    body.inverse_mass = 1;
    body.inverse_inertia = {0.5, 0, 0, 60, 0, 0.5};
    body.velocity = {1, 0, -1};
    Contact contact;
    contact.a = scene.add(body);
    contact.b = world;
    contact.normal = {0, 0, 1};
    contact.point = {-0.5, 0, -0.5};
    contact.friction = 0.9;
    scene.add(contact);
  }
  return scene;
}

// K_13 = -60 r_x r_z = -15 and K_33 = 16. A normal impulse p with sliding friction changes u_n by
// (K_33 + μ K_13 t_x) p = (16 + 13.5) p, or by 2.5 p for the opposite direction: less than a quarter of K_33 p.
TYPED_TEST(SingleManifold, that_is_steep_has_the_bits_of_every_isa_alone_or_beside_others) {
  using T = TypeParam;
  for (const double speed : {-1.0, 1.0})
    for (const std::size_t islands : {std::size_t{1}, std::size_t{2}, std::size_t{20}}) {
      auto scene = steep_islands<T>(islands);
      for (T& v : scene.bodies.velocity[0]) v = static_cast<T>(speed);
      for (const double friction : {0.9, 1.1, 3.0}) {
        scene.friction.assign(islands, static_cast<T>(friction));
        MethodOptions options;
        options.pgs.iterations = 1;
        const auto expected = solved(scene, options, {.isa = Isa::scalar, .threads = 1});
        for (const Isa isa : available_isas())
          if (isa != Isa::sse2)
            expect_same_bits(solved(scene, options, {.isa = isa, .threads = 1}).arrays, expected.arrays,
                             std::string(to_string(isa)));
      }
    }
}

// Every sweep adds rounding errors to the velocities of the points. Every fourth sweep computes them again from the
// impulses, so that errors do not grow with the number of sweeps. The remaining error comes from twelve impulses, whose
// components may be tens of times larger than their sum.
TYPED_TEST(SingleManifold, is_near_the_reference_after_few_sweeps_and_after_many) {
  using T = TypeParam;
  std::size_t apart = 0;
  constexpr std::uint64_t islands = 300;
  for (std::uint64_t seed = 0; seed < islands; ++seed) {
    const auto scene = scene_of<T>(seed, 1);
    for (MethodOptions options : all_options()) {
      options.tolerance = 0;  // all take as many sweeps
      const auto found = solved(scene, options);
      const auto expected = solved_by_reference(widened(scene), options);
      EXPECT_NEAR(found.report.max_approach_speed, expected.report.max_approach_speed, 100 * epsilon<T>);
      // A decision between sticking and sliding that is as near as a rounding may fall otherwise.
      apart += distance(scene, found, expected) <= 1000 * epsilon<T> ? 0 : 1;
    }
  }
  EXPECT_LE(apart, sizeof(T) == sizeof(float) ? islands / 50 : 0);
}

TYPED_TEST(SingleManifold, is_swept_with_others_where_the_options_ask_for_what_it_has_not) {
  using T = TypeParam;
  const auto scene = scene_of<T>(20, 40);
  for (const auto& set :
       {+[](MethodOptions& o) { o.pgs.relaxation = 0.9; }, +[](MethodOptions& o) { o.pgs.inner_iterations = 3; },
        +[](MethodOptions& o) { o.bender_schmitt.shock_propagation = 4; }}) {
    MethodOptions options;
    options.pgs.iterations = 400;
    set(options);
    const auto found = solved(scene, options);
    EXPECT_EQ(found.report.islands, 40);
    EXPECT_LE(distance(scene, found, solved_by_reference(widened(scene), options)), 1e5 * epsilon<T>);
  }
}

TYPED_TEST(SingleManifold, with_a_collision_matrix_that_is_not_definite_is_a_fault) {
  using T = TypeParam;
  auto scene = scene_of<T>(1, 3);
  // The first body has infinite mass and turns about one axis only.
  for (std::size_t c = 0; c < 6; ++c) scene.bodies.inverse_inertia[c][0] = c == 0 ? T(1) : T(0);
  scene.bodies.inverse_mass[0] = 0;
  const auto found = solved(scene, MethodOptions{});
  const auto expected = solved_by_reference(widened(scene), MethodOptions{});
  EXPECT_EQ(found.arrays.status[0], expected.arrays.status[0]);
  EXPECT_EQ(found.arrays.status[0], Status::collision_matrix_not_positive_definite);
  EXPECT_EQ(found.report.islands, 2);
}

TYPED_TEST(SingleManifold, beyond_the_range_leaves_its_body_as_it_came_and_the_others_their_bits) {
  using T = TypeParam;
  auto scene = scene_of<T>(2, 20);
  const auto before = solved(scene, MethodOptions{});
  const T huge = std::numeric_limits<T>::max() / 4;
  scene.bodies.velocity[0][0] = scene.bodies.velocity[1][0] = scene.bodies.velocity[2][0] = huge;
  const auto found = solved(scene, MethodOptions{});
  EXPECT_EQ(found.arrays.island_status[0], IslandStatus::overflow);
  EXPECT_EQ(found.velocity(0),
            (Vector{static_cast<double>(huge), static_cast<double>(huge), static_cast<double>(huge)}));
  EXPECT_EQ(found.velocity(scene.body_count() - 1), before.velocity(scene.body_count() - 1));
  EXPECT_EQ(found.report.not_converged, before.report.not_converged + 1);
}

/// Two solvers with the same calls: one always with the same columns, the other one with columns at changing addresses,
/// so that it cannot reuse anything from the last call.
template <class T>
class TwoSolvers {
 public:
  explicit TwoSolvers(SceneData<T>& scene) : scene_(scene), arrays_(scene) {}

  void expect_same(const MethodOptions& options, const std::string& what) {
    const std::size_t place = calls_++ % 2;
    places_[place] = scene_;
    SceneArrays<T>& moved_arrays = results_[place] = arrays_;
    const SceneReport steady = steady_.solve(scene_.view(options), arrays_.view(), options);
    const SceneReport moved = moved_.solve(places_[place].view(options), moved_arrays.view(), options);
    expect_same_bits(arrays_, moved_arrays, what);
    scenes::expect_same(steady, moved, what);
  }
  void forget() {
    steady_.forget();
    moved_.forget();
  }

 private:
  SceneData<T>& scene_;
  SceneArrays<T> arrays_;
  SceneData<T> places_[2];
  SceneArrays<T> results_[2] = {SceneArrays<T>(scene_), SceneArrays<T>(scene_)};
  std::size_t calls_ = 0;
  SceneSolver steady_{{.threads = 1}}, moved_{{.threads = 1}};
};

TYPED_TEST(SingleManifold, solved_again_has_the_bits_of_the_general_way_whatever_has_changed) {
  using T = TypeParam;
  using Change = std::function<void(SceneData<T>&, MethodOptions&)>;
  const T nan = std::numeric_limits<T>::quiet_NaN(), huge = std::numeric_limits<T>::max() / 4;
  const std::vector<std::pair<std::string, Change>> changes = {
      {"nothing", [](auto&, auto&) {}},
      {"velocities", [](auto& s, auto&) { s.bodies.velocity[0][0] = T(3); }},
      {"forces", [](auto& s, auto&) { s.velocity_change[2][0] = T(-0.2); }},
      {"a force that is no number", [nan](auto& s, auto&) { s.velocity_change[2][0] = nan; }},
      {"masses", [](auto& s, auto&) { s.bodies.inverse_mass[0] = T(0.5); }},
      {"a body that moves no more",
       [](auto& s, auto&) {
         s.bodies.inverse_mass[0] = 0;
         for (auto& j : s.bodies.inverse_inertia) j[0] = 0;
       }},
      {"another body that moves", [](auto& s, auto&) { s.bodies.inverse_mass[1] = T(1); }},
      {"a faulty body", [nan](auto& s, auto&) { s.bodies.velocity[1][0] = nan; }},
      {"a faulty body that nothing touches", [](auto& s, auto&) { s.bodies.inverse_mass[2] = T(-1); }},
      {"lever arms", [](auto& s, auto&) { s.r_a[0][2] += T(0.125); }},
      {"friction", [](auto& s, auto&) { s.friction.assign(s.friction.size(), T(0.125)); }},
      {"a friction of its own", [](auto& s, auto&) { s.friction[2] = T(0.125); }},
      {"a normal of its own", [](auto& s, auto&) { s.normal[0][3] = T(0.001); }},
      {"a contact at fault", [](auto& s, auto&) { s.friction[1] = T(-1); }},
      {"the first contact at fault", [nan](auto& s, auto&) { s.r_a[1][0] = nan; }},
      {"a contact of another pair", [](auto& s, auto&) { s.body_b[3] = world; }},
      {"all contacts of another pair", [](auto& s, auto&) { s.body_b.assign(4, world); }},
      {"an index of no body", [](auto& s, auto&) { s.body_b.assign(4, 7); }},
      {"keys in another order", [](auto& s, auto&) { std::swap(s.key[0], s.key[2]); }},
      {"a new key", [](auto& s, auto&) { s.key[1] = 17; }},
      {"no key", [](auto& s, auto&) { s.key[1] = 0; }},
      {"numbers beyond the range",
       [huge](auto& s, auto&) {
         for (auto& v : s.bodies.velocity) v[0] = -huge;
       }},
      {"sweeps", [](auto&, auto& o) { o.pgs.iterations = 3; }},
      {"tolerance", [](auto&, auto& o) { o.tolerance = 0.5; }},
      {"warm starting", [](auto&, auto& o) { o.pgs.warm_start = 0; }},
      {"relaxation", [](auto&, auto& o) { o.pgs.relaxation = 0.75; }},
      {"the method", [](auto&, auto& o) { o.method = Procedure::collisions; }},
  };
  // A box on a body that does not move, and one apart.
  SceneData<T> usual = stack<T>(1);
  for (int i = 0; i < 2; ++i) usual.add(Body{.inverse_mass = 0, .inverse_inertia = {}});
  usual.body_b.assign(4, 1);
  for (auto* const change : {&usual.velocity_change, &usual.angular_velocity_change})
    for (auto& numbers : *change) numbers.assign(usual.body_count(), T(0));
  std::swap(usual.velocity_change[2][0], usual.bodies.velocity[2][0]);
  usual.key = {1, 2, 3, 4};
  for (const bool has_keys : {true, false}) {
    SceneData<T> first = usual;
    if (!has_keys) first.key.clear();
    SceneData<T> scene = first;
    TwoSolvers<T> solvers(scene);
    for (const auto& [what, change] : changes) {
      if (!has_keys && what.find("key") != std::string::npos) continue;
      MethodOptions options;
      for (int call = 0; call < 3; ++call) solvers.expect_same(options, "before " + what);
      change(scene, options);
      for (int call = 0; call < 2; ++call) solvers.expect_same(options, what);
      scene = first;  // in the same places
    }
    solvers.forget();
    solvers.expect_same({}, "forgotten");
  }
}

}  // namespace
}  // namespace carom::scenes
