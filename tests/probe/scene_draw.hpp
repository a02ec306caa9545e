// Scenes for the prober: of every method, and of kinds that have broken promises.
#pragma once

#include <array>
#include <carom/joints.hpp>
#include <carom/scene.hpp>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "support/scenes/draw_models.hpp"
#include "support/scenes/generators.hpp"
#include "support/scenes/iterations.hpp"

namespace carom::probe {

enum class SceneKind {
  ordinary,
  manifolds,    ///< pairs with up to six points and one normal
  mass_ratio,   ///< masses over six decades
  steep,        ///< lever arms that are long against the radius of gyration
  anisotropic,  ///< inertias in ratios up to 1000, and impulses along the slip to begin with
  driven,       ///< belts, targets, kinematic bodies, forces
  joints,
  jammed,  ///< a body or two between contacts with the world that contradict each other
  limits,  ///< friction, restitution and bounds at their limits
  range,   ///< one number next to the range of the precision
  faults,
  models,  ///< ellipses of friction, resistance to rolling and spinning, compliance
};
inline constexpr std::array<std::string_view, 12> scene_kind_names{"ordinary",    "manifolds", "mass_ratio", "steep",
                                                                   "anisotropic", "driven",    "joints",     "jammed",
                                                                   "limits",      "range",     "faults",     "models"};

template <class T>
struct DrawnScene {
  SceneKind kind{};
  scenes::SceneData<T> data;
  SceneOptions options;
  std::vector<Status> fault, row_fault;  ///< that contacts and rows have been given; ok of the others
};

template <class T>
class SceneDrawer {
 public:
  explicit SceneDrawer(std::uint64_t seed) : draw_(seed) {}

  DrawnScene<T> take() {
    scene_.kind = static_cast<SceneKind>(draw_.below(scene_kind_names.size()));
    draw_options();
    draw_bodies();
    draw_contacts();
    if (is(SceneKind::joints) || is(SceneKind::faults) || (is(SceneKind::range) && chance(3)) ||
        (is(SceneKind::limits) && chance(2)))
      draw_joints();
    if (is(SceneKind::driven)) drive();
    if (is(SceneKind::models)) draw_models();
    if (is(SceneKind::limits)) go_to_limits();
    if (is(SceneKind::anisotropic) || chance(8)) begin_along_slip();
    const SceneMethod method = scene_.options.method;
    if (method == SceneMethod::resting || method == SceneMethod::step || method == SceneMethod::substeps) draw_gaps();
    if (method == SceneMethod::substeps) draw_errors();
    scene_.fault.assign(data().contact_count(), Status::ok);
    scene_.row_fault.assign(data().row_count(), Status::ok);
    if (is(SceneKind::range)) leave_range();
    if (is(SceneKind::faults)) spoil();
    return std::move(scene_);
  }

 private:
  scenes::SceneData<T>& data() { return scene_.data; }
  bool is(SceneKind kind) const { return scene_.kind == kind; }
  bool chance(std::size_t of) { return draw_.below(of) == 0; }
  T number(double low, double high) { return static_cast<T>(draw_.uniform(low, high)); }

