// Contacts and their results in C, in 3D and in the plane. carom.h has the conventions for signs and frames.
//
// In the plane the tangent of a contact is t = (n_y, -n_x), and angles and angular velocities are positive
// anticlockwise.
#pragma once

#include <carom/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// States of bodies. All columns are required.
typedef struct carom_bodies {
  carom_column inverse_mass;         ///< [1/kg] >= 0, 0 for an immovable body
  carom_symmetric3 inverse_inertia;  ///< [1/(kg m²)] world frame, about the centre of mass, positive semidefinite
  carom_vectors3 velocity;           ///< [m/s] of the centre of mass
  carom_vectors3 angular_velocity;   ///< [rad/s] world frame
} carom_bodies;

/// States of bodies in the plane. All columns are required.
typedef struct carom_planar_bodies {
  carom_column inverse_mass;      ///< [1/kg] >= 0, 0 for an immovable body
  carom_column inverse_inertia;   ///< [1/(kg m²)] >= 0, about the centre of mass
  carom_vectors2 velocity;        ///< [m/s] of the centre of mass
  carom_column angular_velocity;  ///< [rad/s]
} carom_planar_bodies;

/// Returns columns of n immovable bodies at rest, for both precisions. If you pass them as `b`, pass `r_b` as well.
CAROM_EXPORT carom_bodies carom_immovable(size_t n);
/// Same in the plane.
CAROM_EXPORT carom_planar_bodies carom_planar_immovable(size_t n);

/// Weights of the components of CAROM_LAW_COMPOSITE, relative to their sum.
typedef struct carom_weights {
  carom_column incremental, frictionless, chatterjee_ruina, bilinear, smith;
  carom_column anitescu_potra, pfeiffer_glocker, brach, projected, polar;
} carom_weights;

/// Laws of single contacts, and the parameters of the laws in addition to friction and restitution. Every column is
/// optional. A contact whose law reads a missing column is at fault (CAROM_STATUS_LAW_PARAMETER_MISSING);
/// carom_law_parameter_at lists the columns of a law. Columns are as long as the contacts. Values
/// of contacts whose law does not read a column are ignored. A column that no contact of the call can read is an error,
/// in scenes also under carom_sequential_impacts. With the column `law`, contacts may have any law; CAROM_LAW_COMPOSITE
/// has the laws whose weights are given.
///
/// Directions about the normal are measured against the slip before the collision: axis 1 is -u0_t / |u0_t|, axis 2 is
/// n × axis 1. Without slip, axis 1 is the first axis of carom_k_contacts; for a contact of bodies it is a tangent that
/// depends only on the normal.
typedef struct carom_law_columns {
  size_t struct_size;
  carom_column law;              ///< uint8_t, a carom_law. Default: `law` of the options.
  carom_column restitution_law;  ///< uint8_t, a carom_restitution_law. Default: restitution_law of the options.
  carom_column step;             ///< [N s] step of CAROM_INTEGRATOR_EULER. In (0, |u0| / trace K]. Default: `steps`
                                 ///< of the options.
  carom_column tangential_restitution;  ///< [1] chatterjee_ruina, bilinear, pfeiffer_glocker: e_t. In [-1, 1].
  carom_column impulse_ratio_1;         ///< [1] brach: p_t / p_n along axis 1. Finite.
  carom_column impulse_ratio_2;         ///< [1] brach: p_t / p_n along axis 2. Finite. 3D only.
  carom_column polar_angle;  ///< [rad] polar: angle from the normal. In [0, π]; planar: in [-π, π], > 0 towards axis 1.
  carom_column azimuth;      ///< [rad] polar: angle from axis 1 to axis 2. Finite. 3D only.
  carom_column fraction;     ///< [1] polar: fraction of the way from 1.5 P_I to the boundary. In [0, 1].
  carom_vectors3 candidate;  ///< [N s] projected: the impulse, in the frame of the results. Planar: x, y.
  carom_weights weight;      ///< [1] composite: >= 0, at least one > 0. Default 0.
} carom_law_columns;

