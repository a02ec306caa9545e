// The views of C++ as structs of C.
#pragma once

#include <carom/carom.h>
#include <gtest/gtest.h>

#include <carom/carom.hpp>

#include "core/columns/columns.hpp"
#include "core/columns/scene_columns.hpp"

namespace carom {

template <class T>
inline constexpr carom_precision precision_of = sizeof(T) == sizeof(float) ? CAROM_FLOAT : CAROM_DOUBLE;

/// A struct of zeros that knows its size.
template <class C>
C sized() {
  C made{};
  made.struct_size = sizeof made;
  return made;
}

/// Compares the counts of statuses, and the results of `first_of`.
template <class R, class C>
void expect_same_counts(const R& expected, const C& report, std::int64_t (*first_of)(const C*, std::int32_t)) {
  EXPECT_EQ(report.ok, expected.ok() ? 1 : 0);
  for (std::size_t i = 0; i < status_room; ++i) {
    EXPECT_EQ(report.by_status[i], expected.count(static_cast<Status>(i))) << i;
    const auto first = expected.first(static_cast<Status>(i));
    EXPECT_EQ(first_of(&report, static_cast<std::int32_t>(i)), first ? static_cast<std::int64_t>(*first) : -1) << i;
  }
  EXPECT_EQ(first_of(&report, -1), -1);
  EXPECT_EQ(first_of(&report, static_cast<std::int32_t>(status_room)), -1);
  EXPECT_EQ(first_of(nullptr, 0), -1);
}

/// Without a scheduler.
inline carom_execution execution_in_c(std::int32_t isa, std::int32_t threads) {
  auto made = sized<carom_execution>();
  made.isa = isa;
  made.threads = threads;
  return made;
}

/// Gives a column to C, for the lists of columns.hpp.
struct Give {
  template <class From, class To>
  void operator()(const columns::Label&, const From& from, To& to) const {
    to = {from.data, from.count, from.stride};
  }
  template <class What, class From, class To>
  void operator()(const columns::Label&, What, const From& from, To& to) const {
    to = {from.data, from.count, from.stride};
  }
};

template <class T>
carom_law_columns laws_in_c(const LawColumns<T>& laws) {
  auto made = sized<carom_law_columns>();
  columns::each_choice(Give{}, laws, made);
  columns::each_parameter(Give{}, laws, made);
  columns::each_weight(Give{}, laws.weight, made.weight);
  return made;
}

/// Contacts of any form; `laws` must outlive them.
template <class C, class AnyContacts>
C contacts_in_c(const AnyContacts& contacts, const carom_law_columns& laws) {
  auto made = sized<C>();
  columns::each_number(Give{}, contacts, made);
  columns::each_index(Give{}, contacts, made);
  if constexpr (requires { contacts.bodies; }) columns::each(Give{}, {}, contacts.bodies, made.bodies);
  made.laws = &laws;
  return made;
}

/// Blocks with the numbers of these contacts.
template <class T>
void fill(const Contacts<T>& contacts, const carom_blocked_columns& blocked) {
  columns::each_number(
      [](const columns::Label& label, const Column<const T>& from, const carom_blocked_column& to) {
        ASSERT_EQ(to.count, from.count) << label.in_code();
        for (std::size_t i = 0; i < to.count; ++i)
          static_cast<T*>(to.data)[i / 16 * to.block_elements + i % 16] = from[i];
      },
      contacts, blocked);
}

template <class C, class Results>
C results_in_c(const Results& results) {
  auto made = sized<C>();
  columns::each_vector_result(Give{}, results, made);
  columns::each_scalar_result(Give{}, results, made);
  return made;
}

}  // namespace carom
