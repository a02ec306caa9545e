// Columns that are constants, and the equivalent columns full of one value.
#pragma once

#include <carom/contacts.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/columns/columns.hpp"

namespace carom::support {

/// Makes pairs of inputs: in one of them a column is a constant, in the other one it is full of this value.
template <class Input>
class Constants {
 public:
  explicit Constants(const Input& from) : constant(from), full(from) {}

  /// Gives both the value of element 0. f(label, column, column) of the same column of `constant` and `full`.
  template <class T>
  void replace(Column<const T>& in_constant, Column<const T>& in_full) {
    const T value = in_full[0];
    const auto copies = std::make_shared<std::vector<T>>(in_full.count, value);
    memory_.push_back(copies);
    in_full = *copies;
    in_constant = value;
  }

  Input constant, full;

 private:
  std::vector<std::shared_ptr<void>> memory_;
};

/// Calls test(name, Constants) for every column of an input as the only constant, then for all of them except the
/// columns that determine the numbers of contacts, bodies and rows. `each(f, input, input)` lists the columns as
/// each_of_contacts does. Missing columns stay missing.
template <class Input, class Each, class Test>
void for_each_constant(const Input& from, const Each& each, const Test& test) {
  std::size_t columns = 0;
  Constants<Input> names(from);
  each([&](const auto&...) { ++columns; }, names.constant, names.full);
  for (std::size_t wanted = 0; wanted <= columns; ++wanted) {
    Constants<Input> made(from);
    std::string name = "all columns";
    std::size_t at = 0;
    bool is_changed = false;
    const auto visit = [&](const carom::columns::Label& label, auto& in_constant, auto& in_full) {
      const std::string member = label.member;
      const bool gives_length = at == 0 || member == "inverse_mass" || label.in_code() == "joints.body_a";
      const bool is_it = wanted == columns ? !gives_length : at == wanted;
      ++at;
      if constexpr (std::remove_reference_t<decltype(in_full)>::has_constants) {
        if (!is_it || !in_full) return;
        made.replace(in_constant, in_full);
        if (wanted < columns) name = label.in_code();
        is_changed = true;
      }
    };
    each(visit, made.constant, made.full);
    if (is_changed) test(name, made);
  }
}

}  // namespace carom::support
