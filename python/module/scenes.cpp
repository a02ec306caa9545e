// Scenes: bodies, contacts and joints of a step, solved together.
#include "scenes.hpp"

#include <algorithm>
#include <cstring>

#include "arrays.hpp"
#include "describe.hpp"
#include "module.hpp"
#include "options.hpp"
#include "scene/scene_columns.hpp"

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
    add_contacts(maker, contacts);
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
           *in_place = interned("in_place"), *velocity = interned("velocity"),
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

template <class T>
py::object solve(SceneSolver& solver, const PythonScene& scene, Arguments& arguments, const SceneOptions& options) {
  const bool moves =
      options.method == SceneMethod::substeps || (options.method == SceneMethod::pgs && options.pgs.time_step > 0);
  const bool has_joints = scene.joints() > 0;
  Outputs outputs(arguments, [=](const Field& field) {
    // Default results. Other results, such as warm impulses and islands, are made on request.
    static PyObject* const of_contacts[] = {names().velocity, names().angular_velocity, interned("impulse"),
                                            interned("separation_velocity"), interned("status")};
    if (field.name == names().displacement || field.name == names().rotation) return moves;
    if (starts_with(field.name, "joint_")) return has_joints && !starts_with(field.name, "joint_warm");
    return std::find(std::begin(of_contacts), std::end(of_contacts), field.name) != std::end(of_contacts);
  });
  PyObject* const in_place = arguments.take(names().in_place);
  if (in_place != nullptr && value_of<bool>(in_place, [] { return std::string("in_place"); }))
    for (PyObject* name : {names().velocity, names().angular_velocity}) outputs.give(name, scene.array_of_bodies(name));
  if (!arguments.given().empty()) arguments.refuse(arguments.given().front().name);
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
    report = solver.solve(scene.view<T>(), results, options);
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

PyObject* solve_of(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* keywords) {
  return guarded([&] {
    auto& solver = py::cast<SceneSolver&>(py::handle(self));
    if (positional > 1) throw ArgumentError("solve() takes one positional argument, the scene");
    Arguments arguments("solve", values + positional, 0, keywords);
    SceneOptions options;
    take_options(scene_options(), arguments, &options, false);
    take_options(scene_options_of(options.method), arguments, &options, false);
    const auto run = [&](const PythonScene& scene) {
      return scene.in_float() ? solve<float>(solver, scene, arguments, options)
                              : solve<double>(solver, scene, arguments, options);
    };
    if (positional == 1 && values[0] != Py_None) return run(scene_of(values[0]));
    PyObject* const bodies = arguments.take(names().bodies);
    PyObject* const contacts = arguments.take(names().contacts);
    return run(PythonScene(bodies, contacts, arguments.take(names().joints)));
  });
}

py::dict fields_of(const SceneReport& report) {
  py::dict fields;
  fields["bodies"] = report.bodies;
  fields["contacts"] = report.contacts;
  fields["joint_rows"] = report.joint_rows;
  fields["by_status"] = counts_of(report.by_status);
  fields["joints_by_status"] = counts_of(report.joints_by_status);
  fields["method"] = std::string(to_string(report.method));
  fields["isa"] = std::string(to_string(report.isa));
  fields["threads"] = report.threads;
  fields["iterations"] = report.iterations;
  fields["substeps"] = report.substeps;
  fields["impacts"] = report.impacts;
  fields["max_approach_speed"] = report.max_approach_speed;
  fields["residual"] = report.residual;
  fields["error"] = report.error;
  fields["energy_before"] = report.energy_before;
  fields["energy_after"] = report.energy_after;
  fields["joint_work"] = report.joint_work;
  fields["energy_removed"] = report.energy_removed;
  fields["islands"] = report.islands;
  fields["max_island_size"] = report.max_island_size;
  fields["same_graph"] = report.same_graph;
  fields["not_converged"] = report.not_converged;
  fields["stalled"] = report.stalled;
  fields["swept"] = report.swept;
  return fields;
}

}  // namespace

void add_scenes(py::module_& module) {
  add_class<SceneReport>(module, "_SceneReport").def("fields", fields_of);
  add_class<PythonScene>(module, "Scene")
      .def(py::init([](const py::object& bodies, const py::object& contacts, const py::object& joints) {
             return std::make_unique<PythonScene>(bodies.ptr(), contacts.ptr(), joints.ptr());
           }),
           py::kw_only(), py::arg("bodies"), py::arg("contacts") = py::none(), py::arg("joints") = py::none());
  auto solver = add_class<SceneSolver>(module, "SceneSolver");
  solver
      .def(py::init([](const py::object& isa, const py::object& threads) {
             return SceneSolver(execution_of(isa, threads));
           }),
           py::kw_only(), py::arg("isa") = "auto", py::arg("threads") = 0)
      .def(pickled_by_execution<SceneSolver>())
      .def("forget", &SceneSolver::forget)
      .def(
          "save",
          [](const SceneSolver& self) {
            const std::size_t size = self.save(std::span<std::byte>{});
            py::bytes state(nullptr, size);
            self.save({reinterpret_cast<std::byte*>(PyBytes_AS_STRING(state.ptr())), size});
            return state;
          },
          "Saves everything that the solver remembers from call to call. docs/determinism.md#saving-and-restoring")
      .def(
          "restore",
          [](SceneSolver& self, const py::bytes& state) {
            const std::string_view bytes(state);
            self.restore(std::as_bytes(std::span(bytes)));
          },
          py::arg("state"), py::pos_only(),
          "Replaces everything that the solver remembers by a saved state. Raises Error, and changes nothing, if the "
          "bytes\n"
          "are not those of a state of this version of carom.")
      .def_property_readonly("isa", [](const SceneSolver& self) { return std::string(to_string(self.isa())); })
      .def_property_readonly("threads", [](const SceneSolver& self) { return self.execution().threads; });
  add_method(solver, "solve", solve_of);
  for (const char* of : {"Scene", "SceneSolver.solve"}) {
    describe(of, "bodies", "SceneBodies BodyColumns", scene_bodies_record());
    describe(of, "contacts", "SceneContacts LawColumns Weights", scene_contacts_record());
    describe(of, "joints", "JointRows", joints_record());
  }
  describe("SceneSolver.solve", scene_options());
  for (std::size_t method = 0; method < scene_method_count; ++method)
    describe("SceneSolver.solve", scene_options_of(static_cast<SceneMethod>(method)));
  for (const Record* record : {&contact_results_record(), &body_results_record(), &row_results_record()})
    describe("SceneSolver.solve", "results", "SceneResults IslandResults", *record);
}

}  // namespace carom::python
