// Solves one contact exactly while all others are fixed (docs/contact-systems.md, One contact). With b the velocity
// without its own impulse:
//
//   b_n >= 0:  r = 0.  Else  A = W_tt − W_tn W_nt / W_nn,  c = b_t − W_tn b_n / W_nn,
//   r_t(λ) = −(A + λ 1)⁻¹ c,  r_n(λ) = −(b_n + W_nt r_t) / W_nn.
//
// It sticks if |r_t(0)| <= friction r_n(0), else λ > 0 is the root of |r_t| − friction r_n, found by Newton's method on
// 1 / |r_t| − 1 / (friction r_n), which is nearly linear (J. J. Moré, D. C. Sorensen, Computing a trust region step,
// 1983), safeguarded by bisection.
#pragma once

#include "systems/problem/island_system.hpp"

namespace carom::systems {

/// A contact: numbers that do not change from visit to visit, and where the last one ended.
struct LocalContact {
  double w_nt[2], w_tn_over_nn[2], inverse_nn;
  double a[4];   ///< A, with `added` on its diagonal
  double added;  ///< keeps a singular A from dividing by zero; the step is proximal then
  double trace;  ///< of W_tt
  double friction;
  double lambda = 0;  ///< the root of the last visit

  LocalContact() = default;
  LocalContact(const double* w, double friction_coefficient);

  /// r becomes the solution; it holds the last one before.
  void solve(const double* b, double* r);
};

}  // namespace carom::systems
