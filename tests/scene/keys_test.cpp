// Contacts with keys start from the impulses of a plain search of the last call's keys, for all orders of keys: from
// the position after the last match, else from the start. A manifold has the force and the moment of its impulses, also
// of points that no longer exist. Missing islands are found in later calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "random/draw.hpp"
#include "scene/warm_start/manifold_load.hpp"
#include "support/scenes/box_world.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

using Keys = std::vector<std::uint64_t>;
using Manifold = std::vector<std::size_t>;
constexpr std::size_t none = ~std::size_t{0};

/// Up to four consecutive sound contacts of a pair, in the order of their first contacts.
template <class T>
std::vector<Manifold> manifolds_of(const SceneData<T>& scene) {
  std::vector<Manifold> all;
  std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> latest;
  for (std::size_t i = 0; i < scene.contact_count(); ++i) {
    if (scene.friction[i] < 0) continue;
    const auto [at, is_first] = latest.try_emplace({scene.body_a[i], scene.body_b[i]}, all.size());
    if (is_first || all[at->second].size() == 4) {
      at->second = all.size();
      all.emplace_back();
    }
    all[at->second].push_back(i);
  }
  return all;
}

/// The memory of the calls so far, searched without any table.
template <class T>
class PlainMemory {
 public:
  Vectors3<T> recall(const SceneData<T>& scene, const Keys& key, const std::vector<Manifold>& manifolds) {
    std::vector<std::size_t> place(key.size(), none);
    std::vector<bool> taken(records_.size(), false);
    Vectors3<T> impulses = vectors<T>(key.size());
    std::vector<std::uint64_t> back;
    is_there_.clear();
    for (std::size_t i = 0, expected = 0; i < key.size(); ++i) {
      if (key[i] == 0) continue;
      if (expected >= records_.size() || records_[expected].key != key[i]) {
        const auto found = std::ranges::find(records_, key[i], &Record::key);
        if (found == records_.end()) {
          const auto left_out = left_out_.find(key[i]);
          if (left_out == left_out_.end()) continue;
          for (std::size_t c = 0; c < 3; ++c) impulses[c][i] = left_out->second[c];
          place[i] = from_before;
          back.push_back(key[i]);
          continue;
        }
        expected = static_cast<std::size_t>(found - records_.begin());
      }
      place[i] = expected++;
      taken[place[i]] = true;
      is_there_.insert(records_[place[i]].island);
    }
    for (const std::uint64_t of : back) left_out_.erase(of);
    for (std::size_t i = 0; i < key.size(); ++i)
      for (std::size_t c = 0; c < 3 && place[i] < from_before; ++c) impulses[c][i] = records_[place[i]].impulse[c];
    for (const Manifold& manifold : manifolds) bequeath(scene, key, manifold, place, taken, impulses);
    return impulses;
  }

  void remember(const SceneData<T>& scene, const Keys& key, const std::vector<Manifold>& manifolds,
                const Vectors3<T>& impulse) {
    for (const Record& of : records_)
      if (!is_there_.contains(of.island) && of.impulse != std::array<T, 3>{}) left_out_[of.key] = of.impulse;
    records_.clear();
    for (std::size_t m = 0; m < manifolds.size(); ++m)
      for (const std::size_t i : manifolds[m])
        if (key[i] != 0)
          records_.push_back(
              {key[i], {impulse[0][i], impulse[1][i], impulse[2][i]}, at(scene.r_a, i), m, scene.body_a[i]});
  }

 private:
  static constexpr std::size_t from_before = none - 1;

  struct Record {
    std::uint64_t key;
    std::array<T, 3> impulse;
    Vector arm;
    std::size_t manifold;
    std::int32_t island;  // every body is one
  };

