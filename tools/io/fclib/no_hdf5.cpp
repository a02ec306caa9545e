// A build without HDF5 refuses its files, FCLIB's among them.
#include <carom/status.hpp>

#include "fclib.hpp"
#include "io/hdf5/open_hdf5.hpp"

namespace carom::io {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& is = "is") {
  throw Error(
      "carom: " + name + " " + is + " an HDF5 file, and this carom was built without HDF5 (Debian: libhdf5-dev)",
      {.kind = ErrorKind::not_available});
}

}  // namespace

std::unique_ptr<TableReader> open_hdf5(const std::string& path, Progress, std::size_t, const std::string&) {
  refuse(path);
}
std::unique_ptr<RowWriter> new_hdf5(const std::string& path, const std::vector<FileColumn>&, std::size_t,
                                    const std::vector<ConstantColumn>&) {
  refuse(path);
}
std::unique_ptr<RowWriter> resumed_hdf5(const std::string& path, const std::vector<FileColumn>&, std::size_t,
                                        const std::vector<ConstantColumn>&) {
  refuse(path);
}

bool is_fclib(const std::string&) {
  return false;
}
FclibProblem read_fclib(const std::string& path) {
  refuse(path);
}
std::string with_solution(const FclibProblem& problem, const std::vector<double>&, const std::vector<double>&) {
  return problem.bytes;
}
std::string new_fclib(const SystemNumbers&, const std::string& name, const std::string&) {
  refuse(name, "is to be");
}

}  // namespace carom::io
