#include "python.hpp"

namespace carom::python {
namespace {

NumPy found;

}  // namespace

Py_ssize_t Array::size() const {
  Py_ssize_t count = 1;
  for (int axis = 0; axis < rank; ++axis) count *= shape[axis];
  return count;
}

bool Array::is_of(int number) const {
  constexpr char swapped = PY_BIG_ENDIAN ? '<' : '>';
  return type->number == number && is_aligned() && type->byte_order != swapped;
}

void import_numpy() {
  const py::module_ numpy = py::module_::import("numpy");
  // NumPy 2 renamed numpy.core.
  const char* const core =
      py::hasattr(numpy, "_core") ? "numpy._core._multiarray_umath" : "numpy.core._multiarray_umath";
  const py::object table = py::module_::import(core).attr("_ARRAY_API");
  auto** const entries = static_cast<void**>(PyCapsule_GetPointer(table.ptr(), nullptr));
  if (entries == nullptr) throw py::error_already_set();
  const auto set = [entries](auto& function, int place) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(entries[place]);
  };
  set(found.type_of_number, 45);
  set(found.array_of, 69);
  set(found.new_array, 94);
  set(found.are_equivalent, 182);
  set(found.array, 2);
}

const NumPy& numpy() {
  if (found.array == nullptr) throw Error("carom: the module works after `import carom` alone");
  return found;
}

py::object type_of_number(int number) {
  return owned(reinterpret_cast<PyObject*>(numpy().type_of_number(number)));
}

py::object type_of_description(const py::object& description) {
  return py::module_::import("numpy").attr("dtype")(description);
}

py::object array_of(PyObject* value, const py::object& type, int flags) {
  // NumPy takes the reference to the type.
  return owned(numpy().array_of(value, reinterpret_cast<ArrayType*>(type.inc_ref().ptr()), 0, 0, flags, nullptr));
}

py::object new_array(const py::object& type, int rank, const Py_ssize_t* shape) {
  return owned(numpy().new_array(numpy().array, reinterpret_cast<ArrayType*>(type.inc_ref().ptr()), rank, shape,
                                 nullptr, nullptr, 0, nullptr));
}

}  // namespace carom::python
