// The direct solution of an island: one linear solve on the contacts that the last step left loaded.
//
// With A = M + Jᵀ D J, where D is a large weight for every loaded contact, and impulses p to begin with, a step is
//
//   v = v̂ + M⁻¹ Jᵀ p,   A δ = Jᵀ D (t - J v),   p += D (t - J v - J δ),   v += δ
//
// v̂ has the forces in it and t are the targets. The step of a multiplier leaves no compliance: p carries the whole
// load, and the next step begins with it. A sticking contact has three rows in J, a sliding one its normal, whose
// friction follows the impulse that it begins with, and an open one none. The solution is accepted if all impulses are
// in their cones and no open contact approaches. Otherwise the states that it contradicts change, once. docs/scenes.md,
// Direct islands.
//
// Everything is in double, for float scenes too, and in the order of the island's own contacts and bodies. So bits
// depend on the island alone.
#pragma once

#include <carom/scene_options.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "block_factor.hpp"
#include "scene/vector3.hpp"
#include "system/cone.hpp"

namespace carom::scene::direct {

using Vector3 = Vector<double>;

/// Options of a call that an island reads.
struct StepOptions {
  double time_step = 0;               ///< [s]
  double weight_speed = 0;            ///< [m/s] gravity × time step
  double restitution_threshold = 0;   ///< [m/s]
  double push_out = 0;                ///< [1/s] rate of the correction
  double largest_push_out_speed = 0;  ///< [m/s]
};

struct Body {
  double mass = 0, inverse_mass = 0;
  std::array<double, 6> inertia{}, inverse_inertia{};  ///< xx xy xz yy yz zz
  std::uint32_t number = 0;
};

/// State of a contact in the matrix.
enum class State : std::uint8_t { open, sticks, slips };

struct Point {
  Vector3 arm_a, arm_b;  ///< [m] world frame
  double gap = 0;        ///< [m]
  double slop = 0;       ///< [m] overlap that is not corrected
  double least = 0;      ///< [m/s] min. normal velocity that the caller asks for
  double restitution = 0;
  Vector3 impulse{};  ///< [N s] along the tangents and the normal, as are the next four
  Vector3 begun{};    ///< impulse at the start of the step
  Vector3 change{};   ///< change of the impulse
  Vector3 target{};   ///< [m/s]
  double weight = 0;  ///< [kg] D
  State state = State::open;
  std::uint32_t contact = 0;
};

struct Manifold {
  std::int32_t a = 0, b = 0;    ///< rows of the bodies: positions in the factor, or rows of bodies that nothing moves
  std::array<Vector3, 3> axis;  ///< t1, t2, n
  double friction = 0;
  double inverse_mass = 0;           ///< [1/kg] of both bodies
  std::uint32_t first = 0, end = 0;  ///< points
  std::size_t block = 0;             ///< in the factor, if both bodies move
};

/// A point in the interior point: x and s are in the Lorentz cone, x = (p_t, μ p_n), s = (u_t, (u_n - t_n) / μ + φ).
struct ConePoint {
  double x[3], s[3];
  double miss[3];  ///< what s differs from the velocities
  double dx[3], ds[3], correction[3];
  double slip = 0;  ///< φ [m/s]
  double friction = 0;
  double mass = 0;       ///< [kg] inverse of the sum of both inverse masses
  bool is_flat = false;  ///< without friction: x = (0, 0, p_n), s = (0, 0, u_n - t_n)
  systems::ConeScaling scaling;
};

class DirectIsland {
 public:
  /// Plans the factorisation if the edges differ from the last ones. Returns false if it takes more multiply-adds than
  /// `most_work`.
  bool plan(std::size_t bodies, const std::vector<Edge>& edges, double most_work);
  /// Reserves memory, so that the functions below allocate nothing.
  void reserve(std::size_t manifolds, std::size_t points, std::size_t fixed_bodies);

  // The island, filled by the caller in this order.
  void begin();
  std::size_t position(std::size_t body) const { return factor_.position(body); }
  /// Sets a movable body. Returns false if its inverse mass or inertia has no inverse.
  bool set_body(std::size_t position, std::uint32_t number, double inverse_mass,
                const std::array<double, 6>& inverse_inertia, const BodyRow& velocity, const BodyRow& forces);
  /// Adds a body that nothing moves. Returns its row.
  std::int32_t add_fixed(const BodyRow& velocity);
  void add(const Manifold& manifold);
  /// Adds a point to the last manifold.
  void add(const Point& point);

