// `carom solve --law` and planar files as a user runs them.
#include <gtest/gtest.h>

#include <algorithm>
#include <carom/law_info.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "support/files/contact_tables.hpp"
#include "support/files/run_command.hpp"

namespace carom::test {
namespace {

constexpr double epsilon = 0x1p-52;

struct Form {
  const char* name;
  Row row;
  bool planar;
  std::vector<std::string> impulse;
};

std::vector<Form> forms() {
  return {{"body form", with_law_parameters(body_row()), false, {"impulse_x", "impulse_y", "impulse_z"}},
          {"contact-space form", with_law_parameters(space_row()), false, {"p_x", "p_y", "p_z"}},
          {"planar body form", with_law_parameters(planar_body_row()), true, {"impulse_x", "impulse_y"}},
          {"planar contact-space form", with_law_parameters(planar_space_row()), true, {"p_x", "p_y"}}};
}

std::vector<double> impulse_of(const Form& form, const io::Table& table, std::size_t row = 0) {
  std::vector<double> p;
  for (const std::string& name : form.impulse) p.push_back(table.numbers(name)[row]);
  return p;
}

TEST(SolveLaws, every_law_is_known_by_name_in_every_form_that_has_it) {
  for (const Form& form : forms()) {
    const TemporaryFile input(csv_of({form.row}));
    for (const LawInfo& info : all_laws()) {
      const std::string name(to_string(info.law));
      const Ended run = carom("solve " + input.name() + " -o - --law " + name);
      if (!(form.planar ? info.in_plane : info.in_space)) {
        EXPECT_EQ(run.exit_code, 2) << form.name << " " << name;
        expect_within("--law " + name + " is for", run.err);
        continue;
      }
      EXPECT_EQ(run.exit_code, 0) << form.name << " " << name << ": " << run.err;
      const std::string method = info.law == Law::incremental && !form.planar ? "series" : name;
      expect_within("1 contacts, " + std::string(form.name) + ", " + method + ", double\n", run.err);
      EXPECT_EQ(table_of(run.out).cell(0, table_of(run.out).find("status")), "ok");
    }
  }
}

TEST(SolveLaws, lanes_and_reference_agree_under_every_law) {
  for (const Form& form : forms()) {
    const TemporaryFile input(csv_of({form.row}));
    for (const LawInfo& info : all_laws()) {
      if (!(form.planar ? info.in_plane : info.in_space)) continue;
      const std::string command = "solve " + input.name() + " -o - --law " + std::string(to_string(info.law));
      const auto lanes = impulse_of(form, table_of(carom(command).out));
      const auto reference = impulse_of(form, table_of(carom(command + " --reference").out));
      double size = 0;
      for (const double p : reference) size = std::max(size, std::abs(p));
      // K of condition below 10, and laws of some hundred operations.
      for (std::size_t i = 0; i < lanes.size(); ++i)
        EXPECT_NEAR(lanes[i], reference[i], 1000 * epsilon * size) << form.name << " " << to_string(info.law);
    }
  }
}

TEST(SolveLaws, the_law_of_a_row_goes_before_that_of_the_option) {
  for (const Form& form : forms()) {
    std::vector<Row> rows;
    std::vector<std::string> names;
    for (const LawInfo& info : all_laws())
      if (form.planar ? info.in_plane : info.in_space) {
        names.emplace_back(to_string(info.law));
        rows.push_back(with(form.row, "law", names.back()));
      }
    rows.push_back(with(form.row, "law", ""));
    const TemporaryFile all(csv_of(rows)), one(csv_of({form.row}));
    const Ended run = carom("solve " + all.name() + " -o - --law smith");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const io::Table mixed = table_of(run.out);
    names.emplace_back("smith");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Ended alone = carom("solve " + one.name() + " -o - --law " + names[i]);
      EXPECT_EQ(impulse_of(form, mixed, i), impulse_of(form, table_of(alone.out))) << form.name << " " << names[i];
    }
    expect_within("law\n", run.err);
    expect_within("  frictionless                                      1\n", run.err);
    expect_within("  smith                                             2\n", run.err);
  }
}

TEST(SolveLaws, a_row_whose_law_misses_its_parameter_is_named_and_disturbs_no_other) {
  const Row row = space_row();
  const TemporaryFile input(csv_of({with(with(row, "law", "smith"), "tangential_restitution", ""),
                                    with(with(row, "law", "bilinear"), "tangential_restitution", ""),
                                    with(with(row, "law", "brach"), "tangential_restitution", "0"),
                                    with(with(row, "law", "elastic"), "tangential_restitution", "0"),
                                    with(with(row, "law", "chatterjee-ruina"), "tangential_restitution", "2")}));
  const Ended run = carom("solve " + input.name() + " -o -");
  EXPECT_EQ(run.exit_code, 1);
  expect_within(":3: column tangential_restitution: the cell is empty\n", run.err);
  expect_within(":4: column impulse_ratio_1 is missing, which brach reads (law_parameter_missing)\n", run.err);
  expect_within(":5: column law: 'elastic' is not a law; `carom laws` lists them\n", run.err);
  expect_within(":6: column tangential_restitution: 2 is outside [-1, 1] (law_parameter_out_of_range)\n", run.err);
  const io::Table output = table_of(run.out);
  ASSERT_EQ(output.rows(), 5u);
  EXPECT_EQ(output.cell(0, output.find("status")), "ok");
  for (std::size_t i = 1; i < 5; ++i) EXPECT_NE(output.cell(i, output.find("status")), "ok");
}

TEST(SolveLaws, a_law_of_the_option_whose_columns_are_missing_is_an_error_that_names_them) {
  const TemporaryFile space(csv_of({space_row()})), plane(csv_of({planar_space_row()}));
  const auto error = [](const TemporaryFile& file, const std::string& law) {
    const Ended run = carom("solve " + file.name() + " -o - --law " + law);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.out, "");
    return run.err;
  };
  expect_within(":1: --law brach reads the columns impulse_ratio_1, impulse_ratio_2, which are missing",
                error(space, "brach"));
  expect_within(":1: --law brach reads the column impulse_ratio_1, which is missing", error(plane, "brach"));
  expect_within("--law composite reads columns weight_LAW, of which there are none", error(space, "composite"));
  expect_within("--law: newton not in incremental", error(space, "newton"));
}

