// Options of calls by name: one list of the members of each options struct.
#pragma once

#include <carom/scene.hpp>
#include <carom/system.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "arguments.hpp"

namespace carom::python {

/// A member of an options struct.
struct Option {
  PyObject* name;  // interned
  const char* of;  // the struct in include/carom, where its comment is
  const char* member;
  const char* kind;     // for signatures: "float", "int", "bool", "str"
  std::string usual;    // the default: "'incremental'", "200"
  std::string choices;  // allowed names, else empty
  std::size_t offset;
  void (*set)(void* place, PyObject* value, const char* name);
};

using OptionList = std::vector<Option>;

const OptionList& collision_options();
/// Options of all methods, and options of single methods.
const OptionList& scene_options();
const OptionList& scene_options_of(SceneMethod method);
const OptionList& system_options();
const OptionList& mechanism_options();

/// Takes the options of a list from the arguments and writes them into an object. If laws may also be columns, laws
/// that are not one string stay in the arguments.
void take_options(const OptionList& list, Arguments& arguments, void* options, bool law_is_a_column = true);

/// Takes a number that is not a member of a struct, for example the tolerance of a call. Returns whether it was given.
bool take_number(Arguments& arguments, PyObject* name, double& number);

}  // namespace carom::python
