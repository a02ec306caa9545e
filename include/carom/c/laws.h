// Descriptions of the laws in C.
#pragma once

#include <carom/c/base.h>
#include <carom/c/enums.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A law: the columns that it reads, its properties and its source. Texts are static.
typedef struct carom_law_info {
  size_t struct_size;
  int32_t law;                                ///< carom_law
  int32_t in_space, in_plane;                 ///< 0 or 1: available for contacts in 3D, for planar contacts
  int32_t reads_friction, reads_restitution;  ///< 0 or 1; the solver checks both columns under every law
  size_t parameters;                          ///< number of parameters, for carom_law_parameter_at
  const char* restitution;                    ///< restitution hypothesis: the meaning of e
  int32_t may_gain_energy;                    ///< 0 or 1, for e in [0, 1]
  const char* energy_gain;                    ///< condition of an energy gain: "never", "where k is not 0"
  const char* source;                         ///< the literature
} carom_law_info;

/// A column of carom_law_columns that a law reads, and its range.
typedef struct carom_law_parameter {
  size_t struct_size;
  const char* name;            ///< of the field; a weight is "weight_<law>", with underscores
  int32_t in_space, in_plane;  ///< 0 or 1: whether the law reads it for contacts in 3D, for planar contacts
  double low, high;            ///< range, in the unit of the column; includes both ends; finite
} carom_law_parameter;

/// Returns the number of laws. Laws are numbered from 0.
CAROM_EXPORT int32_t carom_law_count(void);
/// Describes a law. Set struct_size of `info` first.
CAROM_EXPORT carom_error carom_law_info_of(int32_t law, carom_law_info* info);
/// Describes parameter `index` of a law, in [0, carom_law_info::parameters). Set struct_size of `parameter` first.
CAROM_EXPORT carom_error carom_law_parameter_at(int32_t law, size_t index, carom_law_parameter* parameter);

#ifdef __cplusplus
}
#endif
