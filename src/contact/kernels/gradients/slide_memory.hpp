// The contacts of a tile as the gradient of the incremental law keeps them.
#pragma once

#include "contact/kernels/laws/incremental/rays.hpp"
#include "contact/kernels/laws/incremental/sticking.hpp"
#include "contact/kernels/stages/units.hpp"
#include "gradient_lanes.hpp"
#include "slide_tangents.hpp"

namespace carom::kernel {

namespace {

/// State of a contact on its way.
template <class V>
struct GradientContact : SeriesContact<V> {
  Tangent<V> tangents[carried];
  V area;                 // A
  Variation<V> balance;   // sum over the sign changes so far: see SlideGradient::at_turn
  V compressing_impulse;  // s in all compressions
  V weakest;              // of du_z/ds where u_z was 0, relative to K_33
};
template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const GradientContact<V>& from, Others&... others) {
  each(f, static_cast<const SeriesContact<V>&>(from), others...);
  for (int i = 0; i < carried; ++i) each(f, from.tangents[i], others.tangents[i]...);
  f(from.area, others.area...);
  each(f, from.balance, others.balance...);
  f(from.compressing_impulse, others.compressing_impulse...);
  f(from.weakest, others.weakest...);
}

/// The numbers that its beginning leaves for the end.
template <class V>
struct GradientGiven : Sticker<V> {
  V u0x, u0y, u0z;
  V t1x, t1y, t2x, t2y;  // the axes of M
  V velocity_unit, inverse_trace;
};
template <class F, class V, class... Others>
[[gnu::always_inline]] inline void each(F&& f, const GradientGiven<V>& from, Others&... others) {
  each(f, static_cast<const Sticker<V>&>(from), static_cast<Sticker<V>&>(others)...);
  f(from.u0x, others.u0x...);
  f(from.u0y, others.u0y...);
  f(from.u0z, others.u0z...);
  f(from.t1x, others.t1x...);
  f(from.t1y, others.t1y...);
  f(from.t2x, others.t2x...);
  f(from.t2y, others.t2y...);
  f(from.velocity_unit, others.velocity_unit...);
  f(from.inverse_trace, others.inverse_trace...);
}

/// How a slide was left.
enum class Left : std::uint8_t { ended, on_ray, at_rest, exhausted, without_slip };

}  // namespace

}  // namespace carom::kernel
