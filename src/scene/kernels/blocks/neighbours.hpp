// Neighbours: finds contacts that share their manifold's columns with the contact before them.
#pragma once

#include "block.hpp"

namespace carom::kernel {
namespace {

/// Shared columns of a vector of contacts, preceded by the values of the contact before the first. They stay in memory
/// until the vector has been validated, so that a load across two stored vectors does not wait for the store buffer.
template <class A, class T>
class Neighbours {
 public:
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

  /// For contacts from `first` on.
  Neighbours(const SceneContacts<T>& contacts, std::size_t first) {
    std::size_t n = 0;
    const auto begin = [&](const Column<const T>& column) {
      if (column.data != nullptr) numbers_[n++][0] = first > 0 ? element(column, first - 1) : T(0);
    };
    const Vector3Columns<const T>* const vectors[] = {&contacts.normal, &contacts.surface_velocity};
    for (const auto* vector : vectors) {
      begin(vector->x);
      begin(vector->y);
      begin(vector->z);
    }
    begin(contacts.friction);
    begin(contacts.static_friction);
  }

  /// Adds the next column that is given, in the order of the constructor.
  void add(B numbers) { store_lanes(numbers_[columns_++] + 1, numbers); }

  /// Stores 1 for contacts with the same values as the contact before them. The value for contact 0 is arbitrary.
  void store(std::size_t count, std::uint8_t* to) {
    Mask same = B(0) == B(0);
    for (std::size_t k = 0; k < columns_; ++k) {
      T* const x = numbers_[k];
      same = same && load_lanes<B>(x) == load_lanes<B>(x + 1);
      x[0] = x[width];
    }
    columns_ = 0;
    const unsigned bits = lane_bits(same);
    for (std::size_t lane = 0; lane < count; ++lane) to[lane] = static_cast<std::uint8_t>(bits >> lane & 1u);
  }

 private:
  T numbers_[8][width + 1];
  std::size_t columns_ = 0;
};

}  // namespace
}  // namespace carom::kernel
