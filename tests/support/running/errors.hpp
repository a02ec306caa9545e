// The Error of a call.
#pragma once

#include <gtest/gtest.h>

#include <carom/error.hpp>
#include <optional>
#include <string_view>

namespace carom::support {

template <class Call>
std::optional<Error> error_of(Call&& call) {
  try {
    call();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  }
}

/// The text of the error names its column and its option. Without either, the error is about sizes.
inline void expect_names(const Error& error) {
  const std::string_view text = error.what();
  EXPECT_NE(text.find(error.column()), text.npos) << text << ": " << error.column();
  EXPECT_NE(text.find(error.option()), text.npos) << text << ": " << error.option();
  const bool is_of_sizes = text.find("the limit is") != text.npos;
  EXPECT_TRUE(!error.column().empty() || !error.option().empty() || error.row() || is_of_sizes) << text;
}

}  // namespace carom::support
