// Bodies with many contacts in a sequence: the tree finds the same most urgent contact as a plain search, to the bit,
// and visits few contacts.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "core/columns/columns.hpp"
#include "core/support/hash.hpp"
#include "scene/solvers/sequential/hub_tree.hpp"
#include "support/scenes/boxes_on_plate.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

using Precisions = testing::Types<float, double>;

// ---- Scenes

/// A cube that touches the world, or another cube that moves, at random points with random normals.
template <class T>
SceneData<T> pair_of_cubes(std::size_t contacts, bool both_move) {
  support::Draw draw(3);
  SceneData<T> scene;
  Body cube = box(1, {2, 2, 2}, {0, 0, 1}, {0, 0, -1});
  cube.angular_velocity = draw.bell3(0.5);
  scene.add(cube);
  if (both_move) scene.add(box(3, {2, 2, 2}, {0, 0, -1}));
  for (std::size_t i = 0; i < contacts; ++i) {
    const Vector tilted = Vector{0, 0, 1} + 0.5 * draw.direction();
    const Vector point = {draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-0.1, 0.1)};
    scene.add(Contact{0, both_move ? 1 : world, (1 / length(tilted)) * tilted, point, 0.3, 0.5});
  }
  return scene;
}

/// Two plates with balls between and around them, some of which touch both; two contacts in the same place tie.
template <class T>
SceneData<T> two_hubs() {
  support::Draw draw(5);
  SceneData<T> scene;
  scene.add(box(10, {10, 10, 1}, {0, 0, 2}, {0, 0, -0.5}));
  scene.add(box(20, {10, 10, 1}, {0, 0, 0}));
  for (int i = 0; i < 120; ++i) {
    Body ball;
    ball.position = {draw.uniform(-5, 5), draw.uniform(-5, 5), 1};
    ball.velocity = draw.bell3(1);
    const std::int32_t b = scene.add(ball);
    const Vector tilted = Vector{0, 0, 1} + 0.3 * draw.direction();
    const Vector n = (1 / length(tilted)) * tilted;
    for (int twice = i % 5 == 0 ? 2 : 1; twice > 0; --twice)
      scene.add(Contact{b, 1, n, ball.position - 0.5 * n, 0.2, 0.4});
    if (i % 3 != 0) scene.add(Contact{0, b, n, ball.position + 0.5 * n, 0.2, 0.4});
  }
  for (int i = 0; i < 20; ++i)
    scene.add(Contact{0, 1, {0, 0, 1}, {draw.uniform(-5, 5), draw.uniform(-5, 5), 1}, 0.2, 0.4});
  return scene;
}

template <class T>
struct Named {
  std::string name;
  SceneData<T> scene;
};
template <class T>
std::vector<Named<T>> scenes_with_hubs() {
  std::vector<Named<T>> scenes = {
      {"grid", boxes_on_plate<T>(49, 50)},          {"heavy grid", boxes_on_plate<T>(49, 1e6)},
      {"disorder", boxes_on_plate<T>(49, 50, 0.3)}, {"on the world", pair_of_cubes<T>(200, false)},
      {"pair", pair_of_cubes<T>(200, true)},        {"two hubs", two_hubs<T>()}};
  // A plate that does not turn, so that all boxes approach it alike.
  SceneData<T> shifting = boxes_on_plate<T>(49, 50);
  for (auto& component : shifting.bodies.inverse_inertia) component[0] = 0;
  scenes.push_back({"shifting grid", shifting});
  SceneData<T> rotating = boxes_on_plate<T>(49, 300);
  put(rotating.bodies.angular_velocity, 0, {0.1, 0.2, 1});
  scenes.push_back({"rotating grid", rotating});
  return scenes;
}

// ---- A plain sequence

