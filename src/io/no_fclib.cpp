// A build without HDF5 refuses FCLIB's files.
#include <carom/status.hpp>

#include "fclib.hpp"

namespace carom::io {

bool is_fclib(const std::string&) {
  return false;
}

FclibProblem read_fclib(const std::string& path) {
  throw Error("carom: " + path + " is an HDF5 file, and this carom was built without HDF5 (Debian: libhdf5-dev)",
              ErrorKind::not_available);
}

std::string with_solution(const FclibProblem& problem, const std::vector<double>&, const std::vector<double>&) {
  return problem.bytes;
}

std::string new_fclib(const FclibProblem& problem, const std::string&) {
  throw Error(
      "carom: " + problem.path + " is to be an HDF5 file, and this carom was built without HDF5 (Debian: libhdf5-dev)",
      ErrorKind::not_available);
}

}  // namespace carom::io
