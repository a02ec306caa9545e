// What a host hands over by name: the keywords of a call, the fields of a structured array, the items of a mapping.
#pragma once

#include <string_view>
#include <vector>

#include "python.hpp"

namespace carom::python {

struct Given {
  PyObject* name;
  PyObject* value;
};

class Arguments {
 public:
  /// Those of a call. One positional argument may hold further columns by name, as `of` takes them.
  Arguments(const char* function, PyObject* const* values, Py_ssize_t positional, PyObject* keywords);
  /// Those of a dict, a structured array or an object of carom.Columns; `what` says whose they are.
  static Arguments of(PyObject* source, const std::string& what);

  /// What has been given under this name and is not None, which is not to be found again; else null.
  PyObject* take(PyObject* name);
  /// The same, but it stays.
  PyObject* value(PyObject* name) const;
  bool has(PyObject* name) const { return value(name) != nullptr; }
  void give(PyObject* name, PyObject* value);
  /// All that has not been taken.
  const std::vector<Given>& given() const { return given_; }
  /// Throws TypeError of a name that the function does not know.
  [[noreturn]] void refuse(PyObject* name) const;
  const std::string& function() const { return function_; }

 private:
  explicit Arguments(std::string function) : function_(std::move(function)) {}
  void add_all_of(PyObject* source);

  std::string function_;
  std::vector<Given> given_;
  std::vector<py::object> kept_;  // fields of structured arrays are arrays that are made here
};

}  // namespace carom::python
