// Contacts of columns, copied into blocks.
#pragma once

#include <carom/blocked.hpp>
#include <cstddef>

namespace carom::support {

template <class T>
BlockedContacts<T> blocked_of(const Contacts<T>& from) {
  BlockedContacts<T> to(from.friction.count);
  to.laws = from.laws;
  const auto copy = [](const BlockedColumn<T>& b, const Column<const T>& c) {
    for (std::size_t i = 0; i < c.count; ++i) b[i] = c[i];
  };
  const auto copy3 = [&](const BlockedVectors3<T>& b, const Vector3Columns<const T>& c) {
    copy(b.x, c.x), copy(b.y, c.y), copy(b.z, c.z);
  };
  const auto bodies = [&](const BlockedBodies<T>& b, const BodyColumns<const T>& c) {
    copy(b.inverse_mass, c.inverse_mass);
    const auto& j = b.inverse_inertia;
    const auto& k = c.inverse_inertia;
    copy(j.xx, k.xx), copy(j.xy, k.xy), copy(j.xz, k.xz), copy(j.yy, k.yy), copy(j.yz, k.yz), copy(j.zz, k.zz);
    copy3(b.velocity, c.velocity);
    copy3(b.angular_velocity, c.angular_velocity);
  };
  copy(to.friction, from.friction);
  copy(to.restitution, from.restitution);
  copy3(to.normal, from.normal);
  copy3(to.r_a, from.r_a);
  copy3(to.r_b, from.r_b);
  bodies(to.a, from.a);
  bodies(to.b, from.b);
  return to;
}

}  // namespace carom::support
