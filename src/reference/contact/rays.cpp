// The rays of constant sliding, after [R] 3.8 and step 6a.
//
//   θ        angle of the slip u_t; on a ray it stays, [R] eq. 7: g(θ) = 0
//   p        tan(θ/2), the unknown of [R]'s quartic a4 p⁴ + a3 p³ + a2 p² + a1 p + a0
//   dr/ds    rate of |u_t| along the ray; positive on the diverging one
//
// The quartic is solved twice, for |p| <= 1, and with its coefficients reversed, for |1/p| <= 1. So no root is large,
// and θ = π, at which [R] has to look apart, is the root 1/p = 0.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "vector.hpp"

namespace carom::reference {
namespace {

// The slip's rate of change, du_t/ds up to a positive factor, in numbers of the order of 1.
struct Field {
  double mxx, mxy, myy;  // μ M
  double kx, ky;         // k

  Field(const Matrix3& k, double friction) {
    // A large friction divides k instead, so that infinite friction is its limit.
    const double ft = std::min(friction, 1.0) / trace(k);
    const double fn = std::min(1 / friction, 1.0) / trace(k);
    mxx = ft * k[0][0], mxy = ft * k[0][1], myy = ft * k[1][1];
    kx = fn * k[0][2], ky = fn * k[1][2];
  }

  // Eq. 7 and its derivative.
  double g(double c, double s) const { return -mxy * (c * c - s * s) + (mxx - myy) * s * c + ky * c - kx * s; }
  double dg(double c, double s) const { return 4 * mxy * s * c + (mxx - myy) * (c * c - s * s) - ky * s - kx * c; }
  // dr/ds
  double growth(double c, double s) const { return -mxx * c * c - myy * s * s - 2 * mxy * s * c + kx * c + ky * s; }
};

// a[0] + a[1] t + ... + a[degree] t^degree
struct Polynomial {
  std::array<double, 5> a{};
  std::size_t degree = 0;

  double operator()(double t) const {
    double sum = a[degree];
    for (std::size_t i = degree; i-- > 0;) sum = sum * t + a[i];
    return sum;
  }
  Polynomial derivative() const {
    Polynomial d;
    d.degree = degree - 1;
    for (std::size_t i = 1; i <= degree; ++i) d.a[i - 1] = static_cast<double>(i) * a[i];
    return d;
  }
  double max_coefficient() const {
    double largest = 0;
    for (double x : a) largest = std::max(largest, std::abs(x));
    return largest;
  }
};

struct Roots {
  std::array<double, 10> at{};
  std::size_t count = 0;

  void add(double t) {
    if (count == 0 || at[count - 1] != t) at[count++] = t;
  }
};

// The root in a bracket, by Newton's method that falls back to bisection.
double root_between(const Polynomial& f, const Polynomial& df, double low, double high) {
  const bool rising = f(low) < 0;
  double t = 0.5 * (low + high);
  for (int i = 0; i < 200; ++i) {
    const double value = f(t);
    if (value == 0) return t;
    ((value < 0) == rising ? low : high) = t;
    double next = t - value / df(t);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == t || next == low || next == high) return next;
    t = next;
  }
  return t;
}

// The roots in [-limit, limit], ascending: at most one between two roots of the derivative, and points where the
// polynomial touches 0 up to rounding.
Roots roots_within(const Polynomial& f, double limit) {
  Roots found;
  if (f.degree == 0) return found;
  const Polynomial df = f.derivative();
  Roots ends = roots_within(df, limit);
  const double rounding = 16 * epsilon * f.max_coefficient();
  double low = -limit;
  for (std::size_t i = 0; i <= ends.count; ++i) {
    const bool touching = i < ends.count && std::abs(f(ends.at[i])) <= rounding;
    const double high = i < ends.count ? ends.at[i] : limit;
    if ((f(low) < 0) != (f(high) < 0) && !(i > 0 && found.count > 0 && found.at[found.count - 1] == low) && !touching)
      found.add(root_between(f, df, low, high));
    if (touching) found.add(high);
    low = high;
  }
  return found;
}

// Newton's method on eq. 7, as long as it helps.
double polish(const Field& field, double theta) {
  for (int i = 0; i < 4; ++i) {
    const double c = std::cos(theta), s = std::sin(theta);
    const double g = field.g(c, s);
    const double next = theta - g / field.dg(c, s);
    if (!(std::abs(field.g(std::cos(next), std::sin(next))) < std::abs(g))) break;
    theta = next;
  }
  return theta;
}

}  // namespace

std::vector<double> rays_of_constant_sliding(const Matrix3& k, double friction) {
  const Field f(k, friction);
  const Polynomial quartic{
      {f.mxy - f.ky, 2 * (f.kx + f.myy - f.mxx), -6 * f.mxy, 2 * (f.kx + f.mxx - f.myy), f.mxy + f.ky}, 4};
  Polynomial reversed = quartic;
  std::reverse(reversed.a.begin(), reversed.a.end());

  // Both look a little beyond 1, so that rounding does not hide a root at the seam from both.
  constexpr double limit = 1.125;
  // Two roots closer than this cannot be distinguished from a double root.
  const double same = 8 * std::sqrt(epsilon);
  std::vector<double> rays;
  const auto add = [&](double theta) {
    theta = polish(f, theta);
    if (theta > std::numbers::pi) theta -= 2 * std::numbers::pi;
    if (theta <= -std::numbers::pi) theta += 2 * std::numbers::pi;
    for (double ray : rays)
      if (std::abs(std::remainder(ray - theta, 2 * std::numbers::pi)) < same) return;
    rays.push_back(theta);
  };
  const Roots small = roots_within(quartic, limit);
  for (std::size_t i = 0; i < small.count; ++i) add(2 * std::atan(small.at[i]));
  const Roots large = roots_within(reversed, limit);
  for (std::size_t i = 0; i < large.count; ++i) add(2 * std::atan2(1, large.at[i]));
  std::sort(rays.begin(), rays.end());
  return rays;
}

double diverging_ray(const Matrix3& k, double friction) {
  const Field field(k, friction);
  double best = 0;
  double fastest = -infinity;
  for (double theta : rays_of_constant_sliding(k, friction)) {
    const double growth = field.growth(std::cos(theta), std::sin(theta));
    if (growth > fastest) {
      fastest = growth;
      best = theta;
    }
  }
  return best;
}

}  // namespace carom::reference