  void bequeath(const SceneData<T>& scene, const Keys& key, const Manifold& manifold,
                const std::vector<std::size_t>& place, std::vector<bool>& taken, Vectors3<T>& impulses) const {
    const auto is_new = [&](std::size_t i) { return place[i] == none && key[i] != 0; };
    carom::scene::Wrench wrench;
    bool is_any = false;
    for (const std::size_t i : manifold) {
      if (place[i] >= from_before) continue;
      for (std::size_t r = 0; r < records_.size(); ++r) {
        if (records_[r].manifold != records_[place[i]].manifold || taken[r]) continue;
        taken[r] = is_any = true;
        wrench.add(vector_of<double>(records_[r].impulse), records_[r].arm);
      }
    }
    if (!is_any) return;
    const Vector normal = at(scene.normal, manifold[0]);
    const double of_gone = dot(wrench.force, normal);
    const auto heirs = static_cast<double>(std::ranges::count_if(manifold, is_new));
    for (const std::size_t i : manifold)
      if (place[i] < from_before) wrench.add(vector_of<double>(records_[place[i]].impulse), records_[place[i]].arm);
    const double all = dot(wrench.force, normal);
    carom::scene::ManifoldLoad load;
    std::vector<std::size_t> points;
    for (const std::size_t i : manifold) {
      if (!is_new(i) && place[i] >= from_before) continue;
      points.push_back(i);
      load.add(at(scene.r_a, i), (is_new(i) ? of_gone / heirs : dot(at(impulses, i), normal)) / all);
    }
    if (!load.spread(wrench, normal)) return;
    for (std::size_t k = 0; k < points.size(); ++k) put(impulses, points[k], load.impulse(k));
  }

  std::vector<Record> records_;
  std::map<std::uint64_t, std::array<T, 3>> left_out_;
  std::set<std::int32_t> is_there_;  // islands of the records that the call under way has
};

/// Bodies on the ground, some with two manifolds or a manifold that is not full. Contacts of other bodies may be
/// between the contacts of a body, and some have faults.
template <class T>
SceneData<T> bodies_on_the_ground(std::size_t bodies, bool in_order, bool with_faults, support::Draw& draw) {
  SceneData<T> scene;
  std::vector<std::int32_t> body;
  for (std::size_t b = 0; b < bodies; ++b) {
    const std::int32_t a = scene.add(Body{.velocity = {0.1 * draw.bell(), 0.1 * draw.bell(), -1}});
    body.insert(body.end(), 1 + draw.below(6), a);
  }
  for (std::size_t i = body.size(); i > 1 && !in_order; --i) std::swap(body[i - 1], body[draw.below(i)]);
  for (const std::int32_t a : body) {
    const double friction = with_faults && draw.below(8) == 0 ? -1 : 0.5;
    scene.add(Contact{.a = a, .point = {draw.uniform(-0.5, 0.5), draw.uniform(-0.5, 0.5), -0.5}, .friction = friction});
  }
  return scene;
}

struct Order {
  std::string name;
  std::function<void(Keys&, int call, support::Draw&)> change;
};

