// The slop of the reference under Procedure::substeps: a share of the size of the smaller body, or the caller's.
#include <gtest/gtest.h>

#include <array>
#include <carom/reference_scene.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "core/scene/thresholds.hpp"
#include "support/scenes/scene_of_structs.hpp"

namespace carom::reference {
namespace {

using scenes::MethodOptions;
using scenes::Procedure;

using support::SceneBody;
using support::SceneContact;
using support::SceneData;
using support::SceneResultArrays;

constexpr double share = PositionCorrection{}.relative_slop, overlap = 0.5;

SceneBody<double> cube(double edge) {
  const double mass = 1000 * edge * edge * edge, inverse = 6 / (mass * edge * edge);
  return {1 / mass, {inverse, 0, 0, inverse, 0, inverse}};
}

/// One substep that removes a fifth of the overlap beyond the slop of a contact between the centres of two bodies.
double slop_of(const std::vector<SceneBody<double>>& bodies, double of_option = 0, double of_column = -1) {
  SceneData<double> data;
  for (const SceneBody<double>& body : bodies) data.add_body(body);
  SceneContact<double> contact;
  contact.body_a = 0;
  contact.body_b = bodies.size() > 1 ? 1 : -1;
  contact.separation = -overlap;
  data.add_contact(contact);
  MethodOptions options;
  options.method = Procedure::substeps;
  Scene<double> scene = data.view(options);
  if (of_column >= 0) scene.contacts.slop = {&of_column, 1};
  options.time_step = 0.01;
  options.substeps.min_substeps = options.substeps.max_substeps = 1;
  options.substeps.position_correction.max_speed = 1e6;
  options.substeps.position_correction.slop = of_option;
  SceneResultArrays<double> results(data);
  std::array<double, 6> moved{};
  SceneResults<double> places = results.places();
  places.displacement = {moved.data(), bodies.size(), 3 * sizeof(double)};
  solve_scene(scene, places, options);
  return overlap - (moved[2] - moved[5]) / options.substeps.position_correction.rate;
}

TEST(scene_slop, is_a_share_of_the_size_of_the_smaller_body) {
  const double root = std::sqrt(6.0), tolerance = 1e-14;
  EXPECT_NEAR(slop_of({cube(1)}), share / root, tolerance);
  EXPECT_NEAR(slop_of({cube(1)}), 0.005, 5e-6);
  EXPECT_NEAR(slop_of({cube(0.01)}), 0.01 * share / root, tolerance);
  EXPECT_NEAR(slop_of({cube(0.01), cube(10)}), 0.01 * share / root, tolerance);
  EXPECT_NEAR(slop_of({cube(10), cube(0.01)}), 0.01 * share / root, tolerance);
  const SceneBody<double> point = {2, {}}, planar_disc = {0.5, {0, 0, 0, 0, 0, 1 / (0.5 * 2 * 0.09)}};
  EXPECT_NEAR(slop_of({point}), SceneThresholds::slop_without_size, tolerance);
  EXPECT_NEAR(slop_of({planar_disc}), share * 0.3 / std::sqrt(2.0), tolerance);
}

TEST(scene_slop, is_what_the_caller_says) {
  EXPECT_NEAR(slop_of({cube(0.2)}, 0.002), 0.002, 1e-14);
  EXPECT_NEAR(slop_of({cube(0.2)}, 0.002, 0.001), 0.001, 1e-14);
  EXPECT_NEAR(slop_of({cube(0.2)}, 0.002, 0), 0.002, 1e-14);
  EXPECT_NEAR(slop_of({cube(0.2)}, 0, 0), 0.2 * share / std::sqrt(6.0), 1e-14);
}

TEST(scene_slop, below_zero_is_a_fault) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  SceneData<double> data;
  data.add_body(cube(1));
  SceneContact<double> contact;
  contact.body_a = 0;
  data.add_contact(contact);
  for (const auto& [slop, status] : {std::pair{-1e-3, Status::negative_slop},
                                     {nan, Status::not_a_number},
                                     {infinity, Status::infinite},
                                     {0.0, Status::separating}})
    for (const Procedure method : {Procedure::substeps, Procedure::pgs}) {
      MethodOptions options;
      options.method = method;
      options.time_step = 0.01;
      Scene<double> scene = data.view();
      scene.contacts.slop = {&slop, 1};
      scene = selected(scene, options);
      SceneResultArrays<double> results(data);
      solve_scene(scene, results.places(), options);
      EXPECT_EQ(results.status[0], method == Procedure::substeps ? status : Status::separating) << slop;
    }
}

}  // namespace
}  // namespace carom::reference
