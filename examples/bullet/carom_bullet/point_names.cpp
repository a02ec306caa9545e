#include "point_names.hpp"

#include <algorithm>

namespace carom::bullet {

namespace {

constexpr btScalar farthest = btScalar(0.3);  // [m] that a point may have moved

}  // namespace

const PointNames::Record* PointNames::find(const btPersistentManifold& manifold) {
  const auto is_it = [&](std::size_t i) { return i < last_.size() && last_[i].manifold == &manifold; };
  if (!is_it(next_)) {
    if (!found_is_built_) {
      found_.clear();
      for (std::size_t i = 0; i < last_.size(); ++i) found_.emplace(last_[i].manifold, i);
      found_is_built_ = true;
    }
    const auto found = found_.find(&manifold);
    if (found == found_.end()) return nullptr;
    next_ = found->second;
  }
  const Record& record = last_[next_++];
  return record.a == manifold.getBody0() && record.b == manifold.getBody1() ? &record : nullptr;
}

const PointNames::Record& PointNames::add(const btPersistentManifold& manifold) {
  const Record* const before = find(manifold);
  Record& record = now_.emplace_back();
  record.manifold = &manifold;
  record.a = manifold.getBody0();
  record.b = manifold.getBody1();
  record.count = manifold.getNumContacts();
  for (int i = 0; i < record.count; ++i)
    record.point[static_cast<std::size_t>(i)] = {manifold.getContactPoint(i).m_localPointA, 0};

  // The closest two first.
  std::array<bool, MANIFOLD_CACHE_SIZE> taken{};
  const int pairs = before == nullptr ? 0 : std::min(record.count, before->count);
  for (int pair = 0; pair < pairs; ++pair) {
    btScalar least = farthest * farthest;
    Named* heir = nullptr;
    std::size_t of = 0;
    for (int i = 0; i < record.count; ++i) {
      Named& point = record.point[static_cast<std::size_t>(i)];
      if (point.key != 0) continue;
      for (std::size_t k = 0; k < static_cast<std::size_t>(before->count); ++k) {
        if (taken[k]) continue;
        const btScalar distance = (point.local - before->point[k].local).length2();
        if (!(distance <= least)) continue;
        least = distance;
        heir = &point;
        of = k;
      }
    }
    if (heir == nullptr) break;
    heir->key = before->point[of].key;
    taken[of] = true;
  }
  for (int i = 0; i < record.count; ++i)
    if (std::uint64_t& key = record.point[static_cast<std::size_t>(i)].key; key == 0) key = ++newest_;
  return record;
}

}  // namespace carom::bullet
