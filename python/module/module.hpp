// What the files of the module have for each other.
#pragma once

#include <carom/scene.hpp>
#include <carom/solver.hpp>
#include <new>

#include "python.hpp"

namespace carom::python {

/// A function of keywords, as Python calls it without a dict of them.
using Function = PyObject* (*)(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords);

/// Adds a function to the module, or a method to a class of it. Both live as long as the program.
void add_function(const py::module_& module, const char* name, Function function);
void add_method(const py::object& type, const char* name, Function function);

/// Makes carom.Error of an Error.
void set_error(const Error& error);

/// Runs what a function does and makes Python's exceptions of those of C++.
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

/// An object of a class of the Python part of the package: "Result".
py::object new_result(const char* name);

/// Counts of statuses by their numbers: those that are not 0.
py::dict counts_of(const std::array<std::size_t, status_room>& by_status);

Execution execution_of(const std::string& isa, int threads);

void add_contacts(py::module_& module);
void add_gradients(py::module_& module);
void add_joints(py::module_& module);
void add_scenes(py::module_& module);
void add_systems(py::module_& module);

}  // namespace carom::python
