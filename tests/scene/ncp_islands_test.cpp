// Procedure::ncp on islands with only contacts: errors, starts, units and ranges.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class NcpIslands : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(NcpIslands, Precisions);

template <class T, class V>
Vector velocity_at(const SceneData<T>& scene, std::size_t i, const Vectors3<V>& velocity,
                   const Vectors3<V>& angular_velocity) {
  const auto of = [&](std::int32_t body, const Vectors3<T>& levers) {
    if (body < 0) return Vector{};
    const auto b = static_cast<std::size_t>(body);
    return at(velocity, b) + cross(at(angular_velocity, b), at(levers, i));
  };
  return of(scene.body_a[i], scene.r_a) - of(scene.body_b[i], scene.r_b);
}

/// The power of two near one over the mean of W's diagonal.
template <class T>
double mass_of(const SceneData<T>& scene) {
  double sum = 0;
  for (std::size_t i = 0; i < scene.contact_count(); ++i)
    for (const auto& [body, levers] : {std::pair(scene.body_a[i], &scene.r_a), {scene.body_b[i], &scene.r_b}}) {
      if (body < 0) continue;
      const auto b = static_cast<std::size_t>(body);
      std::array<double, 6> j{};
      for (std::size_t c = 0; c < 6; ++c) j[c] = static_cast<double>(scene.bodies.inverse_inertia[c][b]);
      const Vector r = at(*levers, i);
      const double turned = r[0] * (j[0] * r[0] + 2 * j[1] * r[1]) + r[1] * (j[3] * r[1] + 2 * j[4] * r[2]) +
                            r[2] * (j[5] * r[2] + 2 * j[2] * r[0]);
      sum += static_cast<double>(scene.bodies.inverse_mass[b]) + ((j[0] + j[3] + j[5]) * dot(r, r) - turned) / 3;
    }
  return std::ldexp(1.0, -std::ilogb(sum / static_cast<double>(scene.contact_count())));
}

/// The nearest point of the cone |x_t| <= friction x_n.
Vector projected(const Vector& x, const Vector& n, double friction) {
  const double along = dot(x, n);
  const Vector across = x - along * n;
  const double size = length(across);
  if (size <= friction * along) return x;
  if (friction * size <= -along) return {};
  const double normal = (along + friction * size) / (1 + friction * friction);
  return normal * n + (friction * normal / size) * across;
}

/// The error of a scene that is one island, without targets and restitution, of the impulses that came out: the bodies
/// get them in double. docs/contact-systems.md, The error
template <class T>
double error_of(const SceneData<T>& scene, const Solved<T>& made) {
  Vectors3<double> velocity = vectors<double>(scene.body_count()), angular_velocity = velocity;
  for (std::size_t b = 0; b < scene.body_count(); ++b) {
    Vector push{}, turn{};
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      const Vector p = made.impulse(i);
      if (scene.body_a[i] == static_cast<std::int32_t>(b)) {
        push = push + p;
        turn = turn + cross(at(scene.r_a, i), p);
      } else if (scene.body_b[i] == static_cast<std::int32_t>(b)) {
        push = push - p;
        turn = turn - cross(at(scene.r_b, i), p);
      }
    }
    std::array<double, 6> j{};
    for (std::size_t c = 0; c < 6; ++c) j[c] = static_cast<double>(scene.bodies.inverse_inertia[c][b]);
    put(velocity, b, scene.velocity(b) + static_cast<double>(scene.bodies.inverse_mass[b]) * push);
    put(angular_velocity, b,
        scene.angular_velocity(b) + Vector{dot(Vector{j[0], j[1], j[2]}, turn), dot(Vector{j[1], j[3], j[4]}, turn),
                                           dot(Vector{j[2], j[4], j[5]}, turn)});
  }
  const double mass = mass_of(scene);
  double sum = 0, size = 0;
  for (std::size_t i = 0; i < scene.contact_count(); ++i) {
    const Vector n = at(scene.normal, i);
    const auto friction = static_cast<double>(scene.friction[i]);
    const Vector q = velocity_at(scene, i, scene.bodies.velocity, scene.bodies.angular_velocity);
    Vector u = velocity_at(scene, i, velocity, angular_velocity);
    u = u + friction * length(u - dot(u, n) * n) * n;
    const Vector r = (1 / mass) * made.impulse(i), error = r - projected(r - u, n, friction);
    sum += dot(error, error);
    size += dot(q, q);
  }
  return std::sqrt(sum / size);
}

