#include "options.hpp"

#include <array>
#include <string>
#include <string_view>
#include <type_traits>

#include "mechanism_fields.hpp"
#include "option_fields.hpp"

namespace carom::python {
namespace {

std::string_view to_string(ContactFilter swept) {
  return swept == ContactFilter::colliding ? "colliding" : "touching";
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
static_assert(count_of<Integrator> == integrator_count && count_of<ContactFilter> == contact_filter_count);

template <class E>
std::string choices_of() {
  std::string names;
  for (std::size_t i = 0; i < count_of<E>; ++i)
    names += (i > 0 ? ", " : "") + std::string(to_string(static_cast<E>(i)));
  return names;
}

template <class E>
E enum_of(PyObject* value, const std::string& what) {
  if (!PyUnicode_Check(value)) refuse_value(what, value, ("a name: " + choices_of<E>()).c_str(), false);
  const std::string text = text_of(value);
  for (std::size_t i = 0; i < count_of<E>; ++i)
    if (to_string(static_cast<E>(i)) == text) return static_cast<E>(i);
  refuse(what + " is '" + text + "', none of " + choices_of<E>());
}

template <class T>
void set(void* place, PyObject* value, const char* name) {
  const auto what = [&] { return "the option " + std::string(name); };
  T& option = *static_cast<T*>(place);
  if constexpr (std::is_enum_v<T>)
    option = enum_of<T>(value, what());
  else if constexpr (std::is_arithmetic_v<T>)
    option = value_of<T>(value, what);
  else
    option = three_numbers(value, what());
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
  void add(const char* of, const char* member, const T& option, const std::string& name) {
    std::string choices;
    if constexpr (std::is_enum_v<T>) choices = choices_of<T>();
    list_.push_back({interned(name), of, member, kind_of<T>(), usual_text(option), choices,
                     static_cast<std::size_t>(reinterpret_cast<const char*>(&option) - object_), &set<T>});
  }

  /// All fields of a struct, under their names or with `prefix` before them.
  template <class O>
  void fields(const char* of, const O& options, const std::string& prefix = "") {
    each_field([&](const char* member, const auto& option) { add(of, member, option, prefix + member); }, options);
  }

  void scene(const SceneOptions& o) {
    fields("Options", o.collision);
    fields("SceneOptions", o);
    fields("RestCriterion", o.rest, "rest_");
    add("ShockPropagation", "enabled", o.shock_propagation.enabled, "shock_propagation");
    add("ShockPropagation", "iterations", o.shock_propagation.iterations, "shock_propagation_iterations");
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
  static const OptionList list = make_list<Options>([](ListMaker& to, const Options& o) { to.fields("Options", o); });
  return list;
}
const OptionList& scene_options() {
  static const OptionList list = make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.scene(o); });
  return list;
}
const OptionList& scene_options_of(SceneMethod method) {
  static const std::array<OptionList, scene_method_count> lists = {
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.fields("PgsOptions", o.pgs); }),
      make_list<SceneOptions>(
          [](ListMaker& to, const SceneOptions& o) { to.fields("SequentialImpactsOptions", o.sequential_impacts); }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.fields("IterationOptions", o.iteration); }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.fields("RestingOptions", o.resting); }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) {  // SceneMethod::step has both
        to.fields("IterationOptions", o.iteration);
        to.fields("RestingOptions", o.resting);
      }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) { to.fields("SubstepsOptions", o.substeps); }),
      make_list<SceneOptions>([](ListMaker& to, const SceneOptions& o) {
        to.fields("NcpOptions", o.ncp);
        // For islands that are solved by sweeps.
        to.add("PgsOptions", "iterations", o.pgs.iterations, "iterations");
        to.add("PgsOptions", "relaxation", o.pgs.relaxation, "relaxation");
        to.add("PgsOptions", "inner_iterations", o.pgs.inner_iterations, "inner_iterations");
      })};
  return lists[static_cast<std::size_t>(method)];
}
const OptionList& system_options() {
  static const OptionList list =
      make_list<SystemOptions>([](ListMaker& to, const SystemOptions& o) { to.fields("SystemOptions", o); });
  return list;
}

const OptionList& mechanism_options() {
  static const OptionList list =
      make_list<MechanismOptions>([](ListMaker& to, const MechanismOptions& o) { to.fields("MechanismOptions", o); });
  return list;
}

void take_options(const OptionList& list, Arguments& arguments, void* options, bool law_is_a_column) {
  if (arguments.given().empty()) return;
  static PyObject *const law = interned("law"), *const restitution_law = interned("restitution_law");
  for (const Option& option : list) {
    if (!arguments.has(option.name)) continue;
    const bool may_be_a_column = law_is_a_column && (option.name == law || option.name == restitution_law);
    PyObject* const value = arguments.value(option.name);
    if (may_be_a_column && !PyUnicode_Check(value)) continue;
    // The methods of a step share some names.
    for (const Option& other : list)
      if (other.name == option.name)
        other.set(static_cast<char*>(options) + other.offset, value, PyUnicode_AsUTF8(other.name));
    arguments.take(option.name);
  }
}

bool take_number(Arguments& arguments, PyObject* name, double& number) {
  PyObject* const value = arguments.take(name);
  if (value == nullptr) return false;
  number = value_of<double>(value, [&] { return text_of(name); });
  return true;
}

}  // namespace carom::python
