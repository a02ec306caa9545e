// The elimination order of the bodies of a large island by nested dissection (A. George, Nested dissection of a regular
// finite element mesh, 1973): a set of bodies that parts the others is eliminated after both sides. Sets lie along
// planes across the axes of the world.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/support/array.hpp"
#include "core/support/vector3.hpp"

namespace carom::scene::direct {

/// The neighbours of body i are [start[i], start[i + 1]) of `body`, ascending.
struct Neighbours {
  Array<std::uint32_t> start, body;
};

class Dissection {
 public:
  /// Lists the bodies in the order of elimination. `places`: of the bodies. [m]
  void run(const Neighbours& neighbours, const Array<carom::Vector3<double>>& places, Array<std::uint32_t>& order);

 private:
  /// Orders the part [first, end) of the list.
  void dissect(std::size_t first, std::size_t end);
  /// Sorts a part by a coordinate and ranks its bodies. Returns false if it is flat.
  bool sort(std::size_t first, std::size_t end, std::size_t axis);
  /// The lowest and the highest rank of a body of the part and its neighbours in it.
  std::array<std::size_t, 2> reach(std::size_t first, std::size_t end, std::uint32_t body) const;

  const Neighbours* neighbours_ = nullptr;
  const Array<carom::Vector3<double>>* places_ = nullptr;
  Array<std::uint32_t>* order_ = nullptr;
  Array<std::size_t> rank_;  // place in the list
  Array<std::uint32_t> part_;
  Array<std::pair<double, std::uint32_t>> keys_;
  double flat_ = 0;  // [m]
};

}  // namespace carom::scene::direct