/// One island with only contacts. Every impact is a call of Solver, and every search visits all contacts.
template <class T>
Solved<T> solved_plainly(const SceneData<T>& scene, const MethodOptions& options, Isa isa) {
  SceneData<T> now = scene;
  Solved<T> made{SceneArrays<T>(scene), {}};
  const std::size_t contacts = scene.contact_count();
  std::vector<bool> refused(contacts, false);
  Solver solver({.isa = isa, .threads = 1});
  const auto component = [&](std::int32_t body, std::size_t c) {
    if (body < 0) return T(0);
    return (c < 3 ? now.bodies.velocity[c] : now.bodies.angular_velocity[c - 3])[static_cast<std::size_t>(body)];
  };
  const auto urgency = [&](std::size_t i) {
    if (refused[i]) return -std::numeric_limits<T>::infinity();
    const auto cross_with = [](const Vectors3<T>& r, std::size_t k, const T* n, std::size_t c) {
      return r[(c + 1) % 3][k] * n[(c + 2) % 3] - r[(c + 2) % 3][k] * n[(c + 1) % 3];
    };
    T n[3];
    for (std::size_t c = 0; c < 3; ++c) n[c] = scene.normal[c][i];
    const T norm = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (T& x : n) x /= norm;
    T speed = 0;
    for (std::size_t c = 0; c < 3; ++c)
      speed += n[c] * (component(scene.body_a[i], c) - component(scene.body_b[i], c)) +
               (cross_with(scene.r_a, i, n, c) * component(scene.body_a[i], 3 + c) -
                cross_with(scene.r_b, i, n, c) * component(scene.body_b[i], 3 + c));
    return T(0) - speed;
  };
  const auto tie = [&](std::size_t i) {
    return options.sequential_impacts.seed == 0 ? ~std::uint64_t{i} : scene::hash(options.sequential_impacts.seed ^ i);
  };
  const auto max_urgent = [&] {
    std::pair<T, std::uint64_t> best = {urgency(0), tie(0)};
    std::size_t found = 0;
    for (std::size_t i = 1; i < contacts; ++i)
      if (const std::pair<T, std::uint64_t> other = {urgency(i), tie(i)}; other > best) {
        best = other;
        found = i;
      }
    return std::pair{best.first, found};
  };
  auto [speed, next] = max_urgent();
  const double approach = static_cast<double>(speed);
  while (static_cast<double>(speed) > 0 && static_cast<double>(speed) > options.tolerance * approach) {
    if (made.report.impacts == static_cast<std::size_t>(options.sequential_impacts.max_impacts) * contacts) break;
    ++made.report.impacts;
    std::array<std::array<T, 1>, 15> numbers{};
    std::array<Status, 1> status{};
    Results<T> results;
    std::size_t at = 0;
    for (auto* vector : {&results.impulse, &results.velocity_a, &results.angular_velocity_a, &results.velocity_b,
                         &results.angular_velocity_b})
      for (Column<T>* column : {&vector->x, &vector->y, &vector->z}) *column = numbers[at++];
    results.status = status;
    solver.solve(columns::sliced(now.view().indexed_contacts(), next, 1), results,
                 scene::call_options(options).collision);
    refused[next] = !is_resolved(status[0]);
    if (!refused[next]) {
      for (std::size_t c = 0; c < 3; ++c) made.arrays.impulse[c][next] += numbers[c][0];
      for (const auto& [body, first] : {std::pair{scene.body_a[next], 3}, std::pair{scene.body_b[next], 9}}) {
        if (body < 0) continue;
        const auto b = static_cast<std::size_t>(body), f = static_cast<std::size_t>(first);
        for (std::size_t c = 0; c < 3; ++c) {
          now.bodies.velocity[c][b] = numbers[f + c][0];
          now.bodies.angular_velocity[c][b] = numbers[f + 3 + c][0];
        }
        for (std::size_t i = 0; i < contacts; ++i)
          if (scene.body_a[i] == body || scene.body_b[i] == body) refused[i] = false;
      }
    }
    std::tie(speed, next) = max_urgent();
  }
  made.arrays.velocity = now.bodies.velocity;
  made.arrays.angular_velocity = now.bodies.angular_velocity;
  return made;
}

MethodOptions options_of_seed(std::uint64_t seed) {
  MethodOptions options = usual(Procedure::sequential_impacts);
  options.tolerance = 1e-3;
  options.sequential_impacts.seed = seed;
  return options;
}

template <class T>
class SequentialImpactsHub : public testing::Test {};
TYPED_TEST_SUITE(SequentialImpactsHub, Precisions);

TYPED_TEST(SequentialImpactsHub, has_the_bits_of_a_search_through_all_contacts) {
  for (const auto& [name, scene] : scenes_with_hubs<TypeParam>())
    for (const std::uint64_t seed : {0u, 1u}) {
      const MethodOptions options = options_of_seed(seed);
      for (const Isa isa : available_isas()) {
        const auto expected = solved_plainly(scene, options, isa);
        const auto found = solved(scene, options, {.isa = isa, .threads = 1});
        const std::string what = name + ", seed " + std::to_string(seed) + ", " + std::string(to_string(isa));
        EXPECT_EQ(found.report.islands, 1u) << what;
        EXPECT_EQ(found.report.impacts, expected.report.impacts) << what;
        for (std::size_t c = 0; c < 3; ++c) {
          EXPECT_TRUE(support::same_bits(found.arrays.velocity[c], expected.arrays.velocity[c])) << what;
          EXPECT_TRUE(support::same_bits(found.arrays.angular_velocity[c], expected.arrays.angular_velocity[c]))
              << what;
          EXPECT_TRUE(support::same_bits(found.arrays.impulse[c], expected.arrays.impulse[c])) << what;
        }
      }
    }
}