/// Contacts that contain the state of both bodies. All columns have the same length and are required, except that `b`
/// and `r_b` may be absent together: body B is then the immovable world.
typedef struct carom_contacts {
  size_t struct_size;
  carom_column friction;          ///< [1] Coulomb coefficient μ. >= 0, may be infinite.
  carom_column restitution;       ///< [1] coefficient of restitution e. In [0, max_restitution of the options].
  carom_vectors3 normal;          ///< [1] unit vector from B to A, within normal_tolerance of the options
  carom_vectors3 r_a;             ///< [m] contact point minus centre of mass of A
  carom_vectors3 r_b;             ///< [m] contact point minus centre of mass of B
  carom_bodies a, b;              ///< the states of the bodies before the collision
  const carom_law_columns* laws;  ///< optional
} carom_contacts;

/// Contacts that refer to bodies by index. The columns of `bodies` are as long as the bodies, all other columns as long
/// as the contacts.
typedef struct carom_indexed_contacts {
  size_t struct_size;
  carom_column friction, restitution;  ///< [1] as in carom_contacts
  carom_vectors3 normal;               ///< [1] as in carom_contacts
  carom_vectors3 r_a, r_b;             ///< [m] contact point minus centre of mass
  carom_column body_a, body_b;         ///< int32_t: index into `bodies`, -1 for the immovable world
  carom_bodies bodies;                 ///< states of all bodies
  const carom_law_columns* laws;       ///< optional
} carom_indexed_contacts;

/// Contacts given by collision matrix K and separation velocity, in a frame with the normal along z.
typedef struct carom_k_contacts {
  size_t struct_size;
  carom_column friction, restitution;  ///< [1] as in carom_contacts
  carom_symmetric3 k;                  ///< [1/kg] collision matrix K: u - u0 = K p. Positive definite.
  carom_vectors3 separation_velocity;  ///< [m/s] u0: u before the collision
  const carom_law_columns* laws;       ///< optional
} carom_k_contacts;

/// Planar contacts that contain the state of both bodies. `b` and `r_b` may be absent together: body B is then the
/// immovable world.
typedef struct carom_planar_contacts {
  size_t struct_size;
  carom_column friction, restitution;  ///< [1] as in carom_contacts
  carom_vectors2 normal;               ///< [1] as in carom_contacts
  carom_vectors2 r_a, r_b;             ///< [m] contact point minus centre of mass
  carom_planar_bodies a, b;            ///< the states of the bodies before the collision
  const carom_law_columns* laws;       ///< optional
} carom_planar_contacts;

/// Planar contacts that refer to bodies by index.
typedef struct carom_planar_indexed_contacts {
  size_t struct_size;
  carom_column friction, restitution;  ///< [1] as in carom_contacts
  carom_vectors2 normal;               ///< [1] as in carom_contacts
  carom_vectors2 r_a, r_b;             ///< [m] contact point minus centre of mass
  carom_column body_a, body_b;         ///< int32_t: index into `bodies`, -1 for the immovable world
  carom_planar_bodies bodies;          ///< states of all bodies
  const carom_law_columns* laws;       ///< optional
} carom_planar_indexed_contacts;

/// Planar contacts given by collision matrix K and separation velocity; x is the tangent, y the normal.
typedef struct carom_planar_k_contacts {
  size_t struct_size;
  carom_column friction, restitution;  ///< [1] as in carom_contacts
  carom_symmetric2 k;                  ///< [1/kg] collision matrix K: u - u0 = K p. Positive definite.
  carom_vectors2 separation_velocity;  ///< [m/s] u0: u before the collision
  const carom_law_columns* laws;       ///< optional
} carom_planar_k_contacts;