  void draw_options() {
    SceneOptions& o = scene_.options;
    o.method = static_cast<SceneMethod>(draw_.below(scene_method_count));
    if (is(SceneKind::jammed) && chance(2)) o.method = SceneMethod::resting;
    o.relative_tolerance = sizeof(T) == sizeof(float) ? 1e-5 : 1e-10;
    const int sweeps[] = {1, 4, 10, 30, 4000, 4000};
    if (!chance(4)) scenes::set_iterations(o, sweeps[draw_.below(6)]);
    if (o.method == SceneMethod::sequence) scenes::set_iterations(o, 20);
    o.resting.time_step = std::pow(10.0, std::floor(draw_.uniform(-3, chance(3) ? 4 : 0)));
    o.rest.tolerance = chance(3) ? 1 : 1e-4;
    o.resting.gravity = {0, 0, chance(2) ? -9.81 : 0};
    o.iteration.swept = chance(2) ? SweptContacts::touching : SweptContacts::colliding;
    o.shock_propagation.enabled = chance(8);
    if (chance(6)) o.simultaneous.relaxation = draw_.uniform(0.5, 1.5);
    if (chance(6)) o.restitution_threshold = draw_.uniform(0, 0.5);
    if (chance(4)) o.simultaneous.warm_start = draw_.uniform();
    if (chance(4)) o.simultaneous.joint_warm_start = draw_.uniform();
    if (chance(4)) o.sequence.seed = 1 + draw_.below(1000);
    if (o.method == SceneMethod::substeps) draw_substeps();
    if (is(SceneKind::anisotropic) && !chance(4)) {
      // These are judged where they have come to an end.
      o.method = SceneMethod::simultaneous;
      o.shock_propagation.enabled = false;
      scenes::set_iterations(o, 4000);
      o.simultaneous.warm_start = 1;
    }
    if (is(SceneKind::models)) {
      if (o.method != SceneMethod::substeps) o.method = SceneMethod::simultaneous;
      o.shock_propagation.enabled = false;
      if (chance(2)) scenes::set_iterations(o, 4000);
    }
    const Law laws[] = {Law::incremental, Law::chatterjee_ruina, Law::frictionless};
    o.collision.law = laws[draw_.below(3)];
  }

  void draw_substeps() {
    SubstepsOptions& o = scene_.options.substeps;
    o.time_step = draw_.log_uniform(2) / 100;
    o.least = 1 + static_cast<int>(draw_.below(8));
    o.most = o.least + static_cast<int>(draw_.below(24));
    o.rounds = 1 + static_cast<int>(draw_.below(6));
    if (chance(4)) o.sweeps = 1 + static_cast<int>(draw_.below(4));
    if (chance(4)) o.relaxing = static_cast<int>(draw_.below(3));
    if (chance(4)) o.restitution_sweeps = 1 + static_cast<int>(draw_.below(8));
    if (chance(4)) o.slop = draw_.uniform(1e-4, 0.01);
    if (chance(4)) o.push_out = draw_.uniform();
    if (chance(4)) o.largest_push_out_speed = draw_.uniform(0, 3);
    if (chance(4)) o.joint_frequency = draw_.uniform(0, 100);
    if (chance(4)) o.joint_damping_ratio = draw_.uniform(0, 5);
    if (chance(4)) o.warm_start = draw_.uniform();
    if (chance(4)) o.joint_warm_start = draw_.uniform();
  }

  void draw_bodies() {
    const std::size_t few = is(SceneKind::jammed) ? 1 + draw_.below(2) : 1 + draw_.below(6);
    const std::size_t bodies = chance(40) ? 30 : few;
    for (std::size_t i = 0; i < bodies; ++i) {
      scenes::Body body = scenes::random_box(draw_);
      if (is(SceneKind::mass_ratio)) scale(body, draw_.log_uniform(7));
      if (is(SceneKind::steep))
        for (double& x : body.inverse_inertia) x *= draw_scale_ * 10;
      if (is(SceneKind::anisotropic)) make_slender(body);
      if (is(SceneKind::driven) && i > 0 && chance(4)) {
        body.inverse_mass = 0;
        body.inverse_inertia = {};
      }
      data().add(body);
    }
  }

  void scale(scenes::Body& body, double by) {
    body.inverse_mass *= by;
    for (double& x : body.inverse_inertia) x *= by;
  }

  /// J = a + b d dᵀ with a ratio of up to 1000.
  void make_slender(scenes::Body& body) {
    const scenes::Vector d = draw_.direction();
    const double least = body.inverse_mass * draw_.log_uniform(2), more = least * draw_.log_uniform(7);
    body.inverse_inertia = {least + more * d[0] * d[0], more * d[0] * d[1], more * d[0] * d[2],
                            least + more * d[1] * d[1], more * d[1] * d[2], least + more * d[2] * d[2]};
  }

