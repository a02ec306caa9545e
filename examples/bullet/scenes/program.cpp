#include "program.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "times.hpp"

namespace carom_scenes {

namespace {

using Numbers = std::optional<std::vector<Number>>;

struct Runs {
  Numbers bullet, bullet_two_directions, carom;
};

bool on_mark(const Number& number, std::optional<double> of_bullet) {
  if (!(number.value >= number.least && number.value <= number.greatest)) return false;
  return number.bullet_ratio == 0 || !of_bullet || number.value * number.bullet_ratio <= *of_bullet;
}

std::string mark(const Number& number, std::optional<double> of_bullet) {
  const bool least = number.least > -std::numeric_limits<double>::infinity();
  const bool greatest = number.greatest < std::numeric_limits<double>::infinity();
  std::string text;
  if (least && greatest) {
    text = fmt::format("{:.4g} to {:.4g}", number.least, number.greatest);
  } else if (least) {
    text = fmt::format(">= {:.4g}", number.least);
  } else if (greatest) {
    text = fmt::format("<= {:.4g}", number.greatest);
  }
  if (number.bullet_ratio > 0) {
    if (!text.empty()) text += ", ";
    text += number.bullet_ratio == 1 ? "<= Bullet's" : fmt::format("<= Bullet's / {:.4g}", number.bullet_ratio);
    if (of_bullet) text += fmt::format(" (it is 1 / {:.3g})", *of_bullet / number.value);
  }
  return text;
}

bool print(const Scene& scene, const Runs& runs) {
  const bool two = runs.bullet_two_directions.has_value();
  const auto print_line = [&](const std::string& name, const std::string& bullet, const std::string& bullet_two,
                              const std::string& carom, const std::string& rest) {
    fmt::print("{:<44}{:>12}{:>{}}{:>14}  {}\n", name, bullet, two ? bullet_two : "", two ? 24 : 0, carom, rest);
  };
  fmt::print("{}\n", scene.title);
  print_line("", "Bullet", "Bullet, 2 directions", "carom", "mark of carom");
  bool all = true;
  const std::vector<Number>& rows = runs.carom ? *runs.carom : two ? *runs.bullet_two_directions : *runs.bullet;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto value = [&](const Numbers& numbers) {
      // A number that only one solver has is NaN for the other one.
      if (!numbers || std::isnan(numbers->at(row).value)) return std::string("-");
      return fmt::format("{:.5g}", numbers->at(row).value);
    };
    std::optional<double> of_bullet;
    if (runs.bullet && runs.carom) of_bullet = runs.bullet->at(row).value;
    const bool missed = runs.carom && !on_mark(rows[row], of_bullet);
    all = all && !missed;
    const std::string name = rows[row].unit.empty() ? rows[row].name : rows[row].name + " [" + rows[row].unit + "]";
    print_line(name, value(runs.bullet), value(runs.bullet_two_directions), value(runs.carom),
               mark(rows[row], of_bullet) + (missed ? "  MISSED" : ""));
  }
  return all;
}

void choose(const std::string& method, carom::bullet::Options& options) {
  using carom::SceneMethod;
  // Keeps the scene's options of a method that it has chosen itself.
  const auto hold_by = [&](SceneMethod chosen) {
    if (options.scene.selected() != chosen) options.scene = carom::bullet::scene_options_of_an_engine(chosen);
  };
  if (method == "default") return;
  if (method == "substeps") return hold_by(SceneMethod::substeps);
  options.collisions = carom::bullet::WithContacts{};
  if (method == "pgs") {
    hold_by(SceneMethod::pgs);
  } else if (method == "ncp") {
    hold_by(SceneMethod::ncp);
  } else if (method == "sequential-impacts") {
    options.collisions = carom::SequentialImpacts{};
    hold_by(SceneMethod::pgs);
  } else if (method == "bender-schmitt") {
    options.collisions = carom::BenderSchmitt{};
    hold_by(SceneMethod::bender_schmitt);
  }
}

}  // namespace

int show(int argc, char** argv, const Scene& scene) {
  CLI::App app(scene.title);
  Arguments arguments;
  std::string solver = "both", method = "default", out;
  int threads = 0, iterations = 0, rounds = 0;
  double tolerance = 0;
  bool unmarked = false, sleeping = false;
  app.add_flag("--short", arguments.brief, "A short run");
  app.add_flag("--unmarked", unmarked, "A mark that is missed is no failure");
  app.add_option("--solver", solver,
                 "Who responds: Bullet as it comes, with one direction of friction a point; with two (bullet2); carom; "
                 "both bullet and carom; or all three")
      ->check(CLI::IsMember({"bullet", "bullet2", "carom", "both", "all"}))
      ->take_last()
      ->capture_default_str();
  app.add_option("--out", out, "Folder for the samples of every step and for the poses, 30 a second");
  app.add_option("--threads", threads, "Of carom, 0 for all")->check(CLI::NonNegativeNumber)->capture_default_str();
  app.add_option(
         "--method", method,
         "Of carom: PGS over all contacts; sequential impacts and then PGS; the collision and contact iteration of "
         "Bender and Schmitt; substeps; NCP; or what the scene has set")
      ->check(CLI::IsMember({"pgs", "sequential-impacts", "bender-schmitt", "substeps", "ncp", "default"}))
      ->capture_default_str();
  app.add_option("--iterations", iterations, "Maximum number of carom's iterations, 0 for what the scene has set")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--tolerance", tolerance, "Error of --method ncp, 0 for its default")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--sleeping", sleeping, "Bodies may fall asleep");
  app.add_option("--times", rounds, "Run the solvers so often in turn, and print what they take")
      ->check(CLI::PositiveNumber);
  if (scene.add_options) scene.add_options(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }

  if (tolerance > 0 && method != "ncp") {
    fmt::print(stderr, "--tolerance is for --method ncp\n");
    return 2;
  }

  const auto options_of_run = [&] {
    WorldOptions options = scene.options;
    options.solver.execution.threads = threads;
    if (iterations > 0) options.solver.iterations = iterations;
    options.sleeping = options.sleeping || sleeping;
    choose(method, options.solver);
    if (tolerance > 0) options.solver.scene.use<carom::Ncp>().tolerance = tolerance;
    return options;
  };
  const bool all = solver == "all", both = solver == "both";
  const bool with_bullet = all || both || solver == "bullet", with_carom = all || both || solver == "carom";
  if (rounds > 0) {
    WorldOptions options = options_of_run();
    options.counts_contacts = false;
    Times bullet, carom;
    for (int round = 0; round < rounds; ++round)
      for (const Responder responder : {Responder::bullet, Responder::carom}) {
        if (!(responder == Responder::bullet ? with_bullet : with_carom)) continue;
        World world(responder, options);
        scene.run(world, arguments);
        (responder == Responder::bullet ? bullet : carom).add_run(world.samples());
      }
    fmt::print("{}\n", scene.title);
    print_times(bullet, carom);
    return 0;
  }
  const auto run = [&](Responder responder, const char* name) {
    World world(responder, options_of_run());
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
  if (with_bullet) runs.bullet = run(Responder::bullet, "bullet");
  if (all || solver == "bullet2") runs.bullet_two_directions = run(Responder::bullet_two_directions, "bullet2");
  if (with_carom) runs.carom = run(Responder::carom, "carom");
  return print(scene, runs) || unmarked ? 0 : 1;
}

}  // namespace carom_scenes
