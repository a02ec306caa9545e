// Subnormal numbers are flushed to zero in iterations. All laws still hold: friction is within its cone, and no normal
// number is lost. The caller's floating-point mode does not matter.
#include <gtest/gtest.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/scenes/draw_models.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class Subnormals : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Subnormals, Precisions);

template <class T>
constexpr double least = static_cast<double>(std::numeric_limits<T>::min());

/// Columns of boxes of this mass, each box on one point below its middle, that come down together and slide.
template <class T>
SceneData<T> sliding_columns(double mass, double down, double aside, double friction, double across = 0.9,
                             const std::vector<int>& heights = {1, 2, 5}) {
  SceneData<T> scene;
  for (const int boxes : heights) {
    std::int32_t below = world;
    for (int i = 0; i < boxes; ++i) {
      const double share = 1.0 / (2 + i % 3);
      const std::int32_t a = scene.add(
          box(mass, {1, 1, 1}, {0, 0, static_cast<double>(i)}, {share * aside, across * share * aside, -down}));
      scene.add(Contact{.a = a, .b = below, .point = {0, 0, i - 0.5}, .friction = friction});
      below = a;
    }
  }
  return scene;
}

std::vector<MethodOptions> options_of(const std::vector<Procedure>& methods) {
  std::vector<MethodOptions> made;
  for (const Procedure method : methods) {
    MethodOptions options = usual(method);
    options.tolerance = 0;
    options.bender_schmitt.filter = ContactFilter::touching;
    made.push_back(options);
  }
  return made;
}

/// Calls f(options, isa, what) for iterative methods on every ISA.
template <class F>
void on_every_isa(const std::vector<Procedure>& methods, const F& f) {
  for (const Isa isa : available_isas())
    for (const MethodOptions& options : options_of(methods))
      f(options, isa, std::string(to_string(isa)) + ", " + std::string(to_string(options.method)));
}

TYPED_TEST(Subnormals, are_zero_in_impulses_of_contacts) {
  using T = TypeParam;
  const auto scene = sliding_columns<T>(1, 0.1, least<T>, 0.5);
  on_every_isa({Procedure::pgs, Procedure::substeps}, [&](const auto& options, Isa isa, const auto& what) {
    const auto found = solved(scene, options, {.isa = isa, .threads = 1});
    std::size_t subnormal = 0, pushed = 0;
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      const Vector p = found.impulse(i);
      for (std::size_t c = 0; c < 3; ++c) subnormal += std::fpclassify(static_cast<T>(p[c])) == FP_SUBNORMAL ? 1u : 0u;
      pushed += p[2] > 0 ? 1u : 0u;
    }
    EXPECT_EQ(subnormal, 0u) << what;
    EXPECT_EQ(pushed, scene.contact_count()) << what;
  });
}

// The squares of these impulses are subnormal or nearly so.
TYPED_TEST(Subnormals, as_squares_leave_friction_in_its_cone) {
  using T = TypeParam;
  // The shortest friction is `shortest` times the root of the smallest normal number. Two squares that vanish change a
  // longer one by less than ε; rounding adds a few ε.
  const double shortest = sizeof(T) == sizeof(float) ? 0x1p12 : 0x1p27;
  const double allowed = 1 + 8 * static_cast<double>(std::numeric_limits<T>::epsilon());
  // In float the response to an impulse must keep within the range, too.
  const double mass = sizeof(T) == sizeof(float) ? 1e-16 : 1;
  // With 2.43 some squares of the slip vanish where the square of the radius just does not.
  for (const double size : {0.1, 0.5, 1.0, 2.05, 4.0, 8.0, 0.5 * shortest, shortest, 2.05 * shortest, 8 * shortest})
    for (const double aside : {1.0, 2.43, 100.0})
      for (const bool has_models : {false, true})
        for (const double friction : {0.0, 0.5}) {
          const double down = size * std::sqrt(least<T>) / mass;
          auto scene = sliding_columns<T>(mass, down, aside * down, friction);
          if (has_models) add_neutral_models(scene);
          std::vector<Procedure> methods = {Procedure::pgs, Procedure::substeps};
          if (!has_models) methods.push_back(Procedure::collisions);
          on_every_isa(methods, [&](MethodOptions options, Isa isa, const std::string& what) {
            for (const double relaxation : {1.0, 0.5, 1.3}) {
              if (relaxation != 1 && options.method != Procedure::pgs) continue;
              options.pgs.relaxation = relaxation;
              const auto found = solved(scene, options, {.isa = isa, .threads = 1});
              double pushed = 0;
              for (std::size_t i = 0; i < scene.contact_count(); ++i) {
                const Vector p = found.impulse(i);
                EXPECT_LE(std::hypot(p[0], p[1]), friction * p[2] * allowed)
                    << what << ", contact " << i << ", size " << size << ", aside " << aside << ", models "
                    << has_models << ", relaxation " << relaxation;
                pushed += p[2];
              }
              EXPECT_GT(pushed, down * mass) << what;
            }
          });
        }
}

