// Laws with friction opposing the last slip: Whittaker's (Kane, Levinson), and Anitescu and Potra's, which applies it
// once to compression and once to expansion. A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on
// Impulse Space Considerations, 1998, 4.2.2 and 4.2.4.
//
//   M, k, K33   K[0:2, 0:2], (K13, K23) and the rest of K
//   S           M - k kᵀ / K33
//   c           the rise of u_z
//   ũ           u0_t + k c / K33
//   λ           slip ratio |u_t| / |p_t|; x = λ / (λ + tr S) is its place in [0, 1]
//   v           (λ 1 + S)⁻¹ ũ = -p_t
#include <cmath>

#include "laws_parts.hpp"
#include "laws_polynomial.hpp"
#include "vector.hpp"

namespace carom::reference {
namespace {

// (λ 1 + A)⁻¹ b for a symmetric positive definite A, as (1 - x) y(x): y solves (x tr A + (1 - x) A) y = b.
class Resolvent {
 public:
  Resolvent(double axx, double axy, double ayy, const Vector2& b) : axx_(axx), axy_(axy), ayy_(ayy), b_(b) {}

  // By elimination from the larger diagonal entry: the residual is small even where A is near to singular.
  Vector2 y(double x) const {
    const double xx = at(x, axx_), yy = at(x, ayy_), xy = (1 - x) * axy_;
    const std::size_t i = xx >= yy ? 0 : 1, j = 1 - i;
    const double pivot = i == 0 ? xx : yy, factor = xy / pivot;
    Vector2 y;
    y[j] = (b_[j] - factor * b_[i]) / ((i == 0 ? yy : xx) - factor * xy);
    y[i] = (b_[i] - xy * y[j]) / pivot;
    return y;
  }

  // y = w / det.
  Bernstein det() const { return {axx_ * ayy_ - axy_ * axy_, 0.5 * trace() * trace(), trace() * trace()}; }
  Bernstein w_x() const { return {ayy_ * b_[0] - axy_ * b_[1], trace() * b_[0]}; }
  Bernstein w_y() const { return {axx_ * b_[1] - axy_ * b_[0], trace() * b_[1]}; }

 private:
  double trace() const { return axx_ + ayy_; }
  double at(double x, double diagonal) const { return x * trace() + (1 - x) * diagonal; }

  double axx_, axy_, ayy_;
  Vector2 b_;
};

// tangential (c + k·v) - normal K33 |v|, over 1 - x where c = 0 leaves that factor in all of it: below zero where
// friction at the slip ratio of x would leave the cone.
class Excess {
 public:
  Excess(const Matrix3& k, const Cone& cone, const Vector3& u0, double rise)
      : kx_(k[0][2]),
        ky_(k[1][2]),
        kzz_(k[2][2]),
        cone_(cone),
        rise_(rise),
        v_(k[0][0] - kx_ * kx_ / kzz_, k[0][1] - kx_ * ky_ / kzz_, k[1][1] - ky_ * ky_ / kzz_,
           {u0[0] + kx_ * rise / kzz_, u0[1] + ky_ * rise / kzz_}) {}

  double operator()(double x) const {
    const Vector2 y = v_.y(x);
    const double friction = cone_.tangential * (kx_ * y[0] + ky_ * y[1]) - cone_.normal * kzz_ * length(y);
    return rise_ == 0 ? friction : cone_.tangential * rise_ + (1 - x) * friction;
  }

  // Between two of these ascending places, 0 put before them, it has one root at most: the turning points of the
  // polynomial that has the roots of both signs of |v|.
  Bernstein::Points ends() const {
    const Bernstein one_less{1, 0};
    const Bernstein wx = v_.w_x(), wy = v_.w_y();
    Bernstein normal = kx_ * wx + ky_ * wy;
    Bernstein slip = wx * wx + wy * wy;
    if (rise_ != 0) {
      normal = rise_ * v_.det() + one_less * normal;
      slip = one_less * one_less * slip;
    }
    const double f = cone_.normal * kzz_ / cone_.tangential;
    return (normal * normal - f * f * slip).ends();
  }

  Vector3 impulse(double x) const {
    const Vector2 y = v_.y(x);
    const Vector2 against{-y[0] / length(y), -y[1] / length(y)};
    const double rate = cone_.normal * kzz_ + cone_.tangential * (kx_ * against[0] + ky_ * against[1]);
    const double p = rise_ == 0 ? (1 - x) * length(y) / cone_.tangential : rise_ / rate;
    return {p * cone_.tangential * against[0], p * cone_.tangential * against[1], p * cone_.normal};
  }

 private:
  double kx_, ky_, kzz_;
  Cone cone_;
  double rise_;
  Resolvent v_;
};

// Friction for a given normal impulse against the last slip. `u_t`: the slip after only the normal impulse. `radius`:
// max. length of the friction impulse.
Vector2 friction_within(const Matrix3& k, const Vector2& u_t, double radius) {
  const Resolvent v(k[0][0], k[0][1], k[1][1], u_t);
  const auto excess = [&](double x) { return (1 - x) * length(v.y(x)) - radius; };
  if (!(excess(0) > 0)) return {-v.y(0)[0], -v.y(0)[1]};
  const Vector2 y = v.y(sign_change(excess, 0, 1));
  return {-radius * y[0] / length(y), -radius * y[1] / length(y)};
}

}  // namespace

Solutions friction_against_last_slip(const Matrix3& k, const Cone& cone, const Vector3& u0, double rise) {
  Solutions found;
  const Vector3 stick = Cholesky::of(k)->solve({-u0[0], -u0[1], rise});
  const bool sticks = cone.holds(stick);
  if (sticks) found = {stick, 1};
  if (cone.tangential == 0) return {{0, 0, rise / k[2][2]}, 1};

  const Excess excess(k, cone, u0, rise);
  const auto slips = [&](double x) { return x > 0 ? excess(x) : sticks ? 1.0 : -1.0; };
  double low = 0;
  for (double high : excess.ends()) {
    if ((slips(low) < 0) != (slips(high) < 0) && found.count++ == 0)
      found.p = excess.impulse(sign_change(slips, low, high));
    low = high;
  }
  return found;
}

Solutions whittaker(const Collision& c) {
  return friction_against_last_slip(c.k, Cone(c.friction), c.u0, -(1 + c.restitution) * c.u0[2]);
}

Solutions anitescu_potra(const Collision& c) {
  const Cone cone(c.friction);
  const Solutions compression = friction_against_last_slip(c.k, cone, c.u0, -c.u0[2]);
  const Vector3 p1 = compression.p;
  if (c.restitution == 0) return compression;

  const bool slipped = cone.reached(p1);
  Vector3 u1 = c.u0 + c.k * p1;
  u1[2] = 0;

  // μ p2_z, which for unbounded friction that slips has a limit.
  const double p2z = c.restitution * p1[2];
  const double radius = slipped ? c.restitution * std::hypot(p1[0], p1[1]) : c.friction * p2z;
  const Vector2 friction = friction_within(c.k, {u1[0] + c.k[0][2] * p2z, u1[1] + c.k[1][2] * p2z}, radius);
  Vector3 p2{friction[0], friction[1], p2z};
  if (dot(c.k[2], p2) < 0) {
    const Solutions more = friction_against_last_slip(c.k, cone, u1, 0);
    const bool larger = more.p[2] > p2z || std::hypot(more.p[0], more.p[1]) > radius;
    if (more.count > 0 && larger) p2 = more.p;
  }
  return {p1 + p2, compression.count};
}

}  // namespace carom::reference
