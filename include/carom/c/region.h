// The permissible region of impulses in C: region.hpp tells the rest.
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Stands for a tolerance of 64 roundings of the precision.
#define CAROM_DEFAULT_TOLERANCE (-1.0)

/// How far impulses lie inside each bound of the region; below zero they are outside. Every column is optional.
typedef struct carom_region_margins {
  size_t struct_size;
  carom_output energy;           ///< [J] that is lost
  carom_output non_penetration;  ///< [m/s]
  carom_output tension, cone;    ///< [N s]
  carom_output status;           ///< uint8_t, a carom_status
} carom_region_margins;

/// The impulses that span impulse space, in the frame of the results. Every column is optional.
typedef struct carom_impulse_space {
  size_t struct_size;
  carom_outputs3 plastic_frictionless, plastic_sticking;  ///< [N s]
  carom_output contact_energy;                            ///< [J]
} carom_impulse_space;

/// Those of planar contacts.
typedef struct carom_planar_impulse_space {
  size_t struct_size;
  carom_outputs2 plastic_frictionless, plastic_sticking;
  carom_output contact_energy;
} carom_planar_impulse_space;

/// Numbers of contacts: of the call, at fault, outside by any bound, and by each bound.
typedef struct carom_region_report {
  size_t struct_size;
  size_t contacts, faults, outside;
  size_t gains_energy, penetrates, pulls, leaves_cone;
} carom_region_report;

// Solver::find_margins. `impulse` is in the frame of the results [N s]; `margins`, `space`, `options` and `report` may
// be NULL. `tolerance` is finite and >= 0, or CAROM_DEFAULT_TOLERANCE.
CAROM_EXPORT carom_error carom_find_margins_inline(carom_solver* solver, int32_t precision,
                                                   const carom_contacts* contacts, const carom_vectors3* impulse,
                                                   const carom_region_margins* margins,
                                                   const carom_impulse_space* space, const carom_options* options,
                                                   double tolerance, carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_indexed(carom_solver* solver, int32_t precision,
                                                    const carom_indexed_contacts* contacts,
                                                    const carom_vectors3* impulse, const carom_region_margins* margins,
                                                    const carom_impulse_space* space, const carom_options* options,
                                                    double tolerance, carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_space(carom_solver* solver, int32_t precision,
                                                  const carom_k_contacts* contacts, const carom_vectors3* impulse,
                                                  const carom_region_margins* margins, const carom_impulse_space* space,
                                                  const carom_options* options, double tolerance,
                                                  carom_region_report* report);
/// The other columns are of the precision of the contacts.
CAROM_EXPORT carom_error carom_find_margins_blocked(carom_solver* solver, const carom_blocked_contacts* contacts,
                                                    const carom_vectors3* impulse, const carom_region_margins* margins,
                                                    const carom_impulse_space* space, const carom_options* options,
                                                    double tolerance, carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_planar_inline(
    carom_solver* solver, int32_t precision, const carom_planar_contacts* contacts, const carom_vectors2* impulse,
    const carom_region_margins* margins, const carom_planar_impulse_space* space, const carom_options* options,
    double tolerance, carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_planar_indexed(
    carom_solver* solver, int32_t precision, const carom_planar_indexed_contacts* contacts,
    const carom_vectors2* impulse, const carom_region_margins* margins, const carom_planar_impulse_space* space,
    const carom_options* options, double tolerance, carom_region_report* report);
CAROM_EXPORT carom_error carom_find_margins_planar_space(
    carom_solver* solver, int32_t precision, const carom_planar_k_contacts* contacts, const carom_vectors2* impulse,
    const carom_region_margins* margins, const carom_planar_impulse_space* space, const carom_options* options,
    double tolerance, carom_region_report* report);

#ifdef __cplusplus
}
#endif
