// Scenes in C give the same bits and reports as in C++, under every method.
#include <gtest/gtest.h>

#include "c/in_c.hpp"
#include "c/scene_fields.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

/// Structs of C that hold a scene, with its results and options.
struct SceneInC {
  template <class T>
  SceneInC(const Scene<T>& from, const SceneResults<T>& to, const SceneOptions& with)
      : laws(laws_in_c(from.contacts.laws)) {
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

    c::put_fields(with, options);
    c::put_fields(with.collision, collision);
    c::put_fields(with.rest, rest);
    c::put_fields(with.shock_propagation, shock);
    c::put_fields(with.pgs, pgs);
    c::put_fields(with.sequential_impacts, sequence);
    c::put_fields(with.iteration, iteration);
    c::put_fields(with.resting, resting);
    c::put_fields(with.substeps, substeps);
    c::put_fields(with.ncp, ncp);
    options.ncp = &ncp;
    options.collision = &collision;
    options.rest = &rest;
    options.sequential_impacts = &sequence;
    options.pgs = &pgs;
    options.iteration = &iteration;
    options.resting = &resting;
    options.substeps = &substeps;
    options.shock_propagation = &shock;

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
  carom_scene_options options = sized<carom_scene_options>();
  carom_options collision = sized<carom_options>();
  carom_rest_criterion rest = sized<carom_rest_criterion>();
  carom_shock_propagation shock = sized<carom_shock_propagation>();
  carom_pgs_options pgs = sized<carom_pgs_options>();
  carom_sequential_impacts_options sequence = sized<carom_sequential_impacts_options>();
  carom_iteration_options iteration = sized<carom_iteration_options>();
  carom_resting_options resting = sized<carom_resting_options>();
  carom_substeps_options substeps = sized<carom_substeps_options>();
  carom_ncp_options ncp = sized<carom_ncp_options>();
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
  for (const SceneMethod method : all_methods) {
    const SceneOptions options = usual(method);
    // Coulomb's friction is one number.
    scene.static_friction.assign(method == SceneMethod::ncp ? 0 : scene.contact_count(), T(1));
    const Solved<T> expected = solved(scene, options);
    SceneArrays<T> found(scene);
    const SceneInC c(scene.view(), found.view(), options);
    const carom_execution execution = execution_in_c(0, 1);
    carom_scene_solver* solver = nullptr;
    ASSERT_EQ(carom_scene_solver_create(&execution, &solver), CAROM_OK) << carom_error_message();
    auto report = sized<carom_scene_report>();
    ASSERT_EQ(carom_scene_solve(solver, precision_of<T>, &c.scene, &c.results, &c.options, &report), CAROM_OK)
        << to_string(method) << ": " << carom_error_message();
    expect_same_bits(expected.arrays, found, std::string(to_string(method)));
    EXPECT_EQ(report.bodies, expected.report.bodies);
    EXPECT_EQ(report.joint_rows, expected.report.joint_rows);
    EXPECT_EQ(report.islands, expected.report.islands);
    EXPECT_EQ(report.by_status[0], expected.report.by_status[0]);
    EXPECT_EQ(report.iterations, expected.report.iterations);
    EXPECT_EQ(report.impacts, expected.report.impacts);
    EXPECT_EQ(report.energy_after, expected.report.energy_after);
    EXPECT_EQ(report.lanes_used, expected.report.lanes_used);
    carom_scene_solver_destroy(solver);
  }
}

TEST(CSceneOptions, begin_with_the_defaults_of_cpp) {
  carom_substeps_options substeps;
  carom_substeps_options_init(&substeps, sizeof substeps);
  const SubstepsOptions expected;
  EXPECT_EQ(substeps.struct_size, sizeof substeps);
  EXPECT_EQ(substeps.time_step, 0);
  EXPECT_EQ(substeps.most, expected.most);
  EXPECT_EQ(substeps.slop, expected.slop);
  EXPECT_EQ(substeps.relative_slop, expected.relative_slop);
  EXPECT_EQ(substeps.min_direct_substeps, expected.min_direct_substeps);
  EXPECT_EQ(substeps.joint_frequency, expected.joint_frequency);
  EXPECT_EQ(substeps.joint_warm_start, expected.joint_warm_start);
  carom_scene_options options;
  carom_scene_options_init(&options, sizeof options);
  EXPECT_EQ(options.relative_tolerance, SceneOptions().relative_tolerance);
  EXPECT_EQ(options.substeps, nullptr);
}

TEST(CScene, is_saved_and_restored) {
  auto scene = stack<float>(3);
  for (std::uint64_t i = 0; i < scene.contact_count(); ++i) scene.key.push_back(i + 1);
  SceneArrays<float> arrays(scene);
  const SceneInC in_c(scene.view(), arrays.view(), usual(SceneMethod::substeps));
  carom_scene_solver* solver = nullptr;
  ASSERT_EQ(carom_scene_solver_create(nullptr, &solver), CAROM_OK);
  const auto solve = [&] {
    EXPECT_EQ(carom_scene_solve(solver, CAROM_FLOAT, &in_c.scene, &in_c.results, &in_c.options, nullptr), CAROM_OK);
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
  EXPECT_EQ(carom_scene_solve(solver, CAROM_FLOAT, &scene, nullptr, nullptr, nullptr), CAROM_OK) << "an empty scene";
  carom_scene_options options;
  carom_scene_options_init(&options, sizeof options);
  options.method = 7;
  EXPECT_EQ(carom_scene_solve(solver, CAROM_FLOAT, &scene, nullptr, &options, nullptr), CAROM_ERROR_ARGUMENT);
  EXPECT_NE(std::string(carom_error_message()).find("method"), std::string::npos) << carom_error_message();
  EXPECT_EQ(carom_scene_solver_forget(solver), CAROM_OK);
  carom_scene_solver_destroy(solver);
}

}  // namespace
}  // namespace carom::scenes
