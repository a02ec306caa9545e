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
// Everything is in double, for float scenes too, and in the order of the island's own contacts and bodies. So the bits
// depend only on the island.
#pragma once

#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "certificate.hpp"
#include "core/jobs/cone_island.hpp"
#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "core/support/rotation.hpp"
#include "linear/block_factor.hpp"
#include "systems/problem/cone.hpp"
#include "vectors.hpp"

namespace carom::scene::direct {

/// Options of a call that an island reads. Within a substep they are the substep's.
struct StepOptions {
  double time_step = 0;              ///< [s]
  double weight_speed = 0;           ///< [m/s] gravity × time step
  double restitution_threshold = 0;  ///< [m/s]
  double correction_rate = 0;        ///< [1/s] rate of the correction
  double max_correction_speed = 0;   ///< [m/s]
  bool remembers = false;            ///< islands begin with the impulses of their keys

  StepOptions substep(int substeps) const {
    const double share = 1.0 / substeps;
    return {share * time_step,          share * weight_speed, restitution_threshold,
            substeps * correction_rate, max_correction_speed, remembers};
  }
};

/// Inertias are xx xy xz yy yz zz.
struct Body {
  double mass = 0, inverse_mass = 0;
  std::array<double, 6> inertia{}, inverse_inertia{};  ///< with the tension of joints
  std::array<double, 6> given{}, given_inverse{};      ///< at the start of the step
  std::array<double, 6> tension{};                     ///< [kg m²] from the tension of joints
  Axes locked = 0;                                     ///< axes about which the body cannot turn: no inertia there
  double curve = 1;                                    ///< [1] share of the curvature that joints aim at
  std::uint32_t number = 0;
};

/// State of a contact in the matrix.
enum class State : std::uint8_t { open, sticks, slips };

struct Point {
  Vector3 r_a, r_b;       ///< [m] world frame
  double first_gap = 0;   ///< [m] at the start of the step
  double separation = 0;  ///< [m]
  double slop = 0;        ///< [m] overlap that is not corrected
  double least = 0;       ///< [m/s] min. normal velocity that the caller asks for
  double restitution = 0;
  Vector3 impulse{};  ///< [N s] of the substep, along the tangents and the normal, as are the next six
  Vector3 begun{};    ///< impulse at the start of the substep
  Vector3 change{};   ///< change of the impulse
  Vector3 next{};     ///< impulse to start the next substep with
  Vector3 sum{};      ///< impulses of all substeps
  Vector3 target{};   ///< [m/s]
  double weight = 0;  ///< [kg] D
  State state = State::open;
  bool is_released = false;  ///< has left its cone from the state in which it sticks
  std::uint32_t contact = 0;
};

struct Manifold {
  std::int32_t a = 0, b = 0;  ///< rows of the bodies: positions in the factor, or rows of immovable bodies
  Matrix3 axis;               ///< t1, t2, n
  double friction = 0;
  double inverse_mass = 0;           ///< [1/kg] of both bodies
  std::uint32_t first = 0, end = 0;  ///< points
  std::size_t block = 0;             ///< in the factor, if both bodies move
};

/// The motion of a body since the start of the step. [m], [rad]
struct Displacement {
  Vector3 way, rotation;
  Quaternion turn;  ///< of `rotation`
};

/// The row of a joint in J.
struct JointVectors {
  Vector3 linear_a, angular_a, linear_b, angular_b;
};

/// The geometry of the matrix that was factored. While an island is calm, its present geometry may differ by
/// SceneThresholds::direct_same.
struct FactoredGeometry {
  Array<std::array<double, 6>> inverse_inertia, inertia;  ///< of bodies, as is the next
  Array<Axes> locked;
  Array<Matrix3> axes;                 ///< of manifolds
  Array<std::array<Vector3, 2>> arms;  ///< of points
  Array<JointVectors> rows;
  Array<double> row_weights;
};

/// Impulses of points and rows.
struct Impulses {
  Array<Vector3> points;
  Array<State> states;  ///< of the points
  Array<double> rows;
};

/// J M⁻¹ Jᵀ of a row [1/kg]: by translation, by rotation, and a bound of the latter.
struct RowResponse {
  double linear = 0, angular = 0, terms = 0;

