// The enumerations of carom in C. Numbers and meanings are the same as in the C++ headers. Elements of columns are
// uint8_t.
#pragma once

#include <stdint.h>

#include <carom/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_law {
  CAROM_LAW_INCREMENTAL = 0,
  CAROM_LAW_FRICTIONLESS = 1,
  CAROM_LAW_NO_SLIP = 2,
  CAROM_LAW_CHATTERJEE_RUINA = 3,
  CAROM_LAW_BILINEAR = 4,
  CAROM_LAW_WHITTAKER = 5,
  CAROM_LAW_SMITH = 6,
  CAROM_LAW_ANITESCU_POTRA = 7,
  CAROM_LAW_PFEIFFER_GLOCKER = 8,
  CAROM_LAW_BRACH = 9,
  CAROM_LAW_PROJECTED = 10,
  CAROM_LAW_POLAR = 11,
  CAROM_LAW_COMPOSITE = 12,
} carom_law;

typedef enum carom_restitution_law {
  CAROM_RESTITUTION_ENERGETIC = 0,
  CAROM_RESTITUTION_KINETIC = 1,
  CAROM_RESTITUTION_KINEMATIC = 2,
} carom_restitution_law;

typedef enum carom_integrator {
  CAROM_INTEGRATOR_EULER = 0,
  CAROM_INTEGRATOR_SERIES = 1,
} carom_integrator;

typedef enum carom_status {
  CAROM_STATUS_OK = 0,
  CAROM_STATUS_SEPARATING = 1,
  CAROM_STATUS_SEVERAL_SOLUTIONS = 2,
  CAROM_STATUS_BODY_INDEX_OUT_OF_RANGE = 8,
  CAROM_STATUS_SAME_BODY = 9,
  CAROM_STATUS_NOT_A_NUMBER = 12,
  CAROM_STATUS_INFINITE = 13,
  CAROM_STATUS_NORMAL_NOT_UNIT = 16,
  CAROM_STATUS_NEGATIVE_INVERSE_MASS = 17,
  CAROM_STATUS_INVERSE_INERTIA_NOT_POSITIVE_SEMIDEFINITE = 18,
  CAROM_STATUS_BOTH_IMMOVABLE = 19,
  CAROM_STATUS_RESTITUTION_OUT_OF_RANGE = 24,
  CAROM_STATUS_NEGATIVE_FRICTION = 25,
  CAROM_STATUS_LAW_UNAVAILABLE = 28,
  CAROM_STATUS_LAW_PARAMETER_MISSING = 29,
  CAROM_STATUS_LAW_PARAMETER_OUT_OF_RANGE = 30,
  CAROM_STATUS_STEP_NOT_POSITIVE = 31,
  CAROM_STATUS_RESTITUTION_LAW_UNAVAILABLE = 32,
  CAROM_STATUS_OVERFLOW = 36,
  CAROM_STATUS_COLLISION_MATRIX_NOT_POSITIVE_DEFINITE = 37,
  CAROM_STATUS_STEP_TOO_LARGE = 40,
  CAROM_STATUS_STEP_BUDGET_REACHED = 41,
  CAROM_STATUS_NO_SOLUTION = 42,
  CAROM_STATUS_STATIC_FRICTION_BELOW_FRICTION = 48,
  CAROM_STATUS_IMPULSE_BOUNDS_REVERSED = 49,
  CAROM_STATUS_NEGATIVE_COMPLIANCE = 50,
  CAROM_STATUS_NEGATIVE_FREQUENCY = 51,
  CAROM_STATUS_NEGATIVE_DAMPING_RATIO = 52,
  CAROM_STATUS_NEGATIVE_FRICTION_2 = 53,
  CAROM_STATUS_FRICTION_DIRECTION_ALONG_NORMAL = 54,
  CAROM_STATUS_NEGATIVE_ROLLING_FRICTION = 55,
  CAROM_STATUS_NEGATIVE_SPINNING_FRICTION = 56,
  CAROM_STATUS_NEGATIVE_NORMAL_COMPLIANCE = 57,
  CAROM_STATUS_NEGATIVE_TANGENTIAL_COMPLIANCE = 58,
  CAROM_STATUS_STIFFNESS_NOT_POSITIVE = 59,
  CAROM_STATUS_NEGATIVE_DAMPING = 60,
  CAROM_STATUS_NEGATIVE_SLOP = 61,
} carom_status;

typedef enum carom_sliding_end {
  CAROM_SLIDING_END_NONE = 0,
  CAROM_SLIDING_END_SEPARATING = 1,
  CAROM_SLIDING_END_SLIDE_END = 2,
  CAROM_SLIDING_END_STICK_IN_C = 3,
  CAROM_SLIDING_END_STICK_IN_D = 4,
  CAROM_SLIDING_END_STICK_AT_START = 5,
  CAROM_SLIDING_END_SLIP = 6,
  CAROM_SLIDING_END_STICK = 7,
} carom_sliding_end;

