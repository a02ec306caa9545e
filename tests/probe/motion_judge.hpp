// Judges a step of a world that moves: energy of islands, momentum of free groups. docs/accuracy.md, Scenes that move.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "probe/motion_draw.hpp"
#include "probe/verdict.hpp"

namespace carom::probe {

/// How the energy of a step may be judged.
enum class EnergyLaw {
  none,       ///< no bound is documented
  solved,     ///< forces act before the impulses, which add no energy
  in_motion,  ///< forces act over the step
};

template <class T>
class MotionJudge {
 public:
  /// Share of the energy in play that may be gained, where the work of forces is known exactly. The work in substeps is
  /// known to `about`, where joints turn within the step to `about_joints`, and with rebounds in the middle of steps to
  /// `about_rebounds`.
  static constexpr double tolerance = sizeof(T) == sizeof(float) ? 1e-4 : 1e-5;
  static constexpr double about = 1e-3, about_joints = 5e-3, about_rebounds = 0.05;
  static constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

  explicit MotionJudge(const DrawnMotion& drawn) : drawn_(drawn) {}

  struct Step {
    const std::vector<MotionBody>& bodies;  ///< at the start; velocities without the forces of the step
    const std::vector<MotionBody>& moved;   ///< at the end
    const scenes::SceneData<T>& data;
    const scenes::SceneArrays<T>& made;
    double h;
    EnergyLaw law;
  };

  void judge(const Step& of) {
    find_islands(of);
    islands_.assign(of.made.island_status.size() + of.bodies.size(), {});
    add_bodies(of);
    add_contacts(of);
    add_rows(of);
    double weight = 0;
    double before = 0, after = 0;
    for (Island& island : islands_) {
      before += island.before;
      after += std::min(island.after, island.after_turned);
      weight += 9.81 * island.mass;
      judge_momentum(island);
      if (of.law == EnergyLaw::none || island.bodies == 0) continue;
      const bool is_free = drawn_.world.gravity == Vector{}, plastic = drawn_.world.restitution == 0;
      const bool is_direct = is_solved_directly(island), is_implicit = is_direct && plastic;
      const double work = of.law == EnergyLaw::solved ? island.by_forces
                          : is_free || is_implicit
                              ? island.implicit
                              : std::max({island.mean, island.motion + island.lift, is_direct ? island.implicit : 0});
      const double kinetic = island.has_joints ? std::min(island.after, island.after_turned) : island.after;
      // Joints solved by PGS may gain the energy that forces add before the impulses of a substep. docs/scenes.md,
      // Energy of substeps.
      const double fall = of.h * support::length(drawn_.world.gravity);
      const double early = island.has_joints && of.law == EnergyLaw::in_motion && !is_direct
                               ? 0.5 * island.mass * fall * fall / island.substeps
                               : 0;
      // Impulses before energy is removed. If immovable bodies share a velocity, momentum includes their work.
      const double carried = island.is_mixed ? island.carried : support::dot(island.frame, island.momentum);
      const double removed = island.work != 0 || (island.is_mixed && carried != 0) ? island.removed : 0;
      const double excess = kinetic - island.before - work - early - island.work - carried - removed;
      play_ += std::abs(work) + std::abs(island.work) + std::abs(carried);
      const bool is_sharp = !island.has_joints && (is_free || is_implicit || of.law == EnergyLaw::solved);
      if (is_sharp) gained_ += std::max(excess, 0.0);
      balance_ += excess;
      if (!std::isfinite(excess)) gained_ = std::numeric_limits<double>::infinity();
    }
    max_kinetic_ = std::max({max_kinetic_, before, after});
    fall_ = weight * drawn_.size;
    const double play = this->play();
    if (play > 0) {
      v_.add("no island gains energy in a step", bound * gained_ / (tolerance * play));
      const double share = drawn_.world.restitution > 0  ? about_rebounds
                           : drawn_.world.joints.empty() ? about
                                                         : about_joints;
      v_.add("energy stays below start and work", bound * balance_ / (share * play));
    }
  }

  const Verdict& verdict() const { return v_; }
  double gained() const { return gained_; }
  double balance() const { return balance_; }
  /// [J] energy scale: kinetic energy, work, and the energy of a fall by the bodies' size
  double play() const { return max_kinetic_ + play_ + fall_; }

