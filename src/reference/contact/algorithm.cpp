// The frictional collision of two rigid bodies in 3D, after [R] section 4; section 3 derives it.
//
// [R] The reworked version of the collision algorithm in: B. Mirtich, Impulse-based Dynamic Simulation of Rigid Body
//     Systems, PhD thesis, University of California, Berkeley, 1996, chapter 3. Where this departs from [R],
//     docs/reference.md says how and why.
//
//   f             unit normal, from B to A                     [R] 2
//   R             rotation that takes f to +z                  [R] 3.1, appendix A
//   r, I⁻¹        lever arm, inverse inertia                   [R] 2
//   K             collision matrix, u - u0 = K p               [R] eq. 2
//   u, u0         separation velocity, and before the collision
//   p             impulse on A; p_z is what [R] integrates over
//   μ, e          friction, restitution
//   δ             step of impulse
//   Wc, Wd        work of the normal force in compression (u_z < 0), in decompression      [R] eq. 4
//   M, k          the blocks K[0:2, 0:2] and (K13, K23)
//   q = M⁻¹ k     minus the direction in which friction pulls to hold the contact: dp_t/dp_z = -q    [R] 3.5
#include "algorithm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "vector.hpp"

namespace carom::reference {

// Validate.

Eigenvectors eigenvectors(const Matrix3& symmetric) {
  // Jacobi's rotations. Convergence is quadratic in the end; ten sweeps are more than any matrix of three needs.
  Matrix3 a = symmetric;
  Matrix3 v{Vector3{1, 0, 0}, Vector3{0, 1, 0}, Vector3{0, 0, 1}};
  constexpr std::size_t pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int sweep = 0; sweep < 10; ++sweep) {
    if (a[0][1] == 0 && a[0][2] == 0 && a[1][2] == 0) break;
    for (const auto& [i, j] : pairs) {
      if (a[i][j] == 0) continue;
      const double tau = (a[j][j] - a[i][i]) / (2 * a[i][j]);
      const double t = std::copysign(1 / (std::abs(tau) + std::sqrt(1 + tau * tau)), tau);
      const double cosine = 1 / std::sqrt(1 + t * t);
      const double sine = t * cosine;
      const std::size_t m = 3 - i - j;
      const double ami = a[m][i], amj = a[m][j];
      a[i][i] -= t * a[i][j];
      a[j][j] += t * a[i][j];
      a[i][j] = a[j][i] = 0;
      a[m][i] = a[i][m] = cosine * ami - sine * amj;
      a[m][j] = a[j][m] = sine * ami + cosine * amj;
      const Vector3 vi = v[i];
      v[i] = cosine * vi - sine * v[j];
      v[j] = sine * vi + cosine * v[j];
    }
  }
  return {{a[0][0], a[1][1], a[2][2]}, v};
}

double min_eigenvalue(const Matrix3& symmetric) {
  const Vector3 values = eigenvectors(symmetric).values;
  return std::min({values[0], values[1], values[2]});
}

// Frame: step 1.

Matrix3 rotation_to_z(const Vector3& f) {
  const double cosine = f[2];
  const Vector3 fxz{f[1], -f[0], 0};
  Matrix3 r = cross_matrix(fxz);
  // (1 - cosθ) n nᵀ, with n = f×z / |f×z|. For f_z >= 0 the division by |f×z|² = (1 - cosθ)(1 + cosθ) cancels.
  Vector3 n = fxz;
  double factor = 1 / (1 + cosine);
  if (cosine < 0) {
    const double sine = std::hypot(f[0], f[1]);
    n = sine > 0 ? Vector3{f[1] / sine, -f[0] / sine, 0} : Vector3{1, 0, 0};
    factor = 1 - cosine;
  }
  for (std::size_t i = 0; i < 3; ++i) {
    r[i][i] += cosine;
    for (std::size_t j = 0; j < 3; ++j) r[i][j] += factor * n[i] * n[j];
  }
  return r;
}

Body rotate(const Matrix3& rotation, const Body& body) {
  return {body.inverse_mass, rotation * body.inverse_inertia * transpose(rotation), rotation * body.velocity,
          rotation * body.angular_velocity};
}

// Collision matrix: step 2.

Vector3 separation_velocity(const Body& a, const Vector3& r_a, const Body& b, const Vector3& r_b) {
  return a.velocity + cross(a.angular_velocity, r_a) - b.velocity - cross(b.angular_velocity, r_b);
}

