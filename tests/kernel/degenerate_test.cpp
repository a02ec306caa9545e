// Contacts of engines that are nearly degenerate (support/contacts/degenerate_contacts.hpp) have a right answer, or a
// status that names the fault.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <carom/reference.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "support/contacts/degenerate_contacts.hpp"
#include "support/contacts/encounter.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
namespace {

using support::condition;
using support::Encounter;
using support::energy_at;
using support::RandomContacts;
using support::RandomSpaceContacts;
using support::ResultArrays;
using support::trace;
using support::Wide;
using support::wide_at;
using support::WideVector;

template <class T>
class Degenerate : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Degenerate, Precisions);

constexpr std::size_t contacts_of_a_kind = 18 * (support::fast_build ? 1000 : 50);

template <class T>
constexpr Wide epsilon = static_cast<Wide>(std::numeric_limits<T>::epsilon());

// 1e-16 cond K · 100 in double. The same number of roundings in float.
template <class T>
constexpr Wide error_unit = 1e-14L / epsilon<double>* epsilon<T>;

// [1] Share of |u0|. A smaller slip has come to rest, or keeps its direction.
template <class T>
constexpr Wide min_slip = std::is_same_v<T, float> ? 0x1p-20L : 0x1p-49L;

// Up to here float promises an answer.
template <class T>
constexpr double max_condition = std::is_same_v<T, float> ? 1e4 : std::numeric_limits<double>::infinity();

template <class T>
Contacts<T> view(const RandomContacts<T>& contacts) {
  return contacts.inline_contacts();
}
template <class T>
KContacts<T> view(const RandomSpaceContacts<T>& contacts) {
  return contacts.space_contacts();
}

// Calls check(name, contacts) for every kind.
template <class T, class Check>
void for_each_kind(Check&& check) {
  for (const auto& [kind, name] : support::body_kinds)
    check("bodies, " + std::string(name), support::DegenerateBodies<T>(kind, contacts_of_a_kind, 7).contacts);
  for (const auto& [kind, name] : support::space_kinds)
    check("contact space, " + std::string(name), support::degenerate_in_contact_space<T>(kind, contacts_of_a_kind, 7));
}

template <class T, class AnyContacts>
ResultArrays<T> solved(const AnyContacts& contacts) {
  ResultArrays<T> results(contacts_of_a_kind, std::is_same_v<AnyContacts, RandomContacts<T>>);
  SolverSetup options;
  options.execution.threads = 1;
  ConfiguredSolver(options).solve(view(contacts), results.results());
  return results;
}

// A given K, with entries rounded to T, may be singular to rounding. It is refused if det M = m1 m2 is within 4 ε of
// the product of the diagonal, at most m1², or if S = v·K v, v = (-q, 1), is within 8 ε of q1² M_11 + q2² M_22 + K_33
// <= |v|² λ_max. S itself is wrong by up to 6 ε of that. So a K with λ_min above 24 ε λ_max is not refused.
template <class T>
bool may_be_refused(const RandomSpaceContacts<T>&, double condition) {
  return !(condition > 0 && condition < 1 / (24 * epsilon<T>));
}
template <class T>
bool may_be_refused(const RandomContacts<T>&, double) {
  return false;
}

TYPED_TEST(Degenerate, contacts_are_resolved_within_the_budget_of_steps) {
  using T = TypeParam;
  for_each_kind<T>([](const std::string& name, const auto& contacts) {
    const ResultArrays<T> results = solved<T>(contacts);
    for (std::size_t i = 0; i < contacts_of_a_kind; ++i) {
      if (results.status[i] == Status::ok) continue;
      ASSERT_EQ(results.status[i], Status::collision_matrix_not_positive_definite) << name << ' ' << i;
      ASSERT_TRUE(may_be_refused(contacts, condition(encounter(contacts, i).k))) << name << ' ' << i;
    }
  });
}

struct Exact {
  WideVector u, p;
};

