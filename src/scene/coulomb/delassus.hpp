// The contact system of an island, W r + q = u, after elimination of the rows without limits. H: constraints with a
// cone. J: rows without limits. X = L⁻¹ J M⁻¹ Hᵀ (bilateral.hpp). d: velocity errors of the rows. Then
//
//   W = H M⁻¹ Hᵀ − Xᵀ X,   q = H v + … − Xᵀ L⁻¹ d,   λ = −L⁻ᵀ (L⁻¹ d + X r).
//
// All constraints on bodies that joints connect share a block of W.
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
  /// `bodies` is W by bodies, or empty if rows have been eliminated.
  void assemble(const Constraints& constraints, systems::IslandSystem& system, systems::BodyForm& bodies);

  /// Computes λ of the rows without limits, as in Constraints::row, from the impulses of the others. Adds both to the
  /// velocities of the bodies.
  void apply(Constraints& constraints, const systems::Numbers& r, std::vector<double>& lambda);

 private:
  /// Entries of X of a constraint and a cluster: three per position, from `first` to the cluster's end.
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
  // A node is a cluster, or a body outside of all clusters. A constraint has up to two nodes; -1: none.
  std::vector<Sides> node_;
  std::vector<std::size_t> node_begin_, cones_of_;
  std::vector<std::array<Effect, 2>> effect_;
  std::vector<double> x_, missed_, change_;
  std::vector<std::size_t> next_;
};

}  // namespace carom::scene::coulomb
