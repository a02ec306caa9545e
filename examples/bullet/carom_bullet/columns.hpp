// Columns of one step in memory that the next one uses again.
#pragma once

#include <LinearMath/btVector3.h>

#include <array>
#include <carom/contacts.hpp>
#include <cstddef>
#include <vector>

namespace carom::bullet {

/// An array whose memory only grows. Elements have any value until they are written.
template <class T>
class Scratch {
 public:
  void resize(std::size_t count) {
    if (count > memory_.size()) memory_.resize(count);
    count_ = count;
  }
  std::size_t size() const { return count_; }
  T* data() { return memory_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + count_; }
  const T* data() const { return memory_.data(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + count_; }
  T& operator[](std::size_t i) { return memory_[i]; }
  const T& operator[](std::size_t i) const { return memory_[i]; }

 private:
  std::vector<T> memory_ = std::vector<T>(1);  // An empty column has a place, too.
  std::size_t count_ = 0;
};

/// Vectors of Bullet's, component by component.
struct VectorArray {
  std::array<Scratch<btScalar>, 3> of;

  void resize(std::size_t count) {
    for (auto& component : of) component.resize(count);
  }
  btVector3 operator[](std::size_t i) const { return {of[0][i], of[1][i], of[2][i]}; }
  void set(std::size_t i, const btVector3& v) {
    for (std::size_t axis = 0; axis < 3; ++axis) of[axis][i] = v.m_floats[axis];
  }
  Vector3Columns<btScalar> columns() {
    const auto column = [](Scratch<btScalar>& from) { return Column<btScalar>(from.data(), from.size()); };
    return {column(of[0]), column(of[1]), column(of[2])};
  }
};

/// Asks for the bytes [first, end) of an object that is about to be read.
inline void fetch(const void* object, std::size_t first, std::size_t end) {
  for (std::size_t byte = first; byte < end; byte += 64) __builtin_prefetch(static_cast<const char*>(object) + byte);
}

}  // namespace carom::bullet
