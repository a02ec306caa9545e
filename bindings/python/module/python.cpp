#include "python.hpp"

namespace carom::python {

std::string value_words(PyObject* value) {
  constexpr std::size_t longest = 40;
  std::string words;
  try {
    words = text_of(owned(PyObject_Repr(value)).ptr());
  } catch (const py::error_already_set&) {
    // The object has no printable text.
  }
  if (!words.empty() && words.size() <= longest && words.find('\n') == std::string::npos) return words;
  return std::string("of type ") + Py_TYPE(value)->tp_name;
}

void refuse_value(const std::string& what, PyObject* value, const char* expected, bool is_number) {
  const bool is_too_large = is_number && PyIndex_Check(value) != 0;
  throw ArgumentError(what + " is " + value_words(value) +
                      (is_too_large ? std::string(", beyond what it holds") : std::string(", not ") + expected));
}

std::array<double, 3> three_numbers(PyObject* value, const std::string& what) {
  constexpr const char* expected = "three numbers";
  const auto list = py::reinterpret_steal<py::object>(PySequence_List(value));
  if (!list) {
    PyErr_Clear();
    refuse_value(what, value, expected, false);
  }
  if (PyList_GET_SIZE(list.ptr()) != 3) refuse_value(what, value, expected, false);
  std::array<double, 3> numbers;
  for (std::size_t i = 0; i < 3; ++i)
    numbers[i] = value_of<double>(PyList_GET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i)),
                                  [&] { return what + "[" + std::to_string(i) + "]"; });
  return numbers;
}

}  // namespace carom::python
