// Names, shapes and kinds of the arguments of the functions: for their signatures, documentation and type stubs.
#pragma once

#include <initializer_list>

#include "options.hpp"
#include "record.hpp"

namespace carom::python {

/// Adds a group of fields to the description of a function; `of` are the structs of include/carom that have the
/// comments.
void describe(const char* function, const char* group, const char* of, const Record& record);
void describe(const char* function, const OptionList& options);
/// Adds the names of other keywords, for messages.
void describe_keywords(const char* function, std::initializer_list<const char*> names);

/// The names that a function takes, or the names of its results.
py::list keywords_of(const std::string& function);
py::list results_of(const std::string& function);

/// Adds the descriptions and the names of enumerations to the module.
void add_descriptions(py::module_& module);

}  // namespace carom::python
