// Contacts and rows of bodies that only turn, where impulses along some direction move no body: K is singular, however
// it is rounded. Every method leaves them out with a status, with or without other islands in the scene.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <cmath>
#include <string>
#include <type_traits>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

using support::Draw;

constexpr int pairs = 200;
constexpr Status singular = Status::collision_matrix_not_positive_definite;

template <class T>
class SceneSingular : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SceneSingular, Precisions);

Body rotor(Draw& draw, const Vector& position) {
  Body body;
  body.inverse_mass = 0;
  body.angular_velocity = draw.bell3(1);
  body.position = position;
  return body;
}

/// Two balls on fixed centres touch.
template <class T>
SceneData<T> balls(Draw& draw) {
  SceneData<T> scene;
  const Vector n = draw.direction();
  const std::int32_t a = scene.add(rotor(draw, {})), b = scene.add(rotor(draw, -1.2 * n));
  scene.add(Contact{.a = a, .b = b, .normal = n, .point = -0.5 * n, .friction = 0.5});
  return scene;
}

/// A rotor touches the world in one or two points.
template <class T>
SceneData<T> rotor_on_ground(Draw& draw) {
  SceneData<T> scene;
  const std::int32_t a = scene.add(rotor(draw, {}));
  const Vector n = draw.direction();
  for (std::size_t points = 1 + draw.below(2); points > 0; --points)
    scene.add(Contact{.a = a, .normal = n, .point = 0.7 * draw.direction(), .friction = 0.5});
  return scene;
}

template <class T>
void expect_left_out(const SceneData<T>& scene, const Solved<T>& found, std::size_t contacts, std::size_t bodies,
                     const std::string& what) {
  for (std::size_t i = 0; i < contacts; ++i) {
    ASSERT_EQ(found.arrays.status[i], singular) << what << ", contact " << i;
    ASSERT_EQ(found.impulse(i), Vector{}) << what << ", contact " << i;
  }
  for (std::size_t i = 0; i < bodies; ++i)
    ASSERT_EQ(found.angular_velocity(i), scene.angular_velocity(i)) << what << ", body " << i;
}

TYPED_TEST(SceneSingular, contacts_of_bodies_that_only_turn_are_left_out) {
  using T = TypeParam;
  for (const auto& make : {balls<T>, rotor_on_ground<T>}) {
    Draw draw(1);
    SceneData<T> scene;
    for (int i = 0; i < pairs; ++i) append(scene, make(draw));
    const std::size_t contacts = scene.contact_count(), bodies = scene.body_count();
    append(scene, stack<T>(2));
    for (const Procedure method : all_methods) {
      const MethodOptions options = usual(method);
      const std::string name(to_string(method));
      for (const Isa isa : available_isas())
        expect_left_out(scene, solved(scene, options, {.isa = isa, .threads = 1}), contacts, bodies,
                        name + " on " + std::string(to_string(isa)));
      if constexpr (std::is_same_v<T, double>) {
        if (method != Procedure::ncp)
          expect_left_out(scene, solved_by_reference(scene, options), contacts, bodies, name + ", reference");
      }
      Draw again(1);
      for (int i = 0; i < pairs; ++i) {
        const SceneData<T> alone = make(again);
        expect_left_out(alone, solved(alone, options), alone.contact_count(), alone.body_count(), name + ", alone");
      }
    }
  }
}

TYPED_TEST(SceneSingular, contacts_of_rotors_whose_arms_are_not_parallel_are_solved) {
  using T = TypeParam;
  Draw draw(2);
  SceneData<T> scene;
  for (int i = 0; i < pairs; ++i) {
    // The smallest eigenvalue of K = J r² (2 - a aᵀ - b bᵀ) is J r² (1 - |a·b|).
    const support::Rows axes = draw.rotation();
    const double angle = draw.uniform(0.3, 2.8);
    Contact contact{.a = scene.add(rotor(draw, {})), .normal = axes[2], .point = 0.5 * axes[0], .friction = 0.5};
    contact.b = scene.add(rotor(draw, contact.point - 0.5 * (std::cos(angle) * axes[0] + std::sin(angle) * axes[1])));
    scene.add(contact);
  }
  for (const Procedure method : {Procedure::pgs, Procedure::sequential_impacts}) {
    MethodOptions options = exact<T>(method);
    options.sequential_impacts.law = Law::chatterjee_ruina;
    const Solved<T> found = solved(scene, options);
    EXPECT_EQ(found.report.count(singular), 0u) << to_string(method);
    EXPECT_GT(found.report.count(Status::ok), scene.contact_count() / 4) << to_string(method);
    for (std::size_t i = 0; i < scene.contact_count(); ++i)
      EXPECT_GT(at(found.arrays.separation_velocity, i)[0] * static_cast<double>(scene.normal[0][i]) +
                    at(found.arrays.separation_velocity, i)[1] * static_cast<double>(scene.normal[1][i]) +
                    at(found.arrays.separation_velocity, i)[2] * static_cast<double>(scene.normal[2][i]),
                -1e3 * epsilon<T>)
          << to_string(method) << ' ' << i;
  }
}

// J = 6 d dᵀ: a moment perpendicular to d does not turn the wheel.
TYPED_TEST(SceneSingular, rows_that_turn_no_body_are_left_out) {
  using T = TypeParam;
  for (const bool across : {true, false}) {
    Draw draw(3);
    SceneData<T> scene;
    for (int i = 0; i < pairs; ++i) {
      const support::Rows axes = draw.rotation();
      const Vector d = axes[0];
      Body wheel;
      wheel.inverse_inertia = {6 * d[0] * d[0], 6 * d[0] * d[1], 6 * d[0] * d[2],
                               6 * d[1] * d[1], 6 * d[1] * d[2], 6 * d[2] * d[2]};
      wheel.angular_velocity = d;
      const std::int32_t a = scene.add(wheel);
      typename JointRowData<T>::Row row;
      row.body_a = a;
      for (std::size_t c = 0; c < 3; ++c) row.angular_a[c] = static_cast<T>(axes[across ? 1 : 0][c]);
      scene.joints.rows.push_back(row);
    }
    for (const Procedure method : all_methods) {
      const auto expect = [&](const Solved<T>& found, const std::string& what) {
        for (std::size_t i = 0; i < scene.row_count(); ++i) {
          ASSERT_EQ(found.arrays.joint_status[i], across ? singular : Status::ok) << what << ' ' << i;
          if (across) {
            ASSERT_EQ(found.arrays.joint_impulse[i], 0) << what << ' ' << i;
          } else {
            ASSERT_LT(length(found.angular_velocity(i)), 16 * epsilon<T>) << what << ' ' << i;
          }
        }
      };
      for (const Isa isa : available_isas())
        expect(solved(scene, usual(method), {.isa = isa, .threads = 1}),
               std::string(to_string(method)) + " on " + std::string(to_string(isa)));
      if constexpr (std::is_same_v<T, double>) {
        if (method != Procedure::ncp)
          expect(solved_by_reference(scene, usual(method)), std::string(to_string(method)) + ", reference");
      }
    }
  }
}

}  // namespace
}  // namespace carom::scenes
