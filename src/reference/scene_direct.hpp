// Direct islands: the contacts of an island are solved by one or two linear solves a step, or by an interior point.
// docs/scenes.md, Direct islands
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "reference/scene_methods.hpp"

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
  Matrix3 inertia{}, inverse_inertia{};  ///< all four are 0 for an immovable body
};

/// State of a contact in the matrix.
enum class DirectStatus : std::uint8_t { open, sticks, slips };

/// A contact of a direct island. Impulses and velocities are along `axes`.
struct DirectPoint {
  std::size_t contact = 0;       ///< in SceneState::contacts
  std::size_t a = 0, b = 0;      ///< in DirectIsland::bodies
  Matrix3 axes{};                ///< two tangents and the normal
  Vector3 lever_a{}, lever_b{};  ///< [m] world frame
  double friction = 0, gap = 0, slop = 0, restitution = 0;
  double least_velocity = 0;    ///< [m/s]
  double inverse_mass = 0;      ///< [1/kg] sum of both bodies
  Vector3 initial_impulse{};    ///< [N s]
  Vector3 impulse{}, change{};  ///< [N s]
  Vector3 target{};             ///< [m/s]
  double weight = 0;            ///< [kg] D
  DirectStatus status = DirectStatus::open;
};

using Twists = std::vector<Twist>;

/// An island with its velocities, and the linear system of their changes.
struct DirectIsland {
  std::vector<DirectBody> bodies;  ///< `movable` bodies first
  std::size_t movable = 0;
  std::vector<DirectPoint> points;
  std::vector<std::array<std::size_t, 2>> manifolds;  ///< first and last point + 1
  Twists before;                                      ///< before forces
  Twists free;                                        ///< with forces, without impulses
  Twists velocity;                                    ///< now
  double weight_speed = 0;                            ///< [m/s] gravity × time step
  double mean_weight = 0;                             ///< [N s] weight_speed × mean mass
  int solves = 0;                                     ///< factorisations

  Vector3 velocity_of(const DirectPoint& p, const Twists& twists) const;
  /// Adds M⁻¹ Jᵀ impulse to the velocities.
  void accelerate(const DirectPoint& p, const Vector3& impulse, Twists& twists) const;
  /// Adds the changes of all impulses to the velocities.
  void apply_changes();

  /// [m/s] Max. approach beyond the targets.
  double violation() const;

  /// Sets the matrix to M.
  void begin_matrix();
  /// Adds Jᵀ W J of a point.
  void add(const DirectPoint& p, const Matrix3& weight);
  /// Adds Jᵀ impulse of a point to a right-hand side.
  void add(const DirectPoint& p, const Vector3& impulse, std::vector<double>& right) const;
  std::vector<double> right_hand_side() const { return std::vector<double>(6 * movable); }
  /// Solves with the factorised matrix.
  Twists solve(std::vector<double> right) const;

  DirectMatrix matrix;
};

/// Finds impulses for the targets by an interior point, from the current impulses and velocities. Returns false if it
/// fails. scene_interior_point.cpp
bool solve_by_interior_point(DirectIsland& island);

/// Solves an island of contacts directly. `substeps`: number of substeps of the sweeps that it replaces. Returns
/// nothing, and leaves the state as it is, if the island is not suited or no solution is accepted.
std::optional<SceneOutcome> solve_direct(SceneState& state, const SceneIsland& island, const SceneOptions& options,
                                         int substeps);

}  // namespace carom::reference