  bool moves(std::int32_t body) {
    return body >= 0 && (data().bodies.inverse_mass[static_cast<std::size_t>(body)] > T(0));
  }
  /// Two bodies of which one moves; false if the draw has none.
  bool draw_pair(std::int32_t& a, std::int32_t& b) {
    const std::size_t bodies = data().body_count();
    a = static_cast<std::int32_t>(draw_.below(bodies));
    b = is(SceneKind::jammed) || chance(4) ? scenes::world : static_cast<std::int32_t>(draw_.below(bodies));
    if (chance(2)) std::swap(a, b);
    return a != b && (moves(a) || moves(b));
  }
  scenes::Vector centre(std::int32_t body) {
    return body < 0 ? scenes::Vector{} : data().position[static_cast<std::size_t>(body)];
  }

  void draw_contacts() {
    const bool plastic = chance(2), frictionless = chance(4), one = chance(2);
    const double most_friction = chance(2) || is(SceneKind::anisotropic) ? 0.4 : 1.5, all = draw_.uniform();
    const std::size_t wanted =
        is(SceneKind::jammed) ? 8 + draw_.below(23) : 1 + draw_.below(2 + 3 * data().body_count());
    for (std::size_t tries = 0; data().contact_count() < wanted && tries < 4 * wanted; ++tries) {
      std::int32_t a = 0, b = 0;
      if (!draw_pair(a, b)) continue;
      scenes::Contact contact{a, b, draw_.direction()};
      contact.friction = frictionless ? 0 : draw_.uniform(0, most_friction);
      contact.restitution = plastic || is(SceneKind::jammed) ? 0 : one ? all : draw_.uniform();
      using namespace scenes;
      const auto middle = 0.5 * (centre(moves(a) ? a : b) + centre(moves(b) ? b : a));
      const std::size_t points = 1 + draw_.below(is(SceneKind::manifolds) ? 6 : 3);
      for (std::size_t p = 0; p < points; ++p) {
        contact.point = middle + (is(SceneKind::steep) ? 2.0 : 0.7) * draw_.direction();
        data().add(contact);
      }
    }
  }

  void draw_models() {
    // Below 1 a moment does not make a contact steep.
    const double most_length = chance(4) ? 1 : 0.1;
    scenes::draw_models(data(), draw_.below(1u << 30), scene_.options.method == SceneMethod::substeps && chance(2));
    for (T& x : data().rolling_friction) x *= static_cast<T>(5 * most_length);
    for (T& x : data().spinning_friction) x *= static_cast<T>(5 * most_length);
    for (std::size_t i = 0; i < data().contact_count(); ++i)
      data().friction_2[i] = std::min(data().friction_2[i], T(2));
  }

  void draw_joints() {
    for (std::size_t joints = 1 + draw_.below(3); joints > 0; --joints) {
      JointBodies<T> pair;
      if (!draw_pair(pair.a, pair.b)) continue;
      const scenes::Vector d = draw_.direction(), at = draw_.bell3(0.5), other = draw_.bell3(0.5);
      std::array<T, 3> axis{};
      for (std::size_t c = 0; c < 3; ++c) {
        axis[c] = static_cast<T>(d[c]);
        pair.anchor_a[c] = static_cast<T>(at[c]);
        pair.anchor_b[c] = static_cast<T>(other[c]);
      }
      const std::size_t first = data().row_count();
      switch (draw_.below(7)) {
        case 0:
          add_ball_joint(data().joints, pair);
          break;
        case 1:
          add_hinge(data().joints, pair, axis);
          break;
        case 2:
          add_slider(data().joints, pair, axis);
          break;
        case 3:
          add_fixed_joint(data().joints, pair);
          break;
        case 4:
          add_motor(data().joints, pair, axis, number(-1, 1), number(0, 1));
          break;
        case 5:
          add_distance_joint(data().joints, pair, axis);
          break;
        default:
          add_distance_joint(data().joints, pair, axis);
          data().joints.rows.back().largest_impulse = 0;
      }
      const bool is_soft = chance(4), has_targets = chance(4);
      for (std::size_t r = first; r < data().row_count(); ++r) {
        if (is_soft) data().joints.rows[r].compliance = number(0, 0.5);
        if (has_targets) data().joints.rows[r].target_velocity = number(-0.5, 0.5);
      }
    }
  }