// The impulses of golden/algebraic3d.csv, in its columns LAW_x, LAW_y, LAW_z.
TEST(SolveLaws, golden_impulses_of_algebraic_laws_come_out_to_rounding) {
  const std::string file = golden + "/algebraic3d.csv";
  const io::Table expected = io::read_csv(file);
  const std::vector<std::vector<double>> k = {expected.numbers("k_xx"), expected.numbers("k_xy"),
                                              expected.numbers("k_xz"), expected.numbers("k_yy"),
                                              expected.numbers("k_yz"), expected.numbers("k_zz")};
  for (const std::string reference : {"", " --reference"})
    for (const std::string law : {"frictionless", "no-slip", "chatterjee-ruina"}) {
      const Ended run = carom("solve " + file + " -o - --law " + law + reference);
      EXPECT_EQ(run.exit_code, 0) << run.err;
      const io::Table output = table_of(run.out);
      std::string column = law;
      std::replace(column.begin(), column.end(), '-', '_');
      std::vector<std::vector<double>> p, wanted;
      for (const std::string axis : {"_x", "_y", "_z"}) {
        p.push_back(output.numbers("p" + axis));
        wanted.push_back(expected.numbers(column + axis));
      }
      for (std::size_t row = 0; row < output.rows(); ++row) {
        const double size = std::hypot(wanted[0][row], wanted[1][row], wanted[2][row]);
        const double difference =
            std::hypot(p[0][row] - wanted[0][row], p[1][row] - wanted[1][row], p[2][row] - wanted[2][row]);
        // K^-1 amplifies the roundings of K and of u0 by its condition, at most trace K^3 / det K.
        const auto at = [&](std::size_t i) { return k[i][row]; };
        const double det = at(0) * (at(3) * at(5) - at(4) * at(4)) - at(1) * (at(1) * at(5) - at(4) * at(2)) +
                           at(2) * (at(1) * at(4) - at(3) * at(2));
        const double condition = std::pow(at(0) + at(3) + at(5), 3) / det;
        EXPECT_LE(difference, 8 * epsilon * condition * size) << law << reference << " row " << row;
      }
    }
}

