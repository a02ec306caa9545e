// What single laws read beside friction and restitution: from the host's columns to the tile, with their faults. What
// is not finite is left to the stage that searches all fields of a contact for it.
#pragma once

#include "../units.hpp"
#include "../validate.hpp"
#include "law_list.hpp"

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

  /// Of a contact's own law.
  void read(Law law, Mask has) {
    if (law == Law::composite)
      read_members(has);
    else
      read_single(law, has);
  }

  void judge(Validator<A, T>& validator) const {
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
    const B zero(0), one(1);
    switch (law) {
      case Law::chatterjee_ruina:
      case Law::bilinear: {
        const B e_t = load(columns_.tangential_restitution, has, 0);
        reject(e_t < B(-1) || e_t > one, has);
        return;
      }
      case Law::brach:
        load(columns_.impulse_ratio_1, has, 1);
        load(columns_.impulse_ratio_2, has, 2);
        return;
      case Law::polar: {
        const B angle = load(columns_.polar_angle, has, 3);
        load(columns_.azimuth, has, 4);
        const B fraction = load(columns_.fraction, has, 5);
        constexpr auto pi = static_cast<T>(3.14159265358979323846);
        reject(angle < zero || angle > B(pi) || fraction < zero || fraction > one, has);
        return;
      }
      case Law::projected:
        load(columns_.candidate_x, has, 6);
        load(columns_.candidate_y, has, 7);
        load(columns_.candidate_z, has, 8);
        return;
      case Law::pfeiffer_glocker:
        unavailable_ = unavailable_ || has;
        return;
      default:
        return;
    }
  }

  void read_members(Mask has) {
    const auto& w = columns_.weight;
    const Column<const T>* const weights[member_count] = {
        &w.incremental,      &w.frictionless, &w.chatterjee_ruina, &w.bilinear, &w.smith, &w.anitescu_potra,
        &w.pfeiffer_glocker, &w.brach,        &w.projected,        &w.polar};
    const B zero(0);
    Mask any = Mask(false);
    for (std::size_t i = 0; i < member_count; ++i) clear(LawTile<T>::first_weight + i);
    for (const Member& member : members) {
      if (weights[member.weight]->data == nullptr) continue;
      const B weight = load(*weights[member.weight], has, LawTile<T>::first_weight + member.weight);
      reject(weight < zero, has);
      const Mask counts = has && weight > zero;
      any = any || counts;
      if (lane_bits(counts) != 0) read_single(member.law, counts);
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
    const B value = choose(has, Load::load_optional(column, block_), load_lanes<B>(lane));
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
