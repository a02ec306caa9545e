// Permissible region of impulses in C, as in region.hpp.
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The default tolerance: 64 ε of the precision.
#define CAROM_DEFAULT_TOLERANCE (-1.0)

/// Distance of impulses from each limit of the region; negative outside. Every column is optional.
typedef struct carom_region_margins {
  size_t struct_size;
  carom_output energy;           ///< [J] energy loss
  carom_output non_penetration;  ///< [m/s]
  carom_output tension, cone;    ///< [N s]
  carom_output status;           ///< uint8_t, a carom_status
} carom_region_margins;

/// Impulses that span the impulse space, in the frame of the results. Every column is optional.
typedef struct carom_impulse_space {
  size_t struct_size;
  carom_outputs3 plastic_frictionless, plastic_sticking;  ///< [N s]
  carom_output contact_energy;                            ///< [J]
} carom_impulse_space;

/// Same for planar contacts.
typedef struct carom_planar_impulse_space {
  size_t struct_size;
  carom_outputs2 plastic_frictionless, plastic_sticking;
  carom_output contact_energy;
} carom_planar_impulse_space;

/// Numbers of contacts: all, at fault, outside of any limit, and outside of each limit.
typedef struct carom_region_report {
  size_t struct_size;
  size_t contacts, faults, outside;
  size_t gains_energy, penetrates, pulls, leaves_cone;
  int32_t ok;                           ///< 1 if no contact is at fault, else 0
  size_t by_status[CAROM_STATUS_ROOM];  ///< number of contacts with each carom_status
  size_t first[CAROM_STATUS_ROOM];      ///< first contact of each carom_status; see carom_region_report_first
} carom_region_report;

/// Returns the index of the first contact with this carom_status, or -1.
CAROM_EXPORT int64_t carom_region_report_first(const carom_region_report* report, int32_t status);

// Solver::find_margins. `impulse` is in the frame of the results [N s]; `margins`, `space`, `options` and `report` may
// be NULL. `tolerance` is finite and >= 0, or CAROM_DEFAULT_TOLERANCE.
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