  void add(double inverse_mass, const std::array<double, 6>& inverse_inertia, const Vector3& along,
           const Vector3& about) {
    linear += inverse_mass * dot(along, along);
    angular += dot(about, symmetric(inverse_inertia) * about);
    terms += (inverse_inertia[0] + inverse_inertia[3] + inverse_inertia[5]) * dot(about, about);
  }
  /// True if impulses move the row by more than rounding, and by a number within the range.
  bool is_sound(double most) const {
    // A row that only turns the bodies is singular within rounding.
    constexpr double rounding = 1e-6;
    return (linear > 0 || angular > rounding * terms) && linear + angular < most && most * (linear + angular) > 1;
  }
};

/// State of a row in the matrix: it is held, or its impulse is at a bound.
enum class RowState : std::uint8_t { held, at_least, at_largest };

/// A row of a joint. A held row has one weight.
struct JointRow {
  std::int32_t a = 0, b = 0;          ///< as of manifolds
  std::size_t block = 0;              ///< in the factor, if both bodies move
  Vector3 linear_a{}, linear_b{};     ///< world frame, as are the next vectors
  Vector3 angular_a{}, angular_b{};   ///< at present
  Vector3 r_a{}, r_b{};               ///< [m] at the start of the step; 0: `angular` does not turn
  Vector3 turned_a{}, turned_b{};     ///< [m] present r_a, r_b
  double wanted = 0;                  ///< [m/s] target that the caller asks for
  double target = 0;                  ///< [m/s] of J v
  double before = 0;                  ///< [m/s] J v at the start of the step
  double first_error = 0, error = 0;  ///< [m] at the start of the step, and at present
  double allowed_error = 0;           ///< [m] smaller errors are not corrected
  bool keeps_position = true;         ///< errors are corrected
  double impulse = 0;                 ///< [N s] of the substep, as are the next four
  double begun = 0, change = 0, next = 0;
  double centre = 0;        ///< from which the compliance of the interior point counts
  double sum = 0;           ///< of all substeps
  double kept = 0;          ///< of a rebound
  double weight = 0;        ///< [kg] or [kg m²] D
  double inverse_mass = 0;  ///< [1/kg] of both bodies
  std::uint32_t row = 0;    ///< in the scene
  // Compliance: velocity that a row yields per unit impulse. A row with a frequency is a spring and damper, with a rate
  // too.
  double given_compliance = 0;                                                    ///< [1/kg] of the step
  double frequency = std::numeric_limits<double>::infinity(), damping_ratio = 0;  ///< [Hz], [1]
  double response = 0;                                                            ///< [1/kg] J M⁻¹ Jᵀ
  double compliance = 0;                                                          ///< [1/kg] of the substep
  double rate = 0;  ///< [1/s] at which a spring aims to remove its error
  // Bounds of the impulse.
  double given_least = -std::numeric_limits<double>::infinity();   ///< [N s] of the step
  double given_largest = std::numeric_limits<double>::infinity();  ///< [N s] of the step
  double least = 0, largest = 0;                                   ///< [N s] of the substep
  RowState state = RowState::held;
  bool is_bounded = false;
  // In the interior point J v - target is slack_least - slack_largest, both >= 0. They are 0 without the bound.
  double slack_least = 0, slack_largest = 0;    ///< [m/s]
  double change_least = 0, change_largest = 0;  ///< [m/s] of them
  double pull = 0;                              ///< [m/s] of the barrier
};

/// A point at the start and at the end of an interior point: see kernel::ConeManifold.
struct ConePoint {
  double x[3], s[3];
  double friction = 0;
  double mass = 0;       ///< [kg] inverse of the sum of both inverse masses
  bool is_flat = false;  ///< without friction: x = (0, 0, p_n), s = (0, 0, u_n - t_n)
};

/// How the linear solves of a large island differ.
struct Treatment {
  /// [1] Contacts with a gap below this fraction of their slop count as closed, loaded or not. Others close to it.
  double closed = 0;
  /// All closed points stick, with one weight: the island rests on a certificate, and keeps the factor of it.
  bool is_certified = false;
  bool may_factor = true;  ///< or the last factor must do
  /// [1] The solution stops an island of which no body is faster, as a fraction of gravity × time step.
  double slow = 0;
};

class DirectIsland {
 public:
  /// Plans the factorisation if the edges differ from the last ones. Returns false if it takes more multiply-adds than
  /// `max_work`. Without a plan before, the limit is `limit`.
  /// `places`: see BlockFactor::plan.
  bool plan(std::size_t bodies, const Array<Edge>& edges, double max_work, const kernel::BlockKernels& kernels,
            double limit = SceneThresholds::direct_work, const Array<Vector3>& places = {});
  /// True if the plan is for these edges.
  bool is_planned(std::size_t bodies, const Array<Edge>& edges) const {
    return is_planned_ && factor_.bodies() == bodies && edges_ == edges;
  }
  /// Reserves memory, so that the functions below do not allocate.
  void reserve(std::size_t manifolds, std::size_t points, std::size_t rows, std::size_t fixed_bodies);

