// NumPy arrays without NumPy's headers: the build needs no NumPy, and the module works with NumPy 1 and 2. It uses only
// members that both have at the same offset: the array object, the head of the type object, and four entries of the
// function table. NumPy never moves an entry of this table (numpy_api.py in its sources).
#pragma once

#include <pybind11/pybind11.h>

namespace carom::python {

namespace py = pybind11;

/// The head of numpy.dtype. Its later members differ between NumPy 1 and 2.
struct ArrayType {
  PyObject_HEAD PyTypeObject* scalar;
  char kind, letter, byte_order, flags;
  int number;
};

/// The members of numpy.ndarray.
struct Array {
  PyObject_HEAD char* data;
  int rank;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  ArrayType* type;
  int flags;

  Py_ssize_t size() const;
  bool is_aligned() const { return (flags & 0x100) != 0; }
  bool is_writeable() const { return (flags & 0x400) != 0; }
  /// True if the elements are of the type, aligned and in the byte order of this machine.
  bool is_of(int number) const;
};

/// Type numbers of NumPy.
namespace type_number {
inline constexpr int uint8 = 2, int32 = 5, float32 = 11, float64 = 12, object = 17, float16 = 23;
inline constexpr int int64 = sizeof(long) == 8 ? 7 : 9, uint64 = sizeof(long) == 8 ? 8 : 10;
}  // namespace type_number

/// Requirements on the array that array_of() makes.
namespace requirement {
inline constexpr int contiguous = 0x1, forced_cast = 0x10, aligned = 0x100, native = 0x200;
}

/// NumPy functions, which import_numpy() finds.
struct NumPy {
  PyTypeObject* array = nullptr;
  ArrayType* (*type_of_number)(int number) = nullptr;
  PyObject* (*array_of)(PyObject* value, ArrayType* type, int min_rank, int max_rank, int flags,
                        PyObject* context) = nullptr;
  PyObject* (*new_array)(PyTypeObject* subtype, ArrayType* type, int rank, const Py_ssize_t* shape,
                         const Py_ssize_t* strides, void* data, int flags, PyObject* base) = nullptr;
  unsigned char (*are_equivalent)(ArrayType* a, ArrayType* b) = nullptr;
};

/// Finds NumPy's functions. Throws Python's ImportError without NumPy.
void import_numpy();
/// Returns the functions. Throws Error before import_numpy().
const NumPy& numpy();

inline bool is_array(PyObject* object) {
  return PyObject_TypeCheck(object, numpy().array) != 0;
}
inline Array& as_array(PyObject* array) {
  return *reinterpret_cast<Array*>(array);
}
inline Array& as_array(const py::object& array) {
  return as_array(array.ptr());
}

/// A reference to the type of a number.
py::object type_of_number(int number);
/// Returns the type that numpy.dtype makes from a description.
py::object type_of_description(const py::object& description);
/// Makes an array from a Python object. Without `type` NumPy chooses the type.
py::object array_of(PyObject* value, const py::object& type, int flags);
/// A new array, C-contiguous and not initialised.
py::object new_array(const py::object& type, int rank, const Py_ssize_t* shape);

}  // namespace carom::python
