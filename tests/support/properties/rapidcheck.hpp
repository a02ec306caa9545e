// Properties for RapidCheck: how they are run, and numbers to draw.
//
// The seed is fixed, so that a run repeats itself. RC_PARAMS varies it: RC_PARAMS="seed=7" draws other contacts,
// RC_PARAMS="seed=7 max_success=20000" more of them.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/contacts/random_contacts.hpp"

namespace carom::support {

/// Fails the test with the smallest counterexample that RapidCheck finds. `cases`: number in a fast build; other builds
/// draw a tenth.
template <class Property>
void expect_property(int cases, Property&& property) {
  rc::detail::TestParams parameters = rc::detail::configuration().testParams;
  const char* const variable = std::getenv("RC_PARAMS");
  const std::string given = variable != nullptr ? variable : "";
  if (given.find("seed=") == std::string::npos) parameters.seed = 12;
  if (given.find("max_success=") == std::string::npos) parameters.maxSuccess = fast_build ? cases : cases / 10;
  // Generators here do not grow with the size.
  parameters.maxSize = 0;
  const rc::detail::TestResult result =
      rc::detail::checkTestable(std::forward<Property>(property), rc::detail::TestMetadata{}, parameters);
  if (result.template is<rc::detail::SuccessResult>()) return;
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  ADD_FAILURE() << message.str();
}

/// `rest`, and the number with ever more of its bits.
inline std::vector<double> simpler(double x, double low, double high, double rest) {
  std::vector<double> simple;
  const auto add = [&](double y) {
    if (y != x && y >= low && y <= high && (simple.empty() || simple.back() != y)) simple.push_back(y);
  };
  add(rest);
  for (const int bits : {1, 2, 4, 8, 16, 24}) {
    int exponent = 0;
    const double mantissa = std::frexp(x, &exponent);
    add(std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits));
  }
  return simple;
}

template <class Value>
rc::Gen<double> drawn(double low, double high, double rest, Value&& value) {
  return [=](const rc::Random& random, int) {
    rc::Random source = random;
    const double share = static_cast<double>(source.next() >> 11) * 0x1p-53;
    return rc::shrinkable::shrinkRecur(value(share),
                                       [=](double x) { return rc::seq::fromContainer(simpler(x, low, high, rest)); });
  };
}

inline rc::Gen<double> uniform(double low, double high, double rest = 0) {
  return drawn(low, high, rest, [=](double share) { return low + (high - low) * share; });
}

inline rc::Gen<double> log_uniform(double low, double high) {
  return drawn(low, high, 1, [=](double share) { return low * std::pow(high / low, share); });
}

/// Shrinks to `low`.
inline rc::Gen<int> integer(int low, int high) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
}

}  // namespace carom::support
