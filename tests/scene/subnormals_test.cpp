// Subnormal numbers, which cost a CPU hundreds of cycles, do not last in a scene that rests; and the host's own mode
// does not matter.
#include <gtest/gtest.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class Subnormals : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Subnormals, Precisions);

/// Columns of 1, 2 and 5 boxes, each on one point below its middle, that slide at subnormal speeds.
template <class T>
SceneData<T> creeping_columns() {
  SceneData<T> scene;
  for (const int boxes : {1, 2, 5}) {
    std::int32_t below = world;
    for (int i = 0; i < boxes; ++i) {
      const std::int32_t a = scene.add(box(1, {1, 1, 1}, {0, 0, static_cast<double>(i)}, {0, 0, -0.1}));
      scene.bodies.velocity[0].back() = std::numeric_limits<T>::min() / static_cast<T>(2 + i % 3);
      scene.add(Contact{.a = a, .b = below, .point = {0, 0, i - 0.5}, .friction = 0.5});
      below = a;
    }
  }
  return scene;
}

/// Those that stop a slip of any speed.
std::vector<SceneOptions> sweeping_methods() {
  std::vector<SceneOptions> made;
  for (const SceneMethod method : {SceneMethod::simultaneous, SceneMethod::substeps}) {
    SceneOptions options = usual(method);
    options.relative_tolerance = 0;
    made.push_back(options);
  }
  return made;
}

TYPED_TEST(Subnormals, are_zero_after_the_sweeps) {
  using T = TypeParam;
  const auto scene = creeping_columns<T>();
  for (const Isa isa : available_isas())
    for (const SceneOptions& options : sweeping_methods()) {
      const auto found = solved(scene, options, {.isa = isa, .threads = 1});
      std::size_t subnormal = 0, pushed = 0;
      for (std::size_t i = 0; i < scene.contact_count(); ++i) {
        const Vector p = found.impulse(i);
        for (std::size_t c = 0; c < 3; ++c)
          subnormal += std::fpclassify(static_cast<T>(p[c])) == FP_SUBNORMAL ? 1u : 0u;
        pushed += p[2] > 0 ? 1u : 0u;
      }
      const std::string what = std::string(to_string(isa)) + ", " + std::string(to_string(options.method));
      EXPECT_EQ(subnormal, 0u) << what;
      EXPECT_EQ(pushed, scene.contact_count()) << what;
    }
}

#ifdef __SSE2__
TYPED_TEST(Subnormals, and_roundings_are_not_those_of_the_hosts_mode) {
  using T = TypeParam;
  const auto scene = creeping_columns<T>();
  const unsigned usual_mode = _mm_getcsr();
  const unsigned flushing = usual_mode | 0x8040u, upward = usual_mode | 0x4000u;
  for (const SceneOptions& options : sweeping_methods()) {
    const auto expected = solved(scene, options);
    for (const unsigned mode : {flushing, upward}) {
      Solved<T> found{SceneArrays<T>(scene), {}};
      SceneSolver solver({.threads = 1});
      _mm_setcsr(mode);
      found.report = solver.solve(scene.view(), found.arrays.view(), options);
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
