// Rows of joints: linear_a·vA + angular_a·wA + linear_b·vB + angular_b·wB. A row along e on the velocity of A's point
// relative to B's has linear_a = e, angular_a = rA × e and the opposite for B, since e·(wA × rA) = (rA × e)·wA. A row
// about e on the angular velocity has only the angular parts e and -e.
#include <algorithm>
#include <carom/joints.hpp>
#include <limits>

#include "core/columns/public_call.hpp"
#include "core/support/vector3.hpp"

namespace carom {
namespace {

template <class T>
constexpr std::array<Vector3<T>, 3> world_axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

template <class T>
Vector3<T> unit_axis(const Vector3<T>& axis, const char* joint, const char* name) {
  if (const auto unit = carom::unit(axis)) return *unit;
  throw Error(Text("carom: ", name, " of the ", joint, " is (", axis[0], ", ", axis[1], ", ", axis[2],
                   "), which has no direction"));
}

/// Adds rows and stores the index of the first one.
template <class T>
class Rows {
 public:
  using Row = typename JointRowData<T>::Row;

  Rows(JointRowData<T>& data, const JointBodies<T>& bodies)
      : rows_(data.rows), bodies_(bodies), first_(data.rows.size()) {}

  Row& along(const Vector3<T>& e) {
    const Vector3<T> opposite = -e;
    return add(
        {bodies_.a, bodies_.b, e, lever(bodies_.a, bodies_.r_a, e), opposite, lever(bodies_.b, bodies_.r_b, opposite)});
  }
  /// Keeps the points together, which the bodies turn.
  Row& together(const Vector3<T>& e) {
    Row& row = along(e);
    row.r_a = bodies_.r_a;
    row.r_b = bodies_.r_b;
    return row;
  }
  Row& about(const Vector3<T>& e) { return add({bodies_.a, bodies_.b, {}, e, {}, -e}); }

  std::size_t first() const { return first_; }

 private:
  static Vector3<T> lever(std::int32_t body, const Vector3<T>& anchor, const Vector3<T>& e) {
    return body == -1 ? Vector3<T>{} : cross(anchor, e);
  }
  Row& add(const Row& row) {
    public_call("a function of joints", [&] { rows_.push_back(row); });
    return rows_.back();
  }

  std::vector<Row>& rows_;
  const JointBodies<T>& bodies_;
  std::size_t first_;
};

template <class T>
void drive(typename JointRowData<T>::Row& row, T speed, T largest) {
  row.target_velocity = speed;
  row.frequency = 0;
  row.min_impulse = -largest;
  row.max_impulse = largest;
}

}  // namespace

template <class T>
JointRows<T> JointRowData<T>::view() const {
  // No rows are columns of no elements, not the absence of columns.
  static const Row none{};
  const Row& row = rows.empty() ? none : rows.front();
  const auto column = [&](const auto& field) {
    return Column<std::remove_reference_t<decltype(field)>>(&field, rows.size(), sizeof(Row));
  };
  const auto vectors = [&](const Vector& field) {
    return Vector3Columns<const T>(field.data(), rows.size(), sizeof(Row));
  };
  JointRows<T> view;
  view.body_a = column(row.body_a);
  view.body_b = column(row.body_b);
  view.linear_a = vectors(row.linear_a);
  view.angular_a = vectors(row.angular_a);
  view.linear_b = vectors(row.linear_b);
  view.angular_b = vectors(row.angular_b);
  view.target_velocity = column(row.target_velocity);
  view.min_impulse = column(row.min_impulse);
  view.max_impulse = column(row.max_impulse);
  view.compliance = column(row.compliance);
  view.position_error = column(row.position_error);
  view.frequency = column(row.frequency);
  view.damping_ratio = column(row.damping_ratio);
  view.r_a = vectors(row.r_a);
  view.r_b = vectors(row.r_b);
  // Given warm impulses disable the solver's own warm-start cache, which finds impulses by key.
  const auto any = [&](auto member) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return r.*member != 0; });
  };
  if (any(&Row::warm_impulse)) view.warm_impulse = column(row.warm_impulse);
  if (any(&Row::key)) view.key = column(row.key);
  return view;
}

template <class T>
std::size_t add_ball_joint(JointRowData<T>& data, const JointBodies<T>& bodies) {
  Rows<T> rows(data, bodies);
  for (const Vector3<T>& e : world_axes<T>) rows.together(e);
  return rows.first();
}

template <class T>
std::size_t add_hinge(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis) {
  const auto perpendicular = tangents(unit_axis(axis, "hinge", "the axis"));
  Rows<T> rows(data, bodies);
  for (const Vector3<T>& e : world_axes<T>) rows.together(e);
  for (const Vector3<T>& p : perpendicular) rows.about(p);
  return rows.first();
}

template <class T>
std::size_t add_slider(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis) {
  const auto perpendicular = tangents(unit_axis(axis, "slider", "the axis"));
  Rows<T> rows(data, bodies);
  for (const Vector3<T>& p : perpendicular) rows.along(p);
  for (const Vector3<T>& e : world_axes<T>) rows.about(e);
  return rows.first();
}

template <class T>
std::size_t add_fixed_joint(JointRowData<T>& data, const JointBodies<T>& bodies) {
  Rows<T> rows(data, bodies);
  for (const Vector3<T>& e : world_axes<T>) rows.together(e);
  for (const Vector3<T>& e : world_axes<T>) rows.about(e);
  return rows.first();
}

template <class T>
std::size_t add_motor(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis,
                      std::type_identity_t<T> speed, std::type_identity_t<T> largest) {
  const Vector3<T> e = unit_axis(axis, "motor", "the axis");
  Rows<T> rows(data, bodies);
  drive<T>(rows.about(e), speed, largest);
  return rows.first();
}

template <class T>
std::size_t add_linear_motor(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& axis,
                             std::type_identity_t<T> speed, std::type_identity_t<T> largest) {
  const Vector3<T> e = unit_axis(axis, "linear motor", "the axis");
  Rows<T> rows(data, bodies);
  drive<T>(rows.along(e), speed, largest);
  return rows.first();
}

template <class T>
std::size_t add_distance_joint(JointRowData<T>& data, const JointBodies<T>& bodies, const std::array<T, 3>& direction) {
  const Vector3<T> e = unit_axis(direction, "distance joint", "the direction");
  Rows<T> rows(data, bodies);
  rows.along(e);
  return rows.first();
}

#define CAROM_INSTANTIATE(T)                                                                                     \
  template class JointRowData<T>;                                                                                \
  template std::size_t add_ball_joint(JointRowData<T>&, const JointBodies<T>&);                                  \
  template std::size_t add_hinge(JointRowData<T>&, const JointBodies<T>&, const std::array<T, 3>&);              \
  template std::size_t add_slider(JointRowData<T>&, const JointBodies<T>&, const std::array<T, 3>&);             \
  template std::size_t add_fixed_joint(JointRowData<T>&, const JointBodies<T>&);                                 \
  template std::size_t add_motor(JointRowData<T>&, const JointBodies<T>&, const std::array<T, 3>&, T, T);        \
  template std::size_t add_linear_motor(JointRowData<T>&, const JointBodies<T>&, const std::array<T, 3>&, T, T); \
  template std::size_t add_distance_joint(JointRowData<T>&, const JointBodies<T>&, const std::array<T, 3>&);
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom
