// Scenes: bodies, contacts and joints of a step, solved together.
#include "scenes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/columns/scene_columns.hpp"
#include "describe.hpp"
#include "module.hpp"
#include "options.hpp"

namespace carom::python {
namespace {

const Record& scene_bodies_record() {
  static const Record record = record_of<SceneBodies<double>>([](RecordMaker& maker, const auto& bodies) {
    columns::each(maker.adds(true), columns::Label{"bodies"}, bodies);
    columns::each_of_scene_bodies(maker.adds(false), bodies);
  });
  return record;
}

const Record& scene_contacts_record() {
  static const Record record = record_of<SceneContacts<double>>([](RecordMaker& maker, const auto& contacts) {
    add_contacts(maker, contacts, columns::by_impacts);
    columns::each_of_scene(maker.adds(false), contacts);
  });
  return record;
}

const Record& joints_record() {
  static const Record record = record_of<JointRows<double>>([](RecordMaker& maker, const auto& rows) {
    columns::each_needed_of_rows(maker.adds(true), rows);
    columns::each_optional_of_rows(maker.adds(false), rows);
  });
  return record;
}

const Record& contact_results_record() {
  static const Record record = record_of<SceneResults<double>>(
      [](RecordMaker& maker, const auto& results) { columns::each_scene_result(maker.adds(false), results); });
  return record;
}
}  // namespace

const Record& body_results_record() {
  static const Record record = record_of<SceneResults<double>>([](RecordMaker& maker, const auto& results) {
    columns::each_scene_body_result(maker.adds(false), results);
    columns::each_island_result(maker.adds(false), results.islands);
  });
  return record;
}
const Record& row_results_record() {
  static const Record record = record_of<SceneResults<double>>(
      [](RecordMaker& maker, const auto& results) { columns::each_scene_row_result(maker.adds(false), results); });
  return record;
}

const PythonScene& scene_of(PyObject* value) {
  if (!py::isinstance<PythonScene>(value))
    throw ArgumentError("scene is " + value_words(value) + ", not a carom.Scene");
  return py::cast<const PythonScene&>(py::handle(value));
}

PythonScene::PythonScene(PyObject* bodies, PyObject* contacts, PyObject* joints) {
  static_assert(sizeof(Scene<float>) == sizeof(Scene<double>));
  const auto add = [this](Batch& batch, const Record& record, PyObject* given, std::size_t base) {
    if (given == nullptr || given == Py_None) {
      batch.count = 0;
      return;
    }
    const Arguments columns = Arguments::of(given, batch.what);
    inputs_.add_all(batch, record, columns, base, batch.what);
    static PyObject* const warm_impulse = interned("warm_impulse");
    if (&batch == &joints_ && is_array(given))
      has_all_columns_of_rows_ = std::ranges::all_of(
          record.fields, [&](const Field& field) { return field.name == warm_impulse || columns.has(field.name); });
    // A number that applies to all has no length. One body or contact has arrays of length one.
    if (batch.count < 0) refuse(std::string("no array among ") + batch.what + " tells how many there are");
  };
  if (bodies == nullptr || bodies == Py_None) refuse("a scene needs bodies");
  add(bodies_, scene_bodies_record(), bodies, offsetof(Scene<double>, bodies));
  add(contacts_, scene_contacts_record(), contacts, offsetof(Scene<double>, contacts));
  add(joints_, joints_record(), joints, offsetof(Scene<double>, joints));
  in_float_ = inputs_.in_float();
  if (in_float_)
    inputs_.write(&scene_.emplace<Scene<float>>(), true);
  else
    inputs_.write(&scene_.emplace<Scene<double>>(), false);
}

namespace {

struct Names {
  PyObject *bodies = interned("bodies"), *contacts = interned("contacts"), *joints = interned("joints"),
           *in_place = interned("in_place"), *method = interned("method"), *select = interned("select"),
           *joint_rows = interned("joint_rows"), *dtype = interned("dtype"), *velocity = interned("velocity"),
           *angular_velocity = interned("angular_velocity"), *displacement = interned("displacement"),
           *rotation = interned("rotation");
};
const Names& names() {
  static const Names all;
  return all;
}

bool starts_with(PyObject* name, const char* text) {
  return std::strncmp(PyUnicode_AsUTF8(name), text, std::strlen(text)) == 0;
}

/// Names the classes that have an option of this name.
[[noreturn]] void refuse_keyword(const Arguments& arguments, PyObject* name) {
  std::string hint;
  const auto look = [&](const OptionList& list, const std::string& owner) {
    for (const Option& option : list)
      if (PyUnicode_Compare(option.name, name) == 0)
        hint += (hint.empty() ? "; it is an option of carom." : ", carom.") + owner;
  };
  for (std::size_t i = 0; i < scene_method_count; ++i)
    look(method_options(static_cast<SceneMethod>(i)), class_of(static_cast<SceneMethod>(i)));
  look(options_of<PositionCorrection>(), "PositionCorrection");
  arguments.refuse(name, keywords_of(arguments.function()), hint);
}

/// The columns of a scene that a method reads.
template <class T>
class ReadColumns {
 public:
  ReadColumns(const PythonScene& scene, const SceneOptions::Method& method, bool selects) : columns_(&scene.view<T>()) {
    if (!selects && !scene.has_all_columns_of_rows()) return;
    selected_ = carom::select(*columns_, method);
    // Rows of hinge() and the like have all columns. A position error in them is not to be ignored.
    const Column<const T>& error = columns_->joints.position_error;
    if (!selects) {
      const JointRows<T> rows = selected_.joints;
      selected_ = *columns_;
      selected_.joints = rows;
      for (std::size_t i = 0; i < error.count; ++i)
        if (error[i] != 0) selected_.joints.position_error = error;
    }
    columns_ = &selected_;
  }
  ReadColumns(const ReadColumns&) = delete;
  ReadColumns& operator=(const ReadColumns&) = delete;

