// Validate: the first fault of every lane, in the order of Status. A fault is a number in the lanes' own type;
// faults are set from the last of Status to the first, so that the first one stays.
#pragma once

#include "planar_laws.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct PlanarValidator {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Columns = PlanarColumns<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr unsigned all_lanes = (1u << width) - 1;

  B fault = B(0);
  PlanarParameters<B> parameters;
  B weights[columns::component_count];

  [[gnu::always_inline]] void set(Mask where, Status status) {
    fault = choose(where, B(static_cast<T>(status)), fault);
  }

  /// Reads the parameters of `law`, the common law of these contacts.
  [[gnu::always_inline]] void read_parameters(const LawColumns<T>& contacts, const Lanes& lanes, Law law,
                                              RestitutionLaw restitution_law) {
    parameters.restitution_law = B(static_cast<T>(restitution_law));
    if (contacts.restitution_law.data != nullptr)
      parameters.restitution_law = Columns::load_number(contacts.restitution_law, lanes);
    if (law == Law::composite) [[unlikely]]
      read_weights(contacts, lanes);
    if (reads_parameters(law)) read_columns(contacts, lanes, law);
  }

  /// Sets the faults of law parameters, except NaN and infinity.
  [[gnu::always_inline]] void law_columns(const LawColumns<T>& contacts) {
    if (contacts.restitution_law.data != nullptr)
      set(parameters.restitution_law > B(static_cast<T>(RestitutionLaw::kinematic)),
          Status::restitution_law_unavailable);
    if (any_parameter_fault_) [[unlikely]] {
      set(out_of_range_, Status::law_parameter_out_of_range);
      set(missing_, Status::law_parameter_missing);
    }
  }

  /// Sets the faults of the coefficients, which all laws read, except NaN and infinity. bodies() comes next.
  [[gnu::always_inline]] void contact_columns(B friction, B restitution, B max_restitution) {
    const B zero(0);
    set(friction < zero, Status::negative_friction);
    set(restitution < zero || restitution > max_restitution, Status::restitution_out_of_range);
  }

  [[gnu::always_inline]] void bodies(const PlanarBody<B>& a, const PlanarBody<B>& b) {
    const B zero(0);
    const Mask massless = a.inverse_mass == zero && b.inverse_mass == zero;
    set(massless && a.inverse_inertia == zero && b.inverse_inertia == zero, Status::both_immovable);
    set(a.inverse_inertia < zero || b.inverse_inertia < zero, Status::inverse_inertia_not_positive_semidefinite);
    set(a.inverse_mass < zero || b.inverse_mass < zero, Status::negative_inverse_mass);
  }

  /// Sets the faults of body indices, each a Status.
  void indices(B found) { fault = choose(found > B(0), found, fault); }

  /// Sets the faults of numbers that are not finite. `each(f)` calls f on every field that must be finite; friction may
  /// be infinite. `finite` is true if all fields are finite.
  template <class Each>
  void numbers(Mask finite, Each&& each, B friction) {
    if (lane_bits(finite && friction == friction && parameters_vanish_ == B(0)) == all_lanes) [[likely]]
      return;
    B sum = parameters_vanish_;
    Mask nan = is_nan(friction) || parameters_nan_;
    each([&](const B& x) {
      sum = sum + (x - x);  // x - x is NaN for NaN and infinity, else 0
      nan = nan || is_nan(x);
    });
    set(is_nan(sum), Status::infinite);
    set(nan, Status::not_a_number);
  }

 private:
  [[gnu::noinline]] void read_weights(const LawColumns<T>& contacts, const Lanes& lanes) {
    const Column<const T>* columns_of_weights[columns::component_count];
    std::size_t count = 0;
    columns::each_weight(
        [&](const columns::Label&, Law, const Column<const T>& column)
            __attribute__((always_inline)) { columns_of_weights[count++] = &column; },
        contacts.weight);
    bool any_column = false;
    Mask any(false);
    for (std::size_t i = 0; i < columns::component_count; ++i) {
      weights[i] = B(0);
      if (columns_of_weights[i]->data == nullptr) continue;
      any_column = true;
      weights[i] = Columns::load(*columns_of_weights[i], lanes);
      see(weights[i], Mask(true), weights[i] < B(0));
      any = any || weights[i] > B(0);
    }
    out_of_range_ = out_of_range_ || and_not(Mask(true), any);
    if (!any_column) missing_ = Mask(true);
    any_parameter_fault_ = true;
  }

  /// Lanes in which contacts of `law` read the parameters of `readers`: for composites, if one of them is a component.
  Mask reading(Law law, unsigned readers) const {
    if (law != Law::composite) return Mask(true);
    Mask here(false);
    for (std::size_t i = 0; i < columns::component_count; ++i)
      if ((readers >> static_cast<unsigned>(columns::components[i].law) & 1u) != 0) here = here || weights[i] > B(0);
    return here;
  }

  B& lanes_of(columns::Parameter parameter) {
    switch (parameter) {
      case columns::Parameter::tangential_restitution:
        return parameters.tangential_restitution;
      case columns::Parameter::impulse_ratio_1:
        return parameters.impulse_ratio;
      case columns::Parameter::polar_angle:
        return parameters.polar_angle;
      case columns::Parameter::fraction:
        return parameters.fraction;
      case columns::Parameter::candidate_x:
        return parameters.candidate.x;
      default:
        return parameters.candidate.y;
    }
  }

  [[gnu::noinline]] void read_columns(const LawColumns<T>& contacts, const Lanes& lanes, Law law) {
    columns::each_parameter(
        [&](const columns::Label&, auto known, const Column<const T>& column) __attribute__((always_inline)) {
          constexpr columns::Parameter parameter = decltype(known)::value;
          constexpr unsigned readers = columns::readers_of(parameter, true);
          constexpr LawParameter values = columns::values_of(parameter, true);
          if constexpr (readers != 0) {
            if (law != Law::composite && (readers >> static_cast<unsigned>(law) & 1u) == 0) return;
            const Mask here = reading(law, readers);
            const B value = read(column, lanes, here);
            if constexpr (values.high < columns::any_number)
              see(value, here, value < B(static_cast<T>(values.low)) || value > B(static_cast<T>(values.high)));
            else
              see(value, here, Mask(false));
            lanes_of(parameter) = value;
          }
        },
        contacts);
  }

  B read(const Column<const T>& column, const Lanes& lanes, Mask here) {
    if (column.data != nullptr) return choose(here, Columns::load(column, lanes), B(0));
    missing_ = missing_ || here;
    any_parameter_fault_ = true;
    return B(0);
  }

  void see(B x, Mask here, Mask outside) {
    const Mask wrong = here && outside;
    if (lane_bits(wrong) != 0) any_parameter_fault_ = true;
    out_of_range_ = out_of_range_ || wrong;
    parameters_vanish_ = parameters_vanish_ + choose(here, x - x, B(0));
    parameters_nan_ = parameters_nan_ || (here && is_nan(x));
  }

  bool any_parameter_fault_ = false;
  Mask missing_ = Mask(false), out_of_range_ = Mask(false), parameters_nan_ = Mask(false);
  B parameters_vanish_ = B(0);
};

}  // namespace
}  // namespace carom::kernel
