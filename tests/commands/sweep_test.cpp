// `carom sweep`, as a user runs it.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/hdf5/hdf5_file.hpp"
#include "support/files/contact_tables.hpp"
#include "support/files/run_command.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

/// Contacts in contact space with different approach speeds.
std::vector<Row> contacts(std::size_t count, const std::string& friction, const std::string& restitution) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < count; ++i) {
    Row row = with(with(space_row(), "friction", friction), "restitution", restitution);
    rows.push_back(with(row, "u0_x", std::to_string(i % 97)));
  }
  return rows;
}

std::vector<double> part_of(const std::vector<double>& all, std::size_t point, std::size_t rows) {
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(point * rows);
  return {begin, begin + static_cast<std::ptrdiff_t>(rows)};
}

TEST(Sweep, gives_every_point_the_bits_of_a_run_with_its_law_and_coefficients) {
  constexpr std::size_t rows = 40;
  const TemporaryFile input(csv_of(contacts(rows, "0.9", "0.9"))), out({}, ".h5");
  const Ended run = carom("sweep " + input.name() +
                          " --law smith,incremental --friction 0:0.5:0.25 --restitution 0.25,1 -o " + out.name());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const io::Hdf5File file(out.name(), out.text());
  EXPECT_EQ(file.numbers("/friction"), (std::vector<double>{0, 0, 0.25, 0.25, 0.5, 0.5, 0, 0, 0.25, 0.25, 0.5, 0.5}));
  EXPECT_EQ(file.numbers("/restitution"), (std::vector<double>{0.25, 1, 0.25, 1, 0.25, 1, 0.25, 1, 0.25, 1, 0.25, 1}));
  std::size_t point = 0;
  for (const std::string law : {"smith", "incremental"})
    for (const std::string friction : {"0", "0.25", "0.5"})
      for (const std::string restitution : {"0.25", "1"}) {
        const TemporaryFile alone(csv_of(contacts(rows, friction, restitution))), results;
        ASSERT_EQ(carom("solve " + alone.name() + " -o " + results.name() + " --law " + law).exit_code, 0);
        const io::Table table = io::read_csv(results.name());
        for (const std::string name : {"p_x", "p_y", "p_z"})
          EXPECT_EQ(part_of(file.numbers("/" + name), point, rows), table.numbers(name)) << law << ' ' << friction;
        ++point;
      }
}

TEST(Sweep, counts_statuses_and_energy_of_every_point) {
  // u0 = -n m/s along an axis of K, without friction: 1/(2 k) (1 - e^2) J are lost, k = 1.5 1/kg.
  Row row = space_row();
  for (const auto& [name, value] : {std::pair{"k_xx", "2"},
                                    {"k_xy", "0"},
                                    {"k_xz", "0"},
                                    {"k_yy", "2"},
                                    {"k_yz", "0"},
                                    {"k_zz", "1.5"},
                                    {"u0_x", "0"},
                                    {"u0_y", "0"},
                                    {"u0_z", "-1"}})
    row = with(row, name, value);
  const Row leaving = with(row, "u0_z", "1"), bad = with(row, "k_xx", "-1");
  const TemporaryFile input(csv_of({row, row, leaving, bad}));
  const Ended run = carom("sweep " + input.name() + " --restitution 0:1:0.1 --friction 0 --json");
  EXPECT_EQ(run.exit_code, 1);
  const auto json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json["points"].size(), 11u);
  for (std::size_t i = 0; i < 11; ++i) {
    const auto& point = json["points"][i];
    const double e = static_cast<double>(i) / 10;
    EXPECT_EQ(point["restitution"], e);
    EXPECT_EQ(point["friction"], 0);
    EXPECT_EQ(point["resolved"], 2);
    EXPECT_EQ(point["bad"], 1);
    EXPECT_EQ(point["statuses"]["separating"], 1);
    // Each of some ten operations rounds numbers of at most 1 by 1.1e-16.
    EXPECT_NEAR(point["energy_loss"].get<double>(), 2 * (1 - e * e) / 3, 1e-14);
  }
  const Ended text = carom("sweep " + input.name() + " --restitution 0:1:0.5");
  EXPECT_EQ(text.exit_code, 1);
  expect_within("4 contacts, contact-space form, 3 points, double", text.out);
  expect_within("k_xx", text.err);
}

TEST(Sweep, takes_the_rows_own_coefficients_where_none_are_asked_for_and_in_float_those_of_float) {
  const TemporaryFile input(csv_of(contacts(5, "0.3", "0.5"))), out({}, ".h5");
  ASSERT_EQ(carom("sweep " + input.name() + " --precision float --friction 0.3 --details -o " + out.name()).exit_code,
            0);
  const io::Hdf5File file(out.name(), out.text());
  EXPECT_FALSE(file.has("/restitution"));
  EXPECT_TRUE(file.has("/u_x"));
  const TemporaryFile results;
  ASSERT_EQ(carom("solve " + input.name() + " --precision float -o " + results.name()).exit_code, 0);
  const std::vector<double> swept = file.numbers("/p_z"), solved = io::read_csv(results.name()).numbers("p_z");
  for (std::size_t row = 0; row < solved.size(); ++row)
    EXPECT_EQ(static_cast<float>(swept[row]), static_cast<float>(solved[row]));  // nine digits bring a float back
}

