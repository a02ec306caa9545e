// Collisions of mechanisms in C, as in mechanism.hpp. Not yet stable (README.md#what-is-promised).
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
  double tangent_1[3], tangent_2[3], normal[3];  ///< [1]
  double k[6];                                   ///< [1/kg] xx, xy, xz, yy, yz, zz
  double separation_velocity[3];                 ///< [m/s] u0
  double friction, restitution;                  ///< [1]
  int32_t locked;
} carom_mechanism_contact;

/// MechanismOptions.
typedef struct carom_mechanism_options {
  size_t struct_size;
  double redundancy, min_eigenvalue;  ///< [1]
} carom_mechanism_options;

/// Sets the defaults; struct_size is sizeof *options.
CAROM_EXPORT void carom_mechanism_options_init(carom_mechanism_options* options, size_t struct_size);

/// Bodies of a scene whose joints hold during an impact.
typedef struct carom_mechanisms carom_mechanisms;

/// `options` may be NULL. The columns of the scene must outlive the mechanisms; its structs are copied.
CAROM_EXPORT carom_error carom_mechanisms_create(int32_t precision, const carom_scene* scene,
                                                 const carom_mechanism_options* options, carom_mechanisms** mechanisms);
/// Does nothing if `mechanisms` is NULL.
CAROM_EXPORT void carom_mechanisms_destroy(carom_mechanisms* mechanisms);

/// Computes K and u0 of a contact of the scene. Set struct_size of `contact` first.
CAROM_EXPORT carom_error carom_mechanisms_contact(const carom_mechanisms* mechanisms, size_t index,
                                                  carom_mechanism_contact* contact);

/// Applies an impulse [N s] in the frame of the contact to the velocities of all bodies. Adds the impulses of the rows
/// to `joint_impulse`, which may be NULL.
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
