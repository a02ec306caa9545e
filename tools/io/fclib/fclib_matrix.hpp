// Sparse matrices in FCLIB files. The number `nz` of a file is the layout: -1 compressed columns, -2 compressed rows,
// otherwise the number of triplets, with the rows in `i` and the columns in `p`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_file.hpp"

namespace carom::io {

struct SparseEntry {
  std::int32_t row, column;
  double value;
};

struct SparseMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<SparseEntry> entries;  ///< by rows, then columns; at most one entry per place
};

/// Throws Error if the group is not a sound matrix.
SparseMatrix read_fclib_matrix(const Hdf5File& file, const std::string& group);

}  // namespace carom::io
