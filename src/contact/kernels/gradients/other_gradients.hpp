// Gradients of the laws whose numbers carry their derivatives in a few directions at a time.
#pragma once

#include "bounded_gradient.hpp"
#include "contact/kernels/stages/units.hpp"
#include "root_gradient.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class OtherGradients {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using N = Varied<B>;
  using V = Vector3<N>;
  using Tile = GradientTile<T>;
  using Parameter = columns::Parameter;

 public:
  explicit OtherGradients(const Tile& tile) : tile_(tile) {}

  void run() const {
    for (std::size_t i = 0; i < tile_.count; i += LaneTypes<A, T>::width) {
      const GradientLanes<A, T> lanes(tile_, i);
      if (tile_.chosen == nullptr || lane_bits(lanes.chosen) != 0) differentiate(lanes);
    }
  }

 private:
  static constexpr std::size_t at_once = N::size;

  static constexpr std::size_t most = Tile::variables;

  [[gnu::noinline]] void differentiate(const GradientLanes<A, T>& lanes) const {
    const B zero(0), one(1);
    const B trace = lanes.in(Tile::k_xx) + lanes.in(Tile::k_yy) + lanes.in(Tile::k_zz), inverse_trace = one / trace;
    const auto [direction, speed] = scaled_direction_of(lanes.u0());
    const B impulse = speed * inverse_trace;
    B values[most];
    for (std::size_t v = 0; v < most; ++v) values[v] = lanes.in(v);
    for (std::size_t v = Tile::k_xx; v <= Tile::k_zz; ++v) values[v] = values[v] * inverse_trace;
    values[Tile::u0_x] = direction.x;
    values[Tile::u0_y] = direction.y;
    values[Tile::u0_z] = direction.z;
    constexpr std::size_t candidate = Tile::own + static_cast<std::size_t>(Parameter::candidate_x);
    for (std::size_t v = candidate; v < candidate + 3; ++v) values[v] = values[v] / impulse;
    const Mask approaches = direction.z < zero;

    // All contacts' variables, then the law's own.
    std::size_t variables[most + at_once], count = 0;
    for (std::size_t v = 0; v < most; ++v)
      if (v < Tile::own || columns::reads(tile_.law, static_cast<Parameter>(v - Tile::own), false))
        variables[count++] = v;
    for (std::size_t k = count; k < most + at_once; ++k) variables[k] = most;

    B status = at_least<T>(zero, negated(direction.z) <= B(tile_.tolerance), GradientStatus::one_sided);
    const bool implicit = tile_.p[0] != nullptr;
    BoundedGradient<A, T> bounded(tile_, status);
    RootGradient<A, T> root(tile_, status);
    if (implicit) root.prepare(lanes, values, impulse);
    for (std::size_t first = 0; first < count; first += at_once) {
      const Directions<B> by = {values, variables + first};
      const V p = implicit ? root.impulse(by) : bounded.impulse(by);
      for (std::size_t d = 0; d < at_once && first + d < count; ++d) {
        const std::size_t v = variables[first + d];
        const B unit = v >= Tile::k_xx && v <= Tile::k_zz   ? impulse * inverse_trace
                       : v >= Tile::u0_x && v <= Tile::u0_z ? inverse_trace
                       : v >= candidate                     ? one
                                                            : impulse;
        const auto part = [&](const N& x) { return choose(approaches, unit * x.d[d], zero); };
        lanes.put(v, Vector3<B>{part(p.x), part(p.y), part(p.z)});
      }
    }
    lanes.put(tile_.status, choose(approaches, status, status_number<T, B>(GradientStatus::zero)));
    lanes.put(tile_.plain, zero);
  }

  const Tile& tile_;
};

}  // namespace
}  // namespace carom::kernel
