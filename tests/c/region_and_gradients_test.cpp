// Margins of the permissible region and gradients have the same bits and reports in C and in C++.
#include <gtest/gtest.h>

#include <carom/experimental.hpp>
#include <cstring>
#include <vector>

#include "c/in_c.hpp"
#include "core/columns/derivative_columns.hpp"
#include "random/draw.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/contacts/random_laws.hpp"
#include "support/gradients/gradient_table.hpp"
#include "support/planar/random_contacts.hpp"

namespace carom {
namespace {

constexpr std::size_t count = 60;

/// Places for all margins and landmarks, in C++ and in C.
template <class AnyContacts, class SpaceInC>
struct Places {
  using T = NumberOf<AnyContacts>;
  Places() {
    std::size_t i = 0;
    const auto place = [&](const columns::Label&, auto& column) {
      if constexpr (std::is_same_v<decltype(column), Column<T>&>)
        column = {&numbers[i++ * count], count, sizeof(T)};
      else
        column = status;
    };
    columns::each_margin(place, margins);
    columns::each_landmark(place, space);
    margins_in_c.energy = {margins.energy.data, count, sizeof(T)};
    margins_in_c.non_penetration = {margins.non_penetration.data, count, sizeof(T)};
    margins_in_c.tension = {margins.tension.data, count, sizeof(T)};
    margins_in_c.cone = {margins.cone.data, count, sizeof(T)};
    margins_in_c.status = {margins.status.data, count, sizeof(Status)};
    columns::each(Give{}, {}, space.plastic_frictionless, space_in_c.plastic_frictionless);
    columns::each(Give{}, {}, space.plastic_sticking, space_in_c.plastic_sticking);
    space_in_c.contact_energy = {space.contact_energy.data, count, sizeof(T)};
  }

  std::vector<T> numbers = std::vector<T>(11 * count, T(-77));
  std::vector<Status> status = std::vector<Status>(count);
  RegionMargins<T> margins;
  ImpulseSpaceOf<AnyContacts> space;
  carom_region_margins margins_in_c = sized<carom_region_margins>();
  SpaceInC space_in_c = sized<SpaceInC>();
};

template <class T>
class CSingleContacts : public testing::Test {
 protected:
  CSingleContacts() {
    const carom_execution execution = execution_in_c(CAROM_ISA_AUTOMATIC, 1);
    EXPECT_EQ(carom_solver_create(&execution, &solver), CAROM_OK) << carom_error_message();
    support::Draw draw(5);
    for (auto& column : impulses) {
      column.resize(count);
      for (T& p : column) p = static_cast<T>(draw.bell());
    }
  }
  ~CSingleContacts() override { carom_solver_destroy(solver); }

  template <class C, class V, class S, class AnyContacts, class Function>
  void expect_same_margins(const AnyContacts& with_laws, Function function) {
    AnyContacts contacts = with_laws;
    contacts.laws = {};
    ImpulsesOf<AnyContacts> impulse;
    V impulse_in_c;
    std::size_t i = 0;
    columns::each([&](const columns::Label&, Column<const T>& column) { column = impulses[i++]; }, {}, impulse);
    columns::each(Give{}, {}, impulse, impulse_in_c);

    Places<AnyContacts, S> in_cpp, in_c;
    const RegionReport expected =
        Solver({.threads = 1}).find_margins(contacts, impulse, in_cpp.margins, in_cpp.space, {}, 0.25);
    const carom_law_columns laws = laws_in_c(contacts.laws);
    const C contacts_in_c = carom::contacts_in_c<C>(contacts, laws);
    auto report = sized<carom_region_report>();
    ASSERT_EQ(function(solver, precision_of<T>, &contacts_in_c, &impulse_in_c, &in_c.margins_in_c, &in_c.space_in_c,
                       nullptr, 0.25, &report),
              CAROM_OK)
        << carom_error_message();
    EXPECT_EQ(std::memcmp(in_c.numbers.data(), in_cpp.numbers.data(), in_c.numbers.size() * sizeof(T)), 0);
    EXPECT_EQ(in_c.status, in_cpp.status);
    EXPECT_NE(in_c.numbers.front(), T(-77));
    EXPECT_EQ(report.contacts, expected.contacts);
    EXPECT_EQ(report.faults, expected.faults());
    expect_same_counts(expected, report, carom_region_report_first);
    EXPECT_EQ(report.outside, expected.outside);
    EXPECT_EQ(report.gains_energy, expected.gains_energy);
    EXPECT_EQ(report.penetrates, expected.penetrates);
    EXPECT_EQ(report.pulls, expected.pulls);
    EXPECT_EQ(report.leaves_cone, expected.leaves_cone);
    EXPECT_GT(report.outside, 0u);
  }