  /// Throws Error if contacts or rows have names. A key of 0 is not a name, and rows of hinge() and the like have keys
  /// in any case.
  void refuse_keys(const PythonScene& scene) {
    const auto has_names = [](const Column<const std::uint64_t>& key) {
      for (std::size_t i = 0; i < key.count; ++i)
        if (key[i] != 0) return true;
      return false;
    };
    const char* const owner = has_names(columns_->contacts.key)                                     ? "contacts"
                              : !scene.has_all_columns_of_rows() && has_names(columns_->joints.key) ? "joints"
                                                                                                    : nullptr;
    if (owner != nullptr)
      refuse("the column " + std::string(owner) +
             ".key is for carom.SceneSolver: solve_scene remembers nothing from call to call");
    if (!columns_->contacts.key && !columns_->joints.key) return;
    selected_ = *columns_;
    selected_.contacts.key = selected_.joints.key = {};
    columns_ = &selected_;
  }

  const Scene<T>& operator*() const { return *columns_; }

 private:
  const Scene<T>* columns_;
  Scene<T> selected_;
};

/// A solver, which keeps its memory of keys from call to call or forgets it.
struct Memory {
  SceneSolver& solver;
  bool is_kept;
};

template <class T>
py::object solve(const Memory& memory, const PythonScene& scene, Arguments& arguments, const SceneOptions& options) {
  const bool selects = take_bool(arguments, names().select);
  const bool has_joints = scene.joints() > 0;
  Outputs outputs(arguments, [=](const Field& field) {
    // Default results. Other results, such as warm impulses and islands, are made on request.
    static PyObject* const usual[] = {names().velocity,  names().angular_velocity, names().displacement,
                                      names().rotation,  interned("impulse"),      interned("separation_velocity"),
                                      interned("status")};
    if (starts_with(field.name, "joint_")) return has_joints && !starts_with(field.name, "joint_warm");
    return std::find(std::begin(usual), std::end(usual), field.name) != std::end(usual);
  });
  if (take_bool(arguments, names().in_place))
    for (PyObject* name : {names().velocity, names().angular_velocity}) outputs.give(name, scene.array_of_bodies(name));
  if (!arguments.given().empty()) refuse_keyword(arguments, arguments.given().front().name);
  ReadColumns<T> columns(scene, options.method, selects);
  if (!memory.is_kept) columns.refuse_keys(scene);
  py::object result = new_result("SceneResult");
  SceneResults<T> results;
  constexpr bool in_float = sizeof(T) == sizeof(float);
  outputs.add(contact_results_record(), scene.contacts(), in_float, &results, result);
  outputs.add(body_results_record(), scene.bodies(), in_float, &results, result);
  outputs.add(row_results_record(), scene.joints(), in_float, &results, result);
  outputs.check_all_known(arguments.function());
  SceneReport report;
  {
    const py::gil_scoped_release others_may_run;
    if (!memory.is_kept) memory.solver.forget();
    report = memory.solver.solve(*columns, results, options);
  }
  // Arrays of islands are as long as the bodies, the maximum number of islands.
  const py::slice islands(0, static_cast<py::ssize_t>(report.islands), 1);
  const py::dict arrays = result.attr("__dict__");
  for (const Field& field : body_results_record().fields)
    if (starts_with(field.name, "island_") && arrays.contains(py::handle(field.name)))
      arrays[py::handle(field.name)] = py::object(arrays[py::handle(field.name)])[islands];
  result.attr("_report") = py::cast(std::move(report));
  return result;
}

/// Takes the options that all methods share, and the method.
SceneOptions take_scene_options(Arguments& arguments) {
  SceneOptions options;
  take_options(options_of<SceneOptions>(), arguments, &options, false);
  if (PyObject* const method = arguments.take(names().method); method != nullptr) options.method = method_of(method);
  return options;
}

/// Calls the solver for the columns that `arguments` has, or for a scene.
py::object run(const Memory& memory, Arguments& arguments, const PythonScene* scene) {
  const SceneOptions options = take_scene_options(arguments);
  const auto run_on = [&](const PythonScene& of) {
    return of.in_float() ? solve<float>(memory, of, arguments, options) : solve<double>(memory, of, arguments, options);
  };
  if (scene != nullptr) return run_on(*scene);
  PyObject* const bodies = arguments.take(names().bodies);
  PyObject* const contacts = arguments.take(names().contacts);
  return run_on(PythonScene(bodies, contacts, arguments.take(names().joints)));
}

PyObject* solve_of(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    auto& solver = py::cast<SceneSolver&>(py::handle(self));
    if (positional > 1) throw ArgumentError("SceneSolver.solve takes one positional argument, the scene");
    // The first argument is no columns: Arguments gets the keywords alone.
    Arguments arguments("SceneSolver.solve", values + positional, 0, keywords);
    return run({solver, true}, arguments, positional == 1 && values[0] != Py_None ? &scene_of(values[0]) : nullptr);
  });
}

