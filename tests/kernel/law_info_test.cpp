// law_info describes the behaviour of the laws.
#include <gtest/gtest.h>

#include <carom/law_info.hpp>
#include <carom/reference_planar.hpp>
#include <carom/solver.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "io/columns/contact_columns.hpp"
#include "random/draw.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/planar/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom::test {
namespace {

// One sliding contact with every parameter that its dimension has.
template <class AnyContacts>
struct OneContact {
  std::map<std::string, double> values = {
      {"friction", 0.3},        {"restitution", 0.5},       {"tangential_restitution", 0.25},
      {"impulse_ratio_1", 0.6}, {"impulse_ratio_2", -0.05}, {"polar_angle", 1.5},
      {"azimuth", 1.5},         {"fraction", 0.75},         {"candidate_x", -3},
      {"candidate_y", 0.7},     {"candidate_z", 0.9},       {"weight_frictionless", 1},
      {"weight_smith", 3}};
  std::string without;

  OneContact() {
    const bool planar = io::is_planar<AnyContacts>;
    for (const auto& [name, value] : std::map<std::string, double>{{"k_xx", 2},
                                                                   {"k_xy", planar ? -0.2 : 0.1},
                                                                   {"k_xz", -0.2},
                                                                   {"k_yy", planar ? 1.5 : 2.5},
                                                                   {"k_yz", 0.3},
                                                                   {"k_zz", 1.5},
                                                                   {"u0_x", 0.75},
                                                                   {"u0_y", planar ? -1 : -0.5},
                                                                   {"u0_z", -1}})
      values[name] = value;
  }

  struct Solved {
    Status status;
    std::array<double, 3> impulse;
  };

  Solved solve(Law law) {
    AnyContacts contacts;
    const auto take = [&](const std::string& name, Column<const double>& column) {
      if (const auto found = values.find(name); found != values.end() && name != without) column = {&found->second, 1};
    };
    io::visit_needed(contacts, take);
    io::visit_law_parameters(contacts, take);
    Solved solved{};
    ResultsOf<AnyContacts> results;
    results.status = {&solved.status, 1};
    std::size_t axis = 0;
    const auto place = [&](const std::string&, Column<double>& column) { column = {&solved.impulse[axis++], 1}; };
    io::visit_vector("", results.impulse, place);
    Solver({.threads = 1}).solve(select(contacts, {.law = law}), results, {.law = law});
    return solved;
  }
};

template <class AnyContacts>
class LawInfoOf : public testing::Test {
 public:
  static bool is_here(const LawInfo& info) { return io::is_planar<AnyContacts> ? info.in_plane : info.in_space; }
  static bool is_here(const LawParameter& parameter) {
    return io::is_planar<AnyContacts> ? parameter.in_plane : parameter.in_space;
  }
};
using Forms = testing::Types<KContacts<double>, planar::KContacts<double>>;
TYPED_TEST_SUITE(LawInfoOf, Forms);

TYPED_TEST(LawInfoOf, laws_of_the_dimension_are_available_and_no_others) {
  for (const LawInfo& info : all_laws())
    EXPECT_EQ(OneContact<TypeParam>().solve(info.law).status,
              this->is_here(info) ? Status::ok : Status::law_unavailable)
        << to_string(info.law);
}

TYPED_TEST(LawInfoOf, parameters_are_those_without_which_the_law_is_at_fault) {
  std::vector<std::string> names;
  TypeParam contacts;
  io::visit_law_parameters(contacts, [&](const std::string& name, auto&) { names.push_back(name); });
  for (const LawInfo& info : all_laws()) {
    if (!this->is_here(info) || info.law == Law::composite) continue;
    for (const std::string& name : names) {
      bool is_read = false;
      for (const LawParameter& parameter : info.parameters)
        is_read |= parameter.name == name && this->is_here(parameter);
      OneContact<TypeParam> contact;
      contact.without = name;
      EXPECT_EQ(contact.solve(info.law).status, is_read ? Status::law_parameter_missing : Status::ok)
          << to_string(info.law) << " " << name;
    }
  }
}

TYPED_TEST(LawInfoOf, ranges_of_parameters_are_those_that_the_law_accepts) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const LawInfo& info : all_laws())
    for (const LawParameter& parameter : info.parameters) {
      if (!this->is_here(info) || !this->is_here(parameter)) continue;
      const auto status = [&](double value) {
        OneContact<TypeParam> contact;
        contact.values[std::string(parameter.name)] = value;
        return contact.solve(info.law).status;
      };
      const std::string what = std::string(to_string(info.law)) + " " + std::string(parameter.name);
      constexpr double largest = std::numeric_limits<double>::max();
      if (parameter.low > -largest) {
        EXPECT_NE(status(parameter.low), Status::law_parameter_out_of_range) << what;
        EXPECT_EQ(status(std::nextafter(parameter.low, -infinity)), Status::law_parameter_out_of_range) << what;
      }
      if (parameter.high < largest) {
        EXPECT_NE(status(parameter.high), Status::law_parameter_out_of_range) << what;
        EXPECT_EQ(status(std::nextafter(parameter.high, infinity)), Status::law_parameter_out_of_range) << what;
      }
    }
}

