// Python and NumPy for the files of the module: their C interfaces, since a call of one contact takes a microsecond.
#pragma once

#include <pybind11/pybind11.h>

#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL carom_numpy
#ifndef CAROM_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <string>

namespace carom::python {

namespace py = pybind11;

/// A new reference that an interface gave, or the Python exception that it left.
inline py::object owned(PyObject* object) {
  if (object == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

inline void succeed(int result) {
  if (result < 0) throw py::error_already_set();
}

/// A string that compares with keywords of calls by its address. It lives as long as the program.
inline PyObject* interned(const std::string& text) {
  PyObject* name = PyUnicode_InternFromString(text.c_str());
  if (name == nullptr) throw py::error_already_set();
  return name;
}

inline std::string text_of(PyObject* string) {
  Py_ssize_t length = 0;
  const char* text = PyUnicode_AsUTF8AndSize(string, &length);
  if (text == nullptr) throw py::error_already_set();
  return {text, static_cast<std::size_t>(length)};
}

inline PyArrayObject* as_array(PyObject* array) {
  return reinterpret_cast<PyArrayObject*>(array);
}

}  // namespace carom::python
