// Small files of scenes: balls in a row along x.
#pragma once

#include <string>
#include <vector>

#include "support/files/contact_tables.hpp"

namespace carom::test {

/// A ball of radius 0.5 m that does not spin. Number -1 is the immovable world.
struct Ball {
  int number = 0;
  std::string velocity = "0";      ///< [m/s] along x
  std::string inverse_mass = "1";  ///< [1/kg]
};
inline const Ball world = {-1};

/// A contact without friction between the balls, of which `left` is A.
inline Row ball_row(const std::string& step, const Ball& left, const Ball& right,
                    const std::string& restitution = "1") {
  Row row = {{"scene_step", step},
             {"body_a", std::to_string(left.number)},
             {"body_b", std::to_string(right.number)},
             {"friction", "0"},
             {"restitution", restitution},
             {"normal_x", "-1"},
             {"normal_y", "0"},
             {"normal_z", "0"}};
  for (const bool is_left : {true, false}) {
    const Ball& ball = is_left ? left : right;
    const std::string side = is_left ? "a" : "b", inertia = ball.number < 0 ? "0" : "10";
    row.emplace_back("inverse_mass_" + side, ball.number < 0 ? "0" : ball.inverse_mass);
    for (const std::string ij : {"xx", "xy", "xz", "yy", "yz", "zz"})
      row.emplace_back("inverse_inertia_" + side + "_" + ij, ij[0] == ij[1] ? inertia : "0");
    for (const std::string name : {"r_", "velocity_", "angular_velocity_"})
      for (const std::string i : {"x", "y", "z"}) row.emplace_back(name + side + "_" + i, "0");
    row = with(row, "r_" + side + "_x", is_left ? "0.5" : "-0.5");
    row = with(row, "velocity_" + side + "_x", ball.velocity);
  }
  return row;
}

/// Balls that touch, with these velocities.
inline std::vector<Row> ball_rows(const std::string& step, const std::vector<std::string>& velocities,
                                  const std::string& restitution = "1") {
  std::vector<Row> rows;
  for (int i = 0; i + 1 < static_cast<int>(velocities.size()); ++i) {
    const auto at = static_cast<std::size_t>(i);
    rows.push_back(ball_row(step, {i, velocities[at]}, {i + 1, velocities[at + 1]}, restitution));
  }
  return rows;
}

}  // namespace carom::test
