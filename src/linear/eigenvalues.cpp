#include "eigenvalues.hpp"

#include <cmath>
#include <cstddef>

#include "core/support/vector3.hpp"

namespace carom::scene {

int raise_eigenvalues(Symmetric& matrix, double least) {
  // Jacobi's rotations, which are exact where entries off the diagonal are 0 and converge quadratically elsewhere.
  Matrix3<double> a = symmetric(matrix), vectors = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  // columns
  for (int sweep = 0; sweep < 8; ++sweep) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = i + 1; j < 3; ++j) {
        if (a[i][j] == 0) continue;
        const double ratio = (a[j][j] - a[i][i]) / (2 * a[i][j]);
        const double t = std::copysign(1, ratio) / (std::abs(ratio) + std::hypot(ratio, 1));
        const double c = 1 / std::hypot(t, 1), s = t * c;
        for (std::size_t l = 0; l < 3; ++l) {
          const double x = a[l][i], y = a[l][j], v = vectors[l][i], w = vectors[l][j];
          a[l][i] = c * x - s * y;
          a[l][j] = s * x + c * y;
          vectors[l][i] = c * v - s * w;
          vectors[l][j] = s * v + c * w;
        }
        for (std::size_t l = 0; l < 3; ++l) {
          const double x = a[i][l], y = a[j][l];
          a[i][l] = c * x - s * y;
          a[j][l] = s * x + c * y;
        }
        a[i][j] = a[j][i] = 0;
      }
    }
  }
  int raised = 0;
  for (std::size_t e = 0; e < 3; ++e) {
    if (a[e][e] >= least) continue;
    const double lift = least - a[e][e];
    const Vector3<double> v = {vectors[0][e], vectors[1][e], vectors[2][e]};
    std::size_t entry = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j) matrix[entry++] += lift * v[i] * v[j];
    ++raised;
  }
  return raised;
}

}  // namespace carom::scene
