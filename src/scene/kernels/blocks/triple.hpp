// Triples: the first three rows of a joint, if they have no bounds and are well conditioned. Sweeps solve them at once,
// by the inverse of their K.
#pragma once

#include "block.hpp"
#include "core/scene/thresholds.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
struct Triples {
  using Block = Blocks<A, T>;
  using B = typename Block::B;
  using Mask = typename Block::Mask;
  using Groups = typename Block::Groups;
  using JointRow = typename Block::JointRow;
  static constexpr std::uint32_t all_lanes = (std::uint32_t{1} << Block::width) - 1;

  /// Lanes without a group count as triples, so that a block with only triples has one path.
  static void find(Groups& block) {
    block.triples = 0;
    if (block.head.count < 3) return;
    const JointRow* const row = block.row();
    const Mask may_be = is_free(row[0]) && is_free(row[1]) && is_free(row[2]);
    if (lane_bits(may_be) == 0) return;
    const Inverse found = inverse_of(response_of(block));
    const Mask are = may_be && found.is_good;
    if (lane_bits(are) == 0) return;
    const B zero(0);
    Block::store(block.inverse_triple, choose(are, found.inverse, Symmetric3<B>{zero, zero, zero, zero, zero, zero}));
    block.triples = lane_bits(are) | (all_lanes & ~((std::uint32_t{1} << block.head.lanes) - 1));
  }

  static Mask lanes(const Groups& block) {
    T one_of[Block::width];
    for (std::size_t lane = 0; lane < Block::width; ++lane)
      one_of[lane] = (block.triples >> lane & 1u) != 0 ? T(1) : T(0);
    return load_lanes<B>(one_of) > B(0);
  }

 private:
  /// The lanes that have this row, without bounds.
  static Mask is_free(const JointRow& row) {
    const B infinity(static_cast<T>(__builtin_inf()));
    return Block::load(row.inverse_response) > B(0) && Block::load(row.least) == negated(infinity) &&
           Block::load(row.largest) == infinity;
  }

  /// J M⁻¹ Jᵀ of the three rows, with their compliance on the diagonal.
  static Symmetric3<B> response_of(Groups& block) {
    const JointRow* const row = block.row();
    const B mass_a = Block::load(block.mass_a), mass_b = Block::load(block.mass_b);
    const Symmetric3<B> inertia_a = Block::load(block.inertia_a), inertia_b = Block::load(block.inertia_b);
    Vector3<B> linear_a[3], linear_b[3], turn_a[3], turn_b[3], answer_a[3], answer_b[3];
    for (std::size_t r = 0; r < 3; ++r) {
      linear_a[r] = Block::load(row[r].linear_a);
      linear_b[r] = Block::load(row[r].linear_b);
      turn_a[r] = Block::load(row[r].angular_a);
      turn_b[r] = Block::load(row[r].angular_b);
      answer_a[r] = inertia_a * turn_a[r];
      answer_b[r] = inertia_b * turn_b[r];
    }
    const auto k = [&](std::size_t r, std::size_t s) {
      return mul_add(mass_a, dot(linear_a[r], linear_a[s]), dot(turn_a[r], answer_a[s])) +
             mul_add(mass_b, dot(linear_b[r], linear_b[s]), dot(turn_b[r], answer_b[s]));
    };
    return {k(0, 0) + Block::load(row[0].compliance), k(0, 1), k(0, 2),
            k(1, 1) + Block::load(row[1].compliance), k(1, 2), k(2, 2) + Block::load(row[2].compliance)};
  }

  struct Inverse {
    Symmetric3<B> inverse;
    Mask is_good;
  };
  /// K = L D Lᵀ, and its inverse L⁻ᵀ D⁻¹ L⁻¹.
  static Inverse inverse_of(const Symmetric3<B>& k) {
    const B one(1), least = B(static_cast<T>(SceneThresholds::triple_pivot));
    const B i1 = one / k.xx, l21 = k.xy * i1, l31 = k.xz * i1;
    const B d2 = neg_mul_add(l21, k.xy, k.yy), i2 = one / d2, rest = neg_mul_add(l21, k.xz, k.yz), l32 = rest * i2;
    const B d3 = neg_mul_add(l32, rest, neg_mul_add(l31, k.xz, k.zz)), i3 = one / d3;
    const B m31 = mul_sub(l21, l32, l31);  // of L⁻¹, as are -l21 and -l32
    const B xz = m31 * i3, yz = negated(l32) * i3;
    const Symmetric3<B> inverse = {mul_add(m31, xz, mul_add(l21 * l21, i2, i1)),
                                   neg_mul_add(l21, i2, m31 * yz),
                                   xz,
                                   neg_mul_add(l32, yz, i2),
                                   yz,
                                   i3};
    const B range = vanishing(inverse.xx) + vanishing(inverse.xy) + vanishing(inverse.yy) + vanishing(xz) +
                    vanishing(yz) + vanishing(i3);
    return {inverse, k.xx > B(0) && d2 > least * k.yy && d3 > least * k.zz && range == B(0)};
  }
};

}  // namespace
}  // namespace carom::kernel
