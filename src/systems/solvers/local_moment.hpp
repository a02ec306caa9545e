// One contact with a moment, while all others hold still: its moment with the impulse as it is, then the impulse with
// the moment as it is, in turns. Where all of these have come to an end, the law of both holds. With b the velocities
// that others leave the contact, and W of itself in blocks of impulse p and moment m:
//
//   rolling, then spinning:  y = b_m + W_mp r + W_mm m  of a contact that slips or is open, and of one that sticks,
//   which
//                            the bodies turn about,  y = b_m − G b_p + (W_mm − G W_pm) m,  G = W_mp W_pp⁻¹
//   impulse:                 local_solve.hpp with b_p + W_pm m
//
// Without the second kind the impulse and the moment of a ball undo each other by 5/7 a turn.
#pragma once

#include "local_solve.hpp"

namespace carom::systems {

class LocalMoment {
 public:
  LocalMoment() = default;
  /// The four blocks of the contact.
  LocalMoment(const double* pp, const double* pm, const double* mp, const double* mm);

  /// r and m become what some turns lead to; they are in the cone. `contact` is that of the impulse.
  void solve(LocalContact& contact, const double* b_p, const double* b_m, double* r, double* m);

 private:
  /// W_mm as the bodies turn, freely or about the contact.
  struct Turning {
    double w[9];
    LocalContact rolling;

    Turning() = default;
    explicit Turning(const double* w_mm);
    /// `b` is y without the moment.
    void solve(const double* b, double limit, double* m);
  };

  double pm_[9], mp_[9], hold_[9];
  Turning free_, held_;
  bool can_be_held_ = false, sticks_ = false;
};

}  // namespace carom::systems
