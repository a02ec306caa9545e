// Which columns the law of a planar contact reads, and what may be wrong with them.
#pragma once

#include <carom/reference_planar.hpp>
#include <cmath>

#include "columns.hpp"

namespace carom::reference::planar {

struct Laws {
  double friction = 0, restitution = 0, largest_restitution = 1;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  Law law = Law::incremental;
  Parameters parameters;
  // Faults count only in columns that the law reads.
  bool missing = false, out_of_range = false, any_nan = false, any_infinite = false;
};

// Reads the columns that a law needs, and what is wrong with them.
class ParameterReader {
 public:
  ParameterReader(const LawColumns<double>& host, std::size_t i, Laws& laws) : host_(host), i_(i), laws_(laws) {}

  void read_for(Law law) {
    if (law == Law::composite) return read_weights();
    columns::each_parameter(
        [&](const auto&, columns::Parameter parameter, const Column<const double>& column) {
          for (const columns::ParameterRange& range : columns::parameter_ranges)
            if (range.parameter == parameter && range.values.in_plane && range.has_reader(law))
              read(column, value_of(parameter), range.values.low, range.values.high);
        },
        host_);
  }

 private:
  double& value_of(columns::Parameter parameter) {
    Parameters& p = laws_.parameters;
    switch (parameter) {
      case columns::Parameter::tangential_restitution:
        return p.tangential_restitution;
      case columns::Parameter::impulse_ratio_1:
        return p.impulse_ratio;
      case columns::Parameter::polar_angle:
        return p.polar_angle;
      case columns::Parameter::fraction:
        return p.fraction;
      default:
        return p.candidate[parameter == columns::Parameter::candidate_x ? 0 : 1];
    }
  }

  void read(const Column<const double>& column, double& value, double low, double high) {
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
    bool any_column = false, any_weight = false;
    columns::each_weight(
        [&](const auto&, Law law, const Column<const double>& column, double& weight) {
          if (!column) return;
          any_column = true;
          read(column, weight, 0, columns::any_number);
          if (!(weight > 0)) return;
          any_weight = true;
          read_for(law);
        },
        host_.weight, laws_.parameters.weight);
    laws_.missing |= !any_column;
    laws_.out_of_range |= !any_weight;
  }

  const LawColumns<double>& host_;
  std::size_t i_;
  Laws& laws_;
};

}  // namespace carom::reference::planar
