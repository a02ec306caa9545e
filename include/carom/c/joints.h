// Rows of the usual joints, and coefficients of pairs of bodies, in C. joints.hpp describes them. Not yet stable
// (README.md#what-is-promised).
#pragma once

#include <carom/c/base.h>
#include <carom/c/enums.h>
#include <carom/c/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bodies of a joint (-1: the world), and the offsets from their centres of mass to its point.
typedef struct carom_joint_bodies {
  int32_t a, b;
  double r_a[3], r_b[3];  ///< [m]
} carom_joint_bodies;

/// A row of a joint, as JointRowData::Row.
typedef struct carom_joint_row {
  size_t struct_size;
  int32_t body_a, body_b;
  double linear_a[3], angular_a[3], linear_b[3], angular_b[3];  ///< [1], [m]
  double target_velocity;                                       ///< [m/s]
  double min_impulse, max_impulse;                              ///< [N s]
  double compliance;                                            ///< [1/kg]
  double warm_impulse;                                          ///< [N s]
  uint64_t key;
  double position_error, frequency, damping_ratio;  ///< [m], [Hz], [1]
  double r_a[3], r_b[3];                            ///< [m]
} carom_joint_row;

/// Sets the defaults; struct_size is sizeof *row.
CAROM_EXPORT void carom_joint_row_init(carom_joint_row* row, size_t struct_size);

/// A container of rows, in float or double.
typedef struct carom_joints carom_joints;

/// Creates an empty container.
CAROM_EXPORT carom_error carom_joints_create(int32_t precision, carom_joints** joints);
/// Does nothing if `joints` is NULL.
CAROM_EXPORT void carom_joints_destroy(carom_joints* joints);
/// Returns the number of rows.
CAROM_EXPORT size_t carom_joints_count(const carom_joints* joints);
/// Removes all rows.
CAROM_EXPORT carom_error carom_joints_clear(carom_joints* joints);
/// Adds a row.
CAROM_EXPORT carom_error carom_joints_add(carom_joints* joints, const carom_joint_row* row);
/// Reads a row.
CAROM_EXPORT carom_error carom_joints_get(const carom_joints* joints, size_t index, carom_joint_row* row);
/// Replaces a row, for example to change its limits, key or position error.
CAROM_EXPORT carom_error carom_joints_set(carom_joints* joints, size_t index, const carom_joint_row* row);
/// Sets `rows` to views of the rows. Set its struct_size first. Valid until rows are added or removed.
CAROM_EXPORT carom_error carom_joints_rows(const carom_joints* joints, carom_joint_rows* rows);

/// Adds 3 rows: the points stay together. Rows are appended, so the first one has the index carom_joints_count had.
CAROM_EXPORT carom_error carom_add_ball_joint(carom_joints* joints, const carom_joint_bodies* bodies);
/// Adds 5 rows: a ball joint whose bodies turn relative to each other only about `axis`.
CAROM_EXPORT carom_error carom_add_hinge(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3]);
/// Adds 5 rows: B's point moves along `axis` of A, and the bodies do not turn relative to each other.
CAROM_EXPORT carom_error carom_add_slider(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3]);
/// Adds 6 rows: both bodies move as one.
CAROM_EXPORT carom_error carom_add_fixed_joint(carom_joints* joints, const carom_joint_bodies* bodies);
/// Adds 1 row: turns A relative to B about `axis` at `speed` [rad/s] with at most `max_impulse` [N m s].
CAROM_EXPORT carom_error carom_add_motor(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3],
                                         double speed, double max_impulse);
/// Adds 1 row: moves A's point relative to B's along `axis` at `speed` [m/s] with at most `max_impulse` [N s].
CAROM_EXPORT carom_error carom_add_linear_motor(carom_joints* joints, const carom_joint_bodies* bodies,
                                                const double axis[3], double speed, double max_impulse);
/// Adds 1 row: the points keep their distance along `direction`, which points from B's point to A's.
CAROM_EXPORT carom_error carom_add_distance_joint(carom_joints* joints, const carom_joint_bodies* bodies,
                                                  const double direction[3]);

/// Combines the coefficients of two bodies into the coefficient of a contact. `rule` is a carom_combine_rule.
CAROM_EXPORT carom_error carom_combine(int32_t rule, double a, double b, double* result);
/// Same for every contact: combine in joints.hpp.
CAROM_EXPORT carom_error carom_combine_columns(int32_t precision, int32_t rule, const carom_column* of_bodies,
                                               double of_world, const carom_column* body_a, const carom_column* body_b,
                                               const carom_output* result);

#ifdef __cplusplus
}
#endif
