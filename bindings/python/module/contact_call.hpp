// Contacts of a call in any form: reads their columns from arrays and selects the solver.
#pragma once

#include <algorithm>
#include <cstddef>

#include "arrays.hpp"
#include "core/columns/constants.hpp"
#include "describe.hpp"
#include "module.hpp"

namespace carom::python {

/// Returns the solver of a method, or this thread's solver for functions of the module.
Solver& solver_of(PyObject* self);

struct ContactNames {
  PyObject *select = interned("select"), *k = interned("k"), *bodies = interned("bodies"), *a = interned("a"),
           *b = interned("b"), *r_b = interned("r_b"), *tolerance = interned("tolerance");
};
inline const ContactNames& names() {
  static const ContactNames all;
  return all;
}

/// Contacts in one form, and the other columns of a call.
template <class Contacts_, class More_ = char>
struct CallOf {
  using Contacts = Contacts_;
  Contacts contacts{};
  More_ more{};
};

/// The column r_b of the immovable world. It lives as long as the program.
inline PyObject* no_lever(Py_ssize_t dimension) {
  const auto make = [](Py_ssize_t size) {
    const py::object zeros = new_array(type_of_number(type_number::float32), 1, &size);
    std::fill_n(reinterpret_cast<float*>(as_array(zeros).data), size, 0.0F);
    return zeros.inc_ref().ptr();
  };
  static PyObject *const in_plane = make(2), *const in_space = make(3);
  return dimension == 2 ? in_plane : in_space;
}

/// The columns of body A or B under names of their own, "velocity_a", as results have them.
template <class Bodies, char side>
const Record& side_record() {
  static const Record record = [] {
    Record of_side = bodies_record<Bodies>();
    for (Field& field : of_side.fields) field.name = interned(text_of(field.name) + "_" + side);
    return of_side;
  }();
  return record;
}

/// Reads the columns of contacts and of `more`, whose record may be null, and calls work.operator()<T>(call, count) in
/// the precision of the arrays.
template <template <class> class Contacts, template <class> class More, class Work>
py::object with_columns(Arguments& arguments, const Record* of_more, const Work& work) {
  using InDouble = CallOf<Contacts<double>, More<double>>;
  static_assert(sizeof(InDouble) == sizeof(CallOf<Contacts<float>, More<float>>));
  const Record& record = contacts_record<Contacts<double>>();
  Batch contacts("contacts"), bodies("bodies");
  Inputs inputs;
  bool immovable = false;
  if (of_more != nullptr)
    for (const Field& field : of_more->fields) {
      PyObject* const value = arguments.take(field.name);
      if (value != nullptr)
        inputs.add(contacts, field, value, offsetof(InDouble, more));
      else if (field.is_needed)
        refuse("the column " + text_of(field.name) + " is missing");
    }
  constexpr bool has_pairs = requires(Contacts<double> c) {
    c.a;
  };
  constexpr bool has_indices = requires(Contacts<double> c) {
    c.bodies;
  };
  if constexpr (has_pairs) {
    using Bodies = decltype(Contacts<double>::a);
    // A body is an object with its columns, or has keywords. Returns whether it is there.
    const auto add = [&](PyObject* name, const Record& of_side, std::size_t place, const char* owner) {
      PyObject* const body = arguments.take(name);
      if (body != nullptr) inputs.add_all(contacts, bodies_record<Bodies>(), Arguments::of(body, owner), place, owner);
      const Field* missing = nullptr;
      bool has_keywords = false;
      for (const Field& field : of_side.fields) {
        PyObject* const value = arguments.take(field.name);
        if (value == nullptr) {
          missing = &field;
          continue;
        }
        if (body != nullptr) throw ArgumentError(text_of(field.name) + " and the body " + owner + " are both given");
        has_keywords = true;
        inputs.add(contacts, field, value, place);
      }
      if (has_keywords && missing != nullptr) refuse("the column " + text_of(missing->name) + " is missing");
      return body != nullptr || has_keywords;
    };
    if (!add(names().a, side_record<Bodies, 'a'>(), offsetof(Contacts<double>, a), "a")) {
      for (const Given& given : arguments.given())
        if (record.find(given.name) == nullptr) arguments.refuse(given.name, keywords_of(arguments.function()));
      refuse("contacts have k and separation_velocity, bodies a and b, or bodies by index");
    }
    if (!add(names().b, side_record<Bodies, 'b'>(), offsetof(Contacts<double>, b), "b")) {
      immovable = true;
      if (arguments.has(names().r_b)) refuse("r_b: body B is absent; give b, too, or leave out r_b");
      arguments.give(names().r_b, no_lever(is_planar<Contacts<double>>() ? 2 : 3));
    }
  } else if constexpr (has_indices) {
    PyObject* const given = arguments.take(names().bodies);
    const Arguments columns = Arguments::of(given, "bodies");
    inputs.add_all(bodies, bodies_record<decltype(Contacts<double>::bodies)>(), columns,
                   offsetof(Contacts<double>, bodies), "bodies");
  }
  inputs.add_all(contacts, record, arguments, 0, "");
  const auto run = [&]<class T>() {
    CallOf<Contacts<T>, More<T>> call;
    inputs.write(&call, sizeof(T) == sizeof(float));
    if constexpr (has_pairs)
      if (immovable) {
        call.contacts.r_b = {};
        columns::add_world(call.contacts, static_cast<std::size_t>(contacts.size()));
      }
    return work.template operator()<T>(call, contacts.size());
  };
  return inputs.in_float() ? run.template operator()<float>() : run.template operator()<double>();
}

template <class T>
using Nothing = char;

}  // namespace carom::python
