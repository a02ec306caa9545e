// Scenes in Python.
#pragma once

#include <carom/scene.hpp>
#include <variant>

#include "arrays.hpp"

namespace carom::python {

/// The columns of a step. They point into the arrays that the scene was constructed from.
class PythonScene {
 public:
  PythonScene(PyObject* bodies, PyObject* contacts, PyObject* joints);
  PythonScene(const PythonScene&) = delete;
  PythonScene& operator=(const PythonScene&) = delete;

  bool in_float() const { return in_float_; }
  Py_ssize_t bodies() const { return bodies_.size(); }
  Py_ssize_t contacts() const { return contacts_.size(); }
  Py_ssize_t joints() const { return joints_.size(); }
  /// True if the rows of joints are an array such as hinge() returns, with columns for all methods.
  bool has_all_columns_of_rows() const { return has_all_columns_of_rows_; }
  /// Returns the caller's array that the scene reads in place.
  py::object array_of_bodies(PyObject* name) const { return inputs_.array_in_place(bodies_, name); }
  template <class T>
  const Scene<T>& view() const {
    return std::get<Scene<T>>(scene_);
  }

 private:
  Inputs inputs_;
  Batch bodies_{"bodies"}, contacts_{"contacts"}, joints_{"joints"};
  bool in_float_, has_all_columns_of_rows_ = false;
  std::variant<Scene<double>, Scene<float>> scene_;
};

/// Returns the scene of an argument. Throws ArgumentError if the argument is not a scene.
const PythonScene& scene_of(PyObject* value);

/// The columns of SceneResults that are as long as the bodies, and the columns that are as long as the rows of joints.
const Record& body_results_record();
const Record& row_results_record();

}  // namespace carom::python
