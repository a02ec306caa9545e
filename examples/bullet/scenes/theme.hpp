// A program of several scenes: --scene chooses one, and without it each has its table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program.hpp"

namespace carom_scenes {

inline Number told(std::string name, std::string unit, double value) {
  return {std::move(name), std::move(unit), value};
}
inline Number at_most(std::string name, std::string unit, double value, double greatest) {
  Number number = told(std::move(name), std::move(unit), value);
  number.greatest = greatest;
  return number;
}
inline Number within(std::string name, std::string unit, double value, double least, double greatest) {
  Number number = at_most(std::move(name), std::move(unit), value, greatest);
  number.least = least;
  return number;
}

/// As show() for one. Scenes have the names that --scene takes; their files have the program's before it.
int show_all(int argc, char** argv, const std::string& program, std::vector<Scene> scenes);

}  // namespace carom_scenes
