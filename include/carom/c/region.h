// Permissible region of impulses in C: no law of rigid-body collisions should leave it. docs/laws.md describes it.
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The default tolerance: 64 ε of the precision.
#define CAROM_DEFAULT_TOLERANCE (-1.0)

/// Distance of impulses p from each limit of the region; negative outside. Every column is optional and as long as the
/// contacts. Margins of contacts at fault are NaN.
typedef struct carom_region_margins {
  size_t struct_size;
  carom_output energy;           ///< [J] kinetic energy that is lost: -(p·u0 + ½ p·K p)
  carom_output non_penetration;  ///< [m/s] (u0 + K p)·n
  carom_output tension;          ///< [N s] p·n
  carom_output cone;             ///< [N s] μ p·n - |p_t|; infinite if friction is infinite
  carom_output status;           ///< uint8_t, a carom_status: OK, SEPARATING, or the fault of the data
} carom_region_margins;

/// Impulses that span the impulse space, in the frame of the results. Every column is optional.
typedef struct carom_impulse_space {
  size_t struct_size;
  carom_outputs3 plastic_frictionless;  ///< [N s] P_I: stops the approach without friction
  carom_outputs3 plastic_sticking;      ///< [N s] P_II: stops all of u
  carom_output contact_energy;          ///< [J] ½ u0·K⁻¹ u0: the maximum energy that a collision can dissipate
} carom_impulse_space;

/// Same for planar contacts.
typedef struct carom_planar_impulse_space {
  size_t struct_size;
  carom_outputs2 plastic_frictionless, plastic_sticking;
  carom_output contact_energy;
} carom_planar_impulse_space;

/// Numbers of contacts: all, at fault, outside of any limit, and outside of each limit. A contact is outside a limit if
/// its margin is below -tolerance times a scale: ½ u0·K⁻¹ u0 for `energy`, |u0| for non_penetration, |p| for `tension`
/// and `cone`.
typedef struct carom_region_report {
  size_t struct_size;
  size_t contacts;                      ///< number of contacts of the call
  size_t faults;                        ///< number of contacts with faulty data
  size_t outside;                       ///< number of contacts outside at least one limit
  size_t gains_energy;                  ///< number of contacts outside the limit of energy
  size_t penetrates;                    ///< number of contacts outside the limit of non_penetration
  size_t pulls;                         ///< number of contacts outside the limit of tension
  size_t leaves_cone;                   ///< number of contacts outside the limit of cone
  int32_t ok;                           ///< 1 if no contact is at fault, else 0
  size_t by_status[CAROM_STATUS_ROOM];  ///< number of contacts with each carom_status
  size_t first[CAROM_STATUS_ROOM];      ///< first contact of each carom_status; see carom_region_report_first
} carom_region_report;

/// Returns the index of the first contact with this carom_status, or -1.
CAROM_EXPORT int64_t carom_region_report_first(const carom_region_report* report, int32_t status);

// Compute the margins of impulses, which may come from any law or program. `impulse` [N s] is on A, in the frame of the
// results. Columns of laws must be missing; of the options only the tolerances of data may differ from their defaults.
// `margins`, `space`, `options` and `report` may be NULL. `tolerance` [1] is relative, finite and >= 0, or
// CAROM_DEFAULT_TOLERANCE.
CAROM_EXPORT carom_error carom_find_margins(carom_solver* solver, int32_t precision, const carom_contacts* contacts,
                                            const carom_vectors3* impulse, const carom_region_margins* margins,
                                            const carom_impulse_space* space, const carom_options* options,
                                            double tolerance, carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_indexed(carom_solver* solver, int32_t precision,
                                                    const carom_indexed_contacts* contacts,
                                                    const carom_vectors3* impulse, const carom_region_margins* margins,
                                                    const carom_impulse_space* space, const carom_options* options,
                                                    double tolerance, carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_k(carom_solver* solver, int32_t precision, const carom_k_contacts* contacts,
                                              const carom_vectors3* impulse, const carom_region_margins* margins,
                                              const carom_impulse_space* space, const carom_options* options,
                                              double tolerance, carom_region_report* report);
/// All columns have the precision of the contacts.
CAROM_EXPORT carom_error carom_find_margins_blocked(carom_solver* solver, const carom_blocked_contacts* contacts,
                                                    const carom_vectors3* impulse, const carom_region_margins* margins,
                                                    const carom_impulse_space* space, const carom_options* options,
                                                    double tolerance, carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_planar(carom_solver* solver, int32_t precision,
                                                   const carom_planar_contacts* contacts, const carom_vectors2* impulse,
                                                   const carom_region_margins* margins,
                                                   const carom_planar_impulse_space* space,
                                                   const carom_options* options, double tolerance,
                                                   carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_planar_indexed(
    carom_solver* solver, int32_t precision, const carom_planar_indexed_contacts* contacts,
    const carom_vectors2* impulse, const carom_region_margins* margins, const carom_planar_impulse_space* space,
    const carom_options* options, double tolerance, carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_planar_k(carom_solver* solver, int32_t precision,
                                                     const carom_planar_k_contacts* contacts,
                                                     const carom_vectors2* impulse, const carom_region_margins* margins,
                                                     const carom_planar_impulse_space* space,
                                                     const carom_options* options, double tolerance,
                                                     carom_region_report* report);

#ifdef __cplusplus
}
#endif
