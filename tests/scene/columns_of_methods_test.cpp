// A column that a method does not read is an error, and select() leaves it out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/columns/scene_columns.hpp"
#include "support/scenes/runs.hpp"

namespace carom::scenes {
namespace {

std::vector<SceneOptions> every_method() {
  std::vector<SceneOptions> all;
  for (const Procedure method : all_methods) all.push_back(usual(method));
  all.push_back(usual(Procedure::pgs));
  all.back().use<Pgs>().position_correction = PositionCorrection{};
  return all;
}

/// A box on the floor with a rigid row to the world, and no optional column.
struct BoxWithRow {
  BoxWithRow() {
    data.add(Body{});
    data.add(Contact{0, world, {0, 0, 1}, {0, 0, -0.5}, 0.5, 0});
    add_distance_joint(data.joints, JointBodies<double>{0, -1, {}, {}}, {1, 0, 0});
    scene = data.view();
    scene.contacts.laws = {};
    scene.joints.position_error = scene.joints.frequency = scene.joints.damping_ratio = {};
    scene.joints.min_impulse = scene.joints.max_impulse = scene.joints.compliance = scene.joints.target_velocity = {};
    scene.joints.r_a = scene.joints.r_b = {};
  }
  SceneData<double> data;
  Scene<double> scene;
};

/// Calls f(name, readers, set) for every optional column; `set`(scene) sets only this column.
template <class F>
void each_optional_column(const F& f) {
  static const double numbers[] = {1};
  static const std::uint64_t keys[] = {1};
  Scene<double> names;
  std::size_t position = 0;
  const auto visit = [&](const columns::Label& label, auto&) {
    const std::size_t wanted = position++;
    f(label.in_code(), label.readers, [wanted](Scene<double>& scene) {
      std::size_t at = 0;
      const auto give = [&](const columns::Label&, auto& column) {
        if (at++ != wanted) return;
        if constexpr (std::is_same_v<std::remove_reference_t<decltype(column)>, Column<const double>>)
          column = numbers;
        else
          column = keys;
      };
      columns::each_of_scene(give, scene.contacts);
      columns::each_optional_of_rows(give, scene.joints);
    });
  };
  columns::each_of_scene(visit, names.contacts);
  columns::each_optional_of_rows(visit, names.joints);
}

std::string error_of(const Scene<double>& scene, const SceneOptions& options) {
  try {
    SceneSolver({.threads = 1}).solve(scene, {}, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ColumnsOfMethods, are_errors_if_the_method_does_not_read_them) {
  for (const SceneOptions& options : every_method())
    each_optional_column([&](const std::string& name, unsigned readers, const auto& give) {
      BoxWithRow box;
      give(box.scene);
      const bool is_read = (readers & columns::reader_of(options.method)) != 0;
      const std::string error = error_of(box.scene, options);
      const bool is_refused = error.find("the column " + name + " is not read by the method") != std::string::npos;
      EXPECT_EQ(is_refused, !is_read) << name << ", " << to_string(options.selected()) << ": " << error;
    });
}

TEST(ColumnsOfMethods, are_left_out_by_select_if_the_method_does_not_read_them) {
  for (const SceneOptions& options : every_method()) {
    BoxWithRow box;
    each_optional_column([&](const std::string&, unsigned, const auto& give) { give(box.scene); });
    const Scene<double> selected = select(box.scene, options.method);
    const unsigned reader = columns::reader_of(options.method);
    const auto look = [&](const columns::Label& label, const auto& column) {
      EXPECT_EQ(static_cast<bool>(column), (label.readers & reader) != 0)
          << label.in_code() << ", " << to_string(options.selected());
    };
    columns::each_of_scene(look, selected.contacts);
    columns::each_optional_of_rows(look, selected.joints);
    EXPECT_EQ(selected.contacts.friction.data, box.scene.contacts.friction.data);
    EXPECT_EQ(selected.bodies.velocity.x.data, box.scene.bodies.velocity.x.data);
  }
}

TEST(ColumnsOfMethods, of_laws_are_for_sequential_impacts) {
  static const double restitution[] = {0.5};
  for (const SceneOptions& options : every_method()) {
    BoxWithRow box;
    box.scene.contacts.laws.tangential_restitution = restitution;
    const bool is_read = options.selected() == SceneMethod::sequential_impacts;
    EXPECT_EQ(error_of(box.scene, options).find("contacts.laws.tangential_restitution") != std::string::npos, !is_read)
        << to_string(options.selected());
    EXPECT_EQ(static_cast<bool>(select(box.scene, options.method).contacts.laws.tangential_restitution), is_read);
  }
}

}  // namespace
}  // namespace carom::scenes
