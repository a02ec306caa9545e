#include "delassus.hpp"

#include <algorithm>
#include <carom/scene_options.hpp>
#include <carom/status.hpp>
#include <string>

namespace carom::scene::coulomb {
namespace {

using systems::at;

void add_bodies(const Cone& a, const Cone& b, double* block) {
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t t = 0; t < 2; ++t)
      if (a.body[s] >= 0 && a.body[s] == b.body[t])
        for (std::size_t i = 0; i < 3; ++i)
          for (std::size_t j = 0; j < 3; ++j) block[3 * i + j] += dot(a.side[s][i].of, b.side[t][j].response);
}

}  // namespace

void Delassus::find_nodes(const Constraints& constraints) {
  const std::size_t cones = constraints.cone.size();
  node_.resize(cones);
  node_begin_.assign(bilateral_.clusters() + constraints.body.size() + 1, 0);
  const auto node_of = [&](std::int32_t body) {
    if (body < 0) return -1;
    const std::int32_t cluster = bilateral_.cluster_of(body);
    return cluster != Bilateral::none ? cluster : static_cast<std::int32_t>(bilateral_.clusters()) + body;
  };
  for (std::size_t i = 0; i < cones; ++i) {
    node_[i] = {node_of(constraints.cone[i].body[0]), node_of(constraints.cone[i].body[1])};
    if (node_[i][1] == node_[i][0]) node_[i][1] = -1;
    for (const std::int32_t node : node_[i])
      if (node >= 0) ++node_begin_[at(node) + 1];
  }
  for (std::size_t n = 1; n < node_begin_.size(); ++n) node_begin_[n] += node_begin_[n - 1];
  cones_of_.resize(node_begin_.back());
  next_.assign(node_begin_.begin(), node_begin_.end() - 1);
  for (std::size_t i = 0; i < cones; ++i)
    for (const std::int32_t node : node_[i])
      if (node >= 0) cones_of_[next_[at(node)]++] = i;
}

/// The constraints of both nodes of a constraint, in order.
void Delassus::list_blocks(systems::IslandSystem& system, std::size_t cones) {
  const auto of = [&](std::int32_t node) {
    return node < 0 ? std::pair{std::size_t{0}, std::size_t{0}}
                    : std::pair{node_begin_[at(node)], node_begin_[at(node) + 1]};
  };
  system.clear();
  for (std::size_t i = 0; i < cones; ++i) {
    auto [a, end_a] = of(node_[i][0]);
    auto [b, end_b] = of(node_[i][1]);
    while (a < end_a || b < end_b) {
      const std::size_t from_a = a < end_a ? cones_of_[a] : cones, from_b = b < end_b ? cones_of_[b] : cones;
      const std::size_t j = std::min(from_a, from_b);
      if (j == i) system.diagonal.push_back(static_cast<std::int32_t>(system.column.size()));
      system.column.push_back(static_cast<std::int32_t>(j));
      a += from_a == j ? 1u : 0u;
      b += from_b == j ? 1u : 0u;
    }
    // BlockBound does not detect finite limits that are too large to act, so an island may exceed its bound.
    if (system.column.size() > SceneLimits::most_blocks)
      throw Error("carom: the method coulomb needs more than SceneLimits::most_blocks, " +
                  std::to_string(SceneLimits::most_blocks) + ", for an island of " + std::to_string(cones) +
                  " contacts and rows with bounds: too many are on bodies that rows without bounds connect");
    system.row_start.push_back(static_cast<std::int32_t>(system.column.size()));
  }
  system.block.assign(9 * system.column.size(), 0);
}

/// L⁻¹ d of rows with these impulses.
void Delassus::find_missed(const Constraints& constraints, const std::vector<double>& lambda) {
  for (std::size_t k = 0; k < missed_.size(); ++k) {
    const std::size_t r = bilateral_.row_at(k);
    const Row& row = constraints.row[r];
    missed_[k] = (lambda.empty() ? 0 : row.compliance * lambda[r]) - row.target;
    for (std::size_t s = 0; s < 2; ++s)
      if (row.body[s] >= 0) missed_[k] += dot(row.side[s].of, constraints.velocity[at(row.body[s])]);
  }
  for (std::size_t c = 0; c < bilateral_.clusters(); ++c) {
    const std::size_t first = bilateral_.first_of(c);
    bilateral_.solve_lower(first, bilateral_.end_of(c), 1, missed_.data() + first);
  }
}

void Delassus::find_effects(const Constraints& constraints) {
  missed_.resize(constraints.row.size());
  find_missed(constraints, {});
  x_.clear();
  effect_.assign(constraints.cone.size(), {});
  for (std::size_t i = 0; i < constraints.cone.size(); ++i)
    for (std::size_t n = 0; n < 2; ++n) {
      if (!is_cluster(node_[i][n])) continue;
      const Cone& cone = constraints.cone[i];
      const std::size_t cluster = at(node_[i][n]), end = bilateral_.end_of(cluster);
      Effect& effect = effect_[i][n];
      effect = {x_.size(), end};
      for (std::size_t k = bilateral_.first_of(cluster); k < end; ++k) {
        const Row& row = constraints.row[bilateral_.row_at(k)];
        double b[3] = {};
        bool any = false;
        for (std::size_t s = 0; s < 2; ++s)
          for (std::size_t t = 0; t < 2; ++t)
            if (row.body[s] >= 0 && row.body[s] == cone.body[t]) {
              any = true;
              for (std::size_t d = 0; d < 3; ++d) b[d] += dot(row.side[s].of, cone.side[t][d].response);
            }
        if (!any && effect.first == end) continue;
        effect.first = std::min(effect.first, k);
        x_.insert(x_.end(), b, b + 3);
      }
      bilateral_.solve_lower(effect.first, end, 3, x_.data() + effect.begin);
    }
}

