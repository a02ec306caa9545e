// Iterations over the contacts and rows of an island, one impulse after the other: common to PGS, collision iteration
// and contact iteration.
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
  /// Starts with the impulses of rows whose bounds exclude 0. Returns the max. speed that one of them causes.
  double begin_rows() { return reference::begin_rows(state_, island_.rows); }

  /// Iterates until converged (residual <= `tolerance` [m/s]), diverged (residual > `runaway` [m/s]) or not_converged
  /// (`most` iterations). Tests every fourth iteration; PGS also tests the first one for convergence.
  IslandStatus run(int most, double tolerance, double runaway = std::numeric_limits<double>::infinity());
  int sweeps() const { return sweeps_; }

  /// Processes levels from the immovable bodies upwards, with bodies of lower levels fixed. `levels`: see levels_of.
  void propagate_shock(const std::vector<int>& levels);

  /// Distributes the moments to the contacts.
  void end() { moments_.share_out(); }

  /// [m/s] maximum of active contacts, and of rows, at the present velocities.
  double contact_residual() const;
  double row_residual() const { return residual(state_, island_.rows); }

 private:
  /// Slip, and u·n minus its target; for contact iterations of the points after the time step.
  Vector3 velocity_of(const SceneContact& c) const;
  Vector3 predicted_velocity_of(const SceneContact& c) const;
  double sweep();
  /// Calls f(numbers) for the numbers of the state.
  template <class F>
  void each_kept(const F& f);
  /// Stores the state if its violation `missed` is the smallest so far, or returns to the stored one.
  void keep(double missed);
  void return_to_kept();
  double visit(SceneContact& c, const Matrix3& k, bool moves_a, bool moves_b);
  double visit(SceneRow& row);
  /// Same for contact k of block n, whose manifold has a model.
  double visit_model(std::size_t n, std::size_t k);
  /// Solves the rolling part of block n, before its forces.
  void roll(std::size_t n);
  /// Sets the next impulse of a contact with this velocity. Returns its violation [m/s], or the speed that the change
  /// of the impulse causes.
  double take(SceneContact& c, const Vector3& impulse, const Vector3& velocity, bool moves_a, bool moves_b);
  /// The factor of J M⁻¹ Jᵀ, and compliance, of a joint's first three rows if they are solved at once.
  std::optional<Cholesky> triple_of(const SceneBlock& block) const;
  double visit_at_once(const SceneBlock& block, const Cholesky& factor);

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
