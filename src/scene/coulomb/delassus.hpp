// The contact system of an island, W r + q = u, with the rows without bounds eliminated: with H of the constraints that
// have a cone and J of those rows, X = L⁻¹ J M⁻¹ Hᵀ (bilateral.hpp) and d the velocities that rows miss,
//
//   W = H M⁻¹ Hᵀ − Xᵀ X,   q = H v + … − Xᵀ L⁻¹ d,   λ = −L⁻ᵀ (L⁻¹ d + X r).
//
// All constraints on bodies that joints connect have a block of W in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bilateral.hpp"
#include "constraints.hpp"
#include "system/body_form.hpp"
#include "system/island_system.hpp"

namespace carom::scene::coulomb {

class Delassus {
 public:
  /// Throws Error if the island has more blocks than SceneLimits::most_blocks.
  /// `bodies` is W by bodies, or nothing with rows that have been eliminated.
  void assemble(const Constraints& constraints, systems::IslandSystem& system, systems::BodyForm& bodies);

  /// λ of the rows without bounds, as Constraints::row has them, from the impulses of the others; these go on to the
  /// bodies' velocities with theirs.
  void apply(Constraints& constraints, const systems::Numbers& r, std::vector<double>& lambda);

 private:
  /// Numbers of X of a constraint and a cluster: three a place, from `first` on up to the cluster's end.
  struct Effect {
    std::size_t begin = 0, first = 0;
  };

  void find_nodes(const Constraints& constraints);
  void list_blocks(systems::IslandSystem& system, std::size_t cones);
  void find_missed(const Constraints& constraints, const std::vector<double>& lambda);
  void find_effects(const Constraints& constraints);
  void add_effects(std::size_t i, std::size_t j, double* block) const;
  bool is_cluster(std::int32_t node) const {
    return node >= 0 && static_cast<std::size_t>(node) < bilateral_.clusters();
  }

  Bilateral bilateral_;
  // A node is a cluster, or a body that is in none. A constraint has up to two; -1: no more.
  std::vector<Sides> node_;
  std::vector<std::size_t> node_begin_, cones_of_;
  std::vector<std::array<Effect, 2>> effect_;
  std::vector<double> x_, missed_, change_;
  std::vector<std::size_t> next_;
};

}  // namespace carom::scene::coulomb
