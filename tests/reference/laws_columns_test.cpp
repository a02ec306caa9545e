// Laws over columns of contacts: selection of the law, its inputs, faults, and frames.
#include <gtest/gtest.h>

#include <carom/reference.hpp>
#include <cmath>
#include <functional>
#include <vector>

#include "support/laws/law_samples.hpp"

namespace carom::reference {
namespace {

// As in laws_test.cpp.
constexpr double tolerance = 1e-12;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using support::RandomContacts;
using support::RandomIndexedContacts;
using support::ResultArrays;

// Contacts in contact space with all columns of the laws.
struct Batch {
  explicit Batch(const std::vector<LawSample>& samples) : size(samples.size()), k(6) {
    for (const auto& [c, p] : samples) {
      const double six[] = {c.k[0][0], c.k[0][1], c.k[0][2], c.k[1][1], c.k[1][2], c.k[2][2]};
      for (std::size_t j = 0; j < 6; ++j) k[j].push_back(six[j]);
      for (std::size_t j = 0; j < 3; ++j) u0[j].push_back(c.u0[j]);
      for (std::size_t j = 0; j < 3; ++j) candidate[j].push_back(p.candidate[j]);
      friction.push_back(c.friction);
      restitution.push_back(c.restitution);
      tangential_restitution.push_back(p.tangential_restitution);
      ratio_1.push_back(p.impulse_ratio_1);
      ratio_2.push_back(p.impulse_ratio_2);
      polar_angle.push_back(p.polar_angle);
      azimuth.push_back(p.azimuth);
      fraction.push_back(p.fraction);
      const Weights<double>& w = p.weight;
      const double nine[] = {w.incremental,    w.frictionless, w.chatterjee_ruina, w.bilinear, w.smith,
                             w.anitescu_potra, w.brach,        w.projected,        w.polar};
      weights.resize(9);
      for (std::size_t j = 0; j < 9; ++j) weights[j].push_back(nine[j]);
      law.push_back(Law::incremental);
    }
  }

  KContacts<double> contacts() {
    KContacts<double> c;
    c.k = {k[0], k[1], k[2], k[3], k[4], k[5]};
    c.separation_velocity = {u0[0], u0[1], u0[2]};
    c.friction = friction;
    c.restitution = restitution;
    c.laws.law = law;
    c.laws.tangential_restitution = tangential_restitution;
    c.laws.impulse_ratio_1 = ratio_1;
    c.laws.impulse_ratio_2 = ratio_2;
    c.laws.polar_angle = polar_angle;
    c.laws.azimuth = azimuth;
    c.laws.fraction = fraction;
    c.laws.candidate = {candidate[0], candidate[1], candidate[2]};
    auto& w = c.laws.weight;
    w.incremental = weights[0], w.frictionless = weights[1], w.chatterjee_ruina = weights[2], w.bilinear = weights[3];
    w.smith = weights[4], w.anitescu_potra = weights[5], w.brach = weights[6], w.projected = weights[7];
    w.polar = weights[8];
    return c;
  }

