// Lanes: one file per ISA with the operations that every ISA has, and operations composed of them. No other folder
// depends on an ISA or a version of xsimd. Arithmetic and comparison use the operators of xsimd and of the language.
#pragma once

#include "binary.hpp"
#include "common.hpp"
