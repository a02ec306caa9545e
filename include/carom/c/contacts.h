// Contacts and their results in C, in 3D and in the plane. contacts.hpp and planar.hpp describe the columns, their
// units and ranges.
#pragma once

#include <carom/c/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/// States of bodies. All columns are required.
typedef struct carom_bodies {
  carom_column inverse_mass;         ///< [1/kg]
  carom_symmetric3 inverse_inertia;  ///< [1/(kg m²)] world frame, about the centre of mass
  carom_vectors3 velocity;           ///< [m/s]
  carom_vectors3 angular_velocity;   ///< [rad/s]
} carom_bodies;

/// States of bodies in the plane. All columns are required.
typedef struct carom_planar_bodies {
  carom_column inverse_mass, inverse_inertia;
  carom_vectors2 velocity;
  carom_column angular_velocity;
} carom_planar_bodies;

/// Returns columns of n immovable bodies at rest, for both precisions. `r_b` is required with them.
CAROM_EXPORT carom_bodies carom_immovable(size_t n);
/// Same in the plane.
CAROM_EXPORT carom_planar_bodies carom_planar_immovable(size_t n);

/// Weights of the components of a composite law.
typedef struct carom_weights {
  carom_column incremental, frictionless, chatterjee_ruina, bilinear, smith;
  carom_column anitescu_potra, pfeiffer_glocker, brach, projected, polar;
} carom_weights;

/// Laws of single contacts and parameters of the laws. Every column is optional.
typedef struct carom_law_columns {
  size_t struct_size;
  carom_column law;                               ///< uint8_t, a carom_law
  carom_column restitution_law;                   ///< uint8_t, a carom_restitution_law
  carom_column step;                              ///< [N s]
  carom_column tangential_restitution;            ///< [1]
  carom_column impulse_ratio_1, impulse_ratio_2;  ///< [1]
  carom_column polar_angle, azimuth;              ///< [rad]
  carom_column fraction;                          ///< [1]
  carom_vectors3 candidate;                       ///< [N s]; planar x, y
  carom_weights weight;                           ///< [1]
} carom_law_columns;

/// Contacts that contain the state of both bodies. All columns have the same length and are required, except that `b`
/// and `r_b` may be absent together: body B is then the immovable world.
typedef struct carom_contacts {
  size_t struct_size;
  carom_column friction, restitution;  ///< [1]
  carom_vectors3 normal, r_a, r_b;     ///< [1] unit, from B to A; [m] contact point minus centre of mass
  carom_bodies a, b;
  const carom_law_columns* laws;  ///< optional
} carom_contacts;

/// Contacts that refer to bodies by index. The columns of `bodies` have the length of the bodies.
typedef struct carom_indexed_contacts {
  size_t struct_size;
  carom_column friction, restitution;
  carom_vectors3 normal, r_a, r_b;
  carom_column body_a, body_b;  ///< int32_t: index into `bodies`, -1 for the immovable world
  carom_bodies bodies;
  const carom_law_columns* laws;  ///< optional
} carom_indexed_contacts;

/// Contacts given by collision matrix K and separation velocity, in a frame with the normal along z.
typedef struct carom_k_contacts {
  size_t struct_size;
  carom_column friction, restitution;
  carom_symmetric3 k;                  ///< [1/kg]
  carom_vectors3 separation_velocity;  ///< [m/s]
  const carom_law_columns* laws;       ///< optional
} carom_k_contacts;

/// Planar contacts that contain the state of both bodies.
typedef struct carom_planar_contacts {
  size_t struct_size;
  carom_column friction, restitution;
  carom_vectors2 normal, r_a, r_b;
  carom_planar_bodies a, b;
  const carom_law_columns* laws;  ///< optional
} carom_planar_contacts;

/// Planar contacts that refer to bodies by index.
typedef struct carom_planar_indexed_contacts {
  size_t struct_size;
  carom_column friction, restitution;
  carom_vectors2 normal, r_a, r_b;
  carom_column body_a, body_b;
  carom_planar_bodies bodies;
  const carom_law_columns* laws;  ///< optional
} carom_planar_indexed_contacts;

/// Planar contacts given by collision matrix K and separation velocity; x is the tangent, y the normal.
typedef struct carom_planar_k_contacts {
  size_t struct_size;
  carom_column friction, restitution;
  carom_symmetric2 k;
  carom_vectors2 separation_velocity;
  const carom_law_columns* laws;  ///< optional
} carom_planar_k_contacts;

/// Results. Every column is optional, and may be the input column that it replaces.
typedef struct carom_results {
  size_t struct_size;
  carom_outputs3 impulse;                         ///< [N s] on A
  carom_outputs3 separation_velocity;             ///< [m/s] after the collision
  carom_outputs3 velocity_a, angular_velocity_a;  ///< [m/s], [rad/s] after this contact alone; not for carom_solve_k
  carom_outputs3 velocity_b, angular_velocity_b;
  carom_output status;                                ///< uint8_t, a carom_status
  carom_output path;                                  ///< carom_path
  carom_output work_compression, work_decompression;  ///< [J]
  carom_output steps;                                 ///< int32_t
} carom_results;

/// Results of planar contacts.
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
  void* data;
  size_t count, block_elements;
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

CAROM_EXPORT carom_error carom_blocked_contacts_create(int32_t precision, size_t count,
                                                       carom_blocked_contacts** contacts);
CAROM_EXPORT void carom_blocked_contacts_destroy(carom_blocked_contacts* contacts);
/// Sets the laws. The columns must outlive the container. NULL: no columns.
CAROM_EXPORT carom_error carom_blocked_contacts_set_laws(carom_blocked_contacts* contacts,
                                                         const carom_law_columns* laws);
/// Gets views of the columns, to fill them.
CAROM_EXPORT carom_error carom_blocked_contacts_columns(carom_blocked_contacts* contacts,
                                                        carom_blocked_columns* columns);

#ifdef __cplusplus
}
#endif
