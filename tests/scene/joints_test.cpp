// The rows of joints against the relative motions that they allow and forbid, and the rules of pairs.
#include <gtest/gtest.h>

#include <array>
#include <carom/carom.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "random/draw.hpp"

namespace carom {
namespace {

using support::Draw;
using support::Vector;

constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();

struct Motion {
  Vector velocity{}, spin{};

  Vector at(const Vector& lever) const { return velocity + cross(spin, lever); }
};

template <class T>
double velocity_of(const typename JointRowData<T>::Row& row, const Motion& a, const Motion& b) {
  return dot(vector_of<double>(row.linear_a), a.velocity) + dot(vector_of<double>(row.angular_a), a.spin) +
         dot(vector_of<double>(row.linear_b), b.velocity) + dot(vector_of<double>(row.angular_b), b.spin);
}

/// Bodies with a joint at one point, in independent motions. All vectors are of the order of 1 and exact in T.
template <class T>
struct Joint {
  explicit Joint(std::uint64_t seed) : draw(seed) {
    r_a = vector_of<double>(vector_of<T>(draw.bell3(1)));
    r_b = vector_of<double>(vector_of<T>(draw.bell3(1)));
    axis = draw.direction();
    bodies = {3, 5, vector_of<T>(r_a), vector_of<T>(r_b)};
    for (Motion* motion : {&a, &b}) *motion = {draw.bell3(1), draw.bell3(1)};
  }
  /// B's motion as a part of A with this motion against it at the joint's point.
  Motion b_with(const Vector& slip, const Vector& turn) const {
    Motion motion;
    motion.spin = a.spin + turn;
    motion.velocity = a.at(r_a) + slip - cross(motion.spin, r_b);
    return motion;
  }

  Draw draw;
  Vector r_a{}, r_b{}, axis{};
  JointBodies<T> bodies;
  Motion a, b;
};

template <class T>
class Joints : public ::testing::Test {
 protected:
  // A row sums up twelve products of some 4 at most, each with a Jacobian rounded twice and an axis rounded four times.
  static constexpr double tolerance = 12 * 4 * 6 * static_cast<double>(std::numeric_limits<T>::epsilon());
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Joints, Precisions);

TYPED_TEST(Joints, ball_joint_measures_how_the_points_part) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Joint<T> joint(seed);
    JointRowData<T> data;
    data.rows.resize(2);
    EXPECT_EQ(add_ball_joint(data, joint.bodies), 2u);
    ASSERT_EQ(data.rows.size(), 5u);
    const Vector apart = joint.a.at(joint.r_a) - joint.b.at(joint.r_b);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto& row = data.rows[2 + i];
      EXPECT_NEAR(velocity_of<T>(row, joint.a, joint.b), apart[i], this->tolerance);
      EXPECT_EQ(row.body_a, 3);
      EXPECT_EQ(row.body_b, 5);
      EXPECT_EQ(row.min_impulse, -std::numeric_limits<T>::infinity());
      EXPECT_EQ(row.max_impulse, std::numeric_limits<T>::infinity());
      EXPECT_EQ(row.target_velocity, 0);
      EXPECT_EQ(row.compliance, 0);
    }
  }
}

TYPED_TEST(Joints, hinge_lets_the_bodies_turn_about_its_axis_alone) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Joint<T> joint(seed);
    JointRowData<T> data;
    add_hinge(data, joint.bodies, vector_of<T>(3 * joint.axis));
    ASSERT_EQ(data.rows.size(), 5u);
    const Motion about_axis = joint.b_with({}, joint.draw.bell() * joint.axis);
    for (const auto& row : data.rows) EXPECT_NEAR(velocity_of<T>(row, joint.a, about_axis), 0, this->tolerance);
    // Two rows see the whole of any other turn, |wA - wB| about an axis perpendicular to the hinge's.
    const Vector other = cross(joint.axis, joint.draw.bell3(1));
    const Motion turned = joint.b_with({}, other);
    double square = 0;
    for (std::size_t i = 3; i < 5; ++i) square += std::pow(velocity_of<T>(data.rows[i], joint.a, turned), 2);
    EXPECT_NEAR(std::sqrt(square), std::sqrt(dot(other, other)), this->tolerance);
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(velocity_of<T>(data.rows[i], joint.a, joint.b), (joint.a.at(joint.r_a) - joint.b.at(joint.r_b))[i],
                  this->tolerance);
  }
}