  carom_solver* solver = nullptr;
  std::vector<T> impulses[3];
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CSingleContacts, Precisions);

TYPED_TEST(CSingleContacts, have_the_margins_of_cpp_in_every_form) {
  using T = TypeParam;
  const support::RandomContacts<T> bodies(count, 1);
  this->template expect_same_margins<carom_contacts, carom_vectors3, carom_impulse_space>(bodies.inline_contacts(),
                                                                                          carom_find_margins);
  const support::RandomIndexedContacts<T> indexed(count, 20, 1);
  this->template expect_same_margins<carom_indexed_contacts, carom_vectors3, carom_impulse_space>(
      indexed.indexed_contacts(), carom_find_margins_indexed);
  const support::RandomSpaceContacts<T> space(count, 1);
  this->template expect_same_margins<carom_k_contacts, carom_vectors3, carom_impulse_space>(space.space_contacts(),
                                                                                            carom_find_margins_k);
  const support::RandomPlanarBodies<T> planar(count, 1, 20);
  this->template expect_same_margins<carom_planar_indexed_contacts, carom_vectors2, carom_planar_impulse_space>(
      planar.indexed_contacts(), carom_find_margins_planar_indexed);
  const support::RandomPlanarBodies<T> planar_bodies(count, 1);
  this->template expect_same_margins<carom_planar_contacts, carom_vectors2, carom_planar_impulse_space>(
      planar_bodies.inline_contacts(), carom_find_margins_planar);
  const support::RandomPlanarSpace<T> planar_space(count, 1);
  this->template expect_same_margins<carom_planar_k_contacts, carom_vectors2, carom_planar_impulse_space>(
      planar_space.view(), carom_find_margins_planar_k);
}

TYPED_TEST(CSingleContacts, have_the_margins_of_cpp_in_blocks) {
  using T = TypeParam;
  const support::RandomContacts<T> random(count, 1);
  const auto view = random.inline_contacts();
  carom_blocked_contacts* blocked = nullptr;
  ASSERT_EQ(carom_blocked_contacts_create(precision_of<T>, count, &blocked), CAROM_OK);
  carom_blocked_columns columns;
  ASSERT_EQ(carom_blocked_contacts_columns(blocked, &columns), CAROM_OK);
  fill(view, columns);
  this->template expect_same_margins<carom_contacts, carom_vectors3, carom_impulse_space>(
      view, [&](carom_solver* by, std::int32_t, const carom_contacts*, auto... others) {
        return carom_find_margins_blocked(by, blocked, others...);
      });
  carom_blocked_contacts_destroy(blocked);
}

TYPED_TEST(CSingleContacts, have_the_gradients_of_cpp_under_every_law) {
  using T = TypeParam;
  const support::RandomSpaceContacts<T> random(count, 1);
  const support::RandomLaws<T> laws(count, 3);
  KContacts<T> contacts = random.space_contacts();
  laws.give(contacts.laws);
  contacts.laws.law = laws.law;

  test::GradientTable<T> in_cpp, in_c;
  for (auto* table : {&in_cpp, &in_c})
    for (std::size_t i = 0; i < count; ++i) table->add(Law::incremental, RestitutionLaw::energetic, {});
  Gradients<T> expected = in_cpp.gradients(), found = in_c.gradients();
  for (auto* of : {&expected, &found}) {
    of->cotangent.impulse = {this->impulses[0], this->impulses[1], this->impulses[2]};
    of->cotangent.separation_velocity = {this->impulses[1], this->impulses[2], this->impulses[0]};
  }
  const GradientReport report = Solver({.threads = 1}).differentiate(contacts, expected);

  const carom_law_columns law_columns = laws_in_c(contacts.laws);
  const auto contacts_in_c = carom::contacts_in_c<carom_k_contacts>(contacts, law_columns);
  carom_derivatives rows[columns::gradient_rows + 1];
  const auto give = [](const Derivatives<T>& from, carom_derivatives& to) {
    to = sized<carom_derivatives>();
    columns::each_derivative(Give{}, "", from, to);
  };
  std::size_t row = 0;
  columns::each_gradient([&](const char*, const Derivatives<T>& of) { give(of, rows[row++]); }, found);
  give(found.cotangent.product, rows[row]);
  auto cotangent = sized<carom_vector_jacobian_product>();
  columns::each(Give{}, {}, found.cotangent.impulse, cotangent.impulse);
  columns::each(Give{}, {}, found.cotangent.separation_velocity, cotangent.separation_velocity);
  cotangent.product = &rows[row];
  auto gradients = sized<carom_gradients>();
  gradients.impulse_x = &rows[0];
  gradients.impulse_y = &rows[1];
  gradients.impulse_z = &rows[2];
  gradients.velocity_x = &rows[3];
  gradients.velocity_y = &rows[4];
  gradients.velocity_z = &rows[5];
  gradients.cotangent = &cotangent;
  gradients.status = {found.status.data, count, sizeof(GradientStatus)};
  auto report_in_c = sized<carom_gradient_report>();
  ASSERT_EQ(carom_differentiate(this->solver, precision_of<T>, &contacts_in_c, &gradients, nullptr,
                                CAROM_DEFAULT_TOLERANCE, &report_in_c),
            CAROM_OK)
      << carom_error_message();

  for (std::size_t r = 0; r <= columns::gradient_rows; ++r)
    for (std::size_t v = 0; v < columns::derivative_count; ++v)
      EXPECT_EQ(std::memcmp(in_c.values()[r][v].data(), in_cpp.values()[r][v].data(), count * sizeof(T)), 0)
          << "row " << r << " variable " << v;
  for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(in_c.status(i), in_cpp.status(i));
  EXPECT_EQ(report_in_c.contacts, count);
  EXPECT_EQ(report_in_c.ok, report.ok() ? 1 : 0);
  for (std::size_t i = 0; i < gradient_status_count; ++i) {
    const auto status = static_cast<GradientStatus>(i);
    EXPECT_EQ(report_in_c.by_status[i], report.count(status)) << i;
    const auto first = report.first(status);
    EXPECT_EQ(carom_gradient_report_first(&report_in_c, static_cast<int>(i)),
              first ? static_cast<std::int64_t>(*first) : -1)
        << i;
  }
  EXPECT_GT(report.count(GradientStatus::exact), count / 4);
}

TEST(CBodyGradients, have_the_bits_of_cpp) {
  support::Draw draw(7);
  const auto filled = [&]<class C>(C made) {
    double numbers[sizeof(C) / sizeof(double)];
    for (double& x : numbers) x = draw.bell();
    std::memcpy(static_cast<void*>(&made), numbers, sizeof made);
    return made;
  };
  const auto pair = filled(carom_body_pair{});
  const auto body = [](const carom_contact_body& b) {
    ContactBody<double> made{.inverse_mass = b.inverse_mass};
    std::copy(b.inverse_inertia, b.inverse_inertia + 6, made.inverse_inertia.begin());
    std::copy(b.lever, b.lever + 3, made.lever.begin());
    std::copy(b.velocity, b.velocity + 3, made.velocity.begin());
    std::copy(b.angular_velocity, b.angular_velocity + 3, made.angular_velocity.begin());
    return made;
  };
  const BodyPair<double> pair_in_cpp{{pair.normal[0], pair.normal[1], pair.normal[2]}, body(pair.a), body(pair.b)};
  const ContactSpace<double> expected = contact_space(pair_in_cpp);
  carom_contact_space space;
  ASSERT_EQ(carom_contact_space_of(&pair, &space), CAROM_OK);
  EXPECT_TRUE(std::equal(expected.k.begin(), expected.k.end(), space.k));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::equal(expected.frame[i].begin(), expected.frame[i].end(), space.frame[i]));
    EXPECT_EQ(space.separation_velocity[i], expected.separation_velocity[i]);
  }

