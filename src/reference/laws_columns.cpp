#include "reference/laws_columns.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace carom::reference {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

class Reader {
 public:
  Reader(const LawColumns<double>& columns, std::size_t i) : columns_(columns), i_(i) {}

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
        p.tangential_restitution = needed(columns_.tangential_restitution, -1, 1);
        return;
      case Law::brach:
        p.impulse_ratio_1 = needed(columns_.impulse_ratio_1);
        p.impulse_ratio_2 = needed(columns_.impulse_ratio_2);
        return;
      case Law::projected:
        p.candidate = {needed(columns_.candidate_x), needed(columns_.candidate_y), needed(columns_.candidate_z)};
        return;
      case Law::polar:
        p.polar_angle = needed(columns_.polar_angle, 0, std::numbers::pi);
        p.azimuth = needed(columns_.azimuth);
        p.fraction = needed(columns_.fraction, 0, 1);
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
  // A contact carries the fault that stands first in Status.
  void found(Status status) {
    if (fault == Status::ok || status < fault) fault = status;
  }

  double needed(const Column<const double>& column, double low = -largest, double high = largest) {
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
    const double weight = column ? needed(column, 0) : 0;
    if (!(weight > 0)) return weight;
    any_member_ = true;
    read(law);
    return weight;
  }

  void read_members() {
    const LawColumns<double>::Weights& from = columns_.weight;
    LawParameters::Weights& to = parameters.weight;
    to.incremental = member(from.incremental, Law::incremental);
    to.frictionless = member(from.frictionless, Law::frictionless);
    to.chatterjee_ruina = member(from.chatterjee_ruina, Law::chatterjee_ruina);
    to.bilinear = member(from.bilinear, Law::bilinear);
    to.smith = member(from.smith, Law::smith);
    to.anitescu_potra = member(from.anitescu_potra, Law::anitescu_potra);
    to.brach = member(from.brach, Law::brach);
    to.projected = member(from.projected, Law::projected);
    to.polar = member(from.polar, Law::polar);
    member(from.pfeiffer_glocker, Law::pfeiffer_glocker);
    if (!any_member_) found(Status::law_parameter_out_of_range);
  }

  const LawColumns<double>& columns_;
  std::size_t i_;
  bool any_member_ = false;
};

}  // namespace

LawOfContact read_law(const ContactColumns<double>& columns, std::size_t i, const Options& options) {
  LawOfContact contact;
  contact.law = columns.law ? columns.law[i] : options.law;
  Reader reader(columns, i);
  reader.read(contact.law);
  contact.parameters = reader.parameters;
  contact.fault = reader.fault;
  return contact;
}

}  // namespace carom::reference
