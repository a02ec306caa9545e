// The law of a contact and the parameters that it reads, in 3D or 2D.
#pragma once

#include <algorithm>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <cmath>
#include <cstddef>

#include "core/columns/columns.hpp"
#include "core/support/fault.hpp"

namespace carom::reference {

/// Parameters are LawParameters or planar::Parameters.
template <class Parameters>
struct LawOfContact {
  Law law = Law::incremental;
  Parameters parameters;  ///< the candidate impulse in the frame of the results
  Status fault = Status::ok;
};

template <class Parameters>
class LawReader {
 public:
  LawReader(const LawColumns<double>& host, std::size_t i, LawOfContact<Parameters>& contact)
      : host_(host), i_(i), contact_(contact) {}

  void read(Law law) {
    if (static_cast<std::size_t>(law) >= law_count || (!in_plane && law == Law::pfeiffer_glocker))
      return found(Status::law_unavailable);
    if (law == Law::composite) return read_components();
    columns::each_parameter(
        [&](const auto&, columns::Parameter parameter, const Column<const double>& column) {
          for (const columns::ParameterRange& range : columns::parameter_ranges)
            if (range.parameter == parameter && range.has_reader(law) &&
                (in_plane ? range.values.in_plane : range.values.in_space))
              value_of(parameter) = needed(column, range.values.low, range.values.high);
        },
        host_);
  }

 private:
  static constexpr bool in_plane = std::is_same_v<Parameters, planar::Parameters>;

  void found(Status status) { contact_.fault = first_fault(contact_.fault, status); }

  double& value_of(columns::Parameter parameter) {
    using enum columns::Parameter;
    Parameters& p = contact_.parameters;
    if (parameter == tangential_restitution) return p.tangential_restitution;
    if (parameter == polar_angle) return p.polar_angle;
    if (parameter == fraction) return p.fraction;
    if (parameter == candidate_x) return p.candidate[0];
    if (parameter == candidate_y) return p.candidate[1];
    if constexpr (in_plane) {
      return p.impulse_ratio;
    } else {
      if (parameter == impulse_ratio_1) return p.impulse_ratio_1;
      if (parameter == impulse_ratio_2) return p.impulse_ratio_2;
      return parameter == azimuth ? p.azimuth : p.candidate[2];
    }
  }

  double needed(const Column<const double>& column, double low, double high) {
    if (!column) {
      found(Status::law_parameter_missing);
      return 0;
    }
    const double x = column[i_];
    if (std::isnan(x))
      found(Status::not_a_number);
    else if (std::isinf(x))
      found(Status::infinite);
    else if (x < low || x > high)
      found(Status::law_parameter_out_of_range);
    return x;
  }

  void read_components() {
    bool any_column = false, any_member = false;
    columns::each_weight(
        [&](const auto&, Law law, const Column<const double>& column, double& weight) {
          if (!column) return;
          any_column = true;
          weight = needed(column, 0, columns::any_number);
          if (!(weight > 0)) return;
          any_member = true;
          read(law);
        },
        host_.weight, contact_.parameters.weight);
    // In space weights that are not there are zeros, all of them, too.
    if (in_plane && !any_column) found(Status::law_parameter_missing);
    if (!any_member) found(Status::law_parameter_out_of_range);
  }

  const LawColumns<double>& host_;
  std::size_t i_;
  LawOfContact<Parameters>& contact_;
};

/// No sum of weights that are relative to the largest one is out of range.
inline double largest_weight(const Weights<double>& weights) {
  double largest = 0;
  columns::each_weight([&](const auto&, Law, double weight) { largest = std::max(largest, weight); }, weights);
  return largest;
}

/// u_z after a law, of which u0 + K p is `sum` and -e u0_z is `rebound`. All but the bilinear one have it >= 0 by
/// definition, and a contact that hardly approaches less of it than the sum's rounding.
inline double normal_velocity(Law law, const Weights<double>& weights, double rebound, double sum) {
  switch (law) {
    case Law::frictionless:
    case Law::no_slip:
    case Law::chatterjee_ruina:
    case Law::whittaker:
    case Law::smith:
    case Law::brach:
      return rebound;
    case Law::bilinear:
      return sum;
    case Law::composite:
      return weights.bilinear > 0 ? sum : std::max(sum, 0.0);
    default:
      return std::max(sum, 0.0);
  }
}

}  // namespace carom::reference