 private:
  struct Island {
    int bodies = 0, substeps = 1;
    bool has_joints = false, is_held = false;
    double before = 0, after = 0, after_turned = 0;  // [J]
    double by_forces = 0;                            // energy that forces add before the impulses
    double implicit = 0;                             // work of forces f h·v⁺ - Δv·M Δv / 2
    double mean = 0;                                 // work of forces in substeps, f·x - f·Δv h / 2 n
    double motion = 0;                               // work of forces f·x
    double lift = 0;                                 // of overlaps that are pushed out
    double work = 0;                                 // of targets and surfaces
    double carried = 0;                              // work of immovable bodies
    Vector frame{};                                  // their velocity
    bool is_mixed = false;                           // they have more than one
    double removed = 0;                              // by the audit
    double mass = 0, overlap = 0, impulses = 0;
    Vector momentum{}, turning{};  // changes by the impulses
    double size_of_momentum = 0, size_of_turning = 0;
  };

  void find_islands(const Step& of) {
    island_of_.assign(of.bodies.size(), -1);
    const auto take = [&](std::int32_t body, std::int32_t island) {
      if (body >= 0 && of.bodies[static_cast<std::size_t>(body)].moves())
        island_of_[static_cast<std::size_t>(body)] = island;
    };
    for (std::size_t i = 0; i < of.data.contact_count(); ++i)
      if (of.made.island[i] >= 0)
        take(of.data.body_a[i], of.made.island[i]), take(of.data.body_b[i], of.made.island[i]);
    for (std::size_t r = 0; r < of.data.row_count(); ++r) {
      if (of.made.joint_island[r] < 0) continue;
      take(of.data.joints.rows[r].body_a, of.made.joint_island[r]);
      take(of.data.joints.rows[r].body_b, of.made.joint_island[r]);
    }
  }

  /// Islands that are swept in substeps have more than one.
  bool is_solved_directly(const Island& island) const {
    const carom::Substeps& o = drawn_.options.substeps;
    return drawn_.options.method == Procedure::substeps && o.min_substeps == 1 && o.max_substeps > 1 &&
           island.substeps == 1;
  }
  static double kinetic(const MotionBody& shape, const Vector& v, const Vector& w) {
    return 0.5 * (shape.mass * support::dot(v, v) + support::dot(w, shape.inertia_times(w)));
  }
  void add_bodies(const Step& of) {
    const double h = of.h;
    const Vector& g = drawn_.world.gravity;
    for (std::size_t b = 0; b < of.bodies.size(); ++b) {
      const MotionBody &body = of.bodies[b], &moved = of.moved[b];
      if (!body.moves()) continue;
      Island& island =
          islands_[island_of_[b] < 0 ? of.made.island_status.size() + b : static_cast<std::size_t>(island_of_[b])];
      if (island_of_[b] >= 0 && drawn_.moves_in_call)
        island.substeps = std::max(1, of.made.island_substeps[static_cast<std::size_t>(island_of_[b])]);
      if (island_of_[b] >= 0)
        island.removed = static_cast<double>(of.made.island_energy_removed[static_cast<std::size_t>(island_of_[b])]);
      const double m = body.mass;
      ++island.bodies;
      island.mass += m;
      const Vector dv = moved.velocity - body.velocity;
      const double moved_work = m * support::dot(g, moved.position - body.position);
      island.before += kinetic(body, body.velocity, body.spin);
      island.after += kinetic(body, moved.velocity, moved.spin);
      island.after_turned += kinetic(moved, moved.velocity, moved.spin);
      island.by_forces += kinetic(body, body.velocity + h * g, body.spin) - kinetic(body, body.velocity, body.spin);
      island.motion += moved_work;
      island.mean += island.substeps == 1 ? m * h * support::dot(g, moved.velocity - 0.5 * dv)
                                          : moved_work - m * h * support::dot(g, dv) / (2 * island.substeps);
      if (g != Vector{})
        island.implicit += m * h * support::dot(g, moved.velocity) - kinetic(body, dv, moved.spin - body.spin);
      const Vector change = m * (dv - h * g);
      const Vector turning = support::cross(body.position, change) + body.inertia_times(moved.spin - body.spin);
      island.momentum = island.momentum + change;
      island.turning = island.turning + turning;
      const double size =
          m * (support::length(body.velocity) + support::length(moved.velocity) + h * support::length(g));
      island.size_of_momentum += size;
      island.size_of_turning += size * support::length(body.position) + support::length(body.inertia_times(body.spin)) +
                                support::length(body.inertia_times(moved.spin));
    }
  }