const std::vector<Order>& orders() {
  static std::uint64_t next = 1'000'000;
  const auto shuffle = [](Keys& key, support::Draw& draw) {
    for (std::size_t i = key.size(); i > 1; --i) std::swap(key[i - 1], key[draw.below(i)]);
  };
  const auto replace = [](std::size_t count) {
    return [count](Keys& key, int, support::Draw& draw) {
      for (std::size_t n = 0; n < count; ++n) key[draw.below(key.size())] = ++next;
    };
  };
  static const std::vector<Order> all = {
      {"the same", [](Keys&, int, support::Draw&) {}},
      {"shuffled", [=](Keys& key, int, support::Draw& draw) { shuffle(key, draw); }},
      {"reversed", [](Keys& key, int, support::Draw&) { std::ranges::reverse(key); }},
      {"one later", [](Keys& key, int, support::Draw&) { std::rotate(key.begin(), key.begin() + 1, key.end()); }},
      {"one new", replace(1)},
      {"three new", replace(3)},
      {"many new", replace(200)},
      {"all new", [](Keys& key, int, support::Draw&) { std::ranges::generate(key, [] { return ++next; }); }},
      {"all equal", [](Keys& key, int, support::Draw&) { std::ranges::fill(key, 7); }},
      {"every other one equal",
       [](Keys& key, int call, support::Draw&) {
         for (std::size_t i = 0; i < key.size(); ++i) key[i] = i % 2 == 0 ? 7 : i + static_cast<std::size_t>(call);
       }},
      {"pairs that move on",
       [](Keys& key, int call, support::Draw&) {
         for (std::size_t i = 0; i < key.size(); ++i) key[i] = 1 + (i + static_cast<std::size_t>(call)) / 2;
       }},
      {"few of many values",
       [](Keys& key, int, support::Draw& draw) {
         std::ranges::generate(key, [&] { return 1 + draw.below(key.size() / 3); });
       }},
      {"some none",
       [=](Keys& key, int, support::Draw& draw) {
         shuffle(key, draw);
         for (int n = 0; n < 5; ++n) key[draw.below(key.size())] = n < 3 ? 0 : ++next;
       }},
      {"none",
       [](Keys& key, int call, support::Draw&) {
         for (std::size_t i = 0; i < key.size() && call % 2 == 1; ++i) key[i] = 0;
       }},
      {"those of pairs of numbers",
       [](Keys& key, int call, support::Draw& draw) {
         for (std::size_t i = 0; i < key.size(); ++i)
           key[i] = std::uint64_t{draw.below(key.size())} << 32 | (i + static_cast<std::size_t>(call));
       }},
  };
  return all;
}

/// [N s], [N m s] total effect of impulses on points.
carom::scene::Wrench wrench_of(const std::vector<Vector>& arms, const std::vector<Vector>& impulses) {
  carom::scene::Wrench wrench;
  for (std::size_t i = 0; i < arms.size(); ++i) wrench.add(impulses[i], arms[i]);
  return wrench;
}

// Points in a plane can have the force and the moment of pushing impulses on other points of that plane if the centre
// of pressure is among them. 1e-11: the shares are exact to 1e-12.
TEST(ManifoldLoad, spreads_the_force_and_the_moment_of_points_that_are_gone) {
  support::Draw draw(1);
  const auto in_plane = [&] { return Vector{draw.uniform(-1, 1), draw.uniform(-1, 1), -0.5}; };
  for (int n = 0; n < 1000; ++n) {
    const Rows turn = rotation(draw.direction(), draw.uniform(0, 3));
    std::vector<Vector> arms, impulses, now;
    for (int i = 0; i < 4; ++i) {
      arms.push_back(turn * in_plane());
      impulses.push_back(turn * Vector{draw.bell(), draw.bell(), draw.uniform(0, 1)});
    }
    const auto expected = wrench_of(arms, impulses);
    carom::scene::ManifoldLoad load;
    // A square or a triangle around all points.
    const std::vector<Vector> square = {{-9, -9, -0.5}, {9, -9, -0.5}, {9, 9, -0.5}, {-9, 9, -0.5}};
    const std::vector<Vector> triangle = {{-9, -9, -0.5}, {20, -9, -0.5}, {-9, 20, -0.5}};
    for (const Vector& x : n % 2 == 0 ? square : triangle) {
      now.push_back(turn * x);
      load.add(now.back(), draw.uniform(0, 1));
    }
    ASSERT_TRUE(load.spread(expected, turn * Vector{0, 0, 1}));
    std::vector<Vector> spread;
    for (std::size_t i = 0; i < now.size(); ++i) {
      spread.push_back(load.impulse(i));
      EXPECT_GE(dot(spread[i], turn * Vector{0, 0, 1}), -1e-11);
    }
    const auto found = wrench_of(now, spread);
    const double scale = 1 + length(expected.force) + length(expected.moment);
    EXPECT_LE(length(found.force - expected.force), 1e-11 * scale) << n;
    EXPECT_LE(length(found.moment - expected.moment), 1e-10 * scale) << n;
  }
}

