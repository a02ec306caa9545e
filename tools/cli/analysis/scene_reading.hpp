// The columns of scenes in contact files.
#pragma once

#include <carom/scene.hpp>
#include <string>
#include <vector>

#include "io/columns/contact_numbers.hpp"
#include "io/columns/table.hpp"

namespace carom::apps {

/// Throws Error if the table holds no scenes for this method. `option` is the option that needs them.
void require_scenes(const io::Table& table, const char* option, const SceneOptions::Method& method);

/// Adds the columns of the table that the method reads.
void add_scene_columns(const io::Table& table, const SceneOptions::Method& method, io::ReadOptions& read);

/// True if the table has keys and the method reads them.
bool reads_keys(const io::Table& table, const SceneOptions::Method& method);

/// Optional columns of scenes that the table has and the method does not read.
std::vector<std::string> unread_columns(const io::Table& table, const SceneOptions::Method& method);

}  // namespace carom::apps
