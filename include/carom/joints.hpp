// Rows of the usual joints for JointRows, and coefficients of friction and restitution of pairs of bodies.
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

namespace carom {

/// A container of joint rows. T is float or double. The functions below append the rows of a joint and return the index
/// of its first row. Set compliance, keys, warm impulses or other limits in `rows` from that index on. view() returns
/// the columns for a scene.
template <class T>
class CAROM_EXPORT JointRowData {
 public:
  using Vector = std::array<T, 3>;  ///< vector in the world frame
  /// One row. Fields have the meaning and units of JointRows.
  struct Row {
    std::int32_t body_a = -1, body_b = -1;                    ///< index of the body, -1 for the world
    Vector linear_a{}, angular_a{}, linear_b{}, angular_b{};  ///< [1], [m] coefficients of the row
    T target_velocity = 0;                                    ///< [m/s]
    /// [N s] limits of λ
    T min_impulse = -std::numeric_limits<T>::infinity(), max_impulse = std::numeric_limits<T>::infinity();
    T compliance = 0;                                  ///< [1/kg]
    T warm_impulse = 0;                                ///< [N s]
    std::uint64_t key = 0;                             ///< name of the row from step to step; 0: no name
    T position_error = 0;                              ///< [m]
    T frequency = std::numeric_limits<T>::infinity();  ///< [Hz] 0 for motors
    T damping_ratio = 2;                               ///< [1]
    Vector r_a{}, r_b{};                               ///< [m] offsets of the two points that the row keeps together
  };

  std::vector<Row> rows;  ///< rows in the order in which they were added

  /// Returns columns of the fields of `rows`. They are valid until `rows` grows or is destroyed. Columns of warm
  /// impulses and keys are present if any of them is not 0; all other columns are always present. Set frequency and
  /// damping_ratio of `rows`: PositionCorrection::joint_frequency and joint_damping_ratio are an Error with these
  /// columns. Methods without position correction refuse some of the columns: pass select(scene, method).
  JointRows<T> view() const;
};

/// The bodies of a joint, and the offsets from their centres of mass to its point, in the world frame. If the points of
/// A and B have drifted apart, each offset leads to the body's own point. The offset of the world (-1) is ignored.
///
/// Rows keep the velocity between the points at 0. The position error of a linear row is the position of A's point
/// minus the position of B's point, along the row. The position error of an angular row about p, which is `angular_a`
/// of the row, is p · (rotation of A against B) [rad]; for a hinge p · (its axis in B × its axis in A). Methods with
/// position correction (Substeps, Pgs with position_correction) correct it if you set `position_error` of the row. For
/// other methods, set target_velocity to -position_error · rate / time step, with the fraction `rate` that a step
/// corrects.
///
/// The functions do not check these fields. The solver reports a wrong index or number as a fault of the rows.
template <class T>
struct JointBodies {
  std::int32_t a = -1, b = -1;    ///< index of the body, -1 for the world
  std::array<T, 3> r_a{}, r_b{};  ///< [m]
};

// A limit of a hinge or a slider is a row of its own, made as a motor with speed 0. For a lower limit set min_impulse =
// 0 and position_error to the angle [rad] or the distance [m] minus the limit, positive inside of it; for an upper
// limit max_impulse = 0, and position_error is negative inside. Both have the frequency infinity.
//
// Axes and directions are in the world frame and may have any length except 0. An axis of length 0 or with a number
// that is not finite is an Error, and no row is added. p1 and p2 are two unit vectors perpendicular to the axis that
// depend only on the axis.

/// Adds a ball joint: the points stay together. 3 rows: the velocity along x, y and z of the world.
template <class T>
CAROM_EXPORT std::size_t add_ball_joint(JointRowData<T>& data, const JointBodies<T>& bodies);

/// Adds a hinge: a ball joint whose bodies turn against each other only about `axis`. 5 rows: the rows of the ball
/// joint, then the angular velocity about p1 and p2. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_hinge(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis);

/// Adds a slider: B's point moves along `axis` of A, and the bodies do not turn against each other. 5 rows: the
/// velocity along p1 and p2, then the angular velocity about x, y and z. Both offsets lead to B's point, at any place
/// on the axis. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_slider(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis);

/// Adds a fixed joint: both bodies move as one. 6 rows: the velocity along x, y and z, then the angular velocity about
/// them.
template <class T>
CAROM_EXPORT std::size_t add_fixed_joint(JointRowData<T>& data, const JointBodies<T>& bodies);

/// Adds a motor that turns A against B about `axis` at `speed` [rad/s]. `max_impulse` [N m s] limits its angular
/// impulse in both directions; it is the maximum torque times the time step. 1 row. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_motor(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis,
                                   std::type_identity_t<T> speed, std::type_identity_t<T> max_impulse);

/// Adds a motor that moves A's point against B's point along `axis` at `speed` [m/s]. `max_impulse` [N s] limits its
/// impulse in both directions. 1 row. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_linear_motor(JointRowData<T>& data, const JointBodies<T>& bodies,
                                          const std::array<T, 3>& axis, std::type_identity_t<T> speed,
                                          std::type_identity_t<T> max_impulse);

/// Adds a distance joint: the points keep their distance along `direction`, which points from B's point to A's point.
/// 1 row. Its impulse is > 0 if the joint pushes the points apart. Set `position_error` of the row to the distance
/// minus the length of the joint. A rope also has max_impulse = 0: it is slack while position_error < 0. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_distance_joint(JointRowData<T>& data, const JointBodies<T>& bodies,
                                            const std::array<T, 3>& direction);

/// How the coefficients of two bodies are combined to the coefficient of their contact.
enum class CombineRule : std::uint8_t { mean = 0, geometric_mean = 1, min = 2, max = 3, product = 4 };
inline constexpr std::size_t combine_rule_count = 5;
/// Returns the name of the enumerator with hyphens: "geometric-mean"; "unknown" for any other number.
CAROM_EXPORT std::string_view to_string(CombineRule rule);

/// Returns the coefficient [1] of a contact. It is NaN if `a` or `b` is NaN, so that solvers report the contact.
/// geometric_mean and product need coefficients >= 0: they are NaN if one is negative, and 0 if one is 0, even if the
/// other one is infinite. Throws Error for an unknown rule.
CAROM_EXPORT double combine(CombineRule rule, double a, double b);

/// Same for every contact. T is float or double. `of_bodies` has the coefficient of each body; `of_world` is the
/// coefficient of the immovable world, index -1. `body_a`, `body_b` and `result` are as long as the contacts. `result`
/// must not overlap an input. It is NaN if an index is out of range. Throws Error before any work if the rule is
/// unknown, a column is missing, or lengths differ.
template <class T>
CAROM_EXPORT void combine(CombineRule rule, const std::type_identity_t<Column<const T>>& of_bodies, T of_world,
                          const Column<const std::int32_t>& body_a, const Column<const std::int32_t>& body_b,
                          const std::type_identity_t<Column<T>>& result);

}  // namespace carom
