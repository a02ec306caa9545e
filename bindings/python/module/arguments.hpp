// Values by name: the keywords of a call, the fields of a structured array, the items of a mapping.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "module.hpp"
#include "python.hpp"

namespace carom::python {

/// "; did you mean 'friction'?", or nothing if no name is near.
std::string nearest(const std::string& name, const py::list& names);

struct Given {
  PyObject* name;
  PyObject* value;
};

/// Names and values live as long as the Arguments, even if other threads or methods of the values change the object
/// that held them: keywords belong to the frame of the caller, and this object owns everything else.
class Arguments {
 public:
  /// Arguments of a call. One positional argument may hold further columns by name, as `of` takes them.
  Arguments(const char* function, PyObject* const* values, Py_ssize_t positional, PyObject* keywords);
  /// Items of a mapping, fields of a structured array, or attributes of an object such as carom.Bodies. `what` names
  /// that object in messages.
  static Arguments of(PyObject* source, const std::string& what);

  /// Removes and returns the value of this name; null if it is missing or None.
  PyObject* take(PyObject* name);
  /// As take(), but the value stays.
  PyObject* value(PyObject* name) const;
  bool has(PyObject* name) const { return value(name) != nullptr; }
  /// Adds an argument, which must outlive this object.
  void give(PyObject* name, PyObject* value);
  /// The arguments that have not been taken.
  const std::vector<Given>& given() const { return given_; }
  /// Throws ArgumentError for an unknown name, with the nearest of the known names, or with the hint.
  [[noreturn]] void refuse(PyObject* name, const py::list& known, const std::string& hint = "") const;
  const std::string& function() const { return function_; }

 private:
  explicit Arguments(std::string function) : function_(std::move(function)) {}
  void add_all_of(PyObject* source);
  void add_new(PyObject* name, PyObject* value);

  std::string function_;
  std::vector<Given> given_;
  std::vector<py::object> kept_;
};

/// A name as an argument of a template.
template <std::size_t size>
struct Name {
  char text[size];
  consteval Name(const char (&name)[size]) { std::copy_n(name, size, text); }  // NOLINT(google-explicit-constructor)
};

/// The function of this name that runs work(self, arguments).
template <Name name, auto work>
PyObject* function(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    Arguments arguments(name.text, values, positional, keywords);
    return work(self, arguments);
  });
}

}  // namespace carom::python
