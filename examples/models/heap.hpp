// A heap of discs: spheres whose centres stay in a plane, poured from above onto a rough ground.
#pragma once

#include <vector>

namespace models {

struct Disc {
  double x, z, r;  // [m]
};
struct Heap {
  std::vector<Disc> discs;
  double angle;  // [°] of both flanks, in the mean
};

/// Pours discs whose rolling friction is `coefficient` times their radius.
Heap pour(double coefficient, int seed);

}  // namespace models
