// Sweeps over the contacts and rows of an island, one impulse after the other: what simultaneous, iteration and resting
// have in common.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/scene/call_options.hpp"
#include "reference/contact/vector.hpp"
#include "scene_graph.hpp"
#include "scene_models.hpp"
#include "scene_state.hpp"

namespace carom::reference {

class SceneSweeps {
 public:
  /// `method` is one that sweeps. All three outlive this.
  SceneSweeps(SceneState& state, const SceneIsland& island, const CallOptions& options, Procedure method)
      : state_(state),
        island_(island),
        options_(options),
        method_(method),
        moments_(state, island),
        kept_missed_(std::numeric_limits<double>::infinity()) {
    for (const SceneBlock& block : island.sweep_order) {
      triples_.push_back(triple_of(block));
      has_model_.push_back(has_model(state, block));
    }
  }

  /// Begins with the warm impulses.
  void warm_start();
  /// Begins with the impulses of rows whose bounds leave out 0. Returns the greatest speed that one makes.
  double begin_rows() { return reference::begin_rows(state_, island_.rows); }

  /// Sweeps until a fourth one has seen no residual above `tolerance` [m/s], of simultaneous also the first,
  /// or one above `runaway` [m/s], or until there have been `most`: converged, diverged, not_converged.
  IslandStatus run(int most, double tolerance, double runaway = std::numeric_limits<double>::infinity());
  int sweeps() const { return sweeps_; }

  /// Level by level from the immovable bodies upwards, those below held fast. `levels` are those of levels_of.
  void propagate_shock(const std::vector<int>& levels);

  /// Gives contacts their shares of the moments.
  void end() { moments_.share_out(); }

  /// [m/s] the greatest of the contacts that take part, and of rows, with the velocities of now.
  double contact_residual() const;
  double row_residual() const;

 private:
  /// The slip, and u·n less its target; of resting contacts those of the points after the time step.
  Vector3 velocity_of(const SceneContact& c) const;
  Vector3 predicted_velocity_of(const SceneContact& c) const;
  double sweep();
  int inner_iterations() const { return method_ == Procedure::pgs ? options_.pgs.inner_iterations : 1; }
  /// Keeps the state if none so far has missed less, or returns to the one that has.
  void keep(double missed);
  void return_to_kept();
  double visit(SceneContact& c, const Matrix3& k, bool moves_a, bool moves_b);
  double visit(SceneRow& row);
  /// The same of contact k of block n, whose manifold has a model.
  double visit_model(std::size_t n, std::size_t k);
  /// The rolling part of block n, before its forces.
  void roll(std::size_t n);
  /// Gives a contact of that velocity its next impulse. Returns what it missed [m/s], or the speed that the change
  /// makes.
  double take(SceneContact& c, const Vector3& impulse, const Vector3& velocity, bool moves_a, bool moves_b);
  /// The factor of J M⁻¹ Jᵀ, and compliance, of a joint's first three rows if they are solved at once.
  std::optional<Cholesky> triple_of(const SceneBlock& block) const;
  double visit_at_once(const SceneBlock& block, const Cholesky& factor);
  double relaxation() const { return method_ == Procedure::pgs ? options_.pgs.relaxation : 1; }

  SceneState& state_;
  const SceneIsland& island_;
  const CallOptions& options_;
  Procedure method_;
  SceneMoments moments_;
  std::vector<bool> has_model_;                   // of island_.sweep_order
  std::vector<std::optional<Cholesky>> triples_;  // of island_.sweep_order
  int sweeps_ = 0;
  double kept_missed_;
  std::vector<double> kept_;
};

}  // namespace carom::reference
