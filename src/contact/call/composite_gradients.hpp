// The gradient of Law::composite: of p = Σ w_i p_i / Σ w, member by member.
//
//   ∂p/∂x = Σ w_i ∂p_i/∂x / Σ w          ∂p/∂w_i = (p_i - p) / Σ w
#pragma once

#include <limits>

#include "law_gradients.hpp"

namespace carom::gradients {

template <class T>
class CompositeGradients {
  using Tile = kernel::GradientTile<T>;

 public:
  CompositeGradients(const Input<T>& input, LawGradients<T>& laws, Workspace<T>& memory, Tile& tile)
      : input_(input), laws_(laws), memory_(memory), tile_(tile) {}

  /// Differentiates the composites among contacts [first, first + count), whose laws the workspace has.
  void differentiate(std::size_t first, std::size_t count) {
    first_ = first;
    count_ = count;
    Workspace<T>& m = memory_;
    for (auto& row : m.composite)
      for (auto& column : row) std::fill_n(column, tile_.count, T(0));
    std::fill_n(m.component_status, tile_.count, T(0));
    std::fill_n(m.weights, tile_.count, T(0));
    for (std::size_t i = 0; i < components; ++i)
      for (std::size_t k = 0; k < count_; ++k) m.weights[k] += weight(i, k);
    for (std::size_t i = 0; i < components; ++i) add(i);
    for (std::size_t k = 0; k < count_; ++k)
      if (is_composite(k)) store(k);
  }

 private:
  bool is_composite(std::size_t k) const { return k < count_ && memory_.laws[k] == Law::composite; }

  /// 0 where it is at fault.
  T weight(std::size_t i, std::size_t k) const {
    const Column<const T>& column = input_.of[variables + i];
    const T w = column && is_composite(k) ? column[first_ + k] : T(0);
    return w > 0 && w <= std::numeric_limits<T>::max() ? w : T(0);
  }

  void add(std::size_t member) {
    Workspace<T>& m = memory_;
    bool any = false;
    for (std::size_t k = 0; k < tile_.count; ++k) {
      m.chosen[k] = weight(member, k) > 0 ? T(1) : T(0);
      any = any || m.chosen[k] > 0;
    }
    const Law law = columns::components[member].law;
    if (!any || law == Law::pfeiffer_glocker) return;
    tile_.chosen = m.chosen;
    laws_.differentiate(law, true);
    laws_.find_impulses();
    for (std::size_t k = 0; k < count_; ++k) {
      if (!(m.chosen[k] > 0)) continue;
      const T share = weight(member, k) / m.weights[k];
      m.component_status[k] = std::max(m.component_status[k], m.status[k]);
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t v = 0; v < variables; ++v) m.composite[r][v][k] += share * tile_.out[r][v][k];
        m.composite[r][variables + member][k] = m.impulse[r][k];
      }
    }
  }

  void store(std::size_t k) {
    Workspace<T>& m = memory_;
    m.status[k] = m.component_status[k];
    m.plain[k] = 0;
    for (std::size_t r = 0; r < 3; ++r) {
      T p = 0;
      for (std::size_t i = 0; i < components; ++i) p += weight(i, k) / m.weights[k] * m.composite[r][variables + i][k];
      for (std::size_t v = 0; v < variables; ++v) tile_.out[r][v][k] = m.composite[r][v][k];
      // A member without weight is not evaluated.
      for (std::size_t i = 0; i < components; ++i)
        m.out[r][variables + i][k] = weight(i, k) > 0 ? (m.composite[r][variables + i][k] - p) / m.weights[k] : T(0);
    }
  }

  const Input<T>& input_;
  LawGradients<T>& laws_;
  Workspace<T>& memory_;
  Tile& tile_;
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace carom::gradients
