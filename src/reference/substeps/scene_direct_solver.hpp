// The direct solver of the reference, in three files: load, impulses of a substep, and the step with its motion.
// docs/scenes.md, Direct islands
#pragma once

#include <array>
#include <map>
#include <optional>

#include "core/scene/call_options.hpp"
#include "scene_direct.hpp"

namespace carom::reference {

// x·M y
inline double product(const DirectBody& body, const Twist& x, const Twist& y) {
  return body.mass * dot(x.velocity, y.velocity) + dot(x.angular_velocity, body.inertia * y.angular_velocity);
}

/// The inverse of a symmetric matrix that is positive definite by more than rounding, without the locked axes.
std::optional<Matrix3> inverse_of(Matrix3 m, const std::array<bool, 3>& locked);

class DirectSolver {
 public:
  DirectSolver(SceneState& state, const SceneIsland& island, const CallOptions& options)
      : state_(state), island_(island), options_(options) {
    of_.weight_speed = options.rest_gravity * options.time_step;
  }

  bool load();
  /// True if the factorisation is cheap enough for the sweeps that it replaces.
  bool is_small(int substeps);
  bool run();
  SceneOutcome store();

 private:
  enum class Verdict : std::uint8_t { accepted, contradicted, failed };
  struct Kept {
    std::vector<DirectPoint> points;
    std::vector<DirectRow> rows;
    Twists velocity;
  };

  bool add_body(std::size_t place);
  void add_bodies(const SceneBlock& block);
  void add(const SceneBlock& block);
  void add_group(const SceneBlock& block);
  int number_of_substeps() const;
  void begin_substep(int substep);
  bool run_substep();
  void end_substep();
  void stiffen();
  void set_row_targets();
  Twist ahead(std::size_t body, const Twists& velocities) const;
  double error_of(const DirectRow& row, const Twist& a, const Twist& b, double elapsed) const;
  bool keep_rows(Twists& gain);
  double row_residual() const;
  bool leaves_bounds(const DirectRow& row, double impulse) const;
  bool hold_rows();
  void hold_rows_within_bounds();
  void put_rows_on_bounds();
  void keep_rows_in_bounds();

  Vector3 velocity(const DirectPoint& p) const { return of_.velocity_of(p, of_.velocity); }
  // Velocity relative to the target.
  Vector3 excess(const DirectPoint& p) const { return velocity(p) - p.target; }

  void set_targets();
  void pass_on_loads();
  void measure_approach();
  bool find_impulses();
  void set_statuses(bool is_loaded);
  bool is_settled() const;
  void set_weights();
  bool factor();
  Verdict solve_statuses(bool is_last, double lag = SceneThresholds::direct_lag);
  bool leaves_cone(const DirectPoint& p, const Vector3& impulse, double lag = SceneThresholds::direct_lag) const;
  bool turn_friction();
  bool lacks_friction() const;
  Kept kept() const { return {of_.points, of_.rows, of_.velocity}; }
  void restore(const Kept& kept);
  template <class Change>
  bool solve_or_restore(const Change& change, double lag = SceneThresholds::direct_lag);
  void release();
  bool hold_approaching();
  void keep_in_cones();
  void keep_energy();
  bool is_thrown() const;
  void take_impulses();
  void move();
  Twists correct_positions();
  void rebound();
  bool is_in_range() const;

  SceneState& state_;
  const SceneIsland& island_;
  const CallOptions& options_;
  DirectIsland of_;
  int substeps_ = 1;
  double h_ = 0, elapsed_ = 0;                   // [s] of a substep; at its end
  Twists forces_, moved_;                        // of the whole step; since its start
  std::map<std::size_t, std::size_t> index_of_;  // of a place, in of_.bodies
  Twists moving_;                                // velocities of the motion
  double approach_ = 0, residual_ = 0;           // [m/s]
  double mean_momentum_ = 0;                     // [N s] of a body with the forces of the step
  double missed_ = 0;     // [m/s] max. by which held contacts missed their targets in the last solve
  double tolerance_ = 0;  // [N s] by which impulses may leave their cones
  bool is_hit_ = false, rebounds_ = false, may_use_interior_point_ = false;
};

}  // namespace carom::reference
