// Scenes in contact files: the rows and the bodies of each scene.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "contact_numbers.hpp"

namespace carom::io {

/// Required columns of scenes, in addition to the columns of contacts.
inline constexpr std::array scene_columns = {"scene_step", "body_a", "body_b"};

/// A side of a contact: a or b.
struct RowSide {
  std::size_t row;
  std::size_t side;  ///< 0: a, 1: b
};

/// The rows of one scene_step.
struct SceneOfRows {
  double step = 0;
  std::vector<std::size_t> rows;  ///< contacts in the order of the file, without rows that are left out
  std::vector<RowSide> bodies;    ///< the side of a row with the state of each body
  std::vector<std::int32_t> body_a,
      body_b;  ///< bodies of `rows`: index into `bodies`, -1, or an index out of range from the file

  /// A side of a row and its body. Includes rows that are left out. Sides with an unknown body are not listed.
  struct Shown {
    RowSide at;
    std::int32_t body;
  };
  std::vector<Shown> shown;
};

/// The scenes of a table. Every row repeats the state of its bodies. The first row of the scene with a body has its
/// state; a row that differs is left out as `body_state_disagrees`.
class SceneRows {
 public:
  /// The table must have scene_columns and contacts in the body form. Rows that are left out become faults of
  /// `contacts`. Reads the column `key`, if any, if `with_keys` is true.
  SceneRows(const Table& table, ContactNumbers& contacts, bool with_keys);

  /// In the order of their first rows.
  const std::vector<SceneOfRows>& scenes() const { return scenes_; }
  /// The key of each row; empty without the column.
  const std::vector<std::uint64_t>& keys() const { return keys_; }

 private:
  std::vector<SceneOfRows> scenes_;
  std::vector<std::uint64_t> keys_;
};

/// The columns of the state of a body on a side, in the order of BodyColumns.
std::vector<std::string> body_state_columns(std::size_t side);

}  // namespace carom::io
