// The enumerations of carom in C. Numbers keep their meaning in later versions; new members take unused numbers.
// Options and arguments have the type int32_t, elements of columns the type uint8_t.
#pragma once

#include <stdint.h>

#include <carom/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/// Collision laws. P_I is the impulse that stops the approach without friction, P_II the impulse that stops all of u,
/// e the restitution, μ the friction. Every law returns a zero impulse if u·n >= 0 before the collision. docs/laws.md
/// has the equations, carom_law_info_of the properties and the sources.
typedef enum carom_law {
  CAROM_LAW_INCREMENTAL = 0,   ///< Coulomb friction integrated over the normal impulse, with a carom_restitution_law
  CAROM_LAW_FRICTIONLESS = 1,  ///< (1 + e) P_I. Newton
  CAROM_LAW_NO_SLIP = 2,       ///< (1 + e) P_II; can leave the friction cone, and pull
  CAROM_LAW_CHATTERJEE_RUINA = 3,  ///< (1 + e) P_I + κ (P_II - P_I), κ = 1 + e_t or less, to stay in the friction cone
  CAROM_LAW_BILINEAR = 4,        ///< spheres and discs: |p_t| = min(μ p_n, (1 + e_t) |P_II|_t), against the first slip
  CAROM_LAW_WHITTAKER = 5,       ///< u·n = -e u0·n, friction against the last slip; can gain energy
  CAROM_LAW_SMITH = 6,           ///< u·n = -e u0·n, friction against a mean of the first and the last slip
  CAROM_LAW_ANITESCU_POTRA = 7,  ///< compression and expansion each with friction against its last slip
  CAROM_LAW_PFEIFFER_GLOCKER = 8,  ///< as ANITESCU_POTRA with tangential restitution; planar contacts only
  CAROM_LAW_BRACH = 9,             ///< u·n = -e u0·n and two ratios of impulse, held inside the permissible region
  CAROM_LAW_PROJECTED = 10,        ///< an impulse that you pass, moved into the permissible region
  CAROM_LAW_POLAR = 11,            ///< a point of the permissible region given by direction and fraction
  CAROM_LAW_COMPOSITE = 12,        ///< a weighted mean of laws that stay in the permissible region
} carom_law;

/// The hypothesis of restitution that ends an incremental collision. "With SERIES": only with
/// CAROM_INTEGRATOR_SERIES.
typedef enum carom_restitution_law {
  CAROM_RESTITUTION_ENERGETIC = 0,  ///< Stronge: expansion returns e² of the work of compression. Never gains energy.
  CAROM_RESTITUTION_KINETIC = 1,    ///< Poisson, Routh: expansion has e times the impulse of compression; with SERIES
  CAROM_RESTITUTION_KINEMATIC = 2,  ///< Newton: u·n ends at -e times its first value. Can gain energy; with SERIES
} carom_restitution_law;

/// How CAROM_LAW_INCREMENTAL integrates the sliding phase.
typedef enum carom_integrator {
  CAROM_INTEGRATOR_EULER = 0,   ///< explicit Euler in the normal impulse, first order in its step
  CAROM_INTEGRATOR_SERIES = 1,  ///< Taylor series in slip time, exact to rounding; has no step size to choose
} carom_integrator;