/// The arguments of a call whose positional arguments have these names.
Arguments arguments_of(const std::string& function, std::initializer_list<PyObject*> positional_names,
                       PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  if (positional > static_cast<Py_ssize_t>(positional_names.size())) {
    std::string all;
    for (PyObject* name : positional_names) all += (all.empty() ? "" : ", ") + text_of(name);
    throw ArgumentError(function + " has " + std::to_string(positional_names.size()) + " positional arguments: " + all);
  }
  Arguments arguments(function.c_str(), values + positional, 0, keywords);
  for (Py_ssize_t i = 0; i < positional; ++i) {
    PyObject* const name = positional_names.begin()[i];
    if (arguments.has(name)) throw ArgumentError(function + ": " + text_of(name) + " is given twice");
    arguments.give(name, values[i]);
  }
  return arguments;
}

PyObject* solve_scene_of(PyObject*, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    static thread_local SceneSolver solver;
    Arguments arguments =
        arguments_of("solve_scene", {names().bodies, names().contacts, names().joints}, values, positional, keywords);
    return run({solver, false}, arguments, nullptr);
  });
}

/// Returns the columns of a group that a method reads, by name.
py::dict columns_read_by(const SceneOptions::Method& method, const Record& record, PyObject* group,
                         const std::string& what) {
  py::dict read;
  const columns::Reader reader = columns::reader_of(method);
  const Arguments columns = Arguments::of(group, what);
  const auto* impacts = std::get_if<SequentialImpacts>(&method);
  std::vector<std::string> unread;
  if (impacts != nullptr) unread = unread_law_columns(columns, impacts->law, impacts->integrator, false);
  const auto is_read = [&](const Field& field) {
    return (field.readers & reader) != 0 &&
           std::find(unread.begin(), unread.end(), text_of(field.name)) == unread.end();
  };
  for (const Given& column : columns.given()) {
    const Field* const field = record.find(column.name);
    if (field == nullptr) columns.refuse(column.name, record.names());
    if (is_read(*field)) read[py::handle(column.name)] = py::handle(column.value);
  }
  return read;
}

