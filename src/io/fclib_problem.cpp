#include <algorithm>
#include <fstream>

#include "fclib.hpp"

namespace carom::io {

bool is_hdf5(const std::string& path) {
  constexpr char signature[] = "\x89HDF\r\n\x1a\n";
  constexpr std::size_t length = sizeof signature - 1;
  char begin[length] = {};
  std::ifstream stream(path, std::ios::binary);
  return stream.read(begin, length) && std::equal(begin, begin + length, signature);
}

ContactSystem<double> FclibProblem::view() const {
  ContactSystem<double> system;
  system.friction = friction;
  system.velocity = Vector3Columns<const double>::interleaved(velocity.data(), contacts());
  system.row_start = row_start;
  system.column = column;
  system.block = block;
  return system;
}

}  // namespace carom::io
