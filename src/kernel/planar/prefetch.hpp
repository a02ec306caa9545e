// Brings the columns of the contacts that come later into the cache. The processor's own prefetchers give up on so many
// streams.
#pragma once

#include "columns.hpp"

namespace carom::kernel {
namespace {

/// Contiguous columns of numbers only: the fields of a struct lie together, and that the processor follows by itself.
template <class T>
class PlanarPrefetcher {
 public:
  void add(const planar::InlineContacts<T>& contacts) {
    add_contact(contacts);
    add(contacts.normal);
    add(contacts.a);
    add(contacts.b);
    add(contacts.lever_a);
    add(contacts.lever_b);
  }
  void add(const planar::IndexedContacts<T>& contacts) {
    add_contact(contacts);
    add(contacts.normal);
    add(contacts.lever_a);
    add(contacts.lever_b);
  }
  void add(const planar::SpaceContacts<T>& contacts) {
    add_contact(contacts);
    add(contacts.k_xx);
    add(contacts.k_xy);
    add(contacts.k_yy);
    add(contacts.separation_velocity);
  }
  void add(const planar::Results<T>& results) {
    add(results.impulse);
    add(results.separation_velocity);
    add(results.velocity_a);
    add(results.angular_velocity_a);
    add(results.velocity_b);
    add(results.angular_velocity_b);
    add(results.work_compression);
    add(results.work_decompression);
    see(results.status);
    see(results.path);
  }

  /// Whether all columns are, those of statuses and paths as well.
  bool contiguous() const { return contiguous_; }

  /// Of what a range of `count` contacts touches; what fits into the second-level cache does not need it.
  void start(std::size_t count) {
    if (count * count_ * sizeof(T) < second_level_cache) count_ = 0;
  }

  /// The cache lines that come some lines after those of the contacts [i, i + width), of a range that ends at `end`.
  [[gnu::always_inline]] void fetch(std::size_t i, std::size_t width, std::size_t end) const {
    constexpr std::size_t in_line = 64 / sizeof(T), ahead = lines_ahead * in_line;
    if (i % in_line >= width || i + ahead >= end) return;
    for (std::size_t c = 0; c < count_; ++c) __builtin_prefetch(columns_[c] + (i + ahead) * sizeof(T));
  }

 private:
  template <class V>
  void see(const Column<V>& column) {
    if (column.data && column.stride != static_cast<std::ptrdiff_t>(sizeof(V))) contiguous_ = false;
  }

  static constexpr std::size_t lines_ahead = 8, second_level_cache = 1 << 20;

  template <class V>
  void add(const Column<V>& column) {
    see(column);
    if (column.data && column.stride == static_cast<std::ptrdiff_t>(sizeof(V)))
      columns_[count_++] = reinterpret_cast<const char*>(column.data);
  }
  template <class V>
  void add(const planar::Vector2Columns<V>& v) {
    add(v.x);
    add(v.y);
  }
  void add(const planar::BodyColumns<T>& body) {
    add(body.inverse_mass);
    add(body.inverse_inertia);
    add(body.velocity);
    add(body.angular_velocity);
  }
  void add_contact(const ContactColumns<T>& contacts) {
    add(contacts.friction);
    add(contacts.restitution);
    add(contacts.tangential_restitution);
    add(contacts.impulse_ratio_1);
    add(contacts.polar_angle);
    add(contacts.fraction);
    add(contacts.candidate_x);
    add(contacts.candidate_y);
  }

  std::size_t count_ = 0;
  bool contiguous_ = true;
  const char* columns_[48];
};

/// The bodies that the contacts [i, i + count) name, of contacts that come later.
template <class T>
[[gnu::noinline]] inline void fetch_bodies(const planar::IndexedContacts<T>& contacts, std::size_t i,
                                           std::size_t count) {
  const planar::BodyColumns<T>& bodies = contacts.bodies;
  const Column<const T>* const columns[] = {&bodies.inverse_mass, &bodies.inverse_inertia, &bodies.velocity.x,
                                            &bodies.velocity.y, &bodies.angular_velocity};
  const Column<const std::int32_t>* const sides[] = {&contacts.body_a, &contacts.body_b};
  for (const auto* side : sides) {
    for (std::size_t j = i; j < i + count; ++j) {
      // Of the world or a body out of range that is no one's address, which does no harm.
      const auto body = static_cast<std::uint64_t>(*reinterpret_cast<const std::int32_t*>(
          reinterpret_cast<const char*>(side->data) + static_cast<std::ptrdiff_t>(j) * side->stride));
      for (const auto* column : columns)
        __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uint64_t>(column->data) +
                                                         body * static_cast<std::uint64_t>(column->stride)));
    }
  }
}

}  // namespace
}  // namespace carom::kernel
