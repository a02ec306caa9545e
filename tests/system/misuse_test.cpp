// Misuse of contact systems is an Error before any work. The message names the column and the row.
#include <gtest/gtest.h>

#include <carom/carom.hpp>
#include <functional>
#include <limits>
#include <string>

#include "support/running/errors.hpp"
#include "system_data.hpp"

namespace carom::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Change {
  const char* named;
  std::function<void(SystemData<double>&)> make;
};

std::string refusal(const ContactSystem<double>& system, const SystemOptions& options = {}) {
  SystemSolution<double> solution(system.friction.count);
  solution.r.assign(solution.r.size(), 7);
  try {
    SystemSolver({.threads = 1}).solve(system, solution.view(), options);
  } catch (const Error& error) {
    support::expect_names(error);
    EXPECT_EQ(solution.r, std::vector<double>(solution.r.size(), 7));
    return error.what();
  }
  return "";
}

void expect_named(const std::string& message, const std::string& name) {
  EXPECT_NE(message.find(name), std::string::npos) << "\"" << message << "\" does not name " << name;
}

TEST(SystemMisuse, values_are_named_by_column_and_row) {
  const SystemData<double> sound = random_system(3, 4, 1, 0.5);
  ASSERT_EQ(refusal(sound.view()), "");
  const Change changes[] = {
      {"system.friction[2] is -0.1", [](auto& s) { s.friction[2] = -0.1; }},
      {"system.friction[3] is nan", [](auto& s) { s.friction[3] = nan; }},
      {"system.velocity.x[1] is nan", [](auto& s) { s.q[3] = nan; }},
      {"system.velocity.z[0] is inf", [](auto& s) { s.q[2] = std::numeric_limits<double>::infinity(); }},
      {"system.warm_impulse.y[3] is nan",
       [](auto& s) {
         s.warm.assign(12, 0);
         s.warm[10] = nan;
       }},
      {"system.block[5][4], of contacts 1 and 1, is nan", [](auto& s) { s.block[5][4] = nan; }},
      {"system.block[5][8], on the diagonal of contact 1, is 0; W_nn must be > 0", [](auto& s) { s.block[5][8] = 0; }},
      {"system.block[0][4], on the diagonal of contact 0, is -1", [](auto& s) { s.block[0][4] = -1; }},
      {"system.column[6], of the row of contact 1, is 4; it must be in [0, 4)", [](auto& s) { s.column[6] = 4; }},
      {"system.column[6], of the row of contact 1, is -1", [](auto& s) { s.column[6] = -1; }},
      {"system.column[6] is 1 after 1; columns must ascend in the row of contact 1", [](auto& s) { s.column[6] = 1; }},
      {"system.row_start[0] is 1", [](auto& s) { s.row_start[0] = 1; }},
      {"system.row_start[2] is 3; it must be from 4", [](auto& s) { s.row_start[2] = 3; }},
      {"system.row_start[4] is 15; there are 16 blocks", [](auto& s) { s.row_start[4] = 15; }},
      {"system.row_start[4] is 17; there are 16 blocks", [](auto& s) { s.row_start[4] = 17; }},
      {"the row of contact 0 has no block on the diagonal",
       [](auto& s) {
         s.column.erase(s.column.begin());
         s.block.erase(s.block.begin());
         for (std::size_t i = 1; i < s.row_start.size(); ++i) --s.row_start[i];
       }},
      {"SystemOptions::asymmetry", [](auto& s) { s.block[1][3] += 10; }},
      {"system.block[1][3], of contacts 0 and 1", [](auto& s) { s.block[1][3] += 10; }},
      // A block without its transposed counterpart is compared with zeros.
      {"of contacts 1 and 0",
       [](auto& s) {
         s.column.erase(s.column.begin() + 1);
         s.block.erase(s.block.begin() + 1);
         for (std::size_t i = 1; i < s.row_start.size(); ++i) --s.row_start[i];
       }},
      {"system.friction_2[1] is -0.5; it must be >= 0",
       [](auto& s) {
         s.friction_2.assign(4, 0.5);
         s.friction_2[1] = -0.5;
       }},
      {"system.friction_direction[2] is 0, and friction has two coefficients",
       [](auto& s) {
         s.friction_2.assign(4, 0.1);
         s.friction_direction = {1, 0, 0, 1, 0, 0, 1, 1};
       }},
      {"system.friction_direction.y[0] is nan",
       [](auto& s) {
         s.friction_2.assign(4, 0.1);
         s.friction_direction = {1, nan, 0, 1, 1, 0, 1, 1};
       }},
      {"system.normal_compliance[3] is inf; it must be >= 0 and finite",
       [](auto& s) {
         s.normal_compliance = {0, 0, 0, std::numeric_limits<double>::infinity()};
       }},
      {"system.moment[0] is 4; it must be in [0, 4)",
       [](auto& s) {
         s = random_system(3, 4, 1, 0.5, 1);
         s.moment = {4};
       }},
      {"system.moment[1] is 0 after 0",
       [](auto& s) {
         s = random_system(3, 4, 1, 0.5, 2);
         s.moment = {0, 0};
       }},
      {"system.rolling_friction[0] is -1; it must be >= 0 and finite",
       [](auto& s) {
         s = random_system(3, 4, 1, 0.5, 1);
         s.rolling_friction = {-1};
       }},
      {"system.angular_velocity.y[0] is nan",
       [](auto& s) {
         s = random_system(3, 4, 1, 0.5, 1);
         s.q[13] = nan;
       }},
      {"of moment 0, is -1; it must be >= 0",
       [](auto& s) {
         s = random_system(3, 4, 1, 0.5, 1);
         s.block.back()[8] = -1;
       }},
      {"system.tangential_compliance[0] is -1",
       [](auto& s) {
         s.tangential_compliance = {-1, 0, 0, 0};
       }},
  };
  for (const Change& change : changes) {
    SystemData<double> system = sound;
    change.make(system);
    expect_named(refusal(system.view()), change.named);
  }
}

