// Draws scenes for the prober: every method, and kinds of scenes that have broken promises.
#pragma once

#include <algorithm>
#include <array>
#include <carom/joints.hpp>
#include <cmath>
#include <limits>

#include "probe/scene_draw_options.hpp"
#include "probe/scene_spoil.hpp"
#include "probe/singular_draw.hpp"
#include "support/scenes/draw_models.hpp"

namespace carom::probe {

template <class T>
class SceneDrawer : SceneDrawing<T> {
  using Base = SceneDrawing<T>;
  using Base::chance, Base::data, Base::draw_, Base::is, Base::moves, Base::number, Base::scene_;

 public:
  using Base::Base;
  static constexpr double digits = std::numeric_limits<T>::digits10;

  void draw() {
    draw_bodies();
    draw_contacts();
    if (is(SceneKind::joints) || is(SceneKind::faults) || (is(SceneKind::rotors) && chance(2)) ||
        (is(SceneKind::zeros) && chance(2)) || (is(SceneKind::range) && chance(3)) ||
        (is(SceneKind::limits) && chance(2)))
      draw_joints();
    if (is(SceneKind::driven)) drive();
    if (is(SceneKind::models)) draw_models();
    if (is(SceneKind::limits)) go_to_limits();
    if (is(SceneKind::anisotropic) || chance(is(SceneKind::models) ? 2 : 8)) begin_along_slip();
    if (is(SceneKind::models) && !data().warm_impulse[0].empty())
      for (std::size_t i = 0; i < data().contact_count(); ++i)
        scenes::push(data().warm_angular_impulse, draw_.bell3(0.1));
    const Procedure method = scene_.procedure();
    if (method == Procedure::resting || method == Procedure::both_phases || method == Procedure::substeps) draw_gaps();
    if (method == Procedure::substeps) draw_errors();
    if (is(SceneKind::zeros)) draw_zeros();
    scene_.fault.assign(data().contact_count(), Status::ok);
    scene_.row_fault.assign(data().row_count(), Status::ok);
  }

