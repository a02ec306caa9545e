// Constants as columns of scenes have the bits of columns full of them, in every call.
#include "support/running/constants.hpp"

#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <carom/experimental.hpp>
#include <carom/reference_scene.hpp>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/columns/scene_columns.hpp"
#include "support/scenes/draw_models.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

using support::Constants;

template <class T>
class SceneConstants : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SceneConstants, Precisions);

const auto each_column = [](const auto& f, auto& first, auto&... rest) {
  const auto each_law = [&](columns::Label label, auto&... laws) {
    label.of = "contacts";
    f(label, laws...);
  };
  columns::each_of_contacts(each_law, first.contacts, rest.contacts...);
  columns::each_of_scene(f, first.contacts, rest.contacts...);
  columns::each(f, {"bodies"}, first.bodies, rest.bodies...);
  columns::each_of_scene_bodies(f, first.bodies, rest.bodies...);
  columns::each_needed_of_rows(f, first.joints, rest.joints...);
  columns::each_optional_of_rows(f, first.joints, rest.joints...);
};

/// Piles with models, joints and all optional columns.
template <class T>
SceneData<T> scene_of_all_columns() {
  SceneData<T> scene = pyramid<T>(2);
  append(scene, chain<T>(3));
  const std::size_t contacts = scene.contact_count(), bodies = scene.body_count();
  draw_models(scene, 5, true);
  scene.static_friction.assign(contacts, T(1.5));
  scene.separation.assign(contacts, T(-0.001));
  scene.frequency.assign(contacts, T(30));
  scene.damping_ratio.assign(contacts, T(1));
  scene.slop.assign(contacts, T(0.002));
  scene.target_velocity.assign(contacts, T(0.01));
  scene.surface_velocity = vectors<T>(contacts, T(0.1));
  scene.warm_impulse = vectors<T>(contacts, T(0.02));
  scene.warm_angular_impulse = vectors<T>(contacts, T(0.001));
  scene.velocity_change = vectors<T>(bodies, T(-0.02));
  scene.angular_velocity_change = vectors<T>(bodies, T(0.01));
  for (std::size_t i = 0; i < contacts; ++i) scene.key.push_back(i + 1);
  return scene;
}

template <class T>
struct Call {
  SceneArrays<T> arrays;
  std::string error;

  Call(SceneSolver& solver, const SceneData<T>& data, const Scene<T>& scene, const SceneOptions& options)
      : arrays(data) {
    try {
      solver.solve(scene, arrays.view(), options);
    } catch (const Error& e) {
      error = e.what();
    }
  }
};

TYPED_TEST(SceneConstants, have_the_bits_of_full_columns) {
  using T = TypeParam;
  const SceneData<T> data = scene_of_all_columns<T>();
  std::size_t tried = 0, solved = 0;
  for (const Procedure method : all_methods) {
    const SceneOptions options = usual(method).converted();
    support::for_each_constant(
        select(data.view(), options.method), each_column, [&](const std::string& name, Constants<Scene<T>>& made) {
          const std::string what = name + ", " + std::string(to_string(options.selected()));
          SceneSolver of_constant({.threads = 1}), of_full({.threads = 1});
          // The second call has the arguments of the first.
          for (int call = 0; call < 2; ++call) {
            const Call<T> found(of_constant, data, made.constant, options), expected(of_full, data, made.full, options);
            EXPECT_EQ(found.error, expected.error) << what;
            expect_same_bits(found.arrays, expected.arrays, what);
            ++tried;
            solved += found.error.empty() ? 1 : 0;
          }
          if constexpr (std::is_same_v<T, double>) {
            if (options.selected() == SceneMethod::ncp) return;
            SceneArrays<T> found(data), expected(data);
            reference::solve_scene(made.constant, found.view(), options);
            reference::solve_scene(made.full, expected.view(), options);
            expect_same_bits(found, expected, "reference: " + what);
          }
        });
  }
  EXPECT_GT(tried, 400u);
  EXPECT_EQ(solved, tried);
}

// The solver keeps the arguments of a call for the next one: their constants, too.
TYPED_TEST(SceneConstants, are_read_anew_in_every_call) {
  using T = TypeParam;
  for (const Procedure method : {Procedure::substeps, Procedure::pgs, Procedure::sequential_impacts})
    for (const bool is_large : {false, true}) {
      SceneData<T> data;
      if (is_large) {
        data = scene_of_all_columns<T>();
      } else {
        data = stack<T>(1, 0);
      }
      data.bodies.velocity[0].assign(data.body_count(), T(1));
      data.bodies.velocity[2].assign(data.body_count(), T(-1));
      const SceneOptions options = usual(method).converted();
      SceneSolver of_constants({.threads = 1}), of_columns({.threads = 1});
      std::vector<SceneArrays<T>> seen;
      for (const double friction : {0.5, 0.5, 0.1, 0.1, 0.5, 0.0}) {
        data.friction.assign(data.contact_count(), static_cast<T>(friction));
        const Scene<T> full = select(data.view(), options.method);
        auto scene = std::make_unique<Scene<T>>(full);
        scene->contacts.friction = friction;
        scene->contacts.restitution = scene->contacts.restitution[0];
        const Call<T> found(of_constants, data, *scene, options);
        std::memset(static_cast<void*>(scene.get()), 0xff, sizeof *scene);
        const Call<T> expected(of_columns, data, full, options);
        EXPECT_EQ(found.error, "");
        expect_same_bits(found.arrays, expected.arrays, std::to_string(friction));
        seen.push_back(found.arrays);
      }
      EXPECT_FALSE(support::same_bits(seen[1].impulse[0], seen[2].impulse[0])) << "friction has no effect";
      EXPECT_FALSE(support::same_bits(seen[4].impulse[0], seen[5].impulse[0])) << "friction has no effect";
    }
}

