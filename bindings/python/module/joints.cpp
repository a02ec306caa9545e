// Rows of joints, coefficients of contacts from the coefficients of bodies, and mechanisms.
#include <array>
#include <carom/joints.hpp>
#include <cstring>
#include <limits>
#include <variant>

#include "core/columns/report_table.hpp"
#include "core/columns/scene_columns.hpp"
#include "describe.hpp"
#include "module.hpp"
#include "options.hpp"
#include "scenes.hpp"

namespace carom::python {
namespace {

/// Makes a structured array of rows with the fields that a scene reads. It has no warm impulses: with such a column the
/// solver would ignore keys.
template <class T>
py::object array_of_rows(const JointRowData<T>& data) {
  using Row = typename JointRowData<T>::Row;
  static const auto* const type = [] {
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
    return new py::object(type_of_description(description));
  }();
  const auto count = static_cast<Py_ssize_t>(data.rows.size());
  py::object rows = new_array(*type, 1, &count);
  std::memcpy(as_array(rows).data, static_cast<const void*>(data.rows.data()), data.rows.size() * sizeof(Row));
  return rows;
}

template <class T>
std::array<T, 3> vector_of(const py::object& three, const char* name) {
  const auto [x, y, z] = three_numbers(three.ptr(), name);
  return {static_cast<T>(x), static_cast<T>(y), static_cast<T>(z)};
}

template <class T>
JointBodies<T> joint_bodies(const py::object& a, const py::object& b, const py::object& r_a, const py::object& r_b) {
  return {value_of<std::int32_t>(a, "a"), value_of<std::int32_t>(b, "b"), vector_of<T>(r_a, "r_a"),
          vector_of<T>(r_b, "r_b")};
}

/// Returns the rows that add(data, bodies) makes of a joint, in the requested precision.
template <class Add>
py::object rows_of(const py::object& dtype, const py::object& a, const py::object& b, const py::object& r_a,
                   const py::object& r_b, const Add& add) {
  return in_precision(dtype.ptr(), [&]<class T>() {
    JointRowData<T> data;
    add(data, joint_bodies<T>(a, b, r_a, r_b));
    return array_of_rows(data);
  });
}

void add_rows(py::module_& module) {
  const auto anchors = py::make_tuple(0., 0., 0.);
  // `arguments` describes the arguments `more`.
  const auto define = [&](const char* name, const char* headline, const std::string& arguments, auto function,
                          const auto&... more) {
    const std::string text =
        std::string(headline) +
        "\n\n  a, b      indices of the bodies. Default -1: the immovable world\n"
        "  r_a, r_b  [m] offsets from the centres of mass of A and B to their points of the joint, world frame.\n"
        "            Default (0, 0, 0)\n" +
        arguments +
        "  dtype     'float64' or 'float32': precision of the rows. Default 'float64'\n\n"
        "Returns a structured array with the columns of carom.Joints except warm_impulse. Its fields can be changed.\n"
        "np.concatenate joins the rows of several joints. Raises carom.Error for an argument of a wrong type or an "
        "axis\n"
        "of length 0; the solver reports wrong indices as faults of the rows.";
    module.def(name, function, text.c_str(), py::kw_only(), py::arg("a") = -1, py::arg("b") = -1,
               py::arg("r_a") = anchors, py::arg("r_b") = anchors, more..., py::arg("dtype") = "float64");
  };
  using Object = const py::object&;
  const auto plain = [](auto add) {
    return [add](Object a, Object b, Object at_a, Object at_b, Object dtype) {
      return rows_of(dtype, a, b, at_a, at_b, add);
    };
  };
  const auto along = [](const char* name, auto add) {
    return [name, add](Object a, Object b, Object at_a, Object at_b, Object axis, Object dtype) {
      return rows_of(dtype, a, b, at_a, at_b, [&]<class T>(JointRowData<T>& data, const auto& bodies) {
        add(data, bodies, vector_of<T>(axis, name));
      });
    };
  };
  const auto driven = [](auto add) {
    return [add](Object a, Object b, Object at_a, Object at_b, Object axis, Object speed, Object max_impulse,
                 Object dtype) {
      return rows_of(dtype, a, b, at_a, at_b, [&]<class T>(JointRowData<T>& data, const auto& bodies) {
        add(data, bodies, vector_of<T>(axis, "axis"), static_cast<T>(value_of<double>(speed, "speed")),
            static_cast<T>(value_of<double>(max_impulse, "max_impulse")));
      });
    };
  };
  const auto needed = [](const char* name) { return py::arg_v(name, py::none(), "..."); };
  const auto axis = needed("axis"), direction = needed("direction"), speed = needed("speed"),
             max_impulse = needed("max_impulse");
  const std::string of_axis = "  axis      required: three numbers, world frame, of any length except 0\n";
  const auto of_motor = [&](const char* unit_of_speed, const char* unit_of_impulse, const char* load) {
    return of_axis + "  speed     required: " + unit_of_speed + "\n  max_impulse  required: " + unit_of_impulse +
           " >= 0, in both directions: the maximum " + load + " times the time step\n";
  };
  define("ball_joint", "Makes the 3 rows of a ball joint: the two points stay together.", "",
         plain([](auto& data, const auto&... of) { add_ball_joint(data, of...); }));
  define("fixed_joint", "Makes the 6 rows of a fixed joint: both bodies move as one.", "",
         plain([](auto& data, const auto&... of) { add_fixed_joint(data, of...); }));
  define("hinge",
         "Makes the 5 rows of a hinge: a ball joint whose bodies rotate relative to each other about the axis only.",
         of_axis, along("axis", [](auto& data, const auto&... of) { add_hinge(data, of...); }), axis);
  define("slider",
         "Makes the 5 rows of a slider: B's point moves along the axis of A, and the bodies do not rotate relative to "
         "each other.",
         of_axis, along("axis", [](auto& data, const auto&... of) { add_slider(data, of...); }), axis);
  define("distance_joint",
         "Makes the row of a rod: the points keep their distance along the direction. A rope has max_impulse = 0.",
         "  direction required: three numbers from B's point to A's, world frame, of any length except 0\n",
         along("direction", [](auto& data, const auto&... of) { add_distance_joint(data, of...); }), direction);
  define("motor", "Makes the row of a motor: rotates A relative to B about the axis at a speed.",
         of_motor("[rad/s]", "[N m s]", "torque"),
         driven([](auto& data, const auto&... of) { add_motor(data, of...); }), axis, speed, max_impulse);
  define("linear_motor", "Makes the row of a motor: moves A's point relative to B's along the axis at a speed.",
         of_motor("[m/s]", "[N s]", "force"),
         driven([](auto& data, const auto&... of) { add_linear_motor(data, of...); }), axis, speed, max_impulse);
}

CombineRule combine_rule_of(const py::object& rule) {
  const auto name = value_of<std::string>(rule, "rule");
  std::string all;
  py::list rules;
  for (std::size_t i = 0; i < combine_rule_count; ++i) {
    const auto possible = static_cast<CombineRule>(i);
    rules.append(py::str(to_string(possible)));
    if (to_string(possible) == name) return possible;
    all += (i > 0 ? ", " : "") + std::string(to_string(possible));
  }
  refuse("rule: '" + name + "' is no rule: " + all + nearest(name, rules));
}

template <class T>
struct Coefficients {
  Column<const T> of_bodies{};
  Column<const std::int32_t> body_a{}, body_b{};
  Column<T> result{};
};

py::object combined(const py::object& of_bodies, const py::object& body_a, const py::object& body_b,
                    const py::object& rule, const py::object& of_world, const py::object& out) {
  static const Record record = record_of<Coefficients<double>>([](RecordMaker& maker, const auto& of) {
    const auto needed = maker.adds(true);
    needed(columns::Label{"", "of_bodies"}, of.of_bodies);
    needed(columns::Label{"", "body_a"}, of.body_a);
    needed(columns::Label{"", "body_b"}, of.body_b);
    needed(columns::Label{"", "coefficients"}, of.result);
  });
  const CombineRule by = combine_rule_of(rule);
  Batch bodies("bodies"), contacts("contacts");
  Inputs inputs;
  inputs.add(bodies, record.fields[0], of_bodies.ptr());
  inputs.add(contacts, record.fields[1], body_a.ptr());
  inputs.add(contacts, record.fields[2], body_b.ptr());
  if (bodies.count < 0) refuse("of_bodies is an array with a coefficient for each body");
  const auto world = value_of<double>(of_world, "of_world");
  const bool in_float = inputs.in_float();
  const Field& field = record.fields[3];
  const py::object result = out.is_none() ? new_array(field, contacts.size(), in_float) : out;
  const auto run = [&]<class T>() {
    Coefficients<T> call;
    inputs.write(&call, in_float);
    write_into(field, result.ptr(), contacts.size(), in_float, &call);
    const py::gil_scoped_release others_may_run;
    combine(by, call.of_bodies, static_cast<T>(world), call.body_a, call.body_b, call.result);
  };
  in_float ? run.template operator()<float>() : run.template operator()<double>();
  return result;
}

template <class T>
py::object number_or_array(const T& value) {
  return py::cast(value);
}
template <std::size_t n>
py::object number_or_array(const std::array<double, n>& numbers) {
  constexpr Py_ssize_t count = n;
  py::object array = new_array(type_of_number(type_number::float64), 1, &count);
  std::memcpy(as_array(array).data, numbers.data(), sizeof numbers);
  return array;
}

/// Mechanisms of a scene, in the precision of the scene. They write into the arrays of its bodies.
class PythonMechanisms {
 private:
  template <class F>
  auto visit(const F& f) const {
    if (const auto* in_float = std::get_if<Mechanisms<float>>(&mechanisms_)) return f(*in_float);
    return f(std::get<Mechanisms<double>>(mechanisms_));
  }

