// Contact systems in files of FCLIB (V. Acary, M. Brémond, T. Koziara, F. Pérignon, FCLIB: a collection of discrete 3D
// frictional contact problems, 2014), which are HDF5. FCLIB has the normal first, carom last: both ways it is converted
// here.
#pragma once

#include <carom/system.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace carom::io {

/// Tells HDF5 files with a problem from others. Throws Error if HDF5 can't open the file.
bool is_fclib(const std::string& path);

/// A local problem, or what a global one is for its contacts.
struct FclibProblem {
  std::string path;
  std::string bytes;  ///< of the file
  std::vector<double> friction, velocity;
  std::vector<std::int64_t> row_start;
  std::vector<std::int32_t> column;
  std::vector<SystemBlock<double>> block;

  std::size_t contacts() const { return friction.size(); }
  ContactSystem<double> view() const;
};

/// Throws Error, naming the file and what is wrong in it; also where carom was built without HDF5.
FclibProblem read_fclib(const std::string& path);

/// The problem's file with /solution/r and /solution/u, three numbers a contact in carom's order. What solution it had
/// is replaced.
std::string with_solution(const FclibProblem& problem, const std::vector<double>& impulse,
                          const std::vector<double>& velocity);

/// A file with the problem in FCLIB's local layout, W by compressed rows. `description` says where it comes from.
/// Throws Error if the problem has too many numbers for the layout, which counts them in 32 bits.
std::string new_fclib(const FclibProblem& problem, const std::string& description);

}  // namespace carom::io