// The reference rounds otherwise, so the only ties in these scenes are between contacts with the same numbers.
TEST(SequentialImpactsHubOfReference, agrees_with_joints_ties_and_seeds) {
  std::vector<Named<double>> scenes = {{"disorder", boxes_on_plate<double>(64, 50, 0.3)},
                                       {"two hubs", two_hubs<double>()}};
  for (std::size_t i = 0; i < 2; ++i) {
    Named<double> jointed = scenes[i];
    jointed.name += ", joints";
    for (std::int32_t body = 2; body < 40; body += 3) {
      JointBodies<double> pair{body, 0, {0, 0, -0.5}, {}};
      const auto b = static_cast<std::size_t>(body);
      for (std::size_t c = 0; c < 3; ++c)
        pair.r_b[c] = jointed.scene.position[b][c] + pair.r_a[c] - jointed.scene.position[0][c];
      add_ball_joint(jointed.scene.joints, pair);
    }
    scenes.push_back(jointed);
  }
  for (const auto& [name, scene] : scenes)
    for (const std::uint64_t seed : {0u, 1u, 2u}) {
      MethodOptions options = options_of_seed(seed);
      set_iterations(options, 3);
      const auto found = solved(scene, options), expected = solved_by_reference(scene, options);
      const std::string what = name + ", seed " + std::to_string(seed);
      EXPECT_EQ(found.report.islands, 1u) << what;
      EXPECT_LE(distance(scene, found, expected), 1e5 * epsilon<double>) << what;
      EXPECT_LE(impulse_distance(scene, found, expected), 1e5 * epsilon<double>) << what;
    }
}

// ---- Only the tree

/// Contacts of body 0 with others, whose velocities the test sets.
template <class T>
struct ListedContacts {
  std::vector<scene::HubRow<T>> rows;
  std::vector<std::array<T, 6>> velocities;
  std::vector<bool> refused;
  std::uint64_t seed = 0;

  T speed(std::uint32_t i) const {
    if (refused[i]) return -std::numeric_limits<T>::infinity();
    const scene::HubRow<T>& row = rows[i];
    const auto &a = velocities[0], &b = velocities[static_cast<std::size_t>(row.partner)];
    T speed = 0;
    for (std::size_t c = 0; c < 3; ++c)
      speed += row.n[c] * (a[c] - b[c]) + (row.turn_hub[c] * a[3 + c] - row.turn_partner[c] * b[3 + c]);
    return row.target - speed;
  }
  std::uint64_t tie(std::uint32_t i) const { return seed == 0 ? ~std::uint64_t{i} : scene::hash(seed ^ i); }
  std::uint32_t max_urgent() const {
    std::uint32_t best = 0;
    for (std::uint32_t i = 1; i < rows.size(); ++i)
      if (std::pair{speed(i), tie(i)} > std::pair{speed(best), tie(best)}) best = i;
    return best;
  }
};

template <class T>
class OneHub {
 public:
  explicit OneHub(ListedContacts<T> contacts) : contacts(std::move(contacts)) {
    const std::size_t n = this->contacts.rows.size(), bodies = this->contacts.velocities.size();
    hubs_.list.push_back({.body = 0, .island = 0, .end = static_cast<std::uint32_t>(n)});
    for (std::uint32_t i = 0; i < n; ++i) hubs_.contacts.push_back(i);
    hubs_.spots.resize(n);
    hubs_.segments.resize(n);
    hubs_.nodes.resize(2 * n);
    hubs_.leaf.resize(n);
    hubs_.first_root.assign(bodies, scene::Hubs<T>::none);
    hubs_.changed.assign(bodies, 0);
    tree().build();
  }

  std::uint32_t find() {
    auto searched = tree();
    const auto found = searched.find(time_);
    work_budget += searched.work_budget();
    return found.contact;
  }
  /// Sets a velocity, as an impact does.
  void move(std::int32_t body, const std::array<T, 6>& velocity) {
    contacts.velocities[static_cast<std::size_t>(body)] = velocity;
    hubs_.changed[static_cast<std::size_t>(body)] = ++time_;
    for (std::uint32_t root = hubs_.first_root[static_cast<std::size_t>(body)]; root != scene::Hubs<T>::none;
         root = hubs_.nodes[root].next_root)
      tree().move_partner(root);
  }
  void refuse(std::uint32_t contact, bool refused) {
    ++time_;
    contacts.refused[contact] = refused;
    tree().forget(contact);
  }

