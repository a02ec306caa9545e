// Exceeding a size limit is an Error before any work. The message names the limit, the number and the remedy.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <string>

#include "support/scenes/refusal.hpp"

namespace carom::scenes {
namespace {

/// A column that repeats one number.
template <class V>
Column<const V> repeated(const V& value, std::size_t count) {
  return {&value, count, 0};
}

/// Balls, contacts of balls 0 and 1, and rows between them. Every column repeats one number, so it takes no memory.
Scene<double> scene_of(std::size_t bodies, std::size_t contacts, std::size_t rows) {
  static const double zero = 0, one = 1;
  static const std::int32_t first = 0, second = 1;
  const auto vector = [](std::size_t n, double z = 0) {
    return Vector3Columns<const double>{repeated(zero, n), repeated(zero, n), repeated(z > 0 ? one : zero, n)};
  };
  Scene<double> scene;
  scene.bodies.inverse_mass = repeated(one, bodies);
  scene.bodies.inverse_inertia = {repeated(one, bodies), repeated(zero, bodies), repeated(zero, bodies),
                                  repeated(one, bodies), repeated(zero, bodies), repeated(one, bodies)};
  scene.bodies.velocity = scene.bodies.angular_velocity = vector(bodies);
  scene.contacts.body_a = repeated(first, contacts);
  scene.contacts.body_b = repeated(second, contacts);
  scene.contacts.friction = scene.contacts.restitution = repeated(zero, contacts);
  scene.contacts.normal = vector(contacts, 1);
  scene.contacts.r_a = scene.contacts.r_b = vector(contacts);
  if (rows > 0) {
    scene.joints.body_a = repeated(first, rows);
    scene.joints.body_b = repeated(second, rows);
    scene.joints.linear_a = scene.joints.linear_b = vector(rows, 1);
    scene.joints.angular_a = scene.joints.angular_b = vector(rows);
  }
  return scene;
}

TEST(SceneLimit, of_bodies_contacts_and_rows_is_named) {
  constexpr std::size_t most = SceneLimits::max_bodies;
  const auto refused = [](std::size_t bodies, std::size_t contacts, std::size_t rows) {
    return refusal(scene_of(bodies, contacts, rows), {}, {});
  };
  EXPECT_EQ(refused(most + 1, 1, 0),
            "carom: the scene has 2147483648 bodies, and the limit is SceneLimits::max_bodies, 2147483647: solve its "
            "islands in several calls");
  const std::string text =
      "carom: the scene has 2147483648 contacts and joint rows, and the limit is SceneLimits::max_contacts_and_rows, "
      "2147483647: solve its islands in several calls";
  EXPECT_EQ(refused(2, most + 1, 0), text);
  EXPECT_EQ(refused(2, 0, most + 1), text);
  EXPECT_EQ(refused(2, most - 1, 2), text);
  EXPECT_NE(refused(2, ~std::size_t{0} - 1, ~std::size_t{0} - 1), "");
}

}  // namespace
}  // namespace carom::scenes
