// Tables in output files.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "io/columns/row_writer.hpp"
#include "output_file.hpp"

namespace carom::apps {

/// Writes rows to the output, as HDF5 or CSV by its name. `rows`: number of all rows, for HDF5. Throws Error.
std::unique_ptr<io::RowWriter> new_rows(OutputFile& output, const std::vector<io::FileColumn>& columns,
                                        std::size_t rows);

/// Writes all rows of a file. `in_float`: rounds the numbers of CSV to float in HDF5. Throws Error.
void copy_rows(io::TableReader& reader, OutputFile& output, bool in_float);

/// Converts the CSV in the output to HDF5, if the output's name is HDF5's. Reads the whole text into memory. Throws
/// Error.
void make_hdf5_of_csv(OutputFile& output);

}  // namespace carom::apps
