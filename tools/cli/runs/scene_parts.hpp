// Rows at which a file of scenes can be cut.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace carom::apps {

/// Returns rows of an HDF5 file at which no scene is cut: 0, then a row after every 4096 rows or more, and the number
/// of rows at the end. Reads only the column scene_step. Throws Error.
std::vector<std::size_t> borders_of_scenes(const std::string& path);

}  // namespace carom::apps
