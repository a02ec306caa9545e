// Faulty contacts and rows are left out with a status that names the fault; the rest of the scene is solved as if they
// were not there.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

template <class T>
class SceneFault : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SceneFault, Precisions);

template <class T>
constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();

/// Two stacks of two boxes as islands, with all optional columns, and a ball joint from each upper box to the world.
template <class T>
SceneData<T> two_stacks() {
  SceneData<T> scene = stack<T>(2);
  add_ball_joint(scene.joints, JointBodies<T>{1, world, {T(0.25), 0, 0}, {}});
  append(scene, SceneData<T>(scene));
  const std::size_t n = scene.contact_count();
  scene.static_friction = scene.friction;
  scene.separation.assign(n, 0);
  scene.target_velocity.assign(n, 0);
  scene.surface_velocity = scene.warm_impulse = vectors<T>(n);
  scene.law.assign(n, Law::chatterjee_ruina);
  return scene;
}
constexpr std::size_t contacts_of_one = 8, bodies_of_one = 2, rows_of_one = 3;

/// Without the column that the method refuses.
template <class T>
SceneData<T> two_stacks_for(Procedure method) {
  SceneData<T> scene = two_stacks<T>();
  if (method == Procedure::ncp) scene.static_friction.clear();
  return scene;
}

template <class T>
MethodOptions options_of(Procedure method) {
  MethodOptions options = usual(method);
  if (method == Procedure::resting) options.bender_schmitt.rest_tolerance = 1;  // so that all take part
  return options;
}

/// A fault spoils a part of a scene, and a status names it.
template <class Part>
struct Fault {
  const char* name;
  std::function<void(Part&)> spoil;
  Status status;
};

/// Two stacks with one fault, and the same without it, solved.
template <class T>
struct Faulty {
  Procedure method;
  SceneData<T> bad;
  Status status;
  Solved<T> made, undisturbed;
  std::string what;
};

/// Calls `check` with each fault under each method; `part` finds the part of the scene to spoil.
template <class T, class Part>
void for_each_fault(const std::vector<Fault<Part>>& faults, std::type_identity_t<Part>& (*part)(SceneData<T>&),
                    void (*check)(const Faulty<T>&)) {
  for (const Procedure method : all_methods) {
    const SceneData<T> good = two_stacks_for<T>(method);
    const auto undisturbed = solved(good, options_of<T>(method));
    for (const Fault<Part>& fault : faults) {
      SceneData<T> bad = good;
      fault.spoil(part(bad));
      check({method, bad, fault.status, solved(bad, options_of<T>(method)), undisturbed,
             std::string(fault.name) + ", " + std::string(to_string(method))});
    }
  }
}

/// Velocities of the bodies [first, last) and impulses of the contacts [first_contact, last_contact).
template <class T>
void expect_same(const Solved<T>& a, const Solved<T>& b, std::size_t first, std::size_t last, std::size_t first_contact,
                 std::size_t last_contact, const std::string& what) {
  for (std::size_t i = first; i < last; ++i) {
    EXPECT_EQ(a.velocity(i), b.velocity(i)) << what << ", body " << i;
    EXPECT_EQ(a.angular_velocity(i), b.angular_velocity(i)) << what << ", body " << i;
  }
  for (std::size_t i = first_contact; i < last_contact; ++i)
    EXPECT_EQ(a.impulse(i), b.impulse(i)) << what << ", contact " << i;
}

