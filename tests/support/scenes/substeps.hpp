// The tests of SceneMethod::substeps share their time step, their options, and the suite in both precisions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>

#include "support/scenes/box_world.hpp"

namespace carom::scenes {

inline constexpr double h = 1.0 / 60, g = 9.81, millimetre = 1e-3;

/// One class for all files: googletest wants the tests of a suite to have the same one.
template <class T>
class Substeps : public testing::Test {};
using Precisions = testing::Types<float, double>;

inline SceneOptions in_substeps() {
  SceneOptions options;
  options.method = SceneMethod::substeps;
  options.substeps.time_step = h;
  return options;
}
inline SceneOptions in_substeps(int number) {
  SceneOptions options = in_substeps();
  options.substeps.least = options.substeps.most = number;
  return options;
}

/// Islands are swept, in as many substeps as their load needs.
inline SceneOptions in_swept_substeps() {
  SceneOptions options = in_substeps();
  options.substeps.least = 2;
  return options;
}

/// [m] The default slop of cubes of this edge, whose radius of gyration is edge / √6.
inline double slop_of_cubes(double edge = 1) {
  return SubstepsOptions{}.relative_slop * edge / std::sqrt(6.0);
}

inline double deepest_overlap(const BoxWorld& boxes) {
  double deepest = 0;
  for (const double separation : boxes.scene<double>().separation) deepest = std::max(deepest, -separation);
  return deepest;
}

}  // namespace carom::scenes
