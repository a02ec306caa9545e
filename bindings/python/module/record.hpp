// The fields of a struct of columns as Python sees them: names, shapes and offsets, from the description in
// columns.hpp.
// Code that fills columns does not depend on the struct or the precision.
#pragma once

#include <carom/scene.hpp>
#include <carom/system.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/columns/law_columns.hpp"
#include "python.hpp"

namespace carom::python {

/// The kind of the elements of a column.
enum class Element : std::uint8_t {
  number,  ///< in the precision of the call
  int32,
  uint64,
  law,
  restitution_law,
  status,
  path,
  gradient_status,
  island_status,
  island_algorithm,
  contact_state,
};

template <class T>
constexpr Element element_of() {
  if constexpr (std::is_floating_point_v<T>) return Element::number;
  if constexpr (std::is_same_v<T, std::int32_t>) return Element::int32;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Element::uint64;
  if constexpr (std::is_same_v<T, Law>) return Element::law;
  if constexpr (std::is_same_v<T, RestitutionLaw>) return Element::restitution_law;
  if constexpr (std::is_same_v<T, Status>) return Element::status;
  if constexpr (std::is_same_v<T, Path>) return Element::path;
  if constexpr (std::is_same_v<T, GradientStatus>) return Element::gradient_status;
  if constexpr (std::is_same_v<T, IslandStatus>) return Element::island_status;
  if constexpr (std::is_same_v<T, IslandAlgorithm>) return Element::island_algorithm;
  if constexpr (std::is_same_v<T, ContactState>) return Element::contact_state;
}

/// An array in Python: all columns of a number, a vector or a symmetric matrix.
struct Field {
  static constexpr std::size_t max_parts = 6;

  PyObject* name;  // interned
  Element element;
  bool is_matrix;
  bool is_needed;
  unsigned readers;        // methods of scenes that read it, as columns::Reader
  std::uint8_t parts = 0;  // columns
  std::uint16_t offset[max_parts] = {};

  /// Dimension of a vector, or number of rows of a matrix.
  Py_ssize_t dimension() const { return !is_matrix ? parts : parts == 6 ? 3 : 2; }
};

/// All fields of a struct.
struct Record {
  std::vector<Field> fields;

  py::list names() const {
    py::list all;
    for (const Field& field : fields) all.append(py::handle(field.name));
    return all;
  }

  const Field* find(PyObject* name) const {
    for (const Field& field : fields)
      if (field.name == name) return &field;
    // Keywords are interned, except names made at run time.
    if (PyUnicode_CHECK_INTERNED(name)) return nullptr;
    for (const Field& field : fields)
      if (PyUnicode_Compare(field.name, name) == 0) return &field;
    return nullptr;
  }
};

/// The keyword of a column.
inline std::string name_of(const columns::Label& label) {
  const std::string owner = label.owner;
  if (owner == "results.islands") return std::string("island_") + label.member;
  return owner == "laws.weight" || owner == "weight" ? label.file : label.member;
}

/// Adds the columns of `fields` that lie within `object` to a record, in their order.
class RecordMaker {
 public:
  RecordMaker(Record& record, const void* object) : record_(record), object_(static_cast<const char*>(object)) {}

  /// A visitor for the functions of columns.hpp. Only `readers` read the columns, or fewer methods.
  auto adds(bool needed, unsigned readers = ~0u) {
    return [this, needed, readers](columns::Label label, const auto&... what) {
      label.readers &= readers;
      this->add_last(needed, label, what...);
    };
  }

 private:
  template <class What, class... More>
  void add_last(bool needed, const columns::Label& label, const What& what, const More&... more) {
    if constexpr (sizeof...(More) > 0)
      add_last(needed, label, more...);
    else
      add(needed, label, what);
  }
  template <class T>
  void add(bool needed, const columns::Label& label, const Column<T>& column) {
    PyObject* const interned_name = interned(name_of(label));
    auto& fields = record_.fields;
    const bool is_first = fields.empty() || fields.back().name != interned_name;
    if (is_first)
      fields.push_back({interned_name, element_of<std::remove_const_t<T>>(), std::string(label.part) == "xx", needed,
                        label.readers});
    Field& field = fields.back();
    field.offset[field.parts++] = static_cast<std::uint16_t>(reinterpret_cast<const char*>(&column) - object_);
  }

  Record& record_;
  const char* object_;
};

template <class Contacts>
constexpr bool is_planar() {
  if constexpr (requires { FormTraits<Contacts>::is_planar; }) return FormTraits<Contacts>::is_planar;
  return false;
}

/// Returns the names of the columns of laws in `given` that contacts under this law do not read.
template <class Group>
std::vector<std::string> unread_law_columns(const Group& given, Law law, Integrator integrator, bool planar) {
  LawColumns<double> there;
  columns::each_law_column(
      [&]<class T>(const columns::Label& label, Column<const T>& column) {
        if (given.has(interned(name_of(label)))) column = T{};
      },
      there);
  std::vector<std::string> names;
  columns::each_unread_law_column(
      [&](const columns::Label& label, const auto& column) {
        if (column) names.push_back(name_of(label));
      },
      there, columns::possible_laws(there, law), integrator, planar);
  return names;
}

/// The record of a form of contacts, in scenes or alone: the columns that every law needs, and the optional columns.
/// Bodies have records of their own. The records of float and double are the same.
template <class Contacts>
void add_contacts(RecordMaker& maker, const Contacts& contacts, unsigned readers_of_laws = ~0u) {
  constexpr bool planar = is_planar<Contacts>();
  const auto needed = maker.adds(true);
  const auto optional = maker.adds(false, readers_of_laws);
  columns::each_number(
      [&](const columns::Label& label, const auto& column) {
        if (*label.side == '\0') needed(label, column);
      },
      contacts);
  columns::each_index(needed, contacts);
  columns::each_choice(
      [&](const columns::Label& label, const auto& column) {
        // Planar contacts have no integration.
        constexpr bool is_step = std::is_floating_point_v<std::remove_cvref_t<decltype(*column.data)>>;
        if constexpr (!(is_step && planar)) optional(label, column);
      },
      contacts.laws);
  columns::each_parameter(
      [&](const columns::Label& label, auto known, const auto& column) {
        if constexpr (columns::readers_of(decltype(known)::value, planar) != 0) optional(label, column);
      },
      contacts.laws);
  columns::each_weight(optional, contacts.laws.weight);
}

template <class Struct, class Add>
Record record_of(const Add& add) {
  Record record;
  const Struct object{};
  RecordMaker maker(record, &object);
  add(maker, object);
  return record;
}

template <class Contacts>
const Record& contacts_record() {
  static const Record record =
      record_of<Contacts>([](auto& maker, const auto& contacts) { add_contacts(maker, contacts); });
  return record;
}
template <class Bodies>
const Record& bodies_record() {
  static const Record record = record_of<Bodies>(
      [](auto& maker, const auto& bodies) { columns::each(maker.adds(true), columns::Label{"bodies"}, bodies); });
  return record;
}

}  // namespace carom::python
