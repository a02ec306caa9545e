#include "arrays.hpp"

#include <carom/status.hpp>
#include <cstring>
#include <limits>

namespace carom::python {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw Error("carom: " + message);
}

std::string words_of(PyObject* object) {
  return text_of(owned(PyObject_Str(object)).ptr());
}

std::string type_words(PyArrayObject* array) {
  return words_of(reinterpret_cast<PyObject*>(PyArray_DESCR(array)));
}

std::string shape_words(PyArrayObject* array) {
  return words_of(owned(PyObject_GetAttrString(reinterpret_cast<PyObject*>(array), "shape")).ptr());
}

std::string shapes_of(const Field& field) {
  const std::string d = std::to_string(field.dimension()), parts = std::to_string(field.parts);
  if (field.parts == 1) return "(n,)";
  if (!field.is_matrix) return "(n, " + d + ") or (" + d + ",)";
  return "(n, " + parts + "), (n, " + d + ", " + d + "), or of one matrix";
}

bool is_in_place(PyArrayObject* array, int type) {
  return PyArray_TYPE(array) == type && PyArray_ISALIGNED(array) && PyArray_ISNOTSWAPPED(array);
}

py::object array_of(PyObject* value, PyArray_Descr* type, int flags) {
  return owned(PyArray_FromAny(value, type, 0, 0, flags, nullptr));
}

py::object converted(PyObject* array, int type) {
  return array_of(array, PyArray_DescrFromType(type), NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST);
}

template <class T>
T number_at(PyArrayObject* array, npy_intp i) {
  T value;
  std::memcpy(&value, PyArray_BYTES(array) + i * static_cast<npy_intp>(sizeof value), sizeof value);
  return value;
}

// Whole numbers of whatever type, which have to fit.
py::object whole_numbers(PyObject* source, int type, double least, double most, const std::string& name) {
  const char kind = PyArray_DESCR(as_array(source))->kind;
  if (kind != 'i' && kind != 'u')
    refuse("the column " + name + " has elements of type " + type_words(as_array(source)) + ", not whole numbers");
  const py::object wide =
      array_of(source, PyArray_DescrFromType(kind == 'u' ? NPY_UINT64 : NPY_INT64),
               NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST);
  auto* const array = as_array(wide.ptr());
  for (npy_intp i = 0; i < PyArray_SIZE(array); ++i) {
    const auto value = kind == 'u' ? static_cast<double>(number_at<std::uint64_t>(array, i))
                                   : static_cast<double>(number_at<std::int64_t>(array, i));
    if (!(value >= least && value <= most))
      refuse(name + "[" + std::to_string(i) + "] is " + words_of(owned(PyLong_FromDouble(value)).ptr()) +
             ", beyond what the column holds");
  }
  return converted(wide.ptr(), type);
}

std::uint8_t law_number(Element element, const std::string& text) {
  return element == Element::law ? static_cast<std::uint8_t>(law_from_string(text))
                                 : static_cast<std::uint8_t>(restitution_law_from_string(text));
}

py::object law_numbers(PyObject* names, Element element, const std::string& column) {
  const py::object list = owned(PyArray_ToList(as_array(names)));
  if (PyArray_NDIM(as_array(names)) != 1) refuse("the column " + column + " has names of laws in the shape (n,)");
  npy_intp count = PyList_GET_SIZE(list.ptr());
  py::object numbers = owned(PyArray_SimpleNew(1, &count, NPY_UINT8));
  auto* const to = static_cast<std::uint8_t*>(PyArray_DATA(as_array(numbers.ptr())));
  for (npy_intp i = 0; i < count; ++i) {
    PyObject* const name = PyList_GET_ITEM(list.ptr(), i);
    try {
      if (!PyUnicode_Check(name)) refuse("it is no string");
      to[i] = law_number(element, text_of(name));
    } catch (const Error& error) {
      refuse(column + "[" + std::to_string(i) + "]: " + std::string(error.what()).substr(sizeof "carom: " - 1));
    }
  }
  return numbers;
}

