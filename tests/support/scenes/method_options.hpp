// The options of all methods in one struct, so that one test can run every method on its scene.
#pragma once

#include <carom/scene.hpp>
#include <optional>
#include <string_view>

#include "core/scene/call_options.hpp"

namespace carom::scene {

inline std::string_view to_string(Procedure method) {
  constexpr std::string_view names[] = {"substeps",   "pgs",     "ncp",        "sequential-impacts",
                                        "collisions", "resting", "both-phases"};
  return names[static_cast<std::size_t>(method)];
}

}  // namespace carom::scene
namespace carom::scenes {

using scene::Procedure;

struct MethodOptions {
  Procedure method = Procedure::pgs;  ///< the method that is converted
  double time_step = 0;
  std::array<double, 3> gravity = {};
  double restitution_threshold = 0;
  double tolerance = 1e-6;  ///< of every method but Ncp, and of its PGS
  Tolerances data = {};
  Substeps substeps = {};
  Pgs pgs = {};
  Ncp ncp = {};
  SequentialImpacts sequential_impacts = {};
  BenderSchmitt bender_schmitt = {};

  /// Pgs moves the bodies in steps of `h`, with the position correction of `substeps` and two relax iterations.
  void correct_positions(double h) {
    time_step = h;
    pgs.position_correction = PositionCorrection{.relax_iterations = 2};
  }
  /// True if the method moves bodies.
  bool moves() const { return method == Procedure::substeps || corrects_positions(); }
  bool corrects_positions() const { return method == Procedure::pgs && pgs.position_correction; }

  operator SceneOptions() const { return converted(); }  // NOLINT(google-explicit-constructor)
  SceneOptions converted() const {
    SceneOptions made{time_step, gravity, restitution_threshold, {}, data};
    switch (method) {
      case Procedure::substeps:
        made.method = substeps;
        break;
      case Procedure::pgs:
        made.method = pgs;
        if (pgs.position_correction) {
          PositionCorrection& correction = *made.use<Pgs>().position_correction;
          correction = substeps.position_correction;
          correction.relax_iterations = pgs.position_correction->relax_iterations;
        }
        break;
      case Procedure::ncp:
        made.method = ncp;
        if (ncp.max_island_size > 0 || ncp.pgs_presolve) {
          made.use<Ncp>().pgs_iterations = pgs.iterations;
          made.use<Ncp>().pgs_tolerance = tolerance;
        }
        break;
      case Procedure::sequential_impacts:
        made.method = sequential_impacts;
        break;
      default:
        made.method = bender_schmitt;
        auto& bs = made.use<BenderSchmitt>();
        bs.phase = method == Procedure::collisions ? BenderSchmittPhase::collisions
                   : method == Procedure::resting  ? BenderSchmittPhase::resting
                                                   : BenderSchmittPhase::both;
        if (method != Procedure::collisions) bs.filter = ContactFilter::colliding;
        if (method == Procedure::collisions && bs.filter == ContactFilter::colliding) bs.shock_propagation = 0;
    }
    if (method == Procedure::sequential_impacts) made.restitution_threshold = 0;
    std::visit(
        [&]<class M>(M& of) {
          if constexpr (requires { of.tolerance; } && !std::is_same_v<M, Ncp>) of.tolerance = tolerance;
        },
        made.method);
    return made;
  }
};

/// The columns of the scene that the method reads.
template <class T>
Scene<T> selected(const Scene<T>& scene, const SceneOptions& options) {
  return select(scene, options.method);
}

}  // namespace carom::scenes
