// Names of contact points from step to step.
#pragma once

#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "columns.hpp"

namespace carom::bullet {

/// Gives the points of manifolds keys. A point has the key of the nearest point that its manifold had in the last step,
/// also where Bullet took it for a new one, so that few keys vanish. A step is begin, a call of find for each manifold,
/// a call of name for each of them, end. reserve may come again, with the number of all manifolds at last.
class PointNames {
 public:
  static constexpr std::size_t none = ~std::size_t{0};
  /// The keys of a manifold's points, in their order.
  using Keys = std::array<std::uint64_t, MANIFOLD_CACHE_SIZE>;

  void begin();
  /// The place of a manifold in the last step, or none.
  std::size_t find(const btPersistentManifold& manifold);
  /// Makes room for this number of manifolds. Manifolds that have been named keep their names.
  void reserve(std::size_t manifolds) { now_.resize(manifolds); }
  /// The keys of manifold number `i`, whose place in the last step was `before`.
  const Keys& name(std::size_t i, const btPersistentManifold& manifold, std::size_t before);
  /// Forgets the manifolds that had no name in this step.
  void end();
  void forget() { last_.resize(0); }

 private:
  struct Record {
    const btPersistentManifold* manifold;
    const btCollisionObject *a, *b;  // Bullet uses the place of a manifold again, for other bodies
    int count;
    // The points on the first body, by component. Places beyond the last point are far from all points and from each
    // other.
    std::array<std::array<btScalar, MANIFOLD_CACHE_SIZE>, 3> local;
    Keys key;
  };

  static btScalar square_distance(const Record& a, std::size_t i, const Record& b, std::size_t j);
  static bool have_stayed(const Record& now, const Record& before);

  void build_table();
  std::size_t slot_of(const btPersistentManifold* manifold) const;

  Scratch<Record> last_, now_;
  // Manifolds come in the order of the last step, for the most part.
  std::size_t next_ = 0;
  std::vector<std::uint32_t> table_;  // places in last_ from 1 on, by open addresses
  bool table_is_built_ = false;
  std::uint64_t newest_ = 0;
};

}  // namespace carom::bullet
