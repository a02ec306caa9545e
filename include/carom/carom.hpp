// carom for C++: single contacts, scenes, contact systems, columns, joints, laws, errors and reports.
//
// Everything that this header includes becomes stable with version 0.2, except the parts that are marked as
// experimental: the method BenderSchmitt (scene_options.hpp), Solver::differentiate (gradients.hpp) and
// Solver::find_margins (region.hpp). README.md#what-is-promised
//
// The other headers: experimental.hpp has the experimental headers of this library. The scalar reference,
// carom::reference, is an experimental library of its own with the headers reference.hpp, reference_planar.hpp,
// reference_gradients.hpp and reference_scene.hpp. carom.h is the interface in C.
#pragma once

#include <carom/blocked.hpp>
#include <carom/column.hpp>
#include <carom/contacts.hpp>
#include <carom/error.hpp>
#include <carom/export.hpp>
#include <carom/gyroscopic.hpp>
#include <carom/joints.hpp>
#include <carom/law_info.hpp>
#include <carom/laws.hpp>
#include <carom/memory.hpp>
#include <carom/planar.hpp>
#include <carom/scene.hpp>
#include <carom/scene_options.hpp>
#include <carom/solver.hpp>
#include <carom/status.hpp>
#include <carom/system.hpp>
#include <carom/version.hpp>
