// Text that reproduces the bits of a number. JSON has no infinite numbers.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <string>

namespace carom::apps {

inline std::string exact_text(double number) {
  return fmt::format("{:a}", number);
}

inline double exact_number(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace carom::apps
