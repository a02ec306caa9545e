#include "point_names.hpp"

#include <algorithm>

namespace carom::bullet {

namespace {

constexpr btScalar farthest = btScalar(0.3);  // [m] that a point may have moved
constexpr btScalar beyond = btScalar(1e6);    // [m] between places without a point

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

// The slot of a manifold, or the empty slot for its insertion.
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

btScalar PointNames::square_distance(const Record& a, std::size_t i, const Record& b, std::size_t j) {
  const btScalar x = a.local[0][i] - b.local[0][j], y = a.local[1][i] - b.local[1][j],
                 z = a.local[2][i] - b.local[2][j];
  return x * x + y * y + z * z;
}

// True only if each point is nearest to the point in its own place of the last step, and no further than `farthest`:
// none has moved by half of the distance between two points of the last step.
bool PointNames::have_stayed(const Record& now, const Record& before) {
  constexpr std::size_t n = MANIFOLD_CACHE_SIZE;
  static_assert(n == 4);
  if (now.count != before.count) return false;
  std::array<btScalar, n> moved, next, across;
  for (std::size_t p = 0; p < n; ++p) moved[p] = square_distance(now, p, before, p);
  for (std::size_t p = 0; p < n; ++p) next[p] = square_distance(before, p, before, (p + 1) % n);
  for (std::size_t p = 0; p < n; ++p) across[p] = square_distance(before, p, before, (p + 2) % n);
  bool stayed = true;
  btScalar apart = farthest * farthest * 4;
  for (std::size_t p = 0; p < n; ++p) apart = std::min(apart, std::min(next[p], across[p]));
  // The factor has room for rounding.
  for (std::size_t p = 0; p < n; ++p) stayed = stayed & (moved[p] * btScalar(4.1) < apart);
  return stayed && apart > SIMD_EPSILON * SIMD_EPSILON;
}

const PointNames::Keys& PointNames::name(std::size_t i, const btPersistentManifold& manifold, std::size_t place) {
  Record& record = now_[i];
  record.manifold = &manifold;
  record.a = manifold.getBody0();
  record.b = manifold.getBody1();
  record.count = manifold.getNumContacts();
  const auto count = static_cast<std::size_t>(record.count);
  for (std::size_t p = 0; p < MANIFOLD_CACHE_SIZE; ++p) {
    const btScalar far = beyond * static_cast<btScalar>(p);
    const btVector3 local =
        p < count ? manifold.getContactPoint(static_cast<int>(p)).m_localPointA : btVector3(far, far, far);
    for (std::size_t axis = 0; axis < 3; ++axis) record.local[axis][p] = local.m_floats[axis];
  }

  const Record* const before = place == none ? nullptr : &last_[place];
  if (before != nullptr && have_stayed(record, *before)) {
    record.key = before->key;
    return record.key;
  }
  record.key.fill(0);
  // The closest two first.
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
        const btScalar distance = square_distance(record, p, *before, k);
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
