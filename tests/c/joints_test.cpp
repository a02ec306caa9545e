// Joints and mechanisms through the C interface equal those through C++.
#include <gtest/gtest.h>

#include <array>
#include <carom/mechanism.hpp>

#include "c/in_c.hpp"
#include "support/running/same_bits.hpp"

namespace carom {
namespace {

template <class T>
class CJoints : public testing::Test {
 protected:
  CJoints() {
    EXPECT_EQ(carom_joints_create(precision_of<T>, &joints), CAROM_OK);
    add_ball_joint(expected, bodies);
    add_hinge(expected, bodies, axis);
    add_slider(expected, bodies, axis);
    add_fixed_joint(expected, bodies);
    add_motor(expected, bodies, axis, T(0.5), T(2));
    add_linear_motor(expected, bodies, axis, T(0.5), T(2));
    add_distance_joint(expected, bodies, axis);
    const carom_joint_bodies in_c{1, -1, {0.25, 0, -0.5}, {0, 0, 1}};
    const double along[3] = {0, 3, 4};
    for (const carom_error error :
         {carom_add_ball_joint(joints, &in_c), carom_add_hinge(joints, &in_c, along),
          carom_add_slider(joints, &in_c, along), carom_add_fixed_joint(joints, &in_c),
          carom_add_motor(joints, &in_c, along, 0.5, 2), carom_add_linear_motor(joints, &in_c, along, 0.5, 2),
          carom_add_distance_joint(joints, &in_c, along)})
      EXPECT_EQ(error, CAROM_OK) << carom_error_message();
  }
  ~CJoints() override { carom_joints_destroy(joints); }

