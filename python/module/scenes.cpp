// Scenes: bodies, contacts and joints of a step, solved together.
#include <algorithm>
#include <carom/joints.hpp>
#include <cstring>
#include <variant>

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

using Results = SceneResults<double>;

const Record& contact_results_record() {
  static const Record record = record_of<Results>(
      [](RecordMaker& maker, const auto& results) { columns::each_scene_result(maker.adds(false), results); });
  return record;
}
const Record& body_results_record() {
  static const Record record = record_of<Results>([](RecordMaker& maker, const auto& results) {
    columns::each_scene_body_result(maker.adds(false), results);
    columns::each_island_result(maker.adds(false), results.islands);
  });
  return record;
}
const Record& row_results_record() {
  static const Record record = record_of<Results>(
      [](RecordMaker& maker, const auto& results) { columns::each_scene_row_result(maker.adds(false), results); });
  return record;
}

/// The columns of a step, which stay those of the arrays that it was made of.
class PythonScene {
 public:
  PythonScene(PyObject* bodies, PyObject* contacts, PyObject* joints) {
    static_assert(sizeof(Scene<float>) == sizeof(Scene<double>));
    const auto add = [this](Batch& batch, const Record& record, PyObject* given, std::size_t base) {
      if (given == nullptr || given == Py_None) {
        batch.count = 0;
        return;
      }
      const Arguments columns = Arguments::of(given, batch.what);
      inputs_.add_all(batch, record, columns, base, batch.what);
      // A number for all stands for as many as there are; one body or contact has arrays of one.
      if (batch.count < 0)
        throw Error(std::string("carom: no array among ") + batch.what + " tells how many there are");
    };
    if (bodies == nullptr || bodies == Py_None) throw Error("carom: a scene needs bodies");
    add(bodies_, scene_bodies_record(), bodies, offsetof(Scene<double>, bodies));
    add(contacts_, scene_contacts_record(), contacts, offsetof(Scene<double>, contacts));
    add(joints_, joints_record(), joints, offsetof(Scene<double>, joints));
    in_float_ = inputs_.in_float();
    if (in_float_)
      inputs_.write(&scene_.emplace<Scene<float>>(), true);
    else
      inputs_.write(&scene_.emplace<Scene<double>>(), false);
  }
  PythonScene(const PythonScene&) = delete;
  PythonScene& operator=(const PythonScene&) = delete;

  bool in_float() const { return in_float_; }
  npy_intp bodies() const { return bodies_.size(); }
  npy_intp contacts() const { return contacts_.size(); }
  npy_intp joints() const { return joints_.size(); }
  /// The caller's own array, whose elements the scene reads where they are.
  py::object array_of_bodies(PyObject* name) const { return inputs_.array_in_place(bodies_, name); }
  template <class T>
  const Scene<T>& view() const {
    return std::get<Scene<T>>(scene_);
  }

 private:
  Inputs inputs_;
  Batch bodies_{"bodies"}, contacts_{"contacts"}, joints_{"joints"};
  bool in_float_;
  std::variant<Scene<double>, Scene<float>> scene_;
};

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
  const bool moves = options.method == SceneMethod::substeps ||
                     (options.method == SceneMethod::simultaneous && options.simultaneous.time_step > 0);
  const bool has_joints = scene.joints() > 0;
  Outputs outputs(arguments, [=](const Field& field) {
    // What every step gives; what the next step can begin with, and islands, are asked for.
    static PyObject* const of_contacts[] = {names().velocity, names().angular_velocity, interned("impulse"),
                                            interned("separation_velocity"), interned("status")};
    if (field.name == names().displacement || field.name == names().rotation) return moves;
    if (starts_with(field.name, "joint_")) return has_joints && !starts_with(field.name, "joint_warm");
    return std::find(std::begin(of_contacts), std::end(of_contacts), field.name) != std::end(of_contacts);
  });
  PyObject* const in_place = arguments.take(names().in_place);
  const int is_in_place = in_place != nullptr ? PyObject_IsTrue(in_place) : 0;
  succeed(is_in_place);
  if (is_in_place == 1)
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
  // Arrays of islands are as long as the bodies, for so many there may be.
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
    static PyObject* const method_name = interned("method");
    auto& solver = py::cast<SceneSolver&>(py::handle(self));
    if (positional > 1) throw py::type_error("solve() takes one positional argument, the scene");
    Arguments arguments("solve", values + positional, 0, keywords);
    SceneOptions options;
    if (PyObject* const method = arguments.value(method_name); method != nullptr)
      options.method = scene_method_from_string(text_of(method));
    take_options(scene_options(), arguments, &options, false);
    take_options(scene_options_of(options.method), arguments, &options, false);
    const auto run = [&](const PythonScene& scene) {
      return scene.in_float() ? solve<float>(solver, scene, arguments, options)
                              : solve<double>(solver, scene, arguments, options);
    };
    if (positional == 1) return run(py::cast<const PythonScene&>(py::handle(values[0])));
    PyObject* const bodies = arguments.take(names().bodies);
    PyObject* const contacts = arguments.take(names().contacts);
    return run(PythonScene(bodies, contacts, arguments.take(names().joints)));
  });
}

