// Rows of the usual joints for JointRows, and coefficients of pairs of bodies.
#pragma once

#include <array>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace carom {

/// A container of rows with the views that a scene takes. The functions below add the rows of a joint, and give back
/// the index of its first one. Anchors are lever arms as of contacts: the joint's point on a body minus that body's
/// centre of mass, in the world frame. The bias of an error of position is the host's: `error` times a share, over the
/// time step, goes into target_velocity, which every function leaves 0 but where it says so.
template <class T>
class JointRowData {
 public:
  using Vector = std::array<T, 3>;
  struct Row {
    std::int32_t body_a = -1, body_b = -1;
    Vector linear_a{}, angular_a{}, linear_b{}, angular_b{};
    T target_velocity = 0;
    T least_impulse = -std::numeric_limits<T>::infinity(), largest_impulse = std::numeric_limits<T>::infinity();
    T compliance = 0;
    T warm_impulse = 0;
    std::uint64_t key = 0;
  };

  std::vector<Row> rows;

  /// Views of `rows` until they change.
  JointRows<T> view() const;
};

/// The bodies of a joint and the lever arms to its point.
template <class T>
struct JointBodies {
  std::int32_t a = -1, b = -1;              ///< index, -1 for the world
  std::array<T, 3> anchor_a{}, anchor_b{};  ///< [m]
};

/// A ball joint: the points do not part. 3 rows.
template <class T>
std::size_t add_ball_joint(JointRowData<T>& data, const JointBodies<T>& bodies);
/// A hinge: a ball joint that turns about `axis` alone. 5 rows. The axis has any length but 0.
template <class T>
std::size_t add_hinge(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis);
/// A slider: B's point moves along `axis`, and nothing turns. 5 rows.
template <class T>
std::size_t add_slider(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis);
/// Both bodies move as one. 6 rows.
template <class T>
std::size_t add_fixed_joint(JointRowData<T>& data, const JointBodies<T>& bodies);
/// A motor that turns A against B about `axis` at `speed` [rad/s] with an angular impulse of at most `largest` [N m s]
/// either way. 1 row.
template <class T>
std::size_t add_motor(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis, T speed,
                      T largest);
/// The same along `axis` at the points, [m/s] and [N s]. 1 row.
template <class T>
std::size_t add_linear_motor(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis, T speed,
                             T largest);
/// The points keep their distance along `direction`, which points from B's point to A's. 1 row; a rope is one whose
/// largest_impulse is 0: it pulls and does not push.
template <class T>
std::size_t add_distance_joint(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& direction);

/// How the coefficients of two bodies make that of their contact.
enum class CombineRule : std::uint8_t { mean, geometric_mean, least, largest, product };
inline constexpr std::size_t combine_rule_count = 5;

/// Throws Error if the rule is none.
CAROM_EXPORT double combine(CombineRule rule, double a, double b);

/// The same for contacts: `of_bodies` has a coefficient for every body, `of_world` is that of the immovable world.
/// Where an index names no body the result is NaN, so that solvers report the contact. Throws Error if the rule is none
/// or lengths differ.
template <class T>
void combine(CombineRule rule, Column<const T> of_bodies, T of_world, Column<const std::int32_t> body_a,
             Column<const std::int32_t> body_b, Column<T> result);

}  // namespace carom
