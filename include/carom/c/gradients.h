// Derivatives of the response of single contacts in C. docs/gradients.md has the equations and the meaning of the
// statuses.
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/region.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Derivatives by the weights of the components of a composite law.
typedef struct carom_weight_outputs {
  carom_output incremental, frictionless, chatterjee_ruina, bilinear, smith;
  carom_output anitescu_potra, pfeiffer_glocker, brach, projected, polar;
} carom_weight_outputs;

/// Derivatives of one number by the numbers of a contact. Every column is optional. Unit: unit of the number over
/// the unit of the column.
typedef struct carom_derivatives {
  size_t struct_size;
  carom_output friction, restitution;
  carom_symmetric_outputs3 k;  ///< a change of an entry with i < j changes both entries
  carom_outputs3 separation_velocity;
  // Parameters of laws, as in carom_law_columns.
  carom_output tangential_restitution, impulse_ratio_1, impulse_ratio_2, polar_angle, azimuth, fraction;
  carom_outputs3 candidate;
  carom_weight_outputs weight;
} carom_derivatives;

/// Derivatives of a function f by the numbers of a contact, from its derivatives by p and u.
typedef struct carom_vector_jacobian_product {
  size_t struct_size;
  carom_vectors3 impulse;              ///< [f / (N s)] ∂f/∂p, optional, default 0
  carom_vectors3 separation_velocity;  ///< [f / (m/s)] ∂f/∂u, optional, default 0
  const carom_derivatives* product;    ///< result, optional
} carom_vector_jacobian_product;

/// Results of carom_differentiate, in the frame of the contact, with the normal along z. All members are optional.
typedef struct carom_gradients {
  size_t struct_size;
  const carom_derivatives* impulse_x;              ///< of p_x [N s]
  const carom_derivatives* impulse_y;              ///< of p_y [N s]
  const carom_derivatives* impulse_z;              ///< of p_z [N s]
  const carom_derivatives* velocity_x;             ///< of u_x [m/s]
  const carom_derivatives* velocity_y;             ///< of u_y [m/s]
  const carom_derivatives* velocity_z;             ///< of u_z [m/s]
  const carom_vector_jacobian_product* cotangent;  ///< instead of the rows of the Jacobian, or in addition
  carom_output status;                             ///< uint8_t, a carom_gradient_status
} carom_gradients;

/// Report: number of contacts with each status.
typedef struct carom_gradient_report {
  size_t struct_size;
  size_t contacts;                      ///< number of contacts of the call
  size_t by_status[CAROM_STATUS_ROOM];  ///< by carom_gradient_status
  int32_t ok;                           ///< 1 if every contact has a gradient, else 0
  size_t first[CAROM_STATUS_ROOM];      ///< by carom_gradient_status; see carom_gradient_report_first
} carom_gradient_report;

/// Returns the index of the first contact with this carom_gradient_status, or -1.
CAROM_EXPORT int64_t carom_gradient_report_first(const carom_gradient_report* report, int32_t status);

/// Computes derivatives of the impulse p and of u after the collision with respect to the numbers of the contacts. The
/// incremental law needs CAROM_INTEGRATOR_SERIES. A contact within `tolerance` of a border between two phases of its
/// law is ONE_SIDED or UNBOUNDED. `tolerance` [1] is relative, finite and >= 0, or CAROM_DEFAULT_TOLERANCE.
/// `gradients`, `options` and `report` may be NULL.
CAROM_EXPORT carom_error carom_differentiate(carom_solver* solver, int32_t precision, const carom_k_contacts* contacts,
                                             const carom_gradients* gradients, const carom_options* options,
                                             double tolerance, carom_gradient_report* report);

/// A body of a contact, in the world.
typedef struct carom_contact_body {
  double inverse_mass;         ///< [1/kg]
  double inverse_inertia[6];   ///< [1/(kg m²)] xx, xy, xz, yy, yz, zz
  double lever[3];             ///< [m] contact point minus centre of mass
  double velocity[3];          ///< [m/s]
  double angular_velocity[3];  ///< [rad/s]
} carom_contact_body;

/// Contact of two bodies.
typedef struct carom_body_pair {
  double normal[3];  ///< unit, from B to A
  carom_contact_body a, b;
} carom_body_pair;

/// Contact in its frame: the input of collision laws.
typedef struct carom_contact_space {
  double frame[3][3];             ///< [1] rows: two tangents and the normal
  double k[6];                    ///< [1/kg] xx, xy, xz, yy, yz, zz in the frame
  double separation_velocity[3];  ///< [m/s] in the frame
} carom_contact_space;

/// The results of carom_differentiate for a contact and the cotangent that it was given, in the frame of
/// carom_contact_space.
typedef struct carom_contact_cotangent {
  double k[6], separation_velocity[3];  ///< carom_vector_jacobian_product::product
  double impulse[3], of_impulse[3];     ///< p, and ∂f/∂p
  double velocity[3], of_velocity[3];   ///< u after the collision, and ∂f/∂u
} carom_contact_cotangent;

/// Computes K and u0 of two bodies in the contact frame.
CAROM_EXPORT carom_error carom_contact_space_of(const carom_body_pair* pair, carom_contact_space* space);
/// Computes the derivatives of f by every number of the pair, from the derivatives by K and u0. `derivatives` has each
/// derivative in the place of its number.
CAROM_EXPORT carom_error carom_pull_back(const carom_body_pair* pair, const carom_contact_space* space,
                                         const carom_contact_cotangent* cotangent, carom_body_pair* derivatives);

#ifdef __cplusplus
}
#endif