TYPED_TEST(Joints, slider_lets_the_point_move_along_its_axis_alone) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Joint<T> joint(seed);
    JointRowData<T> data;
    add_slider(data, joint.bodies, vector_of<T>(0.2 * joint.axis));
    ASSERT_EQ(data.rows.size(), 5u);
    const Motion along_axis = joint.b_with(joint.draw.bell() * joint.axis, {});
    for (const auto& row : data.rows) EXPECT_NEAR(velocity_of<T>(row, joint.a, along_axis), 0, this->tolerance);
    const Vector across = cross(joint.axis, joint.draw.bell3(1)), turn = joint.draw.bell3(1);
    const auto length = [&](const Motion& b, std::size_t first, std::size_t end) {
      double square = 0;
      for (std::size_t i = first; i < end; ++i) square += std::pow(velocity_of<T>(data.rows[i], joint.a, b), 2);
      return std::sqrt(square);
    };
    EXPECT_NEAR(length(joint.b_with(across, {}), 0, 2), std::sqrt(dot(across, across)), this->tolerance);
    EXPECT_NEAR(length(joint.b_with({}, turn), 2, 5), std::sqrt(dot(turn, turn)), this->tolerance);
  }
}

TYPED_TEST(Joints, fixed_joint_measures_all_relative_motion) {
  using T = TypeParam;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Joint<T> joint(seed);
    JointRowData<T> data;
    add_fixed_joint(data, joint.bodies);
    ASSERT_EQ(data.rows.size(), 6u);
    const Vector apart = joint.a.at(joint.r_a) - joint.b.at(joint.r_b), turn = joint.a.spin - joint.b.spin;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(velocity_of<T>(data.rows[i], joint.a, joint.b), apart[i], this->tolerance);
      EXPECT_NEAR(velocity_of<T>(data.rows[3 + i], joint.a, joint.b), turn[i], this->tolerance);
    }
  }
}

TYPED_TEST(Joints, motors_have_speed_and_bounds_along_a_unit_axis) {
  using T = TypeParam;
  const Joint<T> joint(7);
  JointRowData<T> data;
  EXPECT_EQ(add_motor(data, joint.bodies, vector_of<T>(4 * joint.axis), T(2.5), T(7)), 0u);
  EXPECT_EQ(add_linear_motor(data, joint.bodies, vector_of<T>(4 * joint.axis), T(-1.5), T(8)), 1u);
  ASSERT_EQ(data.rows.size(), 2u);
  const Vector apart = joint.a.at(joint.r_a) - joint.b.at(joint.r_b), turn = joint.a.spin - joint.b.spin;
  EXPECT_NEAR(velocity_of<T>(data.rows[0], joint.a, joint.b), dot(joint.axis, turn), this->tolerance);
  EXPECT_NEAR(velocity_of<T>(data.rows[1], joint.a, joint.b), dot(joint.axis, apart), this->tolerance);
  EXPECT_EQ(data.rows[0].target_velocity, T(2.5));
  EXPECT_EQ(data.rows[1].target_velocity, T(-1.5));
  EXPECT_EQ(data.rows[0].min_impulse, T(-7));
  EXPECT_EQ(data.rows[0].max_impulse, T(7));
  EXPECT_EQ(data.rows[1].min_impulse, T(-8));
  EXPECT_EQ(data.rows[1].max_impulse, T(8));
}

