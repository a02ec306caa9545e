// Direct islands in a saved state: scene/call/state_archive.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "scene/solvers/direct/direct_islands.hpp"
#include "state_archive.hpp"

namespace carom::kernel {

template <class Archive>
void carry(Archive& archive, BodyRow& of) {
  archive(of.at);
}

}  // namespace carom::kernel

namespace carom::scene::direct {

// Structured bindings do not compile once a member is added.

template <class Archive>
void carry(Archive& archive, JointVectors& of) {
  auto& [linear_a, angular_a, linear_b, angular_b] = of;
  archive(linear_a, angular_a, linear_b, angular_b);
}

template <class Archive>
void Certificate::Manifold::carry(Archive& archive) {
  auto& [row_a, row_b, axes, friction_of_cone, weight_of_points, first_point, end_point] = *this;
  archive(row_a, row_b, axes, friction_of_cone, weight_of_points, first_point, end_point);
}

template <class Archive>
void Certificate::Point::carry(Archive& archive) {
  auto& [on_a, on_b, y, z, normal_target] = *this;
  archive(on_a, on_b, y, z, normal_target);
}

template <class Archive>
void Certificate::Named::carry(Archive& archive) {
  auto& [name, number, number_of_manifold] = *this;
  archive(name, number, number_of_manifold);
}

template <class Archive>
void Certificate::carry(Archive& archive) {
  auto& [wait_, waited_, refused_, held_, was_direct_, is_cheap_, is_late_, is_certified_, holds_, forces_, contacts_,
         phase, bodies_of_island, sorted, name, time_step, fails, manifolds, points, names, touches, right, x, radius,
         column_reached, iterations, alpha, enough, unbalanced, slow_motion, miss, saved, speed, speed_loaded] = *this;
  archive.list(bodies_of_island);
  if (bodies_of_island.empty()) return forget();
  archive(wait_, waited_, refused_, held_, fails, was_direct_, is_cheap_, is_late_, is_certified_, holds_, forces_,
          contacts_, name, time_step);
  for (const int count : {wait_, waited_, refused_, held_, fails}) archive.want(count >= 0 && count < 1 << 30);
  archive.choice(phase, Phase::is_complete);
  if (phase == Phase::idle) return;
  archive(column_reached, iterations, alpha, enough, unbalanced, slow_motion, miss, saved, speed, speed_loaded);
  archive.list(manifolds);
  archive.list(points);
  archive.list(names);
  archive.list(right);
  archive.array(radius, right.size());
  if constexpr (Archive::reads) {
    x.assign(right.size(), BodyRow{});
    // No budget comes near the second number.
    archive.want(column_reached <= right.size() && iterations >= 0 && iterations < 1 << 30 && saved < 1e10);
    for (const Manifold& m : manifolds)
      archive.want(m.a >= 0 && m.b >= 0 && m.first <= m.end && m.end <= points.size());
    for (const Named& of : names) archive.want(of.point < points.size() && of.manifold < manifolds.size());
  }
}

template <class Archive>
void DirectIsland::carry(Archive& archive, const kernel::BlockKernels& kernels) {
  const std::optional<std::size_t> columns_before = columns_of_matrix();
  const bool was_planned = is_planned_;
  bool fits = fits_;
  std::size_t bodies = factor_.bodies();
  archive(name_, is_planned_, has_factor_, is_stopped_, solves_);
  certificate_.carry(archive);
  bool has_new_plan = !was_planned;
  if (is_planned_) {
    if constexpr (Archive::reads) archive.has_changed();
    archive(fits, bodies);
    archive.list(edges_);
    // The order of elimination may depend on where the bodies were.
    Array<std::uint32_t>& order = factor_.order();
    archive.array(order, bodies);
    if constexpr (Archive::reads) {
      has_new_plan = archive.has_changed() || !was_planned;
      constexpr auto most = static_cast<std::size_t>(SceneThresholds::large_max_bodies);
      archive.want(bodies > 0 && bodies <= most);
      const auto is_body = [&](std::int32_t i) { return i >= 0 && static_cast<std::size_t>(i) < bodies; };
      for (const Edge& edge : edges_) archive.want(is_body(edge[0]) && is_body(edge[1]) && edge[0] != edge[1]);
      if (has_new_plan) {
        factor_.use(kernels);
        archive.want(factor_.is_order());
        fits_ = factor_.plan_again(edges_, fits ? SceneThresholds::large_max_work : 0);
      }
      archive.want(fits_ == fits);
    }
  }
  const std::optional<std::size_t> columns = columns_of_matrix();
  if (!columns) return;
  archive.want(is_planned_ && fits_ && (has_factor_ || certificate_.bodies() == bodies));
  if constexpr (Archive::reads) archive.has_changed();
  auto& [inverse_inertia, inertia, locked, axes, arms, rows, row_weights] = factored_;
  archive.list(last_matrix_);
  archive.array(inverse_inertia, bodies);
  archive.array(inertia, bodies);
  archive.array(locked, bodies);
  archive.list(axes);
  archive.list(arms);
  archive.list(rows);
  archive.array(row_weights, rows.size());
  if constexpr (Archive::reads) {
    const bool is_same = !archive.has_changed() && !has_new_plan && columns == columns_before;
    archive.want(is_same || read_matrix());
    // A matrix that cannot be factored has no factor.
    if (!is_same && !factor_again(*columns)) forget_factor();
  }
}

template <class Archive>
void DirectMemory::carry(Archive& archive, const kernel::BlockKernels& kernels) {
  Array<std::uint32_t>& order = local;  // it has room for all bodies, and no call reads it before it is set
  order.clear();
  for (std::uint32_t s = 0; s < body_of_solver.size(); ++s)
    if (body_of_solver[s] >= 0) order.push_back(s);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return body_of_solver[a] < body_of_solver[b]; });
  std::size_t count = order.size();
  archive(count);
  if constexpr (Archive::reads) {
    // Solvers are in the order of their bodies, so that they mostly have their plans.
    archive.want(count <= SceneLimits::max_bodies);
    order.clear();
    body_of_solver.clear();
    for (std::uint32_t s = 0; s < count; ++s) {
      if (s == solvers.size()) solvers.push_back(make_owned<DirectIsland>());
      std::int32_t body = 0;
      archive(body);
      archive.want(body >= 0 && (s == 0 || body > body_of_solver.back()));
      body_of_solver.push_back(body);
      solvers[s]->carry(archive, kernels);
      order.push_back(s);
    }
    body_of_solver.resize(solvers.size(), -1);
  } else {
    for (const std::uint32_t s : order) {
      archive(body_of_solver[s]);
      solvers[s]->carry(archive, kernels);
    }
  }
}

}  // namespace carom::scene::direct
