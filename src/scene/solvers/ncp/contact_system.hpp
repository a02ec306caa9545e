// The contact system of an island, W r + q = u, with W by its bodies, and the way back to velocities and to the
// impulses of rows without bounds, λ, which are eliminated (systems/problem/bilateral_rows.hpp).
//
// Its constraints are constraints with a cone, and rows without bounds.
//
// A contact has its impulse in its frame. A row within bounds is a contact, too. λ >= λ0 is the normal impulse of one
// without friction, beyond λ0. λ within two bounds is the friction, along one tangent, of a contact with a fixed normal
// impulse: W_nn r_n = -q_n. Unused directions of a constraint have no effect on bodies.
//
// Friction within an ellipse is friction within a circle of r_t = p_t / scale: its tangents are the axes of the
// ellipse, times the scale (docs/contact-systems.md, Contact models). The moment of a contact that resists rolling and
// spinning is a constraint behind it, of two tangents and the normal too, times its lengths.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"
#include "core/support/array.hpp"
#include "scene/rows/read.hpp"
#include "systems/problem/body_form.hpp"
#include "systems/problem/body_matrix.hpp"
#include "systems/problem/island_system.hpp"

namespace carom::scene::ncp {

/// The bodies that a constraint moves: numbers of Constraints::body, or -1.
using systems::Sides;

struct Cone {
  enum Kind : std::uint8_t { contact, moment, one_sided, two_sided } kind = contact;
  Sides body = {-1, -1};
  std::array<std::array<Direction, 3>, 2> side{};  // two tangents times the scale, the normal
  double q[3] = {};                                // [m/s] with the impulses that no bound holds back
  double extra[3] = {};                            // [1/kg] added to the diagonal of W_ii
  double friction = 0;
  double scale[3] = {1, 1, 1};  // of the directions of a contact or a moment
  double warm[3] = {};
  std::uint32_t number = 0;    // of the contact or the row
  double sign = 1, shift = 0;  // of a row: λ = shift + sign × (the impulse along its direction)
  std::size_t row_direction() const { return kind == one_sided ? 2 : 0; }
};

/// A row without bounds, between the bodies that move. Its target has the velocities of the others.
struct FreeRow : JointRow {
  std::uint32_t number;
};

struct Constraints {
  Array<Cone> cone;
  Array<FreeRow> row;
  Array<std::int32_t> body;   // that move, as the scene counts them
  Array<Twist> velocity;      // of these; with the impulses of the shifts
  Array<std::int32_t> place;  // of the scene's bodies among these; -1 elsewhere

  void begin(std::size_t bodies);
  std::int32_t place_of(std::int32_t scene_body);
};

/// The contacts and rows of an island: places in lists of manifolds and groups.
struct IslandItems {
  const std::uint32_t *manifold, *end_manifold, *group, *end_group;
  double approach;  // [m/s] max. violation of a target
};

/// The targets and the impulses to begin with are in JobState::carried and JobState::row_impulse.
template <class T>
void read(const kernel::SceneJob<T>& job, const IslandItems& island, double max_friction, Constraints& to);

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