/// A block of cubes, each layer moved by half a cube.
template <class T>
SceneData<T> block_of_cubes(int side) {
  SceneData<T> scene;
  const auto body = [&](int x, int y, int z) { return static_cast<std::int32_t>((z * side + y) * side + x); };
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const double left = x + 0.5 * (z % 2), front = y + 0.5 * (z % 2);
        const std::int32_t a = scene.add(box(1, {1, 1, 1}, {left, front, z + 0.5}, {0.3, 0.1, -0.1}));
        const auto touch = [&](std::int32_t b, double x0, double x1, double y0, double y1) {
          for (const double at_x : {x0, x1})
            for (const double at_y : {y0, y1})
              scene.add(Contact{.a = a, .b = b, .point = {at_x, at_y, static_cast<double>(z)}, .friction = 0.4});
        };
        if (z == 0) {
          touch(world, left - 0.5, left + 0.5, front - 0.5, front + 0.5);
          continue;
        }
        for (const int i : {0, 1})
          for (const int k : {0, 1}) {
            const int under_x = x - 1 + i + z % 2, under_y = y - 1 + k + z % 2;
            if (under_x < 0 || under_x >= side || under_y < 0 || under_y >= side) continue;
            touch(body(under_x, under_y, z - 1), left + 0.5 * (i - 1), left + 0.5 * i, front + 0.5 * (k - 1),
                  front + 0.5 * k);
          }
      }
  return scene;
}

TYPED_TEST(NcpIslands, have_the_error_that_is_reported) {
  const auto agrees = [](const SceneData<TypeParam>& scene, double tolerance, const std::string& what) {
    const auto made = solved(scene, ncp_to(tolerance));
    EXPECT_EQ(made.report.not_converged, 0u) << what;
    EXPECT_EQ(made.report.islands, 1u) << what;
    EXPECT_LE(made.report.relative_error, tolerance) << what;
    // Impulses are rounded at the end, here of up to ten times q.
    const double unit = sizeof(TypeParam) == sizeof(float) ? 0x1p-24 : 0x1p-53;
    EXPECT_NEAR(error_of(scene, made), made.report.relative_error, 100 * unit) << what;
  };
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    const std::string to = " to " + std::to_string(tolerance);
    agrees(stack<TypeParam>(3), tolerance, "stack" + to);
    agrees(pyramid<TypeParam>(8), tolerance, "pyramid" + to);
    agrees(block_of_cubes<TypeParam>(5), tolerance, "block of cubes" + to);
  }
}

// A step that begins with its own impulses ends with them.
TYPED_TEST(NcpIslands, begin_with_warm_impulses_and_take_no_step_where_these_are_the_solution) {
  auto scene = block_of_cubes<TypeParam>(4);
  const double tolerance = 1e-4;
  const auto first = solved(scene, ncp_to(tolerance));
  EXPECT_GT(first.report.iterations, 3);
  scene.warm_impulse = first.arrays.impulse;
  const auto second = solved(scene, ncp_to(2 * tolerance));
  EXPECT_EQ(second.report.iterations, 0);
  EXPECT_LE(second.report.relative_error, 2 * tolerance);
}

TYPED_TEST(NcpIslands, give_contacts_that_separate_no_impulse_whatever_they_begin_with) {
  auto scene = pyramid<TypeParam>(4);
  for (std::size_t b = 0; b < scene.body_count(); ++b)
    scene.bodies.velocity[2][b] = static_cast<TypeParam>(1 + scene.position[b][2]);
  scene.warm_impulse = vectors<TypeParam>(scene.contact_count());
  for (TypeParam& p : scene.warm_impulse[2]) p = TypeParam(0.5);
  const auto made = solved(scene, ncp_to(1e-3));
  for (std::size_t i = 0; i < scene.contact_count(); ++i) EXPECT_EQ(made.impulse(i), Vector{}) << i;
  for (std::size_t b = 0; b < scene.body_count(); ++b) EXPECT_EQ(made.velocity(b), scene.velocity(b)) << b;
  EXPECT_EQ(made.report.relative_error, 0);
}

