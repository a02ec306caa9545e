// Applies a law to lanes of a tile: to vectors in place, and to contacts that are collected. Lanes may belong to two
// vectors in parallel.
#pragma once

#include "contact/kernels/laws/algebraic/law_list.hpp"
#include "law_parameters.hpp"
#include "law_stages.hpp"
#include "simd/kernels/lanes/unrolled_pair.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class LawLanes {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Stages = LawStages<A, T>;
  using Input = LawInput<A, T>;
  using Result = LawResult<A, T>;

 public:
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  /// `in_world`: candidates are given in the frame of the world.
  LawLanes(LawTile<T>& tile, bool in_world) : tile_(tile), in_world_(in_world) {}

  /// Lanes without a fault whose contact approaches. Computed once, since the laws overwrite the status.
  Mask wanted_at(std::size_t slot) const { return Stages::get(tile_.status, slot) == B(0); }

  [[gnu::noinline]] void put(std::size_t slot, Mask has, const Result& result) const {
    const auto set = [&](T* lane, B value) { store_lanes(lane + slot, choose(has, value, Stages::get(lane, slot))); };
    set(tile_.px, result.p.x);
    set(tile_.py, result.p.y);
    set(tile_.pz, result.p.z);
    set(tile_.ux, result.u.x);
    set(tile_.uy, result.u.y);
    set(tile_.uz, result.u.z);
    set(tile_.sliding_end, course_of(Stages::get(tile_.friction, slot), result));
    store_lanes(tile_.status + slot,
                choose(has && wanted_at(slot), verdict_on(result), Stages::get(tile_.status, slot)));
  }

  template <class L>
  void apply_in_place(std::size_t slot) const {
    const Mask has = has_law<L>(slot);
    put(slot, has, apply_at<L>(slot, has && wanted_at(slot)));
  }

  template <class L>
  [[gnu::noinline, gnu::flatten]] Result apply_at(std::size_t slot, Mask wanted) const {
    if constexpr (L::iterates)
      return apply<L>(wanted, inputs_at(slot));
    else
      return L::template apply<A, T>(wanted, input_at<L>(slot));
  }

  /// Returns the lanes of contacts that an attempt is not enough for, which are left as they were.
  template <class L>
  unsigned attempt_in_place(std::size_t slot) const {
    const Mask has = has_law<L>(slot);
    const Attempt tried = attempt<L>(has && wanted_at(slot), inputs_at(slot));
    put(slot, and_not(has, tried.left), tried.result);
    return lane_bits(tried.left);
  }

  /// Applies the law to the contacts in the slots, `n` of them and no more than the lanes.
  template <class L>
  [[gnu::noinline]] void apply_to(const std::uint32_t* slots, std::size_t n) const {
    const Brought brought(*this, slots, n);
    scatter(slots, first_bits(n), apply<L>(first_lanes(n), brought.inputs), brought);
  }
  /// Returns the lanes that attempt_in_place does.
  template <class L>
  [[gnu::noinline]] unsigned attempt_on(const std::uint32_t* slots, std::size_t n) const {
    const Brought brought(*this, slots, n);
    const Attempt tried = attempt<L>(first_lanes(n), brought.inputs);
    const unsigned left = lane_bits(tried.left);
    scatter(slots, first_bits(n) & ~left, tried.result, brought);
    return left;
  }

  template <class L>
  [[gnu::always_inline]] Input input_at(std::size_t slot) const {
    Input in = input_of([&](std::size_t i) { return Stages::get(tile_.*read_lanes[i], slot); });
    if constexpr ((laws_with_parameters<3> & bit_of(L::law)) != 0)
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
    if (in_world_) p = load_frame<B>(tile_, slot).from_world(p);
    // A unit may be as small as 0.
    const B unit = Stages::get(tile_.impulse_unit, slot);
    const B largest = larger(larger(magnitude(p.x), magnitude(p.y)), magnitude(p.z));
    const Mask far = largest * B(T(1) / longest_impulse<T>) > unit;
    const B divisor = choose(far, largest, choose(unit > B(0), unit, B(min_number<T>)));
    const B factor = choose(far, B(longest_impulse<T>), B(1));
    return {p.x / divisor * factor, p.y / divisor * factor, p.z / divisor * factor};
  }

 private:
  /// A law reads these lanes of the tile, and its parameters.
  static constexpr typename LawTile<T>::Lane LawTile<T>::*read_lanes[] = {
      &LawTile<T>::m11, &LawTile<T>::m12,   &LawTile<T>::m22, &LawTile<T>::k1,       &LawTile<T>::k2,
      &LawTile<T>::k33, &LawTile<T>::det_m, &LawTile<T>::q1,  &LawTile<T>::q2,       &LawTile<T>::schur,
      &LawTile<T>::u0x, &LawTile<T>::u0y,   &LawTile<T>::u0z, &LawTile<T>::friction, &LawTile<T>::restitution};
  static constexpr std::size_t lanes_read = sizeof(read_lanes) / sizeof(read_lanes[0]);

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
  Mask has_law(std::size_t slot) const {
    return Stages::get(tile_.law, slot) == number<T, B>(L::law);
  }

  /// Pointers to the lanes that a law reads.
  struct Inputs {
    const T* lanes[lanes_read];
  };
  Inputs inputs_at(std::size_t slot) const {
    Inputs inputs;
    for (std::size_t i = 0; i < lanes_read; ++i) inputs.lanes[i] = (tile_.*read_lanes[i]) + slot;
    return inputs;
  }
  /// Collected contacts. The first one also fills the remaining lanes.
  struct Brought {
    alignas(64) T values[lanes_read][width];
    Inputs inputs;

    Brought(const LawLanes& from, const std::uint32_t* slots, std::size_t n) {
      for (std::size_t i = 0; i < lanes_read; ++i) {
        const T* lane = from.tile_.*read_lanes[i];
        for (std::size_t k = 0; k < width; ++k) values[i][k] = lane[slots[k < n ? k : 0]];
        inputs.lanes[i] = values[i];
      }
    }
  };

  // A law that iterates is compiled once for its contacts in place and side by side, and for composites.
  static Input input_from(const Inputs& inputs) {
    return input_of([&](std::size_t i) { return load_lanes<B>(inputs.lanes[i]); });
  }
  template <class L>
  [[gnu::noinline, gnu::flatten]] static Result apply(Mask wanted, const Inputs& inputs) {
    return L::template apply<A, T>(wanted, input_from(inputs));
  }
  struct Attempt {
    Result result;
    Mask left;
  };
  template <class L>
  [[gnu::noinline, gnu::flatten]] static Attempt attempt(Mask wanted, const Inputs& inputs) {
    Attempt tried;
    const Input in = input_from(inputs);
    if constexpr (requires { L::template attempt<A, T>(wanted, in, tried.left); }) {
      tried.result = L::template attempt<A, T>(wanted, in, tried.left);
    } else {
      tried.result = L::template apply<A, T>(wanted, in);
      tried.left = Mask(false);
    }
    return tried;
  }

  static unsigned first_bits(std::size_t n) { return ~0u >> (32 - n); }
  static Mask first_lanes(std::size_t n) {
    T here[width];
    for (std::size_t lane = 0; lane < width; ++lane) here[lane] = lane < n ? T(1) : T(0);
    return load_lanes<B>(here) > B(0);
  }

  /// Writes the results of the lanes in `lanes`.
  void scatter(const std::uint32_t* slots, unsigned lanes, const Result& result, const Brought& brought) const {
    alignas(64) T found[8][width];
    const B numbers[] = {result.p.x,
                         result.p.y,
                         result.p.z,
                         result.u.x,
                         result.u.y,
                         result.u.z,
                         course_of(input_from(brought.inputs).friction, result),
                         verdict_on(result)};
    T* const to[] = {tile_.px, tile_.py, tile_.pz, tile_.ux, tile_.uy, tile_.uz, tile_.sliding_end, tile_.status};
    for (std::size_t i = 0; i < 8; ++i) {
      store_lanes(found[i], numbers[i]);
      for_each_bit(lanes, [&](std::size_t lane) { to[i][slots[lane]] = found[i][lane]; });
    }
  }

  static Mask on_cone(B friction, const Result& result) {
    const Cone<B> cone = cone_of(friction);
    const B reach = cone.tangential * result.p.z;
    return result.slips || cone.normal * cone.normal * mul_add(result.p.x, result.p.x, result.p.y * result.p.y) >=
                               reach * magnitude(reach);
  }
  static B course_of(B friction, const Result& result) {
    return choose(on_cone(friction, result), number<T, B>(SlidingEnd::slip), number<T, B>(SlidingEnd::stick));
  }
  static B verdict_on(const Result& result) {
    return choose(result.none, number<T, B>(Status::no_solution),
                  choose(result.several, number<T, B>(Status::several_solutions), number<T, B>(Status::ok)));
  }

  LawTile<T>& tile_;
  const bool in_world_;
};

}  // namespace
}  // namespace carom::kernel
