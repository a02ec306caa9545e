// Errors, columns and vectors of columns in C.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <carom/export.hpp>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum carom_error {
  CAROM_OK = 0,
  CAROM_ERROR_ARGUMENT = 1,  ///< columns of different lengths, a missing column, an option out of range, a null pointer
  CAROM_ERROR_BUSY = 2,      ///< the solver serves another call
  CAROM_ERROR_NOT_AVAILABLE = 3,  ///< this build or this CPU lacks the ISA
  CAROM_ERROR_OUT_OF_MEMORY = 4,
  CAROM_ERROR_UNKNOWN = 5,
  CAROM_ERROR_SCHEDULER = 6,  ///< parallel_for of a carom_execution left out pieces; all results are written
} carom_error;

/// The message of the last call of this thread that failed, until the next one fails; "" if none has.
CAROM_EXPORT const char* carom_error_message(void);

/// "0.1.0", of the library that is linked.
CAROM_EXPORT const char* carom_version(void);

/// The numbers of a call.
typedef enum carom_precision {
  CAROM_FLOAT = 0,
  CAROM_DOUBLE = 1,
} carom_precision;

/// A column that is read.
typedef struct carom_column {
  const void* data;
  size_t count;
  ptrdiff_t stride;  ///< [bytes] 0 repeats the first element
} carom_column;

/// A column that is written.
typedef struct carom_output {
  void* data;
  size_t count;
  ptrdiff_t stride;  ///< [bytes]
} carom_output;

/// Columns of vectors in 3D.
typedef struct carom_vectors3 {
  carom_column x, y, z;
} carom_vectors3;

/// Columns of vectors in the plane.
typedef struct carom_vectors2 {
  carom_column x, y;
} carom_vectors2;

/// The upper triangles of symmetric 3 x 3 matrices.
typedef struct carom_symmetric3 {
  carom_column xx, xy, xz, yy, yz, zz;
} carom_symmetric3;

/// The upper triangles of symmetric 2 x 2 matrices.
typedef struct carom_symmetric2 {
  carom_column xx, xy, yy;
} carom_symmetric2;

/// Vectors in 3D that are written.
typedef struct carom_outputs3 {
  carom_output x, y, z;
} carom_outputs3;

/// Vectors in the plane that are written.
typedef struct carom_outputs2 {
  carom_output x, y;
} carom_outputs2;

/// Symmetric 3 x 3 matrices that are written.
typedef struct carom_symmetric_outputs3 {
  carom_output xx, xy, xz, yy, yz, zz;
} carom_symmetric_outputs3;

// Columns of n vectors or matrices whose numbers lie side by side, one every `stride` bytes.

static inline carom_column carom_part(const void* first, carom_precision precision, int place, size_t n,
                                      ptrdiff_t stride) {
  carom_column column;
  column.data = first == NULL
                    ? NULL
                    : (const char*)first + place * (int)(precision == CAROM_DOUBLE ? sizeof(double) : sizeof(float));
  column.count = n;
  column.stride = stride;
  return column;
}

static inline carom_output carom_output_part(void* first, carom_precision precision, int place, size_t n,
                                             ptrdiff_t stride) {
  carom_output column;
  column.data =
      first == NULL ? NULL : (char*)first + place * (int)(precision == CAROM_DOUBLE ? sizeof(double) : sizeof(float));
  column.count = n;
  column.stride = stride;
  return column;
}

static inline carom_vectors3 carom_interleaved3(carom_precision p, const void* xyz, size_t n, ptrdiff_t stride) {
  carom_vectors3 v;
  v.x = carom_part(xyz, p, 0, n, stride);
  v.y = carom_part(xyz, p, 1, n, stride);
  v.z = carom_part(xyz, p, 2, n, stride);
  return v;
}

static inline carom_vectors2 carom_interleaved2(carom_precision p, const void* xy, size_t n, ptrdiff_t stride) {
  carom_vectors2 v;
  v.x = carom_part(xy, p, 0, n, stride);
  v.y = carom_part(xy, p, 1, n, stride);
  return v;
}

/// In the order xx, xy, xz, yy, yz, zz.
static inline carom_symmetric3 carom_interleaved_symmetric3(carom_precision p, const void* six, size_t n,
                                                            ptrdiff_t stride) {
  carom_symmetric3 m;
  m.xx = carom_part(six, p, 0, n, stride);
  m.xy = carom_part(six, p, 1, n, stride);
  m.xz = carom_part(six, p, 2, n, stride);
  m.yy = carom_part(six, p, 3, n, stride);
  m.yz = carom_part(six, p, 4, n, stride);
  m.zz = carom_part(six, p, 5, n, stride);
  return m;
}

/// In the order xx, xy, yy.
static inline carom_symmetric2 carom_interleaved_symmetric2(carom_precision p, const void* three, size_t n,
                                                            ptrdiff_t stride) {
  carom_symmetric2 m;
  m.xx = carom_part(three, p, 0, n, stride);
  m.xy = carom_part(three, p, 1, n, stride);
  m.yy = carom_part(three, p, 2, n, stride);
  return m;
}

static inline carom_outputs3 carom_interleaved_outputs3(carom_precision p, void* xyz, size_t n, ptrdiff_t stride) {
  carom_outputs3 v;
  v.x = carom_output_part(xyz, p, 0, n, stride);
  v.y = carom_output_part(xyz, p, 1, n, stride);
  v.z = carom_output_part(xyz, p, 2, n, stride);
  return v;
}

static inline carom_outputs2 carom_interleaved_outputs2(carom_precision p, void* xy, size_t n, ptrdiff_t stride) {
  carom_outputs2 v;
  v.x = carom_output_part(xy, p, 0, n, stride);
  v.y = carom_output_part(xy, p, 1, n, stride);
  return v;
}

#ifdef __cplusplus
}
#endif
