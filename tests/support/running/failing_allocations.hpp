// Calls that find no memory.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "support/running/counted_allocations.hpp"
#include "support/running/errors.hpp"

namespace carom::support {

/// Runs `call` while allocation number `n`, from 1 on, finds no memory. True if it fails, which is an Error that says
/// so; false if it makes fewer allocations.
template <class Call>
bool fails_without_allocation(std::size_t n, Call&& call) {
  fail_allocation(n);
  const auto error = error_of(call);
  fail_allocation(0);
  if (!error) return false;
  EXPECT_EQ(error->kind(), ErrorKind::out_of_memory) << error->what();
  EXPECT_TRUE(error->column().empty() && error->option().empty() && !error->row());
  return true;
}

}  // namespace carom::support
