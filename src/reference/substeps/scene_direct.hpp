// Direct islands: the contacts of an island are solved by one or two linear solves a step, or by an interior point.
// docs/scenes.md, Direct islands
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "core/scene/call_options.hpp"
#include "reference/scene/scene_methods.hpp"

namespace carom::reference {

/// A symmetric positive definite matrix and its Cholesky factorisation L Lᵀ, dense except for the zeros at the start of
/// every row.
class DirectMatrix {
 public:
  /// Sets the matrix to zero. `first`: the column in which each row starts.
  void clear(const std::vector<std::size_t>& first);
  /// An element of the lower triangle.
  double& at(std::size_t row, std::size_t column) { return rows_[row][column - first_[row]]; }

  /// Replaces the matrix by L. Returns false if the matrix is not positive definite or not finite.
  bool factor();
  /// Replaces the right-hand side by the solution.
  void solve(std::vector<double>& x) const;

 private:
  std::vector<std::size_t> first_;
  std::vector<std::vector<double>> rows_;
};

struct DirectBody {
  std::size_t place = 0;  ///< in SceneState::bodies
  double mass = 0, inverse_mass = 0;
  Matrix3 inertia{}, inverse_inertia{};              ///< all four are 0 for an immovable body
  Matrix3 first_inertia{}, first_inverse_inertia{};  ///< at the start of the step, without the tension of joints
  std::array<bool, 3> locked{};                      ///< axes about which the body cannot turn
  double curve = 1;                                  ///< [1] share of the curvature that joints aim at
};

/// State of a contact in the matrix.
enum class DirectStatus : std::uint8_t { open, sticks, slips };

/// A contact of a direct island. Impulses and velocities are along `axes`.
struct DirectPoint {
  std::size_t contact = 0;   ///< in SceneState::contacts
  std::size_t a = 0, b = 0;  ///< in DirectIsland::bodies
  Matrix3 axes{};            ///< two tangents and the normal
  Vector3 r_a{}, r_b{};      ///< [m] world frame
  double friction = 0, separation = 0, slop = 0, restitution = 0;
  double first_gap = 0;         ///< [m] at the start of the step
  double min_velocity = 0;      ///< [m/s]
  double inverse_mass = 0;      ///< [1/kg] sum of both bodies
  Vector3 initial_impulse{};    ///< [N s] of the substep
  Vector3 impulse{}, change{};  ///< [N s]
  Vector3 next_impulse{};       ///< [N s] to start the next substep with
  Vector3 sum{};                ///< [N s] of all substeps
  Vector3 target{};             ///< [m/s]
  double weight = 0;            ///< [kg] D
  DirectStatus status = DirectStatus::open;
  bool has_left = false;  ///< its cone, while it stuck
};

/// A row of a joint, without compliance.
struct DirectRow : RowJacobian {
  std::size_t row = 0;                             ///< in SceneState::rows
  std::size_t a = 0, b = 0;                        ///< in DirectIsland::bodies
  Vector3 first_r_a{}, first_r_b{}, r_a{}, r_b{};  ///< [m] at the start of the step, and at present
  double wanted = 0, target = 0;                   ///< [m/s] as given, and of the substep
  double first_error = 0, allowed_error = 0;       ///< [m] smaller errors than the latter are left
  bool keeps_position = true;
  double initial_impulse = 0, impulse = 0, change = 0;  ///< [N s] of the substep
  double next_impulse = 0, sum = 0;                     ///< [N s] as of contacts
  double mass = 0, weight = 0;                          ///< [kg] or [kg m²] of both bodies; D
  // Bounds of the impulse [N s], of the substep. A row that is not held has its impulse on one of them.
  double least = -std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::infinity();
  bool is_held = true;
  double error = 0;                     ///< [m] at the start of the substep
  double min_slack = 0, max_slack = 0;  ///< [m/s] of the interior point: J v - target is their difference
  double min_change = 0, max_change = 0;
  double barrier_velocity = 0;  ///< [m/s] by which the barrier shifts the target
  double response = 0;          ///< [1/kg] J M⁻¹ Jᵀ
  double compliance = 0;        ///< [1/kg] of the substep: J v yields compliance × impulse
  double spring_rate = 0;       ///< [1/s] at which a spring aims to remove its error
  double first_velocity = 0;    ///< [m/s] J v at the start of the step
};

using Twists = std::vector<Twist>;

inline double tangential_length(const Vector3& v) {
  return std::sqrt(v[0] * v[0] + v[1] * v[1]);
}

/// An impulse with friction of at most this size.
inline Vector3 with_friction_within(double most, const Vector3& p) {
  const double size = tangential_length(p);
  return size > most ? Vector3{most / size * p[0], most / size * p[1], p[2]} : p;
}

/// A frequency [Hz] and a damping ratio as a spring that is integrated implicitly over h [s].
struct SoftStep {
  double rate = 0;    ///< [1/s] at which it aims to remove its error
  double answer = 0;  ///< [1] J M⁻¹ Jᵀ over this is its compliance

