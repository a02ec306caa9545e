// Tests every option of the library on the command line of `carom solve`: it sets its field, the library accepts it,
// and the help describes it.
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/options/solve_options.hpp"
#include "core/columns/option_table.hpp"
#include "support/files/run_command.hpp"
#include "support/files/scene_tables.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

using apps::flag_of;
using apps::text_of;
using Texts = std::map<std::string, std::string>;

/// A valid value that is not the default.
template <class T>
std::string another_value(const OptionInfo& info, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return text_of(static_cast<T>(value == T{} ? 1 : 0));
  } else if constexpr (std::is_same_v<T, bool>) {
    return "";
  } else if constexpr (std::is_same_v<T, std::array<double, 3>>) {
    return "1,-2,3.5";
  } else {
    for (const double candidate : {2.0, 0.5, 1.5, 3.0, 1e-3})
      if (const std::string text = text_of(candidate); info.range.holds(candidate) && text != text_of(value))
        if (!std::is_integral_v<T> || candidate == 2 || candidate == 3) return text;
    ADD_FAILURE() << info.name << " has no other value";
    return "";
  }
}

template <class T>
std::string bad_value() {
  if constexpr (std::is_same_v<T, std::array<double, 3>>) return "1,2";
  return "nan";
}

/// Calls f(OptionInfo, value) for the options of scenes and of a method.
template <class F>
void each_option_of(const SceneOptions& options, const F& f) {
  apps::each_single_option(f, options);
  std::visit([&](const auto& method) { apps::each_single_option(f, method); }, options.method);
}

Texts texts_of(const SceneOptions& options) {
  Texts texts;
  each_option_of(options,
                 [&](const OptionInfo& info, const auto& value) { texts[flag_of(info.name)] = text_of(value); });
  return texts;
}

std::vector<SceneMethod> all_methods() {
  std::vector<SceneMethod> methods;
  for (std::size_t i = 0; i < scene_method_count; ++i) methods.push_back(static_cast<SceneMethod>(i));
  return methods;
}

SceneOptions parsed(SceneMethod method, std::vector<std::string> arguments) {
  CLI::App app;
  apps::SolveOptions options;
  options.method = to_string(method);
  options.given.add_to(app, Options{}, [](const OptionInfo& info) { return std::string(info.help); });
  apps::add_library_options(app, options);
  std::reverse(arguments.begin(), arguments.end());
  app.parse(arguments);
  return options.scene_options();
}

TEST(MethodOptions, every_option_sets_its_field_and_no_other) {
  std::size_t count = 0;
  for (const SceneMethod method : all_methods()) {
    const SceneOptions defaults{.method = default_method(method)};
    EXPECT_EQ(parsed(method, {}), defaults);
    each_option_of(defaults, [&](const OptionInfo& info, const auto& value) {
      SCOPED_TRACE(std::string(to_string(method)) + " " + info.name);
      const std::string text = another_value(info, value), flag = flag_of(info.name);
      const SceneOptions got =
          parsed(method, text.empty() ? std::vector<std::string>{flag} : std::vector<std::string>{flag, text});
      Texts expected = texts_of(defaults);
      expected[flag] = text.empty() ? "true" : text;
      // Any option of position correction turns it on.
      if (const auto* pgs = std::get_if<Pgs>(&got.method); pgs != nullptr && pgs->position_correction)
        expected["--position-correction"] = "true";
      EXPECT_EQ(texts_of(got), expected);
      EXPECT_NE(got, defaults);
      ++count;
    });
  }
  EXPECT_GE(count, 42u);
}

TEST(MethodOptions, position_correction_of_pgs_is_turned_on_by_its_flag_and_by_each_of_its_options) {
  const auto correction = [](const std::vector<std::string>& arguments) {
    return std::get<Pgs>(parsed(SceneMethod::pgs, arguments).method).position_correction;
  };
  EXPECT_EQ(correction({}), std::nullopt);
  EXPECT_EQ(correction({"--position-correction"}), PositionCorrection{});
  EXPECT_EQ(correction({"--slop", "0.01"}), PositionCorrection{.slop = 0.01});
  EXPECT_EQ(correction({"--slop", "0.01", "--rate", "0.5"}), (PositionCorrection{.slop = 0.01, .rate = 0.5}));
  EXPECT_EQ(correction({"--iterations", "5"}), std::nullopt);
}

/// Options without which another one is refused.
std::string companions(SceneMethod method, const std::string& field) {
  std::string text = " --time-step 0.01";
  if (field == "filter") text += " --phase collisions";
  if (field == "steps") text += " --integrator euler";
  if (method == SceneMethod::ncp && field.starts_with("pgs_") && field != "pgs_presolve") text += " --pgs-presolve";
  return field == "time_step" ? "" : text;
}

