// Polynomials on [0, 1] in the Bernstein basis: the sum over i of b_i C(n, i) x^i (1 - x)^(n - i). Values and
// derivatives are means of coefficients, so large powers do not lose roots.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>

namespace carom::reference {

/// Returns the point in [low, high] where `f` changes its sign, to the last bit.
template <class F>
double sign_change(F&& f, double low, double high) {
  const bool rising = !(f(high) < 0);
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    ((f(middle) < 0) == rising ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

class Bernstein {
 public:
  static constexpr std::size_t max_degree = 8;
  struct Points {
    std::array<double, max_degree + 1> at{};
    std::size_t count = 0;

    void add(double x) { at[count++] = x; }
    const double* begin() const { return at.data(); }
    const double* end() const { return at.data() + count; }
  };

  Bernstein(std::initializer_list<double> b) : degree_(b.size() - 1) { std::copy(b.begin(), b.end(), b_.begin()); }

  double operator()(double x) const {
    std::array<double, max_degree + 1> b = b_;
    for (std::size_t n = degree_; n > 0; --n)
      for (std::size_t i = 0; i < n; ++i) b[i] = (1 - x) * b[i] + x * b[i + 1];
    return b[0];
  }

  Bernstein derivative() const {
    Bernstein d(degree_ - 1);
    for (std::size_t i = 0; i < degree_; ++i) d.b_[i] = static_cast<double>(degree_) * (b_[i + 1] - b_[i]);
    return d;
  }

  /// The sign changes in (0, 1), ascending: one at most between two of the derivative.
  Points roots() const {
    Points found;
    const auto [least, largest] =
        std::minmax_element(b_.begin(), b_.begin() + static_cast<std::ptrdiff_t>(degree_ + 1));
    if (*least >= 0 || *largest <= 0) return found;
    double low = 0;
    for (double high : ends()) {
      if (((*this)(low) < 0) != ((*this)(high) < 0)) found.add(sign_change(*this, low, high));
      low = high;
    }
    return found;
  }

  /// The turning points in (0, 1), and 1: between two of them the polynomial has one root at most.
  Points ends() const {
    Points e;
    if (degree_ > 1) e = derivative().roots();
    e.add(1);
    return e;
  }

  friend Bernstein operator*(const Bernstein& a, const Bernstein& b) {
    Bernstein c(a.degree_ + b.degree_);
    for (std::size_t i = 0; i <= a.degree_; ++i)
      for (std::size_t j = 0; j <= b.degree_; ++j)
        c.b_[i + j] += choose(a.degree_, i) * choose(b.degree_, j) * a.b_[i] * b.b_[j];
    for (std::size_t i = 0; i <= c.degree_; ++i) c.b_[i] /= choose(c.degree_, i);
    return c;
  }
  friend Bernstein operator*(double s, Bernstein a) {
    for (double& x : a.b_) x *= s;
    return a;
  }
  /// The degrees of a and b are equal.
  friend Bernstein operator+(Bernstein a, const Bernstein& b) {
    for (std::size_t i = 0; i <= a.degree_; ++i) a.b_[i] += b.b_[i];
    return a;
  }
  friend Bernstein operator-(const Bernstein& a, const Bernstein& b) { return a + -1.0 * b; }

 private:
  explicit Bernstein(std::size_t degree) : degree_(degree) {}

  static constexpr auto binomials = [] {
    std::array<std::array<double, max_degree + 1>, max_degree + 1> c{};
    for (std::size_t n = 0; n <= max_degree; ++n)
      for (std::size_t k = 0; k <= n; ++k) c[n][k] = k == 0 || k == n ? 1 : c[n - 1][k - 1] + c[n - 1][k];
    return c;
  }();
  static double choose(std::size_t n, std::size_t k) { return binomials[n][k]; }

  std::array<double, max_degree + 1> b_{};
  std::size_t degree_;
};

}  // namespace carom::reference
