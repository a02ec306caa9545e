// Gradients of the laws that bound an impulse by the permissible region (Brach, projected, polar), and of those with
// friction against the last slip or a mean of slips (Whittaker, Smith, Anitescu-Potra), whose impulses are known.
//
// Numbers carry their derivatives in a few directions at a time. The first laws are computed in them as they are; of
// the others the impulse is the root of three equations F(p, parameters) = 0, and δp = -F_p⁻¹ δF. docs/laws.md has the
// laws.
#pragma once

#include "gradient_lanes.hpp"
#include "kernel/contact/collision_matrix.hpp"
#include "kernel/contact/units.hpp"
#include "kernel/incremental/sticking.hpp"
#include "kernel/numerics/rotation.hpp"
#include "varied.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class OtherGradients {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using N = Varied<B>;
  using V = Vector3<N>;
  using Tile = GradientTile<T>;
  using Parameter = columns::Parameter;

 public:
  explicit OtherGradients(const Tile& tile) : tile_(tile) {}

  void run() {
    for (std::size_t i = 0; i < tile_.count; i += LaneTypes<A, T>::width) {
      const GradientLanes<A, T> lanes(tile_, i);
      if (tile_.chosen == nullptr || lane_bits(lanes.chosen) != 0) differentiate(lanes);
    }
  }

 private:
  static constexpr std::size_t at_once = N::size;

  /// The contact, whose K is divided by its trace and u0 by |u0|, as it varies in the directions from `first` on.
  struct Contact {
    N xx, xy, xz, yy, yz, zz;
    V u0;
    N friction, restitution;

    V times(const V& p) const {
      return {xx * p.x + xy * p.y + xz * p.z, xy * p.x + yy * p.y + yz * p.z, xz * p.x + yz * p.y + zz * p.z};
    }
  };

  /// Which variables are differentiated by: all contacts', then the law's own.
  static constexpr std::size_t most = Tile::variables;

  [[gnu::noinline]] void differentiate(const GradientLanes<A, T>& lanes) {
    const B zero(0), one(1);
    const B trace = lanes.in(Tile::k_xx) + lanes.in(Tile::k_yy) + lanes.in(Tile::k_zz), inverse_trace = one / trace;
    const auto [direction, speed] = scaled_direction_of(lanes.u0());
    const B impulse = speed * inverse_trace;
    B values[most];
    for (std::size_t v = 0; v < most; ++v) values[v] = lanes.in(v);
    for (std::size_t v = Tile::k_xx; v <= Tile::k_zz; ++v) values[v] = values[v] * inverse_trace;
    values[Tile::u0_x] = direction.x;
    values[Tile::u0_y] = direction.y;
    values[Tile::u0_z] = direction.z;
    constexpr std::size_t candidate = Tile::own + static_cast<std::size_t>(Parameter::candidate_x);
    for (std::size_t v = candidate; v < candidate + 3; ++v) values[v] = values[v] / impulse;
    const Mask approaches = direction.z < zero;

    std::size_t variables[most + at_once], count = 0;
    for (std::size_t v = 0; v < most; ++v)
      if (v < Tile::own ||
          (columns::readers_of(static_cast<Parameter>(v - Tile::own), false) >> static_cast<unsigned>(tile_.law) &
           1u) != 0)
        variables[count++] = v;
    for (std::size_t k = count; k < most + at_once; ++k) variables[k] = most;

    status_ = at_least<T>(zero, negated(direction.z) <= B(tile_.tolerance), GradientStatus::one_sided);
    const bool implicit = tile_.p[0] != nullptr;
    if (implicit) prepare_roots(lanes, values, inverse_trace, impulse);
    for (std::size_t first = 0; first < count; first += at_once) {
      const V p = implicit ? root(values, variables + first) : bounded(values, variables + first);
      for (std::size_t d = 0; d < at_once && first + d < count; ++d) {
        const std::size_t v = variables[first + d];
        const B unit = v >= Tile::k_xx && v <= Tile::k_zz   ? impulse * inverse_trace
                       : v >= Tile::u0_x && v <= Tile::u0_z ? inverse_trace
                       : v >= candidate                     ? one
                                                            : impulse;
        const auto part = [&](const N& x) { return choose(approaches, unit * x.d[d], zero); };
        lanes.put(v, Vector3<B>{part(p.x), part(p.y), part(p.z)});
      }
    }
    lanes.put(tile_.status, choose(approaches, status_, status_number<T, B>(GradientStatus::zero)));
    lanes.put(tile_.plain, zero);
  }

  static Contact contact_of(const B* values, const std::size_t* variables) {
    const auto of = [&](std::size_t v) { return number_of(values, variables, v); };
    return {of(Tile::k_xx),
            of(Tile::k_xy),
            of(Tile::k_xz),
            of(Tile::k_yy),
            of(Tile::k_yz),
            of(Tile::k_zz),
            {of(Tile::u0_x), of(Tile::u0_y), of(Tile::u0_z)},
            of(Tile::friction),
            of(Tile::restitution)};
  }
  static N number_of(const B* values, const std::size_t* variables, std::size_t v) {
    N x(values[v]);
    for (std::size_t d = 0; d < at_once; ++d)
      if (variables[d] == v) x.d[d] = B(1);
    return x;
  }

  void near(B a, B b) {
    // A bound that does not hold is infinite.
    const Mask close = vanishing(b) == B(0) && magnitude(a - b) <= B(tile_.tolerance) * (magnitude(a) + magnitude(b));
    status_ = at_least<T>(status_, close, GradientStatus::one_sided);
  }

  // The laws that are computed as they are.

  /// The least of bounds; those that do not bound are infinite.
  struct Least {
    N best = N(B(static_cast<T>(__builtin_inf())));
    B second = B(static_cast<T>(__builtin_inf()));

    void add(Mask bounds, const N& s) {
      const Mask less = bounds && s.value < best.value;
      const B other = choose(less, best.value, choose(bounds, s.value, second));
      second = smaller(second, other);
      best = choose(less, s, best);
    }
  };

  /// The root of energy + rate s + ½ curvature s² with energy <= 0.
  static N energy_reach(const N& energy, const N& rate, const N& curvature) {
    const B zero(0), one(1);
    const N square = rate * rate - (curvature + curvature) * energy;
    const Mask real = square.value > zero;
    const N s = root_of(choose(real, square, N(one)));
    const Mask rises = rate.value > zero;
    const N numerator = choose(rises, N(B(-2)) * energy, s - rate), denominator = choose(rises, rate + s, curvature);
    return choose(real, numerator / denominator, N(zero));
  }

  /// A vector given by axes 1 and 2.
  V in_axes(const Contact& c, const N& along, const N& across, const N& normal, const std::size_t* variables) {
    const B zero(0), unknown(static_cast<T>(__builtin_nan("")));
    const Mask slides = c.u0.x.value != zero || c.u0.y.value != zero;
    const N r = length_of(choose(slides, c.u0.x, N(B(1))), choose(slides, c.u0.y, N(zero)));
    N x = choose(slides, N(zero) - c.u0.x / r, N(B(1))), y = choose(slides, N(zero) - c.u0.y / r, N(zero));
    for (std::size_t d = 0; d < at_once; ++d)
      if (variables[d] == Tile::u0_x || variables[d] == Tile::u0_y) {
        x.d[d] = choose(slides, x.d[d], unknown);
        y.d[d] = choose(slides, y.d[d], unknown);
      }
    status_ = at_least<T>(status_, and_not(Mask(true), slides), GradientStatus::undefined);
    return {x * along - y * across, y * along + x * across, normal};
  }

  [[gnu::noinline]] V bounded(const B* values, const std::size_t* variables) {
    const Contact c = contact_of(values, variables);
    const auto own = [&](Parameter parameter) {
      return number_of(values, variables, Tile::own + static_cast<std::size_t>(parameter));
    };
    const N zero(B(0)), one(B(1)), normal = zero - c.u0.z / c.zz;
    if (tile_.law == Law::brach) {
      const V r = in_axes(c, own(Parameter::impulse_ratio_1), own(Parameter::impulse_ratio_2), zero, variables);
      return brach(c, r, (one + c.restitution) * normal);
    }
    const N inner = N(B(T(1.5))) * normal;
    if (tile_.law == Law::projected) {
      const V d = {own(Parameter::candidate_x), own(Parameter::candidate_y), own(Parameter::candidate_z) - inner};
      Least s;
      s.add(Mask(true), one);
      return on_the_way(c, d, inner, reach(c, d, inner, s));
    }
    if (tile_.law != Law::polar) return {zero, zero, zero};
    const N tilt = own(Parameter::polar_angle), turn = own(Parameter::azimuth);
    const Rotation<B> of_tilt = rotation<A, T>(tilt.value), of_turn = rotation<A, T>(turn.value);
    const N sine = with(tilt, of_tilt.sine, of_tilt.cosine), cosine = with(tilt, of_tilt.cosine, negated(of_tilt.sine));
    const N turn_sine = with(turn, of_turn.sine, of_turn.cosine);
    const N turn_cosine = with(turn, of_turn.cosine, negated(of_turn.sine));
    const V d = in_axes(c, sine * turn_cosine, sine * turn_sine, cosine, variables);
    return on_the_way(c, d, inner, own(Parameter::fraction) * reach(c, d, inner, {}));
  }

  static V on_the_way(const Contact&, const V& d, const N& inner, const N& s) {
    return {s * d.x, s * d.y, inner + s * d.z};
  }

  /// From P_0 along d: as far as the region.
  N reach(const Contact& c, const V& d, const N& inner, Least s) {
    const B zero(0);
    const V kd = c.times(d);
    const N energy = N(B(T(-0.375))) * c.u0.z * c.u0.z / c.zz;
    s.add(Mask(true), energy_reach(energy, d.x * c.u0.x + d.y * c.u0.y + d.z * c.u0.z + inner * kd.z,
                                   d.x * kd.x + d.y * kd.y + d.z * kd.z));
    const Mask falls = kd.z.value < zero;
    s.add(falls, N(B(T(0.5))) * c.u0.z / choose(falls, kd.z, N(B(1))));
    const Mask aside = d.x.value != zero || d.y.value != zero;
    const N across = choose(aside, length_of(choose(aside, d.x, N(B(1))), d.y), N(zero));
    const N approach = across - c.friction * d.z;
    const Mask leaves = approach.value > zero;
    s.add(leaves, c.friction * inner / choose(leaves, approach, N(B(1))));
    near(s.best.value, s.second);
    return s.best;
  }

  V brach(const Contact& c, const V& r, const N& pz) {
    const B zero(0);
    const N coupling = (c.xz * r.x + c.yz * r.y) / c.zz, one(B(1));
    const V way = {r.x, r.y, N(zero) - coupling};
    Least w;
    const N rate = one + coupling;
    const Mask meets = rate.value > zero;
    w.add(meets, pz / choose(meets, rate, one));
    const Mask aside = r.x.value != zero || r.y.value != zero;
    const N size = choose(aside, length_of(choose(aside, r.x, one), r.y), N(zero));
    const N grip = size + c.friction * coupling;
    const Mask grips = grip.value > zero;
    w.add(grips, c.friction * pz / choose(grips, grip, one));
    const V kway = c.times(way);
    const Mask gains = c.restitution.value > B(1);
    const N lost = N(B(T(-0.5))) * (one - c.restitution * c.restitution) * c.u0.z * c.u0.z / c.zz;
    const N curvature = way.x * kway.x + way.y * kway.y + way.z * kway.z;
    w.add(aside, energy_reach(choose(gains, N(zero), lost),
                              way.x * c.u0.x + way.y * c.u0.y + way.z * c.u0.z + pz * kway.z, curvature));
    near(w.best.value, w.second);
    return {w.best * way.x, w.best * way.y, pz + w.best * way.z};
  }

  // The laws whose impulse is the root of equations.

  struct Root {
    Vector3<B> p, compression;
    Mask sticks, more;
    B inverse[3][3], inverse_first[3][3];  // F_p⁻¹, also of the compression
    Mask sticks_first;
  } root_;

  void prepare_roots(const GradientLanes<A, T>& lanes, const B* values, B inverse_trace, B impulse) {
    const B one(1), inverse = one / impulse;
    const auto load = [&](const T* const(&from)[3]) {
      return Vector3<B>{load_lanes<B>(from[0] + lanes.i) * inverse, load_lanes<B>(from[1] + lanes.i) * inverse,
                        load_lanes<B>(from[2] + lanes.i) * inverse};
    };
    static_cast<void>(inverse_trace);
    root_.p = load(tile_.p);
    // The three directions of p first.
    const std::size_t none[at_once] = {most, most, most, most};
    const Contact c = contact_of(values, none);
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

  [[gnu::noinline]] V root(const B* values, const std::size_t* variables) {
    const Contact c = contact_of(values, variables);
    const V p = constants(root_.p);
    if (tile_.law != Law::anitescu_potra) return solve(equations(c, p), root_.inverse, p);
    const V first = constants(root_.compression);
    const V q = solve(whittaker(c, first, N(B(0)), root_.sticks_first), root_.inverse_first, first);
    const V r = solve(expansion(c, p, q), root_.inverse, p);
    // Without restitution the first bit of expansion keeps friction against the slip that is left.
    const Mask none = c.restitution.value == B(0);
    if (lane_bits(none) == 0) return r;
    return choose(none, first_bit(c, q, variables), r);
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

  /// The same of what has been added since the compression.
  V expansion(const Contact& c, const V& p, const V& first) const {
    const V u = velocity(c, p), more = {p.x - first.x, p.y - first.y, p.z - first.z}, slip = against(c, u, more);
    return {choose(root_.sticks, u.x, slip.x), choose(root_.sticks, u.y, slip.y),
            choose(root_.more, u.z, more.z - c.restitution * first.z)};
  }
  /// Friction that holds the contact, or is on the cone: against the slip that is left, or that begins where it does
  /// not hold.
  V first_bit(const Contact& c, const V& q, const std::size_t* variables) const {
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
    for (std::size_t d = 0; d < at_once; ++d)
      if (variables[d] == Tile::restitution) {
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
    B a[3][3];
    for (int i = 0; i < 3; ++i) {
      B largest = B(0);
      for (int j = 0; j < 3; ++j) largest = larger(largest, magnitude(rows[i]->d[j]));
      const B inverse = B(1) / choose(largest > B(0), largest, B(1));
      for (int j = 0; j < 3; ++j) a[i][j] = rows[i]->d[j] * inverse;
      scale_[i] = inverse;
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
      for (int j = 0; j < 3; ++j) to[i][j] = adjugate[i][j] * inverse * scale_[j];
  }

  static V solve(const V& f, const B (&inverse)[3][3], const V& p) {
    V r = p;
    N* const to[3] = {&r.x, &r.y, &r.z};
    for (std::size_t d = 0; d < at_once; ++d)
      for (int i = 0; i < 3; ++i)
        to[i]->d[d] =
            negated(mul_add(inverse[i][0], f.x.d[d], mul_add(inverse[i][1], f.y.d[d], inverse[i][2] * f.z.d[d])));
    return r;
  }

  const Tile& tile_;
  B status_ = B(0);
  B scale_[3];
};

}  // namespace
}  // namespace carom::kernel