TEST(SystemMisuse, columns_are_named_that_are_missing_or_of_another_length) {
  const SystemData<double> sound = random_system(3, 4, 1, 0.5);
  const auto refusal_of = [&](const std::function<void(ContactSystem<double>&)>& change) {
    ContactSystem<double> system = sound.view();
    change(system);
    return refusal(system);
  };
  expect_named(refusal_of([](auto& s) { s.velocity.y = {}; }), "the column system.velocity.y is missing");
  expect_named(refusal_of([](auto& s) { s.row_start = {}; }), "the column system.row_start is missing");
  expect_named(refusal_of([](auto& s) { s.column = {}; }), "the column system.column is missing");
  expect_named(refusal_of([](auto& s) { s.block = {}; }), "the column system.block is missing");
  expect_named(refusal_of([](auto& s) { s.velocity.x.count = 3; }),
               "the column system.velocity.x has 3 elements, but system.friction has 4");
  expect_named(refusal_of([](auto& s) { s.row_start.count = 4; }), "system.row_start has 4 elements, but needs 5");
  expect_named(refusal_of([](auto& s) { s.block.count = 15; }),
               "system.block has 15 elements, but system.column has 16");
  expect_named(refusal_of([&](auto& s) { s.warm_impulse.x = s.velocity.x; }), "system.warm_impulse.y is missing");
  expect_named(refusal_of([&](auto& s) {
                 s.friction_direction = {s.friction, s.friction};
               }),
               "the column system.friction_direction needs system.friction_2");
  expect_named(refusal_of([](auto& s) { s.rolling_friction = s.friction; }), "the column system.moment is missing");
  expect_named(refusal_of([&](auto& s) { s.moment = {s.column.data, 1}; }), "system.angular_velocity.x is missing");
  expect_named(refusal_of([](auto& s) {
                 s.normal_compliance = {s.friction.data, 3};
               }),
               "system.normal_compliance has 3 elements");

  SystemSolution<double> solution(3);
  try {
    SystemSolver({.threads = 1}).solve(sound.view(), solution.view());
    FAIL();
  } catch (const Error& error) {
    expect_named(error.what(), "results.impulse.x has 3 elements, but system.friction has 4");
  }
}

