// Python's C interface for the files of the module. It is used directly because a call with one contact takes only
// about a microsecond.
#pragma once

#include <array>
#include <carom/status.hpp>
#include <string>
#include <type_traits>

#include "numpy.hpp"

namespace carom::python {

/// Error for an argument of the wrong type or of an unknown name. In Python it is carom.ArgumentError, an Error and a
/// TypeError.
class ArgumentError : public Error {
 public:
  explicit ArgumentError(const std::string& message) : Error("carom: " + message) {}
};

[[noreturn]] inline void refuse(const std::string& message) {
  throw Error("carom: " + message);
}

/// Takes a new reference from the C interface, or throws the Python exception that the call has set.
inline py::object owned(PyObject* object) {
  if (object == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::object>(object);
}

inline void succeed(int result) {
  if (result < 0) throw py::error_already_set();
}

/// An interned string, which compares with keywords of calls by address. It lives as long as the program.
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

inline std::string words_of(const py::handle& object) {
  return text_of(owned(PyObject_Str(object.ptr())).ptr());
}

/// A value in a message: its repr if that is short, else its type.
std::string value_words(PyObject* value);

/// Runs `work` on a value of the caller; NumPy and methods of the value may fail in it. Replaces a Python error about a
/// wrong value by an Error that begins with what().
template <class What, class Work>
auto naming(const What& what, const Work& work) {
  try {
    return work();
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_TypeError) && !error.matches(PyExc_ValueError) && !error.matches(PyExc_OverflowError))
      throw;
    refuse(what() + ": " + words_of(error.value()));
  }
}

/// The expected type in a message.
template <class T>
constexpr const char* words_of_type() {
  if constexpr (std::is_same_v<T, bool>) return "True or False";
  if constexpr (std::is_integral_v<T>) return "a whole number";
  if constexpr (std::is_floating_point_v<T>) return "a number";
  return "a string";
}

/// Throws ArgumentError: `what` is not as expected, or is an integer that is too large.
[[noreturn]] void refuse_value(const std::string& what, PyObject* value, const char* expected, bool is_number);

/// Converts an argument to a bool, an integer, a number or a string. Throws an Error that begins with what() if the
/// argument has another type.
template <class T, class What>
T value_of(PyObject* value, const What& what) {
  try {
    return py::cast<T>(py::handle(value));
  } catch (const py::cast_error&) {
    refuse_value(what(), value, words_of_type<T>(), std::is_arithmetic_v<T>);
  }
}
template <class T>
T value_of(const py::object& value, const char* what) {
  return value_of<T>(value.ptr(), [&] { return std::string(what); });
}

/// Calls f.operator()<T>() for the T of a dtype, 'float32' or 'float64', the default for no dtype.
template <class F>
auto in_precision(PyObject* dtype, const F& f) {
  const std::string name =
      dtype == nullptr ? "float64" : value_of<std::string>(dtype, [] { return std::string("dtype"); });
  if (name == "float32") return f.template operator()<float>();
  if (name == "float64") return f.template operator()<double>();
  refuse("dtype is '" + name + "', not 'float32' or 'float64'");
}

/// Reads three numbers from a sequence.
std::array<double, 3> three_numbers(PyObject* value, const std::string& what);

/// Calls f(name) for each name in a sequence of strings. `what` names the argument in messages.
template <class F>
void each_name(PyObject* names, const char* what, const F& f) {
  const auto wrong = [&] {
    throw ArgumentError(std::string(what) + " is " + value_words(names) + ", not a sequence of names");
  };
  const bool is_sequence =
      PyUnicode_Check(names) == 0 && (PySequence_Check(names) != 0 || Py_TYPE(names)->tp_iter != nullptr);
  if (!is_sequence) wrong();
  for (const py::handle name : py::reinterpret_borrow<py::object>(names)) {
    if (PyUnicode_Check(name.ptr()) == 0) wrong();
    f(name.ptr());
  }
}

}  // namespace carom::python
