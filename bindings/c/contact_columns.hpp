// Converts the columns of contacts and results from C, by the lists of columns.hpp. A column that C or C++ lacks does
// not compile.
#pragma once

#include <carom/carom.h>

#include <carom/contacts.hpp>
#include <carom/planar.hpp>
#include <cstddef>

#include "call.hpp"
#include "core/columns/columns.hpp"
#include "core/columns/constants.hpp"

namespace carom::c {

/// Takes a column of C.
struct Take {
  template <class T>
  [[gnu::always_inline]] void operator()(Column<const T>& to, const carom_column& from) const {
    to = {static_cast<const T*>(from.data), from.count, from.stride};
  }
  template <class T>
  [[gnu::always_inline]] void operator()(Column<T>& to, const carom_output& from) const {
    to = {static_cast<T*>(from.data), from.count, from.stride};
  }
};

/// Same for the lists, which also pass a label.
struct TakeEach {
  template <class To, class From>
  [[gnu::always_inline]] void operator()(const columns::Label&, To& to, const From& from) const {
    Take{}(to, from);
  }
};

// Lists of the columns of structs, for take_columns().
inline constexpr auto columns_of_laws = [](auto&& f, auto&... laws) { columns::each_law_column(f, laws...); };
inline constexpr auto columns_of_contacts = [](auto&& f, auto& contacts, auto&... others) {
  columns::each_number(f, contacts, others...);
  columns::each_index(f, contacts, others...);
  if constexpr (requires { contacts.bodies; }) columns::each(f, {}, contacts.bodies, others.bodies...);
};
inline constexpr auto columns_of_results = [](auto&& f, auto&... results) {
  columns::each_vector_result(f, results...);
  columns::each_scalar_result(f, results...);
};
inline constexpr auto columns_of_islands = [](auto&& f, auto&... islands) {
  columns::each_island_result(f, islands...);
};

/// Takes the columns that a list has of a struct and of its counterpart in C. They are all columns of both. Without the
/// struct in C nothing is taken.
template <class To, class C, class List>
void take_columns(To& to, const C* in_c, const List& list) {
  // In C laws and islands are structs of their own.
  constexpr bool has_laws = requires {
    to.laws;
  };
  constexpr bool has_islands = requires {
    to.islands;
  };
  constexpr std::size_t in_structs = [] {
    if constexpr (has_laws) return sizeof(To::laws);
    if constexpr (has_islands) return sizeof(To::islands);
    return std::size_t{0};
  }();
  static_assert([] {
    columns::CountColumns all;
    To of;
    List{}(all, of);
    if constexpr (has_laws) columns_of_laws(all, of.laws);
    if constexpr (has_islands) columns_of_islands(all, of.islands);
    return all.are_all_of(of);
  }());
  static_assert(sizeof(C) == sizeof(std::size_t) + sizeof to - in_structs + (has_laws || has_islands) * sizeof(void*));
  if (in_c == nullptr) return;
  const Given<C> from(*in_c);
  list(TakeEach{}, to, *from);
  if constexpr (has_laws) take_columns(to.laws, from->laws, columns_of_laws);
  if constexpr (has_islands) take_columns(to.islands, from->islands, columns_of_islands);
}

/// Contacts of any form.
template <class AnyContacts, class C>
AnyContacts taken_contacts(const C* contacts) {
  AnyContacts to;
  take_columns(to, &given(contacts, "contacts"), columns_of_contacts);
  return to;
}

/// Columns of results; all absent if there is no struct.
template <class Results, class C, class List = decltype(columns_of_results)>
Results taken_results(const C* results, const List& list = columns_of_results) {
  Results to;
  take_columns(to, results, list);
  return to;
}

}  // namespace carom::c
