// Faulty models leave a contact out with a status that names the column; columns that a method has no part in are an
// error that names them.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/scenes/contact_models.hpp"
#include "support/scenes/refusal.hpp"

namespace carom::scenes {
namespace {

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

template <class T>
class ContactModelFault : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(ContactModelFault, Precisions);

TYPED_TEST(ContactModelFault, has_a_status_that_names_the_column) {
  using T = TypeParam;
  using Data = SceneData<T>;
  constexpr std::size_t bad = 5;
  const struct {
    const char* what;
    std::function<void(Data&)> make;
    Status status;
    bool needs_step = false;
  } cases[] = {
      {"friction_2", [](Data& s) { s.friction_2[bad] = T(-0.1); }, Status::negative_friction_2},
      {"friction_2, no number", [](Data& s) { s.friction_2[bad] = nan<T>; }, Status::not_a_number},
      {"friction_2, without bound", [](Data& s) { s.friction_2[bad] = infinity<T>; }, Status::ok},
      {"along the normal",
       [](Data& s) {
         put(s.friction_direction, bad, {0, 0, 3});
       },
       Status::friction_direction_along_normal},
      {"no direction",
       [](Data& s) {
         put(s.friction_direction, bad, {0, 0, 0});
       },
       Status::friction_direction_along_normal},
      {"no direction, one coefficient",
       [](Data& s) {
         put(s.friction_direction, bad, {0, 0, 0});
         s.friction_2[bad] = s.friction[bad];
       },
       Status::ok},
      {"tiny direction",
       [](Data& s) {
         put(s.friction_direction, bad, {1e-30, 0, 0});
       },
       Status::ok},
      {"direction, no number", [](Data& s) { s.friction_direction[1][bad] = nan<T>; }, Status::not_a_number},
      {"direction, infinite", [](Data& s) { s.friction_direction[0][bad] = -infinity<T>; }, Status::infinite},
      {"rolling", [](Data& s) { s.rolling_friction[bad] = T(-1e-3); }, Status::negative_rolling_friction},
      {"rolling, infinite", [](Data& s) { s.rolling_friction[bad] = infinity<T>; }, Status::infinite},
      {"spinning", [](Data& s) { s.spinning_friction[bad] = T(-1e-3); }, Status::negative_spinning_friction},
      {"spinning, no number", [](Data& s) { s.spinning_friction[bad] = nan<T>; }, Status::not_a_number},
      {"normal compliance", [](Data& s) { s.normal_compliance[bad] = T(-1); }, Status::negative_normal_compliance},
      {"tangential compliance", [](Data& s) { s.tangential_compliance[bad] = T(-1); },
       Status::negative_tangential_compliance},
      {"tangential compliance, infinite", [](Data& s) { s.tangential_compliance[bad] = infinity<T>; },
       Status::infinite},
      {"stiffness", [](Data& s) { s.stiffness[bad] = T(-10); }, Status::stiffness_not_positive, true},
      {"no stiffness", [](Data& s) { s.stiffness[bad] = 0; }, Status::stiffness_not_positive, true},
      {"stiffness, no number", [](Data& s) { s.stiffness[bad] = nan<T>; }, Status::not_a_number, true},
      {"damping", [](Data& s) { s.damping[bad] = T(-10); }, Status::negative_damping, true},
      {"damping, infinite", [](Data& s) { s.damping[bad] = infinity<T>; }, Status::infinite, true},
      {"two faults: the first of them",
       [](Data& s) {
         s.rolling_friction[bad] = T(-1);
         s.friction[bad] = T(-1);
       },
       Status::negative_friction},
      {"two faults, of which that of the frequency comes last",
       [](Data& s) {
         s.static_friction = s.friction;
         s.static_friction[bad] = 0;
         s.frequency.assign(s.contact_count(), T(30));
         s.frequency[bad] = T(-1);
       },
       Status::static_friction_below_friction, true},
      {"two faults of models",
       [](Data& s) {
         s.rolling_friction[bad] = T(-1);
         s.tangential_compliance[bad] = T(-1);
       },
       Status::negative_rolling_friction},
  };
  for (const auto& of : cases)
    for (const Procedure method : {Procedure::pgs, Procedure::substeps}) {
      if (of.needs_step && method == Procedure::pgs) continue;
      auto scene = stack<T>(3);
      add_neutral_models(scene, method == Procedure::substeps);
      scene.friction_2.assign(scene.contact_count(), T(0.25));
      scene.friction_direction[0].assign(scene.contact_count(), T(1));
      of.make(scene);
      const auto made = solved(scene, usual(method));
      const auto expected = solved_by_reference(widened(scene), usual(method));
      for (std::size_t i = 0; i < scene.contact_count(); ++i) {
        if (i == bad)
          EXPECT_EQ(made.arrays.status[i], of.status) << of.what << ", found " << to_string(made.arrays.status[i]);
        else
          EXPECT_FALSE(is_fault(made.arrays.status[i])) << of.what;
        EXPECT_EQ(is_fault(made.arrays.status[i]), is_fault(expected.arrays.status[i])) << of.what;
      }
      EXPECT_EQ(expected.arrays.status[bad], of.status) << of.what;
      if (of.status == Status::ok) continue;
      EXPECT_EQ(length(made.impulse(bad)), 0) << of.what;
      EXPECT_EQ(length(at(made.arrays.angular_impulse, bad)), 0) << of.what;
    }
}

TEST(MisusedContactModels, are_an_error_that_names_the_column) {
  const auto data = [] {
    auto scene = stack<double>(2);
    add_neutral_models(scene, true);
    scene.warm_impulse = scene.warm_angular_impulse = vectors<double>(scene.contact_count());
    return scene;
  }();
  const auto substeps = usual(Procedure::substeps);
  const auto expect = [&](const MethodOptions& options, const char* name,
                          const std::function<void(Scene<double>&)>& f) {
    SceneArrays<double> arrays(data);
    Scene<double> scene = data.view();
    scene.contacts.laws = {};
    f(scene);
    expect_named(refusal(scene, arrays.view(), options), name);
  };
  expect(substeps, "", [](Scene<double>&) {});
  expect(substeps, "contacts.friction_direction.y", [](Scene<double>& s) { s.contacts.friction_direction.y = {}; });
  expect(substeps, "contacts.friction_2 and contacts.friction_direction",
         [](Scene<double>& s) { s.contacts.friction_2 = {}; });
  expect(substeps, "contacts.friction_2 and contacts.friction_direction",
         [](Scene<double>& s) { s.contacts.friction_direction = {}; });
  expect(substeps, "contacts.damping needs", [](Scene<double>& s) { s.contacts.stiffness = {}; });
  expect(substeps, "contacts.rolling_friction", [](Scene<double>& s) { s.contacts.rolling_friction.count = 1; });
  expect(substeps, "contacts.warm_angular_impulse.z", [](Scene<double>& s) { s.contacts.warm_angular_impulse.z = {}; });
  const auto pgs = usual(Procedure::pgs);
  expect(pgs, "contacts.stiffness is not read by the method pgs", [](Scene<double>&) {});
  const struct {
    const char* name;
    std::function<void(SceneContacts<double>&, const SceneContacts<double>&)> take;
  } columns[] = {
      {"contacts.friction_2",
       [](auto& to, const auto& from) {
         to.friction_2 = from.friction_2;
         to.friction_direction = from.friction_direction;
       }},
      {"contacts.rolling_friction", [](auto& to, const auto& from) { to.rolling_friction = from.rolling_friction; }},
      {"contacts.spinning_friction", [](auto& to, const auto& from) { to.spinning_friction = from.spinning_friction; }},
      {"contacts.normal_compliance", [](auto& to, const auto& from) { to.normal_compliance = from.normal_compliance; }},
      {"contacts.tangential_compliance",
       [](auto& to, const auto& from) { to.tangential_compliance = from.tangential_compliance; }},
      {"contacts.stiffness", [](auto& to, const auto& from) { to.stiffness = from.stiffness; }},
  };
  auto plain = stack<double>(2);
  for (const Procedure method :
       {Procedure::sequential_impacts, Procedure::collisions, Procedure::resting, Procedure::both_phases})
    for (const auto& column : columns) {
      SceneArrays<double> arrays(plain);
      Scene<double> scene = plain.view();
      column.take(scene.contacts, data.view().contacts);
      const std::string text = refusal(scene, arrays.view(), usual(method));
      EXPECT_NE(text.find(column.name), std::string::npos) << text;
      EXPECT_NE(text.find(to_string(SceneOptions(usual(method)).selected())), std::string::npos) << text;
      EXPECT_EQ(arrays.velocity, plain.bodies.velocity);
    }
}

}  // namespace
}  // namespace carom::scenes
