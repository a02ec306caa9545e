#include "arguments.hpp"

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
    throw ArgumentError(function_ + "() takes one positional argument, the columns by name; others are keywords");
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

void Arguments::add_new(PyObject* name, PyObject* value) {
  if (!PyUnicode_Check(name))
    throw ArgumentError(function_ + ": names of columns are strings, not " + value_words(name));
  if (has(name)) throw ArgumentError(function_ + ": " + text_of(name) + " is given twice");
  give(name, value);
}

void Arguments::add_all_of(PyObject* source) {
  if (is_array(source)) {
    const py::object names = py::handle(source).attr("dtype").attr("names");
    if (names.is_none()) throw ArgumentError(function_ + ": an array of columns has fields with their names");
    kept_.push_back(names);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names.ptr()); ++i) {
      PyObject* const name = PyTuple_GET_ITEM(names.ptr(), i);
      kept_.push_back(owned(PyObject_GetItem(source, name)));
      add_new(name, kept_.back().ptr());
    }
    return;
  }
  // A copy of the items, which no other thread can change.
  py::object items;
  if (PyDict_Check(source)) {
    items = owned(PyDict_Copy(source));
  } else if (PyMapping_Check(source) && py::hasattr(source, "keys")) {
    items = owned(PyDict_New());
    naming([&] { return function_; }, [&] { succeed(PyDict_Update(items.ptr(), source)); });
  } else if (const py::object attributes = py::getattr(source, "__dict__", py::none());
             PyDict_Check(attributes.ptr())) {
    items = owned(PyDict_Copy(attributes.ptr()));
  } else {
    throw ArgumentError(function_ + ": columns by name are a dict, a structured array or carom.Columns, not " +
                        value_words(source));
  }
  PyObject *name = nullptr, *value = nullptr;
  Py_ssize_t at = 0;
  while (PyDict_Next(items.ptr(), &at, &name, &value) != 0) add_new(name, value);
  kept_.push_back(std::move(items));
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

void Arguments::refuse(PyObject* name, const py::list& known, const std::string& hint) const {
  const std::string text = text_of(name);
  throw ArgumentError(function_ + " has no argument or column '" + text + "'" +
                      (hint.empty() ? nearest(text, known) : hint));
}

std::string nearest(const std::string& name, const py::list& names) {
  const py::list near = py::module_::import("difflib").attr("get_close_matches")(name, names, 1);
  return near.empty() ? "" : "; did you mean '" + words_of(near[0]) + "'?";
}

}  // namespace carom::python