  /// Multiply-adds of a factorisation, and of an iteration of the interior point.
  double work_of_factorisation() const { return factor_.work(); }
  double work_of_iteration() const;
  /// Returns true if there is a solution. `may_use_interior_point`: if the linear solves are not accepted.
  bool solve(const StepOptions& options, bool may_use_interior_point);

  // The accepted solution.
  const std::vector<Body>& bodies() const { return bodies_; }
  const std::vector<Manifold>& manifolds() const { return manifolds_; }
  const std::vector<Point>& points() const { return points_; }
  const BodyRow& velocity(std::size_t position) const { return velocity_[position]; }
  /// [m/s], [rad/s] velocity that moves the body in the step. It includes the correction of overlaps.
  const BodyRow& motion(std::size_t position) const { return moving_[position]; }
  Vector3 velocity_of(const Manifold& m, const Point& p) const { return relative(m, p, velocity_); }
  double approach() const { return approach_; }  ///< [m/s] max. violation of the targets before the step
  double residual() const { return residual_; }  ///< [m/s] same after the step
  /// Max. magnitude of all velocities and impulses; infinity if one is NaN.
  double greatest_number() const;
  bool was_struck() const { return struck_; }
  int solves() const { return solves_; }
  double work_done() const { return work_done_; }  ///< multiply-adds of factorisations and interior points

 private:
  friend class InteriorPoint;
  using Rows = std::vector<BodyRow>;
  enum class Verdict : std::uint8_t { accepted, contradicted, failed };

  Vector3 relative(const Manifold& m, const Point& p, const Rows& rows) const;
  void add_wrench(const Manifold& m, const Point& p, const Vector3& impulse, Rows& rows) const;
  /// rows += M⁻¹ wrench
  void accelerate(const Rows& wrench, Rows& rows) const;
  /// Applies the changes of all points to the velocities.
  void apply_changes();

  template <class F>
  void each_point(const F& f) {
    for (const Manifold& m : manifolds_)
      for (std::uint32_t i = m.first; i < m.end; ++i) f(m, points_[i]);
  }

  void measure_approach(const StepOptions& options);
  bool find_impulses(const StepOptions& options, bool may_use_interior_point);
  void move(const StepOptions& options);
  void rebound(const StepOptions& options, bool may_use_interior_point);
  double product(std::size_t body, const BodyRow& x, const BodyRow& y) const;
  void set_targets(const StepOptions& options);
  void set_states();
  Verdict solve_states(bool is_last);
  bool leaves_cone(const Manifold& m, const Point& p, const Vector3& impulse) const;
  bool turn_friction();
  void solve_again();
  bool solve_or_return();
  void release();
  bool hold_approaching();
  /// [m/s] Max. speed at which a point approaches beyond its target.
  double violation();
  /// [m/s] Max. speed at which a point parts although it has an impulse, which changes its velocity by as much.
  double contradiction();
  bool is_thrown();
  void keep_in_cones();
  void keep_energy(const StepOptions& options);
  void take_impulses();
  void correct_overlaps(const StepOptions& options);

  /// Builds and factors A for the states of the points, unless it is the last matrix.
  bool factor();
  void set_weights();
  void list_matrix();
  void begin_matrix();
  void add_to_matrix(const Manifold& m, const Point& p, const double (&weight)[9]);

  std::vector<Edge> edges_;
  bool is_planned_ = false, fits_ = false;
  BlockFactor factor_;
  std::vector<Body> bodies_;
  std::vector<Manifold> manifolds_;
  std::vector<Point> points_;
  // Velocities: with forces and without impulses, before forces, now, of the motion. Right-hand sides and solutions.
  Rows free_, before_, velocity_, moving_, right_, correction_, rebound_, kept_velocity_;
  std::vector<Point> kept_;
  std::vector<Vector3> started_, initial_;  // impulses before the last solve, and before all
  std::vector<std::uint8_t> pushed_;
  std::vector<ConePoint> cones_;
  std::vector<double> matrix_, last_matrix_;  // all numbers that A is made of
  bool has_factor_ = false;
  bool struck_ = false, rebounds_ = false, is_loaded_ = false;
  int solves_ = 0;
  double approach_ = 0, residual_ = 0, work_done_ = 0;
  double mean_momentum_ = 0;  // [N s] of a body with the forces of the step
  double mean_weight_ = 0;    // [N s] of a body in a step
  double missed_ = 0;         // [m/s] max. by which held contacts have missed their targets in the last solve
  double tolerance_ = 0;      // [N s] by which impulses may leave their cones before they are put back
};

}  // namespace carom::scene::direct
