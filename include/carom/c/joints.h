// Rows of the usual joints, and coefficients of pairs of bodies, in C. Not yet stable (README.md#what-is-promised).
#pragma once

#include <carom/c/base.h>
#include <carom/c/enums.h>
#include <carom/c/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The bodies of a joint, and the offsets from their centres of mass to its point, in the world frame. If the points of
/// A and B have drifted apart, each offset leads to the body's own point.
///
/// Rows keep the velocity between the points at 0. The position error of a linear row is the position of A's point
/// minus the position of B's point, along the row. The position error of an angular row about p, which is angular_a of
/// the row, is p · (rotation of A against B) [rad]. Methods with position correction correct it if you set
/// position_error of the row with carom_joints_set. For other methods, set target_velocity to -position_error · rate /
/// time step, with the fraction `rate` that a step corrects.
///
/// The functions do not check these fields. The solver reports a wrong index or number as a fault of the rows.
typedef struct carom_joint_bodies {
  int32_t a, b;           ///< index of the body, -1 for the world
  double r_a[3], r_b[3];  ///< [m] The offset of the world is ignored.
} carom_joint_bodies;

/// A row of a joint. carom_joint_rows describes the fields.
typedef struct carom_joint_row {
  size_t struct_size;
  int32_t body_a, body_b;            ///< index of the body, -1 for the world. Default -1.
  double linear_a[3], angular_a[3];  ///< [1], [m] coefficients of the row. Default 0.
  double linear_b[3], angular_b[3];  ///< [1], [m] coefficients of the row. Default 0.
  double target_velocity;            ///< [m/s] Default 0.
  double min_impulse, max_impulse;   ///< [N s] limits of λ. Default -infinity, infinity.
  double compliance;                 ///< [1/kg] >= 0. Default 0.
  double warm_impulse;               ///< [N s] initial λ. Default 0.
  uint64_t key;                      ///< name of the row from step to step; 0: no name. Default 0.
  double position_error;             ///< [m] Default 0.
  double frequency;                  ///< [Hz] >= 0, 0 for motors. Default infinity.
  double damping_ratio;              ///< [1] >= 0. Default 2.
  double r_a[3], r_b[3];             ///< [m] offsets of the two points that the row keeps together. Default 0.
} carom_joint_row;

/// Sets the defaults and struct_size. The argument `struct_size` is sizeof *row.
CAROM_EXPORT void carom_joint_row_init(carom_joint_row* row, size_t struct_size);

/// A container of rows, in float or double.
typedef struct carom_joints carom_joints;

/// Creates an empty container. `precision` is a carom_precision.
CAROM_EXPORT carom_error carom_joints_create(int32_t precision, carom_joints** joints);
/// Does nothing if `joints` is NULL.
CAROM_EXPORT void carom_joints_destroy(carom_joints* joints);
/// Returns the number of rows; 0 if `joints` is NULL.
CAROM_EXPORT size_t carom_joints_count(const carom_joints* joints);
/// Removes all rows.
CAROM_EXPORT carom_error carom_joints_clear(carom_joints* joints);
/// Adds a row. Its numbers are converted to the precision of the container.
CAROM_EXPORT carom_error carom_joints_add(carom_joints* joints, const carom_joint_row* row);
/// Reads row `index`. Set struct_size of `row` first.
CAROM_EXPORT carom_error carom_joints_get(const carom_joints* joints, size_t index, carom_joint_row* row);
/// Replaces row `index`, for example to change its limits, key or position error.
CAROM_EXPORT carom_error carom_joints_set(carom_joints* joints, size_t index, const carom_joint_row* row);
/// Sets `rows` to views of the rows. Set its struct_size first. Valid until rows are added or removed or the container
/// is destroyed. Columns of warm impulses and keys are present if any of them is not 0; all other columns are always
/// present. Set frequency and damping_ratio of the rows: joint_frequency and joint_damping_ratio of
/// carom_position_correction are an error with these columns. Methods without position correction refuse some of the
/// columns: call carom_scene_select.
CAROM_EXPORT carom_error carom_joints_rows(const carom_joints* joints, carom_joint_rows* rows);

// Axes and directions are in the world frame and may have any length except 0. An axis of length 0 or with a number
// that is not finite is an error, and no row is added. Rows are appended: the first row of a joint has the index that
// carom_joints_count returned before.

/// Adds 3 rows: the points stay together. The rows are the velocity along x, y and z of the world.
CAROM_EXPORT carom_error carom_add_ball_joint(carom_joints* joints, const carom_joint_bodies* bodies);
/// Adds 5 rows: a ball joint whose bodies turn relative to each other only about `axis`. The rows of the ball joint
/// come first.
CAROM_EXPORT carom_error carom_add_hinge(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3]);
/// Adds 5 rows: B's point moves along `axis` of A, and the bodies do not turn relative to each other.
CAROM_EXPORT carom_error carom_add_slider(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3]);
/// Adds 6 rows: both bodies move as one.
CAROM_EXPORT carom_error carom_add_fixed_joint(carom_joints* joints, const carom_joint_bodies* bodies);
/// Adds 1 row: turns A relative to B about `axis` at `speed` [rad/s]. `max_impulse` [N m s] limits its angular impulse
/// in both directions; it is the maximum torque times the time step.
CAROM_EXPORT carom_error carom_add_motor(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3],
                                         double speed, double max_impulse);
/// Adds 1 row: moves A's point relative to B's along `axis` at `speed` [m/s]. `max_impulse` [N s] limits its impulse in
/// both directions.
CAROM_EXPORT carom_error carom_add_linear_motor(carom_joints* joints, const carom_joint_bodies* bodies,
                                                const double axis[3], double speed, double max_impulse);
/// Adds 1 row: the points keep their distance along `direction`, which points from B's point to A's. Its impulse is > 0
/// if the joint pushes the points apart; a rope is a row with max_impulse = 0.
CAROM_EXPORT carom_error carom_add_distance_joint(carom_joints* joints, const carom_joint_bodies* bodies,
                                                  const double direction[3]);

/// Sets `*result` to the coefficient [1] of a contact of bodies with the coefficients `a` and `b`. `rule` is a
/// carom_combine_rule. The result is NaN if `a` or `b` is NaN, so that solvers report the contact. GEOMETRIC_MEAN and
/// PRODUCT need coefficients >= 0: they are NaN if one is negative, and 0 if one is 0.
CAROM_EXPORT carom_error carom_combine(int32_t rule, double a, double b, double* result);
/// Same for every contact. `of_bodies` has the coefficient of each body; `of_world` is the coefficient of the immovable
/// world, index -1. `body_a`, `body_b` (int32_t) and `result` are as long as the contacts. `result` must not overlap an
/// input. It is NaN if an index is out of range.
CAROM_EXPORT carom_error carom_combine_columns(int32_t precision, int32_t rule, const carom_column* of_bodies,
                                               double of_world, const carom_column* body_a, const carom_column* body_b,
                                               const carom_output* result);

#ifdef __cplusplus
}
#endif
