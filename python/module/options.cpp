#include "options.hpp"

#include <array>
#include <string>
#include <string_view>
#include <type_traits>

namespace carom::python {
namespace {

std::string_view to_string(SweptContacts swept) {
  return swept == SweptContacts::colliding ? "colliding" : "touching";
}
std::string_view to_string(ErrorScale scale) {
  return scale == ErrorScale::system ? "system" : "island";
}

template <class E>
constexpr std::size_t count_of = 2;
template <>
constexpr std::size_t count_of<Law> = law_count;
template <>
constexpr std::size_t count_of<RestitutionLaw> = restitution_law_count;
template <>
constexpr std::size_t count_of<SceneMethod> = scene_method_count;
static_assert(count_of<Integrator> == integrator_count && count_of<SweptContacts> == swept_contacts_count);

template <class E>
std::string choices_of() {
  std::string names;
  for (std::size_t i = 0; i < count_of<E>; ++i)
    names += (i > 0 ? ", " : "") + std::string(to_string(static_cast<E>(i)));
  return names;
}

template <class E>
E enum_from(const std::string& text) {
  for (std::size_t i = 0; i < count_of<E>; ++i)
    if (to_string(static_cast<E>(i)) == text) return static_cast<E>(i);
  throw Error("carom: '" + text + "' is none of " + choices_of<E>());
}

template <class T>
void set(void* place, PyObject* value) {
  T& option = *static_cast<T*>(place);
  if constexpr (std::is_enum_v<T>) {
    if (!PyUnicode_Check(value)) throw py::type_error("carom: a law or a method is named by a string");
    option = enum_from<T>(text_of(value));
  } else {
    option = py::cast<T>(py::handle(value));
  }
}
template <>
void set<std::array<double, 3>>(void* place, PyObject* value) {
  const py::sequence three = py::reinterpret_borrow<py::sequence>(owned(PySequence_List(value)));
  if (three.size() != 3) throw Error("carom: an acceleration has three numbers");
  for (std::size_t i = 0; i < 3; ++i) (*static_cast<std::array<double, 3>*>(place))[i] = py::cast<double>(three[i]);
}

template <class T>
constexpr const char* kind_of() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, double>) return "float";
  if constexpr (std::is_enum_v<T>) return "str";
  if constexpr (std::is_same_v<T, std::array<double, 3>>) return "Sequence[float]";
  return "int";
}

template <class T>
std::string usual_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) return value ? "True" : "False";
  if constexpr (std::is_enum_v<T>) return "'" + std::string(to_string(value)) + "'";
  if constexpr (std::is_arithmetic_v<T>) return text_of(py::repr(py::cast(value)).ptr());
  return "(0, 0, 0)";
}

class ListMaker {
 public:
  ListMaker(OptionList& list, const void* object) : list_(list), object_(static_cast<const char*>(object)) {}

  template <class T>
  void add(const char* of, const char* member, const T& option, const char* name = nullptr) {
    std::string choices;
    if constexpr (std::is_enum_v<T>) choices = choices_of<T>();
    list_.push_back({interned(name != nullptr ? name : member), of, member, kind_of<T>(), usual_text(option), choices,
                     static_cast<std::size_t>(reinterpret_cast<const char*>(&option) - object_), &set<T>});
  }