/// A fault of contact 5, the second of the upper box.
template <class T>
void expect_contact_fault(Procedure method, const std::function<void(SceneData<T>&)>& spoil, Status status,
                          const std::string& name) {
  const std::string what = name + ", " + std::string(to_string(method));
  const MethodOptions options = options_of<T>(method);
  const SceneData<T> good = two_stacks_for<T>(method);
  SceneData<T> bad = good;
  spoil(bad);
  const auto made = solved(bad, options), undisturbed = solved(good, options);
  EXPECT_EQ(made.arrays.status[5], status) << what;
  EXPECT_EQ(made.impulse(5), Vector{}) << what;
  EXPECT_EQ(made.arrays.path[5].sliding_end, SlidingEnd::none) << what;
  EXPECT_EQ(made.report.count(status), 1u) << what;
  EXPECT_EQ(made.report.islands, 2u) << what;
  expect_same(made, undisturbed, bodies_of_one, 2 * bodies_of_one, contacts_of_one, 2 * contacts_of_one, what);

  // The same scene without the contact.
  SceneData<T> without = good;
  const auto erase = [](auto& column) { column.erase(column.begin() + 5); };
  const auto erase3 = [&](auto& v) {
    for (auto& column : v) erase(column);
  };
  erase(without.body_a), erase(without.body_b), erase3(without.normal), erase3(without.r_a);
  erase3(without.r_b), erase(without.friction), erase(without.restitution);
  if (!without.static_friction.empty()) erase(without.static_friction);
  erase(without.separation), erase(without.target_velocity), erase3(without.surface_velocity);
  erase3(without.warm_impulse), erase(without.tangential_restitution), erase(without.law);
  const auto reduced = solved(without, options);
  expect_same(made, reduced, 0, 2 * bodies_of_one, 0, 5, what);
  for (std::size_t i = 6; i < 2 * contacts_of_one; ++i) EXPECT_EQ(made.impulse(i), reduced.impulse(i - 1)) << what;
}

TYPED_TEST(SceneFault, of_a_contact_has_its_status_and_costs_only_that_contact) {
  using T = TypeParam;
  using Data = SceneData<T>;
  const std::vector<Fault<Data>> faults = {
      {"index above", [](Data& s) { s.body_a[5] = 4; }, Status::body_index_out_of_range},
      {"index below", [](Data& s) { s.body_b[5] = -2; }, Status::body_index_out_of_range},
      {"least index", [](Data& s) { s.body_b[5] = std::numeric_limits<std::int32_t>::min(); },
       Status::body_index_out_of_range},
      {"same body", [](Data& s) { s.body_b[5] = s.body_a[5]; }, Status::same_body},
      {"two worlds", [](Data& s) { s.body_a[5] = s.body_b[5] = world; }, Status::both_immovable},
      {"normal", [](Data& s) { s.normal[1][5] = nan<T>; }, Status::not_a_number},
      {"long normal", [](Data& s) { s.normal[2][5] = T(1.01); }, Status::normal_not_unit},
      {"lever", [](Data& s) { s.r_a[0][5] = infinity<T>; }, Status::infinite},
      {"friction", [](Data& s) { s.friction[5] = nan<T>; }, Status::not_a_number},
      {"negative friction", [](Data& s) { s.friction[5] = -1; }, Status::negative_friction},
      {"restitution", [](Data& s) { s.restitution[5] = 2; }, Status::restitution_out_of_range},
      {"static friction", [](Data& s) { s.static_friction[5] = T(0.25); }, Status::static_friction_below_friction},
      {"static friction NaN", [](Data& s) { s.static_friction[5] = nan<T>; }, Status::not_a_number},
      {"target", [](Data& s) { s.target_velocity[5] = nan<T>; }, Status::not_a_number},
      {"infinite target", [](Data& s) { s.target_velocity[5] = -infinity<T>; }, Status::infinite},
      {"belt", [](Data& s) { s.surface_velocity[1][5] = nan<T>; }, Status::not_a_number},
  };
  for (const Procedure method : all_methods)
    for (const auto& [name, spoil, status] : faults)
      if ((method != Procedure::ncp && method != Procedure::sequential_impacts) ||
          !std::string_view(name).starts_with("static"))
        expect_contact_fault<T>(method, spoil, status, name);
  // A method ignores columns that it does not read.
  expect_contact_fault<T>(
      Procedure::resting, [](Data& s) { s.separation[5] = nan<T>; }, Status::not_a_number, "separation");
  expect_contact_fault<T>(
      Procedure::resting, [](Data& s) { s.separation[5] = infinity<T>; }, Status::infinite, "infinite gap");
  expect_contact_fault<T>(
      Procedure::pgs, [](Data& s) { s.warm_impulse[2][5] = infinity<T>; }, Status::infinite, "warm impulse");
  expect_contact_fault<T>(
      Procedure::sequential_impacts, [](Data& s) { s.law[5] = static_cast<Law>(99); }, Status::law_unavailable, "law");
  expect_contact_fault<T>(
      Procedure::sequential_impacts, [](Data& s) { s.law[5] = Law::brach; }, Status::law_parameter_missing, "brach");
  expect_contact_fault<T>(
      Procedure::sequential_impacts, [](Data& s) { s.tangential_restitution[5] = 2; },
      Status::law_parameter_out_of_range, "tangential restitution");
}

