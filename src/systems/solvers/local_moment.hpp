// Solves one contact with a moment while all other contacts are fixed. Alternates between the moment at a fixed impulse
// and the impulse at a fixed moment; where neither changes, the laws of both hold. With b the velocities without this
// contact's own impulse and moment, and the blocks of its W for impulse p and moment m:
//
//   rolling, then spinning
//     slips or is open:  y = b_m + W_mp r + W_mm m
//     sticks:            y = b_m − G b_p + (W_mm − G W_pm) m,  G = W_mp W_pp⁻¹: the bodies turn about the contact
//   impulse:             local_solve.hpp with b_p + W_pm m
//
// Without the formula for sticking, the alternation converges for a ball only by a factor of 5/7 per iteration.
#pragma once

#include "local_solve.hpp"

namespace carom::systems {

class LocalMoment {
 public:
  LocalMoment() = default;
  /// The four blocks of W of the contact.
  LocalMoment(const double* pp, const double* pm, const double* mp, const double* mm);

  /// Sets r and m to the result of a few iterations; they are in the cone. `contact` solves for the impulse.
  void solve(LocalContact& contact, const double* b_p, const double* b_m, double* r, double* m);

 private:
  /// W_mm of bodies that turn freely, or about the contact point.
  struct Turning {
    double w[9];
    LocalContact rolling;

    Turning() = default;
    explicit Turning(const double* w_mm);
    /// `b`: y without the contribution of the moment.
    void solve(const double* b, double limit, double* m);
  };

  double pm_[9], mp_[9], hold_[9];
  Turning free_, held_;
  bool can_be_held_ = false, sticks_ = false;
};

}  // namespace carom::systems
