// Options for the scenes of the prober: every method, and for some kinds the options under which they converge.
#pragma once

#include <cmath>

#include "probe/scene_drawing.hpp"
#include "support/scenes/iterations.hpp"

namespace carom::probe {

template <class T>
class SceneOptionsDrawer : SceneDrawing<T> {
  using Base = SceneDrawing<T>;
  using Base::chance, Base::draw_, Base::is, Base::scene_;

 public:
  using Base::Base;

  void draw() {
    SceneOptions& o = scene_.options;
    o.method = static_cast<SceneMethod>(draw_.below(scene_method_count));
    if (is(SceneKind::jammed) && chance(2)) o.method = SceneMethod::resting;
    o.relative_tolerance = sizeof(T) == sizeof(float) ? 1e-5 : 1e-10;
    const int sweeps[] = {1, 4, 10, 30, 4000, 4000};
    if (!chance(4)) scenes::set_iterations(o, sweeps[draw_.below(6)]);
    if (o.method == SceneMethod::sequential_impacts) scenes::set_iterations(o, 20);
    if (is(SceneKind::crowded)) scenes::set_iterations(o, o.method == SceneMethod::sequential_impacts ? 2 : 10);
    o.resting.time_step = std::pow(10.0, std::floor(draw_.uniform(-3, chance(3) ? 4 : 0)));
    o.rest.tolerance = chance(3) ? 1 : 1e-4;
    o.resting.gravity = {0, 0, chance(2) ? -9.81 : 0};
    o.iteration.swept = chance(2) ? ContactFilter::touching : ContactFilter::colliding;
    o.shock_propagation.enabled = chance(8);
    if (chance(6)) o.pgs.relaxation = draw_.uniform(0.5, 1.5);
    if (chance(6)) o.restitution_threshold = draw_.uniform(0, 0.5);
    if (chance(4)) o.pgs.warm_start = draw_.uniform();
    if (chance(4)) o.pgs.joint_warm_start = draw_.uniform();
    if (chance(4)) o.sequential_impacts.seed = 1 + draw_.below(1000);
    if (o.method == SceneMethod::substeps) draw_substeps();
    if (is(SceneKind::anisotropic) && !chance(4)) {
      // These kinds are judged after convergence.
      o.method = SceneMethod::pgs;
      o.shock_propagation.enabled = false;
      scenes::set_iterations(o, 4000);
      o.pgs.warm_start = 1;
    }
    if (is(SceneKind::models)) {
      if (o.method != SceneMethod::substeps && o.method != SceneMethod::ncp) o.method = SceneMethod::pgs;
      o.shock_propagation.enabled = false;
      if (chance(2)) scenes::set_iterations(o, 4000);
    }
    const Law laws[] = {Law::incremental, Law::chatterjee_ruina, Law::frictionless};
    o.collision.law = laws[draw_.below(3)];
  }

 private:
  void draw_substeps() {
    SubstepsOptions& o = scene_.options.substeps;
    o.time_step = draw_.log_uniform(2) / 100;
    // Islands may be solved directly with 1.
    o.least = draw_.below(2) == 0 ? 1 : 1 + static_cast<int>(draw_.below(8));
    o.most = o.least + static_cast<int>(draw_.below(24));
    o.inner_iterations = 1 + static_cast<int>(draw_.below(6));
    if (chance(4)) o.sweeps = 1 + static_cast<int>(draw_.below(4));
    if (chance(4)) o.relax_iterations = static_cast<int>(draw_.below(3));
    if (chance(4)) o.restitution_sweeps = 1 + static_cast<int>(draw_.below(8));
    if (chance(4)) o.slop = draw_.uniform(1e-4, 0.01);
    if (chance(4)) o.relative_slop = draw_.log_uniform(1) / 100;
    if (chance(4)) o.correction_rate = draw_.uniform();
    if (chance(4)) o.max_correction_speed = draw_.uniform(0, 3);
    if (chance(4)) o.joint_frequency = draw_.uniform(0, 100);
    if (chance(4)) o.joint_damping_ratio = draw_.uniform(0, 5);
    if (chance(4)) o.warm_start = draw_.uniform();
    if (chance(4)) o.joint_warm_start = draw_.uniform();
  }
};

}  // namespace carom::probe
