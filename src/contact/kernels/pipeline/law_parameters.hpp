// Loads parameters of laws from the caller's columns to the tile, with their faults. Numbers that are not finite are
// left to the stage that checks all fields of a contact.
#pragma once

#include "contact/kernels/stages/validate.hpp"

namespace carom::kernel {
namespace {

using columns::bit_of;

/// The laws that read more columns of numbers than friction and restitution, bits of Law.
template <int dimension>
constexpr unsigned laws_with_parameters = [] {
  unsigned laws = bit_of(Law::composite);
  for (const columns::ParameterRange& range : columns::parameter_ranges)
    if (dimension == 2 ? range.values.in_plane : range.values.in_space) laws |= range.readers;
  return laws & ~(dimension == 3 ? bit_of(Law::pfeiffer_glocker) : 0);
}();

/// Calls f(column, others...) for the columns of numbers that contacts of `laws`, bits of Law, may read, except
/// friction and restitution.
template <int dimension, class F, class Columns, class... Others>
[[gnu::always_inline]] inline void for_each_parameter(unsigned laws, F&& f, Columns& columns, Others&... others) {
  const bool composite = (laws & bit_of(Law::composite)) != 0;
  columns::each_parameter(
      [&](const columns::Label&, auto known, auto& column, auto&... rest) __attribute__((always_inline)) {
        constexpr unsigned readers = columns::readers_of(decltype(known)::value, dimension == 2);
        if ((laws & readers) != 0 || (composite && readers != 0)) f(column, rest...);
      },
      columns, others...);
  if (composite)
    columns::each_weight(
        [&](const columns::Label&, Law, auto& column, auto&... rest)
            __attribute__((always_inline)) { f(column, rest...); },
        columns.weight, others.weight...);
}

/// Lanes of parameters, in the order of columns::Parameter; then the weights, in the order of columns::components. A
/// lane that no law of the contacts reads means nothing. In 3D they are lanes of LawTile.
template <class T, int dimension>
struct ParameterLanes {
  static constexpr std::size_t count = columns::parameter_count + columns::component_count;
  static constexpr std::size_t first_weight = columns::parameter_count;
  static constexpr std::size_t step = (dimension == 3 ? sizeof(typename LawTile<T>::Lane) : 64) / sizeof(T);

  T* first;

  T* operator[](std::size_t i) const { return first + i * step; }
};

template <class A, class T, int dimension>
class ParameterReader {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;
  using Lanes = ParameterLanes<T, dimension>;

 public:
  ParameterReader(const LawColumns<T>& columns, const Block& block, Lanes lanes)
      : columns_(columns), block_(block), lanes_(lanes) {}

  /// Reads the parameters of a contact's own law.
  void read(Law law, Mask has) {
    if (law == Law::composite)
      read_components(has);
    else
      read_parameters(bit_of(law), [has](unsigned) { return has; });
  }

  void validate(Validator<A, T>& validator) const {
    validator.set(outside_, Status::law_parameter_out_of_range);
    validator.set(missing_, Status::law_parameter_missing);
    validator.set(unavailable_, Status::law_unavailable);
  }

  /// Bits of the lanes that hold anything; where a contact does not read it a parameter is zero.
  unsigned found() const { return found_; }

  template <class F>
  static void for_each_field(Lanes lanes, unsigned found, F&& f) {
    for_each_bit(found, [&](std::size_t i) { f(load_lanes<B>(lanes[i])); });
  }

  /// Zero where all of them are finite, else NaN.
  B sum() const { return sum_; }

 private:
  /// Reads the parameters of `laws`. `reading(readers)` returns the contacts that have one of the laws `readers`.
  template <class Reading>
  [[gnu::always_inline]] void read_parameters(unsigned laws, Reading&& reading) {
    if (dimension == 3 && (laws & bit_of(Law::pfeiffer_glocker)) != 0)
      unavailable_ = unavailable_ || reading(bit_of(Law::pfeiffer_glocker));
    columns::each_parameter(
        [&](const columns::Label&, auto known, const Column<const T>& column) __attribute__((always_inline)) {
          constexpr columns::Parameter parameter = decltype(known)::value;
          constexpr unsigned readers = columns::readers_of(parameter, dimension == 2);
          constexpr LawParameter values = columns::values_of(parameter, dimension == 2);
          if ((laws & readers) == 0) return;
          const Mask has = reading(readers);
          constexpr auto i = static_cast<std::size_t>(parameter);
          const B value = load(column, has, (found_ >> i & 1u) != 0 ? load_lanes<B>(lanes_[i]) : B(0), i);
          if (column.data == nullptr) missing_ = missing_ || has;
          if constexpr (values.high < columns::any_number)
            reject(value < B(static_cast<T>(values.low)) || value > B(static_cast<T>(values.high)), has);
        },
        columns_);
  }

  void read_components(Mask has) {
    Mask counts[columns::component_count], any(false);
    unsigned laws = 0;
    bool any_column = false;
    std::size_t i = 0;
    columns::each_weight(
        [&](const columns::Label&, Law law, const Column<const T>& column) __attribute__((always_inline)) {
          const std::size_t component = i++;
          const B weight = load(column, has, B(0), Lanes::first_weight + component);
          reject(weight < B(0), has);
          any_column = any_column || column.data != nullptr;
          counts[component] = has && weight > B(0);
          any = any || counts[component];
          if (lane_bits(counts[component]) != 0) laws |= bit_of(law);
        },
        columns_.weight);
    reject(and_not(has, any), has);
    if (dimension == 2 && !any_column) missing_ = missing_ || has;
    read_parameters(laws, [&](unsigned readers) {
      Mask here(false);
      for (std::size_t c = 0; c < columns::component_count; ++c)
        if ((readers & bit_of(columns::components[c].law)) != 0) here = here || counts[c];
      return here;
    });
  }

  /// Reads a column where contacts have it, and `otherwise` elsewhere.
  [[gnu::always_inline]] B load(const Column<const T>& column, Mask has, B otherwise, std::size_t i) {
    B value = otherwise;
    if (column.data != nullptr) value = choose(has, Load::load(column, block_), otherwise);
    sum_ = sum_ + vanishing(value);
    store_lanes(lanes_[i], value);
    found_ |= 1u << i;
    return value;
  }
  void reject(Mask condition, Mask has) { outside_ = outside_ || (condition && has); }

  const LawColumns<T>& columns_;
  const Block& block_;
  Lanes lanes_;
  unsigned found_ = 0;
  B sum_ = B(0);
  Mask missing_ = Mask(false), outside_ = Mask(false), unavailable_ = Mask(false);
};

}  // namespace
}  // namespace carom::kernel
