// Contact systems in C give the same bits and reports as in C++.
#include <gtest/gtest.h>

#include "c/in_c.hpp"
#include "support/running/same_bits.hpp"
#include "system/system_data.hpp"

namespace carom::test {
namespace {

constexpr auto give = [](const auto& from, auto& to) { Give{}({}, from, to); };

TEST(CSystem, gives_the_bits_of_cpp) {
  SystemData<double> data = random_system(5, 8, 4, 0.5, 3);
  data.warm.assign(3 * data.rows(), 0.25);
  data.rolling_friction.assign(3, 0.25);
  data.spinning_friction.assign(3, 0.125);
  data.friction_2.assign(data.contacts(), 0.125);
  data.friction_direction.assign(2 * data.contacts(), 0.5);
  data.normal_compliance.assign(data.contacts(), 0.25);
  data.tangential_compliance.assign(data.contacts(), 0.125);
  const ContactSystem<double> view = data.view();
  SystemSolution<double> expected(data.contacts(), 3), found(data.contacts(), 3);
  SystemOptions options;
  options.scale = ErrorScale::island;
  SystemSolver solver({.threads = 1});
  const SystemReport report = solver.solve(view, expected.view(), options);

  auto system = sized<carom_contact_system>();
  give(view.friction, system.friction);
  columns::each(Give{}, {}, view.velocity, system.velocity);
  give(view.row_start, system.row_start);
  give(view.column, system.column);
  give(view.block, system.block);
  columns::each(Give{}, {}, view.warm_impulse, system.warm_impulse);
  give(view.friction_2, system.friction_2);
  columns::each(Give{}, {}, view.friction_direction, system.friction_direction);
  give(view.normal_compliance, system.normal_compliance);
  give(view.tangential_compliance, system.tangential_compliance);
  give(view.moment, system.moment);
  give(view.rolling_friction, system.rolling_friction);
  give(view.spinning_friction, system.spinning_friction);
  columns::each(Give{}, {}, view.angular_velocity, system.angular_velocity);
  columns::each(Give{}, {}, view.warm_angular_impulse, system.warm_angular_impulse);
  auto results = sized<carom_system_results>();
  const SystemResults<double> places = found.view();
  columns::each(Give{}, {}, places.impulse, results.impulse);
  columns::each(Give{}, {}, places.velocity, results.velocity);
  give(places.state, results.state);
  give(places.island, results.island);
  columns::each(Give{}, {}, places.angular_impulse, results.angular_impulse);
  columns::each(Give{}, {}, places.angular_velocity, results.angular_velocity);
  carom_system_options options_in_c;
  carom_system_options_init(&options_in_c, sizeof options_in_c);
  options_in_c.scale = CAROM_ERROR_SCALE_ISLAND;
  auto report_in_c = sized<carom_system_report>();
  carom_system_solver* solver_in_c = nullptr;
  const carom_execution execution = execution_in_c(CAROM_ISA_AUTOMATIC, 1);
  ASSERT_EQ(carom_system_solver_create(&execution, &solver_in_c), CAROM_OK);
  ASSERT_EQ(carom_system_solve(solver_in_c, CAROM_DOUBLE, &system, &results, &options_in_c, &report_in_c), CAROM_OK)
      << carom_error_message();
  EXPECT_TRUE(support::same_bits(expected.r, found.r));
  EXPECT_TRUE(support::same_bits(expected.u, found.u));
  EXPECT_EQ(expected.state, found.state);
  EXPECT_EQ(expected.island, found.island);
  EXPECT_EQ(report_in_c.error, report.error);
  EXPECT_EQ(report_in_c.pgs_iterations, report.pgs_iterations);
  EXPECT_EQ(report_in_c.islands, report.islands);
  EXPECT_EQ(report_in_c.ok, report.ok() ? 1 : 0);
  for (std::int32_t i = 0; i < CAROM_STATE_ROOM; ++i) {
    const auto first = report.first(static_cast<ContactState>(i));
    EXPECT_EQ(report_in_c.by_state[i], report.count(static_cast<ContactState>(i))) << i;
    EXPECT_EQ(carom_system_report_first(&report_in_c, i), first ? static_cast<std::int64_t>(*first) : -1) << i;
  }
  EXPECT_EQ(options_in_c.range_tolerance, SystemOptions{}.range_tolerance);
  EXPECT_EQ(report_in_c.range_distance, report.range_distance);
  auto island = sized<carom_system_island>();
  for (std::size_t i = 0; i < report.islands; ++i) {
    ASSERT_EQ(carom_system_solver_island(solver_in_c, i, &island), CAROM_OK);
    EXPECT_EQ(island.contacts, solver.islands()[i].contacts);
    EXPECT_EQ(island.solved, 1);
    EXPECT_EQ(island.error, solver.islands()[i].error);
  }
  EXPECT_EQ(carom_system_solver_island(solver_in_c, report.islands, &island), CAROM_ERROR_ARGUMENT);
  EXPECT_EQ(carom_system_solver_memory(solver_in_c), solver.memory());

  system.block.count -= 1;
  EXPECT_EQ(carom_system_solve(solver_in_c, CAROM_DOUBLE, &system, &results, nullptr, nullptr), CAROM_ERROR_ARGUMENT);
  EXPECT_NE(std::string(carom_error_message()).find("block"), std::string::npos) << carom_error_message();
  carom_system_solver_destroy(solver_in_c);
}

}  // namespace
}  // namespace carom::test
