// Collisions of mechanisms in C: bodies that joints hold together while one of their contacts collides.
// docs/mechanisms.md has the equations and a worked example. Not yet stable (README.md#what-is-promised).
#pragma once

#include <carom/c/base.h>
#include <carom/c/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A contact of a mechanism in its contact frame. The third axis is the normal.
typedef struct carom_mechanism_contact {
  size_t struct_size;
  size_t index;                                  ///< index of the contact in the scene
  double tangent_1[3], tangent_2[3], normal[3];  ///< [1] axes of the frame in the world; the normal is from B to A
  double k[6];                                   ///< [1/kg] xx, xy, xz, yy, yz, zz: u - u0 = K p
  double separation_velocity[3];                 ///< [m/s] u0 minus the contact's surface_velocity and target_velocity
  double friction, restitution;                  ///< [1] as in the scene
  int32_t locked;                                ///< number of directions, 0 to 3, in which joints prevent motion
} carom_mechanism_contact;

/// Thresholds for redundant rows and locked directions.
typedef struct carom_mechanism_options {
  size_t struct_size;
  /// [1] Fraction of a row that other rows do not repeat at which it is redundant. In [0, 0.1]. Default 1e-6. A
  /// redundant row takes no impulse.
  double redundancy;
  /// [1] Eigenvalues of K below this fraction of its trace are locked directions. In [0, 0.1]. Default 1e-9.
  double min_eigenvalue;
} carom_mechanism_options;

/// Sets the defaults and struct_size. The argument `struct_size` is sizeof *options.
CAROM_EXPORT void carom_mechanism_options_init(carom_mechanism_options* options, size_t struct_size);

/// Bodies of a scene whose joints hold during an impact.
typedef struct carom_mechanisms carom_mechanisms;

/// Copies masses and rows of a scene. `precision` is a carom_precision, `options` may be NULL. The structs of the scene
/// are copied; its columns must outlive the mechanisms, because later calls read velocities and contacts.
CAROM_EXPORT carom_error carom_mechanisms_create(int32_t precision, const carom_scene* scene,
                                                 const carom_mechanism_options* options, carom_mechanisms** mechanisms);
/// Does nothing if `mechanisms` is NULL.
CAROM_EXPORT void carom_mechanisms_destroy(carom_mechanisms* mechanisms);

/// Computes K and u0 of contact `index` of the scene, with the rows held. Set struct_size of `contact` first. k,
/// separation_velocity, friction and restitution are the columns of carom_k_contacts.
CAROM_EXPORT carom_error carom_mechanisms_contact(const carom_mechanisms* mechanisms, size_t index,
                                                  carom_mechanism_contact* contact);

/// Applies an impulse [N s] on A, in the frame of the contact, and the reactions of the joints to the velocities of all
/// bodies. Adds the impulses of the rows [N s] to `joint_impulse`, which may be NULL. The columns of the scene may be
/// passed.
CAROM_EXPORT carom_error carom_mechanisms_apply(const carom_mechanisms* mechanisms,
                                                const carom_mechanism_contact* contact, const double impulse[3],
                                                const carom_outputs3* velocity, const carom_outputs3* angular_velocity,
                                                const carom_output* joint_impulse);

/// Changes the velocities until all rows have their target velocities.
CAROM_EXPORT carom_error carom_mechanisms_satisfy_rows(const carom_mechanisms* mechanisms,
                                                       const carom_outputs3* velocity,
                                                       const carom_outputs3* angular_velocity,
                                                       const carom_output* joint_impulse);

#ifdef __cplusplus
}
#endif
