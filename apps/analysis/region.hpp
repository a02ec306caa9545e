// Impulses put to the permissible region on the lanes, in either dimension.
#pragma once

#include <algorithm>
#include <array>
#include <carom/solver.hpp>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include "analysis/batch.hpp"
#include "analysis/contact_scales.hpp"
#include "analysis/in_space.hpp"

namespace carom::apps {

/// The bounds of the region in the order of RegionMargins.
struct Bound {
  std::string_view name, column, unit, breach;
};
inline constexpr std::array<Bound, 4> bounds = {{{"energy", "margin_energy", "J", "gains energy"},
                                                 {"non_penetration", "margin_non_penetration", "m/s", "penetrates"},
                                                 {"tension", "margin_tension", "N s", "pulls"},
                                                 {"cone", "margin_cone", "N s", "leaves the cone"}}};

/// Where impulses stand, in the frame of the results.
template <class Contacts>
using ImpulseColumns = std::conditional_t<io::is_planar<Contacts>, planar::Vector2Columns<const io::ScalarOf<Contacts>>,
                                          Vector3Columns<const io::ScalarOf<Contacts>>>;

template <class Contacts>
class Region {
 public:
  using T = io::ScalarOf<Contacts>;

  explicit Region(const Contacts& contacts) : contacts_(contacts), statuses_(contacts.friction.count) {
    for (auto& column : margins_) column.resize(size());
    for (auto& column : landmarks_) column.resize(size());
    contact_energy_.resize(size());
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  std::size_t size() const { return statuses_.size(); }

  /// Call it for the ranges of a whole batch before anything else is asked.
  void check(Solver& solver, const Contacts& contacts, const ImpulseColumns<Contacts>& impulse, std::size_t first,
             std::size_t count, const Options& options) {
    const auto part = [&](auto& values) {
      using Value = typename std::remove_reference_t<decltype(values)>::value_type;
      return count > 0 ? Column<Value>(&values[first], count) : Column<Value>();
    };
    const RegionMargins<T> margins{part(margins_[0]), part(margins_[1]), part(margins_[2]), part(margins_[3]),
                                   part(statuses_)};
    auto& l = landmarks_;
    const ImpulseSpace<T> space{
        {part(l[0]), part(l[1]), part(l[2])}, {part(l[3]), part(l[4]), part(l[5])}, part(contact_energy_)};
    if constexpr (!io::is_planar<Contacts>)
      solver.find_margins(contacts, impulse, margins, space, options);
    else if constexpr (io::has_bodies<Contacts>)
      solver.find_margins(in_space(contacts), in_space(impulse), margins, space, options);
    else
      solver.find_margins(in_space(contacts), in_contact_space(impulse), margins, space, options);
  }

  /// ok, separating or a fault.
  Column<const Status> statuses() const { return statuses_; }
  double margin(std::size_t bound, std::size_t row) const { return static_cast<double>(margins_[bound][row]); }
  /// [J] 1/2 u0 K^-1 u0
  double contact_energy(std::size_t row) const { return static_cast<double>(contact_energy_[row]); }

  /// What a margin is compared with, as in RegionReport. `impulse` [N s] is the size of the impulse.
  double scale(std::size_t bound, std::size_t row, double impulse) const {
    return bound == 0 ? contact_energy(row) : bound == 1 ? contact_speed(contacts_, row) : impulse;
  }
  bool is_outside(std::size_t bound, std::size_t row, double impulse, double tolerance) const {
    return margin(bound, row) < -tolerance * scale(bound, row, impulse);
  }

  /// P_I and P_II in the components of the form: axis 0, 1 and in 3D 2.
  double plastic_frictionless(std::size_t axis, std::size_t row) const { return landmark(axis, row); }
  double plastic_sticking(std::size_t axis, std::size_t row) const { return landmark(3 + axis, row); }

 private:
  double landmark(std::size_t column, std::size_t row) const {
    // The normal of planar contact space is z of the contacts in 3D.
    constexpr bool skips_y = io::is_planar<Contacts> && !io::has_bodies<Contacts>;
    return static_cast<double>(landmarks_[column + (skips_y && column % 3 == 1 ? 1 : 0)][row]);
  }

  Contacts contacts_;
  std::array<std::vector<T>, 4> margins_;
  std::array<std::vector<T>, 6> landmarks_;
  std::vector<T> contact_energy_;
  std::vector<Status> statuses_;
};

}  // namespace carom::apps