/// Outcome of a contact or of a joint row. Every status except OK and SEVERAL_SOLUTIONS means a zero impulse; the
/// bodies of a single contact then keep their velocities. Every status above SEVERAL_SOLUTIONS is a fault.
typedef enum carom_status {
  CAROM_STATUS_OK = 0,                       ///< resolved
  CAROM_STATUS_SEPARATING = 1,               ///< u·n >= 0 before the collision; in scenes: no impulse acts here
  CAROM_STATUS_SEVERAL_SOLUTIONS = 2,        ///< resolved; the law has several solutions (docs/laws.md)
  CAROM_STATUS_BODY_INDEX_OUT_OF_RANGE = 8,  ///< below -1, or not below the number of bodies
  CAROM_STATUS_SAME_BODY = 9,                ///< both indices name one body
  CAROM_STATUS_NOT_A_NUMBER = 12,            ///< NaN in a field that is read
  CAROM_STATUS_INFINITE = 13,                ///< infinity in a field other than friction
  CAROM_STATUS_NORMAL_NOT_UNIT = 16,         ///< ||n| - 1| > normal_tolerance
  CAROM_STATUS_NEGATIVE_INVERSE_MASS = 17,
  CAROM_STATUS_INVERSE_INERTIA_NOT_POSITIVE_SEMIDEFINITE = 18,  ///< an eigenvalue < -inertia_tolerance times the trace
  CAROM_STATUS_BOTH_IMMOVABLE = 19,                             ///< all inverse masses and inverse inertias are zero
  CAROM_STATUS_RESTITUTION_OUT_OF_RANGE = 24,                   ///< outside [0, max_restitution]
  CAROM_STATUS_NEGATIVE_FRICTION = 25,
  CAROM_STATUS_LAW_UNAVAILABLE = 28,              ///< not a law, or a law that this dimension lacks
  CAROM_STATUS_LAW_PARAMETER_MISSING = 29,        ///< a column that the law reads is missing
  CAROM_STATUS_LAW_PARAMETER_OUT_OF_RANGE = 30,   ///< see carom_law_columns
  CAROM_STATUS_STEP_NOT_POSITIVE = 31,            ///< the contact's own Euler step is <= 0
  CAROM_STATUS_RESTITUTION_LAW_UNAVAILABLE = 32,  ///< not a restitution law, or the integrator lacks it
  CAROM_STATUS_OVERFLOW = 36,  ///< K, u0 or the impulse, in scenes any number of the island, is out of range
  CAROM_STATUS_COLLISION_MATRIX_NOT_POSITIVE_DEFINITE = 37,  ///< K is singular to working precision
  CAROM_STATUS_STEP_TOO_LARGE = 40,                          ///< the contact's own Euler step exceeds |u0| / trace K
  CAROM_STATUS_STEP_BUDGET_REACHED = 41,                     ///< step_budget sliding steps did not end the collision
  CAROM_STATUS_NO_SOLUTION = 42,  ///< the law has no solution, or no solution was found; see docs/laws.md
  CAROM_STATUS_STATIC_FRICTION_BELOW_FRICTION = 48,
  CAROM_STATUS_IMPULSE_BOUNDS_REVERSED = 49,  ///< min_impulse > max_impulse of a joint row
  CAROM_STATUS_NEGATIVE_COMPLIANCE = 50,
  CAROM_STATUS_NEGATIVE_FREQUENCY = 51,
  CAROM_STATUS_NEGATIVE_DAMPING_RATIO = 52,
  CAROM_STATUS_NEGATIVE_FRICTION_2 = 53,
  CAROM_STATUS_FRICTION_DIRECTION_ALONG_NORMAL = 54,  ///< or zero, while friction_2 differs from friction
  CAROM_STATUS_NEGATIVE_ROLLING_FRICTION = 55,
  CAROM_STATUS_NEGATIVE_SPINNING_FRICTION = 56,
  CAROM_STATUS_NEGATIVE_NORMAL_COMPLIANCE = 57,
  CAROM_STATUS_NEGATIVE_TANGENTIAL_COMPLIANCE = 58,
  CAROM_STATUS_STIFFNESS_NOT_POSITIVE = 59,
  CAROM_STATUS_NEGATIVE_DAMPING = 60,
  CAROM_STATUS_NEGATIVE_SLOP = 61,
} carom_status;

/// How the sliding phase of a collision ended.
typedef enum carom_sliding_end {
  CAROM_SLIDING_END_NONE = 0,            ///< the contact was at fault
  CAROM_SLIDING_END_SEPARATING = 1,      ///< no collision
  CAROM_SLIDING_END_SLIDE_END = 2,       ///< slid until the end of the collision
  CAROM_SLIDING_END_STICK_IN_C = 3,      ///< sliding stopped during compression
  CAROM_SLIDING_END_STICK_IN_D = 4,      ///< sliding stopped during decompression
  CAROM_SLIDING_END_STICK_AT_START = 5,  ///< there was no slip to begin with
  CAROM_SLIDING_END_SLIP = 6,            ///< algebraic law: |p_t| reaches μ p_n within rounding
  CAROM_SLIDING_END_STICK = 7,           ///< algebraic law: it does not
} carom_sliding_end;

