// Impulses compared with the bounds of the permissible region.
#pragma once

#include <array>
#include <carom/status.hpp>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "io/columns/numbers.hpp"

namespace carom::apps {

/// The bounds of the region in the order of RegionMargins.
struct Bound {
  std::string_view name, column, unit, breach;
};
inline constexpr std::array<Bound, 4> bounds = {{{"energy", "margin_energy", "J", "gains energy"},
                                                 {"non_penetration", "margin_non_penetration", "m/s", "penetrates"},
                                                 {"tension", "margin_tension", "N s", "pulls"},
                                                 {"cone", "margin_cone", "N s", "leaves the cone"}}};

/// Scales of a contact's results; differences are relative to them.
struct ContactScales {
  std::vector<double> speed;    ///< [m/s] |u0|
  std::vector<double> trace_k;  ///< [1/kg]
};

class Region {
 public:
  /// `numbers`: margins, landmarks of impulse space and contact_energy, by their names in files. The scales must
  /// outlive the region.
  Region(const ContactScales& scales, io::Numbers numbers, std::vector<Status> statuses)
      : scales_(scales), numbers_(std::move(numbers)), statuses_(std::move(statuses)) {
    for (std::size_t i = 0; i < bounds.size(); ++i) margins_[i] = &numbers_.at(bounds[i].column);
    contact_energy_ = &numbers_.at("contact_energy");
  }

  Region(Region&&) = default;

  /// All columns, in the order of files.
  const io::Numbers& numbers() const { return numbers_; }
  /// Each is ok, separating or a fault.
  const std::vector<Status>& statuses() const { return statuses_; }
  double margin(std::size_t bound, std::size_t row) const { return (*margins_[bound])[row]; }

  /// The size that a margin is compared with, as in RegionReport. `impulse` [N s] is the size of the impulse.
  double scale(std::size_t bound, std::size_t row, double impulse) const {
    return bound == 0 ? (*contact_energy_)[row] : bound == 1 ? scales_.speed[row] : impulse;
  }
  bool is_outside(std::size_t bound, std::size_t row, double impulse, double tolerance) const {
    return margin(bound, row) < -tolerance * scale(bound, row, impulse);
  }

 private:
  const ContactScales& scales_;
  io::Numbers numbers_;
  std::vector<Status> statuses_;
  std::array<const std::vector<double>*, bounds.size()> margins_{};
  const std::vector<double>* contact_energy_ = nullptr;
};

}  // namespace carom::apps
