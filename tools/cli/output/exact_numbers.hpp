// Numbers as text that gives their bits back, infinite ones too, for which JSON has no number.
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