  void collision(const Options& o) {
    add("Options", "law", o.law);
    add("Options", "restitution_law", o.restitution_law);
    add("Options", "integrator", o.integrator);
    add("Options", "steps", o.steps);
    add("Options", "step_budget", o.step_budget);
    add("Options", "largest_restitution", o.largest_restitution);
    add("Options", "normal_tolerance", o.normal_tolerance);
    add("Options", "inertia_tolerance", o.inertia_tolerance);
  }
  void scene(const SceneOptions& o) {
    collision(o.collision);
    add("SceneOptions", "method", o.method);
    add("SceneOptions", "relative_tolerance", o.relative_tolerance);
    add("SceneOptions", "restitution_threshold", o.restitution_threshold);
    add("RestCriterion", "gravity", o.rest.gravity, "rest_gravity");
    add("RestCriterion", "tolerance", o.rest.tolerance, "rest_tolerance");
    add("ShockPropagation", "enabled", o.shock_propagation.enabled, "shock_propagation");
    add("ShockPropagation", "iterations", o.shock_propagation.iterations, "shock_propagation_iterations");
  }
  void simultaneous(const SimultaneousOptions& o) {
    add("SimultaneousOptions", "iterations", o.iterations);
    add("SimultaneousOptions", "relaxation", o.relaxation);
    add("SimultaneousOptions", "warm_start", o.warm_start);
    add("SimultaneousOptions", "joint_warm_start", o.joint_warm_start);
    add("SimultaneousOptions", "rounds", o.rounds);
    add("SimultaneousOptions", "time_step", o.time_step);
    add("SimultaneousOptions", "relaxing", o.relaxing);
  }
  void sequence(const SequenceOptions& o) {
    add("SequenceOptions", "impacts", o.impacts);
    add("SequenceOptions", "seed", o.seed);
  }
  void iteration(const IterationOptions& o) {
    add("IterationOptions", "iterations", o.iterations);
    add("IterationOptions", "swept", o.swept);
  }
  void resting(const RestingOptions& o) {
    add("RestingOptions", "iterations", o.iterations);
    add("RestingOptions", "time_step", o.time_step);
    add("RestingOptions", "gravity", o.gravity);
  }
  void substeps(const SubstepsOptions& o) {
    add("SubstepsOptions", "time_step", o.time_step);
    add("SubstepsOptions", "least", o.least);
    add("SubstepsOptions", "most", o.most);
    add("SubstepsOptions", "rounds", o.rounds);
    add("SubstepsOptions", "sweeps", o.sweeps);
    add("SubstepsOptions", "relaxing", o.relaxing);
    add("SubstepsOptions", "restitution_sweeps", o.restitution_sweeps);
    add("SubstepsOptions", "slop", o.slop);
    add("SubstepsOptions", "push_out", o.push_out);
    add("SubstepsOptions", "largest_push_out_speed", o.largest_push_out_speed);
    add("SubstepsOptions", "joint_frequency", o.joint_frequency);
    add("SubstepsOptions", "joint_damping_ratio", o.joint_damping_ratio);
    add("SubstepsOptions", "contact_damping_ratio", o.contact_damping_ratio);
    add("SubstepsOptions", "warm_start", o.warm_start);
    add("SubstepsOptions", "joint_warm_start", o.joint_warm_start);
  }
  void coulomb(const CoulombOptions& o) {
    add("CoulombOptions", "tolerance", o.tolerance);
    add("CoulombOptions", "budget", o.budget);
    add("CoulombOptions", "most_friction", o.most_friction);
    add("CoulombOptions", "warm_start", o.warm_start);
    add("CoulombOptions", "largest_island", o.largest_island);
    add("CoulombOptions", "after_sweeps", o.after_sweeps);
  }
  void system(const SystemOptions& o) {
    add("SystemOptions", "tolerance", o.tolerance);
    add("SystemOptions", "error_mass", o.error_mass);
    add("SystemOptions", "scale", o.scale);
    add("SystemOptions", "budget", o.budget);
    add("SystemOptions", "most_friction", o.most_friction);
    add("SystemOptions", "asymmetry", o.asymmetry);
  }

 private:
  OptionList& list_;
  const char* object_;
};

template <class Object, class Fill>
OptionList make_list(const Fill& fill) {
  OptionList list;
  const Object object{};
  ListMaker maker(list, &object);
  fill(maker, object);
  return list;
}

}  // namespace

const OptionList& collision_options() {
  static const OptionList list = make_list<Options>([](ListMaker& to, const Options& o) { to.collision(o); });
  return list;
}
const OptionList& scene_options() {
  static const OptionList list = make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.scene(o); });
  return list;
}
const OptionList& scene_options_of(SceneMethod method) {
  static const std::array<OptionList, scene_method_count> lists = {
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.simultaneous(o.simultaneous); }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.sequence(o.sequence); }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.iteration(o.iteration); }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.resting(o.resting); }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) {  // of a step: both
        to.iteration(o.iteration);
        to.resting(o.resting);
      }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.substeps(o.substeps); }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.coulomb(o.coulomb); })};
  return lists[static_cast<std::size_t>(method)];
}
const OptionList& system_options() {
  static const OptionList list = make_list<SystemOptions>([](ListMaker& to, const SystemOptions& o) { to.system(o); });
  return list;
}

void take_options(const OptionList& list, Arguments& arguments, void* options, bool law_is_a_column) {
  if (arguments.given().empty()) return;
  static PyObject *const law = interned("law"), *const restitution_law = interned("restitution_law");
  const auto set = [&](const Option& option, PyObject* value) {
    try {
      option.set(static_cast<char*>(options) + option.offset, value);
    } catch (const py::cast_error&) {
      throw py::type_error("carom: the option " + text_of(option.name) + " is not of type " + option.kind);
    }
  };
  for (const Option& option : list) {
    if (!arguments.has(option.name)) continue;
    const bool may_be_a_column = law_is_a_column && (option.name == law || option.name == restitution_law);
    PyObject* const value = arguments.value(option.name);
    if (may_be_a_column && !PyUnicode_Check(value)) continue;
    // The methods of a step share some names.
    for (const Option& other : list)
      if (other.name == option.name) set(other, value);
    arguments.take(option.name);
  }
}

bool take_number(Arguments& arguments, PyObject* name, double& number) {
  PyObject* const value = arguments.take(name);
  if (value == nullptr) return false;
  number = PyFloat_AsDouble(value);
  if (number == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return true;
}

}  // namespace carom::python
