#include "scene_sweeps.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

#include "core/scene/thresholds.hpp"
#include "scene_steps.hpp"

namespace carom::reference {
namespace {

// The mean velocity over the time h of a point at r that rotates with w, [BS] eq. 7. Uses the Padé approximant (2, 2)
// of the rotation: of fourth order like RK4, and a rotation at every angular velocity.
Vector3 mean_turning(const Vector3& w, const Vector3& r, double h) {
  // The limit avoids overflow. The mean velocity is practically 0 beyond it.
  const double angle2 = std::min(h * h * dot(w, w), 1e300), c = 1 - angle2 / 12, scale = 1 / (c * c + angle2 / 4);
  const Vector3 once = cross(w, r);
  return (c * scale) * once + (h / 2 * scale) * cross(w, once);
}

// Turns by θ <= 1 radian in the time h, or by 1/θ. If the normal turned further, it would point away from the impulse
// along it, and the impulse would push its contact shut.
Vector3 at_most_a_radian(const Vector3& w, double h) {
  return 1 / std::max(1.0, h * h * dot(w, w)) * w;
}

}  // namespace

void SceneSweeps::warm_start() {
  for (const SceneBlock& block : island_.sweep_order)
    for (std::size_t i : block.items) {
      if (block.is_group) {
        SceneRow& row = state_.rows[i];
        row.impulse = first_impulse(row, options_);
        apply_impulse(state_, row, row.impulse);
        continue;
      }
      SceneContact& c = state_.contacts[i];
      c.impulse = first_impulse(c, options_.warm_start);
      apply_impulse(state_, c, c.impulse);
    }
  moments_.begin(options_.warm_start);
  moments_.apply();
}

IslandStatus SceneSweeps::run(int most, double tolerance, double runaway) {
  double seen = 0;
  IslandStatus status = IslandStatus::not_converged;
  for (int done = 1; done <= most; ++done) {
    ++sweeps_;
    seen = sweep();
    // Contacts that contradict each other never converge, and sometimes throw the bodies about. So the best of the
    // states after 16, 32, 64 ... sweeps is kept.
    if (method_ == Procedure::resting && done >= 16 && done < most && std::has_single_bit(static_cast<unsigned>(done)))
      keep(seen);
    // A warm-started island may have converged from the start.
    const bool is_early = method_ == Procedure::pgs && done == 1 && most > 1;
    if ((done % 4 == 0 || is_early) && seen <= tolerance) return IslandStatus::converged;
    // Impulses of that size leave their rounding errors in the velocities, even if the sweeps converge afterwards.
    if (done % 4 == 0 && done < most && seen > runaway && seen > kept_missed_) {
      status = IslandStatus::diverged;
      break;
    }
  }
  if (!(seen <= kept_missed_)) return_to_kept();
  return status;
}

template <class F>
void SceneSweeps::each_kept(const F& f) {
  for (std::size_t i : island_.bodies) {
    f(std::span(state_.bodies[i].velocity));
    f(std::span(state_.bodies[i].angular_velocity));
  }
  for (std::size_t i : island_.contacts) f(std::span(state_.contacts[i].impulse));
  for (std::size_t i : island_.rows) f(std::span(&state_.rows[i].impulse, 1));
}

void SceneSweeps::keep(double missed) {
  if (!(missed < kept_missed_)) return;
  kept_missed_ = missed;
  kept_.clear();
  each_kept([&](const auto& numbers) { kept_.insert(kept_.end(), numbers.begin(), numbers.end()); });
}

void SceneSweeps::return_to_kept() {
  if (kept_.empty()) return;
  auto next = kept_.begin();
  each_kept([&](const auto& numbers) {
    for (double& x : numbers) x = *next++;
  });
}

double SceneSweeps::sweep() {
  double seen = 0;
  for (std::size_t n = 0; n < island_.sweep_order.size(); ++n) {
    const SceneBlock& block = island_.sweep_order[n];
    for (int round = 0; round < options_.inner_iterations; ++round) {
      const auto see = [&](double missed) {
        // The violation of contacts is measured in the first inner iteration, the violation of rows in all of them.
        if (round > 0 && !block.is_group) return;
        if (!(missed <= seen)) seen = std::isnan(missed) ? infinity : missed;
      };
      if (triples_[n]) see(visit_at_once(block, *triples_[n]));
      if (moments_.is_there(n)) roll(n);
      for (std::size_t k = triples_[n] ? 3 : 0; k < block.items.size(); ++k) {
        const std::size_t i = block.items[k];
        SceneContact* c = block.is_group ? nullptr : &state_.contacts[i];
        see(has_model_[n] ? visit_model(n, k) : c ? visit(*c, c->frame.k, true, true) : visit(state_.rows[i]));
      }
      if (moments_.is_there(n)) see(moments_.spin(n));
    }
  }
  return seen;
}

void SceneSweeps::propagate_shock(const std::vector<int>& levels) {
  const auto level_of = [&](const SceneBlock& block) { return std::max(levels[block.a], levels[block.b]); };
  int highest = 0;
  for (const SceneBlock& block : island_.blocks)
    if (!block.is_group) highest = std::max(highest, level_of(block));
  std::vector<std::vector<SceneBlock>> of_level(static_cast<std::size_t>(highest) + 1);
  for (const SceneBlock& block : island_.sweep_order)
    if (!block.is_group && level_of(block) > 0) of_level[static_cast<std::size_t>(level_of(block))].push_back(block);

  for (const std::vector<SceneBlock>& blocks : of_level)
    for (int n = 0; n < options_.bender_schmitt.shock_propagation; ++n)
      for (const SceneBlock& block : blocks)
        for (std::size_t visited = 0;
             visited < block.items.size() * static_cast<std::size_t>(options_.inner_iterations); ++visited) {
          SceneContact& c = state_.contacts[block.items[visited % block.items.size()]];
          const bool moves_a = levels[c.a] == level_of(block), moves_b = levels[c.b] == level_of(block);
          const Body a = moves_a ? c.frame.a : Body{}, b = moves_b ? c.frame.b : Body{};
          const Matrix3 k = collision_matrix(a, c.frame.r_a, b, c.frame.r_b);
          // A body that can only turn about its centre has no response of its own.
          if (is_definite(k, a, c.frame.r_a, b, c.frame.r_b)) visit(c, k, moves_a, moves_b);
        }
}

double SceneSweeps::visit(SceneContact& c, const Matrix3& k, bool moves_a, bool moves_b) {
  if (!c.takes_part) return 0;
  const Vector3 velocity = velocity_of(c);
  const ContactStep step{k, velocity, c.impulse, c.friction, c.static_friction};
  const Vector3 impulse = method_ == Procedure::pgs ? step_on_cone(step, options_.relaxation) : step_normal_first(step);
  return take(c, impulse, velocity, moves_a, moves_b);
}

double SceneSweeps::take(SceneContact& c, const Vector3& impulse, const Vector3& velocity, bool moves_a, bool moves_b) {
  const Vector3 change = impulse - c.impulse;
  apply_impulse(state_, c, change, moves_a, moves_b);
  c.impulse = impulse;
  // The speed that the change causes. No contact approaches while impulses decrease.
  const double mass = state_.bodies[c.a].inverse_mass + state_.bodies[c.b].inverse_mass;
  const double of_change = mass * std::sqrt(dot(change, change));
  const bool is_number = !std::isnan(of_change + velocity[0] + velocity[1] + velocity[2]);
  return is_number ? std::max({of_change, -velocity[2], 0.0}) : infinity;
}

double SceneSweeps::visit_model(std::size_t n, std::size_t k) {
  SceneContact& c = state_.contacts[island_.sweep_order[n].items[k]];
  const Vector3 velocity = velocity_of(c);
  const EllipseImpulse next = step_on_ellipse(ellipse_step(c, velocity), options_.relaxation);
  if (k == 0) moments_.set_stuck(n, next.sticks);
  return take(c, next.impulse, velocity, true, true);
}

void SceneSweeps::roll(std::size_t n) {
  const SceneContact& first = state_.contacts[island_.sweep_order[n].items[0]];
  const Vector3 velocity = velocity_of(first);
  moments_.roll(n, velocity, ellipse_step(first, velocity).k);
}

double SceneSweeps::visit(SceneRow& row) {
  const double seen = residual(state_, row);
  const double impulse =
      std::clamp(row.impulse - options_.relaxation * deviation(state_, row) / row.diagonal, row.least, row.largest);
  apply_impulse(state_, row, impulse - row.impulse);
  row.impulse = impulse;
  return seen;
}

std::optional<Cholesky> SceneSweeps::triple_of(const SceneBlock& block) const {
  if (!block.is_group || block.items.size() < 3) return std::nullopt;
  Matrix3 k{};
  for (std::size_t i = 0; i < 3; ++i) {
    const SceneRow& row = state_.rows[block.items[i]];
    if (has_bound(row)) return std::nullopt;
    for (std::size_t j = 0; j < 3; ++j) k[i][j] = coupling(state_, row, state_.rows[block.items[j]]);
    k[i][i] = row.diagonal;
  }
  // Pivots are ratios of the leading minors.
  const double minor2 = k[0][0] * k[1][1] - k[0][1] * k[0][1], minor3 = dot(k[0], cross(k[1], k[2]));
  const double least = SceneThresholds::triple_pivot;
  if (!(minor2 > least * k[0][0] * k[1][1]) || !(minor3 > least * k[2][2] * minor2)) return std::nullopt;
  return Cholesky::of(k);
}

double SceneSweeps::visit_at_once(const SceneBlock& block, const Cholesky& factor) {
  double seen = 0;
  Vector3 off{};
  for (std::size_t i = 0; i < 3; ++i) {
    off[i] = deviation(state_, state_.rows[block.items[i]]);
    if (!(std::abs(off[i]) <= seen)) seen = std::abs(off[i]);
  }
  const Vector3 change = -options_.relaxation * factor.solve(off);
  for (std::size_t i = 0; i < 3; ++i) {
    SceneRow& row = state_.rows[block.items[i]];
    apply_impulse(state_, row, change[i]);
    row.impulse += change[i];
  }
  return seen;
}

Vector3 SceneSweeps::velocity_of(const SceneContact& c) const {
  if (method_ == Procedure::resting) return predicted_velocity_of(c);
  const Vector3 u = relative_velocity(state_, c);
  return {u[0] + c.slip_give * c.impulse[0], u[1] + c.slip_give * c.impulse[1],
          u[2] + c.give * c.impulse[2] - c.target};
}

Vector3 SceneSweeps::predicted_velocity_of(const SceneContact& c) const {
  const double h = options_.time_step;
  const Body &a = state_.bodies[c.a], &b = state_.bodies[c.b];
  const Vector3 n = c.frame.to_contact[2];
  // The gap after the step, divided by the step.
  const Vector3 u = a.velocity + mean_turning(a.angular_velocity, c.data.r_a, h) - b.velocity -
                    mean_turning(b.angular_velocity, c.data.r_b, h) - c.surface_slip + (c.separation / h) * n;
  const Vector3 turned_normal = n + h * mean_turning(at_most_a_radian(b.angular_velocity, h), n, h);
  const double opening = dot(u, turned_normal);
  const Vector3 slip = c.frame.to_contact * (u - opening * turned_normal);
  return {slip[0], slip[1], opening - c.target};
}

double SceneSweeps::contact_residual() const {
  double greatest = 0;
  for (std::size_t i : island_.contacts) {
    const SceneContact& c = state_.contacts[i];
    if (c.takes_part) greatest = std::max(greatest, -velocity_of(c)[2]);
  }
  return greatest;
}

}  // namespace carom::reference
