#include "scene_reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/columns/scene_data.hpp"
#include "io/columns/scene_rows.hpp"

namespace carom::apps {
namespace {

/// The optional columns of scenes that the table has.
std::vector<io::SceneColumn> columns_there(const io::Table& table, const SceneOptions::Method& method) {
  std::vector<io::SceneColumn> columns = io::optional_scene_columns(method);
  std::erase_if(columns, [&](const io::SceneColumn& column) { return table.find(column.name) == io::Table::none; });
  return columns;
}

}  // namespace

void require_scenes(const io::Table& table, const char* option, const SceneOptions::Method& method) {
  const std::string place = "carom: " + table.header_place();
  const io::Form form = io::form_of(table);
  if (form != io::Form::bodies)
    throw Error(fmt::format("{}{} needs both bodies' states in 3D (body form), and the file holds the {}", place,
                            option, io::to_string(form)));
  std::vector<std::string> missing;
  for (const char* name : io::scene_columns)
    if (table.find(name) == io::Table::none) missing.emplace_back(name);
  if (!missing.empty())
    throw Error(fmt::format("{}{} needs {}, which {} missing", place, option, io::columns_in_words(missing),
                            missing.size() == 1 ? "is" : "are"));
  // The components of vectors.
  std::map<std::string, std::vector<std::string>> there, absent;
  for (const io::SceneColumn& column : io::optional_scene_columns(method))
    if (column.is_read && !column.vector.empty())
      (table.find(column.name) == io::Table::none ? absent : there)[column.vector].push_back(column.name);
  for (const auto& [vector, names] : absent)
    if (there.contains(vector))
      throw Error(fmt::format("{}all three columns of {} must be there or none: {} {} missing", place, vector,
                              io::columns_in_words(names), names.size() == 1 ? "is" : "are"));
}

void add_scene_columns(const io::Table& table, const SceneOptions::Method& method, io::ReadOptions& read) {
  for (const io::SceneColumn& column : columns_there(table, method))
    if (column.is_read && !column.is_key) read.further.push_back(column.name);
}

bool reads_keys(const io::Table& table, const SceneOptions::Method& method) {
  return std::ranges::any_of(columns_there(table, method),
                             [](const io::SceneColumn& column) { return column.is_read && column.is_key; });
}

std::vector<std::string> unread_columns(const io::Table& table, const SceneOptions::Method& method) {
  std::vector<std::string> names;
  for (const io::SceneColumn& column : columns_there(table, method))
    if (!column.is_read) names.push_back(column.name);
  return names;
}

}  // namespace carom::apps
