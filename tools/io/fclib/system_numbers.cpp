#include "system_numbers.hpp"

namespace carom::io {

ContactSystem<double> SystemNumbers::view() const {
  ContactSystem<double> system;
  system.friction = friction;
  system.velocity = {velocity.data(), contacts()};
  system.row_start = row_start;
  system.column = column;
  system.block = block;
  return system;
}

}  // namespace carom::io