/// The phase that followed when sliding had stopped.
typedef enum carom_sticking {
  CAROM_STICKING_NONE = 0,     ///< sliding did not stop
  CAROM_STICKING_STABLE = 1,   ///< friction held the contact
  CAROM_STICKING_DIVERGE = 2,  ///< friction could not hold it: it left along the diverging ray
} carom_sticking;

/// Instruction sets that carom has kernels for.
typedef enum carom_isa {
  CAROM_ISA_AUTOMATIC = 0,  ///< the environment variable CAROM_ISA if it is set, else the best ISA of this CPU
  CAROM_ISA_SCALAR = 1,     ///< no SIMD; not part of a build for x86-64 unless CAROM_ISAS names it
  CAROM_ISA_SSE2 = 2,
  CAROM_ISA_AVX2 = 3,  ///< with FMA3
  CAROM_ISA_AVX512 = 4,
  CAROM_ISA_NEON = 5,
} carom_isa;

/// Outcome of carom_differentiate for a contact.
typedef enum carom_gradient_status {
  CAROM_GRADIENT_EXACT = 0,      ///< the response is differentiable here
  CAROM_GRADIENT_ONE_SIDED = 1,  ///< near a kink or a jump: the gradient holds on the contact's side of it
  CAROM_GRADIENT_UNBOUNDED = 2,  ///< a divisor vanishes within the tolerance: the gradient grows like 1/√distance
  CAROM_GRADIENT_UNDEFINED = 3,  ///< u0_t = 0 and p has no derivative by the slip there: those by u0_x, u0_y are NaN
  CAROM_GRADIENT_ZERO = 4,       ///< the contact separates: p = 0, u = u0
  CAROM_GRADIENT_NONE = 5,       ///< a fault, no solution, or infinite friction: all derivatives are NaN
} carom_gradient_status;

/// The methods that solve a scene, and the structs that select them.
typedef enum carom_scene_method {
  CAROM_METHOD_SUBSTEPS = 0,            ///< carom_substeps
  CAROM_METHOD_PGS = 1,                 ///< carom_pgs
  CAROM_METHOD_NCP = 2,                 ///< carom_ncp
  CAROM_METHOD_SEQUENTIAL_IMPACTS = 3,  ///< carom_sequential_impacts
  CAROM_METHOD_BENDER_SCHMITT = 4,      ///< carom_bender_schmitt
} carom_scene_method;

/// Phases of carom_bender_schmitt.
typedef enum carom_bender_schmitt_phase {
  CAROM_PHASE_BOTH = 0,        ///< collisions, then contacts at rest. Impulses are the sums of both.
  CAROM_PHASE_COLLISIONS = 1,  ///< first the normal impulse, then friction, until every contact has its target -e u·n
  CAROM_PHASE_RESTING = 2,     ///< impulses after which no bodies overlap at the end of the step
} carom_bender_schmitt_phase;

/// The contacts that the collisions of carom_bender_schmitt resolve.
typedef enum carom_contact_filter {
  CAROM_FILTER_COLLIDING = 0,  ///< contacts that approach faster than contacts at rest, repeated until no contact does
  CAROM_FILTER_TOUCHING = 1,   ///< all contacts that do not separate at the start, once
} carom_contact_filter;

/// How the solution of an island ended.
typedef enum carom_island_status {
  CAROM_ISLAND_CONVERGED = 0,       ///< within the tolerance of the method, or nothing to solve
  CAROM_ISLAND_NOT_CONVERGED = 16,  ///< the iterations or the budget of the options were not enough
  CAROM_ISLAND_STALLED = 17,  ///< as NOT_CONVERGED, and the impacts had stopped losing energy; carom_sequential_impacts
  CAROM_ISLAND_DIVERGED = 18,  ///< its impulses grew without limit; its best state is returned; carom_bender_schmitt
  CAROM_ISLAND_OVERFLOW = 32,  ///< its numbers are out of range; its bodies keep their initial velocities
} carom_island_status;

