// Scenes in C give the same bits and reports as in C++, under every method.
#include <gtest/gtest.h>

#include "c/in_c.hpp"
#include "c/options_in_c.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

/// Structs of C that hold a scene, with its results and options.
struct SceneInC {
  template <class T>
  SceneInC(const Scene<T>& from, const SceneResults<T>& to, const SceneOptions& with)
      : laws(laws_in_c(from.contacts.laws)), options(with) {
    columns::each(Give{}, {}, from.bodies, bodies);
    columns::each_of_scene_bodies(Give{}, from.bodies, bodies);
    columns::each_number(Give{}, from.contacts, contacts);
    columns::each_index(Give{}, from.contacts, contacts);
    columns::each_of_scene(Give{}, from.contacts, contacts);
    columns::each_needed_of_rows(Give{}, from.joints, rows);
    columns::each_optional_of_rows(Give{}, from.joints, rows);
    columns::each_scene_result(Give{}, to, results);
    columns::each_scene_body_result(Give{}, to, results);
    columns::each_scene_row_result(Give{}, to, results);
    columns::each_island_result(Give{}, to.islands, islands);

    contacts.laws = &laws;
    results.islands = &islands;
    scene.bodies = &bodies;
    scene.contacts = &contacts;
    scene.joints = &rows;
  }
  SceneInC(const SceneInC&) = delete;

  carom_law_columns laws;
  carom_scene_bodies bodies = sized<carom_scene_bodies>();
  carom_scene_contacts contacts = sized<carom_scene_contacts>();
  carom_joint_rows rows = sized<carom_joint_rows>();
  carom_scene scene = sized<carom_scene>();
  carom_island_results islands = sized<carom_island_results>();
  carom_scene_results results = sized<carom_scene_results>();
  SceneOptionsInC options;
};

template <class T>
SceneData<T> boxes_and_chain() {
  SceneData<T> scene = pile<T>(60);
  append(scene, chain<T>(5));
  append(scene, stack<T>(4));
  scene.separation = std::vector<T>(scene.contact_count(), T(-0.01));
  return scene;
}

template <class T>
class CScene : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CScene, Precisions);

TYPED_TEST(CScene, gives_the_bits_of_cpp_under_every_method) {
  using T = TypeParam;
  SceneData<T> scene = boxes_and_chain<T>();
  scene.static_friction.assign(scene.contact_count(), T(1));
  for (const Procedure method : all_methods) {
    const SceneOptions options = usual(method);
    SceneSolver solver_in_cpp({.threads = 1});
    const Solved<T> expected = solved(solver_in_cpp, scene, usual(method));
    SceneArrays<T> found(scene);
    const SceneInC c(select(scene.view(), options.method), found.view(), options);
    const carom_execution execution = execution_in_c(0, 1);
    carom_scene_solver* solver = nullptr;
    ASSERT_EQ(carom_scene_solver_create(&execution, &solver), CAROM_OK) << carom_error_message();
    auto report = sized<carom_scene_report>();
    ASSERT_EQ(carom_scene_solve(solver, precision_of<T>, &c.scene, &c.results, &c.options.options, &report), CAROM_OK)
        << to_string(method) << ": " << carom_error_message();
    expect_same_bits(expected.arrays, found, std::string(to_string(method)));
    EXPECT_EQ(report.bodies, expected.report.bodies);
    EXPECT_EQ(report.joint_rows, expected.report.joint_rows);
    EXPECT_EQ(report.islands, expected.report.islands);
    expect_same_counts(expected.report, report, carom_scene_report_first);
    EXPECT_EQ(report.iterations, expected.report.iterations);
    EXPECT_EQ(report.impacts, expected.report.impacts);
    EXPECT_EQ(report.energy_after, expected.report.energy_after);
    EXPECT_EQ(report.lanes_used, expected.report.lanes_used);
    EXPECT_EQ(carom_scene_solver_memory(solver), solver_in_cpp.memory());
    carom_scene_solver_destroy(solver);
  }
}

/// A box that slides on the floor on a rod to the world, with a column of every method.
struct OfAllMethods {
  OfAllMethods() {
    data.add(Body{1, {6, 0, 0, 6, 0, 6}, {1, 0, 0}, {}});
    for (const double x : {-0.5, 0.5})
      for (const double y : {-0.5, 0.5}) data.add(Contact{0, world, {0, 0, 1}, {x, y, -0.5}, 0.5, 0});
    add_distance_joint(data.joints, JointBodies<double>{0, -1, {}, {}}, {0, 1, 0});
    data.joints.rows.back().key = 1;
    scene = data.view();
    SceneContacts<double>& contacts = scene.contacts;
    contacts.static_friction = contacts.friction_2 = Column<const double>(friction);
    contacts.friction_direction = Vector3Columns<const double>(direction, 4);
    contacts.separation = contacts.rolling_friction = Column<const double>(zeros);
    contacts.key = Column<const std::uint64_t>(keys);
    contacts.laws.law = Column<const Law>(laws);
  }
  const double friction[4] = {0.5, 0.5, 0.5, 0.5}, zeros[4] = {}, direction[12] = {1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0};
  const std::uint64_t keys[4] = {1, 2, 3, 4};
  const Law laws[4] = {Law::smith, Law::smith, Law::smith, Law::smith};
  SceneData<double> data;
  Scene<double> scene;
};