  ListedContacts<T> contacts;
  std::size_t work_budget = 0;

 private:
  struct View {
    const ListedContacts<T>* of;
    scene::HubRow<T> row(std::uint32_t i, std::int32_t) const { return of->rows[i]; }
    std::int32_t partner(std::uint32_t i, std::int32_t) const { return of->rows[i].partner; }
    std::uint64_t tie(std::uint32_t i) const { return of->tie(i); }
    T speed(std::uint32_t i) const {
      const T speed = of->speed(i);
      return speed == speed ? speed : -std::numeric_limits<T>::infinity();
    }
    const T* velocity(std::int32_t body) const { return of->velocities[static_cast<std::size_t>(body)].data(); }
    static bool moves(std::int32_t) { return true; }
    static T response(std::int32_t, int) { return 1; }
  };
  scene::HubTree<T, View> tree() { return {hubs_, hubs_.list[0], View{&contacts}}; }

  scene::Hubs<T> hubs_;
  std::int64_t time_ = 0;
};

/// Rows of a plate in the plane of x and y, at random points or in a grid, with partners of some contacts each.
template <class T>
ListedContacts<T> contacts_of_plate(std::size_t count, std::size_t of_partner, bool in_grid, double tilt,
                                    support::Draw& draw) {
  ListedContacts<T> made;
  const std::size_t partners = (count + of_partner - 1) / of_partner;
  std::size_t side = 1;
  while (side * side < partners) ++side;
  made.velocities.assign(partners + 1, {});
  made.refused.assign(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t partner = i / of_partner, corner = i % of_partner;
    const double edge = static_cast<double>(side),
                 x = in_grid ? static_cast<double>(partner % side) : draw.uniform(0, edge),
                 y = in_grid ? static_cast<double>(partner / side) : draw.uniform(0, edge);
    const Vector offset = {corner % 2 == 0 ? -0.25 : 0.25, corner / 2 % 2 == 0 ? -0.25 : 0.25, 0};
    const Vector tilted = Vector{0, 0, -1} + tilt * draw.direction();
    const Vector n = (1 / length(tilted)) * tilted;
    const Vector of_hub = cross(Vector{x - edge / 2, y - edge / 2, 0.5} + offset, n),
                 of_other = cross(Vector{0, 0, -0.5} + offset, n);
    scene::HubRow<T> row;
    for (std::size_t c = 0; c < 3; ++c) {
      row.n[c] = static_cast<T>(n[c]);
      row.turn_hub[c] = static_cast<T>(of_hub[c]);
      row.turn_partner[c] = static_cast<T>(of_other[c]);
    }
    row.target = 0;
    row.partner = static_cast<std::int32_t>(partner) + 1;
    made.rows.push_back(row);
  }
  for (std::size_t p = 1; p <= partners; ++p) made.velocities[p] = {0, 0, T(-1), 0, 0, 0};
  return made;
}

template <class T>
std::array<T, 6> drawn_velocity(support::Draw& draw, double deviation) {
  std::array<T, 6> velocity;
  for (T& x : velocity) x = static_cast<T>(draw.uniform(-deviation, deviation));
  return velocity;
}

/// An impact that stops the approach of a contact: the partner takes most of it, and the hub a share.
template <class T>
void strike(OneHub<T>& hub, std::uint32_t contact, double share) {
  const scene::HubRow<T>& row = hub.contacts.rows[contact];
  const T speed = hub.contacts.speed(contact);
  auto a = hub.contacts.velocities[0], b = hub.contacts.velocities[static_cast<std::size_t>(row.partner)];
  double square = 0;
  for (std::size_t c = 0; c < 3; ++c) square += static_cast<double>(row.turn_partner[c] * row.turn_partner[c]);
  for (std::size_t c = 0; c < 3; ++c) {
    a[c] += static_cast<T>(share) * speed * row.n[c];
    a[3 + c] += static_cast<T>(share / 1000) * speed * row.turn_hub[c];
    b[c] -= static_cast<T>(1 / (1 + 6 * square)) * speed * row.n[c];
    b[3 + c] -= static_cast<T>(6 / (1 + 6 * square)) * speed * row.turn_partner[c];
  }
  hub.move(0, a);
  hub.move(row.partner, b);
}