TYPED_TEST(Joints, distance_joint_measures_the_rate_of_the_distance) {
  using T = TypeParam;
  const Joint<T> joint(8);
  JointRowData<T> data;
  add_distance_joint(data, joint.bodies, vector_of<T>(9 * joint.axis));
  ASSERT_EQ(data.rows.size(), 1u);
  EXPECT_NEAR(velocity_of<T>(data.rows[0], joint.a, joint.b),
              dot(joint.axis, joint.a.at(joint.r_a) - joint.b.at(joint.r_b)), this->tolerance);
}

TYPED_TEST(Joints, lever_arm_from_the_world_does_not_count) {
  using T = TypeParam;
  const T none = std::numeric_limits<T>::quiet_NaN();
  JointRowData<T> data;
  add_fixed_joint<T>(data, {-1, 0, {none, none, none}, {1, 2, 3}});
  for (const auto& row : data.rows)
    for (const T x : row.angular_a) EXPECT_FALSE(std::isnan(x));
}

TYPED_TEST(Joints, axis_without_a_direction_is_an_error_and_adds_no_row) {
  using T = TypeParam;
  constexpr T large = std::numeric_limits<T>::infinity(), none = std::numeric_limits<T>::quiet_NaN();
  for (const std::array<T, 3>& axis :
       {std::array<T, 3>{0, 0, 0}, std::array<T, 3>{1, none, 0}, std::array<T, 3>{large, 0, 0}}) {
    JointRowData<T> data;
    EXPECT_THROW(add_hinge<T>(data, {}, axis), Error);
    EXPECT_THROW(add_slider<T>(data, {}, axis), Error);
    EXPECT_THROW(add_motor<T>(data, {}, axis, 1, 1), Error);
    EXPECT_THROW(add_linear_motor<T>(data, {}, axis, 1, 1), Error);
    EXPECT_THROW(add_distance_joint<T>(data, {}, axis), Error);
    EXPECT_TRUE(data.rows.empty());
  }
  try {
    JointRowData<T> data;
    add_slider<T>(data, {}, {0, 0, 0});
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("the axis of the slider is (0, 0, 0)"), std::string::npos) << error.what();
  }
}

TYPED_TEST(Joints, axis_of_any_length_becomes_a_unit_vector) {
  using T = TypeParam;
  for (const T length : {std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::max()}) {
    JointRowData<T> data;
    add_motor<T>(data, {0, 1, {}, {}}, {length, -length, 0}, 1, 1);
    EXPECT_NEAR(data.rows[0].angular_a[0], std::sqrt(0.5), this->tolerance);
    EXPECT_NEAR(data.rows[0].angular_a[1], -std::sqrt(0.5), this->tolerance);
  }
}

TYPED_TEST(Joints, view_shows_every_field_of_every_row) {
  using T = TypeParam;
  JointRowData<T> data;
  data.rows.resize(3);
  T next = 1;
  for (auto& row : data.rows) {
    row.body_a = static_cast<std::int32_t>(next++);
    row.body_b = static_cast<std::int32_t>(next++);
    for (auto* vector : {&row.linear_a, &row.angular_a, &row.linear_b, &row.angular_b})
      for (T& x : *vector) x = next++;
    for (T* x : {&row.target_velocity, &row.min_impulse, &row.max_impulse, &row.compliance, &row.warm_impulse})
      *x = next++;
    row.key = static_cast<std::uint64_t>(next++);
  }
  const JointRows<T> view = data.view();
  T expected = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(view.body_a[i], static_cast<std::int32_t>(expected++));
    EXPECT_EQ(view.body_b[i], static_cast<std::int32_t>(expected++));
    for (const auto* v : {&view.linear_a, &view.angular_a, &view.linear_b, &view.angular_b})
      for (const auto* x : {&v->x, &v->y, &v->z}) EXPECT_EQ((*x)[i], expected++);
    for (const auto* x :
         {&view.target_velocity, &view.min_impulse, &view.max_impulse, &view.compliance, &view.warm_impulse})
      EXPECT_EQ((*x)[i], expected++);
    EXPECT_EQ(view.key[i], static_cast<std::uint64_t>(expected++));
  }
  EXPECT_EQ(view.linear_b.z.count, 3u);
}

