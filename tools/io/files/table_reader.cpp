#include "io/columns/table_reader.hpp"

#include <carom/status.hpp>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <utility>

#include "io/csv/csv.hpp"
#include "io/hdf5/open_hdf5.hpp"

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

std::unique_ptr<TableReader> open_table(const std::string& path, Progress progress, std::size_t first_row,
                                        const std::string& only) {
  if (is_hdf5(path)) return open_hdf5(path, std::move(progress), first_row, only);
  return std::make_unique<CsvReader>(path, std::move(progress));
}

Table read_table(const std::string& path, Progress progress) {
  if (!is_hdf5(path)) return read_csv(path, progress);
  const auto reader = open_table(path, std::move(progress));
  reader->read(std::numeric_limits<std::size_t>::max());
  return reader->take();
}

bool is_hdf5(const std::string& path) {
  char begin[hdf5_signature.size()] = {};
  // A pipe cannot be read twice.
  std::error_code absent;
  if (path == "-" || !std::filesystem::is_regular_file(path, absent)) return false;
  std::ifstream stream(path, std::ios::binary);
  return stream.read(begin, sizeof begin) && hdf5_signature == std::string_view(begin, sizeof begin);
}

bool is_hdf5_name(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

}  // namespace carom::io