PyObject* select_of(PyObject*, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    const Names& of = names();
    Arguments arguments =
        arguments_of("select", {of.method, of.bodies, of.contacts, of.joints}, values, positional, keywords);
    PyObject* const method = arguments.take(of.method);
    const SceneOptions::Method reader = method == nullptr ? SceneOptions{}.method : method_of(method);
    py::dict selected;
    for (const auto& [group, record] :
         {std::pair(of.bodies, &scene_bodies_record()), std::pair(of.contacts, &scene_contacts_record()),
          std::pair(of.joints, &joints_record())})
      if (PyObject* const given = arguments.take(group); given != nullptr)
        selected[py::handle(group)] = columns_read_by(reader, *record, given, text_of(group));
    if (!arguments.given().empty()) refuse_keyword(arguments, arguments.given().front().name);
    return selected;
  });
}

PyObject* reserve_of(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    auto& solver = py::cast<SceneSolver&>(py::handle(self));
    Arguments arguments = arguments_of("SceneSolver.reserve", {names().bodies, names().contacts, names().joint_rows},
                                       values, positional, keywords);
    const SceneOptions options = take_scene_options(arguments);
    const auto take_count = [&](PyObject* name) {
      PyObject* const value = arguments.take(name);
      return value == nullptr ? std::size_t{0} : value_of<std::size_t>(value, [&] { return text_of(name); });
    };
    const std::size_t bodies = take_count(names().bodies), contacts = take_count(names().contacts),
                      joint_rows = take_count(names().joint_rows);
    PyObject* const dtype = arguments.take(names().dtype);
    if (!arguments.given().empty()) refuse_keyword(arguments, arguments.given().front().name);
    in_precision(dtype, [&]<class T>() {
      const py::gil_scoped_release others_may_run;
      solver.reserve<T>(bodies, contacts, joint_rows, options);
    });
    return py::object(py::none());
  });
}

}  // namespace

void add_scenes(py::module_& module) {
  add_class<SceneReport>(module, "_SceneReport").def("fields", fields_of<SceneReport>);
  add_class<PythonScene>(module, "Scene")
      .def(py::init([](const py::object& bodies, const py::object& contacts, const py::object& joints) {
             return std::make_unique<PythonScene>(bodies.ptr(), contacts.ptr(), joints.ptr());
           }),
           py::kw_only(), py::arg("bodies"), py::arg("contacts") = py::none(), py::arg("joints") = py::none());
  auto solver = add_solver<SceneSolver>(module, "SceneSolver");
  solver
      .def("forget", &SceneSolver::forget,
           "Forgets everything that the solver remembers from call to call. The next call is then as the first one.")
      .def(
          "save",
          [](const SceneSolver& self) {
            const std::size_t size = self.save(std::span<std::byte>{});
            py::bytes state(nullptr, size);
            self.save({reinterpret_cast<std::byte*>(PyBytes_AS_STRING(state.ptr())), size});
            return state;
          },
          "Returns everything that the solver remembers from call to call, as bytes for restore().")
      .def(
          "restore",
          [](SceneSolver& self, const py::bytes& state) {
            const std::string_view bytes(state);
            self.restore(std::as_bytes(std::span(bytes)));
          },
          py::arg("state"), py::pos_only(),
          "Replaces everything that the solver remembers by a saved state. Raises Error, and changes nothing, if the\n"
          "bytes are not a state that this version of carom has saved.");
  add_method(solver, "solve", solve_of);
  add_method(solver, "reserve", reserve_of);
  add_function(module, "solve_scene", solve_scene_of);
  add_function(module, "select", select_of);
  const auto describe_columns = [](const char* of) {
    describe(of, "bodies", "SceneBodies BodyColumns", scene_bodies_record());
    describe(of, "contacts", "SceneContacts LawColumns Weights", scene_contacts_record());
    describe(of, "joints", "JointRows", joints_record());
  };
  describe_columns("Scene");
  for (const char* of : {"SceneSolver.solve", "solve_scene"}) {
    describe(of, options_of<SceneOptions>());
    describe_keywords(of, {"bodies", "contacts", "joints", "method", "in_place", "select", "out", "results"});
    for (const Record* record : {&contact_results_record(), &body_results_record(), &row_results_record()})
      describe(of, "results", "SceneResults IslandResults", *record);
  }
  describe("SceneSolver.reserve", options_of<SceneOptions>());
  describe_keywords("SceneSolver.reserve", {"bodies", "contacts", "joint_rows", "method", "dtype"});
  describe_keywords("select", {"method", "bodies", "contacts", "joints"});
  describe("PositionCorrection", options_of<PositionCorrection>());
  for (std::size_t i = 0; i < scene_method_count; ++i) {
    const auto method = static_cast<SceneMethod>(i);
    describe(class_of(method).c_str(), method_options(method));
  }
}

}  // namespace carom::python