/// − Xᵀ X of the clusters that two constraints share.
void Delassus::add_effects(std::size_t i, std::size_t j, double* block) const {
  for (std::size_t m = 0; m < 2; ++m)
    for (std::size_t n = 0; n < 2; ++n) {
      if (!is_cluster(node_[i][m]) || node_[i][m] != node_[j][n]) continue;
      const Effect &a = effect_[i][m], &b = effect_[j][n];
      const std::size_t end = bilateral_.end_of(at(node_[i][m]));
      for (std::size_t k = std::max(a.first, b.first); k < end; ++k) {
        const double* const x = x_.data() + a.begin + 3 * (k - a.first);
        const double* const y = x_.data() + b.begin + 3 * (k - b.first);
        for (std::size_t c = 0; c < 3; ++c)
          for (std::size_t d = 0; d < 3; ++d) block[3 * c + d] -= x[c] * y[d];
      }
    }
}

bool is_moment(const Cone& cone) {
  return cone.kind == Cone::moment;
}

void list_moments(const std::vector<Cone>& cones, systems::IslandSystem& system) {
  if (std::none_of(cones.begin(), cones.end(), is_moment)) return;
  system.moment.assign(cones.size(), -1);
  system.bearer.assign(cones.size(), -1);
  for (std::size_t i = 0; i < cones.size(); ++i)
    if (is_moment(cones[i])) {
      system.bearer[i] = static_cast<std::int32_t>(i - 1);
      system.moment[i - 1] = static_cast<std::int32_t>(i);
    }
}

void list_bodies(const Constraints& constraints, systems::BodyForm& bodies) {
  bodies.clear();
  if (!constraints.row.empty()) return;
  bodies.bodies = constraints.body.size();
  for (const Cone& cone : constraints.cone) {
    bodies.body.push_back(cone.body);
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t d = 0; d < 3; ++d) {
        const auto& [of, response] = cone.side[s][d];
        bodies.direction.insert(bodies.direction.end(), of.begin(), of.end());
        bodies.response.insert(bodies.response.end(), response.begin(), response.end());
      }
    bodies.extra.insert(bodies.extra.end(), cone.extra, cone.extra + 3);
  }
}

void Delassus::assemble(const Constraints& constraints, systems::IslandSystem& system, systems::BodyForm& bodies) {
  const std::vector<Cone>& cone = constraints.cone;
  bilateral_.factor(constraints);
  find_nodes(constraints);
  list_blocks(system, cone.size());
  list_moments(cone, system);
  find_effects(constraints);
  list_bodies(constraints, bodies);
  // Blocks above the diagonal are those below it, transposed, and are met in the order of their rows.
  next_.resize(cone.size());
  for (std::size_t i = 0; i < cone.size(); ++i) next_[i] = at(system.diagonal[i]) + 1;
  for (std::size_t i = 0; i < cone.size(); ++i) {
    for (std::size_t k = at(system.row_start[i]); k <= at(system.diagonal[i]); ++k) {
      const std::size_t j = at(system.column[k]);
      double* const block = &system.block[9 * k];
      add_bodies(cone[i], cone[j], block);
      const double whole[3] = {block[0], block[4], block[8]};
      if (!constraints.row.empty()) add_effects(i, j, block);
      if (j == i) {
        for (std::size_t c = 0; c < 3; ++c) {
          // If joints block a direction up to rounding, impulses have no effect. The larger diagonal keeps them small.
          if (!(block[4 * c] > SceneThresholds::least_pivot * whole[c])) block[4 * c] += whole[c];
          block[4 * c] += cone[i].extra[c];
        }
        continue;
      }
      double* const other = &system.block[9 * next_[j]++];
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < 3; ++d) other[3 * d + c] = block[3 * c + d];
    }
    system.friction.push_back(cone[i].friction);
    double q[3] = {cone[i].q[0], cone[i].q[1], cone[i].q[2]};
    for (std::size_t n = 0; n < 2; ++n) {
      if (!is_cluster(node_[i][n])) continue;
      const Effect& effect = effect_[i][n];
      for (std::size_t k = effect.first; k < bilateral_.end_of(at(node_[i][n])); ++k)
        for (std::size_t c = 0; c < 3; ++c) q[c] -= x_[effect.begin + 3 * (k - effect.first) + c] * missed_[k];
    }
    system.q.insert(system.q.end(), q, q + 3);
  }
}

void Delassus::apply(Constraints& constraints, const systems::Numbers& r, std::vector<double>& lambda) {
  for (std::size_t i = 0; i < constraints.cone.size(); ++i) {
    const Cone& cone = constraints.cone[i];
    for (std::size_t s = 0; s < 2; ++s)
      if (cone.body[s] >= 0)
        for (std::size_t d = 0; d < 3; ++d)
          add(constraints.velocity[at(cone.body[s])], r[3 * i + d], cone.side[s][d].response);
  }
  lambda.assign(constraints.row.size(), 0);
  if (lambda.empty()) return;
  // Twice: the second pass removes the rounding error of the first.
  for (int turn = 0; turn < 2; ++turn) {
    find_missed(constraints, lambda);
    bilateral_.solve_upper(missed_);
    for (std::size_t k = 0; k < lambda.size(); ++k) {
      const Row& row = constraints.row[bilateral_.row_at(k)];
      lambda[bilateral_.row_at(k)] -= missed_[k];
      for (std::size_t s = 0; s < 2; ++s)
        if (row.body[s] >= 0) add(constraints.velocity[at(row.body[s])], -missed_[k], row.side[s].response);
    }
  }
}

}  // namespace carom::scene::coulomb
