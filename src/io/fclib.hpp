// Contact systems in files of FCLIB (V. Acary, M. Brémond, T. Koziara, F. Pérignon, FCLIB: a collection of discrete 3D
// frictional contact problems, 2014), which are HDF5. FCLIB has the normal first, carom last: both ways it is converted
// here.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "global_system.hpp"
#include "system_numbers.hpp"

namespace carom::io {

/// Maximum number of blocks of W in a file: FCLIB counts their numbers in 32 bits.
inline constexpr std::size_t most_fclib_blocks = 2147483647 / 9;

/// Tells HDF5 files with a problem from others. Throws Error if HDF5 can't open the file.
bool is_fclib(const std::string& path);

/// A local problem, or what a global one is for its contacts.
struct FclibProblem : SystemNumbers {
  std::string path;
  std::string bytes;                              ///< of the file
  std::shared_ptr<const CondensedSystem> global;  ///< null of a local problem
  double condensing_seconds = 0;                  ///< [s] that W and q of a global problem took
};

/// A local problem, or else a global one without bilateral constraints. Throws Error, naming the file and what is wrong
/// in it; also where carom was built without HDF5.
FclibProblem read_fclib(const std::string& path);

/// The problem's file with /solution/r and /solution/u, which are given in carom's order, three numbers a contact, and
/// with /solution/v, the velocities `of_bodies`, if the problem is global. The group /solution that it had is replaced.
std::string with_solution(const FclibProblem& problem, const std::vector<double>& impulse,
                          const std::vector<double>& velocity, const std::vector<double>& of_bodies);

/// A file with the problem in FCLIB's local layout, W by compressed rows. `name` stands in errors, `description` says
/// where the problem comes from. Throws Error if it has too many numbers for the layout, which counts them in 32 bits.
std::string new_fclib(const SystemNumbers& problem, const std::string& name, const std::string& description);

/// Likewise in the global layout, M and H by triplets.
std::string new_global_fclib(const GlobalSystem& problem, const std::string& name, const std::string& description);

}  // namespace carom::io
