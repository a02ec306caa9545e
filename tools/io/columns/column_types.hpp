// Types of text columns in HDF5: their detection, and the conversion of cells.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "table_reader.hpp"

namespace carom::io {

/// Replaces the empty word in HDF5.
inline constexpr std::string_view empty_word = "(empty)";
inline constexpr std::size_t max_words = 256;

/// Finds the type of a CSV column. Numbers become float64, or 64-bit integers if some exceed 2^53. At most 256 words
/// become an enumeration, and all else text. The name decides where carom knows the column: `law` and `status` hold
/// words, `friction` holds numbers. Other columns of numbers are text if a cell is quoted or begins with a superfluous
/// zero ("007").
class TypeFinder {
 public:
  explicit TypeFinder(std::string_view name);
  void add(std::string_view cell);
  /// `in_quotes`: the column has quoted cells that are not empty.
  ColumnType type(bool in_quotes) const;

 private:
  void add_number(std::string_view cell);
  void add_word(std::string_view cell);

  bool is_of_numbers_;  ///< by its name
  bool all_numbers_, all_int64_ = true, all_uint64_ = true, beyond_double_ = false, any_empty_ = false;
  bool few_words_ = true;
  std::size_t width_ = 1;
  std::set<std::string, std::less<>> words_;
};

/// The column's cells, converted to the type if the column holds text.
Cells cells_of(const Table& table, std::size_t column, const ColumnType& type);

}  // namespace carom::io
