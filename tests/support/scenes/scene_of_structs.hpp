// Scenes that tests put together body by body, and places for their results.
#pragma once

#include <algorithm>
#include <array>
#include <carom/reference_scene.hpp>
#include <carom/scene.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/columns/columns.hpp"
#include "core/support/vector3.hpp"
#include "support/scenes/iterations.hpp"
#include "support/scenes/method_options.hpp"

namespace carom::support {

using scenes::MethodOptions;
using scenes::Procedure;

/// A body; by default a unit cube of 1 kg at rest.
template <class T>
struct SceneBody {
  T inverse_mass = 1;
  std::array<T, 6> inverse_inertia = {6, 0, 0, 6, 0, 6};  ///< xx, xy, xz, yy, yz, zz
  std::array<T, 3> velocity = {}, angular_velocity = {};

  static SceneBody immovable() { return {0, {}, {}, {}}; }
};

/// A contact. By default it has no friction, no restitution and neutral values in optional columns.
template <class T>
struct SceneContact {
  std::int32_t body_a = -1, body_b = -1;
  std::array<T, 3> normal = {0, 0, 1};
  std::array<T, 3> r_a = {}, r_b = {};
  T friction = 0, restitution = 0;
  T static_friction = -1;  ///< below 0 it becomes the friction in SceneData::add_contact
  T separation = 0, target_velocity = 0;
  std::array<T, 3> surface_velocity = {}, warm_impulse = {};
  std::uint64_t key = 0;
  Law law = Law::chatterjee_ruina;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;
  T step = 1;
  T tangential_restitution = 0;
  T impulse_ratio_1 = 0, impulse_ratio_2 = 0, polar_angle = 0, azimuth = 0, fraction = 0;
  std::array<T, 3> candidate = {};
  Weights<T> weight = {};
};

/// A row of a joint, without bounds by default.
template <class T>
struct SceneRow {
  std::int32_t body_a = -1, body_b = -1;
  std::array<T, 3> linear_a = {}, angular_a = {}, linear_b = {}, angular_b = {};
  T target_velocity = 0;
  T min_impulse = -std::numeric_limits<T>::infinity(), max_impulse = std::numeric_limits<T>::infinity();
  T compliance = 0, warm_impulse = 0;
  std::uint64_t key = 0;
  T position_error = 0, frequency = std::numeric_limits<T>::infinity(), damping_ratio = 2;
  std::array<T, 3> r_a = {}, r_b = {};
};

/// Optional columns of a view.
struct SceneColumns {
  bool static_friction = true, separation = true, target_velocity = true, surface_velocity = true;
  bool warm_impulse = true, key = true;  ///< of rows as well
  bool laws = false;                     ///< law and restitution_law; without them the options' hold
  bool step = false;
  bool parameters = true;  ///< of laws
  bool bounds = true, compliance = true, row_target_velocity = true;
  bool row_position = true;  ///< position_error, frequency, damping_ratio and arms
};

template <class T>
struct SceneData {
  std::vector<SceneBody<T>> bodies;
  std::vector<SceneContact<T>> contacts;
  std::vector<SceneRow<T>> rows;
  SceneColumns columns;

  std::int32_t add_body(const SceneBody<T>& body = {}) {
    bodies.push_back(body);
    return static_cast<std::int32_t>(bodies.size() - 1);
  }
  std::size_t add_contact(const SceneContact<T>& contact) {
    contacts.push_back(contact);
    if (contact.static_friction < 0) contacts.back().static_friction = contact.friction;
    return contacts.size() - 1;
  }
  std::size_t add_row(const SceneRow<T>& row) {
    rows.push_back(row);
    return rows.size() - 1;
  }
  /// The three rows that hold two bodies' points together.
  std::size_t add_ball(std::int32_t a, std::int32_t b, const std::array<T, 3>& r_a, const std::array<T, 3>& r_b) {
    // e·(w×r) = (r×e)·w
    for (std::size_t axis = 0; axis < 3; ++axis) {
      SceneRow<T> row{a, b};
      row.linear_a[axis] = 1;
      row.linear_b[axis] = -1;
      row.angular_a = cross(r_a, row.linear_a);
      row.angular_b = -cross(r_b, row.linear_a);
      add_row(row);
    }
    return rows.size() - 3;
  }

