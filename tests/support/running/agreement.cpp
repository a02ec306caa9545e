// Euler: both runs take the same steps in different precision. Permitted difference of u, relative to |u0|:
//
// - A step rounds each component of u once at its own size, half an epsilon of |u| together, and some twenty times at
//   the size of the increment, which is smaller by N. The terms of u0 and of K may cancel, in particular for K of a
//   slender box: a few epsilons of the terms of u0, and of the terms of K times the impulse, which is at most
//   sqrt(1 + μ²) steps/N |u0| / trace K. The reference rounds as well, in double.
// - Sliding contracts in the norm of M⁻¹, also in steps, as long as they do not reach past the origin. So slip errors
//   grow at most by sqrt(cond M) <= sqrt(κ), κ = cond K, and move u_z by q = M⁻¹k times that, with
//   |(q, -1)| <= (κ + 1) / (2 sqrt(κ)). The growth of u: at most sqrt(κ + (κ + 1)² / 4).
// - Sticking ends at u_z = sqrt(2 k' W_d): an error of the work, divided by u_z, becomes an error of u_z, or its square
//   root if u_z is smaller.
// - A decision (the slip within reach, the end of the collision) that lies nearer to its boundary than the rounding may
//   fall one step apart, which moves u by at most |K (μ, 0, 1)| δ <= sqrt(1 + μ²) |u0| / N, times growth.
//
// The series takes different and fewer steps than the exact reference. Its increments are as large as the impulse, and
// its decisions do not move u by a step.
#include "support/running/agreement.hpp"

#include <algorithm>
#include <carom/reference.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>

#include "random/draw.hpp"

namespace carom::support {
namespace {

/// Bound of the terms in one body's part of trace K.
double mobility_terms(const BodyArrays<double>& body, const Vectors3<double>& lever, std::size_t i) {
  const auto& m = body.inverse_inertia;
  const Vector r = at(lever, i);
  return 3 * body.inverse_mass[i] + (m[0][i] + m[3][i] + m[5][i]) * dot(r, r);
}

/// Condition of a symmetric positive definite matrix, by the cosine formula for the roots of its characteristic
/// polynomial.
double condition(const Rows& k) {
  const double mean = (k[0][0] + k[1][1] + k[2][2]) / 3;
  Rows d = k;
  for (std::size_t i = 0; i < 3; ++i) d[i][i] -= mean;
  const double p = std::sqrt((dot(d[0], d[0]) + dot(d[1], d[1]) + dot(d[2], d[2])) / 6);
  if (p < 1e-9 * mean) return 1;
  const double half_det = dot(d[0], cross(d[1], d[2])) / (2 * p * p * p);
  const double angle = std::acos(std::clamp(half_det, -1.0, 1.0)) / 3;
  const double largest = mean + 2 * p * std::cos(angle);
  const double smallest = mean + 2 * p * std::cos(angle + 2 * std::numbers::pi / 3);
  return largest / smallest;
}

bool sticks(SlidingEnd sliding_end) {
  return sliding_end == SlidingEnd::stick_in_c || sliding_end == SlidingEnd::stick_in_d ||
         sliding_end == SlidingEnd::stick_at_start;
}

}  // namespace

Expected::Expected(const RandomContacts<double>& c, const Options& options)
    : results(c.friction.size()), boundary_distance(c.friction.size()) {
  reference::solve(c.inline_contacts(), results.results(), options, boundary_distance);
  for (std::size_t i = 0; i < c.friction.size(); ++i) {
    const reference::Collision collision = reference::collision_of(c.inline_contacts(), i);
    const Rows& k = collision.k;
    const Vector& u0 = collision.u0;
    const Vector va = at(c.a.velocity, i), vb = at(c.b.velocity, i);
    const double terms = length(va) + length(vb) + length(at(c.a.angular_velocity, i)) * length(at(c.r_a, i)) +
                         length(at(c.b.angular_velocity, i)) * length(at(c.r_b, i));
    const double k_terms = mobility_terms(c.a, c.r_a, i) + mobility_terms(c.b, c.r_b, i);
    const double k_cancels = k_terms / (k[0][0] + k[1][1] + k[2][2]);
    const double u0_cancels = terms / length(u0);
    const double kappa = condition(k);
    const double growth = std::sqrt(kappa + (kappa + 1) * (kappa + 1) / 4);
    const double steps = results.steps[i];

    impact_speed.push_back(length(u0));
    const double cone = std::sqrt(1 + c.friction[i] * c.friction[i]);
    const bool euler = options.integrator == Integrator::euler;
    const double impulse = euler ? cone * steps / options.steps
                                 : length(at(results.impulse, i)) * (k[0][0] + k[1][1] + k[2][2]) / length(u0);
    rounding.push_back(growth * (steps / 2 + (20 + 4 * k_cancels) * impulse + 4 * u0_cancels));
    one_step.push_back(euler ? growth * cone / options.steps : 0);
    grazing.push_back(length(u0) / std::abs(u0[2]));
  }
}

template <class T>
std::string disagreement(const Expected& expected, const ResultArrays<T>& found) {
  const double epsilon =
      static_cast<double>(std::numeric_limits<T>::epsilon()) + std::numeric_limits<double>::epsilon();
  for (std::size_t i = 0; i < expected.impact_speed.size(); ++i) {
    std::ostringstream message;
    if (found.status[i] != expected.results.status[i]) {
      message << "contact " << i << ": status " << to_string(found.status[i]) << ", the reference has "
              << to_string(expected.results.status[i]);
      return message.str();
    }
    const double u0 = expected.impact_speed[i];
    const Vector u = at(expected.results.separation_velocity, i);
    const Vector v = at(found.separation_velocity, i);
    const double difference = length(v - u) / u0;

    double bound = epsilon * expected.rounding[i];
    if (expected.boundary_distance[i] <= bound * expected.grazing[i]) bound += expected.one_step[i];
    if (sticks(expected.results.path[i].sliding_end)) {
      bound /= std::max(length(u) / u0, std::sqrt(bound));
    }
    // Also catches NaN.
    if (!(difference <= bound)) {
      message << "contact " << i << ": the separation velocity is off by " << difference << " |u0|, more than " << bound
              << " (path " << to_string(expected.results.path[i]) << ", distance to a decision "
              << expected.boundary_distance[i] << ")";
      return message.str();
    }
  }
  return {};
}

template std::string disagreement(const Expected&, const ResultArrays<float>&);
template std::string disagreement(const Expected&, const ResultArrays<double>&);

}  // namespace carom::support
