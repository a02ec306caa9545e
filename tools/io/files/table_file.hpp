// Opens files of tables. The first bytes decide between CSV and HDF5.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "io/columns/table_reader.hpp"

namespace carom::io {

/// "-" is standard input. HDF5 is read from `first_row` on. If `only` is given, only this column is read. Throws Error
/// with the file and the fault, also if the file is HDF5 and carom was built without HDF5.
std::unique_ptr<TableReader> open_table(const std::string& path, Progress progress = {}, std::size_t first_row = 0,
                                        const std::string& only = {});

/// Reads the whole file.
Table read_table(const std::string& path, Progress progress = {});

/// Recognises regular files that begin with the signature of HDF5. False for "-".
bool is_hdf5(const std::string& path);

/// True if the name of a new file ends in .h5 or .hdf5.
bool is_hdf5_name(const std::string& path);

}  // namespace carom::io
