// Words and JSON that the reports share.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "cli/analysis/law_runs.hpp"
#include "io/columns/forms.hpp"

namespace carom::apps {

using Json = nlohmann::ordered_json;

/// Max number of rows that are printed of a list.
inline constexpr std::size_t max_rows_printed = 20;

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

inline Json to_json(const std::vector<SkippedLaw>& skipped) {
  Json laws = Json::array();
  for (const SkippedLaw& law : skipped) laws.push_back({{"law", to_string(law.law)}, {"why", law.why}});
  return laws;
}

inline void print(const std::vector<SkippedLaw>& skipped) {
  for (const SkippedLaw& law : skipped) fmt::print("{:<18} {}\n", to_string(law.law), law.why);
}

/// The first entries of a report on a contact file.
template <class Result>
Json head_of(const Result& result) {
  Json json = {
      {"carom", version()}, {"file", result.file}, {"form", word_of(result.form)}, {"contacts", result.contacts}};
  if constexpr (requires { result.bad_rows; }) json["bad_rows"] = result.bad_rows;
  return json;
}

inline void print(const Json& json, std::FILE* out = stdout) {
  // A file name need not be UTF-8, but JSON must be.
  fmt::print(out, "{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
}

}  // namespace carom::apps
