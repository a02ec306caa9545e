// Errors, columns and vectors of columns in C.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <carom/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

/// Return value of functions. 0 is success. The numbers are the numbers of ErrorKind in C++.
typedef enum carom_error {
  CAROM_OK = 0,
  CAROM_ERROR_ARGUMENT = 1,  ///< columns of different lengths, a missing column, an option out of range, a null pointer
  CAROM_ERROR_BUSY = 2,      ///< another call runs on the solver
  CAROM_ERROR_NOT_AVAILABLE = 3,  ///< this build or this CPU lacks the ISA
  CAROM_ERROR_OUT_OF_MEMORY = 4,
  CAROM_ERROR_UNKNOWN = 5,     ///< an error in carom: please report it
  CAROM_ERROR_SCHEDULER = 6,   ///< parallel_for of a carom_execution left out pieces; all results are written
  CAROM_ERROR_MOVED_FROM = 7,  ///< does not occur in C
} carom_error;
/// Returns its name: "ok", "out_of_memory"; "unknown" for CAROM_ERROR_UNKNOWN and any other number. The text is static.
CAROM_EXPORT const char* carom_error_name(int32_t error);

// The last failed call of this thread. Texts are valid until the next call fails; a successful call keeps them. The
// default of all texts is "".

/// Returns its code; CAROM_OK if no call has failed.
CAROM_EXPORT carom_error carom_error_kind(void);
/// Returns its message.
CAROM_EXPORT const char* carom_error_message(void);
/// Returns the name of the column that it is about, as the message has it: the path of the field from your struct of
/// contacts or from your scene, "a.velocity.x" or "contacts.friction", or from your system or results,
/// "system.friction" or "results.status". Of two lengths that differ it is the second column, in the order of the
/// struct.
CAROM_EXPORT const char* carom_error_column(void);
/// Returns the index of the element of the column, or of the contact, joint row or island. Default -1.
CAROM_EXPORT int64_t carom_error_row(void);
/// Returns the name of the option that it is about, as the message has it: the field of the struct of options, "steps",
/// or of the struct of a method without `carom_`, "ncp.tolerance", "pgs.position_correction.rate".
CAROM_EXPORT const char* carom_error_option(void);

/// Returns the version of the linked library: "0.1.0".
CAROM_EXPORT const char* carom_version(void);

/// Precision of the numbers of a call.
typedef enum carom_precision {
  CAROM_FLOAT = 0,
  CAROM_DOUBLE = 1,
} carom_precision;

/// Input column. All zero: absent.
typedef struct carom_column {
  const void* data;  ///< the first element
  size_t count;      ///< number of elements, also with a stride of 0
  ptrdiff_t stride;  ///< [bytes] distance from one element to the next: sizeof(double) in an array of double; 0 repeats
                     ///< the first element for all
} carom_column;

/// Output column. All zero: absent.
typedef struct carom_output {
  void* data;        ///< the first element
  size_t count;      ///< number of elements
  ptrdiff_t stride;  ///< [bytes] distance from one element to the next
} carom_output;

/// Input vectors in 3D.
typedef struct carom_vectors3 {
  carom_column x, y, z;
} carom_vectors3;

/// Input vectors in the plane.
typedef struct carom_vectors2 {
  carom_column x, y;
} carom_vectors2;

/// Input symmetric 3 x 3 matrices, by their upper triangles.
typedef struct carom_symmetric3 {
  carom_column xx, xy, xz, yy, yz, zz;
} carom_symmetric3;

/// Input symmetric 2 x 2 matrices, by their upper triangles.
typedef struct carom_symmetric2 {
  carom_column xx, xy, yy;
} carom_symmetric2;

/// Output vectors in 3D.
typedef struct carom_outputs3 {
  carom_output x, y, z;
} carom_outputs3;

/// Output vectors in the plane.
typedef struct carom_outputs2 {
  carom_output x, y;
} carom_outputs2;

/// Output symmetric 3 x 3 matrices, by their upper triangles.
typedef struct carom_symmetric_outputs3 {
  carom_output xx, xy, xz, yy, yz, zz;
} carom_symmetric_outputs3;

// Columns of n vectors or matrices with adjacent numbers. `stride` [bytes] is the distance from one vector to the next:
// 3 * sizeof(double) in an array of vectors of double; 0 repeats the first vector for all. `precision` is a
// carom_precision. A NULL pointer gives absent columns.

/// Column of number `index` of every vector; 0 is the first number.
CAROM_EXPORT carom_column carom_part(int32_t precision, const void* first, int32_t index, size_t n, ptrdiff_t stride);
/// Same for a result.
CAROM_EXPORT carom_output carom_output_part(int32_t precision, void* first, int32_t index, size_t n, ptrdiff_t stride);

/// In the order x, y, z.
CAROM_EXPORT carom_vectors3 carom_interleaved3(int32_t precision, const void* xyz, size_t n, ptrdiff_t stride);
/// In the order x, y.
CAROM_EXPORT carom_vectors2 carom_interleaved2(int32_t precision, const void* xy, size_t n, ptrdiff_t stride);
/// In the order xx, xy, xz, yy, yz, zz.
CAROM_EXPORT carom_symmetric3 carom_interleaved_symmetric3(int32_t precision, const void* six, size_t n,
                                                           ptrdiff_t stride);
/// In the order xx, xy, yy.
CAROM_EXPORT carom_symmetric2 carom_interleaved_symmetric2(int32_t precision, const void* three, size_t n,
                                                           ptrdiff_t stride);
/// In the order x, y, z.
CAROM_EXPORT carom_outputs3 carom_interleaved_outputs3(int32_t precision, void* xyz, size_t n, ptrdiff_t stride);
/// In the order x, y.
CAROM_EXPORT carom_outputs2 carom_interleaved_outputs2(int32_t precision, void* xy, size_t n, ptrdiff_t stride);

#ifdef __cplusplus
}
#endif