TEST(Sweep, that_was_killed_is_resumed_with_the_bits_of_an_unbroken_one) {
  // One contact is too fast for the energy that it loses, and a coefficient is infinite: JSON has a number for neither.
  std::vector<Row> rows = contacts(40000, "0.3", "0.5");
  rows.front() = with(rows.front(), "u0_z", "-1e160");
  const TemporaryFile csv(csv_of(rows)), input({}, ".h5"), whole({}, ".h5"), out({}, ".h5");
  ASSERT_EQ(carom("convert " + csv.name() + " " + input.name()).exit_code, 0);
  const std::string study =
      "sweep " + input.name() + " --friction 0,0.5,inf --json --integrator euler --steps 600 --checkpoint 0 -o ";
  const Ended unbroken = carom(study + whole.name());
  ASSERT_EQ(unbroken.exit_code, 0) << unbroken.err;
  const auto points = nlohmann::json::parse(unbroken.out)["points"];
  EXPECT_EQ(points[0]["energy_loss"], "inf");
  EXPECT_EQ(points[2]["friction"], "inf");
  const std::string journal = out.name() + ".journal";
  const Ended killed = shell("J=" + journal +
                             "; (until [ -f $J ] && [ $(wc -l <$J) -ge 2 ]; do sleep 0.001; done; "
                             "kill -9 $(cat $J.pid); rm $J.pid) &\n"
                             "sh -c 'echo $$ >" +
                             journal + ".pid; exec " CAROM_COMMAND " " + study + out.name() + "'");
  EXPECT_EQ(killed.exit_code, 128 + SIGKILL);
  const Ended other = carom(study + out.name() + " --resume --friction 0,0.5,2");
  EXPECT_EQ(other.exit_code, 2);
  const Ended resumed = carom(study + out.name() + " --resume");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, unbroken.out);
  EXPECT_TRUE(out.text() == whole.text());
  EXPECT_FALSE(std::filesystem::exists(journal));
}

TEST(Sweep, reads_standard_input_to_its_end_and_calls_a_ragged_row_bad) {
  const TemporaryFile input(csv_of(contacts(20000, "0.3", "0.5")) + "1,2\n");
  const std::string study = "sweep --friction 0,0.5 --json ";
  const Ended piped = shell("cat " + input.name() + " | carom " + study + "-"), file = carom(study + input.name());
  EXPECT_EQ(piped.exit_code, 1);
  EXPECT_EQ(file.exit_code, 1);
  expect_within("standard input:20002: ", piped.err);
  const auto json = nlohmann::json::parse(piped.out);
  EXPECT_EQ(json["contacts"], 20001);
  EXPECT_EQ(json["points"][1]["bad"], 1);
  EXPECT_EQ(json["points"], nlohmann::json::parse(file.out)["points"]);
}

TEST(Sweep, takes_the_decimals_of_a_range_and_its_end_if_a_step_meets_it) {
  const TemporaryFile input(csv_of(contacts(1, "0.3", "0.5")));
  const auto frictions = [&](const std::string& range) {
    std::vector<double> values;
    const Ended run = carom("sweep " + input.name() + " --json --friction " + range);
    const auto json = nlohmann::json::parse(run.out);
    for (const auto& point : json["points"]) values.push_back(point["friction"]);
    return values;
  };
  EXPECT_EQ(frictions("0.1:1:0.1"), (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1}));
  EXPECT_EQ(frictions("0.05:0.5:2e-1"), (std::vector<double>{0.05, 0.25, 0.45}));
  EXPECT_EQ(frictions("5:5:1e-3"), (std::vector<double>{5}));
}

TEST(Sweep, that_is_complete_asks_for_no_resume_where_its_table_finds_no_room) {
  const TemporaryFile csv(csv_of(contacts(2, "0.3", "0.5"))), input({}, ".h5"), out({}, ".h5");
  ASSERT_EQ(carom("convert " + csv.name() + " " + input.name()).exit_code, 0);
  const Ended run = shell("carom sweep " + input.name() + " --friction 0:1:0.001 -o " + out.name() + " >/dev/full");
  EXPECT_EQ(run.exit_code, 2);
  expect_within("standard output can't be written", run.err);
  EXPECT_EQ(run.err.find("--resume"), std::string::npos) << run.err;
  EXPECT_EQ(io::Hdf5File(out.name(), out.text()).numbers("/friction").size(), 1001u);
}

TEST(Sweep, refuses_what_is_no_study) {
  const TemporaryFile input(csv_of(contacts(2, "0.3", "0.5")));
  const std::array<std::array<std::string, 2>, 8> wrong = {
      {{"--friction 0:1:-1", "is not FROM:TO:STEP"},
       {"--friction 0:1:1e-9", "has more than a million steps"},
       {"--friction 0,x", "'x' in 0,x is not a number"},
       {"--friction -1", "-1 is outside [0, inf]"},
       {"--restitution 2", "2 is outside [0, 1]"},
       {"--law smith,smith", "smith stands twice"},
       {"--law whittaker,pfeiffer-glocker", "is for planar contacts"},
       {"-o out.csv", "a sweep is written as HDF5"}}};
  for (const auto& [options, message] : wrong) {
    const Ended run = carom("sweep " + input.name() + " " + options);
    EXPECT_EQ(run.exit_code, 2) << options;
    expect_within(message, run.err);
  }
}

}  // namespace
}  // namespace carom::test
