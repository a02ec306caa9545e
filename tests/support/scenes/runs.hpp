// Solving scenes in tests, and sums over their bodies.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <carom/reference_scene.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "support/running/same_bits.hpp"
#include "support/scenes/generators.hpp"
#include "support/scenes/iterations.hpp"

namespace carom::scenes {

template <class T>
constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
struct Solved {
  SceneArrays<T> arrays;
  SceneReport report;

  Vector velocity(std::size_t body) const { return at(arrays.velocity, body); }
  Vector angular_velocity(std::size_t body) const { return at(arrays.angular_velocity, body); }
  Vector impulse(std::size_t contact) const { return at(arrays.impulse, contact); }
};

template <class T>
Solved<T> solved(SceneSolver& solver, const SceneData<T>& scene, const MethodOptions& options) {
  Solved<T> made{SceneArrays<T>(scene), {}};
  const auto given = options.converted();
  made.report = solver.solve(select(scene.view(), given.method), made.arrays.view(), given);
  return made;
}

template <class T>
Solved<T> solved(const SceneData<T>& scene, const MethodOptions& options, const Execution& execution = {.threads = 1}) {
  SceneSolver solver(execution);
  return solved(solver, scene, options);
}

inline Solved<double> solved_by_reference(const SceneData<double>& scene, const MethodOptions& options) {
  Solved<double> made{SceneArrays<double>(scene), {}};
  const auto given = options.converted();
  made.report = reference::solve_scene(select(scene.view(), given.method), made.arrays.view(), given);
  return made;
}

/// A method with enough sweeps, and a residual that the precision can reach.
template <class T>
MethodOptions exact(Procedure method) {
  MethodOptions options;
  options.method = method;
  set_iterations(options, 20000);
  options.tolerance = sizeof(T) == sizeof(float) ? 2e-6 : 1e-13;
  return options;
}

/// Inverse mass or zero: the mass of a body with infinite mass does not count in a sum.
inline double inverse_or_zero(double x) {
  return x > 0 ? 1 / x : 0;
}

/// The angular momentum or the like: the inertia of body i times v.
template <class T>
Vector inertia_times(const SceneData<T>& scene, std::size_t i, const Vector& v) {
  std::array<double, 6> j{};
  for (std::size_t c = 0; c < 6; ++c) j[c] = static_cast<double>(scene.bodies.inverse_inertia[c][i]);
  const auto [row_x, row_y, row_z] = symmetric(j);
  const double determinant = dot(row_x, cross(row_y, row_z));
  if (determinant == 0) return {};
  // Cramer's rule: the columns of a symmetric matrix are its rows.
  return (1 / determinant) *
         Vector{dot(v, cross(row_y, row_z)), dot(row_x, cross(v, row_z)), dot(row_x, cross(row_y, v))};
}

/// [J] of the bodies [first, last) with these velocities.
template <class T>
double kinetic_energy(const SceneData<T>& scene, const Vectors3<T>& velocity, const Vectors3<T>& angular_velocity,
                      std::size_t first, std::size_t last) {
  double energy = 0;
  for (std::size_t i = first; i < last; ++i) {
    const Vector v = at(velocity, i), w = at(angular_velocity, i);
    energy += inverse_or_zero(static_cast<double>(scene.bodies.inverse_mass[i])) * dot(v, v) / 2;
    energy += dot(w, inertia_times(scene, i, w)) / 2;
  }
  return energy;
}
template <class T>
double energy_before(const SceneData<T>& scene) {
  return kinetic_energy(scene, scene.bodies.velocity, scene.bodies.angular_velocity, 0, scene.body_count());
}
template <class T>
double energy_after(const SceneData<T>& scene, const Solved<T>& made) {
  return kinetic_energy(scene, made.arrays.velocity, made.arrays.angular_velocity, 0, scene.body_count());
}

/// Reports of equal calls, except the threads that worked.
inline void expect_same(const SceneReport& a, const SceneReport& b, const std::string& what) {
  EXPECT_EQ(a.by_status, b.by_status) << what;
  EXPECT_EQ(a.joints_by_status, b.joints_by_status) << what;
  EXPECT_EQ(a.iterations, b.iterations) << what;
  EXPECT_EQ(a.substeps, b.substeps) << what;
  EXPECT_EQ(a.max_approach_speed, b.max_approach_speed) << what;
  EXPECT_EQ(a.residual, b.residual) << what;
  EXPECT_EQ(a.energy_before, b.energy_before) << what;
  EXPECT_EQ(a.energy_after, b.energy_after) << what;
  EXPECT_EQ(a.joint_work, b.joint_work) << what;
  EXPECT_EQ(a.not_converged, b.not_converged) << what;
  EXPECT_EQ(a.same_graph, b.same_graph) << what;
  const auto counts = [](const SceneReport& r) {
    return std::vector<std::size_t>{r.bodies,          r.contacts, r.islands,   r.pgs_islands,
                                    r.max_island_size, r.lanes,    r.lanes_used};
  };
  EXPECT_EQ(counts(a), counts(b)) << what;
}

template <class T>
void expect_same_bits(const SceneArrays<T>& a, const SceneArrays<T>& b, const std::string& what) {
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_TRUE(support::same_bits(a.velocity[c], b.velocity[c])) << what;
    EXPECT_TRUE(support::same_bits(a.angular_velocity[c], b.angular_velocity[c])) << what;
    EXPECT_TRUE(support::same_bits(a.displacement[c], b.displacement[c])) << what;
    EXPECT_TRUE(support::same_bits(a.rotation[c], b.rotation[c])) << what;
    EXPECT_TRUE(support::same_bits(a.warm_impulse[c], b.warm_impulse[c])) << what;
    EXPECT_TRUE(support::same_bits(a.impulse[c], b.impulse[c])) << what;
    EXPECT_TRUE(support::same_bits(a.angular_impulse[c], b.angular_impulse[c])) << what;
    EXPECT_TRUE(support::same_bits(a.warm_angular_impulse[c], b.warm_angular_impulse[c])) << what;
    EXPECT_TRUE(support::same_bits(a.separation_velocity[c], b.separation_velocity[c])) << what;
  }
  EXPECT_TRUE(support::same_bits(a.status, b.status)) << what;
  EXPECT_EQ(a.path, b.path) << what;
  EXPECT_TRUE(support::same_bits(a.joint_impulse, b.joint_impulse)) << what;
  EXPECT_TRUE(support::same_bits(a.joint_warm_impulse, b.joint_warm_impulse)) << what;
  EXPECT_TRUE(support::same_bits(a.joint_status, b.joint_status)) << what;
  EXPECT_EQ(a.island, b.island) << what;
  EXPECT_EQ(a.joint_island, b.joint_island) << what;
  EXPECT_EQ(a.island_status, b.island_status) << what;
  EXPECT_EQ(a.island_algorithm, b.island_algorithm) << what;
  EXPECT_TRUE(support::same_bits(a.island_error, b.island_error)) << what;
  EXPECT_TRUE(support::same_bits(a.island_residual, b.island_residual)) << what;
  EXPECT_EQ(a.island_iterations, b.island_iterations) << what;
  EXPECT_EQ(a.island_substeps, b.island_substeps) << what;
  EXPECT_TRUE(support::same_bits(a.island_energy_removed, b.island_energy_removed)) << what;
}

