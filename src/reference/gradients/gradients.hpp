// Gradients of single collisions by forward differentiation: every number carries its derivatives by all parameters of
// the contact. If the response is the root of an equation, one step of Newton's method in such numbers, starting at the
// root, gives its derivatives.
#pragma once

#include <carom/gradients.hpp>
#include <carom/reference.hpp>

#include "core/columns/derivative_columns.hpp"
#include "dual.hpp"

namespace carom::reference {

/// Variables have the order of columns::each_derivative: μ, e, K, u0; then the parameters of single laws; then weights.
inline constexpr std::size_t derivatives_by_k = 2, derivatives_by_u0 = 8;
using columns::derivatives_by_own, columns::derivatives_by_weight, columns::derivative_count;
/// The incremental law depends on the first derivatives_by_own variables, the other laws on parameters too. Only the
/// composite depends on weights.
using SlideNumber = Dual<derivatives_by_own>;
using LawNumber = Dual<derivatives_by_weight>;

/// A collision in dual numbers.
template <class N>
struct Varied {
  Six<N> k;
  Three<N> u0;
  N friction, restitution;

  explicit Varied(const Collision& c)
      : k{by(c.k[0][0], 2), by(c.k[0][1], 3), by(c.k[0][2], 4), by(c.k[1][1], 5), by(c.k[1][2], 6), by(c.k[2][2], 7)},
        u0{by(c.u0[0], 8), by(c.u0[1], 9), by(c.u0[2], 10)},
        friction(by(c.friction, 0)),
        restitution(by(c.restitution, 1)) {}

 private:
  static N by(double value, std::size_t i) { return N::variable(value, i); }
};

/// An impulse with its derivatives.
template <class N>
struct Response {
  Three<N> p{};
  GradientStatus status = GradientStatus::exact;

  /// Keeps the worst status that is said.
  void say(bool condition, GradientStatus worse) {
    if (condition && status < worse) status = worse;
  }
};

/// The incremental law. K and u0 are of the order of 1, u0_z < 0, friction is finite.
Response<SlideNumber> differentiate_incremental(const Collision& c, RestitutionLaw law, std::int32_t step_budget,
                                                double tolerance);

/// An algebraic law, of which `p` is the impulse; not the composite.
Response<LawNumber> differentiate_algebraic(Law law, const Collision& c, const LawParameters& parameters,
                                            const Vector3& p, double tolerance);

}  // namespace carom::reference
