// Loads parameters of laws from the caller's columns to the tile, with their faults. Numbers that are not finite are
// left to the stage that checks all fields of a contact.
#pragma once

#include "contact/kernels/laws/algebraic/law_list.hpp"
#include "contact/kernels/stages/units.hpp"
#include "contact/kernels/stages/validate.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class ParameterReader {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;

 public:
  ParameterReader(const LawColumns<T>& columns, const Block& block, LawTile<T>& tile, std::size_t slot)
      : columns_(columns), block_(block), tile_(tile), slot_(slot) {}

  /// Reads the parameters of a contact's own law.
  void read(Law law, Mask has) {
    if (law == Law::composite)
      read_components(has);
    else
      read_single(law, has);
  }

  void validate(Validator<A, T>& validator) const {
    validator.set(outside_, Status::law_parameter_out_of_range);
    validator.set(missing_, Status::law_parameter_missing);
    validator.set(unavailable_, Status::law_unavailable);
  }

  /// Bits of the lanes of LawTile::parameters that hold anything; in lanes that do not read it a parameter is zero.
  unsigned found() const { return found_; }

  template <class F>
  static void for_each_field(const LawTile<T>& tile, std::size_t slot, unsigned found, F&& f) {
    for_each_bit(found, [&](std::size_t i) { f(load_lanes<B>(tile.parameters[i] + slot)); });
  }

 private:
  void read_single(Law law, Mask has) {
    if (law == Law::pfeiffer_glocker) unavailable_ = unavailable_ || has;
    columns::each_parameter(
        [&](const columns::Label&, auto known, const Column<const T>& column) __attribute__((always_inline)) {
          constexpr columns::Parameter parameter = decltype(known)::value;
          constexpr unsigned readers = columns::readers_of(parameter, false);
          constexpr LawParameter values = columns::values_of(parameter, false);
          if ((readers >> static_cast<unsigned>(law) & 1u) == 0) return;
          const B value = load(column, has, static_cast<std::size_t>(parameter));
          if constexpr (values.high < columns::any_number)
            reject(value < B(static_cast<T>(values.low)) || value > B(static_cast<T>(values.high)), has);
        },
        columns_);
  }

  void read_components(Mask has) {
    Mask any = Mask(false);
    for (std::size_t i = 0; i < columns::component_count; ++i) clear(LawTile<T>::first_weight + i);
    const Column<const T>* weights[columns::component_count];
    std::size_t count = 0;
    columns::each_weight(
        [&](const columns::Label&, Law, const Column<const T>& column)
            __attribute__((always_inline)) { weights[count++] = &column; },
        columns_.weight);
    for (std::size_t i = 0; i < columns::component_count; ++i) {
      if (weights[i]->data == nullptr) continue;
      const B weight = load(*weights[i], has, LawTile<T>::first_weight + i);
      reject(weight < B(0), has);
      const Mask counts = has && weight > B(0);
      any = any || counts;
      if (lane_bits(counts) != 0) read_single(columns::components[i].law, counts);
    }
    reject(and_not(has, any), has);
  }

  void clear(std::size_t i) {
    if ((found_ >> i & 1u) == 0) store_lanes(tile_.parameters[i] + slot_, B(0));
    found_ |= 1u << i;
  }

  B load(const Column<const T>& column, Mask has, std::size_t i) {
    clear(i);
    if (column.data == nullptr) {
      missing_ = missing_ || has;
      return B(0);
    }
    T* const lane = tile_.parameters[i] + slot_;
    const B value = choose(has, Load::load(column, block_), load_lanes<B>(lane));
    store_lanes(lane, value);
    return value;
  }
  void reject(Mask condition, Mask has) { outside_ = outside_ || (condition && has); }

  const LawColumns<T>& columns_;
  const Block& block_;
  LawTile<T>& tile_;
  std::size_t slot_;
  unsigned found_ = 0;
  Mask missing_ = Mask(false), outside_ = Mask(false), unavailable_ = Mask(false);
};

}  // namespace
}  // namespace carom::kernel
