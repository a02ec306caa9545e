// Replaces hdf5_table.cpp and hdf5_writer.cpp in a build without HDF5.
#include <carom/status.hpp>

#include "open_hdf5.hpp"

namespace carom::io {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw Error("carom: " + path + " is an HDF5 file, and this carom was built without HDF5 (Debian: libhdf5-dev)",
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

}  // namespace carom::io
