// Derivatives of the response of single contacts in C: gradients.hpp and body_gradients.hpp tell the rest.
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/region.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Derivatives by the weights of a composite's members.
typedef struct carom_weight_outputs {
  carom_output incremental, frictionless, chatterjee_ruina, bilinear, smith;
  carom_output anitescu_potra, pfeiffer_glocker, brach, projected, polar;
} carom_weight_outputs;

/// Derivatives of one number [its unit] by the numbers of a contact [1 / their units]. Every column is optional.
typedef struct carom_derivatives {
  size_t struct_size;
  carom_output friction, restitution;
  carom_symmetric_outputs3 k;  ///< one with i < j moves both entries
  carom_outputs3 separation_velocity;
  carom_output tangential_restitution, impulse_ratio_1, impulse_ratio_2, polar_angle, azimuth, fraction;
  carom_outputs3 candidate;
  carom_weight_outputs weight;
} carom_derivatives;

/// Derivatives ∂f by the numbers of a contact, from those of f by p and u.
typedef struct carom_vector_jacobian_product {
  size_t struct_size;
  carom_vectors3 impulse;              ///< [f / (N s)] optional: zeros
  carom_vectors3 separation_velocity;  ///< [f / (m/s)] optional: zeros
  const carom_derivatives* product;    ///< optional
} carom_vector_jacobian_product;

/// Where gradients go, in the frame of the contact, whose normal is along z. Pointers may be NULL, columns empty.
typedef struct carom_gradients {
  size_t struct_size;
  const carom_derivatives* impulse_x;              ///< of p_x [N s]
  const carom_derivatives* impulse_y;              ///< of p_y [N s]
  const carom_derivatives* impulse_z;              ///< of p_z [N s]
  const carom_derivatives* velocity_x;             ///< of u_x [m/s]
  const carom_derivatives* velocity_y;             ///< of u_y [m/s]
  const carom_derivatives* velocity_z;             ///< of u_z [m/s]
  const carom_vector_jacobian_product* cotangent;  ///< instead of a Jacobian, or beside it
  carom_output status;                             ///< uint8_t, a carom_gradient_status
} carom_gradients;

/// How many contacts have each status.
typedef struct carom_gradient_report {
  size_t struct_size;
  size_t contacts;
  size_t by_status[CAROM_STATUS_ROOM];  ///< by carom_gradient_status
} carom_gradient_report;

/// Solver::differentiate. `gradients`, `options` and `report` may be NULL. `tolerance` is finite and >= 0, or
/// CAROM_DEFAULT_TOLERANCE.
CAROM_EXPORT carom_error carom_differentiate(carom_solver* solver, int32_t precision, const carom_k_contacts* contacts,
                                             const carom_gradients* gradients, const carom_options* options,
                                             double tolerance, carom_gradient_report* report);

/// A body of a contact, in the world.
typedef struct carom_contact_body {
  double inverse_mass;         ///< [1/kg]
  double inverse_inertia[6];   ///< [1/(kg m²)] xx, xy, xz, yy, yz, zz
  double lever[3];             ///< [m]
  double velocity[3];          ///< [m/s]
  double angular_velocity[3];  ///< [rad/s]
} carom_contact_body;

/// The contact of two bodies.
typedef struct carom_body_pair {
  double normal[3];  ///< unit, from B to A
  carom_contact_body a, b;
} carom_body_pair;

/// A contact as collision laws see it.
typedef struct carom_contact_space {
  double frame[3][3];             ///< [1] rows: two tangents and the normal
  double k[6];                    ///< [1/kg] xx, xy, xz, yy, yz, zz in the frame
  double separation_velocity[3];  ///< [m/s] in the frame
} carom_contact_space;

/// The results of carom_differentiate for a contact and the cotangent that it was given, in the frame of
/// carom_contact_space.
typedef struct carom_contact_cotangent {
  double k[6], separation_velocity[3];  ///< the product's
  double impulse[3], of_impulse[3];     ///< p, and the cotangent of it
  double velocity[3], of_velocity[3];   ///< u after the collision, and the cotangent of it
} carom_contact_cotangent;

/// contact_space: K and u0 of two bodies.
CAROM_EXPORT carom_error carom_contact_space_of(const carom_body_pair* pair, carom_contact_space* space);
/// pull_back: the derivatives of f by every number of the pair, in its place.
CAROM_EXPORT carom_error carom_pull_back(const carom_body_pair* pair, const carom_contact_space* space,
                                         const carom_contact_cotangent* cotangent, carom_body_pair* derivatives);

#ifdef __cplusplus
}
#endif
