// Ncp::max_island_size and pgs_presolve: some islands are solved to the tolerance, others by sweeps.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <string>
#include <vector>

#include "support/scenes/generators.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class NcpMix : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(NcpMix, Precisions);

MethodOptions of(Procedure method) {
  MethodOptions options;
  options.method = method;
  options.ncp.tolerance = 1e-6;
  options.pgs.iterations = 50;
  options.tolerance = 1e-3;
  return options;
}

template <class T>
std::vector<std::size_t> sizes_of_islands(const SceneData<T>& scene, const Solved<T>& made) {
  std::vector<std::size_t> sizes(made.report.islands);
  for (std::size_t i = 0; i < scene.contact_count(); ++i) ++sizes[static_cast<std::size_t>(made.arrays.island[i])];
  return sizes;
}

/// Number of contacts whose impulses differ in any bit, in islands for which `among` returns true.
template <class T, class F>
std::size_t differing(const SceneData<T>& scene, const Solved<T>& a, const Solved<T>& b, const F& among) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < scene.contact_count(); ++i)
    if (among(static_cast<std::size_t>(a.arrays.island[i])) && a.impulse(i) != b.impulse(i)) ++count;
  return count;
}

// Islands of one manifold, of which the method simultaneous has another arithmetic, are among the solved ones.
TYPED_TEST(NcpMix, islands_up_to_a_size_have_the_bits_of_ncp_and_larger_ones_those_of_sweeps) {
  const auto scene = islands<TypeParam>(60, 1, 24, 1);
  auto options = of(Procedure::ncp);
  const auto whole = solved(scene, options), swept = solved(scene, of(Procedure::pgs));
  options.ncp.max_island_size = 10;
  for (const int threads : {1, 3}) {
    const auto mixed = solved(scene, options, {.threads = threads});
    const std::vector<std::size_t> sizes = sizes_of_islands(scene, mixed);
    const auto small = [&](std::size_t i) { return sizes[i] <= 10; };
    const auto large = [&](std::size_t i) { return sizes[i] > 10; };
    EXPECT_EQ(mixed.report.pgs_islands, static_cast<std::size_t>(std::count_if(sizes.begin(), sizes.end(),
                                                                               [](std::size_t n) { return n > 10; })));
    EXPECT_GT(mixed.report.pgs_islands, 10u);
    EXPECT_LT(mixed.report.pgs_islands, 50u);
    EXPECT_EQ(differing(scene, mixed, whole, small), 0u);
    EXPECT_EQ(differing(scene, mixed, swept, large), 0u);
    for (std::size_t i = 0; i < sizes.size(); ++i)
      EXPECT_EQ(mixed.arrays.island_status[i], (small(i) ? whole : swept).arrays.island_status[i]) << i;
  }
  EXPECT_EQ(whole.report.pgs_islands, 0u);
}

TYPED_TEST(NcpMix, after_sweeps_only_what_has_not_converged_is_solved_to_the_tolerance) {
  const auto scene = islands<TypeParam>(60, 5, 24, 2);
  auto sweeping = of(Procedure::pgs), options = of(Procedure::ncp);
  sweeping.pgs.iterations = options.pgs.iterations = 24;
  sweeping.tolerance = options.tolerance = 0.02;
  options.ncp.pgs_presolve = true;
  const auto swept = solved(scene, sweeping), mixed = solved(scene, options),
             on_threads = solved(scene, options, {.threads = 3});
  // If PGS ends before the last iteration, the island has converged. In the last iteration PGS only tests violations of
  // contacts; ncp also tests changes of impulses.
  const auto by_sweeps = [&](std::size_t i) { return swept.arrays.island_iterations[i] < 24; };
  std::size_t ended = 0;
  for (std::size_t i = 0; i < swept.report.islands; ++i) ended += by_sweeps(i) ? 1u : 0u;
  EXPECT_GE(ended, 3u);
  EXPECT_GE(mixed.report.pgs_islands, ended);
  EXPECT_LE(mixed.report.pgs_islands, swept.report.islands - swept.report.not_converged);
  EXPECT_GT(swept.report.not_converged, 5u);
  EXPECT_EQ(differing(scene, mixed, swept, by_sweeps), 0u);
  EXPECT_EQ(mixed.report.not_converged, 0u);
  EXPECT_GT(mixed.report.relative_error, 0);
  EXPECT_LE(mixed.report.relative_error, 1e-6);
  EXPECT_EQ(differing(scene, mixed, on_threads, [](std::size_t) { return true; }), 0u);
  // The solver started with the given velocities: the momentum of the bodies is the sum of the impulses.
  for (std::size_t b = 0; b < scene.body_count(); ++b) {
    Vector sum{};
    for (std::size_t i = 0; i < scene.contact_count(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        sum[c] += (scene.body_a[i] == static_cast<std::int32_t>(b)   ? 1
                   : scene.body_b[i] == static_cast<std::int32_t>(b) ? -1
                                                                     : 0) *
                  mixed.impulse(i)[c];
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_NEAR(
          static_cast<double>(scene.bodies.velocity[c][b]) + sum[c] * static_cast<double>(scene.bodies.inverse_mass[b]),
          mixed.velocity(b)[c], sizeof(TypeParam) == sizeof(float) ? 1e-4 : 1e-10);
  }
}

TYPED_TEST(NcpMix, begins_with_the_impulses_of_named_contacts_in_both_ways) {
  auto scene = islands<TypeParam>(8, 5, 24, 3, 0.1, 0);
  for (std::size_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  auto options = of(Procedure::ncp);
  options.pgs.iterations = 1000;
  options.tolerance = 0.02;
  for (const bool after : {false, true}) {
    options.ncp.max_island_size = after ? 0 : 12;
    options.ncp.pgs_presolve = after;
    SceneSolver solver({.threads = 1});
    const auto first = solved(solver, scene, options), second = solved(solver, scene, options);
    EXPECT_EQ(first.report.not_converged, 0u);
    EXPECT_GT(first.report.iterations, 3);
    EXPECT_LE(second.report.iterations, 1);
  }
}

}  // namespace
}  // namespace carom::scenes
