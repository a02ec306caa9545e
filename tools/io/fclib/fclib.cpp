#include "fclib.hpp"

#include <algorithm>
#include <carom/status.hpp>
#include <fstream>
#include <iterator>
#include <new>
#include <stdexcept>

#include "fclib_axes.hpp"
#include "fclib_matrix.hpp"
#include "io/hdf5/hdf5_file.hpp"
#include "io/hdf5/hdf5_handle.hpp"

namespace carom::io {
namespace {

std::string contents(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) throw Error("carom: " + path + " can't be read");
  return bytes;
}

/// Gathers the entries of a square matrix into 3 × 3 blocks. The diagonal block of every contact is always present.
void set_blocks(FclibProblem& problem, const SparseMatrix& matrix, std::size_t contacts) {
  std::size_t k = 0;
  std::vector<std::size_t> place(contacts, ~std::size_t{0});
  problem.row_start.assign(1, 0);
  for (std::size_t i = 0; i < contacts; ++i) {
    std::size_t end = k;
    while (end < matrix.entries.size() && static_cast<std::size_t>(matrix.entries[end].row) / 3 == i) ++end;
    std::vector<std::int32_t> columns = {static_cast<std::int32_t>(i)};
    for (std::size_t e = k; e < end; ++e) columns.push_back(matrix.entries[e].column / 3);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (const std::int32_t j : columns) {
      place[static_cast<std::size_t>(j)] = problem.block.size();
      problem.column.push_back(j);
      problem.block.push_back({});
    }
    for (; k < end; ++k) {
      const SparseEntry& entry = matrix.entries[k];
      const std::size_t row = axis_of[entry.row % 3], column = axis_of[entry.column % 3];
      problem.block[place[static_cast<std::size_t>(entry.column / 3)]][3 * row + column] += entry.value;
    }
    problem.row_start.push_back(static_cast<std::int64_t>(problem.column.size()));
  }
}

void read_local(const Hdf5File& file, FclibProblem& problem) {
  const std::string group = "/fclib_local";
  if (file.has(group + "/R")) file.fail("has bilateral constraints (/fclib_local/R), which carom does not solve");
  const SparseMatrix w = read_fclib_matrix(file, group + "/W");
  if (w.rows != w.columns || w.rows % 3 != 0)
    file.fail("has a matrix W of " + std::to_string(w.rows) + " x " + std::to_string(w.columns) +
              ", not three rows and columns a contact");
  const auto contacts = static_cast<std::size_t>(w.rows / 3);
  const std::vector<double> q = file.numbers(group + "/vectors/q");
  problem.friction = file.numbers(group + "/vectors/mu");
  if (q.size() != 3 * contacts || problem.friction.size() != contacts)
    file.fail("has " + std::to_string(q.size()) + " numbers of q and " + std::to_string(problem.friction.size()) +
              " of mu for " + std::to_string(contacts) + " contacts");
  problem.velocity = from_fclib(q);
  set_blocks(problem, w, contacts);
}

FclibProblem read_problem(const std::string& path) {
  FclibProblem problem;
  problem.path = path;
  problem.bytes = contents(path);
  const Hdf5File file(path, problem.bytes);
  if (file.has("/fclib_global_rolling")) file.fail("has rolling friction, which carom does not solve");
  if (!file.has("/fclib_local")) {
    if (file.has("/fclib_global"))
      file.fail(
          "has a global problem (/fclib_global), which carom does not read: condense it to a local problem "
          "(/fclib_local) with W = H^T M^-1 H and q = H^T M^-1 f + w");
    file.fail("holds no problem of FCLIB: there is no /fclib_local");
  }
  if (const std::int64_t dimensions = file.integer("/fclib_local/spacedim"); dimensions != 3)
    file.fail("has a problem in " + std::to_string(dimensions) + " dimensions; carom solves those in 3");
  read_local(file, problem);
  if (problem.contacts() == 0) file.fail("holds a problem without contacts");
  return problem;
}

}  // namespace

bool is_fclib(const std::string& path) {
  silence_hdf5();
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.is_open()) throw Error("carom: " + path + " is not a sound HDF5 file" + reason_of_hdf5());
  for (const char* group : {"fclib_local", "fclib_global", "fclib_global_rolling"})
    if (H5Lexists(file, group, H5P_DEFAULT) > 0) return true;
  return false;
}

FclibProblem read_fclib(const std::string& path) {
  const char* const too_large = " needs more memory than there is";
  try {
    return read_problem(path);
  } catch (const std::bad_alloc&) {
    throw Error("carom: " + path + too_large);
  } catch (const std::length_error&) {
    throw Error("carom: " + path + too_large);
  }
}

std::string with_solution(const FclibProblem& problem, const std::vector<double>& impulse,
                          const std::vector<double>& velocity) {
  Hdf5File file(problem.path, problem.bytes);
  if (file.has("/solution")) file.remove("/solution");
  file.make_group("/solution");
  file.write("/solution/r", to_fclib(impulse));
  file.write("/solution/u", to_fclib(velocity));
  return file.bytes();
}

std::string new_fclib(const SystemNumbers& problem, const std::string& name, const std::string& description) {
  Hdf5File file(name);
  if (problem.block.size() > max_fclib_blocks)
    file.fail("would hold " + std::to_string(problem.block.size()) + " blocks of W, and FCLIB counts up to " +
              std::to_string(max_fclib_blocks));
  std::vector<std::int32_t> pointer = {0}, column;
  std::vector<double> values;
  for (std::size_t row = 0; row < 3 * problem.contacts(); ++row) {
    const auto first = static_cast<std::size_t>(problem.row_start[row / 3]),
               end = static_cast<std::size_t>(problem.row_start[row / 3 + 1]);
    for (std::size_t k = first; k < end; ++k)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        column.push_back(3 * problem.column[k] + static_cast<std::int32_t>(axis));
        values.push_back(problem.block[k][3 * axis_of[row % 3] + axis_of[axis]]);
      }
    pointer.push_back(static_cast<std::int32_t>(values.size()));
  }
  const auto rows = static_cast<std::int32_t>(3 * problem.contacts()), count = static_cast<std::int32_t>(values.size());
  const std::string group = "/fclib_local", w = group + "/W";
  for (const char* part : {"", "/W", "/vectors", "/info"}) file.make_group(group + part);
  const auto number = [](std::int32_t of) { return std::vector<std::int32_t>{of}; };
  file.write(group + "/spacedim", number(3));
  file.write(group + "/info/title", std::string("contact system of a scene"));
  file.write(group + "/info/description", description);
  file.write(group + "/info/math_info", std::string("u = W r + q, axes n, t1, t2"));
  file.write(w + "/nzmax", number(count));
  file.write(w + "/m", number(rows));
  file.write(w + "/n", number(rows));
  file.write(w + "/nz", number(-2));  // compressed rows
  file.write(w + "/p", pointer);
  file.write(w + "/i", column);
  file.write(w + "/x", values);
  file.write(group + "/vectors/q", to_fclib(problem.velocity));
  file.write(group + "/vectors/mu", problem.friction);
  return file.bytes();
}

}  // namespace carom::io
