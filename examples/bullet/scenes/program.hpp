// What the programs of scenes share: arguments, both solvers in turn, a table of numbers with their marks.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "world.hpp"

namespace carom_scenes {

struct Arguments {
  bool brief = false;  ///< a short run, which the tests take
};

/// One number that a scene shows. Where carom's lies outside of its mark the program fails.
struct Number {
  std::string name, unit;
  double value = 0;
  double least = -std::numeric_limits<double>::infinity();
  double greatest = std::numeric_limits<double>::infinity();
  /// [1] at most this share of Bullet's value in the same run; holds where both have run.
  double share_of_bullet = std::numeric_limits<double>::infinity();
};

struct Scene {
  std::string name;   ///< of files: card_house
  std::string title;  ///< one line: what is shown
  WorldOptions options;
  /// Builds the scene in the empty world, steps it and gives its numbers, the most telling one first.
  std::function<std::vector<Number>(World&, const Arguments&)> run;
};

/// The main function of a scene: --short, --solver bullet|carom|both, --out FOLDER for samples and poses, --threads.
/// Returns 0, 1 if a number of carom's missed its mark, 2 on wrong arguments.
int show(int argc, char** argv, const Scene& scene);

}  // namespace carom_scenes