 private:
  void draw_bodies() {
    const std::size_t few = is(SceneKind::jammed) ? 1 + draw_.below(2) : 1 + draw_.below(6);
    const bool is_star = is(SceneKind::crowded) && chance(2);
    const std::size_t bodies = is_star ? 1 + crowd() : is(SceneKind::crowded) ? 1 : chance(40) ? 30 : few;
    SingularDraw singular(draw_, digits);
    for (std::size_t i = 0; i < bodies; ++i) {
      scenes::Body body = scenes::random_box(draw_);
      if (is(SceneKind::mass_ratio)) scale(body, draw_.log_uniform(7));
      if (is(SceneKind::steep))
        for (double& x : body.inverse_inertia) x *= scene_.stretch * 10;
      if (is(SceneKind::anisotropic)) make_slender(body);
      if (is(SceneKind::rotors) && !chance(4)) {
        body.inverse_mass = singular.inverse_mass(6);
        body.inverse_inertia = singular.inverse_inertia(6);
      }
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

  /// J = a + b d dᵀ with a ratio up to 1000.
  void make_slender(scenes::Body& body) {
    const scenes::Vector d = draw_.direction();
    const double least = body.inverse_mass * draw_.log_uniform(2), more = least * draw_.log_uniform(7);
    body.inverse_inertia = {least + more * d[0] * d[0], more * d[0] * d[1], more * d[0] * d[2],
                            least + more * d[1] * d[1], more * d[1] * d[2], least + more * d[2] * d[2]};
  }

  /// Draws two bodies, at least one of them movable. Returns false if the draw fails.
  bool draw_pair(std::int32_t& a, std::int32_t& b) {
    const std::size_t bodies = data().body_count();
    const auto any = [&] { return static_cast<std::int32_t>(draw_.below(bodies)); };
    a = is(SceneKind::crowded) ? 0 : any();
    const bool alone = is(SceneKind::jammed) || (is(SceneKind::crowded) && bodies == 1);
    b = alone || chance(4) ? scenes::world : any();
    if (chance(2)) std::swap(a, b);
    return a != b && (moves(a) || moves(b));
  }
  scenes::Vector centre(std::int32_t body) {
    return body < 0 ? scenes::Vector{} : data().position[static_cast<std::size_t>(body)];
  }

  void draw_contacts() {
    const bool plastic = chance(2), frictionless = chance(4), one = chance(2);
    const double max_friction = chance(2) || is(SceneKind::anisotropic) ? 0.4 : 1.5, all = draw_.uniform();
    const std::size_t wanted = is(SceneKind::jammed)    ? 8 + draw_.below(23)
                               : is(SceneKind::crowded) ? std::max(crowd(), 2 * data().body_count())
                                                        : 1 + draw_.below(2 + 3 * data().body_count());
    SingularDraw singular(draw_, digits);
    for (std::size_t tries = 0; data().contact_count() < wanted && tries < 4 * wanted; ++tries) {
      std::int32_t a = 0, b = 0;
      if (!draw_pair(a, b)) continue;
      scenes::Contact contact{a, b, draw_.direction()};
      contact.friction = frictionless ? 0 : draw_.uniform(0, max_friction);
      contact.restitution = plastic || is(SceneKind::jammed) ? 0 : one ? all : draw_.uniform();
      using namespace scenes;
      const auto middle = 0.5 * (centre(moves(a) ? a : b) + centre(moves(b) ? b : a));
      const std::size_t points = 1 + draw_.below(is(SceneKind::manifolds) ? 6 : 3);
      for (std::size_t p = 0; p < points; ++p) {
        contact.point = middle + (is(SceneKind::steep) ? 2.0 : 0.7) * draw_.direction();
        const std::size_t i = data().add(contact);
        if (!is(SceneKind::rotors) || chance(4)) continue;
        // Lever arms along the normal, as for balls, or arbitrary ones.
        if (chance(2)) put(data().r_a, i, -0.5 * contact.normal);
        put(data().r_b, i, singular.lever(at(data().r_a, i)));
      }
    }
  }

  /// Number of contacts of one body.
  std::size_t crowd() { return chance(20) ? 1000 + draw_.below(1000) : 100 + draw_.below(300); }

  /// Replaces numbers by zeros of either sign. Either all normals lie along an axis, or no normal does.
  void draw_zeros() {
    const auto zero = [&] { return chance(2) ? T(0) : T(-0.0); };
    const auto some = [&](auto& columns, std::size_t of) {
      for (auto& column : columns)
        for (T& x : column)
          if (chance(of)) x = zero();
    };
    const std::size_t of = 1 + draw_.below(4);
    some(data().bodies.velocity, of), some(data().bodies.angular_velocity, of);
    if (chance(2)) {
      for (const std::size_t c : {1u, 2u, 4u})
        for (T& x : data().bodies.inverse_inertia[c]) x = zero();
      some(data().r_a, 2), some(data().r_b, 2);
    }
    some(data().warm_impulse, of);
    if (chance(2))
      for (std::size_t i = 0; i < data().contact_count(); ++i) {
        const std::size_t axis = draw_.below(3);
        for (std::size_t c = 0; c < 3; ++c) data().normal[c][i] = c == axis ? T(chance(2) ? 1 : -1) : zero();
      }
    for (auto& row : data().joints.rows)
      for (auto* part : {&row.linear_a, &row.linear_b, &row.angular_a, &row.angular_b})
        for (T& x : *part)
          if (x == 0) x = zero();
  }

  void draw_models() {
    // Below 1 moments do not make a contact steep.
    const double max_length = chance(4) ? 1 : 0.1;
    scenes::draw_models(data(), draw_.below(1u << 30), scene_.procedure() == Procedure::substeps && chance(2));
    for (T& x : data().rolling_friction) x *= static_cast<T>(5 * max_length);
    for (T& x : data().spinning_friction) x *= static_cast<T>(5 * max_length);
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
        pair.r_a[c] = static_cast<T>(at[c]);
        pair.r_b[c] = static_cast<T>(other[c]);
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
          data().joints.rows.back().max_impulse = 0;
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
    const bool with_static = chance(2) && scene_.procedure() != Procedure::ncp;
    for (T& x : data().friction)
      if (chance(2)) x = chance(2) ? T(0) : std::numeric_limits<T>::infinity();
    for (T& x : data().restitution)
      if (chance(2)) x = chance(2) ? T(0) : T(1);
    if (with_static)
      for (const T x : data().friction)
        data().static_friction.push_back(chance(2) ? x : chance(2) ? x * 2 : std::numeric_limits<T>::infinity());
    for (auto& row : data().joints.rows)
      if (chance(2)) {
        row.min_impulse = number(-1, 0);
        row.max_impulse = chance(2) ? row.min_impulse : number(0, 1);
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
    for (std::size_t i = 0; i < data().contact_count(); ++i) data().separation.push_back(number(-0.01, 0.01));
    if (chance(4))
      for (std::size_t i = 0; i < data().contact_count(); ++i)
        data().slop.push_back(chance(2) ? T(0) : number(0, 0.01));
    if (!chance(4)) return;
    for (std::size_t i = 0; i < data().contact_count(); ++i)
      data().frequency.push_back(chance(4) ? std::numeric_limits<T>::infinity() : number(0, 200));
    if (!chance(2)) return;
    for (std::size_t i = 0; i < data().contact_count(); ++i) data().damping_ratio.push_back(number(0, 10));
  }

  /// Draws position errors of rows, some of which are motors, soft, or as stiff as a substep allows.
  void draw_errors() {
    for (auto& row : data().joints.rows) {
      row.position_error = number(-0.02, 0.02);
      if (chance(2)) row.frequency = chance(3) ? T(0) : number(0, 100);
      if (chance(2)) row.damping_ratio = chance(3) ? T(0) : number(0, 5);
      if (chance(8)) row.r_a = row.r_b = {};
    }
  }
};

/// Source of the options of a scene.
enum class OptionValues {
  usual,  ///< some options of every method, varied as its scenes need it
  table,  ///< every option of the table may be varied
};

/// Resets options that are defaults of columns of the scene: an option and its column together are an error.
template <class T>
void reset_defaults_of_columns(DrawnScene<T>& scene) {
  const auto reset = [&](PositionCorrection& of) {
    const PositionCorrection usual;
    if (!scene.data.joints.rows.empty()) {
      of.joint_frequency = usual.joint_frequency;
      of.joint_damping_ratio = usual.joint_damping_ratio;
    }
    if (!scene.data.damping_ratio.empty()) of.contact_damping_ratio = usual.contact_damping_ratio;
  };
  if (auto* substeps = std::get_if<Substeps>(&scene.options.method)) reset(substeps->position_correction);
  for (Pgs* pgs : {std::get_if<Pgs>(&scene.options.method), &scene.pgs})
    if (pgs != nullptr && pgs->position_correction) reset(*pgs->position_correction);
}

template <class T>
DrawnScene<T> draw_scene(std::uint64_t seed, OptionValues values = OptionValues::usual) {
  DrawnScene<T> scene;
  support::Draw draw(seed);
  scene.stretch = draw.log_uniform(2);
  scene.kind = static_cast<SceneKind>(draw.below(scene_kind_names.size()));
  SceneOptionsDrawer<T> options(draw, scene);
  values == OptionValues::table ? options.draw_all() : options.draw();
  SceneDrawer<T>(draw, scene).draw();
  reset_defaults_of_columns(scene);
  SceneSpoiler<T> spoiler(draw, scene);
  if (scene.kind == SceneKind::range) spoiler.leave_range();
  if (scene.kind == SceneKind::faults) spoiler.spoil();
  if (values == OptionValues::table) return scene;
  // Last, so that other draws do not depend on it.
  if (auto* o = std::get_if<Substeps>(&scene.options.method);
      o != nullptr && o->min_substeps == 1 && o->max_substeps > 1 && draw.below(4) == 0)
    o->min_direct_substeps =
        2 + static_cast<int>(draw.below(static_cast<std::size_t>(std::min(o->max_substeps, 16) - 1)));
  return scene;
}

}  // namespace carom::probe
