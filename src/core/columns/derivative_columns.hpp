// Columns of gradients. columns.hpp has the columns of contacts.
#pragma once

#include <carom/gradients.hpp>

#include "columns.hpp"

namespace carom::columns {

/// Calls f(label, column, others...) for the derivatives of a number by the numbers of a contact, the parameters of
/// single laws and the weights. `of` says whose derivatives they are.
template <class F, class Derivatives, class... Others>
[[gnu::always_inline]] constexpr void each_derivative(F&& f, const char* of, Derivatives& by, Others&... others) {
  const auto column = [&](Label label, const char* owner, auto& first, auto&... rest) __attribute__((always_inline)) {
    label.of = of;
    label.owner = owner;
    f(label, first, rest...);
  };
  each_number(
      [&](const Label& label, auto& first, auto&... rest)
          __attribute__((always_inline)) { column(label, "", first, rest...); },
      by, others...);
  each_parameter(
      [&](const Label& label, auto, auto& first, auto&... rest)
          __attribute__((always_inline)) { column(label, "", first, rest...); },
      by, others...);
  each_weight(
      [&](const Label& label, Law, auto& first, auto&... rest)
          __attribute__((always_inline)) { column(label, "weight", first, rest...); },
      by.weight, others.weight...);
}
/// First indices of derivatives by the parameters of some laws, and by weights.
inline constexpr std::size_t derivatives_by_own = numbers_of<KContacts<double>>(),
                             derivatives_by_weight = derivatives_by_own + parameter_count,
                             derivative_count = derivatives_by_weight + component_count;

/// Calls f(name, derivatives) for the numbers that are differentiated, p before u.
template <class F, class Gradients>
[[gnu::always_inline]] constexpr void each_gradient(F&& f, Gradients& gradients) {
  f("gradients.impulse_x", gradients.impulse_x);
  f("gradients.impulse_y", gradients.impulse_y);
  f("gradients.impulse_z", gradients.impulse_z);
  f("gradients.velocity_x", gradients.velocity_x);
  f("gradients.velocity_y", gradients.velocity_y);
  f("gradients.velocity_z", gradients.velocity_z);
}
inline constexpr std::size_t gradient_rows = 6;

}  // namespace carom::columns
