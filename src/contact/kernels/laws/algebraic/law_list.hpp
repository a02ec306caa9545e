// The algebraic laws.
#pragma once

#include "anitescu_potra.hpp"
#include "brach.hpp"
#include "closed_form.hpp"
#include "core/columns/columns.hpp"
#include "polar.hpp"
#include "projected.hpp"
#include "smith.hpp"
#include "whittaker.hpp"

namespace carom::kernel {
namespace {

using columns::bit_of;

/// Calls f.template operator()<L>() for every law L but the composite.
template <class F>
[[gnu::always_inline]] inline void for_each_law(F&& f) {
  f.template operator()<Frictionless>();
  f.template operator()<NoSlip>();
  f.template operator()<ChatterjeeRuina>();
  f.template operator()<Bilinear>();
  f.template operator()<Whittaker>();
  f.template operator()<Smith>();
  f.template operator()<AnitescuPotra>();
  f.template operator()<Brach>();
  f.template operator()<Projected>();
  f.template operator()<PolarLaw>();
}

/// Bits of Law.
constexpr unsigned iterative_laws = columns::bits_of(Law::whittaker, Law::smith, Law::anitescu_potra);
/// The laws of direct.hpp.
constexpr unsigned direct_laws =
    columns::bits_of(Law::frictionless, Law::no_slip, Law::chatterjee_ruina, Law::bilinear);
constexpr unsigned unavailable_laws = bit_of(Law::pfeiffer_glocker) | 1u << law_count;

}  // namespace
}  // namespace carom::kernel
