// Values by name: the keywords of a call, the fields of a structured array, the items of a mapping.
#pragma once

#include <vector>

#include "python.hpp"

namespace carom::python {

struct Given {
  PyObject* name;
  PyObject* value;
};

/// Names and values live as long as the Arguments, whatever other threads and methods of the values do meanwhile with
/// the object that held them: keywords belong to the frame of the caller, and everything else is kept here.
class Arguments {
 public:
  /// Arguments of a call. One positional argument may hold further columns by name, as `of` takes them.
  Arguments(const char* function, PyObject* const* values, Py_ssize_t positional, PyObject* keywords);
  /// Items of a mapping, fields of a structured array, or attributes of an object such as carom.Bodies; `what` says
  /// whose they are.
  static Arguments of(PyObject* source, const std::string& what);

  /// The value of this name if it was given and is not None, else null. It is not found again.
  PyObject* take(PyObject* name);
  /// The same, but it stays.
  PyObject* value(PyObject* name) const;
  bool has(PyObject* name) const { return value(name) != nullptr; }
  /// Adds an argument that outlives these.
  void give(PyObject* name, PyObject* value);
  /// All that has not been taken.
  const std::vector<Given>& given() const { return given_; }
  /// Throws ArgumentError of a name that the function does not know.
  [[noreturn]] void refuse(PyObject* name) const;
  const std::string& function() const { return function_; }

 private:
  explicit Arguments(std::string function) : function_(std::move(function)) {}
  void add_all_of(PyObject* source);
  void add_new(PyObject* name, PyObject* value);

  std::string function_;
  std::vector<Given> given_;
  std::vector<py::object> kept_;
};

}  // namespace carom::python
