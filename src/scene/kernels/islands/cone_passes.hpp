// Passes of an interior point over the contacts of an island. The formulas are in systems/problem/cone.hpp, too.
#pragma once

#include "core/jobs/cone_island.hpp"
#include "four.hpp"
#include "simd/kernels/lanes/lanes.hpp"

namespace carom::kernel {
namespace {

template <class A>
struct ConePasses : FourLanes {
  /// Symmetric: xx, xy, yy, xz, yz, zz.
  struct Matrix {
    Four xx, xy, yy, xz, yz, zz;
  };
  [[gnu::always_inline]] static Matrix load_matrix(const double (&from)[6][4]) {
    return {load(from[0]), load(from[1]), load(from[2]), load(from[3]), load(from[4]), load(from[5])};
  }
  [[gnu::always_inline]] static void store_matrix(double (&to)[6][4], const Matrix& m) {
    store(to[0], m.xx);
    store(to[1], m.xy);
    store(to[2], m.yy);
    store(to[3], m.xz);
    store(to[4], m.yz);
    store(to[5], m.zz);
  }
  [[gnu::always_inline]] static Vector product(const Matrix& m, const Vector& v) {
    return {(m.xx * v.x + m.xy * v.y) + m.xz * v.z, (m.xy * v.x + m.yy * v.y) + m.yz * v.z,
            (m.xz * v.x + m.yz * v.y) + m.zz * v.z};
  }
  [[gnu::always_inline]] static Vector scaled(const Four& s, const Vector& v) { return {s * v.x, s * v.y, s * v.z}; }
  [[gnu::always_inline]] static Vector difference(const Vector& a, const Vector& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  [[gnu::always_inline]] static Four tangential(const Vector& v) { return root(v.x * v.x + v.y * v.y); }
  [[gnu::always_inline]] static Four determinant(const Vector& v) {
    const Four t = tangential(v);
    return (v.z - t) * (v.z + t);
  }
  /// a ∘ b
  [[gnu::always_inline]] static Vector jordan_product(const Vector& a, const Vector& b) {
    return {a.z * b.x + b.z * a.x, a.z * b.y + b.z * a.y, (a.x * b.x + a.y * b.y) + a.z * b.z};
  }
  /// λ \ b
  [[gnu::always_inline]] static Vector divided(const Vector& lambda, const Vector& b) {
    const Four z = (lambda.z * b.z - lambda.x * b.x - lambda.y * b.y) / determinant(lambda);
    return {(b.x - z * lambda.x) / lambda.z, (b.y - z * lambda.y) / lambda.z, z};
  }
  [[gnu::always_inline]] static Four longest_step(const Vector& x, const Vector& d) {
    const Four zero{}, infinity = zero + __builtin_huge_val();
    const Four c = determinant(x), a = (d.z * d.z - d.x * d.x) - d.y * d.y, b = (x.z * d.z - x.x * d.x) - x.y * d.y;
    const Four radicand = b * b - a * c, to_root = root(larger(radicand, zero));
    Four step = b < zero ? c / (to_root - b) : a < zero ? (b + to_root) / -a : infinity;
    step = ((radicand > zero) & (step > zero)) ? step : infinity;
    return smaller(step, d.z < zero ? x.z / -d.z : infinity);
  }

  /// P = f (1 + w wᵀ ...) of the unit w = (x, y, n).
  [[gnu::always_inline]] static Matrix scaling_of(const Four& f, const Four& x, const Four& y, const Four& n) {
    const Four h = 1 / (1 + n);
    return {f * (1 + x * x * h), f * (x * y * h), f * (1 + y * y * h), f * x, f * y, f * n};
  }

  /// Relative velocity of the points in the frame of the contact.
  [[gnu::always_inline]] static Vector relative(const ConeManifold& m, const BodyRow* rows) {
    const double *const a = rows[m.a].at, *const b = rows[m.b].at;
    const Vector of_a = cross(a + 3, load(m.r_a)), of_b = cross(b + 3, load(m.r_b));
    const Vector u = {(of_a.x - of_b.x) + (a[0] - b[0]), (of_a.y - of_b.y) + (a[1] - b[1]),
                      (of_a.z - of_b.z) + (a[2] - b[2])};
    return {dot(u, m.axis[0]), dot(u, m.axis[1]), dot(u, m.axis[2])};
  }
  /// Cone coordinates of a relative velocity, of lanes with a point.
  [[gnu::always_inline]] static Vector into_cone(const ConeManifold& m, const Vector& u) {
    const Four there = load(m.there), tangents = m.is_flat ? Four{} : there;
    return {tangents * u.x, tangents * u.y, there * u.z / m.friction};
  }

  static void measure(const ConeIsland& of, Slips slips, double& worst, double& separation) {
    Four most{}, products{};
    for (std::size_t k = 0; k < of.count; ++k) {
      ConeManifold& m = of.manifolds[k];
      Vector s = into_cone(m, difference(relative(m, of.velocity), load(m.target)));
      const Four now = tangential(s), before = load(m.slip);
      const Four slip = slips == Slips::follow ? now : slips == Slips::approach ? 0.5 * (before + now) : before;
      store(m.slip, slip);
      s.z += slip;
      const Four there = load(m.there);
      const Vector in_cone = load(m.s), x = load(m.x), miss = scaled(there, difference(s, in_cone));
      store(m.miss, miss);
      const Four size = (magnitude(miss.x) + magnitude(miss.y)) + magnitude(miss.z) * m.friction;
      most = size <= most ? most : size;  // keeps NaN
      products += there * ((x.x * in_cone.x + x.y * in_cone.y) + x.z * in_cone.z) / m.mass;
    }
    for (int i = 0; i < 4; ++i) worst = most[i] <= worst ? worst : most[i];
    separation += sum(products);
    leave_lanes<A>();
  }

  /// Nesterov and Todd's scaling of s and x.
  [[gnu::always_inline]] static Matrix scale(ConeManifold& m) {
    const Vector r = load(m.s), u = load(m.x);
    const Four tiny = Four{} + 1e-300, det_u = larger(determinant(u), tiny), det_r = larger(determinant(r), tiny);
    const Four su = 1 / root(det_u), sr = 1 / root(det_r);
    const Four cosine = ((u.x * r.x + u.y * r.y) + u.z * r.z) * su * sr;
    const Four gamma = 1 / (2 * root((1 + cosine) / 2));
    const Vector w = {(r.x * sr - u.x * su) * gamma, (r.y * sr - u.y * su) * gamma, (r.z * sr + u.z * su) * gamma};
    const Four eta = root(root(det_r / det_u));
    const Matrix p = scaling_of(eta, w.x, w.y, w.z), q = scaling_of(1 / eta, -w.x, -w.y, w.z);
    const Matrix square = {(q.xx * q.xx + q.xy * q.xy) + q.xz * q.xz, (q.xx * q.xy + q.xy * q.yy) + q.xz * q.yz,
                           (q.xy * q.xy + q.yy * q.yy) + q.yz * q.yz, (q.xx * q.xz + q.xy * q.yz) + q.xz * q.zz,
                           (q.xy * q.xz + q.yy * q.yz) + q.yz * q.zz, (q.xz * q.xz + q.yz * q.yz) + q.zz * q.zz};
    store_matrix(m.scaling, p);
    store_matrix(m.inverse, q);
    store_matrix(m.inverse_squared, square);
    store(m.lambda, product(p, u));
    return square;
  }

  /// Columns of a 3 × 3 matrix of sums over the points.
  struct Sums {
    double column[3][3];
  };
  [[gnu::always_inline]] static Sums sums(const Vector (&columns)[3]) {
    Sums s;
    for (std::size_t k = 0; k < 3; ++k) {
      s.column[k][0] = sum(columns[k].x);
      s.column[k][1] = sum(columns[k].y);
      s.column[k][2] = sum(columns[k].z);
    }
    return s;
  }
  /// Adds sign (w, right; leftᵀ, turning), with right = -W [r]× of the columns' body and left of the rows' body.
  [[gnu::always_inline]] static void add(double sign, const Sums& w, const Sums& right, const Sums& left,
                                         const Sums& turning, BodyBlock& to) {
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t i = 0; i < 3; ++i) {
        to.column[k][i] += sign * w.column[k][i];
        to.column[k][3 + i] += sign * left.column[i][k];
        to.column[3 + k][i] += sign * right.column[k][i];
        to.column[3 + k][3 + i] += sign * turning.column[k][i];
      }
  }

