// Procedure::substeps holds these at rest over many steps: stacks, pyramids, heavy boxes on light ones, and chains.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/scenes/rod_chain.hpp"
#include "support/scenes/substeps.hpp"

namespace carom::scenes {
namespace {

using support::fast_build;

TYPED_TEST_SUITE(Substeps, Precisions);

// Rest ----------------------------------------------------------------------------------------------------------------

/// The figures are marks of the method: a drift of 1 mm, and 3 mm more overlap than the slop. A box on k others
/// sinks by the overlap of k contacts, and would fall further.
template <class T>
void expect_rest(BoxWorld boxes, double max_drift, const std::string& what) {
  const BoxWorld start = boxes;
  MethodOptions options = in_substeps();
  const double max_overlap = slop_of_cubes() + 3 * millimetre;
  SceneSolver solver({.threads = 1});
  double overlap = 0;
  for (int k = 0; k < (fast_build ? 600 : 30); ++k) {
    boxes.template step_in_substeps<T>(solver, options, h);
    if (k % 20 == 0) overlap = std::max(overlap, deepest_overlap(boxes));
  }
  double drift = 0;
  for (std::size_t i = 0; i < boxes.boxes.size(); ++i) {
    const Vector from = start.boxes[i].position, moved = boxes.boxes[i].position - from;
    drift = std::max(drift, std::hypot(moved[0], moved[1]));
    EXPECT_GE(moved[2], -(from[2] + 0.5) * max_overlap) << what << ", box " << i << " falls";
  }
  EXPECT_LE(drift, max_drift) << what;
  EXPECT_LE(std::max(overlap, deepest_overlap(boxes)), max_overlap) << what;
}

BoxWorld stack_with_on_top(double mass) {
  BoxWorld made = box_stack(20);
  made.boxes.back().mass = mass;
  return made;
}

TYPED_TEST(Substeps, hold_a_stack_of_twenty_for_ten_seconds) {
  expect_rest<TypeParam>(box_stack(20), millimetre, "equal masses");
}
TYPED_TEST(Substeps, hold_a_hundred_times_the_mass_on_a_stack_of_twenty) {
  expect_rest<TypeParam>(stack_with_on_top(100), millimetre, "100 on top");
}
TYPED_TEST(Substeps, hold_a_thousand_times_the_mass_on_a_stack_of_twenty) {
  expect_rest<TypeParam>(stack_with_on_top(1000), 3 * millimetre, "1000 on top");
}
TYPED_TEST(Substeps, hold_a_box_on_one_of_a_thousandth_of_its_mass) {
  expect_rest<TypeParam>(box_stack(2, 1000), millimetre, "pair");
}
TYPED_TEST(Substeps, hold_a_pyramid_of_base_ten) {
  expect_rest<TypeParam>(box_pyramid(10), millimetre, "pyramid");
}

// Chains --------------------------------------------------------------------------------------------------------------

// The figures are marks of the method.
TYPED_TEST(Substeps, hold_a_hanging_chain_of_twenty_with_a_hundred_times_the_mass_at_its_end) {
  EXPECT_LE(RodChain(0).run<TypeParam>(300).mean, 1.5 * millimetre);
}

// A tension of 118 g kg turns a rod of 0.021 kg m² back at √(118 g 0.5 / 0.021) = 166 rad/s, as the impulses of its
// joints act at points that turn with it. With lever arms that are constant over a step of H that would be an explicit
// integration, which is stable for less than 2 / H = 120 rad/s: the chain would explode.
TYPED_TEST(Substeps, hold_a_chain_that_falls_from_horizontal) {
  EXPECT_LE(RodChain(1.5707963267948966).run<TypeParam>(300).peak, 12 * millimetre);
}

}  // namespace
}  // namespace carom::scenes
