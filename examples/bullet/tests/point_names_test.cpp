// Points keep their names from step to step, independent of the order and the positions of their manifolds.
#include <btBulletDynamicsCommon.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <carom_bullet/point_names.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace {

using carom::bullet::PointNames;

/// Manifolds of three points each, a metre apart, between the first body and a different second one.
class Manifolds {
 public:
  explicit Manifolds(std::size_t count) : bodies_(count + 1), manifolds_(count) {
    for (std::size_t i = 0; i < count; ++i) place(i, i + 1);
  }
  btPersistentManifold& operator[](std::size_t i) { return manifolds_[i]; }
  std::size_t size() const { return manifolds_.size(); }
  /// A new manifold in the place of an old one, with the body of that number.
  void place(std::size_t i, std::size_t body) {
    manifolds_[i] = btPersistentManifold(&bodies_[0], &bodies_[body], 0, 0.02f, 1e30f);
    for (int p = 0; p < 3; ++p) add_point(i, btVector3(static_cast<btScalar>(p), 0, 0));
  }
  void add_point(std::size_t i, const btVector3& local) {
    manifolds_[i].addManifoldPoint(btManifoldPoint(local, local, btVector3(0, 0, 1), 0));
  }

 private:
  std::vector<btCollisionObject> bodies_;
  std::vector<btPersistentManifold> manifolds_;
};

/// The keys of a step that takes the manifolds of these numbers in this order, by manifold.
std::vector<PointNames::Keys> step(PointNames& names, Manifolds& manifolds, const std::vector<std::size_t>& order) {
  names.begin();
  std::vector<std::size_t> before;
  for (const std::size_t m : order) before.push_back(names.find(manifolds[m]));
  names.reserve(order.size());
  std::vector<PointNames::Keys> keys(manifolds.size());
  for (std::size_t i = 0; i < order.size(); ++i) keys[order[i]] = names.name(i, manifolds[order[i]], before[i]);
  names.end();
  return keys;
}

std::vector<std::size_t> in_order(std::size_t count) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  return order;
}

TEST(PointNames, are_those_of_the_last_step_in_any_order) {
  constexpr std::size_t count = 100;
  Manifolds manifolds(count);
  PointNames names;
  std::vector<std::size_t> order = in_order(count);
  const auto first = step(names, manifolds, order);
  std::set<std::uint64_t> all;
  for (const auto& keys : first) all.insert(keys.begin(), keys.begin() + 3);
  EXPECT_EQ(all.size(), 3 * count);
  EXPECT_EQ(all.count(0), 0u);
  EXPECT_EQ(step(names, manifolds, order), first);
  // 37 has no divisor in common with 100.
  for (std::size_t i = 0; i < count; ++i) order[i] = 37 * i % count;
  EXPECT_EQ(step(names, manifolds, order), first);
  EXPECT_EQ(step(names, manifolds, in_order(count)), first);
}

TEST(PointNames, of_manifolds_that_were_left_out_of_a_step_are_new) {
  Manifolds manifolds(3);
  PointNames names;
  const auto first = step(names, manifolds, {0, 1, 2});
  EXPECT_EQ(step(names, manifolds, {2, 0})[2], first[2]);
  const auto last = step(names, manifolds, {0, 1, 2});
  EXPECT_EQ(last[0], first[0]);
  for (std::size_t p = 0; p < 3; ++p)
    for (const auto& keys : first) EXPECT_EQ(std::count(keys.begin(), keys.end(), last[1][p]), 0);
}

TEST(PointNames, of_other_bodies_in_the_place_of_a_manifold_are_new) {
  Manifolds manifolds(2);
  PointNames names;
  const auto first = step(names, manifolds, {0, 1});
  manifolds.place(0, 2);
  const auto second = step(names, manifolds, {0, 1});
  EXPECT_EQ(second[1], first[1]);
  for (std::size_t p = 0; p < 3; ++p) EXPECT_EQ(std::count(first[0].begin(), first[0].end(), second[0][p]), 0);
}

TEST(PointNames, go_to_the_nearest_point) {
  Manifolds manifolds(1);
  PointNames names;
  const auto first = step(names, manifolds, {0})[0];
  // The second and the third come nearer to one another, the first goes by more than 0.3 m, and their order changes.
  manifolds[0].clearManifold();
  for (const btScalar x : {1.9f, 1.2f, 0.5f}) manifolds.add_point(0, btVector3(x, 0, 0));
  const auto second = step(names, manifolds, {0})[0];
  EXPECT_EQ(second[0], first[2]);
  EXPECT_EQ(second[1], first[1]);
  EXPECT_EQ(std::count(first.begin(), first.end(), second[2]), 0);
}

/// The keys of points by a plain search: the closest pair of all first, up to 0.3 m apart.
PointNames::Keys by_search(const std::vector<btVector3>& now, const std::vector<btVector3>& before,
                           const PointNames::Keys& keys) {
  PointNames::Keys found{};
  std::set<std::size_t> free;
  for (std::size_t k = 0; k < before.size(); ++k) free.insert(k);
  for (;;) {
    btScalar least = 0.09f;
    std::size_t heir = now.size(), of = 0;
    for (std::size_t p = 0; p < now.size(); ++p)
      for (const std::size_t k : free) {
        const btScalar distance = (now[p] - before[k]).length2();
        if (found[p] != 0 || !(distance <= least)) continue;
        least = distance;
        heir = p;
        of = k;
      }
    if (heir == now.size()) return found;
    found[heir] = keys[of];
    free.erase(of);
  }
}

// Points that stay near their places are not searched for. Moves of all sizes next to the distances of the points.
TEST(PointNames, are_those_of_the_search) {
  std::mt19937 random(1);
  const auto draw = [&](btScalar most) { return most * (2 * static_cast<btScalar>(random() % 100001) / 100000 - 1); };
  Manifolds manifolds(1);
  PointNames names;
  int kept = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t count = 1 + random() % 4, next = random() % 4 == 0 ? 1 + random() % 4 : count;
    const btScalar size = trial % 2 == 0 ? 1.f : 0.2f, move = size * std::pow(0.1f, static_cast<btScalar>(trial % 5));
    std::vector<btVector3> before, now;
    for (std::size_t p = 0; p < count; ++p) before.emplace_back(draw(size), draw(size), 0.f);
    for (std::size_t p = 0; p < next; ++p)
      now.push_back((p < count ? before[p] : btVector3(draw(size), 0, 0)) +
                    btVector3(draw(move), draw(move), draw(move)));
    const auto put = [&](const std::vector<btVector3>& points) {
      manifolds[0].clearManifold();
      for (const btVector3& point : points) manifolds.add_point(0, point);
    };
    names.forget();
    put(before);
    const PointNames::Keys first = step(names, manifolds, {0})[0];
    put(now);
    const PointNames::Keys second = step(names, manifolds, {0})[0], expected = by_search(now, before, first);
    for (std::size_t p = 0; p < next; ++p) {
      if (expected[p] != 0) {
        EXPECT_EQ(second[p], expected[p]) << trial << " " << p;
        ++kept;
      } else {
        EXPECT_EQ(std::count(first.begin(), first.end(), second[p]), 0) << trial << " " << p;
      }
    }
    for (std::size_t p = next; p < second.size(); ++p) EXPECT_EQ(second[p], 0u);
  }
  EXPECT_GT(kept, 3000);
}

}  // namespace
