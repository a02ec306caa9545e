// Checks columns one by one and throws the error about the first invalid one.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "constants.hpp"
#include "refuse.hpp"

namespace carom {

template <class... Pieces>
[[noreturn, gnu::cold]] void refuse_column(const columns::Label& label, const Pieces&... rest) {
  refuse_column(label.in_code(), rest...);
}

/// Throws Error at the first invalid column. All columns that are not constants are compared with the first of them.
class ColumnCheck {
 public:
  /// The columns have the length `length`. `some`: columns are required even if it is 0.
  ColumnCheck(const columns::Length& length, bool some)
      : length_(length), wanted_(some || length.is_missing() || length.count > 0) {}
  /// The columns are as long as the column `first`.
  ColumnCheck(const columns::Label& first, std::size_t count)
      : first_(first), length_{.count = count, .is_known = true}, wanted_(count > 0) {}

  template <class T>
  [[gnu::noinline]] void need(const columns::Label& label, const Column<T>& column) {
    // An empty batch may come as null pointers: an empty std::vector has no data.
    if (!column && (wanted_ || column.count > 0)) refuse_column(label, " is missing");
    same_length(label, column);
  }

  template <class T>
  [[gnu::noinline]] void accept(const columns::Label& label, const Column<T>& column) {
    if (!column && column.count > 0) refuse_column(label, " has elements, but no address");
    if (column) same_length(label, column);
  }

  [[gnu::noinline]] void require(bool condition, const char* column, const char* otherwise) {
    if (!condition) throw Error(Text("carom: ", otherwise), {.column = column});
  }
  /// `of`: "scene" or "system".
  [[gnu::noinline]] void at_most(std::size_t count, std::size_t most, const char* limit, const char* of,
                                 const char* what) {
    if (count > most)
      throw Error(Text("carom: the ", of, " has ", count, ' ', what, ", and the limit is ", limit, ", ", most,
                       ": solve its islands in several calls"));
  }
  template <class V>
  void need_all_or_none(const columns::Label& label, const V& vector) {
    if (columns::is_absent(vector)) return;
    columns::each(
        [](const columns::Label& of, const auto& column) {
          if (!column) refuse_column(of, " is missing, but others of it are there");
        },
        label, vector);
  }

  /// `of`: the objects that the columns describe, for the message.
  bool is_good(const char* of) const {
    if (length_.is_missing())
      throw Error(Text("carom: no column gives the number of ", of, ": all of them are constants"));
    return true;
  }

 private:
  template <class T>
  void same_length(const columns::Label& label, const Column<T>& column) {
    if (column.is_constant() || length_.is_missing()) return;
    if (!first_) first_ = label;
    if (column.count != length_.count)
      refuse_column(label, " has ", column.count, " elements, but ", first_->in_code(), " has ", length_.count);
    if (!std::is_const_v<T> && column && column.stride == 0 && column.count > 1)
      refuse_column(label, " is a result with stride 0, so its elements share one place");
  }

  std::optional<columns::Label> first_;
  columns::Length length_;
  bool wanted_;
};

}  // namespace carom
