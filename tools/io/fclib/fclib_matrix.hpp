// Sparse matrices in FCLIB files, whose number `nz` tells the form: -1 compressed columns, -2 compressed rows, else
// that of triplets, of which `i` has the rows and `p` the columns.
#pragma once

#include <string>

#include "io/hdf5/hdf5_file.hpp"
#include "sparse_matrix.hpp"

namespace carom::io {

/// Throws Error if the group is no sound matrix.
SparseMatrix read_fclib_matrix(const Hdf5File& file, const std::string& group);

/// Makes a group of triplets. Throws Error if there are more than FCLIB counts.
void write_fclib_matrix(Hdf5File& file, const std::string& group, const SparseMatrix& matrix);

}  // namespace carom::io