// The other islands are swept longer than the column.
TYPED_TEST(Subnormals, as_squares_change_no_impulse_of_an_island_that_has_converged) {
  using T = TypeParam;
  const double mass = sizeof(T) == sizeof(float) ? 1e-16 : 1;
  for (const double size : {0.1, 1.0, 8.0}) {
    const double down = size * std::sqrt(least<T>) / mass;
    const auto column = sliding_columns<T>(mass, down, down, 0.5, 0.9, {2});
    SceneData<T> both = column;
    append(both, sliding_columns<T>(1, 1, 0.1, 0.5, 0.9, {20}));
    MethodOptions options = usual(Procedure::pgs);
    options.pgs.iterations = 100;
    options.tolerance = 0.1;
    for (const Isa isa : available_isas()) {
      const std::string what = std::string(to_string(isa)) + ", size " + std::to_string(size);
      const auto alone = solved(column, options, {.isa = isa, .threads = 1});
      const auto found = solved(both, options, {.isa = isa, .threads = 1});
      EXPECT_LT(alone.report.iterations, found.report.iterations) << what;
      for (std::size_t i = 0; i < column.contact_count(); ++i)
        EXPECT_EQ(found.impulse(i), alone.impulse(i)) << what << ", contact " << i;
    }
  }
}

// The normal impulse is a normal number, and the radius of its cone is not, or the slip is too large for it.
TYPED_TEST(Subnormals, as_radius_of_an_ellipse_are_no_friction) {
  using T = TypeParam;
  for (const double speed : {1.1, 1.7, 2.2, 4.0, 40.0})
    for (const auto& [aside, across] : {std::pair{1.0, 0.0}, {1.0, 0.9}, {10.0, 0.0}, {1000.0, 0.0}, {1000.0, 0.9}}) {
      auto scene = sliding_columns<T>(1, speed * least<T>, aside, 0.5, across);
      add_neutral_models(scene);
      scene.friction_2.assign(scene.contact_count(), T(0.4));
      scene.friction_direction[0].assign(scene.contact_count(), T(1));
      on_every_isa({Procedure::pgs, Procedure::substeps}, [&](const auto& options, Isa isa, const std::string& what) {
        const auto found = solved(scene, options, {.isa = isa, .threads = 1});
        for (std::size_t i = 0; i < scene.contact_count(); ++i) {
          const Vector p = found.impulse(i);
          EXPECT_LE(found.arrays.status[i], Status::separating) << what << ", speed " << speed << ", contact " << i;
          EXPECT_EQ(p[0], 0) << what << ", speed " << speed << ", contact " << i;
          EXPECT_EQ(p[1], 0) << what << ", speed " << speed << ", contact " << i;
          EXPECT_GE(p[2], 0) << what << ", speed " << speed << ", contact " << i;
        }
      });
    }
}

// A motor with a subnormal impulse limit.
TYPED_TEST(Subnormals, as_bounds_of_a_row_are_zero) {
  using T = TypeParam;
  SceneData<T> scene;
  for (int i = 0; i < 3; ++i) {
    const std::int32_t a = scene.add(box(1, {1, 1, 1}, {2.0 * i, 0, 0}));
    typename JointRowData<T>::Row row;
    row.body_a = a;
    row.linear_a = {1, 0, 0};
    row.target_velocity = 1;
    row.max_impulse = std::numeric_limits<T>::min() / 10;
    row.min_impulse = 0;
    scene.joints.rows.push_back(row);
  }
  on_every_isa({Procedure::pgs, Procedure::collisions, Procedure::substeps},
               [&](const auto& options, Isa isa, const auto& what) {
                 const auto found = solved(scene, options, {.isa = isa, .threads = 1});
                 for (const T impulse : found.arrays.joint_impulse) EXPECT_EQ(impulse, T(0)) << what;
                 EXPECT_EQ(found.report.residual, 0) << what << ": the bound holds the row";
               });
}

#ifdef __SSE2__
TYPED_TEST(Subnormals, and_roundings_are_not_those_of_the_hosts_mode) {
  using T = TypeParam;
  const auto scene = sliding_columns<T>(1, 0.1, least<T>, 0.5);
  const unsigned usual_mode = _mm_getcsr();
  const unsigned flushing = usual_mode | 0x8040u, upward = usual_mode | 0x4000u;
  for (const MethodOptions& options :
       options_of({Procedure::pgs, Procedure::collisions, Procedure::resting, Procedure::substeps})) {
    const auto expected = solved(scene, options);
    for (const unsigned mode : {flushing, upward}) {
      Solved<T> found{SceneArrays<T>(scene), {}};
      SceneSolver solver({.threads = 1});
      _mm_setcsr(mode);
      found.report = solver.solve(scene.view(options), found.arrays.view(), options);
      const unsigned mode_after = _mm_getcsr();
      _mm_setcsr(usual_mode);
      constexpr unsigned flags = 0x3f;
      EXPECT_EQ(mode_after & ~flags, mode & ~flags) << "the host's mode is its own again";
      expect_same_bits(found.arrays, expected.arrays, std::string(to_string(options.method)));
    }
  }
}
#endif

}  // namespace
}  // namespace carom::scenes
