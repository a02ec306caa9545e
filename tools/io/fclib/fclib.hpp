// Contact systems in files of FCLIB (V. Acary, M. Brémond, T. Koziara, F. Pérignon, FCLIB: a collection of discrete 3D
// frictional contact problems, 2014), which are HDF5. FCLIB has the normal first, carom last: both ways it is converted
// here.
#pragma once

#include <string>
#include <vector>

#include "system_numbers.hpp"

namespace carom::io {

/// Maximum number of blocks of W in a file: FCLIB counts their numbers in 32 bits.
inline constexpr std::size_t max_fclib_blocks = 2147483647 / 9;

/// Returns true for HDF5 files with a problem. Throws Error if HDF5 cannot open the file.
bool is_fclib(const std::string& path);

/// A local problem.
struct FclibProblem : SystemNumbers {
  std::string path;
  std::string bytes;  ///< of the file
};

/// Reads a local problem without bilateral constraints. Throws Error with the file and the fault, also for a global
/// problem and if carom was built without HDF5.
FclibProblem read_fclib(const std::string& path);

/// Returns the problem's file with /solution/r and /solution/u added. Both are given in carom's order, three numbers
/// per contact. An existing group /solution is replaced.
std::string with_solution(const FclibProblem& problem, const std::vector<double>& impulse,
                          const std::vector<double>& velocity);

/// Returns a file with the problem in FCLIB's local layout, with W in compressed rows. Error messages use `name`;
/// `description` states the origin of the problem. Throws Error if the problem has too many numbers for the layout,
/// which uses 32-bit counts.
std::string new_fclib(const SystemNumbers& problem, const std::string& name, const std::string& description);

}  // namespace carom::io
