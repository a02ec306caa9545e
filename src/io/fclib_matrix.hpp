// Sparse matrices of FCLIB files, whose number `nz` tells the form: -1 compressed columns, -2 compressed rows, else
// that of triplets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hdf5_file.hpp"

namespace carom::io {

struct FclibEntry {
  std::int32_t row, column;
  double value;
};

struct FclibMatrix {
  std::int64_t rows = 0, columns = 0;
  std::vector<FclibEntry> entries;  ///< by rows, then columns; one of each place
};

/// Throws Error if the group is no sound matrix.
FclibMatrix read_fclib_matrix(const Hdf5File& file, const std::string& group);

}  // namespace carom::io
