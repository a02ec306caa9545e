// Random parameters for every law, and a law for every contact.
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/columns/columns.hpp"
#include "random/draw.hpp"

namespace carom::support {

/// Laws of contacts in 3D. The composite has the others as components.
inline constexpr std::array laws_of_bodies{Law::incremental, Law::frictionless, Law::no_slip, Law::chatterjee_ruina,
                                           Law::bilinear,    Law::whittaker,    Law::smith,   Law::anitescu_potra,
                                           Law::brach,       Law::projected,    Law::polar,   Law::composite};

template <class T>
struct RandomLaws {
  RandomLaws(std::size_t contacts, std::uint64_t seed) {
    Draw draw(seed);
    const auto fill = [&](std::vector<T>& column, auto&& value) {
      column.resize(contacts);
      for (T& x : column) x = static_cast<T>(value());
    };
    fill(tangential_restitution, [&] { return draw.uniform(-1, 1); });
    for (auto* ratio : {&impulse_ratio_1, &impulse_ratio_2}) fill(*ratio, [&] { return draw.uniform(-1, 1); });
    fill(polar_angle, [&] { return draw.uniform(0, 3.14); });
    fill(azimuth, [&] { return draw.uniform(-7, 7); });
    fill(fraction, [&] { return draw.uniform(); });
    for (auto& c : candidate) fill(c, [&] { return 3 * draw.bell(); });
    // A third of a composite's members is missing.
    for (auto& w : weights) fill(w, [&] { return draw.below(3) == 0 ? 0 : draw.uniform(0.1, 1); });
    law.resize(contacts);
    for (Law& l : law) l = laws_of_bodies[draw.below(laws_of_bodies.size())];
  }

  /// The parameters, not the law itself.
  void give(LawColumns<T>& columns) const {
    columns.tangential_restitution = tangential_restitution;
    columns.impulse_ratio_1 = impulse_ratio_1;
    columns.impulse_ratio_2 = impulse_ratio_2;
    columns.polar_angle = polar_angle;
    columns.azimuth = azimuth;
    columns.fraction = fraction;
    columns.candidate.x = candidate[0];
    columns.candidate.y = candidate[1];
    columns.candidate.z = candidate[2];
    auto next = weights.begin();
    carom::columns::each_weight(
        [&](const auto&, Law member, Column<const T>& weight) {
          if (member != Law::pfeiffer_glocker) weight = *next++;
        },
        columns.weight);
  }

  std::vector<T> tangential_restitution, impulse_ratio_1, impulse_ratio_2, polar_angle, azimuth, fraction;
  std::array<std::vector<T>, 3> candidate;
  std::array<std::vector<T>, 9> weights;  ///< in the order of LawColumns::Weights, without pfeiffer_glocker
  std::vector<Law> law;
};

}  // namespace carom::support