  const JointBodies<T> bodies{1, -1, {T(0.25), 0, T(-0.5)}, {0, 0, 1}};
  const std::array<T, 3> axis{0, 3, 4};
  JointRowData<T> expected;
  carom_joints* joints = nullptr;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CJoints, Precisions);

TYPED_TEST(CJoints, have_the_rows_of_cpp) {
  using T = TypeParam;
  carom_joint_row row;
  carom_joint_row_init(&row, sizeof row);
  row.key = 7;
  ASSERT_EQ(carom_joints_add(this->joints, &row), CAROM_OK);
  this->expected.rows.push_back({.key = 7});
  ASSERT_EQ(carom_joints_get(this->joints, 2, &row), CAROM_OK);
  row.compliance = 0.125;
  ASSERT_EQ(carom_joints_set(this->joints, 2, &row), CAROM_OK);
  this->expected.rows[2].compliance = T(0.125);

  ASSERT_EQ(carom_joints_count(this->joints), this->expected.rows.size());
  auto views = sized<carom_joint_rows>();
  ASSERT_EQ(carom_joints_rows(this->joints, &views), CAROM_OK);
  const JointRows<T> rows = this->expected.view();
  const auto compare = []<class U>(const columns::Label& label, const Column<const U>& one, const carom_column& other) {
    ASSERT_EQ(one.count, other.count) << label.in_code();
    ASSERT_EQ(one.data == nullptr, other.data == nullptr) << label.in_code();
    const Column<const U> in_c(static_cast<const U*>(other.data), other.count, other.stride);
    for (std::size_t i = 0; one && i < one.count; ++i) EXPECT_EQ(one[i], in_c[i]) << label.in_code() << " " << i;
  };
  columns::each_needed_of_rows(compare, rows, views);
  columns::each_optional_of_rows(compare, rows, views);
  EXPECT_EQ(carom_joints_clear(this->joints), CAROM_OK);
  EXPECT_EQ(carom_joints_count(this->joints), 0u);
}

TYPED_TEST(CJoints, refuse_what_is_none) {
  const double none[3] = {0, 0, 0};
  const carom_joint_bodies world{};
  auto row = sized<carom_joint_row>();
  EXPECT_EQ(carom_add_hinge(this->joints, &world, none), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(carom_add_hinge(this->joints, &world, nullptr), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(carom_add_hinge(nullptr, &world, none), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(carom_joints_get(this->joints, 1000, &row), CAROM_ERROR_ARGUMENT);
  EXPECT_STREQ(carom_error_message(), "carom: there is no row 1000 among 22");
  EXPECT_EQ(carom_joints_add(this->joints, nullptr), CAROM_ERROR_ARGUMENT);
}

TYPED_TEST(CJoints, hold_a_mechanism_as_in_cpp) {
  using T = TypeParam;
  // Two unit cubes; one hangs on the world, and the other hits it.
  const std::vector<T> one(2, T(1)), zero(2), six(2, T(6)), down{T(-1), T(-1)};
  std::vector<T> fall{T(-3), 0}, fall_in_c = fall, rest(2), rest_in_c = rest, impulse(3), impulse_in_c = impulse;
  std::vector<T> x(2), y(2), wx(2), wy(2), wz(2);
  const std::int32_t a = 0, b = 1;
  JointRowData<T> data;
  add_ball_joint(data, this->bodies);
  Scene<T> scene;
  scene.bodies = BodyColumns<const T>{one, {six, zero, zero, six, zero, six}, {zero, zero, fall}, {zero, zero, zero}};
  scene.contacts.friction = scene.contacts.restitution = {one.data(), 1};
  scene.contacts.normal = {{zero.data(), 1}, {zero.data(), 1}, {one.data(), 1}};
  scene.contacts.r_a = {{zero.data(), 1}, {zero.data(), 1}, {down.data(), 1}};
  scene.contacts.r_b = {{one.data(), 1}, {zero.data(), 1}, {one.data(), 1}};
  scene.contacts.body_a = {&a, 1};
  scene.contacts.body_b = {&b, 1};
  scene.joints = data.view();

  auto cubes = sized<carom_scene_bodies>();
  auto contacts = sized<carom_scene_contacts>();
  auto rows = sized<carom_joint_rows>();
  auto in_c = sized<carom_scene>();
  columns::each(Give{}, {}, scene.bodies, cubes);
  columns::each_number(Give{}, scene.contacts, contacts);
  columns::each_index(Give{}, scene.contacts, contacts);
  columns::each_needed_of_rows(Give{}, scene.joints, rows);
  columns::each_optional_of_rows(Give{}, scene.joints, rows);
  in_c.bodies = &cubes;
  in_c.contacts = &contacts;
  in_c.joints = &rows;

  const Mechanisms<T> mechanisms(scene);
  const MechanismContact contact = mechanisms.contact(0);
  carom_mechanisms* mechanisms_in_c = nullptr;
  ASSERT_EQ(carom_mechanisms_create(precision_of<T>, &in_c, nullptr, &mechanisms_in_c), CAROM_OK)
      << carom_error_message();
  auto contact_in_c = sized<carom_mechanism_contact>();
  ASSERT_EQ(carom_mechanisms_contact(mechanisms_in_c, 0, &contact_in_c), CAROM_OK) << carom_error_message();
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(contact_in_c.k[i], contact.k[i]);
  EXPECT_EQ(contact_in_c.separation_velocity[2], contact.separation_velocity[2]);

  const double p[3] = {0.25, 0, 1.5};

  mechanisms.apply(contact, {p[0], p[1], p[2]}, {x, y, fall}, {wx, wy, wz}, impulse);
  std::vector<T> x2(2), y2(2), wx2(2), wy2(2), wz2(2);
  carom_outputs3 v, w;
  const Vector3Columns<T> velocity{x2, y2, fall_in_c}, spin{wx2, wy2, wz2};
  columns::each(Give{}, {}, velocity, v);
  columns::each(Give{}, {}, spin, w);
  const carom_output lambda{impulse_in_c.data(), 3, sizeof(T)};
  ASSERT_EQ(carom_mechanisms_apply(mechanisms_in_c, &contact_in_c, p, &v, &w, &lambda), CAROM_OK)
      << carom_error_message();
  mechanisms.satisfy_rows({x, y, fall}, {wx, wy, wz}, impulse);
  ASSERT_EQ(carom_mechanisms_satisfy_rows(mechanisms_in_c, &v, &w, &lambda), CAROM_OK) << carom_error_message();
  EXPECT_TRUE(support::same_bits(fall, fall_in_c));
  EXPECT_TRUE(support::same_bits(wy, wy2));
  EXPECT_TRUE(support::same_bits(impulse, impulse_in_c));
  EXPECT_NE(impulse[2], 0);
  EXPECT_EQ(carom_mechanisms_contact(mechanisms_in_c, 1, &contact_in_c), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(carom_mechanisms_apply(mechanisms_in_c, nullptr, p, &v, &w, nullptr), CAROM_ERROR_ARGUMENT);
  carom_mechanisms_destroy(mechanisms_in_c);
}

TEST(CCombine, is_that_of_cpp) {
  double result = 0;
  ASSERT_EQ(carom_combine(CAROM_COMBINE_GEOMETRIC_MEAN, 4, 9, &result), CAROM_OK);
  EXPECT_EQ(result, 6);
  EXPECT_EQ(carom_combine(5, 4, 9, &result), CAROM_ERROR_ARGUMENT);
  const float of_bodies[] = {0.5f, 0.25f};
  const std::int32_t a[] = {0, 1}, b[] = {1, -1};
  float made[2] = {};
  const carom_column bodies{of_bodies, 2, sizeof(float)}, body_a{a, 2, sizeof *a}, body_b{b, 2, sizeof *b};
  const carom_output to{made, 2, sizeof(float)};
  ASSERT_EQ(carom_combine_columns(CAROM_FLOAT, CAROM_COMBINE_PRODUCT, &bodies, 0.5, &body_a, &body_b, &to), CAROM_OK);
  EXPECT_EQ(made[0], 0.125f);
  EXPECT_EQ(made[1], 0.125f);
}

}  // namespace
}  // namespace carom
