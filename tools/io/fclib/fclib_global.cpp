#include "fclib_global.hpp"

#include <carom/system.hpp>
#include <cmath>
#include <string>

#include "fclib.hpp"
#include "fclib_axes.hpp"
#include "fclib_matrix.hpp"

namespace carom::io {
namespace {

const std::string group = "/fclib_global";

std::string place(const SparseEntry& entry) {
  std::string text = "(";
  return text.append(std::to_string(entry.row)).append(", ").append(std::to_string(entry.column)).append(")");
}

[[noreturn]] void refuse(const Hdf5File& file, double number, const std::string& place) {
  file.fail(std::string("has ") + (std::isnan(number) ? "no number" : "an infinite number") + " in " + place);
}

void check_finite(const Hdf5File& file, const std::string& name, const std::vector<double>& numbers) {
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!std::isfinite(numbers[i])) refuse(file, numbers[i], "row " + std::to_string(i) + " of " + name);
}

void check_finite(const Hdf5File& file, const std::string& name, const SparseMatrix& matrix) {
  for (const SparseEntry& entry : matrix.entries)
    if (!std::isfinite(entry.value)) refuse(file, entry.value, place(entry) + " of " + name);
}

/// Completes a matrix of which one side of the diagonal is empty.
bool complete(SparseMatrix& mass) {
  bool below = false, above = false;
  for (const SparseEntry& entry : mass.entries)
    if (entry.value != 0) (entry.row > entry.column ? below : above) |= entry.row != entry.column;
  if (below == above) return false;
  const std::size_t count = mass.entries.size();
  for (std::size_t k = 0; k < count; ++k) {
    const SparseEntry entry = mass.entries[k];
    if (entry.row != entry.column && entry.value != 0) mass.entries.push_back({entry.column, entry.row, entry.value});
  }
  mass.put_in_order();
  return true;
}

/// Throws Error if M is further from symmetric than the solver takes of W, or its diagonal is not above 0.
void check_mass(const Hdf5File& file, const SparseMatrix& mass) {
  std::vector<double> root(static_cast<std::size_t>(mass.rows), 0);
  SparseMatrix difference = mass;
  for (const auto& [row, column, value] : mass.entries) {
    if (row == column && value > 0) root[static_cast<std::size_t>(row)] = std::sqrt(value);
    difference.entries.push_back({column, row, -value});
  }
  difference.put_in_order();
  for (std::size_t row = 0; row < root.size(); ++row)
    if (!(root[row] > 0))
      file.fail("has a matrix M that is not positive definite: row " + std::to_string(row) + " of " + group +
                "/M has nothing above 0 on the diagonal");
  for (const SparseEntry& entry : difference.entries)
    if (std::abs(entry.value) > SystemOptions{}.asymmetry * root[static_cast<std::size_t>(entry.row)] *
                                    root[static_cast<std::size_t>(entry.column)])
      file.fail("has a matrix M that is not symmetric: " + place(entry) + " of " + group +
                "/M and the place across the diagonal differ");
}

/// Throws Error if a contact's normal moves nothing.
void check_normals(const Hdf5File& file, const SparseMatrix& directions) {
  std::vector<bool> moves(static_cast<std::size_t>(directions.columns), false);
  for (const SparseEntry& entry : directions.entries)
    if (entry.value != 0) moves[static_cast<std::size_t>(entry.column)] = true;
  for (std::size_t column = 0; column < moves.size(); column += 3)
    if (!moves[column])
      file.fail("has nothing but 0 in column " + std::to_string(column) + " of " + group +
                "/H, the normal of contact " + std::to_string(column / 3));
}

std::string sizes(const char* name, const SparseMatrix& matrix) {
  return std::string(name) + " of " + std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns);
}

/// Columns of contacts in another order of axes.
void turn_columns(SparseMatrix& matrix, const std::size_t (&place)[3]) {
  for (SparseEntry& entry : matrix.entries)
    entry.column += static_cast<std::int32_t>(place[entry.column % 3]) - entry.column % 3;
  matrix.put_in_order();
}

void refuse_bilateral(const Hdf5File& file) {
  if (file.has(group + "/G") && file.integer(group + "/G/n") != 0)
    file.fail("has bilateral constraints (" + group + "/G), which carom does not solve");
}

}  // namespace

GlobalSystem read_global(const Hdf5File& file) {
  refuse_bilateral(file);
  GlobalSystem system;
  system.mass = read_fclib_matrix(file, group + "/M");
  system.directions = read_fclib_matrix(file, group + "/H");
  system.momentum = file.numbers(group + "/vectors/f");
  const std::vector<double> w = file.numbers(group + "/vectors/w");
  system.friction = file.numbers(group + "/vectors/mu");
  const SparseMatrix &m = system.mass, &h = system.directions;
  if (m.rows != m.columns) file.fail("has a matrix " + sizes("M", m) + ", which must be square");
  if (h.rows != m.rows || h.columns % 3 != 0)
    file.fail("has a matrix " + sizes("H", h) + " beside " + sizes("M", m) +
              ": H has the rows of M, and three columns a contact");
  const auto check_count = [&](const char* name, std::size_t there, std::int64_t wanted) {
    if (there != static_cast<std::size_t>(wanted))
      file.fail("has " + std::to_string(there) + " numbers in " + group + "/vectors/" + name + ", not " +
                std::to_string(wanted));
  };
  if (file.has(group + "/vectors/b")) check_count("b", file.numbers(group + "/vectors/b").size(), 0);
  check_count("f", system.momentum.size(), m.rows);
  check_count("w", w.size(), h.columns);
  check_count("mu", system.friction.size(), h.columns / 3);
  for (std::size_t i = 0; i < system.friction.size(); ++i)
    if (!(system.friction[i] >= 0))
      file.fail("has " + std::to_string(system.friction[i]) + " in row " + std::to_string(i) + " of " + group +
                "/vectors/mu; it must be >= 0");
  check_finite(file, group + "/M", m);
  check_finite(file, group + "/H", h);
  check_finite(file, group + "/vectors/f", system.momentum);
  check_finite(file, group + "/vectors/w", w);
  system.mass_was_half = complete(system.mass);
  check_mass(file, m);
  check_normals(file, h);
  system.velocity = from_fclib(w);
  turn_columns(system.directions, axis_of);
  return system;
}

std::string new_global_fclib(const GlobalSystem& problem, const std::string& name, const std::string& description) {
  Hdf5File file(name);
  for (const char* part : {"", "/vectors", "/info"}) file.make_group(group + part);
  file.write(group + "/spacedim", std::vector<std::int32_t>{3});
  file.write(group + "/info/title", std::string("bodies and contacts of a scene"));
  file.write(group + "/info/description", description);
  file.write(group + "/info/math_info", std::string("M v = H r + f, u = H^T v + w, axes n, t1, t2"));
  SparseMatrix directions = problem.directions;
  turn_columns(directions, fclib_axis_of);
  write_fclib_matrix(file, group + "/M", problem.mass);
  write_fclib_matrix(file, group + "/H", directions);
  file.write(group + "/vectors/f", problem.momentum);
  file.write(group + "/vectors/w", to_fclib(problem.velocity));
  file.write(group + "/vectors/mu", problem.friction);
  return file.bytes();
}

}  // namespace carom::io