/// Rows as a structured array, whose fields a scene reads. Warm impulses are not among them, for where there is a
/// column of these keys find none.
template <class T>
py::object array_of_rows(const JointRowData<T>& data) {
  using Row = typename JointRowData<T>::Row;
  static PyObject* const type = [] {
    py::list field_names, formats, offsets;
    const Row row;
    const auto add = [&]<class V>(const columns::Label& label, const V& value) {
      if (std::strcmp(label.member, "warm_impulse") == 0) return;
      field_names.append(label.member);
      const std::string number = "f" + std::to_string(sizeof(T));
      formats.append(std::is_same_v<V, std::int32_t>    ? "i4"
                     : std::is_same_v<V, std::uint64_t> ? "u8"
                     : std::is_same_v<V, T>             ? number
                                                        : "3" + number);
      offsets.append(reinterpret_cast<const char*>(&value) - reinterpret_cast<const char*>(&row));
    };
    columns::each_needed_of_rows(add, row);
    columns::each_optional_of_rows(add, row);
    py::dict description;
    description["names"] = field_names;
    description["formats"] = formats;
    description["offsets"] = offsets;
    description["itemsize"] = sizeof(Row);
    PyArray_Descr* made = nullptr;
    if (PyArray_DescrConverter(description.ptr(), &made) == 0) throw py::error_already_set();
    return reinterpret_cast<PyObject*>(made);
  }();
  Py_INCREF(type);
  auto count = static_cast<npy_intp>(data.rows.size());
  py::object rows = owned(PyArray_NewFromDescr(&PyArray_Type, reinterpret_cast<PyArray_Descr*>(type), 1, &count,
                                               nullptr, nullptr, 0, nullptr));
  std::memcpy(PyArray_DATA(as_array(rows.ptr())), static_cast<const void*>(data.rows.data()),
              data.rows.size() * sizeof(Row));
  return rows;
}

template <class T>
std::array<T, 3> vector_of(const py::object& three, const char* name) {
  const py::sequence numbers = py::reinterpret_steal<py::sequence>(owned(PySequence_List(three.ptr())).release());
  if (numbers.size() != 3) throw Error(std::string("carom: ") + name + " has three numbers");
  return {py::cast<T>(numbers[0]), py::cast<T>(numbers[1]), py::cast<T>(numbers[2])};
}

template <class T>
JointBodies<T> joint_bodies(std::int32_t a, std::int32_t b, const py::object& anchor_a, const py::object& anchor_b) {
  return {a, b, vector_of<T>(anchor_a, "anchor_a"), vector_of<T>(anchor_b, "anchor_b")};
}

/// The rows that add(data, bodies) makes of a joint in the precision asked for.
template <class Add>
py::object rows_of(const std::string& dtype, std::int32_t a, std::int32_t b, const py::object& anchor_a,
                   const py::object& anchor_b, const Add& add) {
  const auto make = [&]<class T>() {
    JointRowData<T> data;
    add(data, joint_bodies<T>(a, b, anchor_a, anchor_b));
    return array_of_rows(data);
  };
  if (dtype == "float32") return make.template operator()<float>();
  if (dtype == "float64") return make.template operator()<double>();
  throw Error("carom: dtype is 'float32' or 'float64', not '" + dtype + "'");
}

