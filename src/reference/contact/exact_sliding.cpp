#include "exact_sliding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "vector.hpp"

namespace carom::reference {
namespace {

constexpr std::size_t stages = 12;
using Stages = std::array<double, stages>;

// Gauss' quadrature on [0, 1] and the method of collocation on its nodes (order 24, A-stable), from Legendre's
// polynomials on [-1, 1]: the integral of P_k is (P_k+1 - P_k-1) / (2k + 1).
struct Nodes {
  Stages weight{};
  std::array<Stages, stages> integral{};  // [j][i]: of the j-th Lagrange polynomial, from 0 to node i
  // Weights of the coefficients of the last two polynomials that are resolved.
  Stages last{}, last_but_one{};

  Nodes() {
    using Wide = long double;
    constexpr auto n = static_cast<Wide>(stages);
    std::array<std::array<Wide, stages + 1>, stages> p{};
    std::array<Wide, stages> b{};
    for (std::size_t i = 0; i < stages; ++i) {
      Wide x = -std::cos(std::numbers::pi_v<Wide> * (static_cast<Wide>(i) + 0.75L) / (n + 0.5L));
      auto& legendre = p[i];
      Wide slope = 0;
      // Newton's method, from a guess that is good to 1e-3: five iterations suffice for any precision.
      for (int iteration = 0; iteration < 5; ++iteration) {
        legendre[0] = 1;
        legendre[1] = x;
        for (std::size_t k = 1; k < stages; ++k) {
          const auto degree = static_cast<Wide>(k);
          legendre[k + 1] = ((2 * degree + 1) * x * legendre[k] - degree * legendre[k - 1]) / (degree + 1);
        }
        slope = n * (legendre[stages - 1] - x * legendre[stages]) / (1 - x * x);
        x -= legendre[stages] / slope;
      }
      b[i] = 1 / ((1 - x * x) * slope * slope);
      weight[i] = static_cast<double>(b[i]);
      last[i] = static_cast<double>((2 * n - 1) * b[i] * legendre[stages - 1]);
      last_but_one[i] = static_cast<double>((2 * n - 3) * b[i] * legendre[stages - 2]);
    }
    for (std::size_t j = 0; j < stages; ++j)
      for (std::size_t i = 0; i < stages; ++i) {
        Wide sum = p[i][1] + 1;
        for (std::size_t k = 1; k < stages; ++k) sum += p[j][k] * (p[i][k + 1] - p[i][k - 1]);
        integral[j][i] = static_cast<double>(b[j] * sum / 2);
      }
  }

  double total(const Stages& rate) const { return sum(weight, rate); }
  // Also uses the last coefficient but one, since the last may be 0 by chance. At the maximum tail, each coefficient is
  // about a quarter of the previous one.
  double unresolved(const Stages& rate) const {
    return std::max(std::abs(sum(last, rate)), 0.25 * std::abs(sum(last_but_one, rate)));
  }
  /// `start` plus the integral of the rate, at the nodes.
  Stages integrals(double start, const Stages& rate) const {
    Stages value;
    value.fill(start);
    for (std::size_t j = 0; j < stages; ++j)
      for (std::size_t i = 0; i < stages; ++i) value[i] += integral[j][i] * rate[j];
    return value;
  }

