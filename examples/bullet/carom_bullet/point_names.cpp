#include "point_names.hpp"

#include <algorithm>

namespace carom::bullet {

namespace {

constexpr btScalar farthest = btScalar(0.3);  // [m] that a point may have moved

}  // namespace

void PointNames::begin() {
  next_ = 0;
  table_is_built_ = false;
}

void PointNames::end() {
  newest_ += MANIFOLD_CACHE_SIZE * now_.size();
  std::swap(last_, now_);
}

std::size_t PointNames::find(const btPersistentManifold& manifold) {
  if (next_ >= last_.size() || last_[next_].manifold != &manifold) {
    if (!table_is_built_) build_table();
    const std::uint32_t found = table_[slot_of(&manifold)];
    if (found == 0) return none;
    next_ = found - 1;
  }
  const std::size_t place = next_++;
  const Record& record = last_[place];
  return record.a == manifold.getBody0() && record.b == manifold.getBody1() ? place : none;
}

// The slot of a manifold, or the one where it would stand.
std::size_t PointNames::slot_of(const btPersistentManifold* manifold) const {
  const std::size_t last_slot = table_.size() - 1;
  // Multiplied by the golden ratio, neighbours in memory lie far apart.
  std::size_t slot = static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(manifold) * 0x9e3779b97f4a7c15u >> 32);
  for (slot &= last_slot; table_[slot] != 0 && last_[table_[slot] - 1].manifold != manifold;)
    slot = (slot + 1) & last_slot;
  return slot;
}

void PointNames::build_table() {
  std::size_t slots = 16;
  while (slots < 2 * last_.size()) slots *= 2;
  table_.assign(slots, 0);
  for (std::size_t i = 0; i < last_.size(); ++i) {
    std::uint32_t& place = table_[slot_of(last_[i].manifold)];
    if (place == 0) place = static_cast<std::uint32_t>(i + 1);
  }
  table_is_built_ = true;
}

const PointNames::Keys& PointNames::name(std::size_t i, const btPersistentManifold& manifold, std::size_t place) {
  Record& record = now_[i];
  record.manifold = &manifold;
  record.a = manifold.getBody0();
  record.b = manifold.getBody1();
  record.count = manifold.getNumContacts();
  const auto count = static_cast<std::size_t>(record.count);
  for (std::size_t p = 0; p < count; ++p) record.local[p] = manifold.getContactPoint(static_cast<int>(p)).m_localPointA;
  record.key.fill(0);

  // The closest two first.
  const Record* const before = place == none ? nullptr : &last_[place];
  std::array<bool, MANIFOLD_CACHE_SIZE> taken{};
  const int pairs = before == nullptr ? 0 : std::min(record.count, before->count);
  for (int pair = 0; pair < pairs; ++pair) {
    btScalar least = farthest * farthest;
    std::uint64_t* heir = nullptr;
    std::size_t of = 0;
    for (std::size_t p = 0; p < count; ++p) {
      if (record.key[p] != 0) continue;
      for (std::size_t k = 0; k < static_cast<std::size_t>(before->count); ++k) {
        if (taken[k]) continue;
        const btScalar distance = (record.local[p] - before->local[k]).length2();
        if (!(distance <= least)) continue;
        least = distance;
        heir = &record.key[p];
        of = k;
      }
    }
    if (heir == nullptr) break;
    *heir = before->key[of];
    taken[of] = true;
  }
  for (std::size_t p = 0; p < count; ++p)
    if (record.key[p] == 0) record.key[p] = newest_ + MANIFOLD_CACHE_SIZE * i + p + 1;
  return record.key;
}

}  // namespace carom::bullet
