// The checks of a call before any work: misuse of the interface is an Error that names the column or the option.
#pragma once

#include <carom/solver.hpp>
#include <string>

namespace carom {

/// With 15 digits, none of them needless: "2000", "0.1", "nan".
std::string in_words(double value);

void check_options(const Options& options);

/// Returns the number of contacts.
template <class T>
std::size_t check_columns(const InlineContacts<T>& contacts, const Results<T>& results);
template <class T>
std::size_t check_columns(const IndexedContacts<T>& contacts, const Results<T>& results);
template <class T>
std::size_t check_columns(const SpaceContacts<T>& contacts, const Results<T>& results);

}  // namespace carom