  static void weigh(const ConeIsland& of) {
    for (std::size_t k = 0; k < of.count; ++k) {
      ConeManifold& m = of.manifolds[k];
      const Matrix d = scale(m);
      const Four there = load(m.there);
      const double n = 1 / m.friction;
      const Four tangents = m.is_flat ? Four{} : there, mixed = n * tangents;
      const Matrix weight = {tangents * d.xx, tangents * d.xy, tangents * d.yy,
                             mixed * d.xz,    mixed * d.yz,    (n * n * there) * d.zz};
      // Columns of Fᵀ W F in the world, where the rows of F are the axes.
      Vector in_world[3];
      for (std::size_t c = 0; c < 3; ++c) {
        const double x = m.axis[0][c], y = m.axis[1][c], z = m.axis[2][c];
        const Vector v = {(weight.xx * x + weight.xy * y) + weight.xz * z,
                          (weight.xy * x + weight.yy * y) + weight.yz * z,
                          (weight.xz * x + weight.yz * y) + weight.zz * z};
        const auto along = [&](Four & to, std::size_t r) __attribute__((always_inline)) {
          to = (v.x * m.axis[0][r] + v.y * m.axis[1][r]) + v.z * m.axis[2][r];
        };
        along(in_world[c].x, 0);
        along(in_world[c].y, 1);
        along(in_world[c].z, 2);
      }
      const Vector ra = load(m.r_a), rb = load(m.r_b);
      const bool a_moves = static_cast<std::size_t>(m.a) < of.bodies,
                 b_moves = static_cast<std::size_t>(m.b) < of.bodies;
      // [r]× W, and its transpose -W [r]×.
      const auto turned = [](const Vector& r, const Vector(&from)[3], Vector(&to)[3]) __attribute__((always_inline)) {
        for (std::size_t c = 0; c < 3; ++c) to[c] = cross(r, from[c]);
      };
      const auto transposed = [](const Vector(&from)[3], Vector(&to)[3]) __attribute__((always_inline)) {
        to[0] = {from[0].x, from[1].x, from[2].x};
        to[1] = {from[0].y, from[1].y, from[2].y};
        to[2] = {from[0].z, from[1].z, from[2].z};
      };
      Vector of_a[3], of_b[3], right_a[3], right_b[3], turning[3];
      turned(ra, in_world, of_a);
      turned(rb, in_world, of_b);
      transposed(of_a, right_a);
      transposed(of_b, right_b);
      const Sums w = sums(in_world), sum_a = sums(right_a), sum_b = sums(right_b);
      if (a_moves) {
        turned(ra, right_a, turning);
        add(1, w, sum_a, sum_a, sums(turning), of.diagonal[m.a]);
      }
      if (b_moves) {
        turned(rb, right_b, turning);
        add(1, w, sum_b, sum_b, sums(turning), of.diagonal[m.b]);
      }
      if (!a_moves || !b_moves) continue;
      // The block has the row of the later position.
      const bool a_is_later = m.a > m.b;
      turned(a_is_later ? ra : rb, a_is_later ? right_b : right_a, turning);
      add(-1, w, a_is_later ? sum_b : sum_a, a_is_later ? sum_a : sum_b, sums(turning), of.lower[m.block]);
    }
    leave_lanes<A>();
  }

