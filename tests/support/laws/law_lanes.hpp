// Applies laws directly to the lanes of one architecture, as the pipeline does. For tests that are built once per ISA.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "contact/kernels/laws/algebraic/law.hpp"
#include "contact/kernels/stages/units.hpp"
#include "random/draw.hpp"

namespace carom::support {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A contact in contact space, in the caller's units.
struct LawCase {
  std::array<double, 6> k;  // xx, xy, xz, yy, yz, zz
  std::array<double, 3> u0;
  double friction = 0, restitution = 0;
  // ratio 1, ratio 2, polar angle, azimuth, fraction, candidate (in the units of the law)
  std::array<double, 8> parameters{};
};

/// Input and result of the law in its own units, widened from T to double.
struct LawFound {
  double m11, m12, m22, k1, k2, k33;
  std::array<double, 3> u0;
  double friction, restitution;
  std::array<double, 3> p, u;
  bool slips, several, none;

  double normal() const { return p[2]; }
  double tangential() const { return std::hypot(p[0], p[1]); }
};

template <class A, class T>
kernel::LawInput<A, T> law_input(const LawCase* cases, std::size_t count) {
  using B = typename kernel::LaneTypes<A, T>::Batch;
  constexpr std::size_t width = kernel::LaneTypes<A, T>::width;
  const auto load = [&](auto&& value) {
    T values[width];
    for (std::size_t lane = 0; lane < width; ++lane)
      values[lane] = static_cast<T>(value(cases[lane < count ? lane : count - 1]));
    return kernel::load_lanes<B>(values);
  };
  const auto k = [&](std::size_t i) { return load([i](const LawCase& c) { return c.k[i]; }); };
  const auto u0 = [&](std::size_t i) { return load([i](const LawCase& c) { return c.u0[i]; }); };
  const auto parameter = [&](std::size_t i) { return load([i](const LawCase& c) { return c.parameters[i]; }); };
  const auto matrix = kernel::collision_matrix<T>(kernel::Symmetric3<B>{k(0), k(1), k(2), k(3), k(4), k(5)});
  return {matrix.m11,
          matrix.m12,
          matrix.m22,
          matrix.k1,
          matrix.k2,
          matrix.k33,
          matrix.det_m,
          matrix.q1,
          matrix.q2,
          matrix.schur,
          kernel::direction_of(kernel::Vector3<B>{u0(0), u0(1), u0(2)}).direction,
          load([](const LawCase& c) { return c.friction; }),
          load([](const LawCase& c) { return c.restitution; }),
          {B(0),
           parameter(0),
           parameter(1),
           parameter(2),
           parameter(3),
           parameter(4),
           {parameter(5), parameter(6), parameter(7)}}};
}

/// Solves `count` cases, at most one vector of them.
template <class L, class A, class T>
void apply_vector(const LawCase* cases, std::size_t count, LawFound* found) {
  using B = typename kernel::LaneTypes<A, T>::Batch;
  constexpr std::size_t width = kernel::LaneTypes<A, T>::width;
  const auto in = law_input<A, T>(cases, count);
  const auto result = L::template apply<A, T>(in.u0.z < B(0), in);
  const auto each = [&](const B& lanes, auto&& place) {
    T values[width];
    kernel::store_lanes(values, lanes);
    for (std::size_t lane = 0; lane < count; ++lane) place(found[lane]) = static_cast<double>(values[lane]);
  };
  each(in.m11, [](LawFound& f) -> double& { return f.m11; });
  each(in.m12, [](LawFound& f) -> double& { return f.m12; });
  each(in.m22, [](LawFound& f) -> double& { return f.m22; });
  each(in.k1, [](LawFound& f) -> double& { return f.k1; });
  each(in.k2, [](LawFound& f) -> double& { return f.k2; });
  each(in.k33, [](LawFound& f) -> double& { return f.k33; });
  each(in.friction, [](LawFound& f) -> double& { return f.friction; });
  each(in.restitution, [](LawFound& f) -> double& { return f.restitution; });
  const auto each_vector = [&](const kernel::Vector3<B>& v, std::array<double, 3> LawFound::*member) {
    each(v.x, [member](LawFound& f) -> double& { return (f.*member)[0]; });
    each(v.y, [member](LawFound& f) -> double& { return (f.*member)[1]; });
    each(v.z, [member](LawFound& f) -> double& { return (f.*member)[2]; });
  };
  each_vector(in.u0, &LawFound::u0);
  each_vector(result.p, &LawFound::p);
  each_vector(result.u, &LawFound::u);
  for (std::size_t lane = 0; lane < count; ++lane) {
    found[lane].slips = (kernel::lane_bits(result.slips) >> lane & 1u) != 0;
    found[lane].several = (kernel::lane_bits(result.several) >> lane & 1u) != 0;
    found[lane].none = (kernel::lane_bits(result.none) >> lane & 1u) != 0;
  }
}

template <class L, class A, class T>
std::vector<LawFound> apply_law(const std::vector<LawCase>& cases) {
  constexpr std::size_t width = kernel::LaneTypes<A, T>::width;
  std::vector<LawFound> found(cases.size());
  for (std::size_t i = 0; i < cases.size(); i += width)
    apply_vector<L, A, T>(&cases[i], cases.size() - i < width ? cases.size() - i : width, &found[i]);
  return found;
}

/// Random contacts: K with random axes and eigenvalues in [1 / range, range], u0 with u0_z < 0, friction in
/// [0, `friction`], restitution in [0, 1].
inline std::vector<LawCase> random_cases(std::size_t count, std::uint64_t seed, double range = 32,
                                         double friction = 1.2) {
  Draw draw(seed);
  std::vector<LawCase> cases(count);
  for (LawCase& c : cases) {
    const double log_range = std::log(range);
    const Rows r = draw.rotation();
    const Vector values{draw.log_uniform(log_range), draw.log_uniform(log_range), draw.log_uniform(log_range)};
    c.k = turned_diagonal(r, values);
    c.u0 = draw.bell3(1);
    c.u0[2] = -std::abs(c.u0[2]) - 1e-3;
    c.friction = draw.uniform(0, friction);
    c.restitution = draw.uniform();
  }
  return cases;
}

/// K p + u0 of the law's input, computed in long double: its rounding is negligible.
inline std::array<double, 3> velocity_after(const LawFound& f, const std::array<double, 3>& p) {
  using Long = long double;
  const auto row = [&](double a, double b, double c, double u) {
    return static_cast<double>(static_cast<Long>(a) * static_cast<Long>(p[0]) +
                               static_cast<Long>(b) * static_cast<Long>(p[1]) +
                               static_cast<Long>(c) * static_cast<Long>(p[2]) + static_cast<Long>(u));
  };
  return {row(f.m11, f.m12, f.k1, f.u0[0]), row(f.m12, f.m22, f.k2, f.u0[1]), row(f.k1, f.k2, f.k33, f.u0[2])};
}

/// |u0| + |K| |p|, the size of the terms of u0 + K p, in units in which |u0| and |K| are 1.
inline double size_of_terms(const LawFound& f) {
  return 1 + std::hypot(f.p[0], f.p[1], f.p[2]);
}

}  // namespace
}  // namespace carom::support
