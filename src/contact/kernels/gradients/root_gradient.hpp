// Gradients of the laws with friction against the last slip or a mean of slips: Whittaker, Smith, Anitescu-Potra. The
// impulse is known, and is the root of three equations F(p, parameters) = 0, so that δp = -F_p⁻¹ δF. docs/laws.md has
// the laws.
#pragma once

#include "contact/kernels/laws/incremental/sticking.hpp"
#include "contact/kernels/stages/collision_matrix.hpp"
#include "varied_contact.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class RootGradient {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using N = Varied<B>;
  using V = Vector3<N>;
  using Tile = GradientTile<T>;
  using Contact = VariedContact<B>;

 public:
  /// `status` is raised for contacts near a border.
  RootGradient(const Tile& tile, B& status) : tile_(tile), status_(status) {}

  /// Loads the impulses of contacts, divides them by the unit `impulse`, and inverts F_p there.
  void prepare(const GradientLanes<A, T>& lanes, const B* values, B impulse) {
    const B one(1), inverse = one / impulse;
    const auto load = [&](const T* const(&from)[3]) {
      return Vector3<B>{load_lanes<B>(from[0] + lanes.i) * inverse, load_lanes<B>(from[1] + lanes.i) * inverse,
                        load_lanes<B>(from[2] + lanes.i) * inverse};
    };
    root_.p = load(tile_.p);
    // First the three directions of p.
    constexpr std::size_t none = Tile::variables, constant[] = {none, none, none, none};
    static_assert(sizeof constant / sizeof *constant == Directions<B>::at_once);
    const Contact c = Contact::template of<Tile>({values, constant});
    const V p = {N(root_.p.x, 0), N(root_.p.y, 1), N(root_.p.z, 2)};
    if (tile_.law == Law::anitescu_potra) {
      root_.compression = load(tile_.compression);
      const Vector3<B>& first = root_.compression;
      root_.sticks_first = does_stick(c, first);
      const V q = {N(first.x, 0), N(first.y, 1), N(first.z, 2)};
      invert(whittaker(c, q, N(B(0)), root_.sticks_first), root_.inverse_first);
      tell_near(c, first, root_.sticks_first);
      root_.sticks = does_stick(c, root_.p);
      const B expected = (one + c.restitution.value) * first.z;
      root_.more = root_.p.z > expected * B(T(1) + T(1024) * epsilon<T>);
      invert(expansion(c, p, constants(first)), root_.inverse);
      const Mask expands = root_.sticks && c.restitution.value > B(0);
      near_where(expands, length(root_.p.x - first.x, root_.p.y - first.y), c.friction.value * (root_.p.z - first.z));
    } else {
      root_.sticks = does_stick(c, root_.p);
      invert(equations(c, p), root_.inverse);
      if (tile_.law == Law::whittaker) tell_near(c, root_.p, root_.sticks);
    }
  }

  [[gnu::noinline]] V impulse(const Directions<B>& by) const {
    const Contact c = Contact::template of<Tile>(by);
    const V p = constants(root_.p);
    if (tile_.law != Law::anitescu_potra) return solve(equations(c, p), root_.inverse, p);
    const V first = constants(root_.compression);
    const V q = solve(whittaker(c, first, N(B(0)), root_.sticks_first), root_.inverse_first, first);
    const V r = solve(expansion(c, p, q), root_.inverse, p);
    // Without restitution the first bit of expansion keeps friction against the slip that is left.
    const Mask none = c.restitution.value == B(0);
    if (lane_bits(none) == 0) return r;
    return choose(none, first_bit(c, q, by), r);
  }

 private:
  struct Root {
    Vector3<B> p, compression;
    Mask sticks, more;
    B inverse[3][3], inverse_first[3][3];  // F_p⁻¹, also of the compression
    Mask sticks_first;
  } root_;

  static V constants(const Vector3<B>& p) { return {N(p.x), N(p.y), N(p.z)}; }
  void near_where(Mask where, B a, B b) {
    const Mask close = where && magnitude(a - b) <= B(tile_.tolerance) * (magnitude(a) + magnitude(b));
    status_ = at_least<T>(status_, close, GradientStatus::one_sided);
  }
  void tell_near(const Contact& c, const Vector3<B>& p, Mask sticks) {
    near_where(sticks, length(p.x, p.y), c.friction.value * p.z);
  }

  /// True where p is the impulse that stops the slip, to rounding. Beyond it friction is on the cone.
  static Mask does_stick(const Contact& c, const Vector3<B>& p) {
    const B slack(T(1) - T(64) * epsilon<T>), few(T(64) * epsilon<T>);
    const V u = c.times(constants(p));
    const B x = u.x.value + c.u0.x.value, y = u.y.value + c.u0.y.value;
    const B size = magnitude(c.u0.x.value) + magnitude(c.u0.y.value) +
                   (c.xx.value + c.yy.value + c.zz.value) * (magnitude(p.x) + magnitude(p.y) + magnitude(p.z));
    return magnitude(x) + magnitude(y) <= few * size && (length(p.x, p.y) <= c.friction.value * p.z * (B(2) - slack));
  }

  V equations(const Contact& c, const V& p) const {
    return tile_.law == Law::smith ? smith(c, p) : whittaker(c, p, c.restitution, root_.sticks);
  }

  static V velocity(const Contact& c, const V& p) {
    const V kp = c.times(p);
    return {c.u0.x + kp.x, c.u0.y + kp.y, c.u0.z + kp.z};
  }

  /// u_z = -e u0_z, and u_t = 0 or friction on the cone against u_t.
  static V whittaker(const Contact& c, const V& p, const N& restitution, Mask sticks) {
    const V u = velocity(c, p), slip = against(c, u, p);
    return {choose(sticks, u.x, slip.x), choose(sticks, u.y, slip.y), u.z + restitution * c.u0.z};
  }
  /// p_t + μ p_z û.
  static V against(const Contact& c, const V& u, const V& p) {
    const N r = length_of(u.x, u.y);
    const N bound = c.friction * p.z / choose(r.value > B(0), r, N(B(1)));
    return {p.x + bound * u.x, p.y + bound * u.y, p.z};
  }

  /// Same for the impulse added since compression.
  V expansion(const Contact& c, const V& p, const V& first) const {
    const V u = velocity(c, p), more = {p.x - first.x, p.y - first.y, p.z - first.z}, slip = against(c, u, more);
    return {choose(root_.sticks, u.x, slip.x), choose(root_.sticks, u.y, slip.y),
            choose(root_.more, u.z, more.z - c.restitution * first.z)};
  }
  /// Friction that holds the contact, or is on the cone: against the remaining slip, or against the slip that starts
  /// where it does not hold.
  V first_bit(const Contact& c, const V& q, const Directions<B>& by) const {
    const B inverse_z = B(1) / root_.compression.z, friction = c.friction.value;
    const B det = difference_of_products(c.xx.value, c.yy.value, c.xy.value, c.xy.value);
    const B q1 = difference_of_products(c.yy.value, c.xz.value, c.xy.value, c.yz.value) / det;
    const B q2 = difference_of_products(c.xx.value, c.yz.value, c.xy.value, c.xz.value) / det;
    const Mask leaves = root_.sticks_first && length(q1, q2) > friction;
    B x = choose(root_.sticks_first, negated(q1), root_.compression.x * inverse_z);
    B y = choose(root_.sticks_first, negated(q2), root_.compression.y * inverse_z);
    if (lane_bits(leaves) != 0) {
      Frame<B> frame = {{B(1), B(0), B(0)}, {B(0), B(1), B(0)}, {B(0), B(0), B(1)}};
      const Symmetric3<B> k = {c.xx.value, c.xy.value, c.xz.value, c.yy.value, c.yz.value, c.zz.value};
      const PrincipalMatrix<B> m = principal_matrix<T>(frame, k, collision_matrix<T>(k));
      const DivergingRay<B> ray = diverging_ray<A, T>(leaves, m.m1, m.m2, m.k1, m.k2, friction);
      x = choose(leaves, negated(friction * mul_add(ray.x, frame.t1.x, ray.y * frame.t2.x)), x);
      y = choose(leaves, negated(friction * mul_add(ray.x, frame.t1.y, ray.y * frame.t2.y)), y);
    }
    V r = q;
    for (std::size_t d = 0; d < Directions<B>::at_once; ++d)
      if (by.variables[d] == Tile::restitution) {
        r.x.d[d] = root_.compression.z * x;
        r.y.d[d] = root_.compression.z * y;
        r.z.d[d] = root_.compression.z;
      }
    return r;
  }

  /// p_t = -μ p_z m, u_z = -e u0_z; without a first slip as Whittaker's law.
  V smith(const Contact& c, const V& p) const {
    const B zero(0);
    const Mask slides = c.u0.x.value != zero || c.u0.y.value != zero;
    const V u = velocity(c, p);
    const N one(B(1)), a = length_of(choose(slides, c.u0.x, one), c.u0.y), b = length_of(u.x, u.y);
    const N square = a * a + b * b, friction = c.friction * p.z / square;
    const V mean = {p.x + friction * (a * c.u0.x + b * u.x), p.y + friction * (a * c.u0.y + b * u.y),
                    u.z + c.restitution * c.u0.z};
    const V last = whittaker(c, p, c.restitution, root_.sticks);
    return {choose(slides, mean.x, last.x), choose(slides, mean.y, last.y), mean.z};
  }

  /// F_p⁻¹ by its adjugate.
  void invert(const V& f, B (&to)[3][3]) {
    const N* const rows[3] = {&f.x, &f.y, &f.z};
    B a[3][3], scale[3];
    for (int i = 0; i < 3; ++i) {
      B largest = B(0);
      for (int j = 0; j < 3; ++j) largest = larger(largest, magnitude(rows[i]->d[j]));
      const B inverse = B(1) / choose(largest > B(0), largest, B(1));
      for (int j = 0; j < 3; ++j) a[i][j] = rows[i]->d[j] * inverse;
      scale[i] = inverse;
    }
    const auto minor = [&](int i, int j, int k, int l) {
      return difference_of_products(a[i][k], a[j][l], a[i][l], a[j][k]);
    };
    B adjugate[3][3] = {{minor(1, 2, 1, 2), negated(minor(0, 2, 1, 2)), minor(0, 1, 1, 2)},
                        {negated(minor(1, 2, 0, 2)), minor(0, 2, 0, 2), negated(minor(0, 1, 0, 2))},
                        {minor(1, 2, 0, 1), negated(minor(0, 2, 0, 1)), minor(0, 1, 0, 1)}};
    const B det = mul_add(a[0][0], adjugate[0][0], mul_add(a[0][1], adjugate[1][0], a[0][2] * adjugate[2][0]));
    status_ = at_least<T>(status_, and_not(Mask(true), magnitude(det) > B(tile_.tolerance) * B(tile_.tolerance)),
                          GradientStatus::unbounded);
    const B inverse = B(1) / det;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) to[i][j] = adjugate[i][j] * inverse * scale[j];
  }

  static V solve(const V& f, const B (&inverse)[3][3], const V& p) {
    V r = p;
    N* const to[3] = {&r.x, &r.y, &r.z};
    for (std::size_t d = 0; d < Directions<B>::at_once; ++d)
      for (int i = 0; i < 3; ++i)
        to[i]->d[d] =
            negated(mul_add(inverse[i][0], f.x.d[d], mul_add(inverse[i][1], f.y.d[d], inverse[i][2] * f.z.d[d])));
    return r;
  }

  const Tile& tile_;
  B& status_;
};

}  // namespace
}  // namespace carom::kernel
