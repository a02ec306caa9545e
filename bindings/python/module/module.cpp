// The module carom._carom, on which the package in Python builds.
#include "module.hpp"

#include <carom/version.hpp>
#include <map>
#include <memory>

#include "describe.hpp"

namespace carom::python {
namespace {

struct Documented {
  std::string name, text;
  PyMethodDef definition{};
};

/// Functions by their names in the module: "solve", "Solver.solve".
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

PyObject *classes_of_results = nullptr, *classes_of_options = nullptr, *error_class = nullptr,
         *argument_error_class = nullptr;

/// A subclass of `bases` in the package.
PyObject* add_error(py::module_& module, const std::string& name, const char* text, const py::object& bases) {
  // Errors that Python raises itself have these attributes, too.
  py::dict attributes;
  attributes["kind"] = py::str(to_string(ErrorKind::argument));
  attributes["column"] = py::str("");
  attributes["option"] = py::str("");
  attributes["row"] = py::none();
  const py::object made =
      owned(PyErr_NewExceptionWithDoc(("carom." + name).c_str(), text, bases.ptr(), attributes.ptr()));
  module.attr(name.c_str()) = made;
  return made.inc_ref().ptr();
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
  if (error.kind() == ErrorKind::out_of_memory) return PyErr_SetString(PyExc_MemoryError, error.what());
  PyObject* const type = dynamic_cast<const ArgumentError*>(&error) != nullptr ? argument_error_class : error_class;
  try {
    const py::object raised = owned(PyObject_CallFunction(type, "s", error.what()));
    raised.attr("kind") = py::str(to_string(error.kind()));
    raised.attr("column") = py::str(error.column());
    raised.attr("row") = error.row() ? py::object(py::int_(*error.row())) : py::none();
    raised.attr("option") = py::str(error.option());
    PyErr_SetObject(type, raised.ptr());
  } catch (py::error_already_set& of_python) {
    of_python.restore();
  }
}

namespace {

PyObject* class_in(PyObject* classes, const std::string& name) {
  static std::map<std::string, PyObject*> known;
  PyObject*& type = known[name];
  if (type == nullptr) type = owned(PyObject_GetAttrString(classes, name.c_str())).release().ptr();
  return type;
}

}  // namespace

py::object new_result(const char* name) {
  return owned(PyObject_CallNoArgs(class_in(classes_of_results, name)));
}

PyObject* class_of_options(const std::string& name) {
  return class_in(classes_of_options, name);
}

}  // namespace carom::python

PYBIND11_MODULE(_carom, module) {
  using namespace carom::python;
  const py::handle value_error = PyExc_ValueError, type_error = PyExc_TypeError;
  error_class = add_error(module, "Error",
                          "A wrong call. No result has been written, except if kind is 'scheduler'.\n\n"
                          "  kind    'argument', 'busy', 'not_available' or the like\n"
                          "  column  name of the column that the error is about: 'contacts.friction'. Default ''\n"
                          "  row     index of the element, contact, joint row or island. Default None\n"
                          "  option  name of the option that the error is about: 'ncp.tolerance'. Default ''",
                          py::make_tuple(value_error));
  argument_error_class = add_error(module, "ArgumentError", "An unknown keyword, or an argument of a wrong type.",
                                   py::make_tuple(py::handle(error_class), type_error));
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const carom::Error& error) {
      set_error(error);
    }
  });
  module.attr("version") = std::string(carom::version());
  // Calls need NumPy and the classes of results. Descriptions need neither.
  module.def("begin", [](const py::object& results, const py::object& methods) {
    import_numpy();
    classes_of_results = results.inc_ref().ptr();
    classes_of_options = methods.inc_ref().ptr();
  });
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