TYPED_TEST(Joints, view_of_no_rows_has_columns_of_no_elements) {
  const JointRows<TypeParam> view = JointRowData<TypeParam>{}.view();
  EXPECT_TRUE(view.body_a && view.angular_b.z && view.compliance && view.target_velocity);
  EXPECT_EQ(view.body_a.count, 0u);
}

TEST(Combine, rules_are_what_their_names_say) {
  EXPECT_EQ(combine(CombineRule::mean, 0.25, 1), 0.625);
  EXPECT_EQ(combine(CombineRule::geometric_mean, 0.25, 1), 0.5);
  EXPECT_EQ(combine(CombineRule::min, 0.25, 1), 0.25);
  EXPECT_EQ(combine(CombineRule::max, 0.25, 1), 1);
  EXPECT_EQ(combine(CombineRule::product, 0.25, 1), 0.25);
  EXPECT_EQ(combine(CombineRule::mean, -0.5, 1), 0.25);
}

TEST(Combine, every_rule_is_symmetric_and_passes_nan_on) {
  for (std::size_t number = 0; number < combine_rule_count; ++number) {
    const auto rule = static_cast<CombineRule>(number);
    EXPECT_EQ(combine(rule, 0.3, 0.7), combine(rule, 0.7, 0.3)) << number;
    EXPECT_TRUE(std::isnan(combine(rule, nan, 1))) << number;
    EXPECT_TRUE(std::isnan(combine(rule, 0, nan))) << number;
    EXPECT_EQ(combine(rule, infinity, infinity), infinity) << number;
  }
}

TEST(Combine, products_know_zero_and_refuse_negative_coefficients) {
  for (const CombineRule rule : {CombineRule::geometric_mean, CombineRule::product}) {
    EXPECT_EQ(combine(rule, 0, infinity), 0);
    EXPECT_TRUE(std::isnan(combine(rule, -1, -1)));
    EXPECT_TRUE(std::isnan(combine(rule, -1, 0)));
  }
}

TEST(Combine, columns_go_by_the_bodies_of_each_contact) {
  const std::vector<float> friction = {0.5f, 0.25f};
  const std::vector<std::int32_t> a = {0, 1, -1, 0, -2}, b = {1, -1, 0, 2, 0};
  std::vector<float> result(5);
  combine(CombineRule::product, friction, 2.0f, a, b, result);
  EXPECT_EQ(result[0], 0.125f);
  EXPECT_EQ(result[1], 0.5f);
  EXPECT_EQ(result[2], 1.0f);
  EXPECT_TRUE(std::isnan(result[3]));
  EXPECT_TRUE(std::isnan(result[4]));
}

TEST(Combine, misuse_is_an_error) {
  const auto none = static_cast<CombineRule>(9);
  EXPECT_THROW(combine(none, 1, 1), Error);
  const std::vector<double> friction = {0.5};
  const std::vector<std::int32_t> a = {0, 0}, b = {-1, -1}, three = {0, 0, 0};
  std::vector<double> result(2, 7.0);
  EXPECT_THROW(combine(none, friction, 1.0, a, b, result), Error);
  EXPECT_THROW(combine(CombineRule::mean, friction, 1.0, a, three, result), Error);
  EXPECT_THROW(combine<double>(CombineRule::mean, friction, 1.0, a, {}, result), Error);
  EXPECT_THROW(combine(CombineRule::mean, friction, 1.0, a, b, Column<double>(&result[0], 2, 0)), Error);
  EXPECT_EQ(result, std::vector<double>(2, 7.0));
}

}  // namespace
}  // namespace carom
