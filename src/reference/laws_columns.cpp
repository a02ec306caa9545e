#include "reference/laws_columns.hpp"

#include <cmath>

#include "columns.hpp"
#include "fault.hpp"

namespace carom::reference {
namespace {

using columns::Parameter;

class Reader {
 public:
  Reader(const LawColumns<double>& host, std::size_t i) : weights_(host.weight), i_(i) {
    columns::each_parameter([&](const auto&, Parameter parameter,
                                const auto& column) { columns_[static_cast<std::size_t>(parameter)] = &column; },
                            host);
  }

  void read(Law law) {
    LawParameters& p = parameters;
    switch (law) {
      case Law::incremental:
      case Law::frictionless:
      case Law::no_slip:
      case Law::whittaker:
      case Law::smith:
      case Law::anitescu_potra:
        return;
      case Law::chatterjee_ruina:
      case Law::bilinear:
        p.tangential_restitution = needed(Parameter::tangential_restitution);
        return;
      case Law::brach:
        p.impulse_ratio_1 = needed(Parameter::impulse_ratio_1);
        p.impulse_ratio_2 = needed(Parameter::impulse_ratio_2);
        return;
      case Law::projected:
        p.candidate = {needed(Parameter::candidate_x), needed(Parameter::candidate_y), needed(Parameter::candidate_z)};
        return;
      case Law::polar:
        p.polar_angle = needed(Parameter::polar_angle);
        p.azimuth = needed(Parameter::azimuth);
        p.fraction = needed(Parameter::fraction);
        return;
      case Law::composite:
        return read_members();
      case Law::pfeiffer_glocker:
        break;
    }
    found(Status::law_unavailable);
  }

  LawParameters parameters;
  Status fault = Status::ok;

 private:
  void found(Status status) { fault = first_fault(fault, status); }

  double needed(Parameter parameter) {
    for (const columns::ParameterRange& range : columns::parameter_ranges)
      if (range.parameter == parameter && range.values.in_space)
        return needed(*columns_[static_cast<std::size_t>(parameter)], range.values.low, range.values.high);
    return 0;
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

  double member(const Column<const double>& column, Law law) {
    const double weight = column ? needed(column, 0, columns::any_number) : 0;
    if (!(weight > 0)) return weight;
    any_member_ = true;
    read(law);
    return weight;
  }

  void read_members() {
    columns::each_weight(
        [&](const auto&, Law law, const Column<const double>& from, double& to) { to = member(from, law); }, weights_,
        parameters.weight);
    if (!any_member_) found(Status::law_parameter_out_of_range);
  }

  const Column<const double>* columns_[columns::parameter_count] = {};
  const Weights<Column<const double>>& weights_;
  std::size_t i_;
  bool any_member_ = false;
};

}  // namespace

LawOfContact read_law(const LawColumns<double>& columns, std::size_t i, const Options& options) {
  LawOfContact contact;
  contact.law = columns.law ? columns.law[i] : options.law;
  Reader reader(columns, i);
  reader.read(contact.law);
  contact.parameters = reader.parameters;
  contact.fault = reader.fault;
  return contact;
}

}  // namespace carom::reference
