// Lanes: one file per ISA with the operations that every ISA has, and operations composed of them. No other folder
// depends on an ISA or a version of xsimd. Arithmetic and comparison operators are those from xsimd and the language.
#pragma once

#include "binary.hpp"
#include "common.hpp"