TYPED_TEST(LawInfoOf, friction_and_restitution_change_the_impulse_where_they_are_read) {
  for (const LawInfo& info : all_laws()) {
    if (!this->is_here(info)) continue;
    const auto impulse = [&](const std::string& name, double value) {
      OneContact<TypeParam> contact;
      if (!name.empty()) contact.values[name] = value;
      return contact.solve(info.law).impulse;
    };
    EXPECT_EQ(impulse("friction", 0.25) != impulse("", 0), info.reads_friction) << to_string(info.law);
    EXPECT_EQ(impulse("restitution", 0.4) != impulse("", 0), info.reads_restitution) << to_string(info.law);
  }
}

constexpr std::size_t many = 20000;

// Counts contacts that gain energy, with parameters for which laws may gain energy. The composite has the components
// smith and bilinear only.
std::size_t energy_gains_in_space(Law law) {
  const support::RandomSpaceContacts<double> random(many, 5);
  support::Draw draw(7);
  std::vector<double> e_t, ratio_1, ratio_2, angle, azimuth, fraction, candidate_x, candidate_y, candidate_z;
  for (std::size_t i = 0; i < many; ++i) {
    e_t.push_back(draw.uniform(-1, 1));
    ratio_1.push_back(draw.uniform(-1.5, 1.5));
    ratio_2.push_back(draw.uniform(-1.5, 1.5));
    angle.push_back(draw.uniform(0, 3.14));
    azimuth.push_back(draw.uniform(-4, 4));
    fraction.push_back(draw.uniform());
    candidate_x.push_back(draw.uniform(-10, 10));
    candidate_y.push_back(draw.uniform(-10, 10));
    candidate_z.push_back(draw.uniform(-10, 10));
  }
  KContacts<double> contacts = random.space_contacts();
  contacts.laws.tangential_restitution = e_t;
  contacts.laws.impulse_ratio_1 = ratio_1;
  contacts.laws.impulse_ratio_2 = ratio_2;
  contacts.laws.polar_angle = angle;
  contacts.laws.azimuth = azimuth;
  contacts.laws.fraction = fraction;
  contacts.laws.candidate.x = candidate_x;
  contacts.laws.candidate.y = candidate_y;
  contacts.laws.candidate.z = candidate_z;
  contacts.laws.weight.smith = contacts.laws.weight.bilinear = fraction;

  support::ResultArrays<double> results(many, false);
  Solver solver;
  const Options options = read_options(contacts, {.law = law, .restitution_law = RestitutionLaw::kinematic});
  const Report report = solver.solve(select(contacts, options), results.results(), options);
  EXPECT_EQ(report.faults(), 0u) << to_string(law);
  // 20000 energies that are differences of products of K, of condition 2^10, and p.
  contacts.laws = {};
  return solver.find_margins(contacts, results.results().impulse, {}, {}, {}, 0x1p-36).gains_energy;
}

std::size_t energy_gains_in_plane(Law law) {
  support::RandomPlanarSpace<double> random(many, 5);
  // The planar parameters have weights for all components of the composite.
  planar::KContacts<double> contacts = random.view();
  std::vector<double> x(many), y(many);
  std::vector<Status> status(many);
  planar::Results<double> results;
  results.impulse = {x, y};
  results.status = status;
  const Options options = read_options(contacts, {.law = law, .restitution_law = RestitutionLaw::kinematic});
  Solver().solve(select(contacts, options), results, options);
  std::size_t gains = 0;
  for (std::size_t i = 0; i < many; ++i) {
    EXPECT_FALSE(is_fault(status[i])) << to_string(law) << " " << i;
    const double a = random.k_xx[i], b = random.k_xy[i], c = random.k_yy[i];
    const double u = random.u0_x[i], v = random.u0_y[i];
    const auto margins = reference::planar::margins(
        {a, b, c, {u, v}, random.laws.friction[i], random.laws.restitution[i]}, {x[i], y[i]});
    const double contact_energy = 0.5 * (c * u * u - 2 * b * u * v + a * v * v) / (a * c - b * b);
    if (margins.energy < -0x1p-36 * contact_energy) ++gains;
  }
  return gains;
}

TEST(LawInfo, laws_gain_energy_where_the_table_says_so_and_no_others) {
  for (const LawInfo& info : all_laws()) {
    if (info.in_space) {
      EXPECT_EQ(energy_gains_in_space(info.law) > 0, info.may_gain_energy) << to_string(info.law);
    }
    if (info.in_plane) {
      EXPECT_EQ(energy_gains_in_plane(info.law) > 0, info.may_gain_energy) << to_string(info.law);
    }
  }
}

TEST(LawInfo, the_table_has_every_law_once_in_the_order_of_their_numbers) {
  ASSERT_EQ(all_laws().size(), law_count);
  for (std::size_t i = 0; i < law_count; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all_laws()[i].law), i);
    EXPECT_EQ(&law_info(static_cast<Law>(i)), &all_laws()[i]);
  }
}

TEST(LawInfo, what_is_not_a_law_is_an_error) {
  EXPECT_THROW(law_info(static_cast<Law>(law_count)), Error);
}

}  // namespace
}  // namespace carom::test
