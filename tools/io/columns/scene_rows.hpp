// Scenes in contact files: which rows belong together, and which bodies they tell of.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "contact_numbers.hpp"

namespace carom::io {

/// The columns that rows of scenes have beside those of contacts.
inline constexpr std::array scene_columns = {"scene_step", "body_a", "body_b"};

/// A side of a contact: a or b.
struct RowSide {
  std::size_t row;
  std::size_t side;  ///< 0: a, 1: b
};

/// The rows of one scene_step.
struct SceneOfRows {
  double step = 0;
  std::vector<std::size_t> rows;             ///< the contacts, in the order of the file, without rows that are left out
  std::vector<RowSide> bodies;               ///< where the state of each body stands
  std::vector<std::int32_t> body_a, body_b;  ///< of `rows`, index into `bodies`, -1 or what is out of range in the file

  /// A side of any row, also of one that is left out, and its body. Sides whose body is not known are not among them.
  struct Shown {
    RowSide at;
    std::int32_t body;
  };
  std::vector<Shown> shown;
};

/// The scenes of a table. Every row repeats the state of its bodies. The state of a body is that of the first row in
/// the scene that has it; a row that differs is left out as `body_state_disagrees`.
class SceneRows {
 public:
  /// The table has scene_columns, the contacts are in the body form. Rows that are left out become faults of
  /// `contacts`. The column `key` is read if there is one and `with_keys` is true.
  SceneRows(const Table& table, ContactNumbers& contacts, bool with_keys);

  /// In the order of their first rows.
  const std::vector<SceneOfRows>& scenes() const { return scenes_; }
  /// The key of each row; empty without any.
  const std::vector<std::uint64_t>& keys() const { return keys_; }

 private:
  std::vector<SceneOfRows> scenes_;
  std::vector<std::uint64_t> keys_;
};

/// The columns of the state of a body on a side, in the order of BodyColumns.
std::vector<std::string> body_state_columns(std::size_t side);

}  // namespace carom::io
