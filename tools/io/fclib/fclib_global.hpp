// Global problems of FCLIB: M v = H r + f, u = Hᵀ v + w.
#pragma once

#include "global_system.hpp"
#include "io/hdf5/hdf5_file.hpp"

namespace carom::io {

/// Throws Error, naming what is wrong in the file.
GlobalSystem read_global(const Hdf5File& file);

}  // namespace carom::io
