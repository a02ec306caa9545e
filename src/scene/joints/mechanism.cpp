// Collisions of intact mechanisms. A contact has three rows like joint rows, one for each axis of its frame. A unit
// impulse on one of them moves the bodies, and the joints' impulses λ = −(W + Γ)⁻¹ J Δv with W = J M⁻¹Jᵀ hold the joint
// rows. The resulting velocities of the contact's rows are a column of K. [CR] A.1
#include <algorithm>
#include <carom/mechanism.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "core/columns/check.hpp"
#include "core/columns/column_check.hpp"
#include "core/columns/public_call.hpp"
#include "core/support/array.hpp"
#include "core/support/forest.hpp"
#include "linear/eigenvalues.hpp"
#include "linear/pivoted_cholesky.hpp"
#include "scene/rows/read.hpp"

namespace carom {
namespace {

using scene::add;
using scene::Body;
using scene::body_of;
using scene::contact_rows;
using scene::coupling;
using scene::Direction;
using scene::JointRow;
using scene::read_joint_row;
using scene::Row;
using scene::surface_along;
using scene::Twist;
using scene::velocity_at;
using Vector = carom::Vector3<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Changes of velocities, summed up in double before they are added to the caller's columns.
using Changes = std::map<std::int32_t, Twist>;

void add(Changes& changes, double impulse, const Row& row) {
  for (std::size_t i = 0; i < 2; ++i)
    if (row.body[i] >= 0) add(changes[row.body[i]], impulse, row.side[i].response);
}

/// J Δv of a row.
double change_of(const Row& row, const Changes& changes) {
  double sum = 0;
  for (std::size_t i = 0; i < 2; ++i)
    if (const auto found = changes.find(row.body[i]); found != changes.end()) sum += dot(row.side[i].of, found->second);
  return sum;
}

/// Rows connected by movable bodies.
struct Mechanism {
  Array<std::size_t> rows;
  std::string fault;                              // reason why it cannot be held; empty if it can
  std::optional<std::size_t> faulty_row;          // row that the fault names
  std::optional<scene::PivotedCholesky> inverse;  // of W + Γ; empty with a fault
};

/// The rows of a contact along the axes of its frame, and the mechanisms of its bodies.
struct ContactRows {
  scene::ContactFrame axis;
  std::array<Row, 3> row;
  Array<const Mechanism*> mechanisms;
};

[[noreturn]] void fail_contact(std::size_t index, std::string_view why) {
  throw Error(Text("carom: contact ", index, ": ", why), {.row = index});
}

}  // namespace

template <class T>
struct Mechanisms<T>::State {
  State(const Scene<T>& scene_, const MechanismOptions& options_) : given(scene_), options(options_) {
    check_options(options);
    check_scene_columns(given, SceneResults<T>{});
    scene = without_constants(given);
    contacts = scene.contacts.friction.count;
    load_bodies();
    load_rows();
    connect();
    for (Mechanism& mechanism : mechanisms) {
      set_fault(mechanism);
      if (mechanism.fault.empty()) decompose(mechanism);
    }
  }

  void load_bodies() {
    bodies.resize(scene.bodies.inverse_mass.count);
    for (std::size_t i = 0; i < bodies.size(); ++i) bodies[i] = body_of(scene.bodies, static_cast<std::int32_t>(i));
  }

  void load_rows() {
    const JointRows<T>& joints = scene.joints;
    rows.resize(joints.body_a.count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::array<std::int32_t, 2> body = {joints.body_a[i], joints.body_b[i]};
      check_bodies("row", i, body);
      read_joint_row(joints, i, of(body[0]), of(body[1]), rows[i]);
      rows[i].body = body;
    }
  }

  void check_bodies(const char* what, std::size_t i, const std::array<std::int32_t, 2>& body) const {
    const auto fail = [&](std::int32_t b, const auto&... why) {
      throw Error(Text("carom: ", what, ' ', i, " names body ", b, why...), {.row = i});
    };
    for (const std::int32_t b : body)
      if (b < -1 || (b >= 0 && static_cast<std::size_t>(b) >= bodies.size()))
        fail(b, ", but there are ", bodies.size());
    if (body[0] >= 0 && body[0] == body[1]) fail(body[0], " as both of its bodies");
  }