  /// The solver is another island's from now on.
  void forget_factor() {
    has_factor_ = has_same_name_ = is_planned_ = is_stopped_ = false;
    name_ = 0;
    solves_ = 0;
    certificate_.forget();
  }
  Certificate& certificate() { return certificate_; }
  const Certificate& certificate() const { return certificate_; }

  // The island, filled by the caller in this order.
  /// `name`: of the island, from call to call, or 0.
  void begin(int substeps, std::uint64_t name);
  std::size_t position(std::size_t body) const { return factor_.position(body); }
  /// Sets a movable body. Returns false if its inverse mass or its inverse inertia cannot be inverted. World axes about
  /// which it cannot turn are exempt, but the angular velocity about them must be 0.
  bool set_body(std::size_t position, std::uint32_t number, double inverse_mass,
                const std::array<double, 6>& inverse_inertia, const BodyRow& velocity, const BodyRow& forces);
  /// Adds an immovable body. `change`: of its velocity in the step. Returns its row.
  std::int32_t add_fixed(const BodyRow& velocity, const BodyRow& change);
  /// `a`, `b`: rows of the bodies.
  void add_manifold(std::int32_t a, std::int32_t b, const Matrix3& axis, double friction);
  /// Adds a point to the last manifold, and returns it.
  Point& add_point() {
    ++manifolds_.back().end;
    return points_.emplace_back();
  }
  /// Adds a row. Rows of a joint are consecutive. Returns false if impulses move the row by rounding errors only, or by
  /// a number beyond `most`.
  bool add(const JointRow& row, double most);

  /// Multiply-adds of a factorisation, and of an iteration of the interior point.
  double work_of_factorisation() const { return factor_.work(); }
  double work_of_iteration() const;
  /// Sets the treatment for this call. begin() resets it.
  void treat(const Treatment& treatment) { treatment_ = treatment; }
  /// Assembles the matrix of a certificate: all closed points stick.
  void assemble_for_rest(const StepOptions& options);
  BlockFactor& block_factor() { return factor_; }
  /// The matrix of the certificate has been factored.
  void keep_factor() { has_factor_ = true; }
  /// The number of bodies of the island of this name if its last solution stopped it on a certificate, else 0.
  std::size_t stopped_bodies(std::uint64_t name) const {
    return is_stopped_ && certificate_.is_certified && name == name_ ? factor_.bodies() : 0;
  }
  /// Sets the initial impulse of a point.
  void set_impulse(std::size_t point, const Vector3& impulse) { points_[point].impulse = impulse; }
  const BodyRow& forces(std::size_t position) const { return forces_[position]; }

  /// Everything that stays from call to call: direct_islands_state.hpp. Restoring makes the factor again.
  template <class Archive>
  void carry(Archive& archive, const kernel::BlockKernels& kernels);

  /// Returns true if there is a solution. `may_use_interior_point`: if the linear solves are not accepted.
  bool solve(const StepOptions& options, bool may_use_interior_point);

