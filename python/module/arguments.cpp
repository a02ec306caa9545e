#include "arguments.hpp"

#include <carom/status.hpp>

namespace carom::python {
namespace {

bool is_same(PyObject* a, PyObject* b) {
  return a == b || (!(PyUnicode_CHECK_INTERNED(a) && PyUnicode_CHECK_INTERNED(b)) && PyUnicode_Compare(a, b) == 0);
}

}  // namespace

Arguments::Arguments(const char* function, PyObject* const* values, Py_ssize_t positional, PyObject* keywords)
    : function_(function) {
  const Py_ssize_t named = keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0;
  given_.reserve(static_cast<std::size_t>(named) + 8);
  if (positional > 1)
    throw py::type_error(function_ + "() takes one positional argument, the columns by name; others are keywords");
  for (Py_ssize_t i = 0; i < named; ++i) give(PyTuple_GET_ITEM(keywords, i), values[positional + i]);
  if (positional == 1 && values[0] != Py_None) add_all_of(values[0]);
}

Arguments Arguments::of(PyObject* source, const std::string& what) {
  Arguments arguments(what);
  arguments.add_all_of(source);
  return arguments;
}

void Arguments::give(PyObject* name, PyObject* value) {
  if (value != Py_None) given_.push_back({name, value});
}

void Arguments::add_all_of(PyObject* source) {
  if (PyArray_Check(source)) {
    PyObject* const names =
        PyDataType_HASFIELDS(PyArray_DESCR(as_array(source))) ? PyArray_DESCR(as_array(source))->names : nullptr;
    if (names == nullptr) throw py::type_error(function_ + ": an array of columns has fields with their names");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
      PyObject* const name = PyTuple_GET_ITEM(names, i);
      if (has(name)) throw py::type_error(function_ + ": " + text_of(name) + " is given twice");
      kept_.push_back(owned(PyObject_GetItem(source, name)));
      give(name, kept_.back().ptr());
    }
    return;
  }
  PyObject* dict = source;
  if (!PyDict_Check(source)) {
    // Objects with columns as their attributes: carom.Columns.
    py::object attributes = owned(PyObject_GetAttrString(source, "__dict__"));
    dict = attributes.ptr();
    if (!PyDict_Check(dict))
      throw py::type_error(function_ + ": columns by name are a dict, a structured array or carom.Columns");
    kept_.push_back(std::move(attributes));
  }
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(dict, &at, &name, &value) != 0) {
    if (!PyUnicode_Check(name)) throw py::type_error(function_ + ": names of columns are strings");
    if (has(name)) throw py::type_error(function_ + ": " + text_of(name) + " is given twice");
    give(name, value);
  }
}

PyObject* Arguments::take(PyObject* name) {
  for (auto at = given_.begin(); at != given_.end(); ++at)
    if (is_same(at->name, name)) {
      PyObject* const value = at->value;
      given_.erase(at);
      return value;
    }
  return nullptr;
}

PyObject* Arguments::value(PyObject* name) const {
  for (const Given& given : given_)
    if (is_same(given.name, name)) return given.value;
  return nullptr;
}

void Arguments::refuse(PyObject* name) const {
  throw py::type_error(function_ + " has no argument or column '" + text_of(name) + "'");
}

}  // namespace carom::python
