// Descriptions of the collision laws, for tables and to check data before a call.
#pragma once

#include <carom/export.hpp>
#include <carom/laws.hpp>
#include <span>
#include <string_view>

namespace carom {

/// A column of LawColumns that a law reads, and its range.
struct LawParameter {
  std::string_view name;    ///< name of the field; for weights "weight_<law>" with underscores
  bool in_space, in_plane;  ///< true if the law reads it for contacts in 3D, for planar contacts
  double low, high;         ///< range, in the unit of the column; includes both ends; finite
};

/// Inputs, guarantees and source of a law.
struct LawInfo {
  Law law;                                 ///< its name: to_string(law)
  bool in_space;                           ///< available for contacts in 3D
  bool in_plane;                           ///< available for planar contacts
  bool reads_friction, reads_restitution;  ///< the solver checks both columns under every law
  /// Parameters of the law. All parameters of the dimension are required. A composite needs at least one weight, and
  /// the parameters of its component laws.
  std::span<const LawParameter> parameters;
  std::string_view restitution;  ///< restitution hypothesis that e belongs to
  bool may_gain_energy;          ///< true if the law can gain energy for e in [0, 1]
  std::string_view energy_gain;  ///< when it can gain energy: "never", "where k is not 0"
  std::string_view source;       ///< literature
};

/// Returns the description of a law. Throws Error for an unknown number.
CAROM_EXPORT const LawInfo& law_info(Law law);

/// Returns the descriptions of all laws, in the order of Law.
CAROM_EXPORT std::span<const LawInfo> all_laws();

}  // namespace carom