TEST(SolvePlanar, golden_collisions_come_out_with_their_paths) {
  const std::string file = golden + "/planar.csv";
  const io::Table expected = io::read_csv(file);
  for (const std::string reference : {"", " --reference"}) {
    const Ended run = carom("solve " + file + " -o -" + reference);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    expect_within("600 contacts, planar contact-space form, incremental, double\n", run.err);
    const io::Table output = table_of(run.out);
    for (const std::string axis : {"x", "y"}) {
      const auto u = output.numbers("u_" + axis), wanted = expected.numbers("u_" + axis);
      const auto u0_x = expected.numbers("u0_x"), u0_y = expected.numbers("u0_y");
      // The golden set is good to 3e-11 of |u0| at worst.
      for (std::size_t row = 0; row < u.size(); ++row)
        EXPECT_NEAR(u[row], wanted[row], 3e-11 * std::hypot(u0_x[row], u0_y[row])) << row;
    }
    for (std::size_t row = 0; row < output.rows(); ++row)
      EXPECT_EQ(output.cell(row, output.find("path")), expected.cell(row, expected.find("path"))) << row;
  }
}

TEST(SolvePlanar, a_planar_body_moves_as_the_same_body_in_space) {
  // Turned into the plane z = 0 of 3D: a body whose inertia about x and y does not count there.
  Row space = body_row();
  for (const auto& [name, cell] : planar_body_row()) {
    if (name.starts_with("inverse_inertia")) {
      for (const std::string ii : {"_xx", "_yy", "_zz"}) space = with(space, name + ii, cell);
    } else if (name.starts_with("angular_velocity")) {
      space = with(space, name + "_z", cell);
    } else {
      space = with(space, name, cell);
    }
  }
  for (const char* name : {"normal_z", "r_a_z", "velocity_a_z"}) space = with(space, name, "0");
  const TemporaryFile in_plane(csv_of({planar_body_row()})), in_space(csv_of({space}));
  for (const std::string law : {"incremental", "whittaker", "anitescu-potra"}) {
    const io::Table planar = table_of(carom("solve " + in_plane.name() + " -o - --law " + law).out);
    const io::Table spatial = table_of(carom("solve " + in_space.name() + " -o - --law " + law).out);
    // Velocities of some m/s and rad/s after a few hundred operations.
    for (const std::string name : {"impulse_x", "impulse_y", "new_velocity_a_x", "new_velocity_a_y"})
      EXPECT_NEAR(planar.numbers(name)[0], spatial.numbers(name)[0], 1000 * epsilon) << law << " " << name;
    EXPECT_NEAR(planar.numbers("new_angular_velocity_a")[0], spatial.numbers("new_angular_velocity_a_z")[0],
                1000 * epsilon)
        << law;
  }
}

TEST(SolvePlanar, the_euler_integrator_is_refused_since_it_has_no_use) {
  const TemporaryFile input(csv_of({planar_space_row()}));
  for (const std::string& command : {"solve " + input.name() + " -o -", "compare " + input.name()}) {
    const Ended run = carom(command + " --integrator euler");
    EXPECT_EQ(run.exit_code, 2);
    expect_within("holds planar contacts, which are solved in closed form: --integrator euler has no use", run.err);
  }
}

TEST(SolvePlanar, bad_rows_are_named) {
  const Row good = planar_body_row();
  const TemporaryFile input(csv_of({good, with(good, "inverse_inertia_a", "six"), with(good, "friction", "-1"), good}));
  const Ended run = carom("solve " + input.name() + " -o -");
  EXPECT_EQ(run.exit_code, 1);
  expect_within(":3: column inverse_inertia_a: 'six' is not a number\n", run.err);
  expect_within(":4: column friction: -1 is negative (negative_friction)\n", run.err);
  const io::Table output = table_of(run.out);
  EXPECT_EQ(output.cell(3, output.find("impulse_y")), output.cell(0, output.find("impulse_y")));
}

}  // namespace
}  // namespace carom::test
