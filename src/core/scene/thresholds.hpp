// The constants that results of scenes depend on. docs/scenes.md, Thresholds.
#pragma once

#include <cstddef>

namespace carom {

/// Fixed thresholds that results of scenes depend on. docs/scenes.md, Thresholds.
struct SceneThresholds {
  static constexpr double max_friction = 1e9;  ///< [1] a larger coefficient counts as this, infinity too
  static constexpr double rest_share = 1e-2;   ///< [1] resting has converged at this fraction of ε / time_step
  static constexpr double runaway = 1000;  ///< [1] resting ends if its violation is this multiple of the initial one
  /// [1] the number of substeps of an island decreases only if the island needs at least this fraction (and at least
  /// one) fewer. After substeps_quiet such calls the number is multiplied by substeps_fall in every call.
  static constexpr double substeps_band = 0.125, substeps_fall = 0.99, substeps_quiet = 60;
  static constexpr int swept_substeps =
      4;  ///< [1] min. number of substeps of an island that PGS solves, up to max_substeps
  /// [1] calls for which a solver keeps the impulses of named contacts and rows of an island that it is not given
  static constexpr int warm_start_calls = 1000;
  /// [1] a manifold sticks again, with its static friction, below this fraction of the speed of contacts at rest
  static constexpr double stick_again = 0.5;
  /// [1] as stick_again, of a manifold that is not known from earlier calls, if the forces of the step are not
  /// known
  static constexpr double stick_cold = 4;
  /// [m] slop of contacts and joints whose bodies have no size: neither has both a mass and an inertia
  static constexpr double slop_without_size = 0.005;
  /// [1] weight of joint impulses in the load: an error of a joint is visible before an overlap as large as slop is
  static constexpr double joint_load = 2;
  /// [1] an island of substeps counts as hit if its approach speed exceeds this multiple of gravity × time step; the
  /// impulses that it passes on are then limited
  static constexpr double impact = 2;
  /// [multiply-adds], [1] an island of substeps is solved directly if its matrix is factored with this work and if it
  /// has no more bodies; otherwise it is swept
  static constexpr double direct_work = 2e7, direct_bodies = 1024;
  /// [1] weight of a loaded contact in the matrix of a direct island, times the inverse masses of its bodies
  static constexpr double direct_weight = 1e5;
  /// [1] as direct_weight, of a row of a joint
  static constexpr double direct_joint_weight = 1e4;
  static constexpr int direct_tries = 2;  ///< [1] linear solves of a direct island before it is swept
  /// [1] further linear solves of an island whose rows have bounds. Impulses that are nearer to a bound than the
  /// fraction direct_near_bound of their size begin on it.
  static constexpr int direct_bound_tries = 4;
  static constexpr double direct_near_bound = 0.05;
  /// [1] further solves in which friction follows the loads of sliding contacts
  static constexpr int direct_turns = 3;
  /// [1] a direct solution is repeated with the same matrix while held contacts miss their targets by more than
  /// direct_miss of gravity × time step, plus direct_moving times direct_miss of the approach speed beyond it
  static constexpr double direct_miss = 1e-6, direct_moving = 10;
  static constexpr int direct_repeats = 6;  ///< [1] max. number of these repetitions
  /// [1] an island whose contacts and rows miss their targets by at most direct_calm of gravity × time step keeps its
  /// factor while normals, arms and inertia change by at most the fraction direct_same
  static constexpr double direct_calm = 1e-4, direct_same = 2e-5;
  /// [1] a direct island is not solved if all contacts and rows meet their targets to this fraction of gravity × time
  /// step with the impulses that it begins with
  static constexpr double direct_settled = 5e-11;
  /// [1] impulses below this fraction of the mean momentum of the bodies, with the forces of the step, are 0
  static constexpr double direct_nothing = 1e-9;
  /// [1] after that no contact may approach by more than direct_left of gravity × time step, plus direct_converged of
  /// the max. approach speed before the step
  static constexpr double direct_left = 0.05, direct_converged = 1e-4;
  /// [1] as direct_converged, of a row of a joint, which may miss its target by more
  static constexpr double direct_rows_left = 1e-2;
  /// [1] an interior point is accepted if no contact approaches, and no contact separates under an impulse, by more
  /// than this fraction of the max. approach speed before the step, or of gravity × time step
  static constexpr double direct_failure = 0.5;
  /// [1] a direct solution is accepted if it adds at most this multiple of m v² to the kinetic energy, with m the mass
  /// of the island and v the max. prescribed speed of its contacts. Without prescribed speeds it adds none.
  static constexpr double direct_drive = 2;
  /// [1] impulses of an interior point do at most this fraction of the work that gravity does on a body of mean mass
  /// from rest
  static constexpr double direct_work_left = 1e-9;
  /// [1] a direct solution is accepted if its impulses leave their cones by at most this fraction of the max. impulse;
  /// sliding contacts may leave it by the fraction direct_lag of their friction, and may have that much less than their
  /// load allows. They are put back into the cone.
  static constexpr double direct_cone = 2.5e-5, direct_lag = 0.1;
  /// [m/s] a direct solution is accepted if no open contact approaches faster, and if no contact slips faster than
  /// direct_push with its friction instead of against it
  static constexpr double direct_approach = 1e-6, direct_push = 1e-5;
  /// [1], [m/s] a contact slides if its friction is above this fraction of its limit and it slips faster than
  /// direct_slip
  static constexpr double direct_slipping = 0.95, direct_slip = 1e-3;
  /// [1] a loaded contact with a gap below this fraction of the slop is closed
  static constexpr double direct_closed = 4e-3;
  /// [1] as `impact`, for a direct island: approach speed before forces act
  static constexpr double direct_impact = 0.5;
  /// [1] in the work of an island's sweeps, counted in scalar multiply-adds: factorisations and interior points of an
  /// island may add up to direct_credit over its last calls. Every call takes direct_income off them. The sweeps run on
  /// lanes, so that direct_income is about half of their time.
  static constexpr double direct_income = 0.125, direct_credit = 8;
  /// [multiply-adds] an interior point with less work may use more than the credit, if half of it is left
  static constexpr double direct_small = 1e6;
  static constexpr double direct_turn = 0.3;  ///< [rad] max. rotation of a body by the position correction of a step
  /// [1] position errors of a joint below direct_closed times its slop are not corrected; without a column
  /// position_error this fraction
  static constexpr double direct_joint_drift = 1e-9;
  /// [1] fraction of the stiffness of joints in tension, times the square of the step, in the inertia of their bodies
  static constexpr double direct_tension = 0.5;
  /// Joints aim at where their arms will be after the step. [rad] The aim is smaller where a body turns by more in a
  /// step, and [1] where tension adds more than this fraction to its inertia.
  static constexpr double direct_curve = 0.15, direct_curve_tension = 0.1;
  static constexpr double direct_turned = 0.01;  ///< [rad] the inertia of a body turns with it if it has turned by more
  static constexpr int direct_substeps = 16;     ///< [1] max. number of substeps of a direct island: 1, 2, 4, ...
  /// [rad] an island with joints takes one if no arm turns by more than direct_still_turn in the step, else as many as
  /// keep the turn of an arm in a substep within direct_arm_turn
  static constexpr double direct_still_turn = 0.004, direct_arm_turn = 0.06;
  /// [rad] the same for islands with contacts, which take more energy than the turn of an arm changes
  static constexpr double direct_contact_still_turn = 0.03, direct_contact_arm_turn = 0.1;
  /// [1] a direct island of contacts with keys is a large one from large_bodies bodies on. It may have
  /// large_max_bodies.
  static constexpr int large_bodies = 100, large_max_bodies = 16384;
  /// [multiply-adds], [1] a large island whose factorisation takes more, or more than this multiple of its sweeps, is
  /// swept
  static constexpr double large_max_work = 4e8, large_max_share = 1.5;
  /// [1] a large island factors in every call if that takes less than this fraction of its iterations. Otherwise it
  /// factors only for certificates.
  static constexpr double large_cheap = 1.0 / 16;
  /// [1] a certificate may use this fraction of the work of the island's iterations in a call: large_slice in addition
  /// to them, large_slice_held instead of them
  static constexpr double large_slice = 0.2, large_slice_held = 0.4;
  /// [1] contacts with a gap below this fraction of the slop count as closed in a large island
  static constexpr double large_closed = 0.2;
  /// [1] a certificate begins if the RMS speed of the island's bodies is below large_calm of gravity × time step, and
  /// is dropped above large_restless
  static constexpr double large_calm = 0.3, large_restless = 3;
  /// [1] an island that can rest is stopped if no body is faster than large_slow of gravity × time step, and held if
  /// none is faster than large_still
  static constexpr double large_slow = 0.3, large_still = 6e-6;
  /// [1] an island that rests on a certificate is stopped in every call if no body is faster than this fraction of
  /// gravity × time step. A body whose forces are out of balance by less than this fraction of its weight stays.
  static constexpr double large_stop = 1e-3;
  static constexpr int large_holds = 24;  ///< [1] max. number of consecutive calls that hold an island
  static constexpr int large_waits = 16;  ///< [1] calls that a certificate waits until its island is slow
  /// [1] fraction of the friction cone that the impulses of a certificate may use
  static constexpr double large_cone = 0.9;
  /// [1] a certificate has converged if its velocities change by less than this fraction of the max. change by forces
  static constexpr double large_converged = 6e-9;
  /// [1] max. number of iterations of a certificate, for an island that moves and for one that is held
  static constexpr int large_iterations = 48, large_iterations_held = 150;
  /// [1] an island is not in balance if a loaded body is faster than this fraction of gravity × time step in its
  /// certificate
  static constexpr double large_unbalanced = 0.02;
  /// [1] relative: a row with a smaller pivot repeats other rows of its joint (sequential impacts), and a direction of
  /// a contact with a smaller response is held by the rows between its two bodies (ncp)
  static constexpr double min_pivot = 1e-10;
  /// [1] a row that only turns its bodies is singular if its response Σ w·J w is at most this multiple of ε times the
  /// sum of the absolute values of its terms
  static constexpr double singular_row = 8;
  /// [1] ncp: a limit of a row is ignored if it exceeds this multiple of the sum of the impulses that would stop each
  /// contact and row of the island separately
  static constexpr double no_bound = 1e9;
  /// [1] relative: three rows of a joint whose pivots are all at least this are solved at once. float's rounding ε then
  /// changes their inverse by at most ε / triple_pivot² = 6 %. For Pgs and BenderSchmitt.
  static constexpr double triple_pivot = 1e-3;
  /// [1] an island of sequential impacts that has not converged has stalled if its energy falls by less than this
  /// fraction in the second half of the impacts; T is float or double
  template <class T>
  static constexpr double stalled = sizeof(T) == sizeof(float) ? 1e-4 : 1e-6;
};

}  // namespace carom