  /// Appends the bodies, contacts and rows of the other scene.
  void append(const SceneData& other) {
    const auto shift = static_cast<std::int32_t>(bodies.size());
    bodies.insert(bodies.end(), other.bodies.begin(), other.bodies.end());
    const auto add = [&](auto& to, const auto& from) {
      for (auto item : from) {
        for (std::int32_t* body : {&item.body_a, &item.body_b}) *body += *body < 0 ? 0 : shift;
        to.push_back(item);
      }
    };
    add(contacts, other.contacts);
    add(rows, other.rows);
  }

  /// Views of this until it changes.
  Scene<T> view() const;
  /// The columns that the method reads.
  Scene<T> view(const SceneOptions& options) const { return scenes::selected(view(), options); }

 private:
  // Without items, returns a column with no elements instead of an absent column.
  template <class Item, class Value>
  static Column<const Value> column(const std::vector<Item>& items, Value Item::*member) {
    static constexpr Value nothing{};
    return {items.empty() ? &nothing : &(items.front().*member), items.size(), sizeof(Item)};
  }
  template <class Item, std::size_t n>
  static const T* numbers(const std::vector<Item>& items, std::array<T, n> Item::*member) {
    static constexpr T nothing[n] = {};
    return items.empty() ? nothing : (items.front().*member).data();
  }
  template <class Item>
  static Vector3Columns<const T> column(const std::vector<Item>& items, std::array<T, 3> Item::*member) {
    return Vector3Columns<const T>(numbers(items, member), items.size(), sizeof(Item));
  }
  static SymmetricColumns<const T> column(const std::vector<SceneBody<T>>& items,
                                          std::array<T, 6> SceneBody<T>::*member) {
    return SymmetricColumns<const T>(numbers(items, member), items.size(), sizeof(SceneBody<T>));
  }
};

template <class T>
Scene<T> SceneData<T>::view() const {
  using Contact = SceneContact<T>;
  using Row = SceneRow<T>;
  Scene<T> scene;
  scene.bodies.inverse_mass = column(bodies, &SceneBody<T>::inverse_mass);
  scene.bodies.velocity = column(bodies, &SceneBody<T>::velocity);
  scene.bodies.angular_velocity = column(bodies, &SceneBody<T>::angular_velocity);
  scene.bodies.inverse_inertia = column(bodies, &SceneBody<T>::inverse_inertia);
  scene.contacts.body_a = column(contacts, &Contact::body_a);
  scene.contacts.body_b = column(contacts, &Contact::body_b);
  scene.contacts.normal = column(contacts, &Contact::normal);
  scene.contacts.r_a = column(contacts, &Contact::r_a);
  scene.contacts.r_b = column(contacts, &Contact::r_b);
  scene.contacts.friction = column(contacts, &Contact::friction);
  scene.contacts.restitution = column(contacts, &Contact::restitution);
  if (columns.static_friction) scene.contacts.static_friction = column(contacts, &Contact::static_friction);
  if (columns.separation) scene.contacts.separation = column(contacts, &Contact::separation);
  if (columns.target_velocity) scene.contacts.target_velocity = column(contacts, &Contact::target_velocity);
  if (columns.surface_velocity) scene.contacts.surface_velocity = column(contacts, &Contact::surface_velocity);
  if (columns.warm_impulse) scene.contacts.warm_impulse = column(contacts, &Contact::warm_impulse);
  if (columns.key) scene.contacts.key = column(contacts, &Contact::key);
  if (columns.step) scene.contacts.laws.step = column(contacts, &Contact::step);
  if (columns.laws) {
    scene.contacts.laws.law = column(contacts, &Contact::law);
    scene.contacts.laws.restitution_law = column(contacts, &Contact::restitution_law);
  }
  if (columns.parameters) {
    scene.contacts.laws.tangential_restitution = column(contacts, &Contact::tangential_restitution);
    scene.contacts.laws.impulse_ratio_1 = column(contacts, &Contact::impulse_ratio_1);
    scene.contacts.laws.impulse_ratio_2 = column(contacts, &Contact::impulse_ratio_2);
    scene.contacts.laws.polar_angle = column(contacts, &Contact::polar_angle);
    scene.contacts.laws.azimuth = column(contacts, &Contact::azimuth);
    scene.contacts.laws.fraction = column(contacts, &Contact::fraction);
    scene.contacts.laws.candidate = column(contacts, &Contact::candidate);
    if (!contacts.empty())
      carom::columns::each_weight(
          [&](const auto&, Law, Column<const T>& to, const T& from) {
            to = {&from, contacts.size(), sizeof(Contact)};
          },
          scene.contacts.laws.weight, contacts.front().weight);
  }

  JointRows<T>& joints = scene.joints;
  joints.body_a = column(rows, &Row::body_a);
  joints.body_b = column(rows, &Row::body_b);
  joints.linear_a = column(rows, &Row::linear_a);
  joints.angular_a = column(rows, &Row::angular_a);
  joints.linear_b = column(rows, &Row::linear_b);
  joints.angular_b = column(rows, &Row::angular_b);
  if (columns.row_target_velocity) joints.target_velocity = column(rows, &Row::target_velocity);
  if (columns.bounds) {
    joints.min_impulse = column(rows, &Row::min_impulse);
    joints.max_impulse = column(rows, &Row::max_impulse);
  }
  if (columns.compliance) joints.compliance = column(rows, &Row::compliance);
  if (columns.warm_impulse) joints.warm_impulse = column(rows, &Row::warm_impulse);
  if (columns.key) joints.key = column(rows, &Row::key);
  if (columns.row_position) {
    joints.position_error = column(rows, &Row::position_error);
    joints.frequency = column(rows, &Row::frequency);
    joints.damping_ratio = column(rows, &Row::damping_ratio);
    joints.r_a = column(rows, &Row::r_a);
    joints.r_b = column(rows, &Row::r_b);
  }
  return scene;
}

/// Places for every result of a scene.
template <class T>
struct SceneResultArrays {
  std::vector<std::array<T, 3>> velocity, angular_velocity;
  std::vector<std::array<T, 3>> impulse, separation_velocity;
  std::vector<Status> status;
  std::vector<Path> path;
  std::vector<T> joint_impulse;
  std::vector<Status> joint_status;

