// A build without HDF5 refuses FCLIB's files.
#include <carom/status.hpp>

#include "fclib.hpp"

namespace carom::io {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& is) {
  throw Error(
      "carom: " + name + " " + is + " an HDF5 file, and this carom was built without HDF5 (Debian: libhdf5-dev)",
      {.kind = ErrorKind::not_available});
}

}  // namespace

bool is_fclib(const std::string&) {
  return false;
}

FclibProblem read_fclib(const std::string& path) {
  refuse(path, "is");
}

std::string with_solution(const FclibProblem& problem, const std::vector<double>&, const std::vector<double>&) {
  return problem.bytes;
}

std::string new_fclib(const SystemNumbers&, const std::string& name, const std::string&) {
  refuse(name, "is to be");
}

}  // namespace carom::io
