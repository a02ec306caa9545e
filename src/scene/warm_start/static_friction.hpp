// Static friction: a manifold sticks as a whole. Its points then have the static coefficient, also where the sweeps let
// one of them slip for a moment; otherwise that point would drop to the dynamic one, and the others would follow.
//
// A manifold whose points slip no faster than contacts at rest move (CallOptions::rest_speed) keeps sticking; it sticks
// again below half of that speed. Contacts with keys keep this state. Other contacts stick if they start below half of
// that speed, without the forces of the step. If the changes by forces are not given (SceneBodies::velocity_change),
// they may be in the velocities, and the bound is SceneThresholds::stick_cold times the speed of contacts at rest.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "core/support/scratch.hpp"
#include "core/support/vector3.hpp"
#include "scene/graph/graph.hpp"
#include "warm_start_cache.hpp"

namespace carom::scene {

template <class T>
class StaticFriction {
 public:
  /// True if a manifold has two coefficients. Call the functions below only then.
  bool is_there() const { return is_there_; }

  /// Makes room, also where no manifold has two coefficients now, for the next call may have them. `scene`: the
  /// caller's.
  void reserve(const Scene<T>& scene, const CallOptions& options) {
    const SceneContacts<T>& contacts = scene.contacts;
    const std::size_t n = contacts.friction.count;
    is_there_ = false;
    if (!contacts.static_friction || !options.reads_static_friction) return;
    for (std::size_t i = 0; i < n && !is_there_; ++i) is_there_ = contacts.static_friction[i] > contacts.friction[i];
    rest_speed2_ = 2 * options.rest_gravity * options.rest_tolerance;
    friction_.at_least(n);
    friction_2_.at_least(n);
    Slip* const slip = slip_.at_least(n);
    if (is_there_) std::fill_n(slip, n, Slip::unknown);
  }
  /// The states of contacts, after the call.
  const Slip* slip() const { return is_there_ ? slip_.data() : nullptr; }

  /// The scene with the coefficients that its manifolds have in this call. `state`(contact): after the last
  /// call.
  template <class State>
  Scene<T> begin(const Scene<T>& scene, const kernel::SceneJob<T>& job, const Graph& graph, const State& state) {
    const SceneContacts<T>& from = scene.contacts;
    Scene<T> made = scene;
    T *const friction = friction_.data(), *const friction_2 = friction_2_.data();
    for (std::size_t i = 0; i < job.contacts; ++i) {
      friction[i] = from.friction[i];
      friction_2[i] = from.friction_2 ? from.friction_2[i] : T(0);
    }
    made.contacts.friction = {friction, job.contacts};
    if (from.friction_2) made.contacts.friction_2 = {friction_2, job.contacts};
    constexpr double cold = SceneThresholds::stick_cold;
    const double at_first = job.changes != nullptr ? again2() : cold * cold * rest_speed2_;
    each_manifold(scene, job, graph, [&](const Constraint& m) {
      Slip before = Slip::unknown;
      each_contact(job, m, [&](std::size_t i) { before = std::max(before, state(i)); });
      const bool sticks =
          before == Slip::unknown ? fastest2(scene, job, m, true, false) <= at_first : before == Slip::sticks;
      each_contact(job, m, [&](std::size_t i) {
        slip_.data()[i] = sticks ? Slip::sticks : Slip::slips;
        if (!sticks) return;
        // Friction in two directions keeps its shape.
        if (from.friction_2 && from.friction_2[i] != from.friction[i]) {
          if (!(from.friction[i] > T(0)) || !std::isfinite(from.friction[i])) return;
          if (friction_2[i] > T(0)) friction_2[i] *= from.static_friction[i] / from.friction[i];
        } else if (from.friction_2) {
          friction_2[i] = from.static_friction[i];
        }
        friction[i] = from.static_friction[i];
      });
    });
    return made;
  }

  /// Computes the states for the next call, at the present velocities.
  void end(const Scene<T>& scene, const kernel::SceneJob<T>& job, const Graph& graph) {
    each_manifold(scene, job, graph, [&](const Constraint& m) {
      const bool is_loaded = fastest2(scene, job, m, false, true) >= 0;
      const double slip2 = fastest2(scene, job, m, false, is_loaded);
      each_contact(job, m, [&](std::size_t i) {
        Slip& slip = slip_.data()[i];
        slip = slip2 <= (slip == Slip::sticks ? rest_speed2_ : again2()) ? Slip::sticks : Slip::slips;
      });
    });
  }

 private:
  using Vector = carom::Vector3<double>;

  /// [m²/s²] A manifold that slips sticks again below the square root of it.
  double again2() const { return SceneThresholds::stick_again * SceneThresholds::stick_again * rest_speed2_; }

  template <class F>
  static void each_manifold(const Scene<T>& scene, const kernel::SceneJob<T>& job, const Graph& graph, const F& f) {
    for (const Constraint& m : graph.manifolds) {
      const std::size_t first = kernel::number_at(job.contact_at, m.first);
      if (scene.contacts.static_friction[first] > scene.contacts.friction[first]) f(m);
    }
  }
  template <class F>
  static void each_contact(const kernel::SceneJob<T>& job, const Constraint& m, const F& f) {
    for (std::uint32_t k = 0; k < m.count; ++k)
      f(static_cast<std::size_t>(kernel::number_at(job.contact_at, m.first + k)));
  }

  /// [m²/s²] Square of the speed of the point that slips fastest; -1 without a point. `without_forces` of the step;
  /// `loaded`: only points with an impulse.
  static double fastest2(const Scene<T>& scene, const kernel::SceneJob<T>& job, const Constraint& m,
                         bool without_forces, bool loaded) {
    const SceneContacts<T>& contacts = scene.contacts;
    const Vector3Columns<T>& impulse = job.results->impulse;
    double most = -1;
    each_contact(job, m, [&](std::size_t i) {
      if (loaded && impulse.x && impulse.x[i] == T(0) && impulse.y[i] == T(0) && impulse.z[i] == T(0)) return;
      Vector slip{};
      const auto add = [&](std::int32_t body, const Vector3Columns<const T>& lever, double sign) {
        if (body < 0) return;
        Vector v{}, w{};
        for (std::size_t c = 0; c < 3; ++c) {
          v[c] = static_cast<double>(job.velocities[body].numbers[c]);
          w[c] = static_cast<double>(job.velocities[body].numbers[3 + c]);
          if (!without_forces || job.changes == nullptr) continue;
          v[c] -= static_cast<double>(job.changes[body].numbers[c]);
          w[c] -= static_cast<double>(job.changes[body].numbers[3 + c]);
        }
        slip = slip + sign * (v + cross(w, vector_at(lever, i)));
      };
      add(m.body_a, contacts.r_a, 1);
      add(m.body_b, contacts.r_b, -1);
      if (contacts.surface_velocity.x) slip = slip - vector_at(contacts.surface_velocity, i);
      const Vector n = vector_at(contacts.normal, i);
      slip = slip - dot(slip, n) / dot(n, n) * n;
      most = std::max(most, dot(slip, slip));
    });
    return most;
  }

  bool is_there_ = false;
  double rest_speed2_ = 0;  // [m²/s²]
  Scratch<T> friction_, friction_2_;
  Scratch<Slip> slip_;  // of contacts
};

}  // namespace carom::scene