  explicit SceneResultArrays(const SceneData<T>& data)
      : velocity(data.bodies.size()),
        angular_velocity(data.bodies.size()),
        impulse(data.contacts.size()),
        separation_velocity(data.contacts.size()),
        status(data.contacts.size()),
        path(data.contacts.size()),
        joint_impulse(data.rows.size()),
        joint_status(data.rows.size()) {}

  SceneResults<T> places() {
    SceneResults<T> results;
    results.velocity = vectors(velocity);
    results.angular_velocity = vectors(angular_velocity);
    results.impulse = vectors(impulse);
    results.separation_velocity = vectors(separation_velocity);
    results.status = status;
    results.path = path;
    results.joint_impulse = joint_impulse;
    results.joint_status = joint_status;
    return results;
  }

  /// The scene with these velocities, for the step that comes next.
  SceneData<T> next(SceneData<T> data) const {
    for (std::size_t i = 0; i < data.bodies.size(); ++i) {
      data.bodies[i].velocity = velocity[i];
      data.bodies[i].angular_velocity = angular_velocity[i];
    }
    return data;
  }

 private:
  static Vector3Columns<T> vectors(std::vector<std::array<T, 3>>& v) {
    if (v.empty()) return {};
    return Vector3Columns<T>(v.front().data(), v.size());
  }
};

/// By the reference.
inline SceneResultArrays<double> solved(const SceneData<double>& data, const MethodOptions& options,
                                        SceneReport* report = nullptr) {
  SceneResultArrays<double> results(data);
  const SceneReport found = reference::solve_scene(data.view(options), results.places(), options);
  if (report) *report = found;
  return results;
}

inline MethodOptions with_method(Procedure method, int iterations = 0) {
  MethodOptions options;
  options.method = method;
  options.sequential_impacts.law = Law::chatterjee_ruina;
  if (iterations > 0) scenes::set_iterations(options, iterations);
  options.time_step = 0.01;
  return options;
}

}  // namespace carom::support
