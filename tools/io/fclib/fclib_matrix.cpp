#include "fclib_matrix.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace carom::io {
SparseMatrix read_fclib_matrix(const Hdf5File& file, const std::string& group) {
  constexpr std::int64_t most = 1 << 30;
  SparseMatrix matrix;
  matrix.rows = file.integer(group + "/m");
  matrix.columns = file.integer(group + "/n");
  const std::int64_t form = file.integer(group + "/nz");
  const std::vector<std::int64_t> p = file.integers(group + "/p"), i = file.integers(group + "/i");
  const std::vector<double> x = file.numbers(group + "/x");
  if (matrix.rows < 0 || matrix.columns < 0 || matrix.rows > most || matrix.columns > most)
    file.fail("has a matrix of " + std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns) + " in " +
              group + "; carom reads those of 0 to " + std::to_string(most) + " rows and columns");
  if (i.size() != x.size())
    file.fail("has " + std::to_string(i.size()) + " numbers in " + group + "/i and " + std::to_string(x.size()) +
              " in " + group + "/x");
  // Some codes write all their allocated entries, with zeros after the last used one.
  const auto check_rest = [&](const char* counted_by, std::size_t count) {
    for (std::size_t k = count; k < x.size(); ++k)
      if (x[k] != 0)
        file.fail("has an entry in place " + std::to_string(k) + " of " + group + "/x, beyond the " +
                  std::to_string(count) + " that " + group + counted_by + " tells");
  };
  const auto add = [&](std::int64_t row, std::int64_t column, double value) {
    if (row < 0 || row >= matrix.rows || column < 0 || column >= matrix.columns)
      file.fail("has an entry (" + std::to_string(row) + ", " + std::to_string(column) + ") in " + group +
                ", outside of its " + std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns));
    matrix.entries.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(column), value});
  };
  if (form >= 0) {
    const auto count = static_cast<std::size_t>(form);
    if (p.size() < count || x.size() < count)
      file.fail("has fewer than the " + std::to_string(count) + " triplets of " + group + "/nz");
    check_rest("/nz", count);
    for (std::size_t k = 0; k < count; ++k) add(i[k], p[k], x[k]);
  } else if (form == -1 || form == -2) {
    const bool by_rows = form == -2;
    const auto lines = static_cast<std::size_t>(by_rows ? matrix.rows : matrix.columns);
    if (p.size() != lines + 1)
      file.fail("has " + std::to_string(p.size()) + " numbers in " + group + "/p, not " + std::to_string(lines + 1));
    if (p[0] != 0) file.fail("has " + std::to_string(p[0]) + " as the first number of " + group + "/p, not 0");
    for (std::size_t l = 0; l < lines; ++l) {
      if (p[l + 1] < p[l] || static_cast<std::size_t>(p[l + 1]) > x.size())
        file.fail("has " + std::to_string(p[l + 1]) + " in place " + std::to_string(l + 1) + " of " + group +
                  "/p, after " + std::to_string(p[l]) + " and for " + std::to_string(x.size()) + " entries");
      for (auto k = static_cast<std::size_t>(p[l]); k < static_cast<std::size_t>(p[l + 1]); ++k) {
        const auto line = static_cast<std::int64_t>(l);
        add(by_rows ? line : i[k], by_rows ? i[k] : line, x[k]);
      }
    }
    check_rest("/p", static_cast<std::size_t>(p[lines]));
  } else {
    file.fail("has an unknown form of matrix, " + std::to_string(form) + ", in " + group + "/nz");
  }
  matrix.put_in_order();
  return matrix;
}

void write_fclib_matrix(Hdf5File& file, const std::string& group, const SparseMatrix& matrix) {
  constexpr std::size_t most = std::numeric_limits<std::int32_t>::max();
  const std::size_t count = matrix.entries.size();
  if (count > most)
    file.fail("would hold " + std::to_string(count) + " numbers in " + group + ", and FCLIB counts up to " +
              std::to_string(most));
  std::vector<std::int32_t> rows, columns;
  std::vector<double> values;
  for (const auto& [row, column, value] : matrix.entries) {
    rows.push_back(row);
    columns.push_back(column);
    values.push_back(value);
  }
  const auto write = [&](const char* name, std::int64_t number) {
    file.write(group + name, std::vector<std::int32_t>{static_cast<std::int32_t>(number)});
  };
  file.make_group(group);
  write("/nzmax", static_cast<std::int64_t>(count));
  write("/m", matrix.rows);
  write("/n", matrix.columns);
  write("/nz", static_cast<std::int64_t>(count));
  file.write(group + "/i", rows);
  file.write(group + "/p", columns);
  file.write(group + "/x", values);
}

}  // namespace carom::io