// Every call starts without state, independent of earlier scenes.
TYPED_TEST(NcpIslands, have_the_bits_of_a_new_solver_after_calls_with_other_scenes) {
  const SceneData<TypeParam> scenes[] = {islands<TypeParam>(40, 1, 24, 1), pyramid<TypeParam>(6), chain<TypeParam>(6),
                                         islands<TypeParam>(25, 4, 40, 2), block_of_cubes<TypeParam>(3)};
  SceneSolver old({.threads = 1});
  for (int round = 0; round < 2; ++round)
    for (const auto& scene : scenes)
      for (const double tolerance : {1e-2, 1e-5}) {
        const auto again = solved(old, scene, ncp_to(tolerance)), anew = solved(scene, ncp_to(tolerance));
        expect_same_bits(again.arrays, anew.arrays, std::to_string(scene.contact_count()));
      }
}

// All move at 1000 m/s, of which float knows some 6e-5, and 0.1 m/s decide.
TEST(NcpIslandsInFloat, know_the_error_of_contacts_whose_bodies_are_fast) {
  auto scene = block_of_cubes<float>(3);
  for (float& v : scene.bodies.velocity[0]) v += 1000;
  const std::int32_t belt = scene.add(Body{.inverse_mass = 0, .inverse_inertia = {}, .velocity = {1000, 0, 0}});
  for (std::int32_t& b : scene.body_b) b = b < 0 ? belt : b;
  for (const double tolerance : {1e-3, 1e-4}) {
    const auto made = solved(scene, ncp_to(tolerance));
    EXPECT_EQ(made.report.not_converged, 0u);
    // Impulses of a kg's weight are rounded at the end.
    EXPECT_LE(error_of(scene, made), made.report.relative_error + 100 * 0x1p-24);
  }
}

// As many sweeps as there are for the asking end all the same.
TYPED_TEST(NcpIslands, end_within_any_budget) {
  auto options = ncp_to(1e-4);
  options.ncp.budget = SystemOptions::max_budget;
  EXPECT_EQ(solved(stack<TypeParam>(20), options).report.not_converged, 0u);
}

// Powers of two change no digit, odd ones of the mass neither.
TYPED_TEST(NcpIslands, do_not_depend_on_units) {
  const auto scene = block_of_cubes<TypeParam>(4);
  const auto made = solved(scene, ncp_to(1e-3));
  EXPECT_GT(made.report.iterations, 3);
  const TypeParam kilogram = TypeParam(8), speed = TypeParam(0x1p-7);
  auto other = scene;
  for (TypeParam& x : other.bodies.inverse_mass) x /= kilogram;
  for (auto& component : other.bodies.inverse_inertia)
    for (TypeParam& x : component) x /= kilogram;
  for (auto& component : other.bodies.velocity)
    for (TypeParam& x : component) x *= speed;
  const auto scaled = solved(other, ncp_to(1e-3));
  EXPECT_EQ(scaled.report.iterations, made.report.iterations);
  EXPECT_EQ(scaled.report.relative_error, made.report.relative_error);
  for (std::size_t i = 0; i < scene.contact_count(); ++i)
    EXPECT_EQ(scaled.impulse(i), static_cast<double>(kilogram * speed) * made.impulse(i)) << i;
}

// 2^16 kg on one: the impulses that carry it are known to some 2e-4 of the step's velocities in float.
TEST(NcpIslandsInFloat, keep_warm_impulses_whose_error_rounding_hides) {
  auto scene = stack<float>(2, 0x1p16);
  for (float& v : scene.bodies.velocity[2]) v = -0.125f;
  scene.warm_impulse = vectors<float>(8);
  for (std::size_t i = 0; i < 8; ++i) scene.warm_impulse[2][i] = 0.03125f * (i < 4 ? 0x1.0001p16f : 0x1p16f);
  const auto made = solved(scene, ncp_to(1e-4));
  for (std::size_t b = 0; b < 2; ++b) EXPECT_LT(length(made.velocity(b)), 1e-3) << b;
  for (std::size_t i = 0; i < 8; ++i) EXPECT_GT(made.impulse(i)[2], 0.03 * 0x1p16) << i;
}