  const Body& of(std::int32_t body) const {
    static const Body world;
    return body < 0 ? world : bodies[static_cast<std::size_t>(body)];
  }
  bool is_movable(std::int32_t body) const { return of(body).is_movable(); }

  /// Union–find over the movable bodies.
  void connect() {
    Array<std::size_t> parent(bodies.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::int32_t body) { return root_of(parent, static_cast<std::size_t>(body)); };
    for (const JointRow& row : rows)
      if (is_movable(row.body[0]) && is_movable(row.body[1])) parent[root(row.body[0])] = root(row.body[1]);

    constexpr std::size_t none = ~std::size_t{0};
    Array<std::size_t> mechanism_of_root(bodies.size(), none);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int32_t body = is_movable(rows[i].body[0]) ? rows[i].body[0] : rows[i].body[1];
      if (!is_movable(body)) continue;
      std::size_t& mechanism = mechanism_of_root[root(body)];
      if (mechanism == none) {
        mechanism = mechanisms.size();
        mechanisms.emplace_back();
      }
      mechanisms[mechanism].rows.push_back(i);
    }
    mechanism_of.resize(bodies.size(), none);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i].is_movable()) mechanism_of[i] = mechanism_of_root[root(static_cast<std::int32_t>(i))];
  }

  void set_fault(Mechanism& mechanism) const {
    const auto fail = [&](std::size_t row, const auto&... why) {
      mechanism.fault = Text("row ", row, why...).view();
      mechanism.faulty_row = row;
    };
    if (mechanism.rows.size() > MechanismOptions::max_rows)
      return fail(mechanism.rows.front(), " is one of ", mechanism.rows.size(),
                  ", and the limit is MechanismOptions::max_rows, ", MechanismOptions::max_rows,
                  ": SceneSolver has none");
    for (const std::size_t i : mechanism.rows) {
      for (const std::int32_t body : rows[i].body)
        if (of(body).is_faulty()) {
          mechanism.fault = Text("body ", body, " has a mass or an inertia at fault").view();
          return;
        }
      for (const Direction& direction : rows[i].side)
        if (!is_finite(direction.of)) return fail(i, " has a number that is not finite");
      if (!(rows[i].compliance >= 0 && rows[i].compliance < infinity)) return fail(i, " has a compliance at fault");
      if (!(rows[i].min_impulse == -infinity && rows[i].max_impulse == infinity))
        return fail(i, " has an impulse within [", rows[i].min_impulse, ", ", rows[i].max_impulse,
                    "] and cannot be told to hold");
    }
  }

  void decompose(Mechanism& mechanism) const {
    const std::size_t n = mechanism.rows.size();
    Array<double> w(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = mechanism.rows[i];
      for (std::size_t j = 0; j <= i; ++j) w[i * n + j] = coupling(rows[row], rows[mechanism.rows[j]]);
      w[i * n + i] += rows[row].compliance;
    }
    if (std::all_of(w.begin(), w.end(), [](double x) { return std::isfinite(x); }))
      mechanism.inverse.emplace(std::move(w), n, options.redundancy);
    else
      mechanism.fault = "the products of rows and masses exceed the range of double";
  }

  ContactRows rows_of(std::size_t index) const {
    check_index("contact", index, contacts);
    const auto fail = [&](std::string_view why) -> void { fail_contact(index, why); };
    const std::array<std::int32_t, 2> body = {scene.contacts.body_a[index], scene.contacts.body_b[index]};
    check_bodies("contact", index, body);
    if (!is_movable(body[0]) && !is_movable(body[1])) fail("both bodies are immovable");
    const Vector n = vector_at(scene.contacts.normal, index);
    if (!(std::abs(length(n) - 1) <= Tolerances{}.normal_tolerance)) fail("the normal is no unit vector");

    ContactRows result;
    result.axis = scene::frame_along(n);
    result.row = contact_rows(scene.contacts, index, result.axis, of(body[0]), of(body[1]));
    for (std::size_t side = 0; side < 2; ++side) {
      if (body[side] < 0) continue;
      if (!is_finite(result.row[0].side[side].of) || !is_finite(result.row[1].side[side].of))
        fail("a lever arm is not finite");
      if (of(body[side]).is_faulty()) fail(Text("body ", body[side], " has a mass or an inertia at fault"));
      const std::size_t number = mechanism_of[static_cast<std::size_t>(body[side])];
      if (number >= mechanisms.size()) continue;
      const Mechanism* mechanism = &mechanisms[number];
      if (!mechanism->fault.empty()) fail(Text("in its mechanism ", mechanism->fault));
      if (result.mechanisms.empty() || result.mechanisms[0] != mechanism) result.mechanisms.push_back(mechanism);
    }
    return result;
  }

  /// J v of a row.
  double velocity_of(const Row& row, const Vector3Columns<const T>& velocity,
                     const Vector3Columns<const T>& angular_velocity) const {
    double sum = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      if (row.body[side] < 0) continue;
      const auto body = static_cast<std::size_t>(row.body[side]);
      sum += dot(row.side[side].of, velocity_at(velocity, angular_velocity, body));
    }
    return sum;
  }

  /// Computes the impulses of a mechanism's rows so that J Δv + Γ λ = −offset, and adds their effect to `changes`. For
  /// nearly redundant rows W + Γ has lost their difference to rounding, but J Δv has not: the error decreases with
  /// every pass.
  Array<double> hold(const Mechanism& mechanism, const Array<double>& offset, Changes& changes) const {
    Array<double> impulse(mechanism.rows.size()), missed(impulse.size());
    for (int pass = 0; pass < 3; ++pass) {
      for (std::size_t i = 0; i < missed.size(); ++i) {
        const JointRow& row = rows[mechanism.rows[i]];
        missed[i] = offset[i] + change_of(row, changes) + row.compliance * impulse[i];
      }
      const Array<double> step = mechanism.inverse->solve(missed);
      for (std::size_t i = 0; i < step.size(); ++i) {
        impulse[i] -= step[i];
        add(changes, -step[i], rows[mechanism.rows[i]]);
      }
    }
    return impulse;
  }

  /// Response of bodies and joints to an impulse. Stored only when it is completely known.
  struct Response {
    Changes changes;                                                   // of the bodies' velocities
    Array<std::pair<const Mechanism*, Array<double>>> joint_impulses;  // of the rows of mechanisms
  };

  /// Returns the response of all bodies to an impulse in the contact's frame.
  Response response(const ContactRows& contact, const Vector& impulse) const {
    Response response;
    for (std::size_t i = 0; i < 3; ++i) add(response.changes, impulse[i], contact.row[i]);
    for (const Mechanism* mechanism : contact.mechanisms) {
      const Array<double> offset(mechanism->rows.size());
      response.joint_impulses.emplace_back(mechanism, hold(*mechanism, offset, response.changes));
    }
    return response;
  }

  void check_results(const Vector3Columns<T>& velocity, const Vector3Columns<T>& angular_velocity,
                     const Column<T>& joint_impulse) const {
    ColumnCheck of_bodies({"bodies", "inverse_mass"}, bodies.size()), of_rows({"joints", "body_a"}, rows.size());
    const auto need = [&](const columns::Label& label, const auto& column) { of_bodies.need(label, column); };
    columns::each(need, {"velocity"}, velocity);
    columns::each(need, {"angular_velocity"}, angular_velocity);
    of_rows.accept({"joint_impulse"}, joint_impulse);
  }

  static void store(const Response& response, const Vector3Columns<T>& velocity,
                    const Vector3Columns<T>& angular_velocity, const Column<T>& joint_impulse) {
    const auto add_to = [](T& x, double change) { x = static_cast<T>(x + change); };
    if (joint_impulse)
      for (const auto& [mechanism, impulse] : response.joint_impulses)
        for (std::size_t i = 0; i < impulse.size(); ++i) add_to(joint_impulse[mechanism->rows[i]], impulse[i]);
    for (const auto& [body, change] : response.changes) {
      const auto i = static_cast<std::size_t>(body);
      const Column<T>* const columns[6] = {&velocity.x,         &velocity.y,         &velocity.z,
                                           &angular_velocity.x, &angular_velocity.y, &angular_velocity.z};
      for (std::size_t c = 0; c < 6; ++c) add_to((*columns[c])[i], change[c]);
    }
  }

  MechanismContact contact(std::size_t index) const {
    const ContactRows rows = rows_of(index);
    MechanismContact contact;
    contact.index = index;
    contact.tangent_1 = rows.axis[0];
    contact.tangent_2 = rows.axis[1];
    contact.normal = rows.axis[2];
    contact.friction = scene.contacts.friction[index];
    contact.restitution = scene.contacts.restitution[index];

    double trace = 0;
    std::array<Vector, 3> columns;
    for (std::size_t j = 0; j < 3; ++j) {
      trace += coupling(rows.row[j], rows.row[j]);
      Vector unit{};
      unit[j] = 1;
      const Response to_unit = response(rows, unit);
      for (std::size_t i = 0; i < 3; ++i) columns[j][i] = change_of(rows.row[i], to_unit.changes);
    }
    std::size_t entry = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = i; j < 3; ++j) contact.k[entry++] = (columns[i][j] + columns[j][i]) / 2;
    if (!std::all_of(contact.k.begin(), contact.k.end(), [](double x) { return std::isfinite(x); }))
      fail_contact(index, "K exceeds the range of double");
    contact.locked = scene::raise_eigenvalues(contact.k, options.min_eigenvalue * trace);

    const auto& states = scene.bodies;
    for (std::size_t i = 0; i < 3; ++i)
      contact.separation_velocity[i] = velocity_of(rows.row[i], states.velocity, states.angular_velocity);
    const auto surface = surface_along(scene.contacts, index, rows.axis);
    for (std::size_t i = 0; i < 2; ++i) contact.separation_velocity[i] -= surface[i];
    if (scene.contacts.target_velocity) contact.separation_velocity[2] -= scene.contacts.target_velocity[index];
    return contact;
  }

  Scene<T> given, scene;  // `scene` has the constants of `given`
  MechanismOptions options;
  std::size_t contacts = 0;
  Array<Body> bodies;
  Array<JointRow> rows;
  Array<Mechanism> mechanisms;
  Array<std::size_t> mechanism_of;  // of each body; `none` for bodies without rows
};

