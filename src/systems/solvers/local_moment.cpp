#include "local_moment.hpp"

#include <algorithm>
#include <cmath>

#include "linear/front_kernels.hpp"
#include "systems/problem/moments.hpp"

namespace carom::systems {
namespace {

constexpr int max_turns = 3;

}  // namespace

LocalMoment::Turning::Turning(const double* w_mm) {
  std::copy_n(w_mm, 9, w);
  const double plane[9] = {w[0], w[1], 0, w[3], w[4], 0, 0, 0, 1};
  rolling = LocalContact(plane, 1);
}

void LocalMoment::Turning::solve(const double* b, double limit, double* m) {
  // As an impulse whose normal is given.
  const double along[3] = {b[0] + w[2] * m[2], b[1] + w[5] * m[2], -limit};
  double next[3] = {m[0], m[1], limit};
  rolling.solve(along, next);
  m[0] = next[0];
  m[1] = next[1];
  const double spin = b[2] + w[6] * m[0] + w[7] * m[1] + w[8] * m[2];
  if (w[8] > 0) m[2] = std::clamp(m[2] - spin / w[8], -limit, limit);
}

LocalMoment::LocalMoment(const double* pp, const double* pm, const double* mp, const double* mm) : free_(mm) {
  std::copy_n(pm, 9, pm_);
  std::copy_n(mp, 9, mp_);
  // Relative size of rounding errors. Added to the diagonal it makes pp invertible. A contact with a held entry below
  // it is never treated as held.
  constexpr double rounding = 1e-12;
  double inverse[9];
  std::copy_n(pp, 9, inverse);
  for (std::size_t e = 0; e < 9; e += 4) inverse[e] += rounding * (pp[0] + pp[4] + pp[8]);
  if (!invert(inverse, 3)) return;
  multiply(mp, inverse, 1, hold_);
  double held[9];
  multiply(hold_, pm, 1, held);
  for (std::size_t e = 0; e < 9; ++e) held[e] = mm[e] - held[e];
  for (const std::size_t e : {0u, 4u, 8u})
    if (mm[e] > 0 && !(held[e] > rounding * mm[e])) return;
  held_ = Turning(held);
  can_be_held_ = true;
}

void LocalMoment::solve(LocalContact& contact, const double* b_p, const double* b_m, double* r, double* m) {
  for (int turn = 0; turn < max_turns; ++turn) {
    double b[3] = {b_m[0], b_m[1], b_m[2]};
    if (sticks_) {
      const double less[3] = {-b_p[0], -b_p[1], -b_p[2]};
      add_product(hold_, less, b);
    } else {
      add_product(mp_, r, b);
    }
    const double before[3] = {m[0], m[1], m[2]};
    (sticks_ ? held_ : free_).solve(b, r[2], m);
    double impulse[3] = {b_p[0], b_p[1], b_p[2]};
    add_product(pm_, m, impulse);
    contact.solve(impulse, r);
    sticks_ = can_be_held_ && r[2] > 0 && tangential_length(r) < (1 - 1e-12) * contact.friction * r[2];
    const double change =
        std::max({std::abs(m[0] - before[0]), std::abs(m[1] - before[1]), std::abs(m[2] - before[2])});
    if (change <= 1e-15 * r[2]) break;
  }
  const double roll = tangential_length(m);
  if (roll > r[2]) {
    m[0] *= r[2] / roll;
    m[1] *= r[2] / roll;
  }
  m[2] = std::clamp(m[2], -r[2], r[2]);
}

}  // namespace carom::systems
