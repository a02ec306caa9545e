// Converts the columns of contacts and results from C, by the lists of columns.hpp. A column that C or C++ lacks does
// not compile.
#pragma once

#include <carom/carom.h>

#include <carom/contacts.hpp>
#include <carom/planar.hpp>
#include <cstddef>

#include "call.hpp"
#include "core/columns/columns.hpp"

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
  template <class What, class To, class From>
  [[gnu::always_inline]] void operator()(const columns::Label&, What, To& to, const From& from) const {
    Take{}(to, from);
  }
};

/// Counts the columns of a list.
struct Count {
  std::size_t* columns;
  constexpr void operator()(const columns::Label&, const auto&...) const { ++*columns; }
};

template <class T>
consteval std::size_t law_columns() {
  std::size_t count = 0;
  LawColumns<T> laws;
  columns::each_choice(Count{&count}, laws);
  columns::each_parameter(Count{&count}, laws);
  columns::each_weight(Count{&count}, laws.weight);
  return count;
}

template <class AnyContacts>
consteval std::size_t columns_of() {
  std::size_t count = columns::numbers_of<AnyContacts>();
  AnyContacts contacts;
  columns::each_index(Count{&count}, contacts);
  if constexpr (requires { contacts.bodies; }) columns::each(Count{&count}, {}, contacts.bodies);
  return count;
}

template <class Results>
consteval std::size_t results_of() {
  std::size_t count = 0;
  Results results;
  columns::each_vector_result(Count{&count}, results);
  columns::each_scalar_result(Count{&count}, results);
  return count;
}

template <class T>
void take_laws(LawColumns<T>& to, const carom_law_columns* laws) {
  static_assert(sizeof to == law_columns<T>() * sizeof(Column<T>));
  static_assert(sizeof *laws == sizeof(std::size_t) + law_columns<T>() * sizeof(carom_column));
  if (laws == nullptr) return;
  const Given<carom_law_columns> from(*laws);
  columns::each_choice(TakeEach{}, to, *from);
  columns::each_parameter(TakeEach{}, to, *from);
  columns::each_weight(TakeEach{}, to.weight, from->weight);
}

/// Contacts of any form.
template <class AnyContacts, class C>
AnyContacts taken_contacts(const C* contacts) {
  constexpr std::size_t count = columns_of<AnyContacts>();
  static_assert(sizeof(AnyContacts) == count * sizeof(Column<int>) + sizeof(AnyContacts::laws));
  static_assert(sizeof(C) == sizeof(std::size_t) + count * sizeof(carom_column) + sizeof(void*));
  const Given<C> from(given(contacts, "contacts"));
  AnyContacts to;
  columns::each_number(TakeEach{}, to, *from);
  columns::each_index(TakeEach{}, to, *from);
  if constexpr (requires { to.bodies; }) columns::each(TakeEach{}, {}, to.bodies, from->bodies);
  take_laws(to.laws, from->laws);
  return to;
}

/// Columns of results; all absent if there is no struct.
template <class Results, class C>
Results taken_results(const C* results) {
  constexpr std::size_t count = results_of<Results>();
  static_assert(sizeof(Results) == count * sizeof(Column<int>));
  static_assert(sizeof(C) == sizeof(std::size_t) + count * sizeof(carom_output));
  Results to;
  if (results == nullptr) return to;
  const Given<C> from(*results);
  columns::each_vector_result(TakeEach{}, to, *from);
  columns::each_scalar_result(TakeEach{}, to, *from);
  return to;
}

}  // namespace carom::c