TEST(CScene, with_a_column_and_another_value_of_its_default_is_an_error_that_names_the_option) {
  SceneData<double> data = stack<double>(1);
  add_ball_joint(data.joints, JointBodies<double>{0, -1, {}, {}});
  SceneOptions options{.time_step = 0.01};
  options.use<Substeps>().position_correction.joint_frequency = 5;
  const Scene<double> scene = data.view();
  SceneArrays<double> arrays(data);
  SceneInC c(scene, arrays.view(), options);
  carom_scene_solver* solver = nullptr;
  ASSERT_EQ(carom_scene_solver_create(nullptr, &solver), CAROM_OK) << carom_error_message();
  EXPECT_EQ(carom_scene_solve(solver, CAROM_DOUBLE, &c.scene, &c.results, &c.options.options, nullptr),
            CAROM_ERROR_ARGUMENT);
  EXPECT_STREQ(carom_error_option(), "substeps.position_correction.joint_frequency");
  carom_scene_solver_destroy(solver);
}

TEST(CScene, of_all_methods_is_selected_for_each_as_in_cpp) {
  const OfAllMethods all;
  std::vector<SceneOptions> methods;
  for (std::size_t i = 0; i < scene_method_count; ++i)
    methods.push_back({.time_step = 0.01, .gravity = {0, 0, -9.81}, .method = default_method(SceneMethod(i))});
  methods.push_back(methods[1]);
  methods.back().use<Pgs>().position_correction = PositionCorrection{};
  methods.push_back(methods[4]);
  methods.back().use<BenderSchmitt>().phase = BenderSchmittPhase::collisions;
  for (const SceneOptions& options : methods) {
    const std::string name(to_string(options.selected()));
    SceneArrays<double> expected(all.data), found(all.data);
    SceneSolver({.threads = 1}).solve(select(all.scene, options.method), expected.view(), options);
    SceneInC c(all.scene, found.view(), options);
    carom_scene_solver* solver = nullptr;
    ASSERT_EQ(carom_scene_solver_create(nullptr, &solver), CAROM_OK) << carom_error_message();
    EXPECT_EQ(carom_scene_solve(solver, CAROM_DOUBLE, &c.scene, &c.results, &c.options.options, nullptr),
              CAROM_ERROR_ARGUMENT);
    EXPECT_NE(std::string(carom_error_message()).find("is not read by the method"), std::string::npos)
        << carom_error_message();
    ASSERT_EQ(carom_scene_select(&c.contacts, &c.rows, c.options.options.method), CAROM_OK) << carom_error_message();
    ASSERT_EQ(carom_scene_solve(solver, CAROM_DOUBLE, &c.scene, &c.results, &c.options.options, nullptr), CAROM_OK)
        << name << ": " << carom_error_message();
    expect_same_bits(expected, found, name);
    EXPECT_EQ(c.contacts.laws != nullptr, options.selected() == SceneMethod::sequential_impacts) << name;
    carom_scene_solver_destroy(solver);
  }
}

