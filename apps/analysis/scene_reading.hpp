// The columns of scenes in contact files.
#pragma once

#include <carom/scene.hpp>

#include "io/contact_numbers.hpp"
#include "io/table.hpp"

namespace carom::apps {

/// True if the method reads SceneContacts::separation.
bool reads_gap(SceneMethod method);

/// Throws Error if the table holds no scenes. `option` is what asks for them.
void require_scenes(const io::Table& table, const char* option);

/// Adds the columns of the table that the method reads or has to refuse.
void add_scene_columns(const io::Table& table, SceneMethod method, io::ReadOptions& read);

}  // namespace carom::apps