  // The accepted solution.
  const Array<Body>& bodies() const { return bodies_; }
  const Array<Manifold>& manifolds() const { return manifolds_; }
  const Array<Point>& points() const { return points_; }
  const Array<JointRow>& rows() const { return rows_; }
  const BodyRow& velocity(std::size_t position) const { return velocity_[position]; }
  /// [m], [rad] displacement and rotation vector of the body in the step.
  const BodyRow& moved(std::size_t position) const { return moved_[position]; }
  int substeps() const { return substeps_; }
  Vector3 velocity_of(const Manifold& m, const Point& p) const { return relative(m, p, velocity_); }
  double velocity_of(const JointRow& row) const { return velocity_of(row, velocity_); }
  double approach() const { return approach_; }  ///< [m/s] max. violation of the targets before the step
  double residual() const { return residual_; }  ///< [m/s] same after the step
  /// Max. magnitude of all velocities and impulses; infinity if one is NaN.
  double max_number() const;
  int solves() const { return solves_; }
  /// Algorithm of the most difficult substep.
  IslandAlgorithm algorithm() const {
    return solves_ == 0       ? IslandAlgorithm::last_impulses
           : has_gone_inside_ ? IslandAlgorithm::interior_point
                              : IslandAlgorithm::linear;
  }
  /// Multiply-adds of interior points, and of the factorisations of an average substep.
  double work_done() const { return work_of_interior_points_ + work_of_factorisations_ / substeps_; }

 private:
  friend class InteriorPoint;
  using Rows = Array<BodyRow>;
  enum class Verdict : std::uint8_t { accepted, contradicted, failed };

  static Vector3 relative(const Manifold& m, const Matrix3& axes, const Vector3& r_a, const Vector3& r_b,
                          const Rows& rows);
  static Vector3 relative(const Manifold& m, const Point& p, const Rows& rows) {
    return relative(m, m.axis, p.r_a, p.r_b, rows);
  }
  void add_wrench(const Manifold& m, const Matrix3& axes, const Vector3& r_a, const Vector3& r_b,
                  const Vector3& impulse, Rows& rows) const;
  void add_wrench(const Manifold& m, const Point& p, const Vector3& impulse, Rows& rows) const {
    add_wrench(m, m.axis, p.r_a, p.r_b, impulse, rows);
  }
  // With the geometry of the factor.
  Vector3 relative_in_factor(const Manifold& m, const Point& p, const Rows& rows) const {
    const auto& [r_a, r_b] = factored_.arms[index_of(p)];
    return relative(m, factored_.axes[index_of(m)], r_a, r_b, rows);
  }
  void add_wrench_in_factor(const Manifold& m, const Point& p, const Vector3& impulse, Rows& rows) const {
    const auto& [r_a, r_b] = factored_.arms[index_of(p)];
    add_wrench(m, factored_.axes[index_of(m)], r_a, r_b, impulse, rows);
  }
  std::size_t index_of(const Manifold& m) const { return static_cast<std::size_t>(&m - manifolds_.data()); }
  std::size_t index_of(const Point& p) const { return static_cast<std::size_t>(&p - points_.data()); }
  std::size_t index_of(const JointRow& row) const { return static_cast<std::size_t>(&row - rows_.data()); }
  /// rows += M⁻¹ wrench
  void accelerate(const Rows& wrench, Rows& rows) const;
  /// Applies the changes of all points to the velocities.
  void apply_changes();

  template <class F>
  void each_point(const F& f) {
    for (const Manifold& m : manifolds_)
      for (std::uint32_t i = m.first; i < m.end; ++i) f(m, points_[i]);
  }

  template <class F>
  void each_row(const F& f) {
    for (JointRow& row : rows_) f(row);
  }
  bool moves(std::int32_t body) const { return static_cast<std::size_t>(body) < bodies_.size(); }

