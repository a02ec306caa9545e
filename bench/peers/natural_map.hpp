// The error by which the field compares solvers of contact systems, worked out by itself.
#pragma once

#include <vector>

#include "io/fclib/fclib.hpp"

namespace carom::peers {

/// |r - P(r - (u + μ |u_t| n))| / |q| with u = W r + q, P the projection on the cones and norms over all contacts.
/// Three numbers a contact, the normal last. |q| of 0 counts as 1.
double natural_map_error(const io::FclibProblem& problem, const std::vector<double>& impulse);

}  // namespace carom::peers
