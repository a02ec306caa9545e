// Rows of the usual joints for JointRows, and coefficients of pairs of bodies.
//
// Not yet promised: this interface may change between minor versions until 1.0 (README.md, What is promised).
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace carom {

/// A container of rows with the views that a scene takes, for T float or double. The functions below add the rows of a
/// joint to it, and give back the index of the first of them: a host that wants compliance, keys, warm impulses or
/// other bounds sets them in `rows` from there on.
template <class T>
class CAROM_EXPORT JointRowData {
 public:
  using Vector = std::array<T, 3>;  ///< in the world frame
  /// The fields are those of JointRows, with its units and defaults.
  struct Row {
    std::int32_t body_a = -1, body_b = -1;                    ///< the bodies, -1 for the world
    Vector linear_a{}, angular_a{}, linear_b{}, angular_b{};  ///< [1], [m] the row
    T target_velocity = 0;                                    ///< [m/s]
    /// [N s] the bounds of λ
    T min_impulse = -std::numeric_limits<T>::infinity(), max_impulse = std::numeric_limits<T>::infinity();
    T compliance = 0;                                  ///< [1/kg]
    T warm_impulse = 0;                                ///< [N s]
    std::uint64_t key = 0;                             ///< 0: no name
    T error = 0;                                       ///< [m]
    T frequency = std::numeric_limits<T>::infinity();  ///< [Hz] that of motors is 0
    T damping_ratio = 2;                               ///< [1]
    Vector r_a{}, r_b{};                               ///< [m] of rows that keep two points together
  };

  std::vector<Row> rows;  ///< in the order in which they were added

  /// Views of the fields of `rows`, until `rows` grows or is destroyed. Warm impulses and keys are there if any is
  /// not 0, the other optional columns always.
  JointRows<T> view() const;
};

/// The bodies of a joint and the lever arms to its point. A lever arm is that point minus the body's centre of mass, in
/// the world frame, as of contacts; from the world, -1, it does not count. Where the points of A and B have drifted
/// apart, each lever arm leads to the body's own point.
///
/// Rows keep the velocity between the points at 0. An error of position along a linear row is that of A's point minus
/// B's. Under SceneMethod::substeps the host sets `error` of the row to it; else it takes the error away by a
/// target_velocity of -error · share / time step.
///
/// The functions look at nothing here: an index or a number that is at fault is a fault of the rows, which the solver
/// reports.
template <class T>
struct JointBodies {
  std::int32_t a = -1, b = -1;    ///< index, -1 for the world
  std::array<T, 3> r_a{}, r_b{};  ///< [m]
};

// Axes and directions are vectors in the world frame, of any length but 0. An axis of length 0 or with a number that is
// not finite is an Error, and no row is added. p1 and p2 are two unit vectors perpendicular to the axis, which depend
// on the axis alone.

/// A ball joint: the points do not part. 3 rows, along x, y and z of the world.
template <class T>
CAROM_EXPORT std::size_t add_ball_joint(JointRowData<T>& data, const JointBodies<T>& bodies);

/// A hinge: a ball joint whose bodies turn against each other about `axis` alone. 5 rows: those of the ball joint, and
/// of the angular velocity about p1 and p2. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_hinge(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis);

/// A slider: B's point moves along `axis` of A, and the bodies do not turn against each other. 5 rows: the velocity
/// along p1 and p2, and the angular velocity about x, y and z. Both lever arms lead to B's point, wherever on the axis
/// it is. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_slider(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis);

/// Both bodies move as one. 6 rows: the velocity along and the angular velocity about x, y and z.
template <class T>
CAROM_EXPORT std::size_t add_fixed_joint(JointRowData<T>& data, const JointBodies<T>& bodies);

/// A motor that turns A against B about `axis` at `speed` [rad/s] with an angular impulse [N m s] of at most `largest`
/// either way, which is the torque times the time step. 1 row. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_motor(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis,
                                   T speed, T largest);

/// A motor that moves A's point against B's along `axis`: `speed` in m/s, `largest` in N s. 1 row. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_linear_motor(JointRowData<T>& data, const JointBodies<T>& bodies,
                                          const std::array<T, 3>& axis, T speed, T largest);

/// The points keep their distance along `direction`, which points from B's point to A's. 1 row. Its impulse is > 0
/// where the joint pushes the points apart: a rope is a row with a max_impulse of 0. Throws Error.
template <class T>
CAROM_EXPORT std::size_t add_distance_joint(JointRowData<T>& data, const JointBodies<T>& bodies,
                                            const std::array<T, 3>& direction);

/// How the coefficients of two bodies make that of their contact.
enum class CombineRule : std::uint8_t { mean, geometric_mean, min, max, product };
inline constexpr std::size_t combine_rule_count = 5;

/// The coefficient of a contact [1]; NaN if one of the two is NaN, so that solvers report the contact. geometric_mean
/// and product are for coefficients >= 0: with a negative one they are NaN, with a 0 they are 0, also against infinity.
/// Throws Error if the rule is none.
CAROM_EXPORT double combine(CombineRule rule, double a, double b);

/// The same for every contact, for T float or double: `of_bodies` has a coefficient for each body, `of_world` is that
/// of the immovable world, index -1. `body_a`, `body_b` and `result` are equally long, as the contacts; `result` may be
/// a column that a scene reads later, not one of the inputs. Where an index names no body the result is NaN. Throws
/// Error before any work if the rule is none, or if columns are missing or their lengths differ.
template <class T>
CAROM_EXPORT void combine(CombineRule rule, const std::type_identity_t<Column<const T>>& of_bodies, T of_world,
                          const Column<const std::int32_t>& body_a, const Column<const std::int32_t>& body_b,
                          const std::type_identity_t<Column<T>>& result);

}  // namespace carom
