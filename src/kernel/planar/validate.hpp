// Stage 2, validate: the first fault of every lane, in the order of Status. A fault is a number in the lanes' own type;
// faults are set from the last of Status to the first, so that the first one stays.
#pragma once

#include "laws.hpp"

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
  unsigned laws = 0;  // that occur, a bit each
  B law = B(0);       // of each lane
  PlanarParameters<B> parameters;
  B weights[planar_member_count];

  void set(Mask where, Status status) { fault = choose(where, B(static_cast<T>(status)), fault); }

  /// Which laws the contacts name, and what these read.
  [[gnu::always_inline]] void read_laws(const ContactColumns<T>& contacts, const Lanes& lanes,
                                        const PlanarOptions& options) {
    law = B(static_cast<T>(options.law));
    laws = bit_of(options.law);
    parameters.restitution_law = B(static_cast<T>(options.restitution_law));
    if (contacts.law.data != nullptr) [[unlikely]]
      read_law_column(contacts, lanes);
    if (contacts.restitution_law.data != nullptr)
      parameters.restitution_law = Columns::load_number(contacts.restitution_law, lanes);
    if ((laws & bit_of(Law::composite)) != 0) [[unlikely]]
      read_weights(contacts, lanes);
    constexpr unsigned readers = bit_of(Law::chatterjee_ruina) | bit_of(Law::bilinear) | bit_of(Law::pfeiffer_glocker) |
                                 bit_of(Law::brach) | bit_of(Law::polar) | bit_of(Law::projected) |
                                 bit_of(Law::composite);
    if ((laws & readers) != 0) read_parameters(contacts, lanes);
  }

  /// All faults of what a law reads, but for those of numbers; the others follow.
  [[gnu::always_inline]] void contact_columns(const ContactColumns<T>& contacts, B friction, B restitution) {
    const B zero(0), one(1);
    if (contacts.restitution_law.data != nullptr && (laws & (bit_of(Law::incremental) | bit_of(Law::composite))) != 0)
      set(parameters.restitution_law > B(static_cast<T>(RestitutionLaw::kinematic)) && reads(Law::incremental),
          Status::restitution_law_unavailable);
    if (any_parameter_fault_) [[unlikely]] {
      set(out_of_range_, Status::law_parameter_out_of_range);
      set(missing_, Status::law_parameter_missing);
    }
    set(law >= B(static_cast<T>(law_count)), Status::law_unavailable);
    set(friction < zero, Status::negative_friction);
    set(restitution < zero || restitution > one, Status::restitution_out_of_range);
  }

  void bodies(const PlanarBody<B>& a, const PlanarBody<B>& b) {
    const B zero(0);
    const Mask massless = a.inverse_mass == zero && b.inverse_mass == zero;
    set(massless && a.inverse_inertia == zero && b.inverse_inertia == zero, Status::both_immovable);
    set(a.inverse_inertia < zero || b.inverse_inertia < zero, Status::inverse_inertia_not_positive_semidefinite);
    set(a.inverse_mass < zero || b.inverse_mass < zero, Status::negative_inverse_mass);
  }

  /// Without any mass one body alone that turns leaves K singular, whatever rounding makes of it.
  void pivot(const PlanarBody<B>& a, const PlanarBody<B>& b) {
    const B zero(0);
    const Mask massless = a.inverse_mass + b.inverse_mass == zero;
    const Mask both = a.inverse_inertia > zero && b.inverse_inertia > zero;
    set(and_not(massless, both) && fault == zero, Status::collision_matrix_not_positive_definite);
  }

  /// `each(f)` calls f on every field that must be finite; friction may be infinite. `finite` is true where all of
  /// them are.
  template <class Each>
  void numbers(Mask finite, Each&& each, B friction) {
    if (lane_bits(finite && friction == friction && parameters_vanish_ == B(0)) == all_lanes) [[likely]]
      return;
    B sum = parameters_vanish_;
    Mask nan = is_nan(friction) || parameters_nan_;
    each([&](const B& x) {
      sum = sum + (x - x);  // NaN of NaN and of infinity, else 0
      nan = nan || is_nan(x);
    });
    set(is_nan(sum), Status::infinite);
    set(nan, Status::not_a_number);
  }

  template <class Indices>
  void indices(const Indices& a, const Indices& b) {
    T same[width];
    for (std::size_t lane = 0; lane < width; ++lane) same[lane] = a.body[lane] == b.body[lane] ? T(1) : T(0);
    set(a.stored && b.stored && load_lanes<B>(same) > B(0), Status::same_body);
    set(and_not(Mask(true), a.known && b.known), Status::body_index_out_of_range);
  }

 private:
  static constexpr std::size_t member_of(Law law) {
    for (std::size_t i = 0; i < planar_member_count; ++i)
      if (planar_members[i] == law) return i;
    return planar_member_count;
  }

  [[gnu::noinline]] void read_law_column(const ContactColumns<T>& contacts, const Lanes& lanes) {
    law = Columns::load_number(contacts.law, lanes);
    laws = 0;
    T numbers[width];
    store_lanes(numbers, law);
    for (std::size_t lane = 0; lane < width; ++lane)
      if (numbers[lane] < static_cast<T>(law_count)) laws |= 1u << static_cast<unsigned>(numbers[lane]);
  }

  [[gnu::noinline]] void read_weights(const ContactColumns<T>& contacts, const Lanes& lanes) {
    const auto& w = contacts.weight;
    const Column<const T>* columns[planar_member_count] = {
        &w.incremental,      &w.frictionless, &w.chatterjee_ruina, &w.bilinear, &w.smith, &w.anitescu_potra,
        &w.pfeiffer_glocker, &w.brach,        &w.projected,        &w.polar};
    const Mask composite = law == B(static_cast<T>(Law::composite));
    bool any_column = false;
    Mask any(false);
    for (std::size_t i = 0; i < planar_member_count; ++i) {
      weights[i] = B(0);
      if (columns[i]->data == nullptr) continue;
      any_column = true;
      weights[i] = choose(composite, Columns::load(*columns[i], lanes), B(0));
      see(weights[i], composite, weights[i] < B(0));
      any = any || weights[i] > B(0);
    }
    out_of_range_ = out_of_range_ || and_not(composite, any);
    if (!any_column) missing_ = missing_ || composite;
    any_parameter_fault_ = true;
  }

  /// Where a contact's law is this one, or a composite of it.
  Mask reads(Law which) const {
    const Mask own = law == B(static_cast<T>(which));
    if ((laws & bit_of(Law::composite)) == 0) return own;
    return own || (law == B(static_cast<T>(Law::composite)) && weights[member_of(which)] > B(0));
  }

  [[gnu::noinline]] void read_parameters(const ContactColumns<T>& contacts, const Lanes& lanes) {
    const B zero(0), one(1);
    const auto occurs = [&](unsigned of) { return (laws & (of | bit_of(Law::composite))) != 0; };
    if (occurs(bit_of(Law::chatterjee_ruina) | bit_of(Law::bilinear) | bit_of(Law::pfeiffer_glocker))) {
      const Mask readers = reads(Law::chatterjee_ruina) || reads(Law::bilinear) || reads(Law::pfeiffer_glocker);
      const B e = read(contacts.tangential_restitution, lanes, readers);
      see(e, readers, e < B(-1) || e > one);
      parameters.tangential_restitution = e;
    }
    if (occurs(bit_of(Law::brach))) {
      const Mask readers = reads(Law::brach);
      parameters.impulse_ratio = read(contacts.impulse_ratio_1, lanes, readers);
      see(parameters.impulse_ratio, readers, Mask(false));
    }
    if (occurs(bit_of(Law::polar))) {
      const Mask readers = reads(Law::polar);
      const B angle = read(contacts.polar_angle, lanes, readers), part = read(contacts.fraction, lanes, readers);
      see(angle, readers, magnitude(angle) > B(static_cast<T>(3.14159265358979323846)));
      see(part, readers, part < zero || part > one);
      parameters.polar_angle = angle;
      parameters.fraction = part;
    }
    if (occurs(bit_of(Law::projected))) {
      const Mask readers = reads(Law::projected);
      parameters.candidate = {read(contacts.candidate_x, lanes, readers), read(contacts.candidate_y, lanes, readers)};
      see(parameters.candidate.x, readers, Mask(false));
      see(parameters.candidate.y, readers, Mask(false));
    }
  }

  B read(const Column<const T>& column, const Lanes& lanes, Mask readers) {
    if (column.data != nullptr) return choose(readers, Columns::load(column, lanes), B(0));
    missing_ = missing_ || readers;
    any_parameter_fault_ = true;
    return B(0);
  }

  void see(B x, Mask readers, Mask outside) {
    const Mask wrong = readers && outside;
    if (lane_bits(wrong) != 0) any_parameter_fault_ = true;
    out_of_range_ = out_of_range_ || wrong;
    parameters_vanish_ = parameters_vanish_ + choose(readers, x - x, B(0));
    parameters_nan_ = parameters_nan_ || (readers && is_nan(x));
  }

  bool any_parameter_fault_ = false;
  Mask missing_ = Mask(false), out_of_range_ = Mask(false), parameters_nan_ = Mask(false);
  B parameters_vanish_ = B(0);
};

}  // namespace
}  // namespace carom::kernel