// Writes the column at `place` of an object, whatever its type.
void set_column(void* object, std::size_t place, const void* data, std::size_t count, std::ptrdiff_t stride) {
  using Any = Column<const double>;
  static_assert(sizeof(Any) == sizeof(Column<Path>) && sizeof(Any) == sizeof(Column<const float>));
  // An array without elements is a column, too.
  static const double none = 0;
  Any column;
  column.data = static_cast<const double*>(data == nullptr ? &none : data);
  column.count = count;
  column.stride = stride;
  std::memcpy(static_cast<char*>(object) + place, static_cast<const void*>(&column), sizeof column);
}

// Bytes from the first element of an array to that of a part of a field, by rows and columns for full matrices.
npy_intp part_offset(const Field& field, std::size_t part, const npy_intp* strides, bool is_full) {
  static constexpr std::uint8_t row[] = {0, 0, 0, 1, 1, 2}, column[] = {0, 1, 2, 1, 2, 2};
  static constexpr std::uint8_t planar_row[] = {0, 0, 1}, planar_column[] = {0, 1, 1};
  if (!is_full) return static_cast<npy_intp>(part) * strides[0];
  return field.parts == 6 ? row[part] * strides[0] + column[part] * strides[1]
                          : planar_row[part] * strides[0] + planar_column[part] * strides[1];
}

enum class Extent : std::uint8_t { wrong, one, many };

// Whether an array has one number, vector or matrix, or one for every contact.
Extent extent_of(const Field& field, PyArrayObject* array) {
  const int rank = PyArray_NDIM(array);
  const npy_intp* const shape = PyArray_DIMS(array);
  const npy_intp d = field.dimension();
  if (field.parts == 1) return rank == 0 ? Extent::one : rank == 1 ? Extent::many : Extent::wrong;
  if (field.is_matrix) {
    if (rank == 2 && shape[0] == d && shape[1] == d) return Extent::one;
    if (rank == 3 && shape[1] == d && shape[2] == d) return Extent::many;
  }
  if (rank == 1 && shape[0] == field.parts) return Extent::one;
  return rank == 2 && shape[1] == field.parts ? Extent::many : Extent::wrong;
}

PyArray_Descr* path_type() {
  static PyArray_Descr* const type = [] {
    const py::object fields =
        py::module_::import("builtins")
            .attr("eval")("[(name, 'u1') for name in ('course', 'sticking', 'compressions', 'decompressions')]");
    PyArray_Descr* made = nullptr;
    if (PyArray_DescrConverter(fields.ptr(), &made) == 0) throw py::error_already_set();
    return made;
  }();
  static_assert(sizeof(Path) == 4 && offsetof(Path, sticking) == 1 && offsetof(Path, compressions) == 2);
  Py_INCREF(type);
  return type;
}

}  // namespace

PyArray_Descr* type_of(Element element, bool in_float) {
  switch (element) {
    case Element::number:
      return PyArray_DescrFromType(in_float ? NPY_FLOAT32 : NPY_FLOAT64);
    case Element::int32:
      return PyArray_DescrFromType(NPY_INT32);
    case Element::uint64:
      return PyArray_DescrFromType(NPY_UINT64);
    case Element::path:
      return path_type();
    default:
      return PyArray_DescrFromType(NPY_UINT8);
  }
}

std::string Inputs::name_of(const Placed& placed) {
  const std::string owner = placed.owner;
  return (owner.empty() ? "" : owner + ".") + text_of(placed.field->name);
}