TYPED_TEST(SceneFault, of_a_law_does_not_count_where_no_law_is_read) {
  auto scene = two_stacks<TypeParam>();
  scene.law[5] = static_cast<Law>(99);
  scene.tangential_restitution[6] = nan<TypeParam>;
  for (const Procedure method : {Procedure::pgs, Procedure::collisions, Procedure::resting}) {
    const auto made = solved(scene, options_of<TypeParam>(method));
    EXPECT_FALSE(is_fault(made.arrays.status[5])) << to_string(method);
    EXPECT_FALSE(is_fault(made.arrays.status[6])) << to_string(method);
  }
}

TYPED_TEST(SceneFault, infinite_friction_is_none) {
  for (const Procedure method : all_methods) {
    auto scene = two_stacks_for<TypeParam>(method);
    scene.friction.assign(scene.contact_count(), infinity<TypeParam>);
    if (!scene.static_friction.empty()) scene.static_friction = scene.friction;
    const auto made = solved(scene, options_of<TypeParam>(method));
    for (std::size_t i = 0; i < scene.contact_count(); ++i) {
      EXPECT_FALSE(is_fault(made.arrays.status[i])) << to_string(method);
      EXPECT_TRUE(std::isfinite(length(made.impulse(i)))) << to_string(method);
    }
    EXPECT_TRUE(std::isfinite(length(made.velocity(1)))) << to_string(method);
  }
}

TYPED_TEST(SceneFault, of_a_body_is_one_of_all_its_contacts_and_rows) {
  using T = TypeParam;
  using Data = SceneData<T>;
  const std::vector<Fault<Data>> faults = {
      {"mass", [](Data& s) { s.bodies.inverse_mass[1] = -1; }, Status::negative_inverse_mass},
      {"inertia", [](Data& s) { s.bodies.inverse_inertia[3][1] = -1; },
       Status::inverse_inertia_not_positive_semidefinite},
      {"velocity", [](Data& s) { s.bodies.velocity[2][1] = nan<T>; }, Status::not_a_number},
      {"spin", [](Data& s) { s.bodies.angular_velocity[0][1] = infinity<T>; }, Status::infinite},
  };
  for_each_fault<T>(
      faults, [](Data& s) -> Data& { return s; },
      [](const Faulty<T>& of) {
        const auto& [method, bad, status, made, undisturbed, what] = of;
        for (std::size_t i = 4; i < 8; ++i) EXPECT_EQ(made.arrays.status[i], status) << what << ", contact " << i;
        for (std::size_t i = 0; i < 4; ++i) EXPECT_FALSE(is_fault(made.arrays.status[i])) << what << ", contact " << i;
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(made.arrays.joint_status[i], status) << what << ", row " << i;
        // The faulty body keeps its state, bit by bit, and the lower box is alone.
        for (std::size_t c = 0; c < 3; ++c)
          EXPECT_EQ(std::memcmp(&made.arrays.velocity[c][1], &bad.bodies.velocity[c][1], sizeof(T)), 0) << what;
        expect_same(made, undisturbed, bodies_of_one, 2 * bodies_of_one, contacts_of_one, 2 * contacts_of_one, what);
      });
}

