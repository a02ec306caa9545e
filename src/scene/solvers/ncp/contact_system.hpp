// The contact system of an island, W r + q = u, with W by its bodies, and the way back to velocities and to the
// impulses of rows without bounds, λ, which are eliminated (systems/problem/bilateral_rows.hpp).
#pragma once

#include "constraints.hpp"
#include "core/support/array.hpp"
#include "systems/problem/body_form.hpp"
#include "systems/problem/island_system.hpp"

namespace carom::scene::ncp {

class ContactSystem {
 public:
  /// False if a number of it is not finite.
  bool assemble(const Constraints& constraints, systems::IslandSystem& system, systems::BodyForm& form);

  /// Computes λ for the impulses r of the others. Applies both to the velocities of the bodies.
  void apply(Constraints& constraints, const systems::BodyForm& form, const systems::Numbers& r,
             systems::Numbers& lambda);

 private:
  void resist_locked(const Constraints& constraints, systems::BodyForm& form);
  bool hold_rows(const Constraints& constraints, systems::IslandSystem& system, systems::BodyForm& form);

  /// A row of joints along its two bodies, J and M⁻¹ Jᵀ.
  struct Along {
    Sides body;
    std::array<Direction, 2> side;
  };

  Array<Along> along_;                                // orthonormal for the rows of two bodies
  systems::Numbers missed_, left_, change_, lambda_;  // missed_: by the rows without impulses
};

}  // namespace carom::scene::ncp
