// Options of calls by name, made from the table of options.
#pragma once

#include <carom/scene.hpp>
#include <carom/system.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "core/columns/option_table.hpp"

namespace carom::python {

/// A member of an options struct.
struct Option {
  PyObject* name;  // interned
  OptionInfo info;
  const char* kind;     // for signatures: "float", "int", "bool", "str"
  std::string usual;    // the default, as Python writes it: "'incremental'", "200"
  std::string choices;  // allowed names, else empty
  std::size_t offset;
  /// Writes a value. `what` names the option in messages: "pgs.iterations".
  void (*set)(void* place, PyObject* value, const std::string& what);
};

using OptionList = std::vector<Option>;

/// Returns the options of a struct. All methods share the options of SceneOptions.
template <class Options>
const OptionList& options_of();
const OptionList& method_options(SceneMethod method);

/// Takes the options of a list from the arguments and writes them into an object. If laws may also be columns, laws
/// that are not one string stay in the arguments.
void take_options(const OptionList& list, Arguments& arguments, void* options, bool law_is_a_column = true);

/// Returns the method of an argument: a name, which selects defaults, or an object such as carom.Ncp().
SceneOptions::Method method_of(PyObject* value);
/// Returns the class in Python of the options of a method: "SequentialImpacts".
std::string class_of(SceneMethod method);

/// Takes a number that is not a member of a struct, for example the tolerance of a call.
std::optional<double> take_number(Arguments& arguments, PyObject* name);
/// The same for a truth value; false if it is missing.
bool take_bool(Arguments& arguments, PyObject* name);

}  // namespace carom::python
