// All of carom in C99. docs/c.md is the way in; units, ranges and methods are those of the C++ headers, whose fields
// have the same names.
//
// - Arrays stay the host's. A column is a pointer into them, as in contacts.hpp: element i stands i * stride bytes
// behind
//   the first, and a stride of 0 repeats one element for every contact. A column of zeros is none.
// - A call that takes columns is told the precision of its numbers. Others are int32_t (indices, counts), uint64_t
// (keys),
//   uint8_t (the numbers of enumerations) and carom_path.
// - Structs that later versions may extend begin with their struct_size, which is sizeof of the struct. A library that
// is
//   newer than its user takes defaults for the rest; an older one takes a larger struct as long as what it does not
//   know is zero.
// - Functions give back a carom_error, and carom_error_message() tells the last one of the calling thread. No exception
//   leaves a function. A contact with faulty data is no error: it has a status.
#pragma once

#include <carom/c/base.h>
#include <carom/c/contacts.h>
#include <carom/c/enums.h>
#include <carom/c/gradients.h>
#include <carom/c/joints.h>
#include <carom/c/laws.h>
#include <carom/c/mechanism.h>
#include <carom/c/region.h>
#include <carom/c/scene.h>
#include <carom/c/solver.h>
#include <carom/c/system.h>

#include <carom/version.hpp>