/// The algorithm that solved an island.
typedef enum carom_island_algorithm {
  CAROM_ISLAND_BY_PGS = 0,             ///< iterations over its contacts and rows (projected Gauss-Seidel)
  CAROM_ISLAND_BY_IMPACTS = 1,         ///< one contact at a time; carom_sequential_impacts
  CAROM_ISLAND_BY_LAST_IMPULSES = 2,   ///< the warm-start impulses are the solution; carom_substeps
  CAROM_ISLAND_BY_LINEAR = 3,          ///< linear solves on its loaded contacts; carom_substeps
  CAROM_ISLAND_BY_INTERIOR_POINT = 4,  ///< an interior-point method on the step; carom_substeps
  CAROM_ISLAND_BY_SYSTEM = 5,          ///< the solver of contact systems; carom_ncp
  CAROM_ISLAND_BY_HOLDING = 6,  ///< it does not move while impulses that hold it at rest are computed; carom_substeps
} carom_island_algorithm;

/// How the coefficients a and b of two bodies are combined to the coefficient of their contact.
typedef enum carom_combine_rule {
  CAROM_COMBINE_MEAN = 0,            ///< (a + b) / 2
  CAROM_COMBINE_GEOMETRIC_MEAN = 1,  ///< √(a b)
  CAROM_COMBINE_MIN = 2,
  CAROM_COMBINE_MAX = 3,
  CAROM_COMBINE_PRODUCT = 4,  ///< a b
} carom_combine_rule;

/// State of a contact of a contact system.
typedef enum carom_contact_state {
  CAROM_CONTACT_OPEN = 0,   ///< no impulse
  CAROM_CONTACT_STICK = 1,  ///< an impulse within the cone
  CAROM_CONTACT_SLIP = 2,   ///< an impulse on the cone, against the slip
} carom_contact_state;

/// Reference velocity of the error of a contact system.
typedef enum carom_error_scale {
  CAROM_ERROR_SCALE_SYSTEM = 0,  ///< |q| of the whole system: slow islands may be solved less accurately
  CAROM_ERROR_SCALE_ISLAND = 1,  ///< |q| of the island: its bits do not depend on other islands
} carom_error_scale;

/// The path of a collision through its phases. The counts cover the sliding phase only; 3 means three or more.
typedef struct carom_path {
  uint8_t sliding_end;                   ///< carom_sliding_end
  uint8_t sticking;                      ///< carom_sticking
  uint8_t compressions, decompressions;  ///< in [0, 3]
} carom_path;

// Return the name of an enumerator: "chatterjee-ruina", "normal_not_unit"; "unknown" for any other number. The texts
// are static.
CAROM_EXPORT const char* carom_law_name(int32_t law);
CAROM_EXPORT const char* carom_restitution_law_name(int32_t law);
CAROM_EXPORT const char* carom_integrator_name(int32_t integrator);
CAROM_EXPORT const char* carom_status_name(int32_t status);
CAROM_EXPORT const char* carom_isa_name(int32_t isa);
CAROM_EXPORT const char* carom_gradient_status_name(int32_t status);
CAROM_EXPORT const char* carom_scene_method_name(int32_t method);
CAROM_EXPORT const char* carom_bender_schmitt_phase_name(int32_t phase);
CAROM_EXPORT const char* carom_contact_filter_name(int32_t filter);
CAROM_EXPORT const char* carom_island_status_name(int32_t status);
CAROM_EXPORT const char* carom_island_algorithm_name(int32_t algorithm);
CAROM_EXPORT const char* carom_combine_rule_name(int32_t rule);
CAROM_EXPORT const char* carom_contact_state_name(int32_t state);
CAROM_EXPORT const char* carom_error_scale_name(int32_t scale);

/// Lengths of the arrays of counts. They have room for the numbers of later versions.
#define CAROM_STATUS_ROOM 64
#define CAROM_PATH_ROOM 128
#define CAROM_STATE_ROOM 8

/// Returns the index of a path in carom_report::by_path, or -1 if there is no such path.
CAROM_EXPORT int32_t carom_path_index(carom_path path);

#ifdef __cplusplus
}
#endif
