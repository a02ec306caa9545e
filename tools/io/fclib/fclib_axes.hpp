// Axes of contacts in files of FCLIB, which has n, t1, t2.
#pragma once

#include <cstddef>
#include <vector>

namespace carom::io {

/// carom's place of FCLIB's axis.
constexpr std::size_t axis_of[3] = {2, 0, 1};

/// Numbers of contacts in carom's order of axes, from FCLIB's.
inline std::vector<double> from_fclib(const std::vector<double>& numbers) {
  std::vector<double> turned(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) turned[i - i % 3 + axis_of[i % 3]] = numbers[i];
  return turned;
}
inline std::vector<double> to_fclib(const std::vector<double>& numbers) {
  std::vector<double> turned(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) turned[i] = numbers[i - i % 3 + axis_of[i % 3]];
  return turned;
}

}  // namespace carom::io
