// Options for the scenes of the prober: every method, and for some kinds the options under which they converge. All
// other options come from their table.
#pragma once

#include <algorithm>
#include <carom/law_info.hpp>
#include <cmath>
#include <string_view>

#include "probe/option_draw.hpp"
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
    draw_usual();
    take();
  }

  /// Draws like draw(), varies every option of the table, and draws parameters for all laws.
  void draw_all() {
    draw();
    // The method stays, so each is as frequent as in draw().
    scene_.options = draw_options(
        draw_, [usual = scene_.options] { return usual; }, is_accepted);
    const auto parameter = [&](const LawParameter& values) {
      return static_cast<T>(draw_.uniform(std::max(values.low, -1.0), std::min(values.high, 1.0)));
    };
    columns::each_parameter(
        [&](const columns::Label& label, columns::Parameter of, Column<const T>& column) {
          if (std::string_view(label.member) != "tangential_restitution")
            column = parameter(columns::values_of(of, false));
        },
        scene_.laws);
    columns::each_weight(
        [&](const columns::Label&, Law law, Column<const T>& column) {
          if (law_info(law).in_space) column = static_cast<T>(draw_.uniform());
        },
        scene_.laws.weight);
  }

 private:
  /// Asks a call without bodies. Scenes have no planar laws.
  static bool is_accepted(const SceneOptions& options) {
    thread_local SceneSolver solver({.threads = 1});
    const auto* impacts = std::get_if<SequentialImpacts>(&options.method);
    if (impacts != nullptr && !law_info(impacts->law).in_space) return false;
    return accepts_options([&] { solver.solve(Scene<T>{}, {}, options); });
  }

  void take() {
    scene_.options = o_.converted();
    scene_.pgs = o_.pgs;
    scene_.pgs.tolerance = o_.tolerance;
  }

  void draw_usual() {
    MethodOptions& o = o_;
    const Procedure methods[] = {Procedure::pgs,     Procedure::sequential_impacts, Procedure::collisions,
                                 Procedure::resting, Procedure::both_phases,        Procedure::substeps,
                                 Procedure::ncp};
    o.method = methods[draw_.below(7)];
    if (is(SceneKind::jammed) && chance(2)) o.method = Procedure::resting;
    o.tolerance = sizeof(T) == sizeof(float) ? 1e-5 : 1e-10;
    const int sweeps[] = {1, 4, 10, 30, 4000, 4000};
    if (!chance(4)) scenes::set_iterations(o, sweeps[draw_.below(6)]);
    if (o.method == Procedure::sequential_impacts) scenes::set_iterations(o, 20);
    if (is(SceneKind::crowded)) scenes::set_iterations(o, o.method == Procedure::sequential_impacts ? 2 : 10);
    o.time_step = std::pow(10.0, std::floor(draw_.uniform(-3, chance(3) ? 4 : 0)));
    o.bender_schmitt.rest_tolerance = chance(3) ? 1 : 1e-4;
    chance(2);
    o.bender_schmitt.filter = chance(2) ? ContactFilter::touching : ContactFilter::colliding;
    o.bender_schmitt.shock_propagation = chance(8) ? 4 : 0;
    if (chance(6)) o.pgs.relaxation = draw_.uniform(0.5, 1.5);
    if (chance(6)) o.restitution_threshold = draw_.uniform(0, 0.5);
    if (chance(4)) o.pgs.warm_start = draw_.uniform();
    if (chance(4)) o.pgs.joint_warm_start = draw_.uniform();
    if (chance(4)) o.sequential_impacts.seed = 1 + draw_.below(1000);
    if (o.method == Procedure::substeps) draw_substeps();
    if (is(SceneKind::anisotropic) && !chance(4)) {
      // These kinds are judged after convergence.
      o.method = Procedure::pgs;
      o.bender_schmitt.shock_propagation = 0;
      scenes::set_iterations(o, 4000);
      o.pgs.warm_start = 1;
    }
    if (is(SceneKind::models)) {
      if (o.method != Procedure::substeps && o.method != Procedure::ncp) o.method = Procedure::pgs;
      o.bender_schmitt.shock_propagation = 0;
      if (chance(2)) scenes::set_iterations(o, 4000);
    }
    const Law laws[] = {Law::incremental, Law::chatterjee_ruina, Law::frictionless};
    o.sequential_impacts.law = laws[draw_.below(3)];
  }

  void draw_substeps() {
    Substeps& o = o_.substeps;
    PositionCorrection& correction = o.position_correction;
    o_.time_step = draw_.log_uniform(2) / 100;
    // Islands may be solved directly with 1.
    o.min_substeps = draw_.below(2) == 0 ? 1 : 1 + static_cast<int>(draw_.below(8));
    o.max_substeps = o.min_substeps + static_cast<int>(draw_.below(24));
    o.inner_iterations = 1 + static_cast<int>(draw_.below(6));
    if (chance(4)) o.iterations = 1 + static_cast<int>(draw_.below(4));
    if (chance(4)) correction.relax_iterations = static_cast<int>(draw_.below(3));
    if (chance(4)) o.restitution_iterations = 1 + static_cast<int>(draw_.below(8));
    if (chance(4)) correction.slop = draw_.uniform(1e-4, 0.01);
    if (chance(4)) correction.relative_slop = draw_.log_uniform(1) / 100;
    if (chance(4)) correction.rate = draw_.uniform();
    if (chance(4)) correction.max_speed = draw_.uniform(0, 3);
    if (chance(4)) correction.joint_frequency = draw_.uniform(0, 100);
    if (chance(4)) correction.joint_damping_ratio = draw_.uniform(0, 5);
    if (chance(4)) o.warm_start = draw_.uniform();
    if (chance(4)) o.joint_warm_start = draw_.uniform();
  }

  MethodOptions o_;
};

}  // namespace carom::probe
