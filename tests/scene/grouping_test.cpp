// Manifolds and groups of rows consist of consecutive sound contacts or rows of a pair. So the bits of an island do not
// depend on items between its contacts, such as other islands or faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <limits>
#include <map>
#include <string>

#include "support/scenes/iterations.hpp"
#include "support/scenes/order.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class SceneGrouping : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SceneGrouping, Precisions);

constexpr RandomSceneOptions kind{.min_bodies = 3, .max_bodies = 6, .max_contacts = 16, .with_joints = true};

template <class T>
void expect_bits_of(const Solved<T>& part, const Solved<T>& whole, const std::vector<std::size_t>& contacts,
                    const std::vector<std::size_t>& rows, const std::string& what) {
  for (std::size_t i = 0; i < part.arrays.velocity[0].size(); ++i) {
    EXPECT_EQ(part.velocity(i), whole.velocity(i)) << what;
    EXPECT_EQ(part.angular_velocity(i), whole.angular_velocity(i)) << what;
  }
  for (std::size_t place = 0; place < contacts.size(); ++place) {
    const std::size_t i = contacts[place];
    if (i >= part.arrays.status.size()) continue;
    EXPECT_EQ(part.impulse(i), whole.impulse(place)) << what;
    EXPECT_EQ(at(part.arrays.separation_velocity, i), at(whole.arrays.separation_velocity, place)) << what;
    EXPECT_EQ(part.arrays.status[i], whole.arrays.status[place]) << what;
    EXPECT_EQ(part.arrays.path[i], whole.arrays.path[place]) << what;
  }
  for (std::size_t place = 0; place < rows.size(); ++place) {
    if (rows[place] >= part.arrays.joint_impulse.size()) continue;
    EXPECT_EQ(part.arrays.joint_impulse[rows[place]], whole.arrays.joint_impulse[place]) << what;
  }
}

template <class T>
std::vector<MethodOptions> all_options() {
  std::vector<MethodOptions> all;
  for (const Procedure method : all_methods)
    for (const bool shock : {false, true}) {
      MethodOptions options = usual(method);
      options.bender_schmitt.shock_propagation = shock ? 4 : 0;
      options.bender_schmitt.rest_tolerance = 1;
      all.push_back(options);
    }
  return all;
}

TYPED_TEST(SceneGrouping, does_not_depend_on_contacts_and_rows_of_other_islands_in_between) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    support::Draw draw(seed);
    const SceneData<T> alone = random_scene<T>(seed, kind), other = random_scene<T>(seed + 1000, kind);
    SceneData<T> both = alone;
    append(both, other);
    const auto contacts = mixed(draw, alone.contact_count(), other.contact_count());
    const auto rows = mixed(draw, alone.row_count(), other.row_count());
    const SceneData<T> shuffled = reordered(both, contacts, rows);
    for (const MethodOptions& options : all_options<T>())
      expect_bits_of(solved(alone, options), solved(shuffled, options), contacts, rows,
                     std::string(to_string(options.method)) + ", seed " + std::to_string(seed));
  }
}

TYPED_TEST(SceneGrouping, does_not_depend_on_faults_in_between) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    support::Draw draw(seed);
    const SceneData<T> sound = random_scene<T>(seed, kind);
    // Each contact and each row again, with a fault.
    SceneData<T> both = sound;
    const std::size_t n = sound.contact_count(), m = sound.row_count();
    each_contact_column(both, [&](auto& column) {
      const auto from = column;
      column.insert(column.end(), from.begin(), from.end());
    });
    for (std::size_t i = n; i < 2 * n; ++i) {
      if (i % 3 == 0) both.friction[i] = -1;
      if (i % 3 == 1) both.normal[0][i] = std::numeric_limits<T>::quiet_NaN();
      if (i % 3 == 2) both.r_a[0][i] = std::numeric_limits<T>::max();  // K overflows
    }
    for (std::size_t i = 0; i < m; ++i) {
      auto row = sound.joints.rows[i];
      if (i % 3 == 0) row.compliance = -1;
      if (i % 3 == 1) row.linear_a = row.angular_a = row.linear_b = row.angular_b = {};  // no impulse moves it
      if (i % 3 == 2) row.body_b = row.body_a;
      both.joints.rows.push_back(row);
    }
    const auto contacts = mixed(draw, n, n), rows = mixed(draw, m, m);
    const SceneData<T> shuffled = reordered(both, contacts, rows);
    for (const MethodOptions& options : all_options<T>()) {
      const auto made = solved(shuffled, options);
      const std::string what = std::string(to_string(options.method)) + ", seed " + std::to_string(seed);
      expect_bits_of(solved(sound, options), made, contacts, rows, what);
      for (std::size_t place = 0; place < contacts.size(); ++place)
        EXPECT_EQ(is_fault(made.arrays.status[place]), contacts[place] >= n) << what;
      for (std::size_t place = 0; place < rows.size(); ++place)
        EXPECT_EQ(is_fault(made.arrays.joint_status[place]), rows[place] >= m) << what;
      EXPECT_EQ(made.report.islands, solved(sound, options).report.islands) << what;
    }
  }
}