Matrix3 collision_matrix(const Body& a, const Vector3& r_a, const Body& b, const Vector3& r_b) {
  const Matrix3 ra = cross_matrix(r_a);
  const Matrix3 rb = cross_matrix(r_b);
  const Matrix3 turning = ra * a.inverse_inertia * ra + rb * b.inverse_inertia * rb;
  const double m = a.inverse_mass + b.inverse_mass;
  const double xy = -turning[0][1], xz = -turning[0][2], yz = -turning[1][2];
  return {Vector3{m - turning[0][0], xy, xz}, Vector3{xy, m - turning[1][1], yz}, Vector3{xz, yz, m - turning[2][2]}};
}

namespace {

// Law.

// Friction and normal force per unit of the variable of integration. That is p_z; with infinite friction, p_z is
// constant while the contact slides, and the variable is the arc length of p_t.
struct Rates {
  explicit Rates(double friction)
      : tangential(std::isinf(friction) ? 1 : friction), normal(std::isinf(friction) ? 0 : 1) {}
  double tangential, normal;
};

// The largest eigenvalue of M.
double norm_of_m(const Matrix3& k) {
  return 0.5 * (k[0][0] + k[1][1]) + std::hypot(0.5 * (k[0][0] - k[1][1]), k[0][1]);
}

// Minimum of the distances to the boundaries of decisions.
template <bool tracking>
class Boundary {
 public:
  void see(double distance) {
    if constexpr (tracking) least_ = std::min(least_, distance);
  }
  double least() const { return least_; }

 private:
  double least_ = infinity;
};

std::uint8_t one_more(std::uint8_t phases) {
  return phases < 3 ? static_cast<std::uint8_t>(phases + 1) : phases;
}

// The rest of a collision in which du_z/dp_z is constant ([R] steps 5b, 5c and 6c, 6d; eqs. 6 and 8).
void finish(double rate, double e2, double& uz, double& wc, double& wd) {
  if (uz < 0) {
    wc -= uz * uz / (2 * rate);
    uz = 0;
  }
  // The last sliding step may have returned too much energy. The excess is taken back, up to the energy of u_z.
  const double work = std::max(-e2 * wc - wd, -uz * uz / (2 * rate));
  uz = std::sqrt(std::max(2 * rate * work + uz * uz, 0.0));
  wd += work;
}

// Sticking ([R] steps 4 to 6) for a contact whose remaining slip is less than one step would change.
template <bool tracking>
void stick(const Collision& c, const Cholesky& factor, Outcome& o, Boundary<tracking>& boundary) {
  const Matrix3& k = c.k;
  double& wc = o.work_compression;
  double& wd = o.work_decompression;
  Vector3& u = o.u;
  o.path.sliding_end = o.steps == 0 ? SlidingEnd::stick_at_start
                       : u[2] < 0   ? SlidingEnd::stick_in_c
                                    : SlidingEnd::stick_in_d;

  // The last column of K⁻¹ is all that [R] needs of it; q from (K⁻¹ K)_{13,23} = 0, [R] eq. 11.
  const Vector3 inverse_3 = factor.solve({0, 0, 1});
  const double qx = -inverse_3[0] / inverse_3[2];
  const double qy = -inverse_3[1] / inverse_3[2];

  // A tangential impulse stops the slip. Setting only u_t to 0 would change p by K⁻¹ times that change, which can gain
  // energy and leave the cone of friction.
  u = {0, 0, u[2] - (qx * u[0] + qy * u[1])};

  // Step 4.
  const double q = std::hypot(qx, qy);
  if (std::isfinite(c.friction)) boundary.see(q == c.friction ? 0 : std::abs(q - c.friction) / std::max(q, c.friction));
  const double e2 = c.restitution * c.restitution;
  if (q <= c.friction) {
    // Step 5: stable sticking, du_z/dp_z = 1/(K⁻¹)_33 (eq. 5).
    o.path.sticking = Sticking::stable;
    finish(1 / inverse_3[2], e2, u[2], wc, wd);
  } else {
    // Step 6: unstable sticking. The contact leaves along the diverging ray.
    o.path.sticking = Sticking::diverge;
    const double psi = diverging_ray(k, c.friction);
    const Vector3 rate = k * Vector3{-c.friction * std::cos(psi), -c.friction * std::sin(psi), 1};
    const double before = u[2];
    finish(rate[2], e2, u[2], wc, wd);
    u[0] = rate[0] / rate[2] * (u[2] - before);
    u[1] = rate[1] / rate[2] * (u[2] - before);
  }
}

// Steps 3 to 6. Sliding takes one division and one square root a step, one after the other: the latency of that chain
// is the time the reference takes.
template <bool tracking>
Outcome integrate(const Collision& c, const Cholesky& factor, std::int32_t step_budget) {
  const Matrix3& k = c.k;
  const Rates rates(c.friction);
  const double e2 = c.restitution * c.restitution;
  const double delta = c.step;
  // Without friction, no slip stops, however small.
  const double reach =
      c.friction > 0 ? delta * (rates.tangential * norm_of_m(k) + rates.normal * std::hypot(k[0][2], k[1][2])) : 0;
  [[maybe_unused]] const double speed = std::hypot(c.u0[0], c.u0[1], c.u0[2]);

  // One step of eq. 3 adds b - a (û_x, û_y) to u.
  const double ft = delta * rates.tangential;
  const double fn = delta * rates.normal;
  const double axx = ft * k[0][0], axy = ft * k[0][1], ayy = ft * k[1][1], azx = ft * k[0][2], azy = ft * k[1][2];
  const double bx = fn * k[0][2], by = fn * k[1][2], bz = fn * k[2][2];

  Boundary<tracking> boundary;
  double ux = c.u0[0], uy = c.u0[1], uz = c.u0[2];
  double wc = 0, wd = 0;
  std::int32_t steps = 0;
  std::uint8_t compressions = 1, decompressions = 0;
  Outcome o;

  // Sliding (step 3).
  for (;;) {
    const double r = std::sqrt(ux * ux + uy * uy);
    if constexpr (tracking) {
      boundary.see(std::abs(r - reach) / speed);
      boundary.see(std::abs(uz) / speed);
    }
    if (r <= reach) break;
    if (steps == step_budget) {
      o.steps = steps;
      o.ended = false;
      return o;
    }
    const bool compressing = uz < 0;
    (compressing ? wc : wd) += uz * delta;
    const double inverse = 1 / r;
    const double dx = bx - (axx * ux + axy * uy) * inverse;
    const double dy = by - (axy * ux + ayy * uy) * inverse;
    uz += bz - (azx * ux + azy * uy) * inverse;
    ux += dx;
    uy += dy;
    ++steps;
    if (compressing != (uz < 0)) {
      std::uint8_t& phases = compressing ? decompressions : compressions;
      phases = one_more(phases);
    }
    if (uz < 0) continue;
    // Before decompression has done any work, only e decides.
    if constexpr (tracking)
      if (wd > 0) boundary.see(std::abs(wd + e2 * wc) / std::max(std::abs(wc), std::numeric_limits<double>::min()));
    if (wd >= -e2 * wc) {
      if constexpr (tracking) boundary.see(uz / speed);
      o.path.sliding_end = SlidingEnd::slide_end;
      break;
    }
  }

  // While the contact slides with infinite friction, the normal force is 0: wc and wd determine the end, but are no
  // work.
  const double real = rates.normal;
  o.u = {ux, uy, uz};
  o.steps = steps;
  if (steps > 0) {
    o.path.compressions = compressions;
    o.path.decompressions = decompressions;
  }
  o.work_compression = real * wc;
  o.work_decompression = real * wd;
  if (o.path.sliding_end != SlidingEnd::slide_end) stick(c, factor, o, boundary);
  o.boundary_distance = boundary.least();
  return o;
}

}  // namespace