void add_joints(py::module_& module) {
  const auto anchors = py::make_tuple(0., 0., 0.);
  const auto define = [&](const char* name, const char* text, auto function, const auto&... more) {
    module.def(name, function, text, py::kw_only(), py::arg("a") = -1, py::arg("b") = -1, py::arg("anchor_a") = anchors,
               py::arg("anchor_b") = anchors, more..., py::arg("dtype") = "float64");
  };
  using Object = const py::object&;
  using Type = const std::string&;
  const auto plain = [](auto add) {
    return [add](int a, int b, Object at_a, Object at_b, Type dtype) { return rows_of(dtype, a, b, at_a, at_b, add); };
  };
  const auto along = [](const char* name, auto add) {
    return [name, add](int a, int b, Object at_a, Object at_b, Object axis, Type dtype) {
      return rows_of(dtype, a, b, at_a, at_b, [&]<class T>(JointRowData<T>& data, const auto& bodies) {
        add(data, bodies, vector_of<T>(axis, name));
      });
    };
  };
  const auto driven = [](auto add) {
    return [add](int a, int b, Object at_a, Object at_b, Object axis, double speed, double largest, Type dtype) {
      return rows_of(dtype, a, b, at_a, at_b, [&]<class T>(JointRowData<T>& data, const auto& bodies) {
        add(data, bodies, vector_of<T>(axis, "axis"), static_cast<T>(speed), static_cast<T>(largest));
      });
    };
  };
  const auto axis = py::arg("axis"), direction = py::arg("direction"), speed = py::arg("speed"),
             largest = py::arg("largest");
  define("ball_joint", "Rows of a ball joint: the anchors do not part.",
         plain([](auto& data, const auto&... of) { add_ball_joint(data, of...); }));
  define("fixed_joint", "Rows of a fixed joint: both bodies move as one.",
         plain([](auto& data, const auto&... of) { add_fixed_joint(data, of...); }));
  define("hinge", "Rows of a hinge: a ball joint whose bodies turn against each other about the axis alone.",
         along("axis", [](auto& data, const auto&... of) { add_hinge(data, of...); }), axis);
  define("slider", "Rows of a slider: B's anchor moves along the axis, and the bodies do not turn against each other.",
         along("axis", [](auto& data, const auto&... of) { add_slider(data, of...); }), axis);
  define("distance_joint", "The row of a rod: the anchors keep their distance along the direction, from B's to A's.",
         along("direction", [](auto& data, const auto&... of) { add_distance_joint(data, of...); }), direction);
  define("motor",
         "The row of a motor: turns A against B about the axis at a speed [rad/s], by at most `largest` [N m s].",
         driven([](auto& data, const auto&... of) { add_motor(data, of...); }), axis, speed, largest);
  define("linear_motor",
         "The row of a motor: moves A's anchor against B's at a speed [m/s], by at most `largest` [N s].",
         driven([](auto& data, const auto&... of) { add_linear_motor(data, of...); }), axis, speed, largest);
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
  fields["greatest_approach"] = report.greatest_approach;
  fields["residual"] = report.residual;
  fields["error"] = report.error;
  fields["energy_before"] = report.energy_before;
  fields["energy_after"] = report.energy_after;
  fields["joint_work"] = report.joint_work;
  fields["islands"] = report.islands;
  fields["largest_island"] = report.largest_island;
  fields["same_graph"] = report.same_graph;
  fields["not_converged"] = report.not_converged;
  fields["stalled"] = report.stalled;
  fields["swept"] = report.swept;
  return fields;
}

}  // namespace

void add_scenes(py::module_& module) {
  py::class_<SceneReport>(module, "_SceneReport").def("fields", fields_of);
  py::class_<PythonScene>(module, "Scene")
      .def(py::init([](const py::object& bodies, const py::object& contacts, const py::object& joints) {
             return std::make_unique<PythonScene>(bodies.ptr(), contacts.ptr(), joints.ptr());
           }),
           py::kw_only(), py::arg("bodies"), py::arg("contacts") = py::none(), py::arg("joints") = py::none());
  py::class_<SceneSolver> solver(module, "SceneSolver");
  solver
      .def(py::init([](const std::string& isa, int threads) { return SceneSolver(execution_of(isa, threads)); }),
           py::kw_only(), py::arg("isa") = "auto", py::arg("threads") = 0)
      .def("forget", &SceneSolver::forget)
      .def_property_readonly("isa", [](const SceneSolver& self) { return std::string(to_string(self.isa())); })
      .def_property_readonly("threads", [](const SceneSolver& self) { return self.execution().threads; });
  add_method(solver, "solve", solve_of);
  add_joints(module);
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
