// Access to the arrays of counts in reports, for kernels, which add to them, and for other languages.
#pragma once

#include <carom/status.hpp>

namespace carom {

template <class T>
inline constexpr bool are_counts = false;
template <class S, std::size_t room>
inline constexpr bool are_counts<StatusCounts<S, room>> = true;
template <>
inline constexpr bool are_counts<PathCounts> = true;

struct CountsAccess {
  template <class Counts>
  static auto& counts(Counts& of) {
    return of.counts_;
  }
  /// Elements whose count is 0 are not set.
  template <class Counts>
  static auto& first(Counts& of) {
    return of.first_;
  }
  /// The same for other languages; 0 where the count is 0.
  template <class Counts>
  static auto first_or_0(const Counts& of) {
    return Counts(of).first_;
  }
};

}  // namespace carom