inline const Procedure methods_of_reference[] = {Procedure::pgs,         Procedure::sequential_impacts,
                                                 Procedure::collisions,  Procedure::resting,
                                                 Procedure::both_phases, Procedure::substeps};
inline const Procedure all_methods[] = {Procedure::pgs,     Procedure::sequential_impacts, Procedure::collisions,
                                        Procedure::resting, Procedure::both_phases,        Procedure::substeps,
                                        Procedure::ncp};

/// A method as engines use it, with its required options.
inline MethodOptions usual(Procedure method) {
  MethodOptions options;
  options.method = method;
  options.time_step = 0.01;
  options.sequential_impacts.law = Law::chatterjee_ruina;
  set_iterations(options, method == Procedure::sequential_impacts ? 20 : 12);
  return options;
}

/// Max. difference of velocities, relative to the max. velocity of the scene.
template <class T>
double distance(const SceneData<T>& scene, const Solved<T>& found, const Solved<double>& expected) {
  double greatest = 0, apart = 0;
  for (std::size_t i = 0; i < scene.body_count(); ++i) {
    greatest = std::max({greatest, length(scene.velocity(i)), length(scene.angular_velocity(i))});
    apart = std::max({apart, length(found.velocity(i) - expected.velocity(i)),
                      length(found.angular_velocity(i) - expected.angular_velocity(i)),
                      (length(at(found.arrays.displacement, i) - at(expected.arrays.displacement, i)) +
                       length(at(found.arrays.rotation, i) - at(expected.arrays.rotation, i))) /
                          usual(Procedure::substeps).time_step});
  }
  return apart / greatest;
}

