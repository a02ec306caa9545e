// The module carom._carom: what the package in Python begins with.
#define CAROM_IMPORTS_NUMPY
#include "module.hpp"

#include <carom/law_info.hpp>
#include <carom/version.hpp>
#include <map>
#include <memory>
#include <vector>

#include "describe.hpp"

namespace carom::python {
namespace {

struct Documented {
  std::string name, text;
  PyMethodDef definition{};
};

/// By the names in the module: "solve", "Solver.solve".
std::map<std::string, std::unique_ptr<Documented>>& functions() {
  static std::map<std::string, std::unique_ptr<Documented>> all;
  return all;
}

PyMethodDef* definition_of(const std::string& key, const char* name, Function function) {
  auto made = std::make_unique<Documented>();
  made->name = name;
  made->definition = {made->name.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
                      METH_FASTCALL | METH_KEYWORDS, nullptr};
  return &functions().emplace(key, std::move(made)).first->second->definition;
}

void document(const std::map<std::string, std::string>& texts) {
  for (const auto& [key, text] : texts) {
    Documented& function = *functions().at(key);
    function.text = text;
    function.definition.ml_doc = function.text.c_str();
  }
}

PyObject *classes_of_results = nullptr, *error_class = nullptr;

int import_numpy() {
  import_array1(-1);
  return 0;
}

}  // namespace

void add_function(const py::module_& module, const char* name, Function function) {
  PyMethodDef* const definition = definition_of(name, name, function);
  module.attr(name) = owned(PyCFunction_NewEx(definition, module.ptr(), module.attr("__name__").ptr()));
}

void add_method(const py::object& type, const char* name, Function function) {
  PyMethodDef* const definition = definition_of(text_of(type.attr("__name__").ptr()) + "." + name, name, function);
  type.attr(name) = owned(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), definition));
}

void set_error(const Error& error) {
  PyErr_SetString(error_class, error.what());
}

py::object new_result(const char* name) {
  static std::map<std::string, PyObject*> classes;
  PyObject*& type = classes[name];
  if (type == nullptr) type = owned(PyObject_GetAttrString(classes_of_results, name)).release().ptr();
  return owned(PyObject_CallNoArgs(type));
}

py::dict counts_of(const std::array<std::size_t, status_room>& by_status) {
  py::dict counts;
  for (std::size_t i = 0; i < by_status.size(); ++i)
    if (by_status[i] > 0) counts[py::int_(i)] = by_status[i];
  return counts;
}

}  // namespace carom::python

PYBIND11_MODULE(_carom, module) {
  using namespace carom::python;
  if (import_numpy() < 0) throw py::error_already_set();
  error_class = PyErr_NewException("carom.Error", PyExc_ValueError, nullptr);
  module.attr("Error") = owned(py::reinterpret_borrow<py::object>(error_class).release().ptr());
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const carom::Error& error) {
      set_error(error);
    }
  });
  module.attr("version") = std::string(carom::version());
  module.def("set_results", [](const py::object& classes) { classes_of_results = classes.inc_ref().ptr(); });
  module.def("document", [](const py::dict& texts) {
    std::map<std::string, std::string> all;
    for (const auto& [key, text] : texts) all[py::str(key)] = py::str(text);
    document(all);
  });
  add_contacts(module);
  add_gradients(module);
  add_scenes(module);
  add_joints(module);
  add_systems(module);
  add_descriptions(module);
}
