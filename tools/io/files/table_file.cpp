#include "table_file.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "io/csv/csv.hpp"
#include "io/hdf5/open_hdf5.hpp"

namespace carom::io {

std::unique_ptr<TableReader> open_table(const std::string& path, Progress progress, std::size_t first_row,
                                        const std::string& only) {
  if (is_hdf5(path)) return open_hdf5(path, std::move(progress), first_row, only);
  return std::make_unique<CsvReader>(path, std::move(progress));
}

Table read_table(const std::string& path, Progress progress) {
  const auto reader = open_table(path, std::move(progress));
  reader->read(std::numeric_limits<std::size_t>::max());
  return reader->take();
}

bool is_hdf5(const std::string& path) {
  char begin[hdf5_signature.size()] = {};
  // A pipe cannot be read twice.
  std::error_code absent;
  if (path == "-" || !std::filesystem::is_regular_file(path, absent)) return false;
  std::ifstream stream(path, std::ios::binary);
  return stream.read(begin, sizeof begin) && hdf5_signature == std::string_view(begin, sizeof begin);
}

bool is_hdf5_name(const std::string& path) {
  return path.ends_with(".h5") || path.ends_with(".hdf5");
}

}  // namespace carom::io