  bool is_settled(double weight_speed);
  void stop(double limit);
  bool solve_substep(const StepOptions& options, bool may_use_interior_point);
  void begin_substep(int substep, double time_step);
  void end_substep(const StepOptions& options);
  void measure_approach(const StepOptions& options);
  bool find_impulses(const StepOptions& options, bool may_use_interior_point);
  void move(const StepOptions& options);
  void rebound(const StepOptions& options, bool may_use_interior_point);
  double product(std::size_t body, const BodyRow& x, const BodyRow& y) const;
  void set_targets(const StepOptions& options);
  void pass_on_loads(const StepOptions& options);
  void set_states();
  Verdict solve_states(bool is_last, double lag = SceneThresholds::direct_lag);
  bool leaves_cone(const Manifold& m, const Point& p, const Vector3& impulse,
                   double lag = SceneThresholds::direct_lag) const;
  bool turn_friction();
  bool lacks_friction() const;
  bool solve_again();
  void keep_impulses(Impulses& to) const;
  void return_impulses(const Impulses& from);
  bool solve_or_return(double lag = SceneThresholds::direct_lag);
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
  void correct_positions(const StepOptions& options);

  // Rows of joints: island_rows.cpp
  template <class Vectors>
  static double velocity_of(const Vectors& of, const BodyRow& a, const BodyRow& b) {
    return dot(of.linear_a, linear(a)) + dot(of.angular_a, angular(a)) +
           (dot(of.linear_b, linear(b)) + dot(of.angular_b, angular(b)));
  }
  double velocity_of(const JointRow& row, const Rows& rows) const;
  template <class Vectors>
  void add_wrench(const JointRow& row, const Vectors& of, double impulse, Rows& rows) const;
  void add_wrench(const JointRow& row, double impulse, Rows& rows) const;
  void set_row_weights();
  double row_residual() const;
  /// Adds the rows with bounds, the rows without bounds, or both.
  void add_rows_to_matrix(bool with_bounds, bool without_bounds);
  /// Begins the matrix of an interior point. Rows without bounds have the same weights in all of its iterations.
  void begin_matrix_of_bounds(bool is_first);
  /// Adds Jᵀ D (t - J v) of all rows.
  void add_rows(Rows& right);
  /// Sets the changes of impulses from the solution. Returns false if one is not finite.
  bool find_row_changes(const Rows& solution);
  void take_row_changes(double share);
  void turn_rows(double elapsed);
  const Displacement& displaced(std::int32_t body) const { return displacements_[static_cast<std::size_t>(body)]; }
  double error_of(const JointRow& row, double elapsed) const;
  void stiffen(double time_step);
  void set_row_targets(double time_step);
  /// Sets `change` of the rows to the velocities that correct their errors. Returns true if there are any.
  bool find_row_errors(double time_step);
  bool keep_rows(Rows& gain);

  // Bounds of rows: row_bounds.cpp
  static bool has_free_side(const JointRow& row);
  /// [m/s] J v + compliance λ - target
  double miss_of(const JointRow& row) const;
  void set_compliances(double time_step);
  void set_row_states();
  void put_rows_on_bounds();
  bool is_out_of_bounds(const JointRow& row, double impulse) const;
  void release_rows();
  bool hold_rows();
  void keep_rows_in_bounds();
  void apply_row_changes();
  bool has_bounds() const;
  // In the interior point. Impulses and the barrier are over the mass of their row, as for contacts.
  void begin_bounds(double mean, double barrier);
  /// Adds the gaps of the bounds to `separation`, their number to `count`, and raises `worst` [m/s] to the misses of
  /// all rows.
  void measure_rows(double& worst, double& separation, std::size_t& count) const;
  void weigh_bounds();
  void aim_bounds(double barrier);
  void find_slack_changes(double barrier);
  double longest_step_of_bounds() const;
  void take_slack_changes(double share);
  void snap_to_bounds(double mean, double speed);