typedef enum carom_sticking {
  CAROM_STICKING_NONE = 0,
  CAROM_STICKING_STABLE = 1,
  CAROM_STICKING_DIVERGE = 2,
} carom_sticking;

typedef enum carom_isa {
  CAROM_ISA_AUTOMATIC = 0,
  CAROM_ISA_SCALAR = 1,
  CAROM_ISA_SSE2 = 2,
  CAROM_ISA_AVX2 = 3,
  CAROM_ISA_AVX512 = 4,
  CAROM_ISA_NEON = 5,
} carom_isa;

typedef enum carom_gradient_status {
  CAROM_GRADIENT_EXACT = 0,
  CAROM_GRADIENT_ONE_SIDED = 1,
  CAROM_GRADIENT_UNBOUNDED = 2,
  CAROM_GRADIENT_UNDEFINED = 3,
  CAROM_GRADIENT_ZERO = 4,
  CAROM_GRADIENT_NONE = 5,
} carom_gradient_status;

typedef enum carom_scene_method {
  CAROM_METHOD_SUBSTEPS = 0,
  CAROM_METHOD_PGS = 1,
  CAROM_METHOD_NCP = 2,
  CAROM_METHOD_SEQUENTIAL_IMPACTS = 3,
  CAROM_METHOD_BENDER_SCHMITT = 4,
} carom_scene_method;

typedef enum carom_bender_schmitt_phase {
  CAROM_PHASE_BOTH = 0,
  CAROM_PHASE_COLLISIONS = 1,
  CAROM_PHASE_RESTING = 2,
} carom_bender_schmitt_phase;

typedef enum carom_contact_filter {
  CAROM_FILTER_COLLIDING = 0,
  CAROM_FILTER_TOUCHING = 1,
} carom_contact_filter;

typedef enum carom_island_status {
  CAROM_ISLAND_CONVERGED = 0,
  CAROM_ISLAND_NOT_CONVERGED = 16,
  CAROM_ISLAND_STALLED = 17,
  CAROM_ISLAND_DIVERGED = 18,
  CAROM_ISLAND_OVERFLOW = 32,
} carom_island_status;

typedef enum carom_island_algorithm {
  CAROM_ISLAND_BY_PGS = 0,
  CAROM_ISLAND_BY_IMPACTS = 1,
  CAROM_ISLAND_BY_LAST_IMPULSES = 2,
  CAROM_ISLAND_BY_LINEAR = 3,
  CAROM_ISLAND_BY_INTERIOR_POINT = 4,
  CAROM_ISLAND_BY_SYSTEM = 5,
  CAROM_ISLAND_BY_HOLDING = 6,
} carom_island_algorithm;

typedef enum carom_combine_rule {
  CAROM_COMBINE_MEAN = 0,
  CAROM_COMBINE_GEOMETRIC_MEAN = 1,
  CAROM_COMBINE_MIN = 2,
  CAROM_COMBINE_MAX = 3,
  CAROM_COMBINE_PRODUCT = 4,
} carom_combine_rule;

typedef enum carom_contact_state {
  CAROM_CONTACT_OPEN = 0,
  CAROM_CONTACT_STICK = 1,
  CAROM_CONTACT_SLIP = 2,
} carom_contact_state;

typedef enum carom_error_scale {
  CAROM_ERROR_SCALE_SYSTEM = 0,
  CAROM_ERROR_SCALE_ISLAND = 1,
} carom_error_scale;

/// Phases of a collision, as carom::Path.
typedef struct carom_path {
  uint8_t sliding_end;  ///< carom_sliding_end
  uint8_t sticking;     ///< carom_sticking
  uint8_t compressions, decompressions;
} carom_path;

// Names, as to_string in C++ returns them; "unknown" for any other number.
CAROM_EXPORT const char* carom_law_name(int32_t law);
CAROM_EXPORT const char* carom_restitution_law_name(int32_t law);
CAROM_EXPORT const char* carom_integrator_name(int32_t integrator);
CAROM_EXPORT const char* carom_status_name(int32_t status);
CAROM_EXPORT const char* carom_isa_name(int32_t isa);
CAROM_EXPORT const char* carom_gradient_status_name(int32_t status);
CAROM_EXPORT const char* carom_scene_method_name(int32_t method);
CAROM_EXPORT const char* carom_bender_schmitt_phase_name(int32_t phase);
CAROM_EXPORT const char* carom_contact_filter_name(int32_t filter);
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
