// Options of a call: the options of the selected method, and values derived from them.
#pragma once

#include <carom/scene.hpp>
#include <cmath>
#include <type_traits>

namespace carom::scene {

/// Procedure of a call: a method, or phases of BenderSchmitt.
enum class Procedure : std::uint8_t { substeps, pgs, ncp, sequential_impacts, collisions, resting, both_phases };

/// Pgs with position correction is a single substep.
struct CallOptions {
  Procedure procedure = Procedure::substeps;
  double time_step = 0;              ///< [s]
  double restitution_threshold = 0;  ///< [m/s]
  double tolerance = 0;              ///< [1] of iterations
  double rest_gravity = 0;           ///< [m/s²] > 0, of thresholds
  double rest_tolerance = 0;         ///< [m]
  std::array<double, 3> gravity{};   ///< [m/s²]
  Options collision;                 ///< laws of single contacts, tolerances of data
  // Properties of the method that several steps of a call depend on.
  bool moves_bodies = false;           ///< stores displacements, and separate impulses for the next call
  bool starts_warm = false;            ///< contacts and rows may begin with impulses
  bool reads_static_friction = false;  ///< manifolds that stick have their static coefficient
  bool solves_islands = false;         ///< islands may be solved directly
  /// Islands of one manifold have their own kernel. The choice depends only on the options and on the island, because
  /// the kernel's rounding differs.
  bool has_single_manifold_kernel = false;
  double warm_start = 1;          ///< [1] fraction of the impulses that contacts begin with
  double joint_warm_start = 0.5;  ///< [1] same, of rows without two finite limits
  double relaxation = 1;          ///< [1] of PGS
  int inner_iterations = 1;       ///< over the points of a manifold
  Substeps substeps;
  Pgs pgs;
  Ncp ncp;
  SequentialImpacts sequential_impacts;
  BenderSchmitt bender_schmitt;

  /// [m/s] Speed of contacts at rest.
  double rest_speed() const { return std::sqrt(2 * rest_gravity * rest_tolerance); }
};

/// Sets the procedure and its properties, from CallOptions::substeps.
inline void take_substeps(CallOptions& call) {
  const Substeps& of = call.substeps;
  call.procedure = Procedure::substeps;
  call.moves_bodies = call.starts_warm = call.reads_static_friction = true;
  call.solves_islands = of.min_substeps == 1 && of.max_substeps > 1;
  call.warm_start = of.warm_start;
  call.joint_warm_start = of.joint_warm_start;
  call.inner_iterations = of.inner_iterations;
}

inline CallOptions call_options(const SceneOptions& options) {
  constexpr double standard_gravity = 9.81;
  CallOptions call;
  call.time_step = options.time_step;
  call.restitution_threshold = options.restitution_threshold;
  call.gravity = options.gravity;
  const auto& g = options.gravity;
  const double magnitude = std::hypot(g[0], g[1], g[2]);
  call.rest_gravity = magnitude > 0 ? magnitude : standard_gravity;
  call.rest_tolerance = BenderSchmitt{}.rest_tolerance;
  call.collision.data = options.data;
  std::visit(
      [&]<class M>(const M& method) {
        if constexpr (std::is_same_v<M, Substeps>) {
          call.substeps = method;
          call.tolerance = method.tolerance;
          take_substeps(call);
        } else if constexpr (std::is_same_v<M, Pgs>) {
          call.pgs = method;
          call.tolerance = method.tolerance;
          if (!method.position_correction) {
            call.procedure = Procedure::pgs;
            call.starts_warm = call.reads_static_friction = true;
            call.has_single_manifold_kernel = method.relaxation == 1 && method.inner_iterations == 1;
            call.warm_start = method.warm_start;
            call.joint_warm_start = method.joint_warm_start.value_or(0.5);
            call.relaxation = method.relaxation;
            call.inner_iterations = method.inner_iterations;
            return;
          }
          Substeps& one = call.substeps;
          one.min_substeps = one.max_substeps = 1;
          one.iterations = method.iterations;
          one.inner_iterations = method.inner_iterations;
          one.warm_start = method.warm_start;
          one.joint_warm_start = method.joint_warm_start.value_or(1);
          one.position_correction = *method.position_correction;
          take_substeps(call);
        } else if constexpr (std::is_same_v<M, Ncp>) {
          call.procedure = Procedure::ncp;
          call.starts_warm = true;
          call.ncp = method;
          call.pgs.iterations = method.pgs_iterations;
          call.tolerance = method.pgs_tolerance;
          call.warm_start = call.joint_warm_start = method.warm_start;
        } else if constexpr (std::is_same_v<M, SequentialImpacts>) {
          call.procedure = Procedure::sequential_impacts;
          call.sequential_impacts = method;
          call.tolerance = method.tolerance;
          call.collision.law = method.law;
          call.collision.restitution_law = method.restitution_law;
          call.collision.integrator = method.integrator;
          call.collision.steps = method.steps;
          call.collision.step_budget = method.step_budget;
        } else {
          static_assert(std::is_same_v<M, BenderSchmitt>);
          call.procedure = method.phase == BenderSchmittPhase::collisions ? Procedure::collisions
                           : method.phase == BenderSchmittPhase::resting  ? Procedure::resting
                                                                          : Procedure::both_phases;
          call.reads_static_friction = true;
          call.bender_schmitt = method;
          call.tolerance = method.tolerance;
          call.rest_tolerance = method.rest_tolerance;
        }
      },
      options.method);
  return call;
}

/// True if forces change velocities in this call.
template <class T>
bool has_forces(const Scene<T>& scene, const CallOptions& options) {
  const auto& g = options.gravity;
  return scene.bodies.velocity_change.x || g[0] != 0 || g[1] != 0 || g[2] != 0;
}

}  // namespace carom::scene
