// The rare step of the series on which u_z may turn around: contact by contact.
#pragma once

#include "core/jobs/job.hpp"
#include "simd/kernels/numerics/polynomial.hpp"

namespace carom::kernel {
namespace {

/// Orders and tolerances by precision; docs/series.md derives them.
template <class T>
struct SeriesOrder;
template <>
struct SeriesOrder<float> {
  static constexpr int state = 10, work = 14, rest = 10;
  static constexpr float tolerance = 0x1p-20f;  // relative to |u0|; the series then ends in closed form
  static constexpr float log2_tolerance = -20;  // relative; of the last orders of a step
  static constexpr float near = 0.5f;           // [rad] distance to a ray below which the closed form is tried
  // Below this e, the end of a collision is searched from u_z = 0 on: as a small difference of the work it is
  // inaccurate.
  static constexpr float small_restitution = 0.1f;
};
template <>
struct SeriesOrder<double> {
  static constexpr int state = 18, work = 23, rest = 16;
  static constexpr double tolerance = 0x1p-49;
  static constexpr double log2_tolerance = -49;
  static constexpr double near = 0.3;
  static constexpr double small_restitution = 0.25;
};

/// The series of one contact on a step [0, h], and its state. See series.hpp.
template <class T>
struct SeriesStep {
  static constexpr int state = SeriesOrder<T>::state, work = SeriesOrder<T>::work;
  T x[state + 1], y[state + 1], z[state + 1], q[work + 1];
  T h, c1, c2, e, law, kinematic_balance, balance;
  bool decompressing;
};

/// The first of: the end of the collision, the end of a phase, the end of the step.
template <class T>
struct TurningPoint {
  T at, balance;
  bool ended, turned;
};

template <int degree, class T>
inline T root_of(const T* c, T low, T high) {
  const bool rises = value<degree>(c, high) > T(0);
  T rising[degree + 1];
  for (int i = 0; i <= degree; ++i) rising[i] = rises ? c[i] : -c[i];
  return rising_root<degree, T>(rising, T(0), low, high, T(0.5) * (low + high), true);
}

/// u_z is monotone between the zeros of z', which is r (c3 - C·û). The direction û only ever turns one way, and by less
/// than 2π, so that z' has one zero at most on either side of a zero of C×û.
template <class T>
[[gnu::noinline]] inline TurningPoint<T> first_turning_point(const SeriesStep<T>& s) {
  constexpr int state = SeriesStep<T>::state, work = SeriesStep<T>::work;
  T slope[state + 1], across[state + 1];
  for (int i = 0; i < state; ++i) slope[i] = static_cast<T>(i + 1) * s.z[i + 1];
  slope[state] = T(0);
  for (int i = 0; i <= state; ++i) across[i] = s.c1 * s.y[i] - s.c2 * s.x[i];

  const auto between = [](T at, T low, T high) { return at > low && at < high; };
  T marks[3] = {T(0), s.h, s.h};
  if ((across[0] > T(0)) != (value<state>(across, s.h) > T(0))) marks[1] = root_of<state>(across, T(0), s.h);
  T cuts[5];
  int count = 0;
  for (int i = 0; i < 2; ++i) {
    const T low = marks[i], high = marks[i + 1];
    if (!(high > low)) continue;
    if ((value<state>(slope, low) > T(0)) != (value<state>(slope, high) > T(0))) {
      const T turn = root_of<state>(slope, low, high);
      if (between(turn, low, high)) cuts[count++] = turn;
    }
    cuts[count++] = high;
  }

  const bool kinematic = s.law == T(2);
  T low = T(0), u_low = s.z[0];
  for (int i = 0; i < count; ++i) {
    const T high = cuts[i], u_high = value<state>(s.z, high);
    if (!s.decompressing && u_low <= T(0) && u_high > T(0)) {
      const T at = rising_root<state, T>(s.z, T(0), low, high, T(0.5) * (low + high), true);
      const T q = value<work>(s.q, at);
      const T balance = kinematic       ? s.kinematic_balance
                        : s.law == T(1) ? s.balance - s.e * q
                                        : mul_add(s.e * s.e, q, s.balance);
      return {at, balance, s.e == T(0), true};
    }
    if (s.decompressing) {
      const bool falls = u_high < T(0);
      const T top = falls ? root_of<state>(s.z, low, high) : high;
      const T q = value<work>(s.q, top);
      if (q >= -s.balance)
        return {rising_root<work, T>(s.q, -s.balance, low, top, T(0.5) * (low + top), true), s.balance, true, false};
      if (falls) return {top, kinematic ? s.balance : s.balance + q, false, true};
    }
    low = high;
    u_low = u_high;
  }
  const T q = value<work>(s.q, s.h);
  const T balance = kinematic         ? s.balance
                    : s.decompressing ? s.balance + q
                    : s.law == T(1)   ? s.balance - s.e * q
                                      : mul_add(s.e * s.e, q, s.balance);
  return {s.h, balance, false, false};
}

}  // namespace
}  // namespace carom::kernel
