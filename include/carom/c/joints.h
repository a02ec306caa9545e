// Rows of the usual joints, and coefficients of pairs of bodies, in C: joints.hpp tells the rest. Not yet promised, as
// it is.
#pragma once

#include <carom/c/base.h>
#include <carom/c/enums.h>
#include <carom/c/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The bodies of a joint, -1 for the world, and the lever arms from their centres of mass to its point.
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
  double error, frequency, damping_ratio;  ///< [m], [Hz], [1]
  double r_a[3], r_b[3];                   ///< [m]
} carom_joint_row;

/// Sets the defaults; struct_size is sizeof *row.
CAROM_EXPORT void carom_joint_row_init(carom_joint_row* row, size_t struct_size);

/// A container of rows, in float or double.
typedef struct carom_joints carom_joints;

/// An empty container.
CAROM_EXPORT carom_error carom_joints_create(int32_t precision, carom_joints** joints);
/// NULL is none.
CAROM_EXPORT void carom_joints_destroy(carom_joints* joints);
/// The number of rows.
CAROM_EXPORT size_t carom_joints_count(const carom_joints* joints);
/// Takes all rows away.
CAROM_EXPORT carom_error carom_joints_clear(carom_joints* joints);
/// Adds a row of the host's.
CAROM_EXPORT carom_error carom_joints_add(carom_joints* joints, const carom_joint_row* row);
/// Reads a row.
CAROM_EXPORT carom_error carom_joints_get(const carom_joints* joints, size_t index, carom_joint_row* row);
/// Writes a row: other bounds, keys, warm impulses, errors.
CAROM_EXPORT carom_error carom_joints_set(carom_joints* joints, size_t index, const carom_joint_row* row);
/// Sets `rows` to views of the rows, until rows are added or taken away; its struct_size is set before.
CAROM_EXPORT carom_error carom_joints_rows(const carom_joints* joints, carom_joint_rows* rows);

/// 3 rows: the points do not part. The functions that add rows begin at carom_joints_count.
CAROM_EXPORT carom_error carom_add_ball_joint(carom_joints* joints, const carom_joint_bodies* bodies);
/// 5 rows: a ball joint whose bodies turn against each other about `axis` alone.
CAROM_EXPORT carom_error carom_add_hinge(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3]);
/// 5 rows: B's point moves along `axis` of A, and the bodies do not turn against each other.
CAROM_EXPORT carom_error carom_add_slider(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3]);
/// 6 rows: both bodies move as one.
CAROM_EXPORT carom_error carom_add_fixed_joint(carom_joints* joints, const carom_joint_bodies* bodies);
/// 1 row: turns A against B about `axis` at `speed` [rad/s] with at most `largest` [N m s].
CAROM_EXPORT carom_error carom_add_motor(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3],
                                         double speed, double largest);
/// 1 row: moves A's point against B's along `axis` at `speed` [m/s] with at most `largest` [N s].
CAROM_EXPORT carom_error carom_add_linear_motor(carom_joints* joints, const carom_joint_bodies* bodies,
                                                const double axis[3], double speed, double largest);
/// 1 row: the points keep their distance along `direction`, from B's point to A's.
CAROM_EXPORT carom_error carom_add_distance_joint(carom_joints* joints, const carom_joint_bodies* bodies,
                                                  const double direction[3]);

/// The coefficient of a contact by that of its bodies; `rule` is a carom_combine_rule.
CAROM_EXPORT carom_error carom_combine(int32_t rule, double a, double b, double* result);
/// The same for every contact: combine in joints.hpp.
CAROM_EXPORT carom_error carom_combine_columns(int32_t precision, int32_t rule, const carom_column* of_bodies,
                                               double of_world, const carom_column* body_a, const carom_column* body_b,
                                               const carom_output* result);

#ifdef __cplusplus
}
#endif
