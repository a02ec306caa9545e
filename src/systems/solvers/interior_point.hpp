// A primal-dual interior point for contact systems, with the term friction |u_t| of Coulomb's law inside of the Newton
// matrix (V. Acary, P. Armand, H. M. Nguyen, M. Shpakovych, Second-order cone programming for frictional contact
// mechanics using interior point algorithm, 2023, has the lagged one).
//
// Impulses and velocities are scaled so that all cones are the Lorentz cone: with D_i = diag(μ, μ, 1) / √(tr W_ii / 3),
// r = D r̃, W̃ = D W D, q̃ = D q. The formulas below leave out the tildes.
//
//   residual   d = W r + q + |u_t| e − u
//   scaling    P² u = r (cone.hpp), λ = P u,  T = 1 with the row of n (−θ u_t / |u_t|, 1)
//   Newton     (W + T P⁻²) Δr = T c − d,  c = P⁻¹ (λ \ s),  Δu = c − P⁻² Δr
//   proximal   W + δ replaces W there if steps are too short: where slipping contacts can exchange impulses at no
//              price, T makes the matrix nearly singular, with either sign, and δ keeps impulses along that
//              direction from leaving their cones
//   Mehrotra   predictor s = −λ∘λ; corrector s = σ g e − λ∘λ − (P⁻¹ Δr)∘(P Δu), g the mean of r·u
//
// A contact with a moment has three Lorentz cones that share its normal impulse: friction, rolling and spinning, with
// r_k = E_k r and separate u_k. Σ E_kᵀ u_k replaces u, and Σ E_kᵀ T_k P_k⁻² E_k replaces T P⁻².
#pragma once

#include <cstddef>

#include "core/support/array.hpp"
#include "systems/problem/cone.hpp"
#include "systems/problem/factorisation.hpp"
#include "systems/problem/work_budget.hpp"

namespace carom::systems {

struct InteriorPointOptions {
  std::size_t max_steps = 60;
  double min_step = 0.05;  ///< a shorter one is tried again with a smaller θ: first `middle`, then 0
  double middle = 0.5;
  bool proximal = false;  ///< steps below 0.3 are tried again with δ = 1, 10 and 100 times √g / max |q| instead
  bool warm = false;      ///< begins near the best impulses instead of on the cones' axes
  double r = 1, u = 1;    ///< how far along the axes it begins, relative to the largest number of q
};

class InteriorPoint {
 public:
  void run(const IslandSystem& system, Factorisation& lu, Incumbent& best, WorkBudget& work_budget,
           const InteriorPointOptions& options);

 private:
  /// The rows of a cone: two tangents and the normal. The cone of spinning has one tangent.
  struct Place {
    std::size_t first, second, normal;
  };

  void place(const IslandSystem& system);
  void take(const Numbers& rows, std::size_t cone, double* x) const;
  void spread(std::size_t cone, const double* x, Numbers& rows) const;
  void scale(const IslandSystem& system);
  void begin_cold(double r, double u);
  void begin_warm(const IslandSystem& system, const Numbers& impulses);
  void linearise();
  bool factor(Factorisation& lu, double theta, double delta);
  void add_shared(std::size_t cone, const double* d);
  void solve(Factorisation& lu);
  double longest() const;
  void negative_square(std::size_t i, double* s) const;
  /// Finds the direction dr_, du_ of θ and δ and keeps it if its step is the longest so far. False if the matrix is
  /// singular.
  bool try_direction(Factorisation& lu, WorkBudget& work_budget, double theta, double delta);
  void find_step(Factorisation& lu, WorkBudget& work_budget, const InteriorPointOptions& options);
  void keep(double step);
  double measure(const IslandSystem& system);
  void scale_velocities();

  const IslandSystem* system_ = nullptr;
  Numbers scaled_;      // the blocks of D W D, where W has blocks
  Array<Place> place_;  // of cones: one for each row, then one for each spinning moment
  Numbers block_;       // of the matrix, with moments
  Beside beside_;
  Numbers scale_, left_;  // D; the same as blocks
  Array<ConeScaling> cone_;
  Array<double> slope_;  // −θ u_t / |u_t|, two a cone
  Numbers r_, u_, v_, residual_, diagonal_, c_, s_, dr_, du_, best_dr_, best_du_, impulses_, velocities_, history_;
  double max_q_ = 0, separation_ = 0, best_step_ = 0;
};

}  // namespace carom::systems
