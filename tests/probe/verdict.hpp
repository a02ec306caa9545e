// The verdict on a case: the max error over its promises, each in its own unit.
#pragma once

#include <limits>
#include <string_view>

namespace carom::probe {

/// Upper limit of every error, in its unit.
inline constexpr double bound = 64;

struct Verdict {
  double worst = 0;               ///< max error, in its unit
  std::string_view promise = "";  ///< promise with the max error

  void add(std::string_view name, auto error) {
    const double e = static_cast<double>(error);
    if (e > worst || e != e) {
      worst = e != e ? std::numeric_limits<double>::infinity() : e;
      promise = name;
    }
  }
  /// Adds a promise that is either kept or broken.
  void want(std::string_view name, bool kept) { add(name, kept ? 0 : 2 * bound); }
  void add(const Verdict& other) {
    if (other.worst > worst) *this = other;
  }
  bool broken() const { return worst > bound; }
};

}  // namespace carom::probe
