// The programs of scenes share this: arguments, the solvers in turn, a table of numbers with their marks.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "world.hpp"

namespace carom_scenes {

struct Arguments {
  bool brief = false;  ///< a short run, which the tests take
};

/// A number that a scene prints. The program fails if carom's number is outside of its limits.
struct Number {
  std::string name, unit;
  double value = 0;
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  /// Least ratio of Bullet's value to carom's, where both ran: with 1 carom's may be no greater than Bullet's. 0: no
  /// mark.
  double bullet_ratio = 0;
};

struct Scene {
  std::string name;   ///< of files: card_house
  std::string title;  ///< one line about the scene
  WorldOptions options;
  /// Builds the scene in the empty world, steps it and returns its numbers, the most important one first.
  std::function<std::vector<Number>(World&, const Arguments&)> run;
  /// The scene's own options on the command line; may be empty.
  std::function<void(CLI::App&)> add_options = {};
};

/// The main function of a scene: --short, --solver bullet|bullet2|carom|both|all, --out FOLDER for samples and poses,
/// --threads, --method and --iterations of carom; --sleeping lets bodies fall asleep. --times N runs the solvers N
/// times in turn and prints their times in place of the numbers. Returns 0, 1 if a number of carom's missed its mark, 2
/// on wrong arguments.
int show(int argc, char** argv, const Scene& scene);

}  // namespace carom_scenes