  /// The impulses change by dx = e - P⁻² ds, and ds = J δ + miss. Adds Jᵀ (e - P⁻² miss).
  [[gnu::always_inline]] static void begin(const ConeIsland& of, ConeManifold& m, const Vector& e) {
    const Four there = load(m.there), tangents = m.is_flat ? Four{} : there;
    const Vector by_miss = product(load_matrix(m.inverse_squared), load(m.miss)), all = difference(e, by_miss);
    const Vector dx = {tangents * all.x, tangents * all.y, there * all.z};
    store(m.dx, dx);
    const Four normal = dx.z / m.friction;
    const auto along = [&](Four & to, std::size_t c) __attribute__((always_inline)) {
      to = (dx.x * m.axis[0][c] + dx.y * m.axis[1][c]) + normal * m.axis[2][c];
    };
    Vector f;
    along(f.x, 0);
    along(f.y, 1);
    along(f.z, 2);
    const double force[3] = {sum(f.x), sum(f.y), sum(f.z)};
    const auto add_to = [&](std::int32_t body, double sign, const double(&arm)[3][4]) __attribute__((always_inline)) {
      if (static_cast<std::size_t>(body) >= of.bodies) return;
      const Vector torque = cross(load(arm), f);
      double* const to = of.right[body].at;
      for (std::size_t c = 0; c < 3; ++c) to[c] += sign * force[c];
      to[3] += sign * sum(torque.x);
      to[4] += sign * sum(torque.y);
      to[5] += sign * sum(torque.z);
    };
    add_to(m.a, 1, m.r_a);
    add_to(m.b, -1, m.r_b);
  }
  static void begin_predictor(const ConeIsland& of) {
    for (std::size_t k = 0; k < of.count; ++k) begin(of, of.manifolds[k], scaled(Four{} - 1, load(of.manifolds[k].x)));
    leave_lanes<A>();
  }
  static void begin_corrector(const ConeIsland& of, double barrier) {
    for (std::size_t k = 0; k < of.count; ++k) {
      ConeManifold& m = of.manifolds[k];
      const Vector lambda = load(m.lambda), correction = load(m.correction);
      Vector right = difference(correction, jordan_product(lambda, lambda));
      right.z += barrier * m.mass;
      begin(of, m, product(load_matrix(m.inverse), divided(lambda, right)));
    }
    leave_lanes<A>();
  }

