// Columns of numbers with names, in double, for any form of contacts and any precision of the solution.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carom::io {

/// Significant digits that reproduce the bits of a number.
inline constexpr int digits_of_float = 9, digits_of_double = 17;

struct NumberColumn {
  std::string name;
  std::vector<double> values;
  int digits = digits_of_double;  ///< significant digits in text
};

/// Columns with different names.
class Numbers {
 public:
  void add(std::string name, std::vector<double> values, int digits = digits_of_double) {
    columns_.push_back({std::move(name), std::move(values), digits});
  }
  const std::vector<NumberColumn>& columns() const { return columns_; }
  std::vector<double>& values(std::size_t column) { return columns_[column].values; }
  /// The values of an existing column.
  const std::vector<double>& at(std::string_view name) const { return find(name)->values; }
  std::vector<double>& at(std::string_view name) { return columns_[index_of(name)].values; }
  /// The index of a column, or the number of columns if no column has the name.
  std::size_t index_of(std::string_view name) const {
    std::size_t i = 0;
    while (i < columns_.size() && columns_[i].name != name) ++i;
    return i;
  }
  /// The column, or nullptr.
  const NumberColumn* find(std::string_view name) const {
    const std::size_t i = index_of(name);
    return i < columns_.size() ? &columns_[i] : nullptr;
  }

 private:
  std::vector<NumberColumn> columns_;
};

}  // namespace carom::io