void Inputs::add(Batch& batch, const Field& field, PyObject* value, std::size_t base, const char* owner) {
  Placed placed{&batch, &field, base, {}, 0, owner};
  const bool is_number = field.element == Element::number;
  if (is_number && field.parts == 1 && (PyFloat_Check(value) || PyLong_Check(value))) {
    placed.number = PyFloat_AsDouble(value);
    if (placed.number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
    placed.is_repeated = true;
    placed_.push_back(std::move(placed));
    return;
  }
  const bool is_array = PyArray_Check(value);
  placed.is_converted = !is_array;
  placed.array = is_array ? py::reinterpret_borrow<py::object>(value) : array_of(value, nullptr, 0);
  auto* const array = as_array(placed.array.ptr());
  const char kind = PyArray_DESCR(array)->kind;
  if (is_number) {
    if (kind != 'f' && kind != 'i' && kind != 'u' && !(kind == 'O' && !is_array))
      refuse("the column " + name_of(placed) + " has elements of type " + type_words(array) + ", not numbers");
    if (is_array && kind == 'f' && PyArray_NDIM(array) > 0)
      (PyArray_DESCR(array)->elsize <= 4 ? any_float_ : any_double_) = true;
  } else if (field.element == Element::law || field.element == Element::restitution_law) {
    if (kind == 'U' || kind == 'O')
      placed.array = law_numbers(placed.array.ptr(), field.element, name_of(placed));
    else if (!is_in_place(array, NPY_UINT8))
      placed.array = whole_numbers(placed.array.ptr(), NPY_UINT8, 0, 255, name_of(placed));
  } else if (field.element == Element::int32) {
    if (!is_in_place(array, NPY_INT32))
      placed.array = whole_numbers(placed.array.ptr(), NPY_INT32, std::numeric_limits<std::int32_t>::min(),
                                   std::numeric_limits<std::int32_t>::max(), name_of(placed));
  } else if (!is_in_place(array, NPY_UINT64)) {
    placed.array =
        whole_numbers(placed.array.ptr(), NPY_UINT64, 0, std::numeric_limits<double>::max(), name_of(placed));
  }
  find_length(batch, placed);
  placed_.push_back(std::move(placed));
}

void Inputs::find_length(Batch& batch, Placed& placed) {
  auto* const array = as_array(placed.array.ptr());
  const Extent extent = extent_of(*placed.field, array);
  if (extent == Extent::wrong)
    refuse("the column " + name_of(placed) + " has the shape " + shape_words(array) + ", not " +
           shapes_of(*placed.field));
  placed.is_repeated = extent == Extent::one;
  if (placed.is_repeated) return;
  const npy_intp count = PyArray_DIM(array, 0);
  if (batch.count < 0) {
    batch.count = count;
    batch.first = name_of(placed);
  } else if (batch.count != count) {
    refuse("the column " + name_of(placed) + " has " + std::to_string(count) + " elements, but " + batch.first +
           " has " + std::to_string(batch.count));
  }
}

void Inputs::add_all(Batch& batch, const Record& record, const Arguments& arguments, std::size_t base,
                     const char* owner) {
  std::size_t needed = 0;
  for (const Given& given : arguments.given()) {
    const Field* const field = record.find(given.name);
    if (field == nullptr) arguments.refuse(given.name);
    needed += field->is_needed ? 1 : 0;
    add(batch, *field, given.value, base, owner);
  }
  for (const Field& field : record.fields) needed -= field.is_needed ? 1 : 0;
  if (needed == 0) return;
  for (const Field& field : record.fields)
    if (field.is_needed && !arguments.has(field.name))
      refuse("the column " + (*owner != '\0' ? owner + std::string(".") : std::string()) + text_of(field.name) +
             " is missing");
}

void Inputs::convert(Placed& placed, bool in_float) {
  if (placed.field->element != Element::number || !placed.array) return;
  const int type = in_float ? NPY_FLOAT32 : NPY_FLOAT64;
  if (is_in_place(as_array(placed.array.ptr()), type)) return;
  placed.array = converted(placed.array.ptr(), type);
  placed.is_converted = true;
}

py::object Inputs::array_in_place(const Batch& batch, PyObject* name) const {
  for (const Placed& placed : placed_)
    if (placed.batch == &batch && placed.field->name == name) {
      if (placed.is_converted || placed.is_repeated)
        refuse("the column " + name_of(placed) + " is no array of the caller's that results can replace");
      return placed.array;
    }
  return {};
}

void Inputs::write(void* object, bool in_float) {
  for (Placed& placed : placed_) {
    convert(placed, in_float);
    const Field& field = *placed.field;
    const auto count = static_cast<std::size_t>(placed.batch->size());
    if (!placed.array) {
      if (in_float) {
        const auto number = static_cast<float>(placed.number);
        std::memcpy(&placed.number, &number, sizeof number);
      }
      set_column(object, placed.base + field.offset[0], &placed.number, count, 0);
      continue;
    }
    auto* const array = as_array(placed.array.ptr());
    const npy_intp* const strides = PyArray_STRIDES(array) + (placed.is_repeated ? 0 : 1);
    const bool is_full = field.is_matrix && PyArray_NDIM(array) == (placed.is_repeated ? 2 : 3);
    const npy_intp stride = placed.is_repeated ? 0 : PyArray_STRIDE(array, 0);
    for (std::size_t part = 0; part < field.parts; ++part)
      set_column(object, placed.base + field.offset[part],
                 PyArray_BYTES(array) + (field.parts == 1 ? 0 : part_offset(field, part, strides, is_full)), count,
                 stride);
  }
}

py::object new_array(const Field& field, npy_intp count, bool in_float) {
  npy_intp shape[2] = {count, field.parts};
  return owned(PyArray_NewFromDescr(&PyArray_Type, type_of(field.element, in_float), field.parts == 1 ? 1 : 2, shape,
                                    nullptr, nullptr, 0, nullptr));
}

void write_into(const Field& field, PyObject* value, npy_intp count, bool in_float, void* object) {
  const std::string name = "the array of results " + text_of(field.name);
  if (!PyArray_Check(value)) throw py::type_error("carom: " + name + " is no array");
  auto* const array = as_array(value);
  const py::object type = owned(reinterpret_cast<PyObject*>(type_of(field.element, in_float)));
  if (PyArray_EquivTypes(PyArray_DESCR(array), reinterpret_cast<PyArray_Descr*>(type.ptr())) == 0)
    refuse(name + " has elements of type " + type_words(array) + "; the call writes " + words_of(type.ptr()));
  if (!PyArray_ISALIGNED(array) || !PyArray_ISWRITEABLE(array)) refuse(name + " is read-only or not aligned");
  if (extent_of(field, array) != Extent::many || PyArray_DIM(array, 0) != count || PyArray_NDIM(array) > 2)
    refuse(name + " has the shape " + shape_words(array) + "; there are " + std::to_string(count) + " to write");
  const npy_intp* const strides = PyArray_STRIDES(array);
  for (std::size_t part = 0; part < field.parts; ++part)
    set_column(object, field.offset[part],
               PyArray_BYTES(array) + (field.parts == 1 ? 0 : static_cast<npy_intp>(part) * strides[1]),
               static_cast<std::size_t>(count), strides[0]);
}

Outputs::Outputs(Arguments& arguments, std::function<bool(const Field&)> is_usual) : is_usual_(std::move(is_usual)) {
  static PyObject *const out = interned("out"), *const results = interned("results");
  if (PyObject* const given = arguments.take(out); given != nullptr) out_ = Arguments::of(given, "out");
  if (PyObject* const given = arguments.take(results); given != nullptr) {
    asks_ = true;
    if (PyUnicode_Check(given)) throw py::type_error("carom: results is a sequence of names");
    for (const py::handle name : py::reinterpret_borrow<py::object>(given)) {
      if (!PyUnicode_Check(name.ptr())) throw py::type_error("carom: results is a sequence of names");
      PyObject* text = name.inc_ref().ptr();
      PyUnicode_InternInPlace(&text);
      names_.push_back(py::reinterpret_steal<py::object>(text));
    }
    known_.assign(names_.size(), false);
  }
}

void Outputs::give(PyObject* name, const py::object& array) {
  given_.emplace_back(name, array);
}

void Outputs::add(const Record& record, npy_intp count, bool in_float, void* object, const py::object& result,
                  std::size_t base) {
  void* const columns = static_cast<char*>(object) + base;
  for (const Field& field : record.fields) {
    PyObject* given = out_ ? out_->take(field.name) : nullptr;
    for (const auto& [name, own] : given_)
      if (name == field.name) given = own.ptr();
    bool is_asked = !asks_ && !out_ && is_usual_(field);
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i].ptr() == field.name) is_asked = known_[i] = true;
    if (given == nullptr && !is_asked) continue;
    const py::object array =
        given != nullptr ? py::reinterpret_borrow<py::object>(given) : new_array(field, count, in_float);
    write_into(field, array.ptr(), count, in_float, columns);
    succeed(PyObject_SetAttr(result.ptr(), field.name, array.ptr()));
  }
}

void Outputs::check_all_known(const std::string& function) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (!known_[i]) throw py::type_error(function + " has no result '" + text_of(names_[i].ptr()) + "'");
  if (out_ && !out_->given().empty())
    throw py::type_error(function + " has no result '" + text_of(out_->given().front().name) + "'");
}

}  // namespace carom::python
