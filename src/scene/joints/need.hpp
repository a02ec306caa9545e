// Checks of columns other than the columns of contacts. The Error names the column that is missing or has the wrong
// length.
#pragma once

#include <carom/contacts.hpp>
#include <carom/scene.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <string_view>

#include "core/columns/text.hpp"

namespace carom::scene {

template <class C>
void need(std::string_view name, const C& column, std::size_t count, const char* as_many_as, bool optional = false) {
  if (!column && optional && column.count == 0) return;
  if (!column && (count > 0 || column.count > 0))
    throw Error(Text("carom: the column ", name, " is missing"), {.column = name});
  if (column.count != count)
    throw Error(Text("carom: the column ", name, " has ", column.count, " elements, but ", as_many_as, " has ", count),
                {.column = name});
}
template <class C>
void need_vectors(std::string_view name, const C& v, std::size_t count, const char* as_many_as) {
  need(Text(name, ".x"), v.x, count, as_many_as);
  need(Text(name, ".y"), v.y, count, as_many_as);
  need(Text(name, ".z"), v.z, count, as_many_as);
}

}  // namespace carom::scene
