// Energy properties of every law, in 3D and 2D.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>

#include "support/properties/symmetries.hpp"

namespace carom::support {

/// Returns whether the law never gains energy: docs/laws.md and law_info.
template <std::size_t D>
bool keeps_to_energy(const Variant& variant, const LawRow<Wide, D>& row) {
  if (variant.law == Law::incremental) return variant.restitution_law != RestitutionLaw::kinematic;
  if (variant.law == Law::composite)
    return row.weights[3] == 0 && (row.weights[0] == 0 || row.restitution_law != RestitutionLaw::kinematic);
  return !law_info(variant.law).may_gain_energy;
}

/// The impulse in the contact frame.
template <std::size_t D>
Tuple<Wide, D> impulse_on(const BodiesRow<Wide, D>& row, const Outcome<Wide, D>& o) {
  Tuple<Wide, D> n = row.normal;
  const Wide size = length(n);
  for (Wide& x : n) x /= size;
  return turned(contact_frame(n), o.impulse);
}
template <std::size_t D>
Tuple<Wide, D> impulse_on(const SpaceRow<Wide, D>&, const Outcome<Wide, D>& o) {
  return o.impulse;
}

/// Energy gain of the bodies by an impulse, p·u0 + ½ p·K p, and its rounding error.
template <std::size_t D>
struct Gain {
  Wide energy, rounding;
};

/// A result is exact for a contact whose K has an error of some ε of its terms and whose u0 some ε of its own. A gain
/// is homogeneous of second degree in p, and p is at most 2 |u0| / λ with λ the min. eigenvalue of K: an error of K is
/// worth 64 ε cond K of the contact energy ½ u0·K⁻¹u0, an error of u0 the work of p along it.
template <class T, std::size_t D, class Row>
Gain<D> gain_of(const Row& row, const Outcome<T, D>& outcome) {
  const auto wide = converted<Wide>(row);
  const Collision<D> c = collision_of(wide);
  const Tuple<Wide, D> p = impulse_on(wide, converted<Wide>(outcome));
  const Wide cancellation = c.k_terms / trace(c.row.k);
  return {dot(p, c.row.u0) + dot(p, times(c.row.k, p)) / 2,
          64 * epsilon_of<T> * condition<D>(c.row.k) * cancellation * energy_of(c.row.k, c.row.u0) +
              8 * epsilon_of<T> * length(p) * c.u_terms};
}

/// Calls `visit(what, row, rows)` with the contact in every form, `rows` being a function that solves copies of it.
template <class T, std::size_t D, class Visit>
void in_every_form(const BodiesRow<double, D>& drawn, Visit&& visit) {
  for (const Isa isa : {Isa::automatic, Isa::scalar}) {
    for (const Form form : forms<D>())
      visit(name(form), rounded<T>(drawn), [=](auto row) { return solve(form, isa, under_every_law(row)); });
    visit("contact space", space_of<T>(drawn), [=](auto row) { return solve(isa, under_every_law(row)); });
  }
}

template <class T, std::size_t D>
void laws_that_promise_it_gain_no_energy(int cases) {
  expect_property(cases, [] {
    in_every_form<T>(draw_bodies<D>(), [](const std::string& form, const auto& row, auto&& solved) {
      const auto answers = solved(row);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        const Variant& variant = variants<D>()[i];
        if (!keeps_to_energy<D>(variant, converted<Wide>(row))) continue;
        const Gain<D> gain = gain_of(row, answers[i]);
        if (gain.energy <= gain.rounding) continue;
        std::ostringstream what;
        what << "gains " << gain.energy << " J, bound " << gain.rounding << ", " << form;
        fail(what.str(), variant, row, answers[i], answers[i]);
      }
    });
  });
}

/// Returns whether a larger e cannot make the law lose more energy than in this outcome, which follows from the outcome
/// for the smaller e.
///
/// Frictionless and without slip: the loss is (1 - e²) times a constant. Projected and polar: e has no effect.
/// Chatterjee-Ruina: P_I and P_II - P_I are K-orthogonal, so the loss is (1 - e²) u0_n² / 2 K_33 and a term that
/// depends only on κ; in the cone κ = 1 + e_t, and a candidate in the cone stays there as e grows and moves it along
/// the normal.
/// Incremental: e only determines when the collision ends. Once friction holds the contact, u = u_n n with u_n growing
/// with the normal impulse, and the kinetic energy with it: a later end loses less. The same holds without friction. If
/// the contact keeps slipping, a later end may lose more to friction, and the laws of Whittaker, Smith, Anitescu and
/// Potra have friction that depends on their end: they are not tested.
template <std::size_t D>
bool loses_no_more(const Variant& variant, Wide friction, const Path& path) {
  switch (variant.law) {
    case Law::frictionless:
    case Law::no_slip:
    case Law::projected:
    case Law::polar:
      return true;
    case Law::chatterjee_ruina:
      return friction == 0 || path.sliding_end == SlidingEnd::stick;
    case Law::incremental:
      return friction == 0 || path.sticking == Sticking::stable;
    default:
      return false;
  }
}

template <class T, std::size_t D>
void more_restitution_loses_no_more_energy(int cases) {
  Count count;
  expect_property(cases, [&] {
    const auto drawn = draw_bodies<D>();
    const Wide more = *uniform(0, 1).as("share of what e lacks");
    in_every_form<T>(drawn, [&](const std::string& form, const auto& row, auto&& solved) {
      auto bouncier = row;
      bouncier.restitution += static_cast<T>(more * (1 - static_cast<Wide>(row.restitution)));
      bouncier.restitution = std::min(bouncier.restitution, T(1));
      const auto before = solved(row), after = solved(bouncier);
      for (std::size_t i = 0; i < before.size(); ++i) {
        const Variant& variant = variants<D>()[i];
        if (!loses_no_more<D>(variant, static_cast<Wide>(row.friction), before[i].path)) {
          ++count.beyond;
          continue;
        }
        ++count.compared;
        const Gain<D> less = gain_of(row, before[i]), greater = gain_of(bouncier, after[i]);
        if (greater.energy >= less.energy - less.rounding - greater.rounding) continue;
        std::ostringstream what;
        what << "loses " << -greater.energy << " J instead of " << -less.energy << " with e = " << bouncier.restitution
             << ", bound " << less.rounding + greater.rounding << ", " << form;
        fail(what.str(), variant, row, before[i], after[i]);
      }
    });
  });
  // A third of the laws are covered above, and of the others the contacts that stick.
  count.expect(0.75);
}

}  // namespace carom::support
