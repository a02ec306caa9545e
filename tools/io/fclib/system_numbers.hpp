// A contact system in double, in arrays of its own.
#pragma once

#include <carom/system.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carom::io {

/// The columns of ContactSystem; `velocity` has two tangents and the normal of each contact.
struct SystemNumbers {
  std::vector<double> friction, velocity;
  std::vector<std::int64_t> row_start;
  std::vector<std::int32_t> column;
  std::vector<SystemBlock<double>> block;

  std::size_t contacts() const { return friction.size(); }
  ContactSystem<double> view() const;
};

}  // namespace carom::io