// Bound of the error of u, relative to |u0|:
//
// - cond K times the error unit.
// - Between bodies the terms of K and u0 may cancel: 4 ε of the terms of u0, and of the terms of K times the impulse.
//   Both may grow with cond K: see support/running/agreement.cpp.
// - The end of the collision may be steep: an error δ of u_z before it causes an error δ |p| of the work. The end,
// where
//   the work becomes zero with the speed u_z and its slope, moves by the smaller of δ |p| / u_z and √(2 δ |p| / slope),
//   or at e = 0, where u_z itself becomes zero, by δ / slope. u moves at its own rate.
template <class T>
Wide error_bound(const Encounter& e, double cond, double friction, double restitution, const Exact& exact) {
  const Wide speed = length(e.u0), impulse = length(exact.p) * trace(e.k) / speed;
  const Wide k = cond, growth = std::sqrt(k + (k + 1) * (k + 1) / 4);
  const Wide cancelling = 4 * (impulse * e.k_terms / trace(e.k) + e.u0_terms / speed);
  const Wide error = error_unit<T> * k + growth * epsilon<T> * cancelling;

  const Wide uz = dot(exact.u, e.normal);
  WideVector slip, rate;
  for (std::size_t j = 0; j < 3; ++j) slip[j] = exact.u[j] - uz * e.normal[j];
  const Wide r = length(slip);
  if (r > error * speed) {
    // Per unit of max(1, μ) p_z, which infinite friction has, too.
    const Wide normal = friction > 1 ? 1 / static_cast<Wide>(friction) : 1, tangential = std::min(friction, 1.0);
    WideVector force;
    for (std::size_t j = 0; j < 3; ++j) force[j] = normal * e.normal[j] - tangential * slip[j] / r;
    rate = e.k * force;
  } else {
    // At rest along the normal, at 1 / (K⁻¹)_33.
    for (std::size_t j = 0; j < 3; ++j) rate[j] = e.normal[j] / (2 * energy_at(e.k, e.normal));
  }
  const Wide slope = std::abs(dot(rate, e.normal)), work = error * speed * length(exact.p);
  const Wide later = restitution > 0 ? std::min(work / uz, std::sqrt(2 * work / slope)) : error * speed / slope;
  return error + length(rate) * later / speed;
}

TYPED_TEST(Degenerate, contacts_agree_with_the_exact_reference) {
  using T = TypeParam;
  for_each_kind<T>([](const std::string& name, const auto& contacts) {
    const ResultArrays<T> results = solved<T>(contacts);
    const auto wide = support::widened(contacts);
    ResultArrays<double> expected(contacts_of_a_kind, std::is_same_v<decltype(wide), const RandomContacts<double>>);
    reference::solve(view(wide), expected.results());
    std::size_t compared = 0;
    for (std::size_t i = 0; i < contacts_of_a_kind; ++i) {
      const Encounter e = encounter(contacts, i);
      const double cond = condition(e.k);
      // Rounded to T, a K may have a negative eigenvalue.
      if (!(cond > 0 && cond <= max_condition<T>)) continue;
      ++compared;
      ASSERT_EQ(expected.status[i], Status::ok) << name << ' ' << i;
      const Exact exact = {wide_at(expected.separation_velocity, i), wide_at(expected.impulse, i)};
      const WideVector u = wide_at(results.separation_velocity, i);
      const Wide error = length(u - exact.u) / length(e.u0);
      ASSERT_LE(error, error_bound<T>(e, cond, static_cast<double>(contacts.friction[i]),
                                      static_cast<double>(contacts.restitution[i]), exact))
          << name << ' ' << i << ", cond K " << cond;
    }
    EXPECT_GE(compared, contacts_of_a_kind / 8) << name;
  });
}

// Holds for every resolved contact, also for ill-conditioned ones.
TYPED_TEST(Degenerate, contacts_keep_to_the_law) {
  using T = TypeParam;
  for_each_kind<T>([](const std::string& name, const auto& contacts) {
    const ResultArrays<T> results = solved<T>(contacts);
    for (std::size_t i = 0; i < contacts_of_a_kind; ++i) {
      if (results.status[i] != Status::ok) continue;
      SCOPED_TRACE(name + ' ' + std::to_string(i));
      const Encounter e = encounter(contacts, i);
      const WideVector p = wide_at(results.impulse, i), u = wide_at(results.separation_velocity, i);
      ASSERT_TRUE(std::isfinite(length(p)) && std::isfinite(length(u)));

      // The frame of the contact is orthogonal to a few roundings, and a vector is turned out of it by a few more.
      const Wide turning = 4 * epsilon<T>;
      ASSERT_GE(dot(u, e.normal), -turning * length(u));

      const Wide pn = dot(p, e.normal), friction = static_cast<Wide>(contacts.friction[i]);
      WideVector pt;
      for (std::size_t j = 0; j < 3; ++j) pt[j] = p[j] - pn * e.normal[j];
      ASSERT_GE(pn, -turning * length(p));
      if (std::isfinite(friction)) {
        ASSERT_LE(length(pt), friction * pn + (1 + friction) * turning * length(p));
      }

      // Energy of a slip below the smallest one, and the change of ½ p·K p by the entries of K, which are rounded when
      // they are scaled and when they are rotated to the axes of M.
      const Wide of_slip = length(p) * min_slip<T> * length(e.u0) / 2;
      const Wide of_k = epsilon<T> * e.k_terms * dot(p, p);
      ASSERT_LE(energy_gain(e, results, i), rounding_of_energy(e, results, i) + of_slip + of_k);
    }
  });
}

}  // namespace
}  // namespace carom
