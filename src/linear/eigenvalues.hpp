// Eigenvalues of symmetric 3 × 3 matrices, for matrices that laws require to be positive definite.
#pragma once

#include <array>

namespace carom::scene {

/// xx, xy, xz, yy, yz, zz.
using Symmetric = std::array<double, 6>;

/// Raises eigenvalues below `least` to it, and returns how many there were. A matrix without any keeps its bits. The
/// numbers are finite.
int raise_eigenvalues(Symmetric& matrix, double least);

}  // namespace carom::scene
