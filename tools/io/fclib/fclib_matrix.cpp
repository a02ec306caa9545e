#include "fclib_matrix.hpp"

#include <algorithm>
#include <tuple>

namespace carom::io {
namespace {

/// Sorts the entries by rows, then columns, and adds up entries at the same place.
void put_in_order(std::vector<SparseEntry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const SparseEntry& a, const SparseEntry& b) {
    return std::tie(a.row, a.column) < std::tie(b.row, b.column);
  });
  std::size_t kept = 0;
  for (const SparseEntry& entry : entries) {
    if (kept > 0 && entries[kept - 1].row == entry.row && entries[kept - 1].column == entry.column)
      entries[kept - 1].value += entry.value;
    else
      entries[kept++] = entry;
  }
  entries.resize(kept);
}

}  // namespace

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
  put_in_order(matrix.entries);
  return matrix;
}

}  // namespace carom::io