  /// Builds and factors A for the states of the points, unless the last factor will do.
  bool factor();
  enum class Likeness : std::uint8_t { same, near, other };
  /// Compares the present geometry with the factor's.
  Likeness likeness() const;
  /// Returns true if no held contact or row violates its target by more than SceneThresholds::direct_calm.
  bool is_calm() const;
  void set_weights();
  void list_matrix();
  /// Columns of `factor_` that have been factored from last_matrix_ and factored_; none without that matrix.
  std::optional<std::size_t> columns_of_matrix() const;
  /// Makes the island of last_matrix_ and factored_. Returns false if they contradict each other.
  bool read_matrix();
  /// Makes the columns again.
  bool factor_again(std::size_t columns);
  void assemble();
  void begin_matrix();
  void list_geometry();
  void add_inertia();
  struct Moments;
  template <class F>
  void add_points_to_matrix(const F& weight_of);

  Array<Edge> edges_;
  bool is_planned_ = false, fits_ = false;
  BlockFactor factor_;
  Array<Body> bodies_;
  Array<Manifold> manifolds_;
  Array<Point> points_;
  Array<JointRow> rows_;
  // Velocities: by forces in the step, with forces and without impulses, before forces, now, of the motion.
  // Displacements. Right-hand sides and solutions.
  Rows forces_, free_, before_, velocity_, moving_, moved_, right_, correction_, rebound_, kept_velocity_;
  Array<Displacement> displacements_;  // that errors of rows are measured after
  Array<Point> kept_;
  Array<JointRow> kept_rows_;
  Impulses started_, initial_;  // before the last solve, and before all
  Array<std::uint8_t> pushed_;
  Array<ConePoint> cones_;
  Array<kernel::ConeManifold> cone_manifolds_;
  const kernel::ConeKernels* cone_kernels_ = nullptr;
  Array<double> matrix_, last_matrix_;  // masses, weights and states that A is made of
  FactoredGeometry factored_;
  bool has_factor_ = false;
  std::uint64_t name_ = 0;
  bool has_same_name_ = false;                     // as in the last call
  bool was_solved_ = false;                        // in the last call of this solver, by a solution
  bool is_stopped_ = false, was_stopped_ = false;  // in this call, and in the last one
  bool has_loaded_rows_ = false;                   // the step begins with impulses of rows
  bool may_be_near_ = false;                       // the factor of nearly the same geometry will do
  double calm_speed_ = 0;                          // [m/s] see is_calm
  bool hit_ = false, rebounds_ = false, is_loaded_ = false, is_settled_ = false;
  bool has_gone_inside_ = false;  // an interior point has solved a substep
  int substeps_ = 1, solves_ = 0;
  double elapsed_ = 0;  // [s] at the end of the substep
  double approach_ = 0, residual_ = 0, work_of_factorisations_ = 0, work_of_interior_points_ = 0;
  double mean_momentum_ = 0;  // [N s] of a body with the forces of the substep
  double mean_weight_ = 0;    // [N s] of a body in a substep
  double missed_ = 0;         // [m/s] max. by which held contacts have missed their targets in the last solve
  double tolerance_ = 0;      // [N s] by which impulses may leave their cones before they are put back
  Treatment treatment_;
  Certificate certificate_;
};

inline Vector3 DirectIsland::relative(const Manifold& m, const Matrix3& axes, const Vector3& r_a, const Vector3& r_b,
                                      const Rows& rows) {
  const BodyRow &a = rows[static_cast<std::size_t>(m.a)], &b = rows[static_cast<std::size_t>(m.b)];
  const Vector3 u = linear(a) + cross(angular(a), r_a) - (linear(b) + cross(angular(b), r_b));
  return axes * u;
}

inline void DirectIsland::add_wrench(const Manifold& m, const Matrix3& axes, const Vector3& r_a, const Vector3& r_b,
                                     const Vector3& impulse, Rows& rows) const {
  const Vector3 f = transpose(axes) * impulse;
  const auto add_to = [&](std::int32_t row, const Vector3& arm, double sign) {
    if (static_cast<std::size_t>(row) >= bodies_.size()) return;
    BodyRow& to = rows[static_cast<std::size_t>(row)];
    const Vector3 torque = cross(arm, f);
    for (std::size_t i = 0; i < 3; ++i) {
      to.at[i] += sign * f[i];
      to.at[3 + i] += sign * torque[i];
    }
  };
  add_to(m.a, r_a, 1);
  add_to(m.b, r_b, -1);
}

}  // namespace carom::scene::direct
