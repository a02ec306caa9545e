// Law: applies each law to the contacts of a tile that have it. A law in closed form processes the vectors in which it
// occurs. An iterative law works on two vectors in parallel and gives up on slow contacts, which are then collected: a
// vector would wait for its slowest contact. If contacts have different laws, all contacts of an iterative law are
// collected, so that every lane works.
#pragma once

#include "law_lanes.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class LawApplier {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Stages = LawStages<A, T>;
  using Input = LawInput<A, T>;
  using Result = LawResult<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  /// `in_world`: candidates are given in the frame of the world.
  LawApplier(LawTile<T>& tile, const Components<T>& given, bool in_world)
      : tile_(tile), components_(given), lanes_(tile, in_world), pair_(tile, in_world) {}

  /// Applies the laws of DirectLaws to the contacts of a vector.
  void apply_direct(std::size_t slot) const {
    lanes_.template apply_in_place<Frictionless>(slot);
    lanes_.template apply_in_place<NoSlip>(slot);
    lanes_.template apply_in_place<ChatterjeeRuina>(slot);
    lanes_.template apply_in_place<Bilinear>(slot);
  }

  /// Applies the laws to contacts [first, first + count) of the batch, except direct_laws.
  void apply(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    unsigned all = 0;
    for (std::size_t slot = 0; slot < count; slot += width) all |= tile_.laws[slot / width];
    const bool uniform = (all & (all - 1)) == 0;
    for_each_law([&]<class L>() {
      if ((all & bit_of(L::law) & ~direct_laws) == 0) return;
      if constexpr (L::iterates) {
        if (uniform) return iterate_in_place<L>();
        return iterate_together<L>();
      }
      for (std::size_t slot = 0; slot < count; slot += width)
        if ((tile_.laws[slot / width] & bit_of(L::law)) != 0) lanes_.template apply_in_place<L>(slot);
    });
    if ((all & bit_of(Law::composite)) == 0) return;
    for (std::size_t slot = 0; slot < count; slot += width)
      if ((tile_.laws[slot / width] & bit_of(Law::composite)) != 0) apply_composite(slot);
  }

 private:
  struct Slots {
    std::size_t count = 0;
    std::uint32_t list[LawTile<T>::size];

    void add(std::size_t slot) { list[count++] = static_cast<std::uint32_t>(slot); }
  };

  template <class L>
  [[gnu::noinline]] void iterate_in_place() const {
    Slots left;
    std::size_t slot = 0;
    for (; slot + width < count_; slot += 2 * width)
      for_each_bit(pair_.template attempt_in_place<L>(slot), [&](std::size_t lane) { left.add(slot + lane); });
    if (slot < count_) lanes_.template apply_in_place<L>(slot);
    finish<L>(left);
  }

  template <class L>
  [[gnu::noinline]] void iterate_together() const {
    static_assert((laws_with_parameters<3> & bit_of(L::law)) == 0);
    Slots all, left;
    for (std::size_t slot = 0; slot < count_; ++slot)
      if (tile_.law[slot] == static_cast<T>(L::law) && tile_.status[slot] == T(0)) all.add(slot);
    for (std::size_t i = 0; i < all.count; i += 2 * width) {
      const std::uint32_t* slots = all.list + i;
      const std::size_t n = at_most(2 * width, all.count - i);
      if (n <= width)
        lanes_.template apply_to<L>(slots, n);
      else
        for_each_bit(pair_.template attempt_on<L>(slots, n), [&](std::size_t lane) { left.add(slots[lane]); });
    }
    finish<L>(left);
  }

  static std::size_t at_most(std::size_t most, std::size_t n) { return n < most ? n : most; }

  template <class L>
  void finish(const Slots& left) const {
    for (std::size_t i = 0; i < left.count; i += width)
      lanes_.template apply_to<L>(left.list + i, at_most(width, left.count - i));
  }

  /// [CR] 5.3: the mean of the members' impulses, by their weights.
  [[gnu::noinline]] void apply_composite(std::size_t slot) const {
    const B zero(0);
    const Mask has = Stages::get(tile_.law, slot) == number<T, B>(Law::composite);
    Result sum = {{zero, zero, zero}, {zero, zero, zero}, Mask(false), Mask(false), Mask(false)};
    B weights = zero;
    const auto add = [&](Mask counts, B weight, const Result& member) {
      const B w = choose(counts, weight, zero);
      weights = weights + w;
      sum.p = choose(counts, mul_add(w, member.p, sum.p), sum.p);
      sum.u = choose(counts, mul_add(w, member.u, sum.u), sum.u);
      sum.none = sum.none || (counts && member.none);
      sum.several = sum.several || (counts && member.several);
    };
    const B incremental = Stages::get(tile_.parameters[ParameterLanes<T, 3>::first_weight], slot);
    if (const Mask counts = has && lanes_.wanted_at(slot) && incremental > zero; lane_bits(counts) != 0)
      add(counts && take_incremental(slot, counts), incremental, incremental_result(slot));
    for_each_law([&]<class L>() {
      if constexpr (constexpr std::size_t place = columns::member_of(L::law); place < columns::component_count) {
        const B weight = Stages::get(tile_.parameters[ParameterLanes<T, 3>::first_weight + place], slot);
        const Mask counts = has && lanes_.wanted_at(slot) && weight > zero;
        if (lane_bits(counts) != 0) add(counts, weight, lanes_.template apply_at<L>(slot, counts));
      }
    });
    const B divisor = choose(weights > zero, weights, B(1));
    sum.p = {sum.p.x / divisor, sum.p.y / divisor, sum.p.z / divisor};
    sum.u = {sum.u.x / divisor, sum.u.y / divisor, sum.u.z / divisor};
    lanes_.put(slot, has, sum);
  }

  /// Copies the faults of the incremental law. Returns the contacts without faults.
  Mask take_incremental(std::size_t slot, Mask counts) const {
    T faults[width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::size_t i = slot + (slot + lane < count_ ? lane : 0);
      const Status status = components_.status[first_ - components_.first + i];
      faults[lane] = status == Status::separating ? T(0) : static_cast<T>(status);
    }
    const B fault = load_lanes<B>(faults);
    store_lanes(tile_.status + slot, choose(counts && fault > B(0), fault, Stages::get(tile_.status, slot)));
    return fault == B(0);
  }

  Result incremental_result(std::size_t slot) const {
    T p[3][width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::size_t i = slot + (slot + lane < count_ ? lane : 0);
      for (std::size_t c = 0; c < 3; ++c) p[c][lane] = components_.impulse[c][first_ - components_.first + i];
    }
    const Vector3<B> impulse =
        lanes_.law_impulse(slot, {load_lanes<B>(p[0]), load_lanes<B>(p[1]), load_lanes<B>(p[2])});
    const Input in = lanes_.template input_at<Frictionless>(slot);
    Vector3<B> u = in.u0 + k_times(in, impulse);
    u.z = larger(u.z, B(0));
    return {impulse, u, Mask(false), Mask(false), Mask(false)};
  }

  LawTile<T>& tile_;
  const Components<T>& components_;
  LawLanes<A, T> lanes_;
  LawLanes<UnrolledTwice<A>, T> pair_;  // two consecutive vectors of the tile
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace
}  // namespace carom::kernel
