// Draws contact systems of all tolerances and magnitudes, solves them, and checks the promises of
// docs/contact-systems.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <carom/system.hpp>
#include <cmath>
#include <limits>

#include "probe/call_options_draw.hpp"
#include "probe/promises.hpp"
#include "probe/real.hpp"
#include "probe/search.hpp"
#include "random/draw.hpp"
#include "system/system_data.hpp"

namespace carom::probe {
namespace {

using R = Real<double>;
using V = Vector<R, 3>;

/// The kinds of systems.
enum class SystemKind {
  ordinary,
  warm,   ///< with warm impulses, some of them far too large
  range,  ///< W and q at the ends of the range of the precision
  any,    ///< q outside of the range of W, so there may be no solution
};
constexpr std::array<std::string_view, 4> system_kind_names{"ordinary", "warm", "range", "any"};

template <class T>
struct DrawnSystem {
  SystemKind kind{};
  test::SystemData<T> data;
  SystemOptions options;
};

template <class T>
DrawnSystem<T> draw_system(std::uint64_t number) {
  support::Draw draw(number);
  DrawnSystem<T> drawn;
  drawn.kind = static_cast<SystemKind>(draw.below(system_kind_names.size()));
  const std::size_t contacts = 1 + draw.below(6), bodies = 1 + draw.below(3);
  const auto source = test::random_system(draw.below(1u << 30), contacts, bodies, 0.5);
  double mobility = std::exp2(draw.uniform(-10, 10)), speed = std::exp2(draw.uniform(-10, 10));
  constexpr double decades = 0.9 * std::numeric_limits<T>::max_exponent10;
  if (drawn.kind == SystemKind::range) {
    mobility = std::pow(10.0, draw.uniform(-decades, decades));
    speed = std::pow(10.0, draw.uniform(-decades, decades));
  }
  test::SystemData<T>& data = drawn.data;
  data.row_start = source.row_start;
  data.column = source.column;
  const double most = draw.below(4) == 0 ? 10 : 1;
  for (std::size_t i = 0; i < contacts; ++i)
    data.friction.push_back(draw.below(10) == 0 ? T(0) : static_cast<T>(draw.uniform(0, most)));
  for (const auto& block : source.block) {
    data.block.emplace_back();
    std::transform(block.begin(), block.end(), data.block.back().begin(),
                   [&](double x) { return static_cast<T>(mobility * x); });
  }
  for (const double x : source.q)
    data.q.push_back(static_cast<T>(speed * (drawn.kind == SystemKind::any ? draw.bell() : x)));
  if (drawn.kind == SystemKind::warm || draw.below(4) == 0) {
    const double size = speed / mobility * draw.log_uniform(draw.below(4) == 0 ? 40 : 2);
    for (std::size_t i = 0; i < 3 * contacts; ++i) {
      const double x = size * draw.bell();
      data.warm.push_back(std::abs(x) <= static_cast<double>(std::numeric_limits<T>::max()) ? static_cast<T>(x) : T(0));
    }
  }
  drawn.options = draw_system_options<T>(draw);
  return drawn;
}

/// Returns whether options have no number that takes the error out of the range of the precision.
bool keeps_in_range(const SystemOptions& o) {
  return o.error_mass == 0 || (o.error_mass > 1e-7 && o.error_mass < 1e7);
}

/// The mass of the error of a system of one island.
template <class T>
double error_mass(const test::SystemData<T>& data, const SystemOptions& options) {
  if (options.error_mass > 0) return options.error_mass;
  double trace = 0;
  for (std::size_t i = 0; i < data.contacts(); ++i)
    for (auto k = static_cast<std::size_t>(data.row_start[i]); k < static_cast<std::size_t>(data.row_start[i + 1]); ++k)
      if (static_cast<std::size_t>(data.column[k]) == i)
        for (const std::size_t diagonal : {0u, 4u, 8u}) trace += static_cast<double>(data.block[k][diagonal]);
  return std::exp2(std::ceil(std::log2(3 * static_cast<double>(data.contacts()) / trace)));
}

/// Evaluates the law of a system in wide numbers.
template <class T>
class SystemLaw {
 public:
  SystemLaw(const test::SystemData<T>& data, const SystemOptions& options)
      : data_(data),
        mass_(static_cast<R>(error_mass(data, options))),
        max_friction_(static_cast<R>(options.max_friction)) {}

  std::size_t contacts() const { return data_.contacts(); }
  R friction(std::size_t i) const { return smaller(static_cast<R>(data_.friction[i]), max_friction_); }
  static V vector(const std::vector<T>& numbers, std::size_t i) {
    return {static_cast<R>(numbers[3 * i]), static_cast<R>(numbers[3 * i + 1]), static_cast<R>(numbers[3 * i + 2])};
  }

  /// u, and the sum of the magnitudes of its terms.
  V velocity(const std::vector<V>& r, std::size_t i, R& terms) const {
    V u = vector(data_.q, i);
    terms = length(u);
    for (auto k = static_cast<std::size_t>(data_.row_start[i]); k < static_cast<std::size_t>(data_.row_start[i + 1]);
         ++k)
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) {
          const R term = static_cast<R>(data_.block[k][3 * a + b]) * r[static_cast<std::size_t>(data_.column[k])][b];
          u[a] += term;
          terms += absolute(term);
        }
    return u;
  }

  V projected(const V& x, R mu) const {
    const R t = length(tangential(x));
    if (mu * t <= -x[2]) return {};
    if (t <= mu * x[2]) return x;
    const R n = (x[2] + mu * t) / (1 + mu * mu);
    return {x[0] * mu * n / t, x[1] * mu * n / t, n};
  }