  void drive() {
    const std::size_t n = data().contact_count(), bodies = data().body_count();
    if (chance(2)) {
      data().target_velocity.resize(n);
      for (T& x : data().target_velocity) x = chance(2) ? T(0) : number(-0.5, 0.5);
    }
    if (chance(2))
      for (std::size_t i = 0; i < n; ++i) scenes::push(data().surface_velocity, draw_.bell3(0.5));
    if (chance(2))
      for (std::size_t i = 0; i < bodies; ++i) {
        scenes::push(data().velocity_change, scenes::Vector{0, 0, -0.1});
        scenes::push(data().angular_velocity_change, scenes::Vector{});
      }
  }

  void go_to_limits() {
    const bool with_static = chance(2);
    for (T& x : data().friction)
      if (chance(2)) x = chance(2) ? T(0) : std::numeric_limits<T>::infinity();
    for (T& x : data().restitution)
      if (chance(2)) x = chance(2) ? T(0) : T(1);
    if (with_static)
      for (const T x : data().friction)
        data().static_friction.push_back(chance(2) ? x : chance(2) ? x * 2 : std::numeric_limits<T>::infinity());
    for (auto& row : data().joints.rows)
      if (chance(2)) {
        row.least_impulse = number(-1, 0);
        row.largest_impulse = chance(2) ? row.least_impulse : number(0, 1);
      }
  }

  void begin_along_slip() {
    using namespace scenes;
    for (std::size_t i = 0; i < data().contact_count(); ++i) {
      const scenes::Vector n = at(data().normal, i), along = data().slip(i);
      const double size = draw_.log_uniform(2), friction = std::min(static_cast<double>(data().friction[i]), 10.0);
      push(data().warm_impulse, size * n + (size * friction / (length(along) + 1e-9)) * along);
    }
  }

  void draw_gaps() {
    for (std::size_t i = 0; i < data().contact_count(); ++i) data().gap.push_back(number(-0.01, 0.01));
    if (!chance(4)) return;
    for (std::size_t i = 0; i < data().contact_count(); ++i)
      data().frequency.push_back(chance(4) ? std::numeric_limits<T>::infinity() : number(0, 200));
    if (!chance(2)) return;
    for (std::size_t i = 0; i < data().contact_count(); ++i) data().damping_ratio.push_back(number(0, 10));
  }

  /// Errors of rows, which may be motors, soft, or as stiff as a substep allows.
  void draw_errors() {
    for (auto& row : data().joints.rows) {
      row.error = number(-0.02, 0.02);
      if (chance(2)) row.frequency = chance(3) ? T(0) : number(0, 100);
      if (chance(2)) row.damping_ratio = chance(3) ? T(0) : number(0, 5);
      if (chance(8)) row.arm_a = row.arm_b = {};
    }
  }

  T beyond() {
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    const T sizes[] = {
        most, most / 8, std::sqrt(most), 1 / std::sqrt(most), least, std::numeric_limits<T>::denorm_min()};
    const T x = sizes[draw_.below(6)];
    return chance(4) ? -x : x;
  }

  void leave_range() {
    auto& d = data();
    const std::size_t body = draw_.below(d.body_count()), c = draw_.below(3), n = d.contact_count();
    const std::size_t i = n > 0 ? draw_.below(n) : 0;
    const auto positive = [&] { return std::abs(beyond()); };
    const std::size_t what = draw_.below(15);
    if (what == 0) d.bodies.velocity[c][body] = beyond();
    if (what == 1) d.bodies.angular_velocity[c][body] = beyond();
    if (what == 2 && moves(static_cast<std::int32_t>(body))) d.bodies.inverse_mass[body] = positive();
    if (what == 3) {
      const T x = positive();
      for (std::size_t k : {0u, 3u, 5u}) d.bodies.inverse_inertia[k][body] = x;
      for (std::size_t k : {1u, 2u, 4u}) d.bodies.inverse_inertia[k][body] = 0;
    }
    if (n > 0 && what == 4) d.lever_a[c][i] = beyond();
    if (n > 0 && what == 5) d.friction[i] = positive();
    const auto fill = [&](auto& column) {
      if (column.empty()) column.assign(n, T(0));
    };
    if (n > 0 && what == 6) fill(d.target_velocity), d.target_velocity[i] = beyond();
    if (n > 0 && what == 7) fill(d.gap), d.gap[i] = beyond();
    if (n > 0 && what == 8) {
      for (auto& column : d.surface_velocity) fill(column);
      d.surface_velocity[c][i] = beyond();
    }
    if (n > 0 && what == 9) {
      for (auto& column : d.warm_impulse) fill(column);
      d.warm_impulse[c][i] = beyond();
    }
    if (what >= 10 && d.row_count() > 0) {
      auto& row = d.joints.rows[draw_.below(d.row_count())];
      if (what == 10) row.compliance = positive();
      if (what == 11) row.target_velocity = beyond();
      if (what == 12) (chance(2) ? row.linear_a : row.angular_b)[c] = beyond();
      if (what == 13) row.error = beyond();
      if (what == 14) (chance(2) ? row.frequency : row.damping_ratio) = positive();
    }
    if (!d.static_friction.empty())
      for (std::size_t k = 0; k < n; ++k) d.static_friction[k] = std::max(d.static_friction[k], d.friction[k]);
  }