TYPED_TEST(SceneFault, of_a_row_has_its_status_and_costs_only_that_row) {
  using T = TypeParam;
  using Row = typename JointRowData<T>::Row;
  const std::vector<Fault<Row>> faults = {
      {"index", [](Row& r) { r.body_a = 4; }, Status::body_index_out_of_range},
      {"same body", [](Row& r) { r.body_b = r.body_a; }, Status::same_body},
      {"Jacobian", [](Row& r) { r.linear_a[1] = nan<T>; }, Status::not_a_number},
      {"infinite Jacobian", [](Row& r) { r.angular_a[2] = infinity<T>; }, Status::infinite},
      {"target", [](Row& r) { r.target_velocity = nan<T>; }, Status::not_a_number},
      {"infinite target", [](Row& r) { r.target_velocity = infinity<T>; }, Status::infinite},
      {"bound", [](Row& r) { r.min_impulse = nan<T>; }, Status::not_a_number},
      {"bounds", [](Row& r) { r.min_impulse = 1, r.max_impulse = T(0.5); }, Status::impulse_bounds_reversed},
      {"compliance", [](Row& r) { r.compliance = T(-0.5); }, Status::negative_compliance},
      {"two worlds", [](Row& r) { r.body_a = r.body_b = world; }, Status::both_immovable},
      {"no Jacobian", [](Row& r) { r.linear_a = r.angular_a = r.linear_b = r.angular_b = {}; },
       Status::collision_matrix_not_positive_definite},
  };
  for_each_fault<T>(
      faults, [](SceneData<T>& s) -> Row& { return s.joints.rows[1]; },
      [](const Faulty<T>& of) {
        const auto& [method, bad, status, made, undisturbed, what] = of;
        EXPECT_EQ(made.arrays.joint_status[1], status) << what;
        EXPECT_EQ(made.arrays.joint_impulse[1], 0) << what;
        EXPECT_EQ(made.arrays.joint_status[0], Status::ok) << what;
        EXPECT_EQ(made.arrays.joint_status[2], Status::ok) << what;
        EXPECT_EQ(made.report.count_joints(status), 1u) << what;
        EXPECT_EQ(made.report.joint_rows, 2 * rows_of_one) << what;
        expect_same(made, undisturbed, bodies_of_one, 2 * bodies_of_one, contacts_of_one, 2 * contacts_of_one, what);
      });
}

TYPED_TEST(SceneFault, of_what_substeps_read_has_its_status_there_and_none_elsewhere) {
  using T = TypeParam;
  using Row = typename JointRowData<T>::Row;
  const std::vector<Fault<Row>> faults = {
      {"position_error", [](Row& r) { r.position_error = nan<T>; }, Status::not_a_number},
      {"infinite position_error", [](Row& r) { r.position_error = -infinity<T>; }, Status::infinite},
      {"arm of A", [](Row& r) { r.r_a[2] = nan<T>; }, Status::not_a_number},
      {"arm of B", [](Row& r) { r.r_b[0] = infinity<T>; }, Status::infinite},
      {"frequency", [](Row& r) { r.frequency = nan<T>; }, Status::not_a_number},
      {"negative frequency", [](Row& r) { r.frequency = T(-0.5); }, Status::negative_frequency},
      {"damping ratio", [](Row& r) { r.damping_ratio = nan<T>; }, Status::not_a_number},
      {"infinite damping ratio", [](Row& r) { r.damping_ratio = infinity<T>; }, Status::infinite},
      {"negative damping ratio", [](Row& r) { r.damping_ratio = T(-0.5); }, Status::negative_damping_ratio},
      {"infinite frequency", [](Row& r) { r.frequency = infinity<T>; }, Status::ok},
      {"no frequency", [](Row& r) { r.frequency = 0; }, Status::ok},
      {"no damping", [](Row& r) { r.damping_ratio = 0; }, Status::ok},
  };
  for_each_fault<T>(
      faults, [](SceneData<T>& s) -> Row& { return s.joints.rows[1]; },
      [](const Faulty<T>& of) {
        const auto& [method, bad, status, made, undisturbed, what] = of;
        const bool reads = method == Procedure::substeps;
        EXPECT_EQ(made.arrays.joint_status[1], reads ? status : Status::ok) << what;
        EXPECT_EQ(made.arrays.joint_status[0], Status::ok) << what;
        EXPECT_EQ(made.arrays.joint_status[2], Status::ok) << what;
        if (reads && status != Status::ok) {
          EXPECT_EQ(made.arrays.joint_impulse[1], 0) << what;
          EXPECT_EQ(made.arrays.joint_warm_impulse[1], 0) << what;
          EXPECT_EQ(made.report.count_joints(status), 1u) << what;
        }
        const std::size_t first = reads ? bodies_of_one : 0, first_contact = reads ? contacts_of_one : 0;
        expect_same(made, undisturbed, first, 2 * bodies_of_one, first_contact, 2 * contacts_of_one, what);
      });
}