  bool is_kinematic(const Step& of, std::int32_t body) const {
    return body >= 0 && !of.bodies[static_cast<std::size_t>(body)].moves();
  }
  static const Vector& velocity_of(const Step& of, std::int32_t body) {
    return of.bodies[static_cast<std::size_t>(body)].velocity;
  }
  /// Notes that the island touches an immovable body. Returns the body's velocity.
  static const Vector& hold(Island& island, const Vector& velocity) {
    island.is_mixed = island.is_mixed || (island.is_held && velocity != island.frame);
    island.is_held = true;
    island.frame = velocity;
    return velocity;
  }
  void add_contacts(const Step& of) {
    for (std::size_t i = 0; i < of.data.contact_count(); ++i) {
      if (of.made.island[i] < 0) continue;
      Island& island = islands_[static_cast<std::size_t>(of.made.island[i])];
      const std::int32_t a = of.data.body_a[i], b = of.data.body_b[i];
      const Vector p = scenes::at(of.made.impulse, i), n = scenes::at(of.data.normal, i);
      if (b < 0) hold(island, {});
      // Kinematic bodies do not turn.
      if (is_kinematic(of, a)) island.carried -= support::dot(p, hold(island, velocity_of(of, a)));
      if (is_kinematic(of, b)) island.carried += support::dot(p, hold(island, velocity_of(of, b)));
      if (!of.data.target_velocity.empty())
        island.work += support::dot(p, n) * std::max(0.0, static_cast<double>(of.data.target_velocity[i]));
      if (!of.data.surface_velocity[0].empty()) island.work += support::dot(p, scenes::at(of.data.surface_velocity, i));
      island.impulses += support::length(p);
      island.overlap += std::max(0.0, -static_cast<double>(of.data.separation.empty() ? T(0) : of.data.separation[i]));
    }
    for (Island& island : islands_) island.lift = island.mass * support::length(drawn_.world.gravity) * island.overlap;
  }
  void add_rows(const Step& of) {
    for (std::size_t r = 0; r < of.data.row_count(); ++r) {
      if (of.made.joint_island[r] < 0) continue;
      Island& island = islands_[static_cast<std::size_t>(of.made.joint_island[r])];
      const auto& row = of.data.joints.rows[r];
      const double impulse = static_cast<double>(of.made.joint_impulse[r]);
      island.has_joints = true;
      island.work += impulse * static_cast<double>(row.target_velocity);
      if (row.body_b < 0) hold(island, {});
      if (!is_kinematic(of, row.body_b)) continue;
      const Vector& v = hold(island, velocity_of(of, row.body_b));
      for (std::size_t c = 0; c < 3; ++c) island.carried -= impulse * static_cast<double>(row.linear_b[c]) * v[c];
    }
  }
  /// Impulses between bodies are equal and opposite. Joints turn their lever arms within the step.
  void judge_momentum(const Island& island) {
    if (island.is_held || island.bodies == 0) return;
    const double unit = momentum_epsilon * (island.size_of_momentum + island.impulses);
    if (unit > 0) v_.add("free groups keep momentum", support::length(island.momentum) / unit);
    if (island.has_joints) return;
    const double turning = momentum_epsilon * (island.size_of_turning + island.impulses * drawn_.size);
    if (turning > 0) v_.add("free groups keep angular momentum", support::length(island.turning) / turning);
  }
  static constexpr double momentum_epsilon = 16 * epsilon;

  const DrawnMotion& drawn_;
  std::vector<std::int32_t> island_of_;
  std::vector<Island> islands_;
  double gained_ = 0, balance_ = 0, play_ = 0, max_kinetic_ = 0, fall_ = 0;
  Verdict v_;
};

}  // namespace carom::probe
