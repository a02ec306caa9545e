// Contact systems with matrices as block rows, and the conversion of dense matrices to block rows.
#include <algorithm>
#include <array>
#include <carom/system.hpp>
#include <vector>

#include "arrays.hpp"
#include "core/columns/public_call.hpp"
#include "core/columns/scene_columns.hpp"
#include "describe.hpp"
#include "module.hpp"
#include "options.hpp"

namespace carom::python {
namespace {

const Record& system_record() {
  static const Record record = record_of<ContactSystem<double>>([](RecordMaker& maker, const auto& system) {
    columns::each_needed_of_system(maker.adds(true), system);
    maker.adds(true)(columns::Label{"system", "column"}, system.column);
    columns::each_optional_of_system(maker.adds(false), system);
  });
  return record;
}

const Record& moments_record() {
  static const Record record = record_of<ContactSystem<double>>([](RecordMaker& maker, const auto& system) {
    columns::each_needed_of_moments(maker.adds(true), system);
    columns::each_optional_of_moments(maker.adds(false), system);
  });
  return record;
}

const Record& results_record() {
  static const Record record = record_of<SystemResults<double>>(
      [](RecordMaker& maker, const auto& results) { columns::each_system_result(maker.adds(false), results); });
  return record;
}

const Record& moment_results_record() {
  static const Record record = record_of<SystemResults<double>>(
      [](RecordMaker& maker, const auto& results) { columns::each_moment_result(maker.adds(false), results); });
  return record;
}

/// Returns a record whose vectors have the normal component first, as in the frames of FCLIB.
Record with_normal_first(Record record) {
  for (Field& field : record.fields)
    if (field.parts == 3) std::rotate(field.offset, field.offset + 2, field.offset + 3);
  return record;
}

struct Records {
  Record system, moments, results, moment_results;
};
const Records& records(bool normal_first) {
  static const Records last{system_record(), moments_record(), results_record(), moment_results_record()};
  static const Records first{with_normal_first(last.system), with_normal_first(last.moments),
                             with_normal_first(last.results), with_normal_first(last.moment_results)};
  return normal_first ? first : last;
}

/// Reads a contiguous array of numbers as a column of elements.
template <class Element, class Number>
Column<const Element> contiguous(py::object& array, PyObject* given, int type, const char* name) {
  const auto what = [&] { return std::string("the column ") + name; };
  array = naming(what, [&] { return array_of(given, py::object(), 0); });
  const char kind = as_array(array).type->kind;
  if (std::is_integral_v<Number> && kind != 'i' && kind != 'u')
    refuse(what() + " has elements of type " + words_of(array.attr("dtype")) + ", not whole numbers");
  array = naming(what, [&] {
    return array_of(array.ptr(), type_of_number(type),
                    requirement::contiguous | requirement::aligned | requirement::native);
  });
  const auto bytes = static_cast<std::size_t>(as_array(array).size()) * sizeof(Number);
  if (bytes % sizeof(Element) != 0) refuse(what() + " has parts of an element");
  return {reinterpret_cast<const Element*>(as_array(array).data), bytes / sizeof(Element)};
}

/// A solver whose islands are read after its call, while other Python threads run.
struct PythonSystemSolver : SystemSolver {
  using SystemSolver::SystemSolver;
  PythonSystemSolver(PythonSystemSolver&& other) noexcept : SystemSolver(std::move(other)) {}
  std::atomic<bool> is_in_use{false};
};

template <class T>
py::object solve(PythonSystemSolver& solver, Inputs& inputs, const Batch& contacts, const Batch& moments,
                 Outputs& outputs, const Records& records, PyObject* row_start, PyObject* block,
                 const SystemOptions& options) {
  constexpr bool in_float = sizeof(T) == sizeof(float);
  ContactSystem<T> system;
  inputs.write(&system, in_float);
  py::object starts, blocks;
  system.row_start = contiguous<std::int64_t, std::int64_t>(starts, row_start, type_number::int64, "row_start");
  system.block =
      contiguous<SystemBlock<T>, T>(blocks, block, in_float ? type_number::float32 : type_number::float64, "block");
  py::object result = new_result("SystemResult");
  SystemResults<T> results;
  outputs.add(records.results, contacts.size(), in_float, &results, result);
  if (moments.count >= 0) outputs.add(records.moment_results, moments.count, in_float, &results, result);
  outputs.check_all_known("solve_system");
  const OneCall one_call(solver.is_in_use);
  SystemReport report;
  {
    const py::gil_scoped_release others_may_run;
    report = solver.solve(system, results, options);
  }
  py::list islands;
  for (const SystemIsland& island : solver.islands()) islands.append(fields_of(island));
  result.attr("_islands") = islands;
  result.attr("_report") = py::cast(report);
  return result;
}

py::object solve_system(PyObject* self, Arguments& arguments) {
  static PyObject *const row_start_name = interned("row_start"), *const block_name = interned("block"),
                         *const column_name = interned("column"), *const first_name = interned("normal_first");
  auto& solver = py::cast<PythonSystemSolver&>(py::handle(self));
  Outputs outputs(arguments, [](const Field&) { return true; });
  SystemOptions options;
  take_options(options_of<SystemOptions>(), arguments, &options, false);
  PyObject *const row_start = arguments.take(row_start_name), *const block = arguments.take(block_name);
  if (row_start == nullptr || block == nullptr) refuse("the columns row_start and block are needed");
  if (!is_array(block)) throw ArgumentError("block is " + value_words(block) + ", not an array");
  const Records& of = records(take_bool(arguments, first_name));
  Batch contacts("contacts"), blocks("blocks"), moments("moments");
  Inputs inputs;
  const auto add = [&](const Field& field, Batch& batch) {
    PyObject* const value = arguments.take(field.name);
    if (value != nullptr)
      inputs.add(batch, field, value);
    else if (field.is_needed)
      refuse("the column " + text_of(field.name) + " is missing");
  };
  for (const Field& field : of.system.fields) add(field, field.name == column_name ? blocks : contacts);
  bool has_moments = false;
  for (const Field& field : of.moments.fields) has_moments = has_moments || arguments.has(field.name);
  if (has_moments)
    for (const Field& field : of.moments.fields) add(field, moments);
  if (!arguments.given().empty()) arguments.refuse(arguments.given().front().name, keywords_of("solve_system"));
  return as_array(block).type->number == type_number::float32
             ? solve<float>(solver, inputs, contacts, moments, outputs, of, row_start, block, options)
             : solve<double>(solver, inputs, contacts, moments, outputs, of, row_start, block, options);
}

/// Returns row_start, column and block of an array of numbers (n, 3, n, 3).
template <class T>
py::tuple block_rows_of(const Array& matrix, int type) {
  const Py_ssize_t n = matrix.shape[0];
  const auto element = [&](Py_ssize_t i, Py_ssize_t j, Py_ssize_t k) {
    const auto* const strides = matrix.strides;
    return *reinterpret_cast<const T*>(matrix.data + i * strides[0] + k / 3 * strides[1] + j * strides[2] +
                                       k % 3 * strides[3]);
  };
  std::vector<std::int32_t> columns;
  const py::object starts = new_array(type_of_number(type_number::int64), 1, std::array{n + 1}.data());
  auto* const start = reinterpret_cast<std::int64_t*>(as_array(starts).data);
  start[0] = 0;
  for (Py_ssize_t i = 0; i < n; ++i) {
    for (Py_ssize_t j = 0; j < n; ++j) {
      bool is_zero = i != j;
      for (Py_ssize_t k = 0; is_zero && k < 9; ++k) is_zero = element(i, j, k) == T(0);
      if (!is_zero) columns.push_back(static_cast<std::int32_t>(j));
    }
    start[i + 1] = static_cast<std::int64_t>(columns.size());
  }
  const auto count = static_cast<Py_ssize_t>(columns.size());
  const py::object column = new_array(type_of_number(type_number::int32), 1, &count);
  std::ranges::copy(columns, reinterpret_cast<std::int32_t*>(as_array(column).data));
  const py::object block = new_array(type_of_number(type), 3, std::array<Py_ssize_t, 3>{count, 3, 3}.data());
  auto* to = reinterpret_cast<T*>(as_array(block).data);
  for (Py_ssize_t i = 0, place = 0; i < n; ++i)
    for (; place < start[i + 1]; ++place)
      for (Py_ssize_t k = 0; k < 9; ++k) *to++ = element(i, columns[static_cast<std::size_t>(place)], k);
  return py::make_tuple(starts, column, block);
}

py::tuple block_rows(const py::object& given) {
  const bool in_float = as_array(given).type->number == type_number::float32;
  const int type = in_float ? type_number::float32 : type_number::float64;
  const py::object matrix = array_of(given.ptr(), type_of_number(type),
                                     requirement::aligned | requirement::native | requirement::forced_cast);
  return in_float ? block_rows_of<float>(as_array(matrix), type) : block_rows_of<double>(as_array(matrix), type);
}

}  // namespace

void add_systems(py::module_& module) {
  add_class<SystemReport>(module, "_SystemReport").def("fields", fields_of<SystemReport>);
  module.def("_block_rows", block_rows);
  auto solver = add_class<PythonSystemSolver>(module, "_SystemSolver");
  solver
      .def(py::init(
               [](const py::object& threads) { return PythonSystemSolver(execution_of(py::str("auto"), threads)); }),
           py::arg("threads") = 0)
      .def(pickled_by_execution<PythonSystemSolver>())
      .def_property_readonly("memory", [](const PythonSystemSolver& self) { return self.memory(); });
  add_method(solver, "solve", function<"solve_system", solve_system>);
  describe("solve_system", options_of<SystemOptions>());
  describe_keywords("solve_system", {"warm_impulse", "friction_2", "friction_direction", "normal_compliance",
                                     "tangential_compliance", "moment", "rolling_friction", "spinning_friction",
                                     "angular_velocity", "warm_angular_impulse", "normal_first", "out", "results"});
  describe("solve_system", "results", "SystemResults", results_record());
  describe("solve_system", "results", "SystemResults", moment_results_record());
}

}  // namespace carom::python
