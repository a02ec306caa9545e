// The load of a manifold whose points have changed: impulses at the present points with the force and the moment of the
// previous impulses. So a resting body stays at rest.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "core/support/vector3.hpp"

namespace carom::scene {

/// Force and moment on body A, about its centre of mass. Sums over a step. [N s], [N m s]
struct Wrench {
  Vector3<double> force{}, moment{};

  void add(const Vector3<double>& impulse, const Vector3<double>& arm) {
    force = force + impulse;
    moment = moment + cross(arm, impulse);
  }
};

/// Finds impulses on up to four points.
class ManifoldLoad {
 public:
  using Vector = carom::Vector3<double>;
  static constexpr std::size_t most = 4;

  /// A point, and the share of the normal impulse that it should have if the others allow it.
  void add(const Vector& arm, double wanted) {
    arm_[count_] = arm;
    wanted_[count_++] = wanted;
  }

  /// Returns false if the force does not push A along the normal. If the moment requires points that pull, the centre
  /// of pressure is the nearest one for points that push.
  bool spread(const Wrench& wrench, const Vector& normal) {
    const std::optional<Vector> n = unit(normal);
    if (!n) return false;
    n_ = *n;
    const double pressure = dot(wrench.force, n_);
    if (count_ == 0 || !(pressure > 0) || !std::isfinite(pressure)) return false;
    // Everything about the mean of the points, in the plane of the normal.
    Vector mean{};
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < count_; ++i) mean[c] += arm_[i][c] / static_cast<double>(count_);
    const Vector tangential = wrench.force - pressure * n_, moment = wrench.moment - cross(mean, wrench.force);
    // p n at x e1 + y e2 has the moment p (y e1 - x e2).
    const auto [e1, e2] = tangents(n_);
    const double about1 = dot(moment, e1), about2 = dot(moment, e2);
    for (std::size_t i = 0; i < count_; ++i) {
      const Vector from = arm_[i] - mean;
      at_[i] = {dot(from, e1), dot(from, e2)};
    }
    find_shares({-about2 / pressure, about1 / pressure});

    Point centre{};
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t c = 0; c < 2; ++c) centre[c] += share_[i] * at_[i][c];
    // Friction in the shares of the normal impulses, and a twist about their centre.
    const Point t = {dot(tangential, e1), dot(tangential, e2)};
    double spin = dot(moment, n_) - (centre[0] * t[1] - centre[1] * t[0]), radius2 = 0;
    for (std::size_t i = 0; i < count_; ++i) radius2 += share_[i] * distance2(at_[i], centre);
    spin = radius2 > 0 ? spin / radius2 : 0;
    for (std::size_t i = 0; i < count_; ++i) {
      const double along1 = share_[i] * (t[0] - spin * (at_[i][1] - centre[1]));
      const double along2 = share_[i] * (t[1] + spin * (at_[i][0] - centre[0]));
      impulse_[i] = share_[i] * pressure * n_ + along1 * e1 + along2 * e2;
    }
    return true;
  }

  const Vector& impulse(std::size_t point) const { return impulse_[point]; }

 private:
  using Point = std::array<double, 2>;

  static double distance2(const Point& a, const Point& b) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
  }
  /// Twice the area of a triangle.
  static double area(const Point& a, const Point& b, const Point& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  }

  /// Fractions >= 0 that add up to 1, with their centre at `to` or nearest to it. The wanted fractions decide between
  /// several solutions.
  void find_shares(const Point& to) {
    share_ = {};
    if (count_ < 3 || !find_inside(to)) find_nearest(to);
  }

  bool find_inside(const Point& to) {
    // The largest triangle.
    std::array<std::size_t, 3> corner{};
    double greatest = 0;
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t j = i + 1; j < count_; ++j)
        for (std::size_t k = j + 1; k < count_; ++k) {
          const double size = std::abs(area(at_[i], at_[j], at_[k]));
          if (size > greatest) corner = {i, j, k}, greatest = size;
        }
    double longest2 = 0;
    for (std::size_t i = 1; i < count_; ++i) longest2 = std::max(longest2, distance2(at_[0], at_[i]));
    if (!(greatest > flat * longest2)) return false;
    const auto barycentric = [&](const Point& x) -> std::array<double, 3> {
      const Point &a = at_[corner[0]], &b = at_[corner[1]], &c = at_[corner[2]];
      const double all = area(a, b, c);
      return {area(x, b, c) / all, area(a, x, c) / all, area(a, b, x) / all};
    };
    const std::array<double, 3> of_corners = barycentric(to);
    for (std::size_t k = 0; k < 3; ++k) share_[corner[k]] = of_corners[k];
    if (count_ == most) {
      // Shares along this direction have one centre.
      std::array<double, most> change{};
      const std::size_t other = 6 - corner[0] - corner[1] - corner[2];
      const std::array<double, 3> of_other = barycentric(at_[other]);
      change[other] = 1;
      for (std::size_t k = 0; k < 3; ++k) change[corner[k]] = -of_other[k];
      double low = -HUGE_VAL, high = HUGE_VAL, wanted = 0, size2 = 0;
      for (std::size_t i = 0; i < most; ++i) {
        wanted += change[i] * (wanted_[i] - share_[i]);
        size2 += change[i] * change[i];
        if (std::abs(change[i]) <= rounding) continue;
        const double bound = (-rounding - share_[i]) / change[i];
        (change[i] > 0 ? low : high) = change[i] > 0 ? std::max(low, bound) : std::min(high, bound);
      }
      if (!(low <= high)) return false;
      const double by = std::clamp(wanted / size2, low, high);
      for (std::size_t i = 0; i < most; ++i) share_[i] += by * change[i];
    }
    for (std::size_t i = 0; i < count_; ++i)
      if (!(share_[i] >= -2 * rounding)) return false;
    for (double& x : share_) x = std::max(x, 0.0);
    return true;
  }

  /// The nearest point of all edges.
  void find_nearest(const Point& to) {
    share_ = {};
    share_[0] = 1;
    double least = distance2(at_[0], to);
    for (std::size_t i = 0; i < count_; ++i)
      for (std::size_t j = i + 1; j < count_; ++j) {
        const Point d = {at_[j][0] - at_[i][0], at_[j][1] - at_[i][1]};
        const double length2 = d[0] * d[0] + d[1] * d[1];
        if (!(length2 > 0)) continue;
        const double s = std::clamp(((to[0] - at_[i][0]) * d[0] + (to[1] - at_[i][1]) * d[1]) / length2, 0.0, 1.0);
        const double away = distance2({at_[i][0] + s * d[0], at_[i][1] + s * d[1]}, to);
        if (!(away < least)) continue;
        least = away;
        share_ = {};
        share_[i] = 1 - s;
        share_[j] = s;
      }
  }

  /// [1] Shares are as exact as this. A triangle with a smaller area for the square of its length is a line.
  static constexpr double rounding = 1e-12, flat = 1e-9;

  std::size_t count_ = 0;
  std::array<Vector, most> arm_{}, impulse_{};
  std::array<double, most> wanted_{}, share_{};
  std::array<Point, most> at_{};
  Vector n_{};
};

}  // namespace carom::scene
