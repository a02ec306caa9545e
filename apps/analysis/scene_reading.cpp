#include "analysis/scene_reading.hpp"

#include <fmt/format.h>

#include <array>

#include "io/scene_data.hpp"
#include "io/scene_rows.hpp"

namespace carom::apps {
namespace {

std::string listed_columns(const std::vector<std::string>& names) {
  return fmt::format("{} {}", names.size() == 1 ? "the column" : "the columns", fmt::join(names, ", "));
}

}  // namespace

bool reads_gap(SceneMethod method) {
  return method == SceneMethod::resting || method == SceneMethod::step || method == SceneMethod::substeps;
}

void require_scenes(const io::Table& table, const char* option) {
  const std::string place = "carom: " + table.header_place();
  const io::Form form = io::form_of(table);
  if (form != io::Form::bodies)
    throw Error(fmt::format("{}{} needs both bodies' states in 3D (body form), and the file holds the {}", place,
                            option, io::to_string(form)));
  std::vector<std::string> missing;
  const auto need = [&](const char* name) {
    if (table.find(name) == io::Table::none) missing.emplace_back(name);
  };
  for (const char* name : io::scene_columns) need(name);
  if (!missing.empty())
    throw Error(fmt::format("{}{} needs {}, which {} missing", place, option, listed_columns(missing),
                            missing.size() == 1 ? "is" : "are"));
  constexpr std::array surface = {"surface_velocity_x", "surface_velocity_y", "surface_velocity_z"};
  for (const char* name : surface) need(name);
  if (!missing.empty() && missing.size() < surface.size())
    throw Error(fmt::format("{}of a surface velocity all three columns must be there or none: {} missing", place,
                            listed_columns(missing) + (missing.size() == 1 ? " is" : " are")));
}

void add_scene_columns(const io::Table& table, SceneMethod method, io::ReadOptions& read) {
  const auto add = [&](const char* name) {
    if (table.find(name) != io::Table::none) read.further.emplace_back(name);
  };
  if (method != SceneMethod::sequential_impacts) add("static_friction");
  if (reads_gap(method)) add("separation");
  if (method == SceneMethod::substeps) add("slop");
  for (const char* name : {"target_velocity", "surface_velocity_x", "surface_velocity_y", "surface_velocity_z"})
    add(name);
  // A method that has no part in them says so.
  for (const std::string& name : io::contact_model_columns()) add(name.c_str());
}

}  // namespace carom::apps
