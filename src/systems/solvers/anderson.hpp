// Anderson acceleration of a fixed-point iteration x ← G(x), of type II (H. F. Walker, P. Ni, Anderson acceleration for
// fixed-point iterations, 2011): x_next = G − Σ γ_j ΔG_j, with γ the least-squares solution of Σ γ_j ΔF_j = F,
// F = G(x) − x in the norm of the weights.
#pragma once

#include <array>
#include <cstddef>

#include "systems/problem/island_system.hpp"

namespace carom::systems {

class Anderson {
 public:
  static constexpr std::size_t window = 8;

  /// Forgets all iterates; `weight` scales the three residuals of each contact.
  void begin(std::size_t contacts, const Numbers& weight);
  /// From x and g = G(x) makes the next x. Restarts from the last g if the residual has more than doubled.
  void advance(Numbers& x, const Numbers& g);

 private:
  double& gram(std::size_t i, std::size_t j) { return gram_[i * window + j]; }
  void clear();
  void remember(const Numbers& g);
  /// False if the coefficients make no sense.
  bool find_coefficients();

  std::size_t size_ = 0, kept_ = 0, next_ = 0;
  bool has_last_ = false;
  double last_norm_ = 0;
  Numbers weight_, residual_, last_residual_, last_g_;
  std::array<Numbers, window> residual_change_, g_change_;  ///< the place next_ is written next
  std::array<double, window * window> gram_{};              ///< products of residual changes
  std::array<double, window> coefficient_{};
};

}  // namespace carom::systems
