// Names of contact points from step to step.
#pragma once

#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace carom::bullet {

/// Gives the points of manifolds keys. A point has the key of the nearest point that its manifold had in the last step,
/// also where Bullet took it for a new one, so that few keys vanish. A step is begin, a call of name for each manifold,
/// end.
class PointNames {
 public:
  void begin() {
    next_ = 0;
    found_is_built_ = false;
    now_.clear();
  }
  /// Calls take(point, key) for all points, in their order.
  template <class Take>
  void name(const btPersistentManifold& manifold, Take&& take) {
    const Record& record = add(manifold);
    for (int i = 0; i < record.count; ++i)
      take(manifold.getContactPoint(i), record.point[static_cast<std::size_t>(i)].key);
  }
  /// Forgets the manifolds that had no name in this step.
  void end() { last_.swap(now_); }
  void forget() { last_.clear(); }

 private:
  struct Named {
    btVector3 local;  // on the first body
    std::uint64_t key;
  };
  struct Record {
    const btPersistentManifold* manifold;
    const btCollisionObject *a, *b;  // Bullet uses the place of a manifold again, for other bodies
    int count;
    std::array<Named, MANIFOLD_CACHE_SIZE> point;
  };

  const Record& add(const btPersistentManifold& manifold);
  const Record* find(const btPersistentManifold& manifold);

  std::vector<Record> last_, now_;
  // Manifolds come in the order of the last step, for the most part.
  std::size_t next_ = 0;
  std::unordered_map<const btPersistentManifold*, std::size_t> found_;
  bool found_is_built_ = false;
  std::uint64_t newest_ = 0;
};

}  // namespace carom::bullet