  /// |r - P(r - ρ (u + μ |u_t| n))|, and the part of it that rounding to ε may cause.
  R error(const std::vector<V>& r, R epsilon, R& rounding) const {
    R sum = 0, rounded = 0;
    for (std::size_t i = 0; i < contacts(); ++i) {
      R terms = 0;
      V u = velocity(r, i, terms);
      u[2] += friction(i) * length(tangential(u));
      const V moved = plus(r[i], -mass_, u);
      const V d = plus(r[i], R(-1), projected(moved, friction(i)));
      sum += dot(d, d);
      const R unit = epsilon * (mass_ * terms * (1 + friction(i)) + length(r[i]));
      rounded += unit * unit;
    }
    rounding = square_root(rounded);
    return square_root(sum);
  }

  R scale() const {
    R sum = 0;
    for (std::size_t i = 0; i < contacts(); ++i) {
      const V q = vector(data_.q, i);
      sum += dot(q, q);
    }
    return mass_ * square_root(sum);
  }

 private:
  static R smaller(R a, R b) { return a < b ? a : b; }

  const test::SystemData<T>& data_;
  R mass_, max_friction_;
};

/// Distance by which q was moved into the range of W, relative to |q|. The error excludes it.
double range_distance(const auto& report) {
  if constexpr (requires { report.range_distance; })
    return report.range_distance;
  else
    return 0;
}

template <class T>
Judged judge(std::uint64_t number, bool shows) {
  const DrawnSystem<T> drawn = draw_system<T>(number);
  const test::SystemData<T>& data = drawn.data;
  Judged judged{std::string(system_kind_names[static_cast<std::size_t>(drawn.kind)]),
                std::is_same_v<T, float> ? "float" : "double",
                "system",
                {},
                false};
  Verdict& v = judged.verdict;
  thread_local SystemSolver solver({.threads = 1});
  test::SystemSolution<T> made(data.contacts());
  SystemReport report;
  try {
    report = solver.solve(data.view(), made.view(), drawn.options);
  } catch (const Error& error) {
    if (shows) fmt::print("{}\n", error.what());
    // Diagonal entries of W may have underflowed or overflowed, and rounding makes W asymmetric.
    constexpr double rounding = 64 * static_cast<double>(std::numeric_limits<T>::epsilon());
    v.want("a sound system is solved", drawn.kind == SystemKind::range || drawn.options.asymmetry < rounding);
    return judged;
  }
  judged.converged = report.ok();
  if (shows) {
    fmt::print("{}\nfriction {}\nq {}\nW {}\nwarm {}\n", changes_of(drawn.options), data.friction, data.q, data.block,
               data.warm);
    fmt::print("r {}\nu {}\nerror {} missed {}\nstates", made.r, made.u, report.error, report.unsolved);
    for (const ContactState state : made.state) fmt::print(" {}", to_string(state));
    fmt::print("\n");
  }

  const auto is_finite = [](const std::vector<T>& x) {
    return std::ranges::all_of(x, [](T y) { return std::isfinite(y); });
  };
  v.want("impulses are finite", is_finite(made.r));
  const bool in_range = drawn.kind != SystemKind::range && keeps_in_range(drawn.options);
  if (in_range) v.want("velocities are finite", is_finite(made.u));
  if (v.broken()) return judged;

  constexpr R epsilon = std::numeric_limits<T>::epsilon(), least = std::numeric_limits<T>::denorm_min();
  const SystemLaw<T> law(data, drawn.options);
  std::vector<V> r, begun(data.contacts());
  for (std::size_t i = 0; i < data.contacts(); ++i) {
    r.push_back(law.vector(made.r, i));
    if (!data.warm.empty()) begun[i] = law.projected(law.vector(data.warm, i), law.friction(i));
    v.want("open means no impulse", made.state[i] != ContactState::open || dot(r[i], r[i]) == 0);
    const R mu = law.friction(i), unit = epsilon * length(r[i]) + least;
    v.add("the cone of friction", (length(tangential(r[i])) - mu * r[i][2]) / ((1 + mu) * unit));
  }
  if (!in_range) return judged;
  for (std::size_t i = 0; i < data.contacts(); ++i) {
    R terms = 0;
    const V u = law.velocity(r, i, terms);
    // Impulses are rounded after the velocities are computed.
    v.add("u = W r + q", length(plus(law.vector(made.u, i), R(-1), u)) / (epsilon * terms + least));
  }
  const R scale = law.scale();
  // Without an error_mass each island has its own.
  const bool has_one_mass = drawn.options.error_mass > 0 || report.islands == 1;
  if (!(scale > 0) || !has_one_mass) return judged;
  const R most = static_cast<R>(*std::ranges::max_element(data.friction));
  const R moved = (1 + most) * static_cast<R>(range_distance(report)) * scale;
  R rounding = 0, rounding_begun = 0;
  const R error = law.error(r, epsilon, rounding), error_begun = law.error(begun, epsilon, rounding_begun);
  const R reported = static_cast<R>(report.error) * scale;
  if (std::isfinite(report.error))
    v.add("the error is that of what is returned",
          (absolute(reported - error) - moved) / (rounding + epsilon * reported + least));
  v.add("no worse than the impulses to begin with",
        (error - error_begun - moved) / (rounding + rounding_begun + least));
  const double usual = sizeof(T) == sizeof(float) ? 1e-4 : 1e-8;
  const double tolerance = drawn.options.tolerance > 0 ? drawn.options.tolerance : usual;
  if (report.ok())
    v.add("solved is within the tolerance",
          (error - moved - static_cast<R>(tolerance) * scale * R(1.0000001L)) / (rounding + least));
  return judged;
}

}  // namespace

Judged judge_system(std::uint64_t number, bool shows) {
  return number % 2 == 0 ? judge<float>(number, shows) : judge<double>(number, shows);
}

}  // namespace carom::probe
