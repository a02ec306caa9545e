// The interior point of a direct island: the data that pass between scene/solvers/direct/interior_point.cpp and the
// kernels of cone_passes.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "block_matrix.hpp"

namespace carom::kernel {

/// A manifold with its points as lanes. x and s are in the Lorentz cone, x = (p_t, μ p_n), s = (u_t, (u_n - t_n) / μ +
/// φ); without friction the tangential parts are 0. Lanes without a point stay at x = s = (0, 0, 1).
struct alignas(64) ConeManifold {
  double r_a[3][4], r_b[3][4];  ///< [m] world frame
  double target[3][4];          ///< [m/s] in the frame of the contact
  double there[4];              ///< 1 for a point, else 0
  double slip[4];               ///< φ [m/s]
  double x[3][4], s[3][4], dx[3][4], ds[3][4];
  double miss[3][4];  ///< velocities, less s
  double correction[3][4];
  // Nesterov and Todd's scaling P, P⁻¹ and P⁻² as xx, xy, yy, xn, yn, nn, and λ.
  double scaling[6][4], inverse[6][4], inverse_squared[6][4], lambda[3][4];
  double axis[3][3];  ///< t1, t2, n
  double friction;    ///< coefficient of the cone; 1 without friction
  double mass;        ///< [kg] inverse of the sum of both inverse masses
  bool is_flat;       ///< without friction
  std::int32_t a, b;  ///< rows of the bodies
  std::size_t block;  ///< of both bodies, if both move
};

struct ConeIsland {
  ConeManifold* manifolds;
  std::size_t count;
  std::size_t bodies;  ///< that move; their rows come first
  const BodyRow* velocity;
  BodyRow* right;  ///< right-hand side, then solution
  BodyBlock *diagonal, *lower;
};

/// Treatment of the slip terms in a pass: they become the slip, the mean of both, or stay.
enum class Slips : std::uint8_t { follow, approach, stay };

struct ConeKernels {
  /// Sets the misses. `worst` [m/s] is raised to the largest, and x·s over the masses is added to `separation`.
  void (*measure)(const ConeIsland& of, Slips slips, double& worst, double& separation);
  /// Sets the scalings, and adds Jᵀ P⁻² J to the matrix.
  void (*weigh)(const ConeIsland& of);
  /// Adds the right-hand side of a step to `right`: of the predictor, or with its correction towards x·s = `barrier` m.
  void (*begin_predictor)(const ConeIsland& of);
  void (*begin_corrector)(const ConeIsland& of, double barrier);
  /// Sets dx and ds from the solution, and for the predictor the correction. Returns the longest step in all cones.
  double (*end_predictor)(const ConeIsland& of);
  double (*end_corrector)(const ConeIsland& of);
  void (*advance)(const ConeIsland& of, double step);
};

}  // namespace carom::kernel
