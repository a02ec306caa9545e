// The checks of a call with planar contacts before any work, as check.hpp.
#pragma once

#include <carom/planar.hpp>

namespace carom {

/// Returns the number of contacts. Throws Error.
template <class T>
std::size_t check_columns(const planar::InlineContacts<T>& contacts, const planar::Results<T>& results);
template <class T>
std::size_t check_columns(const planar::IndexedContacts<T>& contacts, const planar::Results<T>& results);
template <class T>
std::size_t check_columns(const planar::SpaceContacts<T>& contacts, const planar::Results<T>& results);

}  // namespace carom
