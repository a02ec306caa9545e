// Declarations that the files of the module share.
#pragma once

#include <carom/scene.hpp>
#include <carom/solver.hpp>
#include <new>
#include <sstream>
#include <string>
#include <type_traits>

#include "core/columns/report_table.hpp"
#include "python.hpp"

namespace carom::python {

/// A function with keywords in Python's vectorcall form, which needs no dict.
using Function = PyObject* (*)(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords);

/// Adds a function to the module, or a method to one of its classes. Both live as long as the program.
void add_function(const py::module_& module, const char* name, Function function);
void add_method(const py::object& type, const char* name, Function function);

/// Adds a class to the module. Use of an object that Python made by __new__ alone is an Error: it has no C++ object,
/// and pybind11 would return uninitialised memory.
template <class T>
py::class_<T> add_class(const py::module_& module, const char* name) {
  static const std::string called = name;
  py::class_<T> type(module, name);
  py::detail::get_type_info(reinterpret_cast<PyTypeObject*>(type.ptr()))->operator_new = [](std::size_t) -> void* {
    refuse("this " + called + " was made by __new__ alone, without its constructor");
  };
  return type;
}

/// Raises carom.Error or carom.ArgumentError for an Error, with its kind, column, row and option; MemoryError if memory
/// ran out.
void set_error(const Error& error);

/// Runs the work of a function and turns exceptions of C++ into exceptions of Python.
template <class Work>
PyObject* guarded(const Work& work) noexcept {
  try {
    return work().release().ptr();
  } catch (py::error_already_set& error) {
    error.restore();
  } catch (const py::builtin_exception& error) {
    error.set_error();
  } catch (const Error& error) {
    set_error(error);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

/// Makes an object of a class of the Python part of the package, for example "Result".
py::object new_result(const char* name);

/// A class of the methods of scenes, for example "Ncp".
PyObject* class_of_options(const std::string& name);

/// Counts by the names of statuses, or the first contact of each, without statuses that do not occur.
template <class S, std::size_t room>
py::dict counts_of(const StatusCounts<S, room>& counts) {
  py::dict by_name;
  for (std::size_t i = 0; i < room; ++i)
    if (const auto status = static_cast<S>(i); counts.count(status) > 0)
      by_name[py::str(to_string(status))] = counts.count(status);
  return by_name;
}
template <class S, std::size_t room>
py::dict first_of(const StatusCounts<S, room>& counts) {
  py::dict by_name;
  for (std::size_t i = 0; i < room; ++i)
    if (const auto first = counts.first(static_cast<S>(i))) by_name[py::str(to_string(static_cast<S>(i)))] = *first;
  return by_name;
}

/// Returns the name of the first contacts by status, given the name of their counts.
std::string name_of_first(const std::string& counts);

/// The fields of a report or an island by their names. Reports say whether all is well, and have a text.
template <class Report>
py::dict fields_of(const Report& report) {
  py::dict fields;
  each_field(
      [&]<class T>(const char* name, const T& value) {
        if constexpr (std::is_same_v<T, PathCounts>) {
          py::dict paths;
          for (const auto& [path, count] : report.paths()) paths[py::str(to_string(path))] = count;
          fields[name] = paths;
        } else if constexpr (requires { first_of(value); }) {
          fields[name] = counts_of(value);
          fields[name_of_first(name).c_str()] = first_of(value);
        } else if constexpr (std::is_enum_v<T>) {
          fields[name] = std::string(to_string(value));
        } else {
          fields[name] = value;
        }
      },
      report);
  if constexpr (requires { report.ok(); }) {
    std::ostringstream text;
    text << report;
    fields["ok"] = report.ok();
    fields["text"] = text.str();
  }
  return fields;
}

Execution execution_of(const py::object& isa, const py::object& threads);

/// Makes pickle and copy create a solver with the same execution. All other state only saves time.
template <class S>
auto pickled_by_execution() {
  return py::pickle(
      [](const S& solver) {
        const Execution& execution = solver.execution();
        return py::make_tuple(std::string(to_string(execution.isa)), execution.threads);
      },
      [](const py::tuple& state) { return S(execution_of(state[0], state[1])); });
}

/// A class of solvers, with what all of them have.
template <class S>
py::class_<S> add_solver(const py::module_& module, const char* name) {
  auto solver = add_class<S>(module, name);
  solver
      .def(py::init([](const py::object& isa, const py::object& threads) { return S(execution_of(isa, threads)); }),
           py::kw_only(), py::arg("isa") = "auto", py::arg("threads") = 0)
      .def(pickled_by_execution<S>())
      .def_property_readonly(
          "isa", [](const S& self) { return std::string(to_string(self.isa())); },
          "The instruction set in use: 'avx2'.")
      .def_property_readonly(
          "threads", [](const S& self) { return self.execution().threads; }, "The maximum number of threads; 0: all.")
      .def_property_readonly("memory", &S::memory, "Number of bytes that the solver holds.");
  return solver;
}

void add_contacts(py::module_& module);
void add_gradients(py::module_& module);
void add_joints(py::module_& module);
void add_scenes(py::module_& module);
void add_systems(py::module_& module);

}  // namespace carom::python
