// The checks of contact systems before any work: what is wrong is an Error that names the column and the row.
#pragma once

#include <carom/system.hpp>

namespace carom::systems {

void check_options(const SystemOptions& options);

/// Returns the number of contacts.
template <class T>
std::size_t check_columns(const ContactSystem<T>& system, const SystemResults<T>& results);

/// Values, once the columns are right.
template <class T>
void check_values(const ContactSystem<T>& system, const SystemOptions& options);

}  // namespace carom::systems