template <class T>
Mechanisms<T>::Mechanisms(const Scene<T>& scene, const MechanismOptions& options)
    : state_(public_call("Mechanisms", [&] { return std::make_unique<State>(scene, options); })) {}
template <class T>
Mechanisms<T>::~Mechanisms() = default;
template <class T>
Mechanisms<T>::Mechanisms(Mechanisms&&) noexcept = default;
template <class T>
Mechanisms<T>& Mechanisms<T>::operator=(Mechanisms&&) noexcept = default;

template <class T>
const typename Mechanisms<T>::State& Mechanisms<T>::state() const {
  return state_of(state_);
}

template <class T>
MechanismContact Mechanisms<T>::contact(std::size_t index) const {
  const State& s = state();
  return public_call("Mechanisms::contact", [&] { return s.contact(index); });
}

template <class T>
void Mechanisms<T>::apply(const MechanismContact& contact, const Vector& impulse, const Vector3Columns<T>& velocity,
                          const Vector3Columns<T>& angular_velocity, const Column<T>& joint_impulse) const {
  const State& s = state();
  public_call("Mechanisms::apply", [&] {
    s.check_results(velocity, angular_velocity, joint_impulse);
    s.store(s.response(s.rows_of(contact.index), impulse), velocity, angular_velocity, joint_impulse);
  });
}

template <class T>
void Mechanisms<T>::satisfy_rows(const Vector3Columns<T>& velocity, const Vector3Columns<T>& angular_velocity,
                                 const Column<T>& joint_impulse) const {
  const State& s = state();
  public_call("Mechanisms::satisfy_rows", [&] {
    s.check_results(velocity, angular_velocity, joint_impulse);
    for (const Mechanism& mechanism : s.mechanisms)
      if (!mechanism.fault.empty()) throw Error(Text("carom: ", mechanism.fault), {.row = mechanism.faulty_row});
    typename State::Response response;
    for (const Mechanism& mechanism : s.mechanisms) {
      Array<double> offset;
      for (const std::size_t i : mechanism.rows) {
        offset.push_back(s.velocity_of(s.rows[i], velocity, angular_velocity) - s.rows[i].target);
      }
      response.joint_impulses.emplace_back(&mechanism, s.hold(mechanism, offset, response.changes));
    }
    s.store(response, velocity, angular_velocity, joint_impulse);
  });
}

template class Mechanisms<float>;
template class Mechanisms<double>;

}  // namespace carom
