#include "program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

namespace carom_scenes {

namespace {

struct Runs {
  std::optional<std::vector<Number>> bullet, carom;
};

// The mark with what the run of Bullet's own solver adds to it.
Number beside(Number number, const Number& bullet) {
  if (std::isfinite(number.share_of_bullet))
    number.greatest = std::min(number.greatest, number.share_of_bullet * bullet.value);
  return number;
}

bool on_mark(const Number& number) {
  return number.value >= number.least && number.value <= number.greatest;
}

std::string mark(const Number& number) {
  const bool least = number.least > -std::numeric_limits<double>::infinity();
  const bool greatest = number.greatest < std::numeric_limits<double>::infinity();
  if (least && greatest) return fmt::format("{:.4g} to {:.4g}", number.least, number.greatest);
  if (least) return fmt::format(">= {:.4g}", number.least);
  if (greatest) return fmt::format("<= {:.4g}", number.greatest);
  return "";
}

bool print(const Scene& scene, const Runs& runs) {
  fmt::print("{}\n{:<44}{:>12}{:>14}  {}\n", scene.title, "", "Bullet", "carom", "mark of carom");
  bool all = true;
  const std::vector<Number>& rows = runs.carom ? *runs.carom : *runs.bullet;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto value = [&](const std::optional<std::vector<Number>>& numbers) {
      return numbers ? fmt::format("{:.5g}", numbers->at(row).value) : std::string("-");
    };
    const Number number = runs.bullet ? beside(rows[row], runs.bullet->at(row)) : rows[row];
    const bool missed = runs.carom && !on_mark(number);
    all = all && !missed;
    const std::string name = number.unit.empty() ? number.name : number.name + " [" + number.unit + "]";
    fmt::print("{:<44}{:>12}{:>14}  {}{}\n", name, value(runs.bullet), value(runs.carom), mark(number),
               missed ? "  MISSED" : "");
  }
  return all;
}

}  // namespace

int show(int argc, char** argv, const Scene& scene) {
  CLI::App app(scene.title);
  Arguments arguments;
  std::string solver = "both", out;
  int threads = 0;
  app.add_flag("--short", arguments.brief, "A short run");
  app.add_option("--solver", solver, "Who responds")
      ->check(CLI::IsMember({"bullet", "carom", "both"}))
      ->capture_default_str();
  app.add_option("--out", out, "Folder for the samples of every step and for the poses, 30 a second");
  app.add_option("--threads", threads, "Of carom, 0 for all")->check(CLI::NonNegativeNumber)->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const auto run = [&](Responder responder, const char* name) {
    WorldOptions options = scene.options;
    options.solver.machine.threads = threads;
    World world(responder, options);
    if (!out.empty()) world.keep_poses(30);
    std::vector<Number> numbers = scene.run(world, arguments);
    if (!out.empty()) {
      std::filesystem::create_directories(out);
      const std::string stem = fmt::format("{}/{}_{}", out, scene.name, name);
      world.write_samples(stem + ".csv");
      world.write_poses(stem + "_poses.csv");
    }
    return numbers;
  };
  Runs runs;
  if (solver != "carom") runs.bullet = run(Responder::bullet, "bullet");
  if (solver != "bullet") runs.carom = run(Responder::carom, "carom");
  return print(scene, runs) ? 0 : 1;
}

}  // namespace carom_scenes
