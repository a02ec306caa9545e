// Lanes: the operations that every ISA has, each in a file of its own, and what they make possible. No other folder
// knows an ISA or a version of xsimd. Arithmetic and comparison operators are xsimd's and the language's own.
#pragma once

#include "binary.hpp"
#include "common.hpp"
