// The law of a contact and the parameters that it reads, in 3D or 2D.
#pragma once

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

}  // namespace carom::reference