 public:
  PythonMechanisms(const PythonScene& scene, const MechanismOptions& options) : scene_(scene) {
    if (scene.in_float())
      mechanisms_.emplace<Mechanisms<float>>(scene.view<float>(), options);
    else
      mechanisms_.emplace<Mechanisms<double>>(scene.view<double>(), options);
  }

  MechanismContact contact(std::size_t index) const {
    return visit([&](const auto& of) { return of.contact(index); });
  }

  /// Calls f(mechanisms, results) with the columns that the call changes.
  template <class F>
  void change(const py::object& joint_impulse, const F& f) const {
    visit([&]<class T>(const Mechanisms<T>& of) {
      SceneResults<T> to;
      const auto write = [&](const Record& record, const char* name, const py::object& array, Py_ssize_t count) {
        write_into(*record.find(interned(name)), array.ptr(), count, sizeof(T) == sizeof(float), &to);
      };
      for (const char* name : {"velocity", "angular_velocity"})
        write(body_results_record(), name, scene_.array_of_bodies(interned(name)), scene_.bodies());
      if (!joint_impulse.is_none()) write(row_results_record(), "joint_impulse", joint_impulse, scene_.joints());
      const py::gil_scoped_release others_may_run;
      f(of, to);
    });
  }

 private:
  const PythonScene& scene_;
  std::variant<std::monostate, Mechanisms<double>, Mechanisms<float>> mechanisms_;
};

/// Returns the columns of one contact for solve: the columns of contacts in contact space that every law reads.
py::dict columns_of(const MechanismContact& contact) {
  py::dict columns;
  each_field(
      [&](const char* name, const auto& value) {
        if (contacts_record<KContacts<double>>().find(interned(name)) == nullptr) return;
        const py::object numbers = number_or_array(value);
        // Arrays with one row, and numbers.
        if (is_array(numbers.ptr()))
          columns[name] = numbers.attr("reshape")(1, -1);
        else
          columns[name] = numbers;
      },
      contact);
  return columns;
}

void add_mechanisms(py::module_& module) {
  auto contact = add_class<MechanismContact>(module, "MechanismContact");
  each_field(
      [&](const char* field, const auto&) {
        contact.def_property_readonly(field, [field](const MechanismContact& self) {
          py::object found;
          each_field(
              [&](const char* name, const auto& value) {
                if (std::strcmp(name, field) == 0) found = number_or_array(value);
              },
              self);
          return found;
        });
      },
      static_cast<const MechanismContact&>(MechanismContact{}));
  const auto vector = py::arg("vector");
  contact
      .def("columns", &columns_of,
           "Returns k (1, 6), separation_velocity (1, 3), friction and restitution as keywords of carom.solve().")
      .def(
          "in_world",
          [](const MechanismContact& self, const py::object& v) {
            return number_or_array(self.in_world(vector_of<double>(v, "vector")));
          },
          vector, "Transforms a vector (3,) from the frame of the contact to the world.")
      .def(
          "in_frame",
          [](const MechanismContact& self, const py::object& v) {
            return number_or_array(self.in_frame(vector_of<double>(v, "vector")));
          },
          vector, "Transforms a vector (3,) from the world to the frame of the contact.");
  add_class<PythonMechanisms>(module, "Mechanisms")
      .def(py::init([](const py::object& scene, const py::kwargs& keywords) {
             MechanismOptions options;
             Arguments arguments = Arguments::of(keywords.ptr(), "Mechanisms");
             take_options(options_of<MechanismOptions>(), arguments, &options, false);
             if (!arguments.given().empty())
               arguments.refuse(arguments.given().front().name, keywords_of("Mechanisms"));
             return std::make_unique<PythonMechanisms>(scene_of(scene.ptr()), options);
           }),
           py::keep_alive<1, 2>(), py::arg("scene"))
      .def(
          "contact",
          [](const PythonMechanisms& self, const py::object& index) {
            return self.contact(value_of<std::size_t>(index, "index"));
          },
          py::arg("index"),
          "Computes K and u0 of a contact of the scene, with the rows held. Raises carom.Error if there is no such\n"
          "contact, or if the contact, or the bodies or rows of its mechanism, are at fault.")
      .def(
          "apply",
          [](const PythonMechanisms& self, const py::object& contact, const py::object& impulse, const py::object& to) {
            if (!py::isinstance<MechanismContact>(contact))
              throw ArgumentError("contact is " + value_words(contact.ptr()) + ", not what contact() gives");
            const auto& of = py::cast<const MechanismContact&>(contact);
            const auto p = vector_of<double>(impulse, "impulse");
            self.change(to, [&](const auto& mechanisms, const auto& results) {
              mechanisms.apply(of, p, results.velocity, results.angular_velocity, results.joint_impulse);
            });
          },
          py::arg("contact"), py::arg("impulse"), py::kw_only(), py::arg("joint_impulse") = py::none(),
          "Applies an impulse and the reactions of the joints to the velocities of all bodies, in the arrays of the\n"
          "scene.\n\n"
          "  contact        what contact() returns\n"
          "  impulse        (3,) [N s] on body A, in the frame of the contact\n"
          "  joint_impulse  (rows,) [N s] the impulses of the rows are added to it. Default None")
      .def(
          "satisfy_rows",
          [](const PythonMechanisms& self, const py::object& to) {
            self.change(to, [](const auto& mechanisms, const auto& results) {
              mechanisms.satisfy_rows(results.velocity, results.angular_velocity, results.joint_impulse);
            });
          },
          py::kw_only(), py::arg("joint_impulse") = py::none(),
          "Changes the velocities, in the arrays of the scene, until all rows have their target velocities.\n\n"
          "  joint_impulse  (rows,) [N s] the impulses of the rows are added to it. Default None");
  describe("Mechanisms", options_of<MechanismOptions>());
}

}  // namespace

void add_joints(py::module_& module) {
  add_rows(module);
  add_mechanisms(module);
  module.def("combine", combined,
             "Returns the coefficients of contacts, from the coefficients of their bodies.\n\n"
             "  of_bodies  (n,) [1] coefficient of each body\n"
             "  body_a, body_b  (contacts,) index into of_bodies, -1 for the immovable world\n"
             "  rule  mean, geometric-mean, min, max, product. Default geometric-mean\n"
             "  of_world  [1] coefficient of the world. Default NaN\n"
             "  out  array for the result, of the precision of of_bodies. Default: a new array\n\n"
             "An index that names no body gives NaN, and the solver reports the contact.",
             py::arg("of_bodies"), py::arg("body_a"), py::arg("body_b"), py::kw_only(),
             py::arg("rule") = "geometric-mean", py::arg("of_world") = std::numeric_limits<double>::quiet_NaN(),
             py::arg("out") = py::none());
}

}  // namespace carom::python