TEST(MethodOptions, the_command_takes_every_option_of_every_method_and_refuses_bad_values) {
  const TemporaryFile input(csv_of(ball_rows("1", {"1", "0", "-1"})));
  for (const SceneMethod method : all_methods()) {
    const SceneOptions defaults{.method = default_method(method)};
    each_option_of(defaults, [&]<class T>(const OptionInfo& info, const T& value) {
      const std::string field = info.name, flag = flag_of(field);
      const std::string line = "solve --scene " + input.name() + " -o - --method " + std::string(to_string(method)) +
                               companions(method, field) + " " + flag;
      const bool is_refused = method == SceneMethod::sequential_impacts && field == "restitution_threshold";
      const Ended good = carom(line + " " + another_value(info, value));
      EXPECT_EQ(good.exit_code, is_refused ? 2 : 0) << line << ": " << good.err;
      if (std::is_same_v<T, bool>) return;
      const Ended bad = carom(line + " " + bad_value<T>());
      EXPECT_EQ(bad.exit_code, 2) << line;
      EXPECT_TRUE(bad.err.starts_with("carom: " + flag + ": ")) << line << ": " << bad.err;
    });
  }
}

TEST(MethodOptions, options_of_other_methods_are_refused_by_the_names_of_those_that_have_them) {
  const TemporaryFile input(csv_of(ball_rows("1", {"1", "0", "-1"})));
  std::map<std::string, std::set<std::string>> having;
  Texts values;
  for (const SceneMethod method : all_methods())
    std::visit(
        [&](const auto& options) {
          apps::each_single_option(
              [&](const OptionInfo& info, const auto& value) {
                having[flag_of(info.name)].insert(std::string(to_string(method)));
                values[flag_of(info.name)] = another_value(info, value);
              },
              options);
        },
        default_method(method));
  for (const auto& [flag, methods] : having)
    for (const SceneMethod method : all_methods()) {
      const std::string name(to_string(method));
      if (methods.contains(name)) continue;
      const Ended run = carom("solve --scene " + input.name() + " -o - --time-step 0.01 --method " + name + " " + flag +
                              " " + values[flag]);
      EXPECT_EQ(run.exit_code, 2) << name << flag;
      EXPECT_TRUE(run.err.starts_with("carom: " + flag + " is an option of ")) << run.err;
      for (const std::string& other : methods) expect_within(other, run.err);
      expect_within("and not of " + name + "\n", run.err);
    }
}

TEST(MethodOptions, help_method_lists_every_option_with_unit_range_default_and_meaning) {
  for (const SceneMethod method : all_methods()) {
    const std::string name(to_string(method));
    const Ended run = carom("solve --help-method " + name);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.err, "");
    expect_within("carom solve --scene IN --method " + name + " -o OUT\n", run.out);
    each_option_of({.method = default_method(method)}, [&]<class T>(const OptionInfo& info, const T& value) {
      const std::size_t line = run.out.find("\n  " + flag_of(info.name) + " ");
      ASSERT_NE(line, std::string::npos) << name << info.name;
      const std::size_t end = run.out.find('\n', line + 1);
      const std::string first = run.out.substr(line, end - line),
                        second = run.out.substr(end + 1, run.out.find('\n', end + 1) - end - 1);
      expect_within(info.help, first);
      expect_within(info.unit, first);
      if (!std::is_same_v<T, bool>) expect_within("default " + text_of(value), second);
      if (std::is_enum_v<T>) expect_within(another_value(info, value), second);
    });
  }
  const std::string pgs = carom("solve --help-method pgs").out;
  expect_within("\n  --relaxation               1          Factor of every change of an impulse.\n", pgs);
  expect_within(" [0.01, 2), default 1\n", pgs);
  EXPECT_EQ(carom("solve --help-method fast").exit_code, 2);
}

TEST(MethodOptions, gravity_is_added_to_the_velocities_of_the_file) {
  // A ball that leaves the floor along x is slowed by gravity, which the floor does not hold.
  const TemporaryFile input(csv_of({ball_row("1", {0, "-1"}, world)}));
  for (const SceneMethod method : all_methods()) {
    const Ended run = carom("solve --scene " + input.name() + " -o - --time-step 0.125 --gravity 4,0,0 --method " +
                            std::string(to_string(method)));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NEAR(table_of(run.out).numbers("new_velocity_a_x")[0], -0.5, 8 * 0x1p-53) << to_string(method);
  }
}

TEST(MethodOptions, substeps_are_the_default_with_a_time_step) {
  const TemporaryFile input(csv_of(ball_rows("1", {"1", "0"})));
  const std::string line = "solve --scene " + input.name() + " -o - --time-step 0.01";
  const Ended run = carom(line);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_within(": 1 contacts in 1 scene, substeps, double\n", run.err);
  EXPECT_EQ(run.out, carom(line + " --method substeps").out);
}

}  // namespace
}  // namespace carom::test
