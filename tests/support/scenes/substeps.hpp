// The tests of Procedure::substeps share their time step, their options, and the suite in both precisions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>

#include "support/scenes/box_world.hpp"

namespace carom::scenes {

inline constexpr double h = 1.0 / 60, g = 9.81, millimetre = 1e-3;

/// One class for all files: googletest requires that the tests of a suite have the same one.
template <class T>
class Substeps : public testing::Test {};
using Precisions = testing::Types<float, double>;

inline MethodOptions in_substeps() {
  MethodOptions options;
  options.method = Procedure::substeps;
  options.time_step = h;
  return options;
}
inline MethodOptions in_substeps(int number) {
  MethodOptions options = in_substeps();
  options.substeps.min_substeps = options.substeps.max_substeps = number;
  return options;
}

/// Islands are swept, in as many substeps as their load needs.
inline MethodOptions in_swept_substeps() {
  MethodOptions options = in_substeps();
  options.substeps.min_substeps = 2;
  return options;
}

/// [m] The default slop of cubes of this edge, whose radius of gyration is edge / √6.
inline double slop_of_cubes(double edge = 1) {
  return PositionCorrection{}.relative_slop * edge / std::sqrt(6.0);
}

inline double deepest_overlap(const BoxWorld& boxes) {
  double deepest = 0;
  for (const double separation : boxes.scene<double>().separation) deepest = std::max(deepest, -separation);
  return deepest;
}

}  // namespace carom::scenes
