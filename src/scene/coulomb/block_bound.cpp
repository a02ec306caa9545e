#include "block_bound.hpp"

#include <algorithm>
#include <carom/scene.hpp>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "forest.hpp"

namespace carom::scene::coulomb {

template <class T>
void BlockBound::check(const SceneOptions& options, const kernel::SceneJob<T>& job, const Graph& graph,
                       const Parts& parts) {
  constexpr auto most = static_cast<double>(SceneLimits::most_blocks);
  // A constraint has at most two bodies, so n of them have at most 2 n² blocks.
  const double all = static_cast<double>((parts.models != nullptr ? 2 : 1) * parts.contacts + parts.rows);
  if (2 * all * all <= most) return;

  const auto index = [](std::int32_t body) { return static_cast<std::size_t>(body); };
  const auto is_movable = [&](std::int32_t body) { return body >= 0 && parts.movable[body] != 0; };
  const JointRows<T>& joints = job.scene->joints;
  const auto count_bounded = [&](const Constraint& group) {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    std::uint32_t bounded = 0;
    for (std::uint32_t r = 0; r < group.count; ++r) {
      const std::uint32_t i = kernel::number_at(job.row_at, group.first + r);
      const bool has_bound = (joints.least_impulse && joints.least_impulse[i] > -infinity) ||
                             (joints.largest_impulse && joints.largest_impulse[i] < infinity);
      bounded += has_bound ? 1u : 0u;
    }
    return bounded;
  };
  const auto count_of = [&](const Constraint& manifold) {
    std::uint32_t n = manifold.count;
    for (std::uint32_t p = 0; p < manifold.count && parts.models != nullptr; ++p)
      n += (parts.models[kernel::number_at(job.contact_at, manifold.first + p)] & kernel::models_with_moments) != 0;
    return n;
  };
  // Calls f(root) for the one or two roots of a constraint.
  const auto each_root = [&](const Constraint& of, const auto& f) {
    const std::int32_t a = is_movable(of.body_a) ? root_of(parent_, of.body_a) : -1;
    const std::int32_t b = is_movable(of.body_b) ? root_of(parent_, of.body_b) : -1;
    if (a >= 0) f(a);
    if (b >= 0 && b != a) f(b);
  };

  parent_.resize(parts.bodies);
  std::iota(parent_.begin(), parent_.end(), 0);
  for (const Constraint& group : graph.groups) {
    if (!is_movable(group.body_a) || !is_movable(group.body_b) || count_bounded(group) == group.count) continue;
    const std::int32_t a = root_of(parent_, group.body_a), b = root_of(parent_, group.body_b);
    parent_[index(std::max(a, b))] = std::min(a, b);
  }
  constraints_.assign(parts.bodies, 0);
  const auto add = [&](const Constraint& of, std::uint32_t n) {
    each_root(of, [&](std::int32_t root) { constraints_[index(root)] += n; });
  };
  for (const Constraint& manifold : graph.manifolds) add(manifold, count_of(manifold));
  for (const Constraint& group : graph.groups) add(group, count_bounded(group));

  islands_.assign(graph.islands, {});
  const auto gather = [&](const std::vector<Constraint>& from, const std::vector<std::uint32_t>& island_of) {
    for (std::size_t m = 0; m < from.size(); ++m) {
      Island& island = islands_[island_of[m]];
      island.points += from[m].count;
      each_root(from[m], [&](std::int32_t root) {
        // Counts a root when it is met first.
        const std::uint32_t n = std::exchange(constraints_[index(root)], 0);
        island.blocks += static_cast<double>(n) * static_cast<double>(n);
        if (n > island.constraints) island.constraints = n, island.body = root;
      });
    }
  };
  gather(graph.manifolds, graph.island_of_manifold);
  gather(graph.groups, graph.island_of_group);

  const auto largest = static_cast<std::size_t>(options.coulomb.largest_island);
  for (const Island& island : islands_) {
    if (island.blocks <= most || (largest > 0 && island.points > largest)) continue;
    char blocks[32];
    std::snprintf(blocks, sizeof blocks, "%.0f", island.blocks);
    throw Error("carom: the method coulomb may need " + std::string(blocks) + " blocks of W for an island of " +
                std::to_string(island.points) + " contacts and rows, and the limit is SceneLimits::most_blocks, " +
                std::to_string(SceneLimits::most_blocks) + ": " + std::to_string(island.constraints) +
                " of its contacts, moments and bounded rows are on body " + std::to_string(island.body) +
                " and what joints connect with it. The option coulomb.largest_island below " +
                std::to_string(island.points) +
                " leaves it to sweeps; the methods substeps and simultaneous have no such limit");
  }
}

template void BlockBound::check(const SceneOptions&, const kernel::SceneJob<float>&, const Graph&, const Parts&);
template void BlockBound::check(const SceneOptions&, const kernel::SceneJob<double>&, const Graph&, const Parts&);

}  // namespace carom::scene::coulomb