  /// Some contacts and rows get a fault of their own; those of a body have it all.
  void spoil() {
    auto& d = data();
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    for (std::size_t i = 0; i < d.contact_count(); ++i) {
      if (!chance(4)) continue;
      const auto fault = [&](Status status, auto&& spoil_it) {
        spoil_it();
        scene_.fault[i] = status;
      };
      switch (draw_.below(8)) {
        case 0:
          fault(Status::negative_friction, [&] { d.friction[i] = -1; });
          break;
        case 1:
          fault(Status::not_a_number, [&] { d.lever_a[1][i] = nan; });
          break;
        case 2:
          fault(Status::infinite, [&] { d.lever_b[2][i] = infinity; });
          break;
        case 3:
          fault(Status::normal_not_unit, [&] { d.normal[0][i] += T(2); });
          break;
        case 4:
          fault(Status::body_index_out_of_range, [&] { d.body_a[i] = std::numeric_limits<std::int32_t>::max(); });
          break;
        case 5:
          fault(Status::restitution_out_of_range, [&] { d.restitution[i] = 2; });
          break;
        case 6:
          fault(Status::both_immovable, [&] { d.body_a[i] = d.body_b[i] = scenes::world; });
          break;
        default:
          fault(Status::overflow, [&] { d.lever_a[0][i] = d.lever_b[0][i] = std::numeric_limits<T>::max(); });
      }
    }
    for (std::size_t i = 0; i < d.row_count(); ++i) {
      if (!chance(4)) continue;
      auto& row = d.joints.rows[i];
      const auto fault = [&](Status status, auto&& spoil_it) {
        spoil_it();
        scene_.row_fault[i] = status;
      };
      const bool in_substeps = scene_.options.method == SceneMethod::substeps;
      switch (draw_.below(in_substeps ? 9 : 6)) {
        case 6:
          fault(Status::negative_frequency, [&] { row.frequency = -1; });
          break;
        case 7:
          fault(Status::negative_damping_ratio, [&] { row.damping_ratio = -1; });
          break;
        case 8:
          fault(Status::not_a_number, [&] { row.error = nan; });
          break;
        case 0:
          fault(Status::negative_compliance, [&] { row.compliance = -1; });
          break;
        case 1:
          fault(Status::not_a_number, [&] { row.target_velocity = nan; });
          break;
        case 2:
          fault(Status::infinite, [&] { row.least_impulse = row.largest_impulse = infinity; });
          break;
        case 3:
          fault(Status::impulse_bounds_reversed, [&] { row.least_impulse = 2, row.largest_impulse = 1; });
          break;
        case 4:
          fault(Status::collision_matrix_not_positive_definite, [&] {
            row.linear_a = row.angular_a = row.linear_b = row.angular_b = {};
            row.compliance = 0;
          });
          break;
        default:
          fault(Status::body_index_out_of_range, [&] { row.body_b = -2; });
      }
    }
  }

  support::Draw draw_;
  DrawnScene<T> scene_;
  double draw_scale_ = draw_.log_uniform(2);
};

}  // namespace carom::probe
