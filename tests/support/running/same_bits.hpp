// Solving the same contacts in different ways, and comparing the results bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"
#include "support/running/isas.hpp"

namespace carom::support {

inline SolverSetup few_steps(Isa isa = Isa::automatic, int threads = 1) {
  SolverSetup options;
  options.integrator = Integrator::euler;
  options.execution.isa = isa;
  options.execution.threads = threads;
  options.steps = 20;
  return options;
}

template <class V>
bool same_bits(const V& a, const V& b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

template <class T>
void expect_same_bits(const ResultArrays<T>& a, const ResultArrays<T>& b, const std::string& what) {
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(same_bits(a.impulse[i], b.impulse[i])) << what;
    EXPECT_TRUE(same_bits(a.separation_velocity[i], b.separation_velocity[i])) << what;
    EXPECT_TRUE(same_bits(a.velocity_a[i], b.velocity_a[i])) << what;
    EXPECT_TRUE(same_bits(a.angular_velocity_a[i], b.angular_velocity_a[i])) << what;
    EXPECT_TRUE(same_bits(a.velocity_b[i], b.velocity_b[i])) << what;
    EXPECT_TRUE(same_bits(a.angular_velocity_b[i], b.angular_velocity_b[i])) << what;
  }
  EXPECT_TRUE(same_bits(a.status, b.status)) << what;
  EXPECT_EQ(a.path, b.path) << what;
  EXPECT_TRUE(same_bits(a.work_compression, b.work_compression)) << what;
  EXPECT_TRUE(same_bits(a.work_decompression, b.work_decompression)) << what;
  EXPECT_TRUE(same_bits(a.steps, b.steps)) << what;
}

/// Solves the contacts' view with a solver of these options.
template <class T, class View>
ResultArrays<T> solve(const View& view, std::size_t count, const SolverSetup& options, Report* report = nullptr,
                      bool bodies = true) {
  ResultArrays<T> arrays(count, bodies);
  const Report made = ConfiguredSolver(options).solve(view, arrays.results());
  if (report != nullptr) *report = made;
  return arrays;
}

}  // namespace carom::support
