// Which columns the law of a planar contact reads, and what may be wrong with them.
#pragma once

#include <carom/reference_planar.hpp>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <utility>

namespace carom::reference::planar {

struct Laws {
  double friction = 0, restitution = 0, largest_restitution = 1;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  Law law = Law::incremental;
  Parameters parameters;
  // Of what the law reads.
  bool missing = false, out_of_range = false, any_nan = false, any_infinite = false;
};

// Reads the columns that a law needs, and what is wrong with them.
class ParameterReader {
 public:
  ParameterReader(const ContactColumns<double>& columns, std::size_t i, Laws& laws)
      : columns_(columns), i_(i), laws_(laws) {}

  void read_for(Law law) {
    Parameters& p = laws_.parameters;
    switch (law) {
      case Law::chatterjee_ruina:
      case Law::bilinear:
      case Law::pfeiffer_glocker:
        read(columns_.tangential_restitution, p.tangential_restitution, -1, 1);
        break;
      case Law::brach:
        read(columns_.impulse_ratio_1, p.impulse_ratio);
        break;
      case Law::polar:
        read(columns_.polar_angle, p.polar_angle, -std::numbers::pi, std::numbers::pi);
        read(columns_.fraction, p.fraction, 0, 1);
        break;
      case Law::projected:
        read(columns_.candidate_x, p.candidate[0]);
        read(columns_.candidate_y, p.candidate[1]);
        break;
      case Law::composite:
        read_weights();
        break;
      default:
        break;
    }
  }

 private:
  void read(const Column<const double>& column, double& value, double low = std::numeric_limits<double>::lowest(),
            double high = std::numeric_limits<double>::max()) {
    if (!column) {
      laws_.missing = true;
      return;
    }
    value = column[i_];
    laws_.any_nan |= std::isnan(value);
    laws_.any_infinite |= std::isinf(value);
    laws_.out_of_range |= !(value >= low && value <= high);
  }

  void read_weights() {
    const auto& w = columns_.weight;
    const std::initializer_list<std::pair<Law, const Column<const double>*>> columns{
        {Law::incremental, &w.incremental},
        {Law::frictionless, &w.frictionless},
        {Law::chatterjee_ruina, &w.chatterjee_ruina},
        {Law::bilinear, &w.bilinear},
        {Law::smith, &w.smith},
        {Law::anitescu_potra, &w.anitescu_potra},
        {Law::pfeiffer_glocker, &w.pfeiffer_glocker},
        {Law::brach, &w.brach},
        {Law::projected, &w.projected},
        {Law::polar, &w.polar},
    };
    bool any_column = false, any_weight = false;
    for (const auto& [law, column] : columns) {
      if (!*column) continue;
      any_column = true;
      double& weight = laws_.parameters.weights[static_cast<std::size_t>(law)];
      read(*column, weight, 0);
      if (!(weight > 0)) continue;
      any_weight = true;
      read_for(law);
    }
    laws_.missing |= !any_column;
    laws_.out_of_range |= !any_weight;
  }

  const ContactColumns<double>& columns_;
  std::size_t i_;
  Laws& laws_;
};

}  // namespace carom::reference::planar
