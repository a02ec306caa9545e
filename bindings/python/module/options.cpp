#include "options.hpp"

#include <array>
#include <type_traits>

#include "module.hpp"

namespace carom::python {
namespace {

template <class E>
std::string name_of(E value) {
  return std::string(to_string(value));
}

template <class E>
std::string choices_of() {
  std::string names;
  for (std::size_t i = 0; i < enumerators<E>; ++i) names += (i > 0 ? ", " : "") + name_of(static_cast<E>(i));
  return names;
}

template <class E>
E enum_of(PyObject* value, const std::string& what) {
  if (!PyUnicode_Check(value)) refuse_value(what, value, ("a name: " + choices_of<E>()).c_str(), false);
  const std::string text = text_of(value);
  py::list names;
  for (std::size_t i = 0; i < enumerators<E>; ++i) {
    const std::string name = name_of(static_cast<E>(i));
    if (name == text) return static_cast<E>(i);
    names.append(name);
  }
  refuse(what + " is '" + text + "', none of " + choices_of<E>() + nearest(text, names));
}

/// Reads the options of an object of a class of the package.
void read_options(const OptionList& list, PyObject* from, void* options, const std::string& owner) {
  for (const Option& option : list) {
    const py::object value = owned(PyObject_GetAttr(from, option.name));
    option.set(static_cast<char*>(options) + option.offset, value.ptr(), owner + option.info.name);
  }
}

bool is_of(PyObject* value, const std::string& name) {
  const int is = PyObject_IsInstance(value, class_of_options(name));
  succeed(is);
  return is == 1;
}

constexpr const char* position_correction_class = "PositionCorrection";
constexpr const char* usual_position_correction = "PositionCorrection()";

template <class T>
void set(void* place, PyObject* value, const std::string& name) {
  const auto what = [&] { return "the option " + name; };
  T& option = *static_cast<T*>(place);
  if constexpr (std::is_enum_v<T>) {
    option = enum_of<T>(value, what());
  } else if constexpr (std::is_arithmetic_v<T>) {
    option = value_of<T>(value, what);
  } else if constexpr (std::is_same_v<T, std::array<double, 3>>) {
    option = three_numbers(value, what());
  } else if constexpr (std::is_same_v<T, PositionCorrection>) {
    if (!is_of(value, position_correction_class)) refuse_value(what(), value, "a carom.PositionCorrection", false);
    read_options(options_of<PositionCorrection>(), value, &option, name + ".");
  } else {  // std::optional
    option.reset();
    if (value != Py_None) set<typename T::value_type>(&option.emplace(), value, name);
  }
}

template <class T>
constexpr const char* kind_of() {
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, double>) return "float";
  if constexpr (std::is_enum_v<T>) return "str";
  if constexpr (std::is_same_v<T, std::array<double, 3>>) return "Sequence[float]";
  if constexpr (std::is_same_v<T, PositionCorrection>) return "PositionCorrection";
  if constexpr (std::is_same_v<T, std::optional<double>>) return "float | None";
  if constexpr (std::is_same_v<T, std::optional<PositionCorrection>>) return "PositionCorrection | None";
  return "int";
}

template <class T>
std::string usual_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>) return value ? "True" : "False";
  if constexpr (std::is_enum_v<T>) return "'" + name_of(value) + "'";
  if constexpr (std::is_arithmetic_v<T>) return text_of(py::repr(py::cast(value)).ptr());
  if constexpr (std::is_same_v<T, std::array<double, 3>>) return "(0.0, 0.0, 0.0)";
  if constexpr (std::is_same_v<T, PositionCorrection>) return usual_position_correction;
  return "None";
}

template <class Options>
OptionList list_of() {
  OptionList list;
  const Options object{};
  each_option(
      [&]<class T>(const OptionInfo& info, const T& option) {
        std::string choices;
        if constexpr (std::is_enum_v<T>) choices = choices_of<T>();
        const auto offset = reinterpret_cast<const char*>(&option) - reinterpret_cast<const char*>(&object);
        list.push_back({interned(info.name), info, kind_of<T>(), usual_text(option), choices,
                        static_cast<std::size_t>(offset), &set<T>});
      },
      object);
  return list;
}

}  // namespace

template <class Options>
const OptionList& options_of() {
  static const OptionList list = list_of<Options>();
  return list;
}
template const OptionList& options_of<Options>();
template const OptionList& options_of<SceneOptions>();
template const OptionList& options_of<PositionCorrection>();
template const OptionList& options_of<SystemOptions>();
template const OptionList& options_of<MechanismOptions>();

const OptionList& method_options(SceneMethod method) {
  return std::visit([]<class M>(const M&) -> const OptionList& { return options_of<M>(); }, default_method(method));
}

std::string class_of(SceneMethod method) {
  std::string name;
  bool begins = true;
  for (const char c : to_string(method)) {
    if (c != '-') name += begins ? static_cast<char>(c - 'a' + 'A') : c;
    begins = c == '-';
  }
  return name;
}

SceneOptions::Method method_of(PyObject* value) {
  if (PyUnicode_Check(value)) return default_method(enum_of<SceneMethod>(value, "method"));
  for (std::size_t i = 0; i < scene_method_count; ++i) {
    const auto method = static_cast<SceneMethod>(i);
    if (!is_of(value, class_of(method))) continue;
    SceneOptions::Method options = default_method(method);
    // The options have the prefix that messages of the library have.
    std::string owner(to_string(method));
    for (char& c : owner)
      if (c == '-') c = '_';
    std::visit([&](auto& of) { read_options(method_options(method), value, &of, owner + "."); }, options);
    return options;
  }
  refuse_value("method", value, ("carom.Substeps() or the like, or a name: " + choices_of<SceneMethod>()).c_str(),
               false);
}

void take_options(const OptionList& list, Arguments& arguments, void* options, bool law_is_a_column) {
  if (arguments.given().empty()) return;
  static PyObject *const law = interned("law"), *const restitution_law = interned("restitution_law");
  for (const Option& option : list) {
    PyObject* const value = arguments.value(option.name);
    if (value == nullptr) continue;
    const bool may_be_a_column = law_is_a_column && (option.name == law || option.name == restitution_law);
    if (may_be_a_column && !PyUnicode_Check(value)) continue;
    option.set(static_cast<char*>(options) + option.offset, value, option.info.name);
    arguments.take(option.name);
  }
}

std::optional<double> take_number(Arguments& arguments, PyObject* name) {
  PyObject* const value = arguments.take(name);
  if (value == nullptr) return std::nullopt;
  return value_of<double>(value, [&] { return text_of(name); });
}

bool take_bool(Arguments& arguments, PyObject* name) {
  PyObject* const value = arguments.take(name);
  return value != nullptr && value_of<bool>(value, [&] { return text_of(name); });
}

}  // namespace carom::python
