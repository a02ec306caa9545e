// Where a file of scenes can be cut.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace carom::apps {

/// Rows of a file in HDF5 between which no scene has rows on both sides: 0, then one for every 4096 rows or more, and
/// the number of rows at the end. Reads the column scene_step alone. Throws Error.
std::vector<std::size_t> borders_of_scenes(const std::string& path);

}  // namespace carom::apps
