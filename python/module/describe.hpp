// What names, shapes and kinds the functions of the module take: for their signatures, documentation and type stubs.
#pragma once

#include "options.hpp"
#include "record.hpp"

namespace carom::python {

/// Adds a group of fields to what the module tells of a function; `of` are the structs of include/carom that have the
/// comments.
void describe(const char* function, const char* group, const char* of, const Record& record);
void describe(const char* function, const OptionList& options);

/// The functions that tell what has been described, and the names of enumerations.
void add_descriptions(py::module_& module);

}  // namespace carom::python