 private:
  static double sum(const Stages& weights, const Stages& rate) {
    double total = 0;
    for (std::size_t i = 0; i < stages; ++i) total += weights[i] * rate[i];
    return total;
  }
};

const Nodes& nodes() {
  static const Nodes table;
  return table;
}

Direction unit(double x, double y) {
  const double length = std::sqrt(x * x + y * y);
  return {x / length, y / length};
}

}  // namespace

Sliding::Sliding(const Matrix3& k, double friction)
    : ft_(std::min(friction, 1.0)),
      fn_(std::min(1 / friction, 1.0)),
      mxx_(ft_ * k[0][0]),
      mxy_(ft_ * k[0][1]),
      myy_(ft_ * k[1][1]),
      kx_(fn_ * k[0][2]),
      ky_(fn_ * k[1][2]),
      zx_(ft_ * k[0][2]),
      zy_(ft_ * k[1][2]),
      zz_(fn_ * k[2][2]),
      size_(0.5 * (mxx_ + myy_) + std::hypot(0.5 * (mxx_ - myy_), mxy_) + std::hypot(kx_, ky_)) {}

double Sliding::turning_slope(const Direction& d) const {
  return -growth(d) - (mxx_ * d.y * d.y - 2 * mxy_ * d.x * d.y + myy_ * d.x * d.x);
}

void Sliding::turn_to(const Direction& d, Slip& slip) const {
  // ê and ft M ê
  const Direction across{-d.y, d.x};
  const double mx = mxx_ * across.x + mxy_ * across.y, my = mxy_ * across.x + myy_ * across.y;
  const Direction& from = slip.direction;
  const double slip_across = slip.r * (from.x * across.x + from.y * across.y);
  const double impulse = -slip_across / (mx * across.x + my * across.y);  // over ft
  slip.r = slip.r * (from.x * d.x + from.y * d.y) + impulse * (mx * d.x + my * d.y);
  slip.uz += impulse * (zx_ * across.x + zy_ * across.y);
  slip.px += ft_ * impulse * across.x;
  slip.py += ft_ * impulse * across.y;
  slip.direction = d;
}

Step advance(const Sliding& sliding, const Slip& from, double h) {
  const Nodes& gauss = nodes();
  Step step;

  // dû/dτ = ê dθ/dτ at all nodes at once, by iteration. It contracts by about h/12 times the field's slope.
  const Direction start = from.direction;
  Stages x, y, turning, dx, dy;
  x.fill(start.x);
  y.fill(start.y);
  double change = infinity;
  constexpr int max_iterations = 60;
  for (int iteration = 0; iteration < max_iterations && !step.converged; ++iteration) {
    for (std::size_t i = 0; i < stages; ++i) {
      turning[i] = h * sliding.turning({x[i], y[i]});
      dx[i] = -y[i] * turning[i];
      dy[i] = x[i] * turning[i];
    }
    const Stages next_x = gauss.integrals(start.x, dx), next_y = gauss.integrals(start.y, dy);
    const double before = change;
    change = 0;
    for (std::size_t i = 0; i < stages; ++i)
      change = std::max(change, std::abs(next_x[i] - x[i]) + std::abs(next_y[i] - y[i]));
    x = next_x;
    y = next_y;
    if (!(change < 4)) return step;
    step.converged = change <= epsilon || (change <= 64 * epsilon && change > 0.5 * before);
  }
  if (!step.converged) return step;

  Stages growth, rise;
  for (std::size_t i = 0; i < stages; ++i) {
    turning[i] = h * sliding.turning({x[i], y[i]});
    dx[i] = -y[i] * turning[i];
    dy[i] = x[i] * turning[i];
    growth[i] = h * sliding.growth({x[i], y[i]});
    rise[i] = sliding.rise({x[i], y[i]});
  }
  const Stages exponent = gauss.integrals(0, growth);
  Stages ds, duz, dpx, dpy, work;
  double max_ds = 0, min_ds = infinity;
  for (std::size_t i = 0; i < stages; ++i) {
    ds[i] = h * from.r * std::exp(exponent[i]);
    duz[i] = ds[i] * rise[i];
    dpx[i] = ds[i] * x[i];
    dpy[i] = ds[i] * y[i];
    max_ds = std::max(max_ds, ds[i]);
    min_ds = std::min(min_ds, ds[i]);
  }
  const Stages uz = gauss.integrals(from.uz, duz);
  for (std::size_t i = 0; i < stages; ++i) work[i] = ds[i] * uz[i];

  step.min_r = min_ds / h;
  step.turn = gauss.total(turning);
  step.end.direction = unit(start.x + gauss.total(dx), start.y + gauss.total(dy));
  step.end.r = from.r * std::exp(gauss.total(growth));
  step.end.uz = from.uz + gauss.total(duz);
  step.end.px = from.px - sliding.tangential() * gauss.total(dpx);
  step.end.py = from.py - sliding.tangential() * gauss.total(dpy);
  step.end.s = from.s + gauss.total(ds);
  step.end.work = from.work + gauss.total(work);
  step.tail = std::max(gauss.unresolved(turning), gauss.unresolved(ds) / max_ds);
  return step;
}

double zero_between(double low, const Watched& at_low, double high, const Watched& at_high) {
  const double width = high - low, difference = at_high.value - at_low.value;
  const double part = -at_low.value / difference, rest = at_high.value / difference;
  // The slopes of the inverse in units of its mean slope; from 0 to 3 its cubic is monotone.
  const double from_low = difference / (at_low.slope * width), from_high = difference / (at_high.slope * width);
  const auto usable = [](double slope) { return slope >= 0 && slope <= 3; };
  const auto inside = [&](double at) { return at > low && at < high; };
  const double middle = low + 0.5 * width;
  if (usable(from_low) && usable(from_high)) {
    const double cubic = part * part * (1 + 2 * rest) + part * rest * (rest * from_low - part * from_high);
    return inside(low + width * cubic) ? low + width * cubic : middle;
  }
  const double newton_low = low - at_low.value / at_low.slope, newton_high = high - at_high.value / at_high.slope;
  return inside(newton_low) ? newton_low : inside(newton_high) ? newton_high : middle;
}

bool settle(const Sliding& sliding, Slip& slip, double last_turning) {
  Direction d = slip.direction;
  double turning = sliding.turning(d);
  double slope = sliding.turning_slope(d);
  // Newton's method converges to this ray and no other: the curvature of the field is below 4 sizes.
  const bool near_a_ray = slope < 0 && std::abs(turning) * sliding.size() <= 1e-3 * slope * slope;
  // The exact u_t lies that far off the ray, in units of u0, and later at most sqrt(cond M) times as far.
  constexpr double off_the_ray = 0x1p-56;
  const bool still_slips = slip.r * std::abs(turning) > -slope * off_the_ray;
  // If the turning rate is as large as before a step that should have damped it, it is the step's rounding error, up to
  // the error of its iteration.
  const double rounding = std::abs(turning) >= 0.5 * last_turning ? 64 * epsilon : epsilon;
  if (!near_a_ray || (still_slips && std::abs(turning) > -slope * rounding))
    // The direction is constant if only rounding errors turn it. It is not moved onto a ray: with so slow a turn, the
    // slip can be far from a ray that attracts weakly, or repels, and come to rest before it is on it.
    return std::abs(turning) <= std::max(rounding, 2 * epsilon) * sliding.size();
  for (int i = 0; i < 4 && turning != 0; ++i) {
    const double turn = -turning / slope;
    const Direction next = unit(d.x - turn * d.y, d.y + turn * d.x);
    const double next_turning = sliding.turning(next);
    if (!(std::abs(next_turning) < std::abs(turning))) break;
    d = next;
    turning = next_turning;
    slope = sliding.turning_slope(d);
  }
  // A slip across the ray that is a rounding error was never stopped, and does not change u_z.
  if (still_slips)
    slip.direction = d;
  else
    sliding.turn_to(d, slip);
  return true;
}

}  // namespace carom::reference
