// The units of columns, for files that have a place for them.
#pragma once

#include <string>
#include <string_view>

namespace carom::io {

/// "m/s" of velocity_a_x; "1" of numbers without a unit; empty of columns that hold words or indices, or that carom
/// does not know.
std::string unit_of(std::string_view column);

}  // namespace carom::io
