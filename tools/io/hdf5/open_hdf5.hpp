// Tables in HDF5. A build without HDF5 has these functions too; they throw Error.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/columns/row_writer.hpp"

namespace carom::io {

/// Opens a file and all its columns, or `only` one, to read from `first_row` on. Throws Error.
std::unique_ptr<TableReader> open_hdf5(const std::string& path, Progress progress, std::size_t first_row,
                                       const std::string& only);

/// Makes a file with these columns, or replaces it. Throws Error.
std::unique_ptr<RowWriter> new_hdf5(const std::string& path, const std::vector<FileColumn>& columns, std::size_t rows,
                                    const std::vector<ConstantColumn>& constants = {});

/// Opens a file that new_hdf5() has made, to write further rows. Throws Error if it does not have these columns and
/// rows.
std::unique_ptr<RowWriter> resumed_hdf5(const std::string& path, const std::vector<FileColumn>& columns,
                                        std::size_t rows, const std::vector<ConstantColumn>& constants = {});

}  // namespace carom::io
