// The wording of errors about arguments.
#pragma once

#include <cstddef>
#include <string_view>

#include "text.hpp"

namespace carom {

/// Throws "carom: the column friction" and the rest of the text.
template <class... Pieces>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_column(std::string_view column, const Pieces&... rest) {
  throw Error(Text("carom: the column ", column, rest...), {.column = column});
}

/// Throws "carom: the option pgs.relaxation" and the rest of the text.
template <class... Pieces>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_option(std::string_view option, const Pieces&... rest) {
  throw Error(Text("carom: the option ", option, rest...), {.option = option});
}
template <class Number>
[[noreturn, gnu::cold, gnu::noinline]] void refuse_enumerator(std::string_view option, std::size_t count,
                                                              Number number) {
  refuse_option(option, " is number ", number, ", of which there are ", count, " from 0 on");
}

/// Throws Error unless there is an element `index`. `what`: "contact", "island".
inline void check_index(std::string_view what, std::size_t index, std::size_t count) {
  if (index >= count) throw Error(Text("carom: there is no ", what, ' ', index, " among ", count), {.row = index});
}

}  // namespace carom
