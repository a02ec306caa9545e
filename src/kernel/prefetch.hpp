// Brings the columns of the contacts that come next into the cache while others are being solved. The processor's own
// prefetchers give up on so many streams.
#pragma once

#include "load.hpp"

namespace carom::kernel {
namespace {

/// Contiguous columns only: the fields of a struct lie together, and that the processor follows by itself.
template <class T>
class Prefetcher {
 public:
  template <class V>
  void add(const Column<V>& column) {
    if (column.data && column.stride == static_cast<std::ptrdiff_t>(sizeof(V)) && sizeof(V) == sizeof(T))
      columns_[count_++] = reinterpret_cast<const char*>(column.data);
  }
  template <class V>
  void add(const Vector3Columns<V>& columns) {
    add(columns.x);
    add(columns.y);
    add(columns.z);
  }
  void add(const SymmetricColumns<const T>& m) {
    add(m.xx);
    add(m.xy);
    add(m.xz);
    add(m.yy);
    add(m.yz);
    add(m.zz);
  }
  void add(const BodyColumns<T>& body) {
    add(body.inverse_mass);
    add(body.inverse_inertia);
    add(body.velocity);
    add(body.angular_velocity);
  }
  void add(const ContactColumns<T>& contacts) {
    add(contacts.friction);
    add(contacts.restitution);
    add(contacts.step);
  }
  void add(const InlineContacts<T>& contacts) {
    add(static_cast<const ContactColumns<T>&>(contacts));
    add(contacts.normal);
    add(contacts.lever_a);
    add(contacts.lever_b);
    add(contacts.a);
    add(contacts.b);
  }
  void add(const IndexedContacts<T>& contacts) {
    add(static_cast<const ContactColumns<T>&>(contacts));
    add(contacts.normal);
    add(contacts.lever_a);
    add(contacts.lever_b);
  }
  void add(const SpaceContacts<T>& contacts) {
    add(static_cast<const ContactColumns<T>&>(contacts));
    add(contacts.k);
    add(contacts.separation_velocity);
  }

  void add(const Results<T>& results) {
    add(results.impulse);
    add(results.velocity_a);
    add(results.angular_velocity_a);
    add(results.velocity_b);
    add(results.angular_velocity_b);
    add(results.separation_velocity);
    add(results.work_compression);
    add(results.work_decompression);
  }

  /// The cache lines of the contacts [i, i + count), unless they came with those before.
  void fetch(std::size_t i, std::size_t count) const {
    if (i % (64 / sizeof(T)) >= count) return;
    for (std::size_t c = 0; c < count_; ++c) __builtin_prefetch(columns_[c] + i * sizeof(T));
  }

 private:
  std::size_t count_ = 0;
  const char* columns_[64];
};

}  // namespace
}  // namespace carom::kernel