// PGS solves some islands, others are solved to the tolerance, and both may share a vector. Contacts that resist
// rolling, which have separate vectors, store from visit to visit whether they stick.
TYPED_TEST(NcpIslands, leave_the_bits_of_islands_beside_them) {
  auto scene = islands<TypeParam>(12, 3, 4, 5);
  const std::size_t small = scene.contact_count();
  append(scene, islands<TypeParam>(12, 8, 12, 7));
  const std::size_t large = scene.contact_count();
  append(scene, islands<TypeParam>(12, 8, 12, 6));
  scene.rolling_friction.assign(scene.contact_count(), TypeParam(0));
  scene.spinning_friction = scene.rolling_friction;
  for (std::size_t i = large; i < scene.contact_count(); ++i)
    scene.rolling_friction[i] = scene.spinning_friction[i] = TypeParam(0.05);
  auto options = ncp_to(1e-3);
  options.pgs.iterations = 3;
  options.ncp.max_island_size = 4;
  const auto mixed = solved(scene, options);
  EXPECT_EQ(mixed.report.pgs_islands, 24u);
  EXPECT_GT(mixed.report.iterations, 3);
  options.method = Procedure::pgs;
  const auto swept = solved(scene, options);
  for (std::size_t i = small; i < scene.contact_count(); ++i) EXPECT_EQ(mixed.impulse(i), swept.impulse(i)) << i;
}

// Velocities that they make are beyond the range: they are no start.
TYPED_TEST(NcpIslands, survive_warm_impulses_of_any_size) {
  constexpr bool is_float = sizeof(TypeParam) == sizeof(float);
  for (const double size : {is_float ? 1e30 : 1e200, is_float ? 3e38 : 1e306}) {
    auto scene = pyramid<TypeParam>(3);
    for (TypeParam& x : scene.bodies.inverse_mass) x = TypeParam(4);
    scene.warm_impulse = vectors<TypeParam>(scene.contact_count());
    for (TypeParam& p : scene.warm_impulse[2]) p = static_cast<TypeParam>(size);
    const auto made = solved(scene, ncp_to(1e-3));
    EXPECT_EQ(made.report.not_converged, 0u) << size;
    for (std::size_t b = 0; b < scene.body_count(); ++b) EXPECT_LT(length(made.velocity(b)), 1) << size;
  }
}

// Whatever method solved an island, or gave it up, the momentum of each body follows from its impulses.
TYPED_TEST(NcpIslands, leave_bodies_with_the_momentum_of_the_impulses) {
  auto scene = stack<TypeParam>(20);
  append(scene, islands<TypeParam>(30, 1, 16, 3));
  append(scene, pyramid<TypeParam>(5));
  auto options = ncp_to(1e-5);
  for (const double budget : {2.0, 5.0, 2000.0}) {
    options.ncp.budget = budget;
    const auto made = solved(scene, options);
    EXPECT_EQ(made.report.not_converged == 0, budget > 5) << budget;
    for (std::size_t b = 0; b < scene.body_count(); ++b) {
      Vector sum{};
      for (std::size_t i = 0; i < scene.contact_count(); ++i) {
        if (scene.body_a[i] == static_cast<std::int32_t>(b)) sum = sum + made.impulse(i);
        if (scene.body_b[i] == static_cast<std::int32_t>(b)) sum = sum - made.impulse(i);
      }
      const Vector expected = scene.velocity(b) + static_cast<double>(scene.bodies.inverse_mass[b]) * sum;
      EXPECT_LT(length(made.velocity(b) - expected), sizeof(TypeParam) == sizeof(float) ? 1e-5 : 1e-13) << b;
    }
  }
}

