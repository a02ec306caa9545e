// The columns of a call of gradients, by number, and the memory that a thread works in.
#pragma once

#include <carom/solver.hpp>

#include "core/columns/derivative_columns.hpp"
#include "core/jobs/gradient_job.hpp"
#include "core/support/array.hpp"
#include "range.hpp"

namespace carom::gradients {

inline constexpr std::size_t variables = columns::derivatives_by_weight, components = columns::component_count;

/// The columns of a contact's variables in the order of columns::each_derivative.
template <class T>
struct Input {
  Column<const T> of[columns::derivative_count];

  explicit Input(const KContacts<T>& contacts) {
    std::size_t i = 0;
    const auto add = [&](const auto&, const Column<const T>& column) { of[i++] = column; };
    columns::each_number(add, contacts);
    columns::each_parameter([&](const auto& label, auto, const auto& column) { add(label, column); }, contacts.laws);
    columns::each_weight([&](const auto& label, Law, const auto& column) { add(label, column); }, contacts.laws.weight);
  }
};

/// The rows of Gradients, and the product, in the same order.
template <class T>
struct Output {
  struct Place {
    std::uint8_t row, variable;
  };

  Column<T> of[columns::gradient_rows + 1][columns::derivative_count];
  Place there[(columns::gradient_rows + 1) * columns::derivative_count];  // of the first `count` columns that there are
  std::size_t count = 0;
  bool any_of_u = false, any_product = false, any_by_weight = false;

  explicit Output(const Gradients<T>& gradients) {
    std::size_t row = 0;
    const auto add = [&](const char*, const Derivatives<T>& by) {
      std::size_t i = 0;
      columns::each_derivative(
          [&](const auto&, const Column<T>& column) {
            const std::size_t variable = i++;
            of[row][variable] = column;
            if (!column) return;
            there[count++] = {static_cast<std::uint8_t>(row), static_cast<std::uint8_t>(variable)};
            if (row >= 3) (row < columns::gradient_rows ? any_of_u : any_product) = true;
            if (variable >= variables) any_by_weight = true;
          },
          "", by);
      ++row;
    };
    columns::each_gradient(add, gradients);
    add("", gradients.cotangent.product);
  }
};

template <class T>
struct Workspace {
  static constexpr std::size_t size = kernel::GradientTile<T>::size;
  using Lane = T[size];

  alignas(64) Lane in[variables], out[columns::gradient_rows + 1][columns::derivative_count];
  Lane composite[3][variables + components];  // sums of derivatives, and the members' impulses
  Lane status, plain, component_status, weights, chosen, restitution_law, impulse[3], solution[3], compression[3],
      velocity[6], zeros;
  Law laws[size];
  Status statuses[size];
  // All of it is there before the first result is written.
  Owned<kernel::SlideMemory<T>> slide = make_owned_for_overwrite<kernel::SlideMemory<T>>();
  Owned<kernel::SlidingTiles<T>> sliding = make_owned_for_overwrite<kernel::SlidingTiles<T>>();
  Owned<kernel::LawTile<T>> law = make_owned_for_overwrite<kernel::LawTile<T>>();
  Owned<kernel::GroupTile<T>> group = make_owned_for_overwrite<kernel::GroupTile<T>>();
  Owned<ComponentResults<T>> component_results = make_owned_for_overwrite<ComponentResults<T>>();
};

}  // namespace carom::gradients