TEST(ManifoldLoad, of_a_centre_outside_of_all_points_is_on_the_nearest_edge) {
  carom::scene::ManifoldLoad load;
  for (const Vector& x : {Vector{0, 0, 0}, Vector{1, 0, 0}, Vector{0, 1, 0}}) load.add(x, 1.0 / 3);
  carom::scene::Wrench wrench;
  wrench.add({0, 0, 2}, {0.5, -1, 0});
  ASSERT_TRUE(load.spread(wrench, {0, 0, 1}));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(load.impulse(i)[2], i < 2 ? 1 : 0, 1e-15);
  wrench = {};
  wrench.add({0, 0, -2}, {0.25, 0.25, 0});
  EXPECT_FALSE(load.spread(wrench, {0, 0, 1})) << "a force that pulls";
}

template <class T>
class SceneKeys : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SceneKeys, Precisions);

bool has_equal_keys(Keys key) {
  std::ranges::sort(key);
  const auto first = std::ranges::upper_bound(key, std::uint64_t{0});
  return std::adjacent_find(first, key.end()) != key.end();
}

template <class T>
void expect_plain_search(std::size_t bodies, bool in_order, bool with_faults, const MethodOptions& options,
                         int threads = 1) {
  for (const Order& order : orders()) {
    support::Draw draw(bodies + (in_order ? 1u : 0u));
    SceneSolver solver({.threads = threads});
    PlainMemory<T> memory;
    Keys key;
    for (int call = 0; call < 6; ++call) {
      const std::string what = order.name + ", call " + std::to_string(call) + (in_order ? ", in order" : "") +
                               (with_faults ? ", with faults" : "");
      // Contacts come and go: two calls with one scene, then another.
      support::Draw of_scene(static_cast<std::uint64_t>(call / 2));
      SceneData<T> scene = bodies_on_the_ground<T>(bodies, in_order, with_faults, of_scene);
      while (key.size() < scene.contact_count()) key.push_back(10 + 3 * key.size());
      key.resize(scene.contact_count());
      order.change(key, call, draw);
      // Many keys are looked for in chunks, which distinguish equal keys in another way.
      if (bodies > 500 && has_equal_keys(key)) break;
      const auto manifolds = manifolds_of(scene);
      scene.warm_impulse = memory.recall(scene, key, manifolds);
      const Solved<T> expected = solved(scene, options);
      scene.warm_impulse = {};
      scene.key = key;
      const Solved<T> found = solved(solver, scene, options);
      expect_same_bits(found.arrays, expected.arrays, what);
      memory.remember(scene, key, manifolds,
                      options.method == Procedure::substeps ? found.arrays.warm_impulse : found.arrays.impulse);
    }
  }
}

TYPED_TEST(SceneKeys, in_any_order_bring_the_impulses_of_a_plain_search) {
  MethodOptions options;
  set_iterations(options, 3);
  for (const bool in_order : {false, true})
    for (const bool with_faults : {false, true}) {
      expect_plain_search<TypeParam>(3, in_order, with_faults, options);
      expect_plain_search<TypeParam>(60, in_order, with_faults, options);
    }
}

TEST(SceneKey, of_many_contacts_brings_the_impulses_of_a_plain_search_on_three_threads) {
  MethodOptions options;
  set_iterations(options, 1);
  expect_plain_search<float>(650, false, false, options, 3);
}

TYPED_TEST(SceneKeys, in_any_order_bring_the_impulses_of_a_plain_search_to_substeps) {
  MethodOptions options;
  options.method = Procedure::substeps;
  options.time_step = 0.01;
  options.substeps.min_substeps = options.substeps.max_substeps = 2;
  for (const bool in_order : {false, true}) expect_plain_search<TypeParam>(40, in_order, true, options);
}

}  // namespace
}  // namespace carom::scenes
