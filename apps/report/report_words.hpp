// Words that reports have in common.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>

#include "io/contact_file.hpp"

namespace carom::apps {

using Json = nlohmann::ordered_json;

constexpr std::string_view word_of(io::Form form) {
  switch (form) {
    case io::Form::bodies:
      return "bodies";
    case io::Form::contact_space:
      return "contact_space";
    case io::Form::planar_bodies:
      return "planar_bodies";
    default:
      return "planar_contact_space";
  }
}

inline void print(const Json& json) {
  // A file name need not be UTF-8, but JSON must be.
  fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace carom::apps
