// Axes of contacts in files of FCLIB, which has n, t1, t2.
#pragma once

#include <cstddef>
#include <vector>

namespace carom::io {

/// carom's place of FCLIB's axis.
constexpr std::size_t axis_of[3] = {2, 0, 1};
/// FCLIB's place of carom's axis.
constexpr std::size_t fclib_axis_of[3] = {1, 2, 0};

/// Numbers of contacts in carom's order of axes, from FCLIB's.
std::vector<double> from_fclib(const std::vector<double>& numbers);
std::vector<double> to_fclib(const std::vector<double>& numbers);

}  // namespace carom::io