/// Results. Every column is optional, as long as the contacts, and may be the input column that it replaces. Any other
/// overlap with an input is an error of the caller.
typedef struct carom_results {
  size_t struct_size;
  carom_outputs3 impulse;              ///< [N s] on A, in the world frame; carom_solve_k: in the frame of the contact
  carom_outputs3 separation_velocity;  ///< [m/s] u after the collision, in the same frame; NaN if faulty data leave it
                                       ///< unknown
  carom_outputs3 velocity_a, angular_velocity_a;  ///< [m/s], [rad/s] after this contact alone; not for carom_solve_k
  carom_outputs3 velocity_b, angular_velocity_b;  ///< [m/s], [rad/s] same, of B
  carom_output status;                            ///< uint8_t, a carom_status
  carom_output path;                              ///< carom_path
  // The following results are for CAROM_LAW_INCREMENTAL, and 0 for other laws.
  carom_output work_compression;    ///< [J] work of the normal force while u·n < 0. <= 0.
  carom_output work_decompression;  ///< [J] work of the normal force while u·n >= 0. >= 0.
  carom_output steps;               ///< int32_t: number of integration steps; 0 for planar contacts
} carom_results;

/// Results of planar contacts, as carom_results. An angular velocity is one number.
typedef struct carom_planar_results {
  size_t struct_size;
  carom_outputs2 impulse, separation_velocity;
  carom_outputs2 velocity_a;
  carom_output angular_velocity_a;
  carom_outputs2 velocity_b;
  carom_output angular_velocity_b;
  carom_output status, path, work_compression, work_decompression, steps;
} carom_planar_results;

/// Column in blocks of 16: element i has the address data + i / 16 * block_elements + i % 16, in elements.
typedef struct carom_blocked_column {
  void* data;             ///< float or double, the precision of the container
  size_t count;           ///< number of elements
  size_t block_elements;  ///< [elements] distance from one block to the next
} carom_blocked_column;

/// Vectors in blocks.
typedef struct carom_blocked_vectors3 {
  carom_blocked_column x, y, z;
} carom_blocked_vectors3;

/// Symmetric matrices in blocks.
typedef struct carom_blocked_symmetric3 {
  carom_blocked_column xx, xy, xz, yy, yz, zz;
} carom_blocked_symmetric3;

/// States of bodies in blocks.
typedef struct carom_blocked_bodies {
  carom_blocked_column inverse_mass;
  carom_blocked_symmetric3 inverse_inertia;
  carom_blocked_vectors3 velocity, angular_velocity;
} carom_blocked_bodies;

/// Views of the columns of carom_blocked_contacts.
typedef struct carom_blocked_columns {
  carom_blocked_column friction, restitution;
  carom_blocked_vectors3 normal, r_a, r_b;
  carom_blocked_bodies a, b;
} carom_blocked_columns;

/// Container of contacts in blocks, for batches larger than the caches (blocked.hpp). Initially all zero.
typedef struct carom_blocked_contacts carom_blocked_contacts;

/// Creates a container of `count` contacts. `precision` is a carom_precision.
CAROM_EXPORT carom_error carom_blocked_contacts_create(int32_t precision, size_t count,
                                                       carom_blocked_contacts** contacts);
/// Does nothing if `contacts` is NULL.
CAROM_EXPORT void carom_blocked_contacts_destroy(carom_blocked_contacts* contacts);
/// Sets the laws. The struct is copied; its columns must outlive the container. NULL: no columns.
CAROM_EXPORT carom_error carom_blocked_contacts_set_laws(carom_blocked_contacts* contacts,
                                                         const carom_law_columns* laws);
/// Sets `*columns` to views of the columns, to fill them. Valid until the container is destroyed.
CAROM_EXPORT carom_error carom_blocked_contacts_columns(carom_blocked_contacts* contacts,
                                                        carom_blocked_columns* columns);

#ifdef __cplusplus
}
#endif
