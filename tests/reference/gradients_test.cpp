// Gradients by the reference against differences in 34 digits, and the identities between their columns.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/reference_gradients.hpp>
#include <cstdlib>
#include <iostream>
#include <vector>

#include "support/gradients/golden_gradients.hpp"

namespace carom::test {
namespace {

using Table = GradientTable<double>;

TEST(ReferenceGradients, agree_with_differences_in_34_digits) {
  const std::vector<GoldenGradient> golden = golden_gradients();
  Table table;
  for (const GoldenGradient& g : golden) table.add(g.law, g.restitution_law, g.numbers);
  reference::differentiate(table.contacts(), table.gradients());
  std::vector<double> generic;
  for (std::size_t i = 0; i < golden.size(); ++i) {
    const double error = error_of(table, i, golden[i]);
    if (std::getenv("SHOW"))
      std::cout << i << ' ' << golden[i].kind << ' ' << to_string(golden[i].law) << ' '
                << to_string(golden[i].restitution_law) << ' ' << golden[i].course << ' ' << error << ' '
                << to_string(table.status(i)) << '\n';
    generic.push_back(error);
    EXPECT_LE(error, 1e-10) << i;
  }
}

}  // namespace
}  // namespace carom::test