Units::Units(const Collision& c)
    : k(exponent(std::max({c.k[0][0], c.k[1][1], c.k[2][2]}))),
      u(exponent(std::max({std::abs(c.u0[0]), std::abs(c.u0[1]), std::abs(c.u0[2])}))) {}

Collision Units::to_units(Collision c) const {
  for (Vector3& row : c.k) row = scaled(row, -k);
  c.u0 = scaled(c.u0, -u);
  c.step = std::scalbn(c.step, k - u);
  return c;
}

void Units::from_units(Outcome& o) const {
  o.p = scaled(o.p, u - k);
  o.u = scaled(o.u, u);
  o.work_compression = std::scalbn(o.work_compression, 2 * u - k);
  o.work_decompression = std::scalbn(o.work_decompression, 2 * u - k);
}

Outcome resolve(const Collision& collision, std::int32_t step_budget, bool with_boundary_distance) {
  const Units units(collision);
  const Collision c = units.to_units(collision);
  const auto factor = Cholesky::of(c.k);
  Outcome o;
  o.ended = false;
  if (!factor) return o;
  o = with_boundary_distance ? integrate<true>(c, *factor, step_budget) : integrate<false>(c, *factor, step_budget);
  if (!o.ended) return o;

  // Impulse: step 7, p = K⁻¹ (u - u0).
  o.p = factor->solve(o.u - c.u0);
  units.from_units(o);
  return o;
}

}  // namespace carom::reference
