// Columns and options that no law of a call reads are errors, and select() leaves the columns out.
#include <gtest/gtest.h>

#include <carom/law_info.hpp>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <carom/solver.hpp>
#include <string>
#include <vector>

#include "core/columns/columns.hpp"
#include "support/running/errors.hpp"

namespace carom {
namespace {

using support::error_of;

/// Two contacts in contact space without columns of laws.
template <bool planar>
auto plain_contacts() {
  if constexpr (planar) {
    planar::KContacts<double> contacts;
    static const double friction[] = {0.5, 0.25};
    contacts.friction = friction;
    contacts.restitution = 0.5;
    contacts.k.xx = contacts.k.yy = 1.0;
    contacts.k.xy = 0.0;
    contacts.separation_velocity.x = 1.0;
    contacts.separation_velocity.y = -1.0;
    return contacts;
  } else {
    KContacts<double> contacts;
    static const double friction[] = {0.5, 0.25};
    contacts.friction = friction;
    contacts.restitution = 0.5;
    contacts.k.xx = contacts.k.yy = contacts.k.zz = 1.0;
    contacts.k.xy = contacts.k.xz = contacts.k.yz = 0.0;
    contacts.separation_velocity.x = contacts.separation_velocity.y = 1.0;
    contacts.separation_velocity.z = -1.0;
    return contacts;
  }
}

/// The names of all columns of laws but `law`, as they are in code.
std::vector<columns::Label> all_law_columns() {
  std::vector<columns::Label> all;
  const LawColumns<double> none;
  columns::each_law_column(
      [&](const columns::Label& label, const auto& column) {
        if constexpr (!std::is_same_v<typename std::decay_t<decltype(column)>::Value, Law>) all.push_back(label);
      },
      none);
  return all;
}

/// Gives the column with this name a constant.
void give(LawColumns<double>& laws, const std::string& name) {
  columns::each_law_column(
      [&]<class T>(const columns::Label& label, Column<const T>& column) {
        if (label.in_code() == name) column = static_cast<T>(0);
      },
      laws);
}

int number_of_columns(const LawColumns<double>& laws) {
  int count = 0;
  columns::each_law_column([&](const auto&, const auto& column) { count += column ? 1 : 0; }, laws);
  return count;
}

/// Whether the description of the law lists the column.
bool lists(Law law, const columns::Label& label, bool planar) {
  for (const LawParameter& parameter : law_info(law).parameters)
    if (parameter.name == label.in_file() && (planar ? parameter.in_plane : parameter.in_space)) return true;
  return false;
}

template <bool planar>
void expect_errors_for_unread_columns() {
  Solver solver({.threads = 1});
  for (const LawInfo& info : all_laws()) {
    // The members of a composite are another test.
    if (info.law == Law::composite || !(planar ? info.in_plane : info.in_space)) continue;
    for (const columns::Label& label : all_law_columns()) {
      const std::string name = label.in_code();
      auto contacts = plain_contacts<planar>();
      give(contacts.laws, name);
      Options options;
      options.law = info.law;
      const bool incremental = info.law == Law::incremental;
      const bool is_read = lists(info.law, label, planar) || (incremental && name == "laws.restitution_law");
      const std::string where = name + " under " + std::string(to_string(info.law)) + (planar ? " in 2D" : "");
      const auto error = error_of([&] { solver.solve(contacts, {}, options); });
      if (is_read) {
        EXPECT_FALSE(error) << where << ": " << error->what();
        EXPECT_EQ(number_of_columns(select(contacts, options).laws), 1) << where;
        continue;
      }
      ASSERT_TRUE(error) << where;
      EXPECT_EQ(error->column(), name);
      EXPECT_NE(std::string(error->what()).find("is not read"), std::string::npos) << error->what();
      const auto by_reference = error_of([&] {
        if constexpr (planar)
          reference::planar::solve(contacts, {}, options);
        else
          reference::solve(contacts, {}, options);
      });
      ASSERT_TRUE(by_reference) << where;
      EXPECT_STREQ(by_reference->what(), error->what());
      EXPECT_FALSE(error_of([&] { solver.solve(select(contacts, options), {}, options); })) << where;
    }
  }
}

TEST(LawColumns, are_errors_if_the_law_does_not_read_them) {
  expect_errors_for_unread_columns<false>();
  expect_errors_for_unread_columns<true>();
}

TEST(LawColumns, of_euler_need_the_integrator) {
  auto contacts = plain_contacts<false>();
  static const double step = 0.01;
  contacts.laws.step = step;
  Solver solver({.threads = 1});
  EXPECT_TRUE(error_of([&] { solver.solve(contacts, {}); }));
  EXPECT_FALSE(error_of([&] { solver.solve(contacts, {}, {.integrator = Integrator::euler}); }));
  EXPECT_FALSE(select(contacts, Options{}).laws.step);
  EXPECT_TRUE(select(contacts, Options{.integrator = Integrator::euler}).laws.step);
}

TEST(LawColumns, of_a_composite_are_its_weights_and_the_parameters_of_its_members) {
  Solver solver({.threads = 1});
  const Options options{.law = Law::composite};
  auto contacts = plain_contacts<false>();
  contacts.laws.weight.brach = 1.0;
  contacts.laws.impulse_ratio_1 = contacts.laws.impulse_ratio_2 = 0.0;
  EXPECT_FALSE(error_of([&] { solver.solve(contacts, {}, options); }));
  contacts.laws.fraction = 0.5;
  auto error = error_of([&] { solver.solve(contacts, {}, options); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->column(), "laws.fraction");
  contacts.laws.fraction = {};
  contacts.laws.restitution_law = RestitutionLaw::kinetic;
  error = error_of([&] { solver.solve(contacts, {}, options); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->column(), "laws.restitution_law");
  contacts.laws.weight.incremental = 1.0;
  EXPECT_FALSE(error_of([&] { solver.solve(contacts, {}, options); }));
}

TEST(LawColumns, may_all_be_there_if_contacts_have_laws_of_their_own) {
  const std::vector<Law> laws = {Law::frictionless, Law::no_slip};
  auto contacts = plain_contacts<false>();
  contacts.laws.law = laws;
  for (const columns::Label& label : all_law_columns())
    if (label.in_code() != "laws.step") give(contacts.laws, label.in_code());
  EXPECT_FALSE(error_of([&] { Solver({.threads = 1}).solve(contacts, {}); }));
}

TEST(LawOptions, are_errors_if_the_law_does_not_read_them) {
  struct Case {
    Options options;
    const char* option;
    bool reads_in_space, reads_in_plane;
  };
  const Case cases[] = {
      {{.law = Law::no_slip}, "", true, true},
      {{.integrator = Integrator::euler}, "integrator", true, false},
      {{.integrator = Integrator::euler, .steps = 100}, "integrator", true, false},
      {{.steps = 100}, "steps", false, false},
      {{.step_budget = 50}, "step_budget", true, false},
      {{.restitution_law = RestitutionLaw::kinetic}, "restitution_law", true, true},
      {{.law = Law::frictionless, .restitution_law = RestitutionLaw::kinetic}, "restitution_law", false, false},
      {{.law = Law::frictionless, .integrator = Integrator::euler}, "integrator", false, false},
      {{.law = Law::frictionless, .step_budget = 50}, "step_budget", false, false},
  };
  Solver solver({.threads = 1});
  for (const Case& c : cases) {
    const auto in_space = error_of([&] { solver.solve(plain_contacts<false>(), {}, c.options); });
    const auto in_plane = error_of([&] { solver.solve(plain_contacts<true>(), {}, c.options); });
    EXPECT_EQ(!in_space, c.reads_in_space) << c.option;
    EXPECT_EQ(!in_plane, c.reads_in_plane) << c.option;
    for (const auto& error : {in_space, in_plane})
      if (error) {
        EXPECT_EQ(error->option(), c.option);
      }
  }
}

TEST(LawOptions, and_columns_are_errors_of_find_margins) {
  Solver solver({.threads = 1});
  auto contacts = plain_contacts<false>();
  const std::vector<double> zeros(2);
  const Vector3Columns<const double> impulse{zeros, zeros, zeros};
  const RegionMargins<double> margins;
  EXPECT_FALSE(
      error_of([&] { solver.find_margins(contacts, impulse, margins, {}, {.data = {.max_restitution = 2}}); }));
  auto error = error_of([&] { solver.find_margins(contacts, impulse, margins, {}, {.law = Law::smith}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->option(), "law");
  contacts.laws.fraction = 0.5;
  error = error_of([&] { solver.find_margins(contacts, impulse, margins); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->column(), "laws.fraction");
}

}  // namespace
}  // namespace carom