TYPED_TEST(SceneFault, of_what_gaps_are_held_by_is_one_in_substeps) {
  using T = TypeParam;
  using Data = SceneData<T>;
  expect_contact_fault<T>(
      Procedure::substeps, [](Data& s) { s.separation[5] = nan<T>; }, Status::not_a_number, "separation");
  expect_contact_fault<T>(
      Procedure::substeps, [](Data& s) { s.separation[5] = infinity<T>; }, Status::infinite, "infinite gap");
  expect_contact_fault<T>(
      Procedure::substeps, [](Data& s) { s.warm_impulse[2][5] = infinity<T>; }, Status::infinite, "warm impulse");
  const auto held_by = [](T frequency, T damping_ratio, Status status, const std::string& what) {
    expect_contact_fault<T>(
        Procedure::substeps,
        [=](Data& s) {
          s.frequency.assign(s.contact_count(), infinity<T>);
          s.damping_ratio.assign(s.contact_count(), T(1));
          s.frequency[5] = frequency;
          s.damping_ratio[5] = damping_ratio;
        },
        status, what);
  };
  held_by(nan<T>, 1, Status::not_a_number, "frequency");
  held_by(T(-0.5), 1, Status::negative_frequency, "negative frequency");
  held_by(30, nan<T>, Status::not_a_number, "damping ratio");
  held_by(30, infinity<T>, Status::infinite, "infinite damping ratio");
  held_by(30, T(-0.5), Status::negative_damping_ratio, "negative damping ratio");
  const auto may_keep = [](T slop, Status status, const std::string& what) {
    expect_contact_fault<T>(
        Procedure::substeps,
        [=](Data& s) {
          s.slop.assign(s.contact_count(), T(0));
          s.slop[5] = slop;
        },
        status, what);
  };
  may_keep(nan<T>, Status::not_a_number, "slop");
  may_keep(infinity<T>, Status::infinite, "infinite slop");
  may_keep(T(-0.5), Status::negative_slop, "negative slop");
}

// A row whose bounds are equal applies a force; a bound above zero pushes even between bodies at rest.
TYPED_TEST(SceneFault, bounds_that_leave_no_choice_are_none) {
  SceneData<TypeParam> scene;
  scene.add(Body{});
  typename JointRowData<TypeParam>::Row row;
  row.body_a = 0;
  row.linear_a = {1, 0, 0};
  row.min_impulse = row.max_impulse = TypeParam(0.5);
  scene.joints.rows.push_back(row);
  const auto made = solved(scene, usual(Procedure::pgs));
  EXPECT_EQ(made.arrays.joint_status[0], Status::ok);
  EXPECT_EQ(made.arrays.joint_impulse[0], TypeParam(0.5));
  EXPECT_EQ(made.velocity(0), (Vector{0.5, 0, 0}));
}

TYPED_TEST(SceneFault, a_nan_in_one_island_leaves_the_bits_of_the_others_alone) {
  const auto good = islands<TypeParam>(60, 2, 8, 5);
  auto bad = good;
  // The first body of island 30: everything of that island that touches it is out.
  std::size_t body = 0;
  for (std::size_t i = 0; i < bad.contact_count(); ++i)
    if (bad.body_b[i] < 0 && bad.position[static_cast<std::size_t>(bad.body_a[i])][0] == 90)
      body = static_cast<std::size_t>(bad.body_a[i]);
  ASSERT_GT(body, 0u);
  bad.bodies.velocity[1][body] = nan<TypeParam>;
  for (const Procedure method : all_methods) {
    for (const Isa isa : available_isas()) {
      const Execution execution{.isa = isa, .threads = 1};
      const auto spoilt = solved(bad, options_of<TypeParam>(method), execution);
      const auto whole = solved(good, options_of<TypeParam>(method), execution);
      for (std::size_t i = 0; i < good.body_count(); ++i) {
        if (good.position[i][0] == 90) continue;
        EXPECT_EQ(spoilt.velocity(i), whole.velocity(i)) << to_string(method) << ", body " << i;
        EXPECT_EQ(spoilt.angular_velocity(i), whole.angular_velocity(i)) << to_string(method) << ", body " << i;
      }
      EXPECT_GT(spoilt.report.count(Status::not_a_number), 0u);
    }
  }
}

}  // namespace
}  // namespace carom::scenes
