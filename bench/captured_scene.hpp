// A scene out of a contact file with the columns scene_step, body_a and body_b.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "csv.hpp"
#include "support/scenes/scene_of_columns.hpp"

namespace carom::bench {

/// The last scene of the file.
template <class T>
scenes::SceneData<T> captured_scene(const std::string& path) {
  CsvFile file(path);
  const auto column = [&](const std::string& name) { return file.column(name); };
  const std::size_t step = column("scene_step");
  std::vector<std::vector<std::string>> rows;
  for (std::vector<std::string> row; file.next(row);) {
    if (!rows.empty() && row[step] != rows.front()[step]) rows.clear();
    rows.push_back(row);
  }

  scenes::SceneData<T> scene;
  std::map<std::string, std::int32_t> bodies;
  for (const std::vector<std::string>& row : rows) {
    const auto number = [&](const std::string& name) { return std::stod(row[column(name)]); };
    const auto vector = [&](const std::string& name) {
      return scenes::Vector{number(name + "_x"), number(name + "_y"), number(name + "_z")};
    };
    const auto body = [&](const std::string& side) {
      const auto [known, is_new] = bodies.try_emplace(row[column("body_" + side)], 0);
      if (is_new) {
        scenes::Body made;
        made.inverse_mass = number("inverse_mass_" + side);
        const char* const parts[] = {"_xx", "_xy", "_xz", "_yy", "_yz", "_zz"};
        for (std::size_t c = 0; c < 6; ++c) made.inverse_inertia[c] = number("inverse_inertia_" + side + parts[c]);
        made.velocity = vector("velocity_" + side);
        made.angular_velocity = vector("angular_velocity_" + side);
        known->second = scene.add(made);
      }
      return known->second;
    };
    const std::int32_t a = body("a"), b = body("b");
    const std::size_t i = scene.add(scenes::Contact{.a = a,
                                                    .b = b,
                                                    .normal = vector("normal"),
                                                    .friction = number("friction"),
                                                    .restitution = number("restitution")});
    scenes::put(scene.r_a, i, vector("r_a"));
    scenes::put(scene.r_b, i, vector("r_b"));
  }
  return scene;
}

}  // namespace carom::bench
