// Load: the contacts and rows of an island, its number of substeps, and the price of its matrix.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "core/scene/thresholds.hpp"
#include "reference/contact/vector.hpp"
#include "reference/scene/scene_models.hpp"
#include "scene_direct_solver.hpp"

namespace carom::reference {
namespace {

using Thresholds = SceneThresholds;

// The axes of the world that have no part in an inverse inertia: about them the body cannot turn.
std::array<bool, 3> locked_axes(const Matrix3& m) {
  return {m[0] == Vector3{}, m[1] == Vector3{}, m[2] == Vector3{}};
}

// Multiply-adds of a sparse factorisation with 6 × 6 blocks, for the order of minimum degree. Ties go to the lower
// index. The count stops above `most`.
double work_of_factorisation(const DirectIsland& island, double most) {
  std::vector<std::set<std::size_t>> neighbours(island.movable);
  const auto connect = [&](std::size_t a, std::size_t b) {
    if (a >= island.movable || b >= island.movable) return;
    neighbours[a].insert(b);
    neighbours[b].insert(a);
  };
  for (const auto& [first, end] : island.manifolds) connect(island.points[first].a, island.points[first].b);
  for (const DirectRow& row : island.rows) connect(row.a, row.b);
  std::set<std::pair<std::size_t, std::size_t>> left;  // degrees and bodies
  for (std::size_t i = 0; i < neighbours.size(); ++i) left.insert({neighbours[i].size(), i});
  double work = 0;
  while (!left.empty() && !(work > most)) {
    const std::size_t body = left.begin()->second;
    left.erase(left.begin());
    const std::set<std::size_t>& border = neighbours[body];
    const auto blocks = static_cast<double>(border.size());
    work += 112 + 126 * blocks + 108 * blocks * (blocks + 1);
    for (std::size_t i : border) {
      left.erase({neighbours[i].size(), i});
      neighbours[i].insert(border.begin(), border.end());
      neighbours[i].erase(i);
      neighbours[i].erase(body);
      left.insert({neighbours[i].size(), i});
    }
  }
  return work;
}

bool is_plain(const SceneContact& c) {
  return !has_model(c) && !std::isfinite(c.frequency);
}

}  // namespace

std::optional<Matrix3> inverse_of(Matrix3 m, const std::array<bool, 3>& locked) {
  const std::size_t count = static_cast<std::size_t>(std::ranges::count(locked, true));
  if (count == 3) return Matrix3{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      if (locked[i] || locked[k]) m[i][k] = 0;
  const double diagonal = trace(m);
  for (std::size_t i = 0; i < 3; ++i)
    if (locked[i]) m[i][i] = diagonal;
  const Matrix3 cofactors = {cross(m[1], m[2]), cross(m[2], m[0]), cross(m[0], m[1])};
  const double determinant = dot(m[0], cofactors[0]), size = trace(m);
  if (!(determinant > 1e-12 * size * size * size) || !(determinant < 1e300)) return std::nullopt;
  Matrix3 made{1 / determinant * cofactors[0], 1 / determinant * cofactors[1], 1 / determinant * cofactors[2]};
  for (std::size_t i = 0; i < 3; ++i)
    if (locked[i]) made[i][i] = 0;
  return made;
}

bool DirectSolver::add_body(std::size_t place) {
  const Body& from = state_.bodies[place];
  DirectBody body;
  body.place = place;
  const Twist now = twist_of(from), forces = state_.change_of(place);
  if (state_.is_movable(place)) {
    body.locked = locked_axes(from.inverse_inertia);
    const std::optional<Matrix3> inertia = inverse_of(from.inverse_inertia, body.locked);
    for (std::size_t i = 0; i < 3; ++i)
      if (body.locked[i] && now.angular_velocity[i] != 0) return false;
    body.inverse_mass = from.inverse_mass;
    body.mass = 1 / from.inverse_mass;
    if (!(from.inverse_mass > 0) || !std::isfinite(body.mass) || !inertia) return false;
    body.inverse_inertia = body.first_inverse_inertia = from.inverse_inertia;
    body.inertia = body.first_inertia = *inertia;
  }
  index_of_[place] = of_.bodies.size();
  of_.bodies.push_back(body);
  of_.free.push_back(now);
  of_.before.push_back(now - forces);
  forces_.push_back(forces);
  return true;
}

void DirectSolver::add_bodies(const SceneBlock& block) {
  for (std::size_t place : {block.a, block.b})
    if (!index_of_.contains(place)) add_body(place);
}

void DirectSolver::add(const SceneBlock& block) {
  const std::size_t begin = of_.points.size();
  add_bodies(block);
  for (std::size_t i : block.items) {
    const SceneContact& c = state_.contacts[i];
    DirectPoint p;
    p.contact = i;
    p.a = index_of_[block.a];
    p.b = index_of_[block.b];
    const Vector3 normal = normalized(c.data.normal);
    const auto [first, second] = tangents(normal);
    p.axes = {first, second, normal};
    p.r_a = c.data.r_a;
    p.r_b = c.data.r_b;
    p.friction = c.friction;
    p.separation = p.first_gap = c.separation;
    p.slop = slop_of(state_, c, options_);
    p.restitution = c.data.restitution;
    p.min_velocity = c.min_velocity;
    p.inverse_mass = of_.bodies[p.a].inverse_mass + of_.bodies[p.b].inverse_mass;
    p.target = p.axes * c.surface_velocity;
    const Vector3 warm = options_.warm_start * (p.axes * c.warm_impulse);
    if (warm[2] > 0) p.next_impulse = with_friction_within(p.friction * warm[2], warm);
    of_.points.push_back(p);
  }
  of_.manifolds.push_back({begin, of_.points.size()});
}

void DirectSolver::add_group(const SceneBlock& block) {
  add_bodies(block);
  for (std::size_t i : block.items) {
    const SceneRow& from = state_.rows[i];
    DirectRow row{from};
    row.row = i;
    row.a = index_of_[block.a];
    row.b = index_of_[block.b];
    row.first_r_a = row.r_a = from.r_a;
    row.first_r_b = row.r_b = from.r_b;
    row.wanted = from.target;
    row.first_error = row.error = from.error;
    row.least = from.least;
    row.largest = from.largest;
    row.allowed_error = slop_of(state_, block.a, block.b, options_) *
                        (from.has_error ? Thresholds::direct_closed : Thresholds::direct_joint_drift);
    row.keeps_position = std::isinf(from.frequency);
    row.next_impulse = first_impulse(from, options_);
    const DirectBody &a = of_.bodies[row.a], &b = of_.bodies[row.b];
    const double mass =
        a.inverse_mass * dot(row.linear_a, row.linear_a) + b.inverse_mass * dot(row.linear_b, row.linear_b);
    const double spin =
        dot(row.angular_a, a.inverse_inertia * row.angular_a) + dot(row.angular_b, b.inverse_inertia * row.angular_b);
    row.response = from.diagonal;
    row.mass = 1 / (mass > 0 ? mass : spin);
    row.weight = Thresholds::direct_joint_weight * row.mass;
    of_.rows.push_back(row);
  }
}

// The arms of joints turn by no more than a small angle in a substep.
int DirectSolver::number_of_substeps() const {
  double fastest = 0;
  const auto take = [&](std::size_t body, const Vector3& arm) {
    const Vector3 speed = cross(of_.free[body].angular_velocity, arm);
    if (body < of_.movable && dot(arm, arm) > 0)
      fastest = std::max(fastest, std::sqrt(dot(speed, speed) / dot(arm, arm)));
  };
  for (const DirectRow& row : of_.rows) {
    take(row.a, row.first_r_a);
    take(row.b, row.first_r_b);
  }
  const double angle = fastest * options_.time_step;
  const bool has_contacts = !of_.points.empty();
  if (!(angle > (has_contacts ? Thresholds::direct_contact_still_turn : Thresholds::direct_still_turn))) return 1;
  int substeps = 2;
  while (angle > (has_contacts ? Thresholds::direct_contact_arm_turn : Thresholds::direct_arm_turn) * substeps)
    substeps *= 2;
  while (substeps > std::min(Thresholds::direct_substeps, options_.substeps.max_substeps)) substeps /= 2;
  return substeps;
}

// Returns false for an island with other than plain contacts and rows of bodies with a mass and an inertia.
bool DirectSolver::load() {
  if (static_cast<double>(island_.bodies.size()) > Thresholds::direct_bodies) return false;
  for (std::size_t i : island_.contacts)
    if (!is_plain(state_.contacts[i])) return false;
  for (std::size_t place : island_.bodies)
    if (!add_body(place)) return false;
  of_.movable = of_.bodies.size();
  for (const SceneBlock& block : island_.blocks) block.is_group ? add_group(block) : add(block);
  substeps_ = std::max(number_of_substeps(), options_.substeps.min_direct_substeps);
  h_ = options_.time_step / substeps_;
  of_.weight_speed /= substeps_;
  for (DirectPoint& p : of_.points) p.next_impulse = 1.0 / substeps_ * p.next_impulse;
  for (DirectRow& row : of_.rows) {
    row.next_impulse /= substeps_;
    row.least /= substeps_;
    row.largest /= substeps_;
    // A frequency makes a spring and a damper, integrated implicitly.
    const SceneRow& from = state_.rows[row.row];
    row.compliance = substeps_ * from.compliance;
    if (from.frequency > 0 && std::isfinite(from.frequency)) {
      const SoftStep soft(from.frequency, from.damping_ratio, h_);
      row.spring_rate = soft.rate;
      row.compliance += row.response / soft.answer;
    }
    row.weight = 1 / (1 / row.weight + row.compliance);
    row.first_velocity = DirectIsland::velocity_of(row, of_.free);
  }
  double mass = 0;
  for (const DirectBody& body : of_.bodies) mass += body.mass;
  of_.mean_weight = of_.weight_speed * mass / static_cast<double>(of_.movable);
  return true;
}

bool DirectSolver::is_small(int substeps) {
  const auto points = static_cast<double>(of_.points.size());
  const double visits = options_.substeps.inner_iterations *
                        (options_.substeps.iterations + options_.substeps.position_correction.relax_iterations);
  const double sweeps = (80 * points + 48 * static_cast<double>(of_.rows.size())) * visits * substeps;
  const double most = std::min(Thresholds::direct_work, sweeps / Thresholds::direct_tries);
  const double work = work_of_factorisation(of_, most);
  // The credit of an island without a past.
  const double interior_point = 12 * (work + 350 * points);
  const double price = (Thresholds::direct_tries * work + interior_point) / sweeps;
  may_use_interior_point_ = price <= Thresholds::direct_credit || interior_point < Thresholds::direct_small;
  return work <= most;
}

}  // namespace carom::reference
