// Vectors in columns of numbers.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include "core/support/vector3.hpp"
#include "io/columns/numbers.hpp"

namespace carom::apps {

using Vector = carom::Vector3<double>;

inline double norm(const Vector& v) {
  return std::hypot(v[0], v[1], v[2]);
}

inline double distance(const Vector& v, const Vector& w) {
  return norm(v - w);
}

/// The vectors in the columns NAME_x, NAME_y and NAME_z. A column NAME has components about z. Axes without a column
/// are 0.
class Vectors {
 public:
  Vectors(const io::Numbers& numbers, const std::string& name)
      : columns_{numbers.find(name + "_x"), numbers.find(name + "_y"), numbers.find(name + "_z")} {
    if (columns_[0] == nullptr) columns_[2] = numbers.find(name);
  }

  Vector operator[](std::size_t row) const {
    Vector v{};
    for (std::size_t i = 0; i < 3; ++i)
      if (columns_[i] != nullptr) v[i] = columns_[i]->values[row];
    return v;
  }

  /// The column of component i, or nullptr.
  const io::NumberColumn* column(std::size_t i) const { return columns_[i]; }

 private:
  std::array<const io::NumberColumn*, 3> columns_;
};

}  // namespace carom::apps
