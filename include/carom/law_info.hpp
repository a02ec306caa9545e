// A description of every law, for tables, and to check data before they are solved.
#pragma once

#include <carom/export.hpp>
#include <carom/laws.hpp>
#include <span>
#include <string_view>

namespace carom {

/// A column of LawColumns that a law reads, and the numbers that it may hold.
struct LawParameter {
  std::string_view name;    ///< of the field; a weight is "weight_<law>", with underscores
  bool in_space, in_plane;  ///< whether the law reads it in 3D, and for planar contacts
  double low, high;         ///< [unit of the column] the ends belong to the range; finite
};

/// What a law reads, what it promises and where it comes from.
struct LawInfo {
  Law law;                                 ///< to_string gives its name
  bool in_space;                           ///< for contacts in 3D
  bool in_plane;                           ///< for planar contacts
  bool reads_friction, reads_restitution;  ///< both are checked under every law
  /// All of them are needed where the dimension fits; of the weights of a composite at least one, and what its
  /// members read.
  std::span<const LawParameter> parameters;
  std::string_view restitution;  ///< the hypothesis that e stands for
  bool may_gain_energy;          ///< of e in [0, 1]
  std::string_view energy_gain;  ///< when it can: "never", "where k is not 0"
  std::string_view source;       ///< the literature
};

/// Throws Error of what is not a law.
CAROM_EXPORT const LawInfo& law_info(Law law);

/// All of them, in the order of Law.
CAROM_EXPORT std::span<const LawInfo> all_laws();

}  // namespace carom