  std::size_t size;
  std::vector<std::vector<double>> k;
  support::Vectors3<double> u0, candidate;
  std::vector<double> friction, restitution, tangential_restitution, ratio_1, ratio_2, polar_angle, azimuth, fraction;
  std::vector<std::vector<double>> weights;
  std::vector<Law> law;
};

Vector3 at(const support::Vectors3<double>& v, std::size_t i) {
  return {v[0][i], v[1][i], v[2][i]};
}

TEST(columns, every_contact_has_its_own_law_and_parameters) {
  const std::vector<LawSample> samples = law_samples(600, 51);
  Batch batch(samples);
  for (std::size_t i = 0; i < batch.size; ++i) batch.law[i] = laws_of_bodies[i % laws_of_bodies.size()];
  ResultArrays<double> out(batch.size, false);
  const Report report = solve(batch.contacts(), out.results());
  EXPECT_EQ(report.faults(), 0u);
  for (std::size_t i = 0; i < batch.size; ++i) {
    const LawOutcome expected = apply(batch.law[i], samples[i].c, samples[i].parameters);
    EXPECT_EQ(out.status[i], expected.status);
    EXPECT_EQ(out.path[i], expected.path);
    EXPECT_LE(distance(at(out.impulse, i), expected.p), 1e-10 * length(expected.p)) << to_string(batch.law[i]);
    if (batch.law[i] == Law::incremental) continue;
    EXPECT_EQ(at(out.separation_velocity, i), expected.u);
    EXPECT_EQ(out.steps[i], 0);
    EXPECT_EQ(out.work_compression[i], 0);
    EXPECT_EQ(out.work_decompression[i], 0);
  }
}

TEST(columns, the_option_is_the_law_of_contacts_without_their_own) {
  const std::vector<LawSample> samples = law_samples(50, 52);
  Batch batch(samples);
  KContacts<double> contacts = batch.contacts();
  contacts.laws.law = {};
  ResultArrays<double> out(batch.size, false);
  solve(select(contacts, {.law = Law::no_slip}), out.results(), {.law = Law::no_slip});
  for (std::size_t i = 0; i < batch.size; ++i) EXPECT_EQ(at(out.impulse, i), apply(Law::no_slip, samples[i].c).p);
}

TEST(columns, an_energy_gain_is_reported) {
  // The derivation is in laws_region_test.cpp: 0.5 J become 0.78125 J.
  std::vector<LawSample> samples = law_samples(3, 53);
  samples[1].c.k = symmetric(1, 0, 0.6, 1, 0, 1);
  samples[1].c.u0 = {-0.6, 0, -1};
  samples[1].c.friction = 0.5;
  samples[1].c.restitution = 1;
  Batch batch(samples);
  batch.law = {Law::smith, Law::whittaker, Law::chatterjee_ruina};
  ResultArrays<double> out(batch.size, false);
  const Report report = solve(batch.contacts(), out.results());
  EXPECT_NEAR(report.max_energy_gain, 0.28125, 32 * epsilon);
  EXPECT_EQ(report.max_energy_gain_contact, 1u);
}

TEST(columns, several_solutions_count_as_resolved) {
  // three_ways of laws_limits_test.cpp.
  std::vector<LawSample> samples = law_samples(1, 54);
  samples[0].c.k = symmetric(8, 0, 5, 8, -5, 7);
  samples[0].c.u0 = {7, 7, -1};
  samples[0].c.friction = 1.3;
  samples[0].c.restitution = 0;
  Batch batch(samples);
  batch.law = {Law::whittaker};
  ResultArrays<double> out(1, false);
  const Report report = solve(batch.contacts(), out.results());
  EXPECT_EQ(out.status[0], Status::several_solutions);
  EXPECT_EQ(report.faults(), 0u);
  EXPECT_EQ(report.count(Path{.sliding_end = SlidingEnd::stick}), 1u);
  EXPECT_LE(distance(at(out.impulse, 0), {-41. / 24, -1. / 24, 32. / 24}), 1e3 * epsilon);
}

// Status of one contact under a law after `change` of its columns.
Status status_of(Law law, const std::function<void(Batch&)>& change,
                 const std::function<void(KContacts<double>&)>& view = {}) {
  Batch batch(law_samples(1, 55));
  batch.law[0] = law;
  change(batch);
  KContacts<double> contacts = batch.contacts();
  if (view) view(contacts);
  ResultArrays<double> out(1, false);
  solve(contacts, out.results());
  if (is_fault(out.status[0])) {
    EXPECT_EQ(at(out.impulse, 0), Vector3{});
    EXPECT_EQ(at(out.separation_velocity, 0), at(batch.u0, 0));
    EXPECT_EQ(out.path[0], Path{});
  }
  return out.status[0];
}

Status status_with(Law law, std::vector<double> Batch::*column, double value) {
  return status_of(law, [&](Batch& b) { (b.*column)[0] = value; });
}

TEST(faults, parameters_out_of_their_range) {
  const auto out_of_range = Status::law_parameter_out_of_range;
  for (Law law : {Law::chatterjee_ruina, Law::bilinear}) {
    EXPECT_EQ(status_with(law, &Batch::tangential_restitution, 1.5), out_of_range);
    EXPECT_EQ(status_with(law, &Batch::tangential_restitution, -1.5), out_of_range);
    EXPECT_EQ(status_with(law, &Batch::tangential_restitution, -1), Status::ok);
    EXPECT_EQ(status_with(law, &Batch::tangential_restitution, nan), Status::not_a_number);
  }
  EXPECT_EQ(status_with(Law::polar, &Batch::polar_angle, -0.1), out_of_range);
  EXPECT_EQ(status_with(Law::polar, &Batch::polar_angle, 3.2), out_of_range);
  EXPECT_EQ(status_with(Law::polar, &Batch::polar_angle, std::numbers::pi), Status::ok);
  EXPECT_EQ(status_with(Law::polar, &Batch::fraction, 1.1), out_of_range);
  EXPECT_EQ(status_with(Law::polar, &Batch::azimuth, infinity), Status::infinite);
  EXPECT_EQ(status_with(Law::brach, &Batch::ratio_2, infinity), Status::infinite);
  EXPECT_EQ(status_with(Law::brach, &Batch::ratio_1, 1e300), Status::ok);
  EXPECT_EQ(status_of(Law::composite, [](Batch& b) { b.weights[4][0] = -1; }), out_of_range);
  EXPECT_EQ(status_of(Law::composite, [](Batch& b) { b.weights[4][0] = nan; }), Status::not_a_number);
  EXPECT_EQ(status_of(Law::composite,
                      [](Batch& b) {
                        for (auto& w : b.weights) w[0] = 0;
                      }),
            out_of_range);
}

TEST(faults, missing_parameters) {
  const auto missing = [](Law law, const std::function<void(KContacts<double>&)>& view) {
    return status_of(
        law, [](Batch&) {}, view);
  };
  EXPECT_EQ(missing(Law::bilinear, [](auto& c) { c.laws.tangential_restitution = {}; }), Status::law_parameter_missing);
  EXPECT_EQ(missing(Law::brach, [](auto& c) { c.laws.impulse_ratio_2 = {}; }), Status::law_parameter_missing);
  EXPECT_EQ(missing(Law::projected, [](auto& c) { c.laws.candidate.y = {}; }), Status::law_parameter_missing);
  EXPECT_EQ(missing(Law::polar, [](auto& c) { c.laws.azimuth = {}; }), Status::law_parameter_missing);
  EXPECT_EQ(missing(Law::composite, [](auto& c) { c.laws.azimuth = {}; }), Status::law_parameter_missing);
  // A missing weight is 0, and without its weight a law is no member.
  EXPECT_EQ(missing(Law::composite, [](auto& c) { c.laws.azimuth = {}, c.laws.weight.polar = {}; }), Status::ok);
  EXPECT_EQ(missing(Law::composite, [](auto& c) { c.laws.weight = {}; }), Status::law_parameter_out_of_range);
}

TEST(faults, laws_that_are_not_there) {
  EXPECT_EQ(status_of(Law::pfeiffer_glocker, [](Batch&) {}), Status::law_unavailable);
  EXPECT_EQ(status_of(static_cast<Law>(law_count), [](Batch&) {}), Status::law_unavailable);
  const double one = 1;
  EXPECT_EQ(status_of(
                Law::composite, [](Batch&) {}, [&](auto& c) { c.laws.weight.pfeiffer_glocker = one; }),
            Status::law_unavailable);
  // The first fault in the order of Status counts.
  EXPECT_EQ(status_of(Law::pfeiffer_glocker, [](Batch& b) { b.friction[0] = -1; }), Status::negative_friction);
  EXPECT_EQ(apply(Law::pfeiffer_glocker, law_samples(1, 55)[0].c).status, Status::law_unavailable);
}

TEST(faults, what_a_law_does_not_read_does_not_count) {
  const auto spoil = [](Batch& b) {
    b.tangential_restitution[0] = b.ratio_1[0] = b.ratio_2[0] = b.polar_angle[0] = b.azimuth[0] = b.fraction[0] = nan;
    b.candidate[0][0] = b.candidate[1][0] = b.candidate[2][0] = nan;
    for (auto& w : b.weights) w[0] = nan;
  };
  for (Law law : {Law::incremental, Law::frictionless, Law::no_slip, Law::whittaker, Law::smith, Law::anitescu_potra})
    EXPECT_EQ(status_of(law, spoil), Status::ok) << to_string(law);
  EXPECT_EQ(status_of(Law::brach,
                      [&](Batch& b) {
                        spoil(b);
                        b.ratio_1[0] = b.ratio_2[0] = 0.1;
                      }),
            Status::ok);
  EXPECT_EQ(status_of(Law::composite,
                      [&](Batch& b) {
                        spoil(b);
                        for (auto& w : b.weights) w[0] = 0;
                        b.weights[1][0] = 2;
                      }),
            Status::ok);
}

TEST(faults, a_step_budget_that_ends_a_member_ends_the_composite) {
  std::vector<LawSample> samples = law_samples(1, 56);
  samples[0].c.friction = 0.3;
  EXPECT_EQ(apply(Law::composite, samples[0].c, samples[0].parameters, RestitutionLaw::energetic, 1).status,
            Status::step_budget_reached);
}

// Any form of contacts between bodies.
template <class AnyContacts>
void expect_world_frame(AnyContacts contacts, std::size_t n) {
  ResultArrays<double> frictionless(n), sliding(n), projected(n);
  const double tangential_restitution = 0.3;
  contacts.laws.tangential_restitution = tangential_restitution;
  solve(select(contacts, {.law = Law::frictionless}), frictionless.results(), {.law = Law::frictionless});
  solve(select(contacts, {.law = Law::chatterjee_ruina}), sliding.results(), {.law = Law::chatterjee_ruina});
  // A law that accepts a point of the region accepts it in its given frame.
  contacts.laws.candidate.x = sliding.impulse[0];
  contacts.laws.candidate.y = sliding.impulse[1];
  contacts.laws.candidate.z = sliding.impulse[2];
  solve(select(contacts, {.law = Law::projected}), projected.results(), {.law = Law::projected});
  std::size_t resolved = 0, oblique = 0;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(sliding.status[i], frictionless.status[i]);
    if (frictionless.status[i] != Status::ok) continue;
    ++resolved;
    const Vector3 normal{contacts.normal.x[i], contacts.normal.y[i], contacts.normal.z[i]};
    const Vector3 p = at(frictionless.impulse, i), s = at(sliding.impulse, i);
    EXPECT_LE(distance(p, dot(p, normal) * normal), tolerance * length(p));
    EXPECT_GT(dot(p, normal), 0);
    // A box has a K of condition below 1e4, so a change of the candidate by rounding moves its way back by 1e4 times
    // it.
    EXPECT_LE(distance(at(projected.impulse, i), s), 1e4 * 64 * epsilon * length(s));
    oblique += std::abs(dot(s, normal)) < 0.99 * length(s) ? 1 : 0;
  }
  EXPECT_GT(resolved, n / 4);
  EXPECT_GT(oblique, resolved / 4);
}

TEST(bodies, inline_contacts_have_their_impulses_in_the_world_frame) {
  const RandomContacts<double> c(1000, 57);
  expect_world_frame(c.inline_contacts(), 1000);
}

TEST(bodies, indexed_contacts_have_their_impulses_in_the_world_frame) {
  const RandomIndexedContacts<double> c(1000, 100, 58);
  expect_world_frame(c.indexed_contacts(), 1000);
}

Vector3 velocity_at(const Vector3& v, const Vector3& w, const Vector3& r) {
  return {v[0] + w[1] * r[2] - w[2] * r[1], v[1] + w[2] * r[0] - w[0] * r[2], v[2] + w[0] * r[1] - w[1] * r[0]};
}

TEST(bodies, leave_as_their_law_says) {
  const std::size_t n = 1000;
  const RandomContacts<double> c(n, 59);
  ResultArrays<double> out(n);
  EXPECT_EQ(solve(c.inline_contacts(), out.results(), {.law = Law::no_slip}).count(Status::ok), n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vector3 la = at(c.r_a, i), lb = at(c.r_b, i);
    const auto separation = [&](const auto& va, const auto& wa, const auto& vb, const auto& wb) {
      return velocity_at(at(va, i), at(wa, i), la) - velocity_at(at(vb, i), at(wb, i), lb);
    };
    const Vector3 u0 = separation(c.a.velocity, c.a.angular_velocity, c.b.velocity, c.b.angular_velocity);
    const Vector3 u = separation(out.velocity_a, out.angular_velocity_a, out.velocity_b, out.angular_velocity_b);
    // p = K⁻¹ (u - u0) may exceed the impulse for u0 by the condition of K, 1e4.
    EXPECT_LE(distance(u, -c.restitution[i] * u0), 1e4 * 64 * epsilon * length(u0));
    EXPECT_LE(distance(at(out.separation_velocity, i), u), 1e4 * 64 * epsilon * length(u0));
  }
}

}  // namespace
}  // namespace carom::reference