/// [N s] max. difference of impulses, relative to the max. impulse.
template <class T>
double impulse_distance(const SceneData<T>& scene, const Solved<T>& found, const Solved<double>& expected) {
  double greatest = 1e-300, apart = 0;
  for (std::size_t i = 0; i < scene.contact_count(); ++i) {
    greatest = std::max(greatest, length(expected.impulse(i)));
    apart = std::max(apart, length(found.impulse(i) - expected.impulse(i)));
  }
  for (std::size_t i = 0; i < scene.row_count(); ++i) {
    greatest = std::max(greatest, std::abs(expected.arrays.joint_impulse[i]));
    apart = std::max(apart,
                     std::abs(static_cast<double>(found.arrays.joint_impulse[i]) - expected.arrays.joint_impulse[i]));
  }
  return apart / greatest;
}

/// As impulse_distance, for the impulses that the next step begins with.
template <class T>
double warm_impulse_distance(const SceneData<T>& scene, const Solved<T>& found, const Solved<double>& expected) {
  double greatest = 1e-300, apart = 0;
  for (std::size_t i = 0; i < scene.contact_count(); ++i) {
    const Vector3<double> of_reference = at(expected.arrays.warm_impulse, i);
    greatest = std::max({greatest, length(of_reference), length(expected.impulse(i))});
    apart = std::max(apart, length(at(found.arrays.warm_impulse, i) - of_reference));
  }
  for (std::size_t i = 0; i < scene.row_count(); ++i) {
    const double of_reference = expected.arrays.joint_warm_impulse[i];
    greatest = std::max({greatest, std::abs(of_reference), std::abs(expected.arrays.joint_impulse[i])});
    apart = std::max(apart, std::abs(static_cast<double>(found.arrays.joint_warm_impulse[i]) - of_reference));
  }
  return apart / greatest;
}

/// Returns true if the reference has a result that `is_close` accepts for velocities that differ by the rounding of an
/// update. This is so if a decision is near its threshold: whether a contact sticks, or still collides. Iterations lead
/// there: they may revert the impulse of the last substep up to its rounding.
template <class T, class F>
bool is_result_nearby(const SceneData<T>& scene, const MethodOptions& options, const F& is_close) {
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    support::Draw draw(seed);
    SceneData<double> near = widened(scene);
    for (auto& component : near.bodies.velocity)
      for (double& x : component) x *= 1 + draw.uniform(-1, 1) * 1e3 * epsilon<T>;
    if (is_close(solved_by_reference(near, options))) return true;
  }
  return false;
}

inline MethodOptions ncp_to(double tolerance) {
  MethodOptions options;
  options.method = Procedure::ncp;
  options.ncp.tolerance = tolerance;
  return options;
}

}  // namespace carom::scenes