  template <bool is_predictor>
  static double end(const ConeIsland& of) {
    Four longest = Four{} + __builtin_huge_val();
    for (std::size_t k = 0; k < of.count; ++k) {
      ConeManifold& m = of.manifolds[k];
      const Vector j = into_cone(m, relative(m, of.right)), miss = load(m.miss);
      const Four tangents = m.is_flat ? Four{} : Four{} + 1;
      Vector dx = difference(load(m.dx), product(load_matrix(m.inverse_squared), j));
      const Four there = load(m.there);
      dx = {there * (tangents * dx.x), there * (tangents * dx.y), there * dx.z};
      const Vector ds = {tangents * (j.x + miss.x), tangents * (j.y + miss.y), j.z + miss.z};
      store(m.dx, dx);
      store(m.ds, ds);
      longest = smaller(longest, smaller(longest_step(load(m.x), dx), longest_step(load(m.s), ds)));
      if constexpr (is_predictor) {
        const Vector moved = jordan_product(product(load_matrix(m.scaling), dx), product(load_matrix(m.inverse), ds));
        store(m.correction, scaled(Four{} - 1, moved));
      }
    }
    double least = longest[0];
    for (int i = 1; i < 4; ++i) least = longest[i] < least ? longest[i] : least;
    leave_lanes<A>();
    return least;
  }

  static void advance(const ConeIsland& of, double step) {
    for (std::size_t k = 0; k < of.count; ++k) {
      ConeManifold& m = of.manifolds[k];
      const auto add = [&](double(&to)[3][4], const double(&change)[3][4]) __attribute__((always_inline)) {
        for (std::size_t c = 0; c < 3; ++c) store(to[c], load(to[c]) + step * load(change[c]));
      };
      add(m.x, m.dx);
      add(m.s, m.ds);
    }
    leave_lanes<A>();
  }
};

template <class A>
constexpr ConeKernels cone_kernels_for() {
  using Passes = ConePasses<A>;
  return {&Passes::measure,
          &Passes::weigh,
          &Passes::begin_predictor,
          &Passes::begin_corrector,
          &Passes::template end<true>,
          &Passes::template end<false>,
          &Passes::advance};
}

}  // namespace
}  // namespace carom::kernel
