// Conversion of arrays to columns and back. Arrays whose elements have the type of the call are read and written in
// place, at their own strides; other arrays are converted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"
#include "record.hpp"

namespace carom::python {

/// Columns of one length, in the order in which they were given.
struct Batch {
  const char* what;       // "contacts"
  Py_ssize_t count = -1;  // -1: no column has a length yet
  std::string first;      // the column that defined the length

  explicit Batch(const char* name) : what(name) {}
  Py_ssize_t size() const { return count < 0 ? 1 : count; }
};

/// Reads arrays and numbers of a call into the columns of a struct.
class Inputs {
 public:
  Inputs() { placed_.reserve(32); }

  /// Takes a field of the struct that lies at offset `base` in the struct passed to `write`. `owner` names the member
  /// in messages.
  void add(Batch& batch, const Field& field, PyObject* value, std::size_t base = 0, const char* owner = "");
  /// Takes the columns of a record. Throws Error if a required column is missing, and ArgumentError if the arguments
  /// have a name that is not in the record.
  void add_all(Batch& batch, const Record& record, const Arguments& arguments, std::size_t base, const char* owner);

  /// True if the arrays of numbers are float32. Single numbers, lists and integers adapt to the arrays.
  bool in_float() const { return any_float_ && !any_double_; }
  void write(void* object, bool in_float);
  /// Returns the caller's array of a field, which the columns point into. Throws Error if the array was converted or is
  /// one value for all.
  py::object array_in_place(const Batch& batch, PyObject* name) const;

 private:
  struct Placed {
    const Batch* batch;
    const Field* field;
    std::size_t base;
    py::object array;  // null: `number` applies to all
    double number = 0;
    const char* owner;
    bool is_converted = false;
  };

  static std::string name_of(const Placed& placed);
  static void make_whole(Placed& placed);
  static void find_length(Batch& batch, const Placed& placed);
  void convert(Placed& placed, bool in_float);

  std::vector<Placed> placed_;
  bool any_float_ = false, any_double_ = false;
};

/// The NumPy type of an element.
py::object type_of(Element element, bool in_float);

/// Makes an array of results with an element for every contact: (n,) or (n, parts).
py::object new_array(const Field& field, Py_ssize_t count, bool in_float);

/// Points the columns of a field at an array for results. Throws Error, naming the field, unless the array has the type
/// and shape that new_array would give it. Any strides are allowed.
void write_into(const Field& field, PyObject* array, Py_ssize_t count, bool in_float, void* object);

/// The results of a call, in new arrays or in arrays of the caller.
class Outputs {
 public:
  /// Takes `out` and `results` from the arguments. Without both, the results are the fields for which is_usual is true.
  Outputs(Arguments& arguments, std::function<bool(const Field&)> is_usual);

  /// Adds an array of the caller to `out`. The default results stay.
  void give(PyObject* name, const py::object& array);

  /// Points the columns of an object at arrays, and makes the arrays attributes of `result`.
  void add(const Record& record, Py_ssize_t count, bool in_float, void* object, const py::object& result,
           std::size_t base = 0);
  /// Throws ArgumentError if a requested name is in no record.
  void check_all_known(const std::string& function) const;

 private:
  std::optional<Arguments> out_;
  std::vector<py::object> names_;
  std::vector<bool> known_;
  std::vector<std::pair<PyObject*, py::object>> given_;
  std::function<bool(const Field&)> is_usual_;
  bool asks_ = false;
};

}  // namespace carom::python
