// A given number of contacts from a contact file.
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "csv.hpp"
#include "support/contacts/random_contacts.hpp"

namespace carom::bench {

/// Contact i is row i of the file, which begins again where it ends. The normals, which an engine has in float, are
/// made unit in the precision of the contacts.
template <class T>
support::RandomContacts<T> captured_contacts(const std::string& path, std::size_t n) {
  CsvFile file(path);
  std::vector<std::vector<double>> rows;
  for (std::vector<std::string> cells; rows.size() < n && file.next(cells);) {
    rows.emplace_back();
    for (const std::string& cell : cells) rows.back().push_back(std::stod(cell));
  }
  support::RandomContacts<T> contacts(0, 0);
  const auto fill = [&](std::vector<T>& to, const std::string& name, auto&& value) {
    const std::size_t c = file.column(name);
    for (std::size_t i = 0; i < n; ++i) to.push_back(static_cast<T>(value(rows[i % rows.size()], c)));
  };
  const auto as_it_is = [](const std::vector<double>& row, std::size_t c) { return row[c]; };
  const char* const axes[] = {"_x", "_y", "_z"};
  const auto vector = [&](support::Vectors3<T>& to, const std::string& name, auto&& value) {
    for (std::size_t c = 0; c < 3; ++c) fill(to[c], name + axes[c], value);
  };
  fill(contacts.friction, "friction", as_it_is);
  fill(contacts.restitution, "restitution", as_it_is);
  const std::size_t x = file.column("normal_x"), y = file.column("normal_y"), z = file.column("normal_z");
  vector(contacts.normal, "normal",
         [&](const std::vector<double>& row, std::size_t c) { return row[c] / std::hypot(row[x], row[y], row[z]); });
  vector(contacts.r_a, "r_a", as_it_is);
  vector(contacts.r_b, "r_b", as_it_is);
  const auto body = [&](support::BodyArrays<T>& to, const std::string& side) {
    fill(to.inverse_mass, "inverse_mass_" + side, as_it_is);
    const char* const parts[] = {"_xx", "_xy", "_xz", "_yy", "_yz", "_zz"};
    for (std::size_t c = 0; c < 6; ++c) fill(to.inverse_inertia[c], "inverse_inertia_" + side + parts[c], as_it_is);
    vector(to.velocity, "velocity_" + side, as_it_is);
    vector(to.angular_velocity, "angular_velocity_" + side, as_it_is);
  };
  body(contacts.a, "a");
  body(contacts.b, "b");
  return contacts;
}

}  // namespace carom::bench
