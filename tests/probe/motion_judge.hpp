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
  none,       ///< the method promises nothing
  solved,     ///< forces act before the impulses, which add nothing
  in_motion,  ///< forces act over the step
};

template <class T>
class MotionJudge {
 public:
  /// Share of the energy in play that may be gained, where the work of forces is known exactly. The work in substeps is
  /// known to `about`, and with rebounds in the middle of steps to `about_rebounds`.
  static constexpr double tolerance = sizeof(T) == sizeof(float) ? 1e-4 : 1e-5, about = 1e-3, about_rebounds = 0.05;
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
      // Impulses are those before energy is removed.
      const double removed = island.work != 0 ? island.removed : 0;
      const double excess = kinetic - island.before - work - island.work - removed;
      play_ += std::abs(work) + std::abs(island.work);
      const bool is_sharp = !island.has_joints && (is_free || is_implicit || of.law == EnergyLaw::solved);
      if (is_sharp) gained_ += std::max(excess, 0.0);
      balance_ += excess;
      if (!std::isfinite(excess)) gained_ = std::numeric_limits<double>::infinity();
    }
    most_kinetic_ = std::max({most_kinetic_, before, after});
    fall_ = weight * drawn_.size;
    const double play = this->play();
    if (play > 0) {
      v_.add("no island gains energy in a step", bound * gained_ / (tolerance * play));
      v_.add("energy stays below start and work",
             bound * balance_ / ((drawn_.world.restitution > 0 ? about_rebounds : about) * play));
    }
  }

  const Verdict& verdict() const { return v_; }
  double gained() const { return gained_; }
  double balance() const { return balance_; }
  /// [J] energy in play: kinetic energy, work, and what bodies have when they fall by their size
  double play() const { return most_kinetic_ + play_ + fall_; }

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
    double work = 0;                                 // of targets, surfaces and kinematic bodies
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
    const SubstepsOptions& o = drawn_.options.substeps;
    return drawn_.options.method == SceneMethod::substeps && o.least == 1 && o.most > 1 && island.substeps == 1;
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
  void add_contacts(const Step& of) {
    for (std::size_t i = 0; i < of.data.contact_count(); ++i) {
      if (of.made.island[i] < 0) continue;
      Island& island = islands_[static_cast<std::size_t>(of.made.island[i])];
      const std::int32_t a = of.data.body_a[i], b = of.data.body_b[i];
      const Vector p = scenes::at(of.made.impulse, i), n = scenes::at(of.data.normal, i);
      if (b < 0 || is_kinematic(of, a) || is_kinematic(of, b)) island.is_held = true;
      if (is_kinematic(of, a))
        island.work -=
            support::dot(p, of.bodies[static_cast<std::size_t>(a)].velocity_at(scenes::at(of.data.lever_a, i)));
      if (is_kinematic(of, b))
        island.work +=
            support::dot(p, of.bodies[static_cast<std::size_t>(b)].velocity_at(scenes::at(of.data.lever_b, i)));
      if (!of.data.target_velocity.empty())
        island.work += support::dot(p, n) * std::max(0.0, static_cast<double>(of.data.target_velocity[i]));
      if (!of.data.surface_velocity[0].empty()) island.work += support::dot(p, scenes::at(of.data.surface_velocity, i));
      island.impulses += support::length(p);
      island.overlap += std::max(0.0, -static_cast<double>(of.data.gap.empty() ? T(0) : of.data.gap[i]));
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
      if (row.body_b < 0) island.is_held = true;
      island.impulses += std::abs(impulse);
      island.lift += island.mass * support::length(drawn_.world.gravity) * std::abs(static_cast<double>(row.error));
      if (!is_kinematic(of, row.body_b)) continue;
      island.is_held = true;
      const MotionBody& b = of.bodies[static_cast<std::size_t>(row.body_b)];
      for (std::size_t c = 0; c < 3; ++c)
        island.work -= impulse * (static_cast<double>(row.linear_b[c]) * b.velocity[c] +
                                  static_cast<double>(row.angular_b[c]) * b.spin[c]);
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
  double gained_ = 0, balance_ = 0, play_ = 0, most_kinetic_ = 0, fall_ = 0;
  Verdict v_;
};

}  // namespace carom::probe