template <class T>
class HubSearch : public testing::Test {};
TYPED_TEST_SUITE(HubSearch, Precisions);

TYPED_TEST(HubSearch, finds_what_a_plain_search_finds_whatever_moves) {
  using T = TypeParam;
  support::Draw draw(11);
  for (const std::size_t of_partner : {1u, 4u, 7u, 150u})
    for (const bool in_grid : {false, true})
      for (const double tilt : {0.0, 0.8})
        for (const std::uint64_t seed : {0u, 9u}) {
          ListedContacts<T> contacts = contacts_of_plate<T>(150, of_partner, in_grid, tilt, draw);
          contacts.seed = seed;
          OneHub<T> hub(std::move(contacts));
          std::vector<std::uint32_t> refused;
          for (int step = 0; step < 300; ++step) {
            const std::uint32_t found = hub.find(), expected = hub.contacts.max_urgent();
            ASSERT_EQ(found, expected) << of_partner << ' ' << in_grid << ' ' << tilt << ' ' << seed << ' ' << step;
            const auto partner = static_cast<std::int32_t>(1 + draw.below(hub.contacts.velocities.size() - 1));
            const std::size_t what = draw.below(8);
            if (what == 0) {
              hub.move(0, drawn_velocity<T>(draw, 1));
            } else if (what == 1) {
              hub.move(partner, drawn_velocity<T>(draw, 1));
            } else if (what == 2) {
              hub.refuse(found, true);
              refused.push_back(found);
            } else if (what == 3 && !refused.empty()) {
              hub.refuse(refused.back(), false);
              refused.pop_back();
            } else {
              strike(hub, found, 0.02);
            }
          }
        }
}

TYPED_TEST(HubSearch, takes_numbers_beyond_the_range_as_the_speed_does) {
  using T = TypeParam;
  support::Draw draw(12);
  const T huge = std::numeric_limits<T>::max(), inf = std::numeric_limits<T>::infinity();
  const T odd[] = {huge, -huge, inf, -inf, std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::denorm_min(),
                   T(0)};
  for (const std::size_t of_partner : {1u, 40u}) {
    OneHub<T> hub(contacts_of_plate<T>(80, of_partner, false, 0.8, draw));
    const auto expect_same = [&](const std::string& what) {
      // Contacts without a speed never come first, and among infinite ones any may.
      const auto counted = [&](std::uint32_t i) {
        const T speed = hub.contacts.speed(i);
        return speed == speed ? speed : -inf;
      };
      T best = -inf;
      for (std::uint32_t i = 0; i < hub.contacts.rows.size(); ++i) best = std::max(best, counted(i));
      ASSERT_EQ(counted(hub.find()), best) << what;
    };
    for (int step = 0; step < 400; ++step) {
      const auto body = static_cast<std::int32_t>(draw.below(hub.contacts.velocities.size()));
      auto velocity = drawn_velocity<T>(draw, 1);
      if (draw.below(3) == 0) velocity[draw.below(6)] = odd[draw.below(std::size(odd))];
      hub.move(body, velocity);
      expect_same("step " + std::to_string(step));
    }
  }
}

/// Bounds and speeds that a search evaluates, in the mean over a sequence of as many impacts as there are contacts.
template <class T>
double mean_effort(std::size_t count, std::size_t of_partner, bool in_grid, double share) {
  support::Draw draw(13);
  ListedContacts<T> contacts = contacts_of_plate<T>(count, of_partner, in_grid, 0, draw);
  if (!in_grid)
    for (std::size_t p = 1; p < contacts.velocities.size(); ++p)
      for (std::size_t c = 0; c < 6; ++c) contacts.velocities[p][c] += static_cast<T>(draw.uniform(-0.3, 0.3));
  contacts.velocities[0] = {0, 0, 0, T(0.01), T(0.02), T(0.3)};
  OneHub<T> hub(std::move(contacts));
  for (std::size_t i = 0; i < count; ++i) strike(hub, hub.find(), share);
  return static_cast<double>(hub.work_budget) / static_cast<double>(count);
}

TYPED_TEST(HubSearch, looks_at_few_of_many_contacts) {
  for (const std::size_t of_partner : {1u, 4u})
    for (const bool in_grid : {false, true}) {
      const double few = mean_effort<TypeParam>(1000, of_partner, in_grid, 1e-5),
                   many = mean_effort<TypeParam>(4000, of_partner, in_grid, 1e-5);
      EXPECT_LT(few, 100) << of_partner << in_grid;
      EXPECT_LT(many, 2 * few) << of_partner << in_grid;
    }
}

}  // namespace
}  // namespace carom::scenes
