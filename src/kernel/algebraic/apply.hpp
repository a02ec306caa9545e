// Law: each law on the contacts of a tile that have it. A law in closed form passes over the vectors in which
// it occurs. Contacts of an iterative law are first brought together, so that every lane of its vectors works.
#pragma once

#include "law_list.hpp"
#include "stages.hpp"

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
  LawApplier(LawTile<T>& tile, const Members<T>& given, bool in_world)
      : tile_(tile), members_(given), in_world_(in_world) {}

  /// To the contacts of a vector, which have laws of DirectLaws.
  void apply_direct(std::size_t slot) const {
    apply_in_place<Frictionless>(slot);
    apply_in_place<NoSlip>(slot);
    apply_in_place<ChatterjeeRuina>(slot);
    apply_in_place<Bilinear>(slot);
  }

  /// To the contacts [first, first + count) of the batch, but for those of direct_laws.
  void apply(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    unsigned all = 0;
    for (std::size_t slot = 0; slot < count; slot += width) all |= tile_.laws[slot / width];
    uniform_ = (all & (all - 1)) == 0;
    for_each_law([&]<class L>() {
      if ((all & bit_of(L::law) & ~direct_laws) == 0) return;
      if constexpr (L::iterates)
        if (!uniform_) return apply_together<L>();
      for (std::size_t slot = 0; slot < count; slot += width)
        if ((tile_.laws[slot / width] & bit_of(L::law)) != 0) apply_in_place<L>(slot);
    });
    if ((all & bit_of(Law::composite)) == 0) return;
    for (std::size_t slot = 0; slot < count; slot += width)
      if ((tile_.laws[slot / width] & bit_of(Law::composite)) != 0) apply_composite(slot);
  }

 private:
  /// What a law reads of the tile, but for the parameters.
  static constexpr typename LawTile<T>::Lane LawTile<T>::*read_lanes[] = {
      &LawTile<T>::m11, &LawTile<T>::m12,   &LawTile<T>::m22, &LawTile<T>::k1,       &LawTile<T>::k2,
      &LawTile<T>::k33, &LawTile<T>::det_m, &LawTile<T>::q1,  &LawTile<T>::q2,       &LawTile<T>::schur,
      &LawTile<T>::u0x, &LawTile<T>::u0y,   &LawTile<T>::u0z, &LawTile<T>::friction, &LawTile<T>::restitution};
  static constexpr std::size_t lanes_read = sizeof(read_lanes) / sizeof(read_lanes[0]);

  static B number(auto status) { return B(static_cast<T>(status)); }

  template <class Get>
  [[gnu::always_inline]] static Input input_of(Get&& get) {
    const B zero(0);
    return {get(0),
            get(1),
            get(2),
            get(3),
            get(4),
            get(5),
            get(6),
            get(7),
            get(8),
            get(9),
            {get(10), get(11), get(12)},
            get(13),
            get(14),
            {zero, zero, zero, zero, zero, zero, {zero, zero, zero}}};
  }

  template <class L>
  [[gnu::always_inline]] Input input_at(std::size_t slot) const {
    Input in = input_of([&](std::size_t i) { return Stages::get(tile_.*read_lanes[i], slot); });
    if constexpr ((laws_with_parameters & bit_of(L::law)) != 0)
      columns::each_parameter(
          [&](const columns::Label&, auto known, B& lanes) __attribute__((always_inline)) {
            constexpr columns::Parameter parameter = decltype(known)::value;
            if constexpr ((columns::readers_of(parameter, false) & bit_of(L::law)) != 0)
              lanes = Stages::get(tile_.parameters[static_cast<std::size_t>(parameter)], slot);
          },
          in.parameters);
    if constexpr (L::law == Law::projected) in.parameters.candidate = law_impulse(slot, in.parameters.candidate);
    return in;
  }

  /// An impulse [N s] in the frame of the results, as laws have it.
  Vector3<B> law_impulse(std::size_t slot, Vector3<B> p) const {
    if (in_world_) {
      const Frame<B> frame = Stages{tile_}.get_frame(slot);
      p = {dot(p, frame.t1), dot(p, frame.t2), dot(p, frame.n)};
    }
    // Beyond so many units the direction alone counts, and a unit may be as small as 0.
    const B unit = Stages::get(tile_.impulse_unit, slot);
    const B largest = larger(larger(magnitude(p.x), magnitude(p.y)), magnitude(p.z));
    const Mask far = largest * B(T(0x1p-100)) > unit;
    const B divisor = choose(far, largest, choose(unit > B(0), unit, B(least_number<T>)));
    const B factor = choose(far, B(T(0x1p100)), B(1));
    return {p.x / divisor * factor, p.y / divisor * factor, p.z / divisor * factor};
  }

  static Mask on_cone(B friction, const Result& result) {
    const Cone<B> cone = cone_of(friction);
    const B reach = cone.tangential * result.p.z;
    return result.slips || cone.normal * cone.normal * mul_add(result.p.x, result.p.x, result.p.y * result.p.y) >=
                               reach * magnitude(reach);
  }
  static B course_of(B friction, const Result& result) {
    return choose(on_cone(friction, result), number(Course::slip), number(Course::stick));
  }
  static B verdict_on(const Result& result) {
    return choose(result.none, number(Status::no_solution),
                  choose(result.several, number(Status::several_solutions), number(Status::ok)));
  }

  /// Where no fault has been found and the contact approaches. Decided once, since the laws' own verdicts come into the
  /// same place.
  Mask wanted_at(std::size_t slot) const { return Stages::get(tile_.status, slot) == B(0); }

  [[gnu::noinline]] void put(std::size_t slot, Mask has, const Result& result) const {
    const auto set = [&](T* lane, B value) { store_lanes(lane + slot, choose(has, value, Stages::get(lane, slot))); };
    set(tile_.px, result.p.x);
    set(tile_.py, result.p.y);
    set(tile_.pz, result.p.z);
    set(tile_.ux, result.u.x);
    set(tile_.uy, result.u.y);
    set(tile_.uz, result.u.z);
    set(tile_.course, course_of(Stages::get(tile_.friction, slot), result));
    store_lanes(tile_.status + slot,
                choose(has && wanted_at(slot), verdict_on(result), Stages::get(tile_.status, slot)));
  }

  template <class L>
  void apply_in_place(std::size_t slot) const {
    const Mask has = Stages::get(tile_.law, slot) == number(L::law);
    put(slot, has, apply_at<L>(slot, has && wanted_at(slot)));
  }

  /// One text for contacts of the law and for composites of which it is a member.
  template <class L>
  [[gnu::noinline, gnu::flatten]] Result apply_at(std::size_t slot, Mask wanted) const {
    return L::template apply<A, T>(wanted, input_at<L>(slot));
  }

  template <class L>
  [[gnu::noinline]] void apply_together() const {
    static_assert((laws_with_parameters & bit_of(L::law)) == 0);
    std::size_t slots[width] = {}, waiting = 0;
    for (std::size_t slot = 0; slot < count_; ++slot) {
      if (tile_.law[slot] == static_cast<T>(L::law) && tile_.status[slot] == T(0)) slots[waiting++] = slot;
      if (waiting < width && (waiting == 0 || slot + 1 < count_)) continue;
      apply_to<L>(slots, waiting);
      waiting = 0;
    }
  }

  template <class L>
  [[gnu::noinline]] void apply_to(const std::size_t (&slots)[width], std::size_t n) const {
    alignas(64) T values[lanes_read][width];
    for (std::size_t i = 0; i < lanes_read; ++i)
      for (std::size_t lane = 0; lane < width; ++lane) values[i][lane] = (tile_.*read_lanes[i])[slots[lane]];
    const Input in = input_of([&](std::size_t i) { return load_lanes<B>(values[i]); });
    T here[width];
    for (std::size_t lane = 0; lane < width; ++lane) here[lane] = lane < n ? T(1) : T(0);
    const Result result = L::template apply<A, T>(load_lanes<B>(here) > B(0), in);
    alignas(64) T found[8][width];
    const B numbers[] = {
        result.p.x,        result.p.y, result.p.z, result.u.x, result.u.y, result.u.z, course_of(in.friction, result),
        verdict_on(result)};
    T* const to[] = {tile_.px, tile_.py, tile_.pz, tile_.ux, tile_.uy, tile_.uz, tile_.course, tile_.status};
    for (std::size_t i = 0; i < 8; ++i) {
      store_lanes(found[i], numbers[i]);
      for (std::size_t lane = 0; lane < n; ++lane) to[i][slots[lane]] = found[i][lane];
    }
  }

  /// [CR] 5.3: the mean of the members' impulses, by their weights.
  [[gnu::noinline]] void apply_composite(std::size_t slot) const {
    const B zero(0);
    const Mask has = Stages::get(tile_.law, slot) == number(Law::composite);
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
    const B incremental = Stages::get(tile_.parameters[LawTile<T>::first_weight], slot);
    if (const Mask counts = has && wanted_at(slot) && incremental > zero; lane_bits(counts) != 0)
      add(counts && take_incremental(slot, counts), incremental, incremental_result(slot));
    for_each_law([&]<class L>() {
      if constexpr (constexpr std::size_t place = columns::member_of(L::law); place < columns::member_count) {
        const B weight = Stages::get(tile_.parameters[LawTile<T>::first_weight + place], slot);
        const Mask counts = has && wanted_at(slot) && weight > zero;
        if (lane_bits(counts) != 0) add(counts, weight, apply_at<L>(slot, counts));
      }
    });
    const B divisor = choose(weights > zero, weights, B(1));
    sum.p = {sum.p.x / divisor, sum.p.y / divisor, sum.p.z / divisor};
    sum.u = {sum.u.x / divisor, sum.u.y / divisor, sum.u.z / divisor};
    put(slot, has, sum);
  }

  /// Takes over the faults of the incremental law; true where there are none.
  Mask take_incremental(std::size_t slot, Mask counts) const {
    T faults[width];
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::size_t i = slot + (slot + lane < count_ ? lane : 0);
      const Status status = members_.status[first_ - members_.first + i];
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
      for (std::size_t c = 0; c < 3; ++c) p[c][lane] = members_.impulse[c][first_ - members_.first + i];
    }
    const Vector3<B> impulse = law_impulse(slot, {load_lanes<B>(p[0]), load_lanes<B>(p[1]), load_lanes<B>(p[2])});
    const Input in = input_at<Frictionless>(slot);
    Vector3<B> u = in.u0 + k_times(in, impulse);
    u.z = larger(u.z, B(0));
    return {impulse, u, Mask(false), Mask(false), Mask(false)};
  }

  LawTile<T>& tile_;
  const Members<T>& members_;
  bool in_world_;
  bool uniform_ = true;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace
}  // namespace carom::kernel
