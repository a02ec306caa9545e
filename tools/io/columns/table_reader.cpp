#include "table_reader.hpp"

#include <carom/status.hpp>
#include <map>
#include <utility>

namespace carom::io {
namespace {

/// Names of columns that have changed, with all their components.
constexpr struct {
  std::string_view old_name, name;
  bool is_vector;
} renamed_columns[] = {
    {"lever_a", "r_a", true},
    {"lever_b", "r_b", true},
    {"gap", "separation", false},
};

}  // namespace

std::string current_name(std::string_view name) {
  for (const auto& [old_name, now, is_vector] : renamed_columns) {
    if (!name.starts_with(old_name)) continue;
    const std::string_view rest = name.substr(old_name.size());
    if (is_vector ? rest == "_x" || rest == "_y" || rest == "_z" : rest.empty()) return std::string(now).append(rest);
  }
  return std::string(name);
}

void use_current_names(std::vector<std::string>& header, const std::string& place) {
  std::map<std::string, std::string> own_names;
  for (std::string& name : header) {
    std::string now = current_name(name);
    const auto [other, is_new] = own_names.try_emplace(now, name);
    if (!is_new)
      throw Error("carom: " + place +
                  (other->second == name ? "two columns are named '" + name + "'"
                                         : "the columns '" + other->second + "' and '" + name + "' are the same: '" +
                                               now + "' is the name of both"));
    name = std::move(now);
  }
}

}  // namespace carom::io
