// The command as a user runs it: CAROM_COMMAND is the binary.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "io/csv.hpp"
#include "support/contact_tables.hpp"
#include "support/temporary_file.hpp"

namespace carom::test {
namespace {

struct Ended {
  int exit_code;
  std::string out, err;
};

Ended carom(const std::string& arguments, const std::string& environment = "") {
  const TemporaryFile out, err;
  const std::string line =
      environment + " '" CAROM_COMMAND "' " + arguments + " > '" + out.name() + "' 2> '" + err.name() + "'";
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out.text(), err.text()};
}

const std::string golden = CAROM_GOLDEN_DIR;

io::Table table_of(const std::string& text) {
  return io::read_csv(TemporaryFile(text).path());
}

void expect_within(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in '" << text << "'";
}

TEST(Solve, good_rows_give_exit_code_0_and_a_summary_on_stdout) {
  const TemporaryFile input(csv_of({body_row(), body_row()})), output;
  const Ended run = carom("solve " + input.name() + " -o " + output.name());
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  expect_within("2 contacts, body form", run.out);
  expect_within("contacts/s", run.out);
  const io::Table results = table_of(output.text());
  ASSERT_EQ(results.rows(), 2u);
  EXPECT_EQ(results.cell(1, results.find("status")), "ok");
  EXPECT_GT(results.numbers("impulse_z")[0], 0);
}

TEST(Solve, a_dash_writes_the_results_and_nothing_else_to_stdout) {
  const TemporaryFile input(csv_of({space_row()}));
  const Ended run = carom("solve " + input.name() + " -o -");
  EXPECT_EQ(run.exit_code, 0);
  expect_within("1 contacts, contact-space form", run.err);
  const io::Table results = table_of(run.out);
  ASSERT_EQ(results.rows(), 1u);
  EXPECT_EQ(results.cell(0, results.find("status")), "ok");
}

TEST(Solve, bad_rows_give_exit_code_1_and_are_named_by_line_and_column) {
  const Row good = space_row();
  const TemporaryFile input(csv_of({good, with(good, "u0_x", "abc"), with(good, "restitution", "2"), good}));
  const Ended run = carom("solve " + input.name() + " -o -");
  EXPECT_EQ(run.exit_code, 1);
  expect_within("carom: " + input.name() + ":3: column u0_x: 'abc' is not a number\n", run.err);
  expect_within("carom: " + input.name() + ":4: column restitution: 2 is outside [0, 1] (restitution_out_of_range)\n",
                run.err);
  const io::Table results = table_of(run.out);
  const std::size_t status = results.find("status");
  ASSERT_EQ(results.rows(), 4u);
  EXPECT_EQ(results.cell(1, status), "unreadable");
  EXPECT_EQ(results.cell(2, status), "restitution_out_of_range");
  EXPECT_EQ(results.numbers("p_z")[2], 0);
  EXPECT_EQ(results.cell(3, results.find("p_z")), results.cell(0, results.find("p_z")));
}

TEST(Solve, prints_20_faults_unless_all_are_asked_for) {
  const TemporaryFile input(csv_of(std::vector<Row>(25, with(space_row(), "friction", "-1"))));
  const auto faults = [](const std::string& text) {
    std::size_t count = 0;
    for (auto at = text.find("is negative"); at != std::string::npos; at = text.find("is negative", at + 1)) ++count;
    return count;
  };
  const Ended some = carom("solve " + input.name() + " -o /dev/null");
  EXPECT_EQ(faults(some.err), 20u);
  expect_within("5 more faults", some.err);
  EXPECT_EQ(faults(carom("solve " + input.name() + " -o /dev/null --all-faults").err), 25u);
}

TEST(Solve, all_rows_of_a_golden_file_come_out_in_order) {
  const io::Table input = io::read_csv(golden + "/incremental3d.csv");
  const Ended run = carom("solve " + golden + "/incremental3d.csv -o -");
  EXPECT_EQ(run.exit_code, 1) << "rows of kinetic and kinematic restitution are faults";
  const io::Table output = table_of(run.out);
  ASSERT_EQ(output.rows(), input.rows());
  const std::size_t law = input.find("restitution_law"), status = output.find("status");
  for (std::size_t row = 0; row < input.rows(); ++row) {
    for (const char* name : {"case", "kind", "k_xx", "u0_z", "restitution"})
      EXPECT_EQ(output.cell(row, output.find(name)), input.cell(row, input.find(name)));
    EXPECT_EQ(output.cell(row, status), input.cell(row, law) == "energetic" ? "ok" : "restitution_law_unavailable");
  }
}

TEST(Solve, more_steps_come_nearer_to_the_golden_set) {
  const io::Table expected = io::read_csv(golden + "/bodies3d.csv");
  const auto error = [&](const std::string& steps) {
    const Ended run = carom("solve " + golden + "/bodies3d.csv -o - --steps " + steps);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const io::Table output = table_of(run.out);
    double sum = 0;
    for (const char* name : {"new_velocity_a_x", "new_velocity_a_y", "new_velocity_a_z"}) {
      const auto got = output.numbers(name), wanted = expected.numbers(name);
      for (std::size_t row = 0; row < got.size(); ++row) sum += std::abs(got[row] - wanted[row]);
    }
    return sum;
  };
  // First order: four times the steps leave a quarter of the error, summed over many contacts; half is safe.
  EXPECT_LT(error("400"), 0.5 * error("100"));
}

TEST(Solve, the_reference_agrees_and_details_are_written) {
  const std::string input = golden + "/bodies3d.csv";
  const io::Table lanes = table_of(carom("solve " + input + " -o - --details").out);
  const io::Table reference = table_of(carom("solve " + input + " -o - --details --reference").out);
  ASSERT_EQ(lanes.rows(), reference.rows());
  EXPECT_EQ(lanes.header(), reference.header());
  EXPECT_NE(lanes.find("new_separation_velocity_x"), io::Table::none);
  for (std::size_t row = 0; row < lanes.rows(); ++row)
    EXPECT_EQ(lanes.cell(row, lanes.find("path")), reference.cell(row, reference.find("path")));
}

TEST(Solve, float_numbers_have_9_digits_and_are_floats) {
  const TemporaryFile input(csv_of({body_row()}));
  const Ended run = carom("solve " + input.name() + " -o - --precision float --details");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const io::Table output = table_of(run.out);
  const io::Table in_double = table_of(carom("solve " + input.name() + " -o - --details").out);
  const std::string name = "new_velocity_a_x";
  const std::string cell(output.cell(0, output.find(name)));
  char again[32];
  std::snprintf(again, sizeof again, "%.9g", static_cast<double>(std::strtof(cell.c_str(), nullptr)));
  EXPECT_EQ(cell, again);
  EXPECT_NE(cell, in_double.cell(0, in_double.find(name)));
}

TEST(Solve, the_thread_count_and_the_isa_are_those_asked_for) {
  const TemporaryFile input(csv_of({body_row()}));
  expect_within("solved on scalar with 1 thread in",
                carom("solve " + input.name() + " -o /dev/null --threads 1 --isa scalar").out);
}

TEST(Solve, a_header_alone_is_fine) {
  const std::string text = csv_of({space_row()});
  const TemporaryFile input(text.substr(0, text.find('\n') + 1));
  const Ended run = carom("solve " + input.name() + " -o -");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(table_of(run.out).rows(), 0u);
  EXPECT_TRUE(run.out.ends_with(",u_x,u_y,u_z,p_x,p_y,p_z,status,path\n")) << run.out;
}

TEST(Usage, errors_give_exit_code_2_and_begin_with_the_name_of_the_command) {
  const TemporaryFile input(csv_of({space_row()}));
  const TemporaryFile other("x,y\n1,2\n");
  for (const std::string& arguments : std::vector<std::string>{
           "", "resolve", "solve " + input.name(), "solve absent.csv -o -", "solve " + other.name() + " -o -",
           "solve " + input.name() + " -o /absent/file.csv", "solve " + input.name() + " -o - --steps 0",
           "solve " + input.name() + " -o - --steps ten", "solve " + input.name() + " -o - --precision half",
           "solve " + input.name() + " -o - --isa mmx", "solve " + input.name() + " -o - --integrator rk4",
           "solve " + input.name() + " -o - --threads -1",
           "solve " + input.name() + " -o - --reference --precision float", "compare absent.csv --json",
           "info --verbose"}) {
    const Ended run = carom(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments;
    EXPECT_TRUE(run.err.starts_with("carom: ")) << arguments << ": " << run.err;
    EXPECT_EQ(run.out, "") << arguments;
  }
}

TEST(Usage, the_input_file_is_never_overwritten) {
  const std::string text = csv_of({space_row()});
  const TemporaryFile input(text);
  const Ended run = carom("solve " + input.name() + " -o " + input.name());
  EXPECT_EQ(run.exit_code, 2);
  expect_within("is the input file", run.err);
  EXPECT_EQ(input.text(), text);
}

TEST(Usage, a_full_disk_is_an_error) {
  const TemporaryFile input(csv_of({space_row()}));
  const Ended run = carom("solve " + input.name() + " -o /dev/full");
  EXPECT_EQ(run.exit_code, 2);
  expect_within("could not be written", run.err);
}

TEST(Usage, help_gives_exit_code_0_and_examples) {
  for (const std::string command : {"", "solve ", "compare ", "info "}) {
    const Ended run = carom(command + "--help");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.err, "");
    expect_within("carom " + (command.empty() ? "solve " : command), run.out);
    expect_within("Exit code:", run.out);
  }
}

TEST(Compare, json_tells_the_comparison_and_nothing_else_is_on_stdout) {
  const Ended run = carom("compare " + golden + "/bodies3d.csv --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  const io::Table input = io::read_csv(golden + "/bodies3d.csv");
  EXPECT_EQ(json["contacts"], input.rows());
  EXPECT_EQ(json["form"], "bodies");
  EXPECT_EQ(json["bad_rows"], 0);
  EXPECT_EQ(json["lanes"]["by_status"], json["reference"]["by_status"]);
  EXPECT_EQ(json["velocity_difference"]["rows"], json["lanes"]["by_status"]["ok"]);
  EXPECT_GE(json["velocity_difference"]["largest"], json["velocity_difference"]["median"]);
  EXPECT_GT(json["lanes"]["contacts_per_second"], 0);
  EXPECT_GT(json["reference"]["contacts_per_second"], 0);
  EXPECT_GE(json["repetitions"], 3);
  EXPECT_TRUE(json["expected"].contains("impulse"));
  EXPECT_EQ(json["expected"]["path"]["rows"], input.rows());
}

TEST(Compare, the_results_in_the_file_are_expected_values) {
  const TemporaryFile input(csv_of({space_row(), space_row()}));
  const io::Table results = table_of(carom("solve " + input.name() + " -o -").out);
  const double speed = std::hypot(0.75, 0.5, 1.0);
  const double shift = 0.25;
  std::string text, separator;
  for (const std::string& name : results.header()) text += std::exchange(separator, ",") + name;
  for (std::size_t row = 0; row < 2; ++row) {
    separator = "\n";
    for (std::size_t column = 0; column < results.header().size(); ++column) {
      std::string cell(results.cell(row, column));
      if (row == 1 && results.header()[column] == "u_y") {
        char shifted[32];
        std::snprintf(shifted, sizeof shifted, "%.17g", std::stod(cell) + shift);
        cell = shifted;
      }
      if (row == 1 && results.header()[column] == "path") cell = "separating";
      text += std::exchange(separator, ",") + cell;
    }
  }
  const TemporaryFile expected(text + "\n");
  const Ended run = carom("compare " + expected.name() + " --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out)["expected"];
  EXPECT_EQ(json["u"]["lanes"]["rows"], 2);
  EXPECT_EQ(json["u"]["lanes"]["line"], 3);
  // The shifted cell is rounded to double, and so is the difference.
  EXPECT_NEAR(json["u"]["lanes"]["largest"], shift / speed, 1e-15);
  EXPECT_EQ(json["p"]["lanes"]["largest"], 0.0);
  EXPECT_EQ(json["path"]["lanes_differ"], 1);
  EXPECT_EQ(json["status"]["lanes_differ"], 0);
}

TEST(Compare, bad_rows_give_exit_code_1_and_the_others_are_compared) {
  const TemporaryFile input(csv_of({space_row(), with(space_row(), "k_zz", "")}));
  const Ended run = carom("compare " + input.name() + " --json");
  EXPECT_EQ(run.exit_code, 1);
  expect_within(":3: column k_zz: the cell is empty", run.err);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["bad_rows"], 1);
  EXPECT_EQ(json["lanes"]["by_status"]["unreadable"], 1);
  EXPECT_EQ(json["velocity_difference"]["rows"], 1);
}

TEST(Compare, in_float_the_reference_gets_the_rounded_numbers) {
  // Without friction the tangential velocity stays as it is read. At 1e6 floats lie 1/16 apart, so 1e6 + 0.03 is read
  // as 1e6: a reference on the unrounded number would differ by 3e-8 of |u0|.
  Row row = with(with(space_row(), "friction", "0"), "u0_x", "1000000.03");
  for (const std::string name : {"k_xy", "k_xz", "k_yz"}) row = with(row, name, "0");
  const TemporaryFile input(csv_of({row}));
  const auto json =
      nlohmann::json::parse(carom("compare " + input.name() + " --json --precision float --steps 1000").out);
  EXPECT_EQ(json["precision"], "float");
  // What is left is the rounding of u_z, which a step changes by some |u0| / N: a few times 2^-24 / N of |u0|.
  EXPECT_LT(json["velocity_difference"]["largest"], 1e-9);
}

TEST(Compare, text_tells_differences_paths_energy_and_throughput) {
  const Ended run = carom("compare " + golden + "/bodies3d.csv");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* part : {"separation velocity / |u0|", "paths that differ", "largest energy gain",
                           "difference to the results in the file", "contacts/s", "ratio"})
    expect_within(part, run.out);
}

TEST(Compare, a_header_alone_is_fine) {
  const std::string text = csv_of({body_row()});
  const TemporaryFile input(text.substr(0, text.find('\n') + 1));
  const Ended run = carom("compare " + input.name() + " --json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["contacts"], 0);
}

TEST(Info, names_what_is_available_and_chosen) {
  const Ended run = carom("info --json");
  EXPECT_EQ(run.exit_code, 0);
  const auto json = nlohmann::json::parse(run.out);
  const auto& isas = json["isas"];
  EXPECT_NE(std::find(isas.begin(), isas.end(), "scalar"), isas.end());
  EXPECT_NE(std::find(isas.begin(), isas.end(), json["isa"]), isas.end());
  EXPECT_GE(json["threads"], 1);
  const Ended text = carom("info");
  for (const char* part : {"carom", "cpu", "isas", "threads", "xsimd", "oneTBB"}) expect_within(part, text.out);
}

TEST(Info, the_environment_chooses_the_isa) {
  EXPECT_EQ(nlohmann::json::parse(carom("info --json", "CAROM_ISA=scalar").out)["isa"], "scalar");
  const Ended run = carom("info", "CAROM_ISA=mmx");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.err.starts_with("carom: ")) << run.err;
}

}  // namespace
}  // namespace carom::test
