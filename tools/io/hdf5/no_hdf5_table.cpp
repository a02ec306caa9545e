// A build without HDF5 reads and writes CSV alone.
#include <carom/status.hpp>

#include "hdf5_writer.hpp"
#include "open_hdf5.hpp"

namespace carom::io {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  throw Error("carom: " + path + " is an HDF5 file, and this carom was built without HDF5 (Debian: libhdf5-dev)",
              ErrorKind::not_available);
}

}  // namespace

std::unique_ptr<TableReader> open_hdf5(const std::string& path, Progress, std::size_t, const std::string&) {
  refuse(path);
}

Hdf5Writer::Hdf5Writer(const std::string& path, const std::vector<Hdf5Column>&, std::size_t) {
  refuse(path);
}
Hdf5Writer Hdf5Writer::reopened(const std::string& path, const std::vector<Hdf5Column>&, std::size_t) {
  refuse(path);
}
Hdf5Writer::Hdf5Writer(Hdf5Writer&&) noexcept = default;
Hdf5Writer::~Hdf5Writer() = default;
void Hdf5Writer::write(std::size_t, std::size_t, const Cells&) {}
void Hdf5Writer::sync() {}

}  // namespace carom::io
