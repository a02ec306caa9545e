// Small contact files made of named cells, and the result of reading one.
#pragma once

#include <carom/status.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/csv/csv.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {

using Row = std::vector<std::pair<std::string, std::string>>;

/// A cube of 1 kg that slides down onto the immovable world: valid, resolved with status ok.
inline Row body_row() {
  Row row = {{"friction", "0.3"}, {"restitution", "0.5"}, {"normal_x", "0"}, {"normal_y", "0"}, {"normal_z", "1"}};
  for (const std::string side : {"a", "b"}) {
    const bool cube = side == "a";
    row.emplace_back("inverse_mass_" + side, cube ? "1" : "0");
    for (const std::string ij : {"xx", "xy", "xz", "yy", "yz", "zz"})
      row.emplace_back("inverse_inertia_" + side + "_" + ij, cube && ij[0] == ij[1] ? "6" : "0");
    row.emplace_back("r_" + side + "_x", cube ? "0.5" : "0");
    row.emplace_back("r_" + side + "_y", cube ? "0.4" : "0");
    row.emplace_back("r_" + side + "_z", cube ? "-0.5" : "0");
    row.emplace_back("velocity_" + side + "_x", cube ? "1" : "0");
    row.emplace_back("velocity_" + side + "_y", "0");
    row.emplace_back("velocity_" + side + "_z", cube ? "-2" : "0");
    for (const std::string i : {"x", "y", "z"}) row.emplace_back("angular_velocity_" + side + "_" + i, "0");
  }
  return row;
}

/// Valid, resolved with status ok.
inline Row space_row() {
  return {{"k_xx", "2"},   {"k_xy", "0.1"},     {"k_xz", "-0.2"},      {"k_yy", "2.5"},
          {"k_yz", "0.3"}, {"k_zz", "1.5"},     {"u0_x", "0.75"},      {"u0_y", "-0.5"},
          {"u0_z", "-1"},  {"friction", "0.3"}, {"restitution", "0.5"}};
}

/// A disc-like body of 1 kg that slides down onto the immovable world, in the plane: valid, resolved with status ok.
inline Row planar_body_row() {
  Row row = {{"friction", "0.3"}, {"restitution", "0.5"}, {"normal_x", "0"}, {"normal_y", "1"}};
  for (const std::string side : {"a", "b"}) {
    const bool moves = side == "a";
    row.emplace_back("inverse_mass_" + side, moves ? "1" : "0");
    row.emplace_back("inverse_inertia_" + side, moves ? "6" : "0");
    row.emplace_back("r_" + side + "_x", moves ? "0.2" : "0");
    row.emplace_back("r_" + side + "_y", moves ? "-0.5" : "0");
    row.emplace_back("velocity_" + side + "_x", moves ? "1" : "0");
    row.emplace_back("velocity_" + side + "_y", moves ? "-2" : "0");
    row.emplace_back("angular_velocity_" + side, "0");
  }
  return row;
}

/// Valid, resolved with status ok.
inline Row planar_space_row() {
  return {{"k_xx", "2"},  {"k_xy", "-0.2"},    {"k_yy", "1.5"},       {"u0_x", "0.75"},
          {"u0_y", "-1"}, {"friction", "0.3"}, {"restitution", "0.5"}};
}

/// The row with parameters that every law of either dimension can read.
inline Row with_law_parameters(Row row) {
  const std::vector<std::pair<std::string, std::string>> parameters = {{"tangential_restitution", "0.25"},
                                                                       {"impulse_ratio_1", "0.1"},
                                                                       {"impulse_ratio_2", "-0.05"},
                                                                       {"polar_angle", "0.5"},
                                                                       {"azimuth", "1.5"},
                                                                       {"fraction", "0.75"},
                                                                       {"candidate_x", "-0.1"},
                                                                       {"candidate_y", "0.7"},
                                                                       {"candidate_z", "0.9"},
                                                                       {"weight_frictionless", "1"},
                                                                       {"weight_smith", "3"}};
  row.insert(row.end(), parameters.begin(), parameters.end());
  return row;
}

/// The row with one cell set, or appended.
inline Row with(Row row, const std::string& name, const std::string& text) {
  for (auto& [column, cell] : row)
    if (column == name) {
      cell = text;
      return row;
    }
  row.emplace_back(name, text);
  return row;
}

inline Row without(Row row, const std::string& name) {
  std::erase_if(row, [&](const auto& cell) { return cell.first == name; });
  return row;
}

/// Returns the header of the first row, and all rows. Cells are written unquoted.
inline std::string csv_of(const std::vector<Row>& rows) {
  std::string header, text;
  for (const auto& [name, cell] : rows.front()) header += (header.empty() ? "" : ",") + name;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += (i == 0 ? "" : ",") + row[i].second;
    text += line + "\n";
  }
  return header + "\n" + text;
}

inline io::Table table_of(std::string_view text) {
  return io::read_csv(TemporaryFile(text).path());
}

inline std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace carom::test
