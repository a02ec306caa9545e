// Selects one of two faults of a contact.
#pragma once

#include <carom/status.hpp>

namespace carom {

/// Returns the fault that comes first in fault_priority. Values that are not faults have the lowest priority.
constexpr Status first_fault(Status a, Status b) {
  if (!is_fault(a) || !is_fault(b)) return is_fault(a) ? a : b;
  for (const Status fault : fault_priority)
    if (fault == a || fault == b) return fault;
  return a;
}

/// Lanes compare faults by their numbers, which is the same as long as these ascend.
static_assert([] {
  for (std::size_t i = 1; i < sizeof fault_priority / sizeof *fault_priority; ++i)
    if (fault_priority[i] <= fault_priority[i - 1]) return false;
  return fault_priority[0] > Status::several_solutions;
}());

}  // namespace carom
