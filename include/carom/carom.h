// carom in C99. docs/c.md is the introduction. Fields have the names, units and ranges of the C++ headers.
//
// - Columns refer to your arrays. Element i has the address data + i * stride, in bytes. A stride of 0 repeats the
//   first element; `count` is still the number of elements. A column whose members are all zero is absent.
// - Calls with columns have an argument for the precision of their numbers. Indices and counts are int32_t, keys
//   uint64_t, enumerations uint8_t, paths carom_path.
// - Structs that may grow in later versions begin with struct_size: set it to sizeof of the struct. A newer library
//   uses defaults for fields that an older program does not have. An older library accepts a larger struct if the
//   fields that it does not know are zero. Set all other members to zero, or call the init function if there is one.
// - Functions return a carom_error. carom_error_message() returns the message of the calling thread's last error. No
//   exception leaves a function. Faulty data of a contact are not an error: the contact gets a status.
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
