// Constants as columns of contact systems.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <string>

#include "system_data.hpp"

namespace carom::test {
namespace {

TEST(SystemConstants, have_the_bits_of_full_columns) {
  SystemData<double> data = random_system(4, 6, 2, 0.5, 1);
  const std::size_t contacts = data.contacts(), moments = data.moment.size();
  ASSERT_GT(moments, 0u);
  data.friction.assign(contacts, 0.5);
  data.friction_2.assign(contacts, 0.3);
  for (std::size_t i = 0; i < contacts; ++i) data.friction_direction.insert(data.friction_direction.end(), {0.6, 0.8});
  data.normal_compliance.assign(contacts, 1e-3);
  data.rolling_friction.assign(moments, 0.1);
  data.spinning_friction.assign(moments, 0.05);
  data.warm.assign(3 * data.rows(), 0.01);
  const ContactSystem<double> full = data.view();
  ContactSystem<double> constant = full;
  constant.friction = 0.5;
  constant.friction_2 = 0.3;
  constant.friction_direction = {0.6, 0.8};
  constant.normal_compliance = 1e-3;
  constant.rolling_friction = 0.1;
  constant.spinning_friction = 0.05;
  constant.warm_impulse = {0.01, 0.01, 0.01};
  constant.warm_angular_impulse = {0.01, 0.01, 0.01};
  SystemSolver solver({.threads = 1});
  SystemSolution<double> expected(contacts, moments), found(contacts, moments);
  solver.solve(full, expected.view());
  const SystemReport report = solver.solve(constant, found.view());
  EXPECT_EQ(report.contacts, contacts);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(found.r, expected.r);
  EXPECT_EQ(found.u, expected.u);
  EXPECT_EQ(found.state, expected.state);
  // Another constant is another system.
  constant.friction = 0.1;
  SystemSolution<double> other(contacts, moments);
  solver.solve(constant, other.view());
  EXPECT_NE(other.r, expected.r);
}

TEST(SystemConstants, cannot_be_indices_or_all_columns) {
  const SystemData<double> data = random_system(3, 4, 1, 0.5, 1);
  const auto error = [&](const auto& change) {
    ContactSystem<double> system = data.view();
    change(system);
    try {
      SystemSolver({.threads = 1}).solve(system, {});
    } catch (const Error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  using S = ContactSystem<double>;
  const std::string indices = " is a constant; it must have elements";
  EXPECT_EQ(error([](S& s) { s.row_start = 0; }), "carom: the column system.row_start" + indices);
  EXPECT_EQ(error([](S& s) { s.column = 0; }), "carom: the column system.column" + indices);
  EXPECT_EQ(error([](S& s) { s.moment = 0; }), "carom: the column system.moment" + indices);
  EXPECT_EQ(error([](S& s) {
              s.friction = 0.5, s.velocity = {0, 0, -1};
            }),
            "carom: no column gives the number of contacts: all of them are constants");
  EXPECT_EQ(error([](S& s) { s.friction = 0.5; }), "");
}

}  // namespace
}  // namespace carom::test
