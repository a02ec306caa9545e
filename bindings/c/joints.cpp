#include <carom/carom.h>

#include <carom/joints.hpp>
#include <variant>

#include "core/support/vector3.hpp"
#include "fields.hpp"
#include "scene_columns.hpp"

using namespace carom;

struct carom_joints {
  std::variant<JointRowData<float>, JointRowData<double>> data;
};

namespace carom::c {

template <class F, class Row, class C>
requires requires(Row& row) {
  row.angular_a;
}
void each_field(F&& f, Row& row, C& c) {
  const auto by_name = [&](const columns::Label& label, auto& field, auto& in_c) { f(label.member, field, in_c); };
  columns::each_needed_of_rows(by_name, row, c);
  columns::each_optional_of_rows(by_name, row, c);
}

namespace {

using Row = JointRowData<double>::Row;

/// Calls f(data, bodies) in the precision of the container.
template <class F>
carom_error add(carom_joints* joints, const carom_joint_bodies* bodies, const F& f) {
  return guarded([&] {
    std::visit(
        [&]<class T>(JointRowData<T>& data) {
          const carom_joint_bodies& of = given(bodies, "bodies");
          f(data, JointBodies<T>{of.a, of.b, vector_of<T>(of.r_a), vector_of<T>(of.r_b)});
        },
        given(joints, "joints").data);
  });
}

/// The same with an axis.
template <class F>
carom_error add(carom_joints* joints, const carom_joint_bodies* bodies, const double* axis, const F& f) {
  return add(joints, bodies, [&]<class T>(JointRowData<T>& data, const JointBodies<T>& of) {
    f(data, of, vector_of<T>(&given(axis, "axis")));
  });
}

/// Calls f(row) for a row that there is.
template <class Joints, class F>
void with_row(Joints* joints, std::size_t index, const F& f) {
  std::visit(
      [&](auto& data) {
        check_index("row", index, data.rows.size());
        f(data.rows[index]);
      },
      given(joints, "joints").data);
}

}  // namespace
}  // namespace carom::c

void carom_joint_row_init(carom_joint_row* row, std::size_t struct_size) {
  c::init<c::Row>(row, struct_size);
}

carom_error carom_joints_create(std::int32_t precision, carom_joints** joints) {
  return c::guarded([&] {
    c::given(joints, "joints") = nullptr;
    c::in_precision(precision, [&]<class T>(std::type_identity<T>) { *joints = new carom_joints{JointRowData<T>{}}; });
  });
}

void carom_joints_destroy(carom_joints* joints) {
  delete joints;
}

std::size_t carom_joints_count(const carom_joints* joints) {
  return joints == nullptr ? 0 : std::visit([](const auto& data) { return data.rows.size(); }, joints->data);
}

carom_error carom_joints_clear(carom_joints* joints) {
  return c::guarded([&] { std::visit([](auto& data) { data.rows.clear(); }, c::given(joints, "joints").data); });
}

carom_error carom_joints_add(carom_joints* joints, const carom_joint_row* row) {
  return c::guarded([&] {
    c::given(row, "row");
    std::visit(
        [&]<class T>(JointRowData<T>& data) { data.rows.push_back(c::taken<typename JointRowData<T>::Row>(row)); },
        c::given(joints, "joints").data);
  });
}

carom_error carom_joints_get(const carom_joints* joints, std::size_t index, carom_joint_row* row) {
  return c::guarded([&] {
    c::check_report(&c::given(row, "row"));
    c::with_row(joints, index, [&](const auto& of) { c::put_report(of, row); });
  });
}

carom_error carom_joints_set(carom_joints* joints, std::size_t index, const carom_joint_row* row) {
  return c::guarded([&] {
    c::given(row, "row");
    c::with_row(joints, index, [&](auto& of) { of = c::taken<std::remove_reference_t<decltype(of)>>(row); });
  });
}

carom_error carom_joints_rows(const carom_joints* joints, carom_joint_rows* rows) {
  return c::guarded([&] {
    c::check_report(&c::given(rows, "rows"));
    carom_joint_rows made{};
    const auto give = [](const columns::Label&, const auto& from, carom_column& to) {
      to = {from.data, from.count, from.stride};
    };
    std::visit(
        [&](const auto& data) {
          const auto view = data.view();
          columns::each_needed_of_rows(give, view, made);
          columns::each_optional_of_rows(give, view, made);
        },
        c::given(joints, "joints").data);
    c::put(made, *rows);
    c::clear_rest(*rows);
  });
}

carom_error carom_add_ball_joint(carom_joints* joints, const carom_joint_bodies* bodies) {
  return c::add(joints, bodies, [](auto&&... of) { add_ball_joint(of...); });
}

carom_error carom_add_hinge(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3]) {
  return c::add(joints, bodies, axis, [](auto&&... of) { add_hinge(of...); });
}

carom_error carom_add_slider(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3]) {
  return c::add(joints, bodies, axis, [](auto&&... of) { add_slider(of...); });
}

carom_error carom_add_fixed_joint(carom_joints* joints, const carom_joint_bodies* bodies) {
  return c::add(joints, bodies, [](auto&&... of) { add_fixed_joint(of...); });
}

carom_error carom_add_motor(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3], double speed,
                            double largest) {
  return c::add(joints, bodies, axis,
                [&]<class T>(JointRowData<T>& data, const JointBodies<T>& of, const std::array<T, 3>& about) {
                  add_motor(data, of, about, static_cast<T>(speed), static_cast<T>(largest));
                });
}

carom_error carom_add_linear_motor(carom_joints* joints, const carom_joint_bodies* bodies, const double axis[3],
                                   double speed, double largest) {
  return c::add(joints, bodies, axis,
                [&]<class T>(JointRowData<T>& data, const JointBodies<T>& of, const std::array<T, 3>& along) {
                  add_linear_motor(data, of, along, static_cast<T>(speed), static_cast<T>(largest));
                });
}

carom_error carom_add_distance_joint(carom_joints* joints, const carom_joint_bodies* bodies,
                                     const double direction[3]) {
  return c::add(joints, bodies, direction, [](auto&&... of) { add_distance_joint(of...); });
}

carom_error carom_combine(std::int32_t rule, double a, double b, double* result) {
  return c::guarded([&] {
    CombineRule of_c{};
    c::assign("rule", of_c, rule);
    c::given(result, "result") = combine(of_c, a, b);
  });
}

carom_error carom_combine_columns(std::int32_t precision, std::int32_t rule, const carom_column* of_bodies,
                                  double of_world, const carom_column* body_a, const carom_column* body_b,
                                  const carom_output* result) {
  return c::guarded([&] {
    CombineRule of_c{};
    c::assign("rule", of_c, rule);
    Column<const std::int32_t> a, b;
    c::Take{}(a, c::given(body_a, "body_a"));
    c::Take{}(b, c::given(body_b, "body_b"));
    c::in_precision(precision, [&]<class T>(std::type_identity<T>) {
      Column<const T> bodies;
      Column<T> to;
      c::Take{}(bodies, c::given(of_bodies, "of_bodies"));
      c::Take{}(to, c::given(result, "result"));
      combine<T>(of_c, bodies, static_cast<T>(of_world), a, b, to);
    });
  });
}
