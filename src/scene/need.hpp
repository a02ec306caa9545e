// Checks of columns that are not among those of contacts: an Error names what is missing or of another length.
#pragma once

#include <carom/contacts.hpp>
#include <carom/scene.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <string>

namespace carom::scene {

template <class C>
void need(const std::string& name, const C& column, std::size_t count, const char* as_many_as, bool optional = false) {
  if (!column && optional && column.count == 0) return;
  if (!column && (count > 0 || column.count > 0)) throw Error("carom: the column " + name + " is missing");
  if (column.count != count)
    throw Error("carom: the column " + name + " has " + std::to_string(column.count) + " elements, but " + as_many_as +
                " has " + std::to_string(count));
}
template <class C>
void need_vectors(const std::string& name, const C& v, std::size_t count, const char* as_many_as) {
  need(name + ".x", v.x, count, as_many_as);
  need(name + ".y", v.y, count, as_many_as);
  need(name + ".z", v.z, count, as_many_as);
}

}  // namespace carom::scene
