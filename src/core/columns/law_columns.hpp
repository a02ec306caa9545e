// Columns of laws that a call reads: the columns of its law, or of all laws that its contacts may have.
#pragma once

#include "columns.hpp"

namespace carom::columns {

/// The laws that contacts of a call may have, bits of Law. A column of laws may have any law in it. A composite has the
/// laws whose weights are given.
template <class Laws>
[[gnu::always_inline]] constexpr unsigned possible_laws(const Laws& columns, Law law) {
  if (columns.law) return ~0u;
  unsigned laws = bit_of(law);
  if (law == Law::composite)
    each_weight([&](const Label&, Law member, const auto& weight) { laws |= weight ? bit_of(member) : 0; },
                columns.weight);
  return laws;
}

/// Calls f(label, column) for every column of `columns` that contacts under none of `laws` read. Inlined, because the
/// check of a call with few contacts takes a good part of its time.
template <class F, class Laws>
[[gnu::always_inline]] constexpr void each_unread_law_column(F&& f, Laws& columns, unsigned laws, Integrator integrator,
                                                             bool planar) {
  const bool incremental = (laws & bit_of(Law::incremental)) != 0;
  each_choice(
      [&]<class Any>(const Label& label, Any& column) __attribute__((always_inline)) {
        const bool is_read = std::is_same_v<typename Any::Value, Law> ||
                             (incremental && (std::is_same_v<typename Any::Value, RestitutionLaw> ||
                                              (integrator == Integrator::euler && !planar)));
        if (!is_read) f(label, column);
      },
      columns);
  each_parameter(
      [&](const Label& label, auto known, auto& column) __attribute__((always_inline)) {
        constexpr unsigned in_space = readers_of(decltype(known)::value, false),
                           in_plane = readers_of(decltype(known)::value, true);
        if (((planar ? in_plane : in_space) & laws) == 0) f(label, column);
      },
      columns);
  if ((laws & bit_of(Law::composite)) == 0)
    each_weight(
        [&](const Label& label, Law, auto& column) __attribute__((always_inline)) { f(label, column); },
        columns.weight);
}

}  // namespace carom::columns