  const auto c = filled(carom_contact_cotangent{});
  ContactCotangent<double> cotangent;
  std::copy(c.k, c.k + 6, cotangent.k.begin());
  for (std::size_t i = 0; i < 3; ++i) {
    cotangent.separation_velocity[i] = c.separation_velocity[i];
    cotangent.impulse[i] = c.impulse[i];
    cotangent.of_impulse[i] = c.of_impulse[i];
    cotangent.velocity[i] = c.velocity[i];
    cotangent.of_velocity[i] = c.of_velocity[i];
  }
  const BodyPair<double> by = pull_back(pair_in_cpp, expected, cotangent);
  carom_body_pair by_in_c;
  ASSERT_EQ(carom_pull_back(&pair, &space, &c, &by_in_c), CAROM_OK);
  EXPECT_EQ(by_in_c.a.inverse_mass, by.a.inverse_mass);
  EXPECT_TRUE(std::equal(by.normal.begin(), by.normal.end(), by_in_c.normal));
  for (const auto& [in_c, in_cpp] : {std::pair{&by_in_c.a, &by.a}, std::pair{&by_in_c.b, &by.b}}) {
    EXPECT_TRUE(std::equal(in_cpp->inverse_inertia.begin(), in_cpp->inverse_inertia.end(), in_c->inverse_inertia));
    EXPECT_TRUE(std::equal(in_cpp->lever.begin(), in_cpp->lever.end(), in_c->lever));
    EXPECT_TRUE(std::equal(in_cpp->velocity.begin(), in_cpp->velocity.end(), in_c->velocity));
    EXPECT_TRUE(std::equal(in_cpp->angular_velocity.begin(), in_cpp->angular_velocity.end(), in_c->angular_velocity));
  }
  EXPECT_EQ(carom_contact_space_of(nullptr, &space), CAROM_ERROR_ARGUMENT);
}

}  // namespace
}  // namespace carom