TEST(SceneGroupingOfTheReference, is_that_of_the_lanes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    support::Draw draw(seed);
    const SceneData<double> one = random_scene<double>(seed, kind), other = random_scene<double>(seed + 1000, kind);
    SceneData<double> both = one;
    append(both, other);
    const auto shuffled = reordered(both, mixed(draw, one.contact_count(), other.contact_count()),
                                    mixed(draw, one.row_count(), other.row_count()));
    MethodOptions options = usual(Procedure::pgs);
    set_iterations(options, 3);
    const auto lanes = solved(shuffled, options), reference = solved_by_reference(shuffled, options);
    EXPECT_EQ(lanes.report.colours, reference.report.colours);
    // Another order of three sweeps would differ by per cents.
    for (std::size_t i = 0; i < shuffled.body_count(); ++i)
      EXPECT_LT(length(lanes.velocity(i) - reference.velocity(i)), 1e-9) << seed;
  }
}

/// A pair of balls that touch in `points` places, with another ball's contact between each two.
TEST(SceneManifolds, puts_up_to_four_contacts_of_a_pair_together_wherever_they_stand) {
  const auto colours = [](std::size_t points, bool turned) {
    SceneData<double> scene;
    for (int i = 0; i < 4; ++i) scene.add(box(1, {1, 1, 1}, {static_cast<double>(i), 0, 0}, {0, 0, -1}));
    for (std::size_t p = 0; p < points; ++p) {
      Contact contact{0, 1, {0, 0, 1}, {0.5, 0.1 * static_cast<double>(p), 0}};
      if (turned && p == 1) contact.normal = {0, 0, -1};
      scene.add(contact);
      scene.add(Contact{2, 3, {0, 0, 1}, {2.5, 0.1 * static_cast<double>(p), 0}});
    }
    return solved(scene, usual(Procedure::pgs)).report.colours;
  };
  EXPECT_EQ(colours(1, false), 1u);
  EXPECT_EQ(colours(4, false), 1u);
  EXPECT_EQ(colours(5, false), 2u);
  EXPECT_EQ(colours(3, true), 3u);  // a contact with another normal separates its neighbours
}

// Large enough for pairs that share a bit of the filter of pairs, and for a table that grows.
TEST(SceneManifolds, of_many_contacts_out_of_order_are_those_of_contacts_side_by_side) {
  const SceneData<float> many = islands<float>(3000, 4, 12, 7);
  std::vector<std::size_t> order;
  for (std::size_t step = 0; step < 7; ++step)
    for (std::size_t i = step; i < many.contact_count(); i += 7) order.push_back(i);
  const SceneData<float> shuffled = reordered(many, order, {});
  // The same order within every pair and among first contacts, and pairs side by side.
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::size_t>> of_pair;
  std::vector<const std::vector<std::size_t>*> pairs;
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::vector<std::size_t>& of = of_pair[{shuffled.body_a[i], shuffled.body_b[i]}];
    if (of.empty()) pairs.push_back(&of);
    of.push_back(i);
  }
  std::vector<std::size_t> by_pair;
  for (const auto* of : pairs) by_pair.insert(by_pair.end(), of->begin(), of->end());
  const SceneData<float> sorted = reordered(shuffled, by_pair, {});
  const MethodOptions options = usual(Procedure::pgs);
  const auto a = solved(shuffled, options), b = solved(sorted, options);
  for (std::size_t i = 0; i < many.body_count(); ++i) EXPECT_EQ(a.velocity(i), b.velocity(i));
  EXPECT_EQ(a.report.colours, b.report.colours);
}

}  // namespace
}  // namespace carom::scenes