TYPED_TEST(NcpIslands, survive_numbers_near_the_end_of_the_range) {
  constexpr bool is_float = sizeof(TypeParam) == sizeof(float);
  for (const double speed : {1.0, 1e15, is_float ? 1e37 : 1e300, is_float ? 3e38 : 1.7e308})
    for (const double mass : {is_float ? 1e-30 : 1e-290, 1.0, is_float ? 1e30 : 1e290})
      for (const double arm : {is_float ? 1e-15 : 1e-150, 1.0, is_float ? 1e15 : 1e150}) {
        auto scene = pyramid<TypeParam>(3);
        scene.bodies.velocity[2][5] = static_cast<TypeParam>(-speed);
        for (TypeParam& x : scene.bodies.inverse_mass) x = static_cast<TypeParam>(1 / mass);
        for (std::size_t c = 0; c < 3; ++c) {
          scene.r_a[c][0] = static_cast<TypeParam>(arm * static_cast<double>(scene.r_a[c][0]));
          scene.bodies.inverse_inertia[c][1] = static_cast<TypeParam>(c == 0 ? 1 / mass : 0);
        }
        const auto made = solved(scene, ncp_to(1e-4));
        for (std::size_t b = 0; b < scene.body_count(); ++b)
          for (const double v : made.velocity(b)) EXPECT_TRUE(std::isfinite(v)) << speed << ' ' << mass << ' ' << arm;
      }
}

/// Islands of tests/golden/scenes, one after a line `island` each. A body has its inverse mass, inverse inertia and
/// velocities; a contact its bodies, friction, restitution, normal, lever arms, target and warm impulse.
std::vector<SceneData<float>> islands_of(const std::string& file) {
  std::ifstream in(std::string(CAROM_GOLDEN_DIR) + "/scenes/" + file);
  std::vector<SceneData<float>> islands;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string kind, word;
    words >> kind;
    std::vector<double> x;
    while (words >> word) x.push_back(std::strtod(word.c_str(), nullptr));
    const auto vector = [&](std::size_t k) { return Vector{x.at(k), x.at(k + 1), x.at(k + 2)}; };
    if (kind == "island") {
      islands.emplace_back().warm_impulse = vectors<float>(0);
    } else if (kind == "body") {
      islands.back().add(Body{x.at(0), {x.at(1), x.at(2), x.at(3), x.at(4), x.at(5), x.at(6)}, vector(7), vector(10)});
    } else {
      SceneData<float>& to = islands.back();
      const std::size_t i = to.add(Contact{
          static_cast<std::int32_t>(x.at(0)), static_cast<std::int32_t>(x.at(1)), vector(4), {}, x.at(2), x.at(3)});
      put(to.r_a, i, vector(7));
      put(to.r_b, i, vector(10));
      to.target_velocity.push_back(static_cast<float>(x.at(13)));
      push(to.warm_impulse, vector(14));
    }
  }
  return islands;
}

// Squares of an impulse of 4e-20 N s vanish in float, so that a further sweep on lanes would shorten its friction.
TEST(NcpIslandsInFloat, have_their_bits_beside_others_and_on_all_isas_for_impulses_whose_squares_vanish) {
  const auto islands = islands_of("tiny_impulses.txt");
  ASSERT_EQ(islands.size(), 2u);
  SceneData<float> both = islands[0];
  append(both, islands[1]);
  MethodOptions options;
  options.method = Procedure::ncp;
  const auto first = solved(islands[0], options);
  ASSERT_EQ(first.report.not_converged, 0u);
  for (const Isa isa : available_isas()) {
    const auto alone = solved(islands[0], options, {.isa = isa, .threads = 1});
    const auto beside = solved(both, options, {.isa = isa, .threads = 1});
    for (std::size_t i = 0; i < islands[0].contact_count(); ++i) {
      EXPECT_EQ(alone.impulse(i), beside.impulse(i)) << to_string(isa) << ' ' << i;
      if (isa == Isa::sse2) continue;
      EXPECT_EQ(alone.impulse(i), first.impulse(i)) << to_string(isa) << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace carom::scenes
