#include "arrays.hpp"

#include <cstring>
#include <limits>

#include "describe.hpp"

namespace carom::python {
namespace {

std::string type_words(const Array& array) {
  return words_of(py::handle(reinterpret_cast<PyObject*>(array.type)));
}

std::string shape_words(PyObject* array) {
  return words_of(py::handle(array).attr("shape"));
}

std::string shapes_of(const Field& field) {
  const std::string d = std::to_string(field.dimension()), parts = std::to_string(field.parts);
  if (field.parts == 1) return "(n,)";
  if (!field.is_matrix) return "(n, " + d + ") or (" + d + ",)";
  return "(n, " + parts + "), (n, " + d + ", " + d + "), or of one matrix";
}

py::object converted(PyObject* array, int type) {
  return array_of(array, type_of_number(type), requirement::aligned | requirement::native | requirement::forced_cast);
}

template <class T>
T number_at(const Array& array, Py_ssize_t i) {
  T value;
  std::memcpy(&value, array.data + i * static_cast<Py_ssize_t>(sizeof value), sizeof value);
  return value;
}

// Integers of any type, which must fit. The type of an empty array does not matter.
py::object whole_numbers(PyObject* source, int type, double min, double max, const std::string& name) {
  const char kind = as_array(source).type->kind;
  if (kind != 'i' && kind != 'u' && as_array(source).size() > 0)
    refuse("the column " + name + " has elements of type " + type_words(as_array(source)) + ", not whole numbers");
  const py::object wide =
      array_of(source, type_of_number(kind == 'u' ? type_number::uint64 : type_number::int64),
               requirement::contiguous | requirement::aligned | requirement::native | requirement::forced_cast);
  const Array& array = as_array(wide);
  for (Py_ssize_t i = 0; i < array.size(); ++i) {
    const auto value = kind == 'u' ? static_cast<double>(number_at<std::uint64_t>(array, i))
                                   : static_cast<double>(number_at<std::int64_t>(array, i));
    if (!(value >= min && value <= max))
      refuse(name + "[" + std::to_string(i) + "] is " + words_of(owned(PyLong_FromDouble(value))) +
             ", beyond what the column holds");
  }
  return converted(wide.ptr(), type);
}

std::uint8_t law_number(Element element, PyObject* law) {
  if (PyUnicode_Check(law)) {
    const std::string text = text_of(law);
    return element == Element::law ? static_cast<std::uint8_t>(law_from_string(text))
                                   : static_cast<std::uint8_t>(restitution_law_from_string(text));
  }
  if (PyBool_Check(law) || !PyIndex_Check(law)) refuse(value_words(law) + " is neither a name nor a number of a law");
  const Py_ssize_t number = PyNumber_AsSsize_t(law, nullptr);
  if (number < 0 || number > std::numeric_limits<std::uint8_t>::max())
    refuse(value_words(law) + " is beyond what the column holds");
  return static_cast<std::uint8_t>(number);
}

// Names and numbers in any mixture, or one for all contacts.
py::object law_numbers(PyObject* laws, Element element, const std::string& column) {
  const Array& array = as_array(laws);
  if (array.rank > 1) refuse("the column " + column + " has laws in the shape " + shape_words(laws) + ", not (n,)");
  const py::list list = py::handle(laws).attr("ravel")().attr("tolist")();
  py::object numbers = new_array(type_of_number(type_number::uint8), array.rank, array.shape);
  auto* const to = reinterpret_cast<std::uint8_t*>(as_array(numbers).data);
  for (std::size_t i = 0; i < list.size(); ++i) {
    try {
      to[i] = law_number(element, list[i].ptr());
    } catch (const Error& error) {
      refuse(column + (array.rank == 0 ? "" : "[" + std::to_string(i) + "]") + ": " +
             std::string(error.what()).substr(sizeof "carom: " - 1));
    }
  }
  return numbers;
}

// Writes the column at `place` of an object, for any element type.
void set_column(void* object, std::size_t place, const void* data, std::size_t count, std::ptrdiff_t stride) {
  using Any = Column<const double>;
  static_assert(sizeof(Any) == sizeof(Column<Path>) && sizeof(Any) == sizeof(Column<const float>));
  // An empty array is also a column.
  static const double none = 0;
  Any column;
  column.data = static_cast<const double*>(data == nullptr ? &none : data);
  column.count = count;
  column.stride = stride;
  std::memcpy(static_cast<char*>(object) + place, static_cast<const void*>(&column), sizeof column);
}

// Offset in bytes from the first element of an array to the first element of a part. Full matrices have rows and
// columns.
Py_ssize_t part_offset(const Field& field, std::size_t part, const Py_ssize_t* strides, bool is_full) {
  static constexpr std::uint8_t row[] = {0, 0, 0, 1, 1, 2}, column[] = {0, 1, 2, 1, 2, 2};
  static constexpr std::uint8_t planar_row[] = {0, 0, 1}, planar_column[] = {0, 1, 1};
  if (!is_full) return static_cast<Py_ssize_t>(part) * strides[0];
  return field.parts == 6 ? row[part] * strides[0] + column[part] * strides[1]
                          : planar_row[part] * strides[0] + planar_column[part] * strides[1];
}

enum class Extent : std::uint8_t { wrong, one, many };

// Distinguishes one number, vector or matrix for all contacts from one for every contact.
Extent extent_of(const Field& field, const Array& array) {
  const int rank = array.rank;
  const Py_ssize_t* const shape = array.shape;
  const Py_ssize_t d = field.dimension();
  if (field.parts == 1) return rank == 0 ? Extent::one : rank == 1 ? Extent::many : Extent::wrong;
  if (field.is_matrix) {
    if (rank == 2 && shape[0] == d && shape[1] == d) return Extent::one;
    if (rank == 3 && shape[1] == d && shape[2] == d) return Extent::many;
  }
  if (rank == 1 && shape[0] == field.parts) return Extent::one;
  // np.array([]) holds the vectors of zero contacts.
  if (rank == 1 && shape[0] == 0) return Extent::many;
  return rank == 2 && shape[1] == field.parts ? Extent::many : Extent::wrong;
}

// Points the columns of a field at the `count` elements of an array.
void set_columns(void* object, std::size_t base, const Field& field, const Array& array, Extent extent,
                 std::size_t count) {
  const bool is_repeated = extent == Extent::one;
  const Py_ssize_t* const strides = array.strides + (is_repeated ? 0 : 1);
  const bool is_full = field.is_matrix && array.rank == (is_repeated ? 2 : 3);
  for (std::size_t part = 0; part < field.parts; ++part)
    set_column(object, base + field.offset[part],
               array.data + (field.parts == 1 || count == 0 ? 0 : part_offset(field, part, strides, is_full)), count,
               is_repeated ? 0 : array.strides[0]);
}

const py::object& path_type() {
  static const auto* const type = [] {
    py::list fields;
    for (const char* name : {"sliding_end", "sticking", "compressions", "decompressions"})
      fields.append(py::make_tuple(name, "u1"));
    return new py::object(type_of_description(fields));
  }();
  static_assert(sizeof(Path) == 4 && offsetof(Path, sticking) == 1 && offsetof(Path, compressions) == 2);
  return *type;
}

}  // namespace

py::object type_of(Element element, bool in_float) {
  switch (element) {
    case Element::number:
      return type_of_number(in_float ? type_number::float32 : type_number::float64);
    case Element::int32:
      return type_of_number(type_number::int32);
    case Element::uint64:
      return type_of_number(type_number::uint64);
    case Element::path:
      return path_type();
    default:
      return type_of_number(type_number::uint8);
  }
}

std::string Inputs::name_of(const Placed& placed) {
  const std::string owner = placed.owner;
  return (owner.empty() ? "" : owner + ".") + text_of(placed.field->name);
}

void Inputs::add(Batch& batch, const Field& field, PyObject* value, std::size_t base, const char* owner) {
  Placed placed{&batch, &field, base, {}, 0, owner};
  const auto what = [&] { return "the column " + name_of(placed); };
  const bool is_number = field.element == Element::number;
  if (is_number && field.parts == 1 && (PyFloat_Check(value) || PyLong_Check(value))) {
    placed.number = value_of<double>(value, what);
    placed_.push_back(std::move(placed));
    return;
  }
  const bool is_law = field.element == Element::law || field.element == Element::restitution_law;
  const bool is_ours = is_array(value);
  placed.is_converted = !is_ours;
  // NumPy would convert a list of names and numbers to names only.
  placed.array = is_ours ? py::reinterpret_borrow<py::object>(value) : naming(what, [&] {
    return array_of(value, is_law ? type_of_number(type_number::object) : py::object(), 0);
  });
  const Array& array = as_array(placed.array);
  const char kind = array.type->kind;
  if (is_number) {
    if (kind != 'f' && kind != 'i' && kind != 'u' && !(kind == 'O' && !is_ours))
      refuse(what() + " has elements of type " + type_words(array) + ", not numbers");
    if (is_ours && kind == 'f' && array.rank > 0) {
      const int number = array.type->number;
      if (number == type_number::float32 || number == type_number::float16)
        any_float_ = true;
      else if (array.size() > 0)
        any_double_ = true;
    }
  } else if (is_law && (kind == 'U' || kind == 'O')) {
    placed.array = law_numbers(placed.array.ptr(), field.element, name_of(placed));
  } else {
    make_whole(placed);
  }
  find_length(batch, placed);
  placed_.push_back(std::move(placed));
}

void Inputs::make_whole(Placed& placed) {
  const auto make = [&]<class T>(T, int type, double max) {
    if (as_array(placed.array).is_of(type)) return;
    placed.array = whole_numbers(placed.array.ptr(), type, static_cast<double>(std::numeric_limits<T>::min()), max,
                                 name_of(placed));
    placed.is_converted = true;
  };
  switch (placed.field->element) {
    case Element::int32:
      return make(std::int32_t{}, type_number::int32, std::numeric_limits<std::int32_t>::max());
    case Element::uint64:
      return make(std::uint64_t{}, type_number::uint64, std::numeric_limits<double>::max());
    default:
      return make(std::uint8_t{}, type_number::uint8, std::numeric_limits<std::uint8_t>::max());
  }
}

void Inputs::find_length(Batch& batch, const Placed& placed) {
  const Array& array = as_array(placed.array);
  const Extent extent = extent_of(*placed.field, array);
  if (extent == Extent::wrong)
    refuse("the column " + name_of(placed) + " has the shape " + shape_words(placed.array.ptr()) + ", not " +
           shapes_of(*placed.field));
  if (extent == Extent::one) return;
  const Py_ssize_t count = array.shape[0];
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
    if (field == nullptr)
      arguments.refuse(given.name, *owner == '\0' ? keywords_of(arguments.function()) : record.names());
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
  const int type = in_float ? type_number::float32 : type_number::float64;
  if (as_array(placed.array).is_of(type)) return;
  placed.array =
      naming([&] { return "the column " + name_of(placed); }, [&] { return converted(placed.array.ptr(), type); });
  placed.is_converted = true;
}

py::object Inputs::array_in_place(const Batch& batch, PyObject* name) const {
  for (const Placed& placed : placed_)
    if (placed.batch == &batch && placed.field->name == name) {
      if (placed.is_converted || !placed.array || extent_of(*placed.field, as_array(placed.array)) != Extent::many)
        refuse("the column " + name_of(placed) + " is no array of the caller's that results can replace");
      return placed.array;
    }
  return {};
}

void Inputs::write(void* object, bool in_float) {
  for (Placed& placed : placed_) convert(placed, in_float);
  // No Python code runs below, so shapes no longer change.
  for (Placed& placed : placed_) {
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
    const Array& array = as_array(placed.array);
    const Extent extent = extent_of(field, array);
    if (extent == Extent::wrong || (extent == Extent::many && array.shape[0] != placed.batch->count))
      refuse("the column " + name_of(placed) + " changed its shape during the call");
    set_columns(object, placed.base, field, array, extent, count);
  }
}

py::object new_array(const Field& field, Py_ssize_t count, bool in_float) {
  const Py_ssize_t shape[2] = {count, field.parts};
  return new_array(type_of(field.element, in_float), field.parts == 1 ? 1 : 2, shape);
}

void write_into(const Field& field, PyObject* value, Py_ssize_t count, bool in_float, void* object) {
  const auto name = [&] { return "the array of results " + text_of(field.name); };
  if (!is_array(value)) throw ArgumentError(name() + " is " + value_words(value) + ", not an array");
  const Array& array = as_array(value);
  const py::object type = type_of(field.element, in_float);
  if (numpy().are_equivalent(array.type, reinterpret_cast<ArrayType*>(type.ptr())) == 0)
    refuse(name() + " has elements of type " + type_words(array) + "; the call writes " + words_of(type));
  if (!array.is_aligned() || !array.is_writeable()) refuse(name() + " is read-only or not aligned");
  const Extent extent = extent_of(field, array);
  if (extent != Extent::many || array.shape[0] != count || array.rank > 2)
    refuse(name() + " has the shape " + shape_words(value) + "; there are " + std::to_string(count) + " to write");
  set_columns(object, 0, field, array, extent, static_cast<std::size_t>(count));
}

Outputs::Outputs(Arguments& arguments, std::function<bool(const Field&)> is_usual) : is_usual_(std::move(is_usual)) {
  static PyObject *const out = interned("out"), *const results = interned("results");
  if (PyObject* const given = arguments.take(out); given != nullptr) out_ = Arguments::of(given, "out");
  if (PyObject* const given = arguments.take(results); given != nullptr) {
    asks_ = true;
    each_name(given, "results", [this](PyObject* name) {
      Py_INCREF(name);
      PyUnicode_InternInPlace(&name);
      names_.push_back(py::reinterpret_steal<py::object>(name));
    });
    known_.assign(names_.size(), false);
  }
}

void Outputs::give(PyObject* name, const py::object& array) {
  given_.emplace_back(name, array);
}

void Outputs::add(const Record& record, Py_ssize_t count, bool in_float, void* object, const py::object& result,
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
  const auto refuse_result = [&](PyObject* name) {
    const std::string text = text_of(name);
    throw ArgumentError(function + " has no result '" + text + "'" + nearest(text, results_of(function)));
  };
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (!known_[i]) refuse_result(names_[i].ptr());
  if (out_ && !out_->given().empty()) refuse_result(out_->given().front().name);
}

}  // namespace carom::python