TEST(SystemMisuse, results_have_a_place_for_each_contact) {
  const SystemData<double> sound = random_system(3, 4, 1, 0.5);
  double place = 7;
  SystemResults<double> results;
  results.impulse = {{&place, 4, 0}, {&place, 4, 0}, {&place, 4, 0}};
  try {
    SystemSolver({.threads = 1}).solve(sound.view(), results);
    FAIL();
  } catch (const Error& error) {
    expect_named(error.what(), "the column results.impulse.x is a result with stride 0");
    EXPECT_EQ(error.column(), "results.impulse.x");
  }
  EXPECT_EQ(place, 7);
}

TEST(SystemMisuse, options_are_named) {
  const SystemData<double> sound = random_system(3, 4, 1, 0.5);
  const auto refusal_of = [&](const std::function<void(SystemOptions&)>& change) {
    SystemOptions options;
    change(options);
    return refusal(sound.view(), options);
  };
  expect_named(refusal_of([](auto& o) { o.tolerance = -1; }), "carom: the option tolerance is -1");
  expect_named(refusal_of([](auto& o) { o.tolerance = nan; }), "carom: the option tolerance is nan");
  expect_named(refusal_of([](auto& o) { o.error_mass = -1; }), "the option error_mass is -1");
  expect_named(refusal_of([](auto& o) { o.budget = 0; }), "the option budget is 0");
  expect_named(refusal_of([](auto& o) { o.max_friction = 0; }), "the option max_friction is 0");
  expect_named(refusal_of([](auto& o) { o.asymmetry = 3; }), "the option asymmetry is 3, not in [0, 2]");
  expect_named(refusal_of([](auto& o) { o.scale = static_cast<ErrorScale>(2); }),
               "the option scale is number 2, of which there are 2 from 0 on");
}

// Every column repeats one number.
TEST(SystemMisuse, limits_of_size_are_named) {
  const double zero = 0;
  const std::int64_t start = 0;
  const std::int32_t first = 0;
  const SystemBlock<double> block{};
  const auto system_of = [&](std::size_t contacts, std::size_t moments, std::size_t blocks) {
    const auto vector = [&](std::size_t n) {
      return Vector3Columns<const double>{{&zero, n, 0}, {&zero, n, 0}, {&zero, n, 0}};
    };
    ContactSystem<double> system;
    system.friction = {&zero, contacts, 0};
    system.velocity = vector(contacts);
    system.row_start = {&start, contacts + moments + 1, 0};
    system.column = {&first, blocks, 0};
    system.block = {&block, blocks, 0};
    if (moments > 0) {
      system.moment = {&first, moments, 0};
      system.angular_velocity = vector(moments);
    }
    return system;
  };
  const auto refused = [&](std::size_t contacts, std::size_t moments, std::size_t blocks) -> std::string {
    try {
      SystemSolver({.threads = 1}).solve(system_of(contacts, moments, blocks), SystemResults<double>{});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused(SystemOptions::max_contacts + 1, 0, 1),
            "carom: the system has 1073741825 contacts, and the limit is SystemOptions::max_contacts, 1073741824: "
            "solve its islands in several calls");
  expect_named(refused(1, 0, SystemOptions::max_blocks + 1),
               "1073741825 blocks of W, and the limit is SystemOptions::max_blocks, 1073741824");
  expect_named(refused(1, 1, SystemOptions::max_blocks_with_moments + 1),
               "the limit is SystemOptions::max_blocks_with_moments, 268435456");
}

TEST(SystemMisuse, a_solver_that_has_been_moved_from_says_so) {
  SystemSolver solver;
  const SystemSolver other = std::move(solver);
  try {
    solver.solve(ContactSystem<float>{}, SystemResults<float>{});  // NOLINT(bugprone-use-after-move)
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::moved_from);
    EXPECT_STREQ(error.what(), "carom: this object has been moved from");
  }
  EXPECT_EQ(other.execution().threads, 0);
  EXPECT_TRUE(other.islands().empty());
}

TEST(SystemMisuse, columns_with_a_count_have_data) {
  const SystemData<double> sound = random_system(3, 4, 1, 0.5);
  ContactSystem<double> system = sound.view();
  system.friction.data = nullptr;
  expect_named(refusal(system), "the column system.friction is missing");
  system = sound.view();
  system.normal_compliance.count = 4;
  expect_named(refusal(system), "the column system.normal_compliance has elements, but no address");
}

}  // namespace
}  // namespace carom::test
