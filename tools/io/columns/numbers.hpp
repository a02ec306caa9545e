// Columns of numbers with names: what files are read into and written from, whatever form and precision they are solved
// in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carom::io {

/// Significant digits that bring a number back to the last bit.
inline constexpr int digits_of_float = 9, digits_of_double = 17;

struct NumberColumn {
  std::string name;
  std::vector<double> values;
  int digits = digits_of_double;  ///< to write it with
};

/// No two columns have one name.
class Numbers {
 public:
  void add(std::string name, std::vector<double> values, int digits = digits_of_double) {
    columns_.push_back({std::move(name), std::move(values), digits});
  }
  const std::vector<NumberColumn>& columns() const { return columns_; }
  std::vector<double>& values(std::size_t column) { return columns_[column].values; }
  /// The values of a column that is there.
  const std::vector<double>& at(std::string_view name) const { return find(name)->values; }
  std::vector<double>& at(std::string_view name) { return columns_[index_of(name)].values; }
  /// The place of a column; the number of columns if there is none of the name.
  std::size_t index_of(std::string_view name) const {
    std::size_t i = 0;
    while (i < columns_.size() && columns_[i].name != name) ++i;
    return i;
  }
  /// nullptr if there is none.
  const NumberColumn* find(std::string_view name) const {
    const std::size_t i = index_of(name);
    return i < columns_.size() ? &columns_[i] : nullptr;
  }

 private:
  std::vector<NumberColumn> columns_;
};

}  // namespace carom::io
