// HDF5 as tables, for a build with or without it.
#pragma once

#include <memory>
#include <string>

#include "io/columns/table_reader.hpp"

namespace carom::io {

/// Throws Error; also where carom was built without HDF5.
std::unique_ptr<TableReader> open_hdf5(const std::string& path, Progress progress, std::size_t first_row,
                                       const std::string& only);

}  // namespace carom::io