TEST(CScene, is_selected_within_the_structs_of_the_caller) {
  const double number = 1;
  carom_ncp ncp;
  carom_ncp_init(&ncp, sizeof ncp);
  auto contacts = sized<carom_scene_contacts>();
  contacts.friction = contacts.static_friction = contacts.slop = {&number, 1, 0};
  // An older version, whose struct ends before `slop`.
  contacts.struct_size = offsetof(carom_scene_contacts, slop);
  ASSERT_EQ(carom_scene_select(&contacts, nullptr, &ncp.head), CAROM_OK) << carom_error_message();
  EXPECT_EQ(contacts.struct_size, offsetof(carom_scene_contacts, slop));
  EXPECT_EQ(contacts.friction.data, &number);
  EXPECT_EQ(contacts.static_friction.data, nullptr);
  EXPECT_EQ(contacts.slop.data, &number) << "beyond the end";

  auto rows = sized<carom_joint_rows>();
  rows.position_error = {&number, 1, 0};
  ASSERT_EQ(carom_scene_select(nullptr, &rows, nullptr), CAROM_OK) << "Substeps read it";
  EXPECT_EQ(rows.position_error.data, &number);
  contacts.struct_size = 0;
  EXPECT_EQ(carom_scene_select(&contacts, &rows, &ncp.head), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(rows.position_error.data, &number) << "unchanged after an error";
  ASSERT_EQ(carom_scene_select(nullptr, &rows, &ncp.head), CAROM_OK);
  EXPECT_EQ(rows.position_error.data, nullptr);
  ncp.head.kind = 77;
  EXPECT_EQ(carom_scene_select(nullptr, &rows, &ncp.head), CAROM_ERROR_ARGUMENT);
  EXPECT_STREQ(carom_error_option(), "method");
}

TEST(CScene, reserves_memory_without_a_change_of_results) {
  const auto scene = stack<double>(3);
  const SceneOptions options = usual(Procedure::substeps);
  SceneArrays<double> arrays(scene);
  const SceneInC c(select(scene.view(), options.method), arrays.view(), options);
  carom_scene_solver* solver = nullptr;
  ASSERT_EQ(carom_scene_solver_create(nullptr, &solver), CAROM_OK);
  ASSERT_EQ(carom_scene_solver_reserve(solver, CAROM_DOUBLE, 3, 12, 0, &c.options.options), CAROM_OK)
      << carom_error_message();
  ASSERT_EQ(carom_scene_solve(solver, CAROM_DOUBLE, &c.scene, &c.results, &c.options.options, nullptr), CAROM_OK);
  expect_same_bits(solved(scene, usual(Procedure::substeps)).arrays, arrays, "reserved");
  EXPECT_EQ(carom_scene_solver_reserve(solver, 7, 3, 12, 0, &c.options.options), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(carom_scene_solver_reserve(nullptr, CAROM_FLOAT, 3, 12, 0, &c.options.options), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(carom_scene_solver_reserve(solver, CAROM_FLOAT, 3, 12, 0, nullptr), CAROM_ERROR_ARGUMENT);
  EXPECT_STREQ(carom_error_option(), "time_step");
  EXPECT_EQ(carom_scene_solver_reserve(solver, CAROM_FLOAT, ~std::size_t{0}, 0, 0, &c.options.options),
            CAROM_ERROR_ARGUMENT);
  carom_scene_solver_destroy(solver);
}

TEST(CScene, is_saved_and_restored) {
  auto scene = stack<float>(3);
  for (std::uint64_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  SceneArrays<float> arrays(scene);
  const SceneOptions options = usual(Procedure::substeps);
  const SceneInC in_c(select(scene.view(), options.method), arrays.view(), options);
  carom_scene_solver* solver = nullptr;
  ASSERT_EQ(carom_scene_solver_create(nullptr, &solver), CAROM_OK);
  const auto solve = [&] {
    EXPECT_EQ(carom_scene_solve(solver, CAROM_FLOAT, &in_c.scene, &in_c.results, &in_c.options.options, nullptr),
              CAROM_OK)
        << carom_error_message();
    return arrays;
  };
  solve();
  std::size_t size = 0;
  ASSERT_EQ(carom_scene_solver_save(solver, nullptr, 0, &size), CAROM_OK);
  std::vector<std::byte> state(size);
  EXPECT_EQ(carom_scene_solver_save(solver, state.data(), size - 1, &size), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(size, state.size());
  EXPECT_EQ(carom_scene_solver_save(solver, state.data(), size, nullptr), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(carom_scene_solver_save(solver, nullptr, size, &size), CAROM_ERROR_ARGUMENT);
  ASSERT_EQ(carom_scene_solver_save(solver, state.data(), size, &size), CAROM_OK);
  const SceneArrays<float> expected = solve();
  solve();
  ASSERT_EQ(carom_scene_solver_restore(solver, state.data(), size), CAROM_OK);
  EXPECT_EQ(carom_scene_solver_restore(solver, state.data(), size - 1), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(carom_scene_solver_restore(solver, nullptr, size), CAROM_ERROR_ARGUMENT);
  expect_same_bits(solve(), expected, "restored");
  carom_scene_solver_destroy(solver);
}

TEST(CSceneMisuse, is_told) {
  carom_scene_solver* solver = nullptr;
  ASSERT_EQ(carom_scene_solver_create(nullptr, &solver), CAROM_OK);
  auto scene = sized<carom_scene>();
  EXPECT_EQ(carom_scene_solve(solver, CAROM_FLOAT, &scene, nullptr, nullptr, nullptr), CAROM_ERROR_ARGUMENT);
  EXPECT_STREQ(carom_error_message(), "carom: scene->bodies is a null pointer");
  auto bodies = sized<carom_scene_bodies>();
  scene.bodies = &bodies;
  carom_scene_options options;
  carom_scene_options_init(&options, sizeof options);
  EXPECT_EQ(carom_scene_solve(solver, CAROM_FLOAT, &scene, nullptr, &options, nullptr), CAROM_ERROR_ARGUMENT);
  EXPECT_NE(std::string(carom_error_message()).find("time_step"), std::string::npos) << carom_error_message();
  options.time_step = 0.01;
  EXPECT_EQ(carom_scene_solve(solver, CAROM_FLOAT, &scene, nullptr, &options, nullptr), CAROM_OK) << "an empty scene";
  EXPECT_EQ(carom_scene_solver_forget(solver), CAROM_OK);
  carom_scene_solver_destroy(solver);
}

}  // namespace
}  // namespace carom::scenes