  SoftStep(double frequency, double damping_ratio, double h) {
    const double omega = 2 * std::numbers::pi * std::min(frequency, 0.25 / h);
    const double stiffness = 2 * damping_ratio + h * omega;
    rate = omega / stiffness;
    answer = h * omega * stiffness;
  }
};

/// An island with its velocities, and the linear system of their changes.
struct DirectIsland {
  std::vector<DirectBody> bodies;  ///< `movable` bodies first
  std::size_t movable = 0;
  std::vector<DirectPoint> points;
  std::vector<std::array<std::size_t, 2>> manifolds;  ///< first and last point + 1
  std::vector<DirectRow> rows;
  Twists before;            ///< before forces
  Twists free;              ///< with forces, without impulses
  Twists velocity;          ///< now
  double weight_speed = 0;  ///< [m/s] gravity × time step
  double mean_weight = 0;   ///< [N s] weight_speed × mean mass
  int solves = 0;           ///< factorisations
  IslandAlgorithm algorithm = IslandAlgorithm::linear;

  Vector3 velocity_of(const DirectPoint& p, const Twists& twists) const;
  static double velocity_of(const DirectRow& row, const Twists& twists);
  /// J v + compliance · impulse - target
  double miss_of(const DirectRow& row) const;
  /// Adds M⁻¹ Jᵀ impulse to the velocities.
  void accelerate(const DirectPoint& p, const Vector3& impulse, Twists& twists) const;
  void accelerate(const DirectRow& row, double impulse, Twists& twists) const;
  /// Adds the changes of all impulses to the velocities.
  void apply_changes();

  /// [m/s] Max. approach beyond the targets.
  double violation() const;

  /// Sets the matrix to M + Jᵀ D J with the rows of joints.
  void begin_matrix();
  /// Adds Jᵀ W J of a point.
  void add(const DirectPoint& p, const Matrix3& weight);
  /// Adds Jᵀ impulse of a point to a right-hand side.
  void add(const DirectPoint& p, const Vector3& impulse, std::vector<double>& right) const;
  void add(const DirectRow& row, double impulse, std::vector<double>& right) const;
  void add(std::size_t body, const Twist& wrench, std::vector<double>& right) const;
  /// Adds Jᵀ D (target - J v) of all rows to a right-hand side.
  void add_rows(std::vector<double>& right);
  /// Sets the changes of the rows' impulses from the solution.
  void find_row_changes(const Twists& solution);
  void take_row_changes(double share);
  /// Applies the changes of the rows' impulses to the velocities.
  void apply_row_changes();
  std::vector<double> right_hand_side() const { return std::vector<double>(6 * movable); }
  /// Solves with the factorised matrix.
  Twists solve(std::vector<double> right) const;

  DirectMatrix matrix;
};

/// Finds impulses for the targets by an interior point, from the current impulses and velocities. Returns false if it
/// fails. scene_interior_point.cpp
bool solve_by_interior_point(DirectIsland& island);

/// Solves an island of contacts directly. `substeps`: number of substeps of the iterations that it replaces. Returns
/// nullopt without changing the state if the island is not suited or no solution is accepted.
std::optional<SceneOutcome> solve_direct(SceneState& state, const SceneIsland& island, const CallOptions& options,
                                         int substeps);

}  // namespace carom::reference
