// Checks contact systems before any work. A fault is an Error that names the column and the row.
#pragma once

#include <carom/system.hpp>
#include <cstddef>
#include <cstdint>

#include "core/columns/constants.hpp"
#include "core/support/array.hpp"

namespace carom::systems {

/// Returns the system without constants. `system` must outlive it.
template <class T>
Resolved<ContactSystem<T>> check_columns(const ContactSystem<T>& system, const SystemResults<T>& results);

/// Memory of check_values.
struct CheckSpace {
  Array<std::size_t> diagonal;
  Array<std::int64_t> next;
};

/// Checks the values. Call after the check of the columns.
template <class T>
void check_values(const ContactSystem<T>& system, const SystemOptions& options, CheckSpace& space);

}  // namespace carom::systems