TYPED_TEST(SceneConstants, survive_errors_and_calls_with_other_columns) {
  using T = TypeParam;
  SceneData<T> data = stack<T>(3, 0);
  data.friction.assign(data.contact_count(), T(0.4));
  data.restitution.assign(data.contact_count(), T(0.1));
  SceneData<T> moved = data;  // the same scene in other memory, in motion
  moved.bodies.velocity[0].assign(data.body_count(), T(2));
  const SceneOptions options = usual(Procedure::substeps).converted();
  const Scene<T> full = select(data.view(), options.method), full_moved = select(moved.view(), options.method);
  Scene<T> constant = full, constant_moved = full_moved, other_constant = full_moved, faulty = full;
  constant.contacts.friction = constant_moved.contacts.friction = 0.4;
  other_constant.contacts.restitution = 0.1;
  faulty.contacts.friction = 0.2;
  faulty.contacts.normal.y.count = 1;
  SceneSolver solver({.threads = 1}), other({.threads = 1});
  const auto expect = [&](const Scene<T>& scene, const Scene<T>& same, const std::string& what) {
    const Call<T> found(solver, data, scene, options), expected(other, data, same, options);
    EXPECT_EQ(found.error, "") << what;
    expect_same_bits(found.arrays, expected.arrays, what);
  };
  const auto expect_error = [&] {
    EXPECT_EQ(Call<T>(solver, data, faulty, options).error,
              "carom: the column contacts.normal.y has 1 elements, but contacts.restitution has " +
                  std::to_string(data.contact_count()));
  };
  expect(constant, full, "constant");
  expect_error();
  expect(constant, full, "constant after an error");
  expect(constant_moved, full_moved, "other memory");
  expect(other_constant, full_moved, "another constant");
  expect(full, full, "none");
  expect(constant, full, "constant after none");
  expect_error();
  expect(constant, full, "constant after an error again");
}

TEST(SceneConstantsOnly, are_an_error_that_says_what_has_no_number) {
  const SceneData<double> data = stack<double>(2, 0);
  const SceneOptions options = usual(Procedure::substeps).converted();
  const auto error = [&](const auto& change) {
    Scene<double> scene = select(data.view(), options.method);
    change(scene);
    try {
      SceneSolver({.threads = 1}).solve(scene, {}, options);
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(error([](Scene<double>& s) {
              s.contacts = {.friction = 0.4,
                            .restitution = 0,
                            .normal = {0, 0, 1},
                            .r_a = {0, 0, -0.5},
                            .r_b = {0, 0, 0.5},
                            .body_a = 1,
                            .body_b = 0};
            }),
            "carom: no column gives the number of contacts: all of them are constants");
  EXPECT_EQ(error([](Scene<double>& s) {
              s.bodies = SceneBodies<double>{1, {1, 0, 0, 1, 0, 1}, {0, 0, -1}, {0, 0, 0}};
            }),
            "carom: no column gives the number of bodies: all of them are constants");
  EXPECT_EQ(error([](Scene<double>& s) { s.contacts = {.friction = 0.4}; }),
            "carom: the column contacts.restitution is missing");
  EXPECT_EQ(error([](Scene<double>& s) {
              s.contacts.friction = 0.4;
              s.contacts.body_b = -1;
              s.bodies.inverse_mass = 1;
            }),
            "");
}

TEST(SceneConstantsOnly, reach_mechanisms) {
  SceneData<double> data = chain<double>(4);
  data.add(Contact{.a = 1, .b = world, .friction = 0.3, .restitution = 0.5});
  Scene<double> scene = data.view(), constant = scene;
  constant.contacts.friction = 0.3;
  constant.contacts.restitution = scene.contacts.restitution[0];
  data.restitution.assign(data.contact_count(), data.restitution[0]);
  data.friction.assign(data.contact_count(), 0.3);
  constant.joints.compliance = 0;
  const auto mechanisms = std::make_unique<Mechanisms<double>>(constant);
  constant = {};
  const Mechanisms<double> expected(scene);
  for (std::size_t i = 0; i < data.contact_count(); ++i) {
    EXPECT_EQ(mechanisms->contact(i).k, expected.contact(i).k);
    EXPECT_EQ(mechanisms->contact(i).friction, 0.3);
    EXPECT_EQ(mechanisms->contact(i).restitution, expected.contact(i).restitution);
  }
}

}  // namespace
}  // namespace carom::scenes
