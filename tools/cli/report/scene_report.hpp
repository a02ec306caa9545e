// Report on scenes: a line per scene.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "cli/analysis/scene_solving.hpp"

namespace carom::apps {

/// Keeps the first scenes and the sums over all scenes, so that a file may have any number of scenes.
class SceneTable {
 public:
  void add(const SolvedScene& scene);
  /// The table for another rank, which appends the scenes to its own.
  std::string bytes() const;
  void add(const std::string& bytes);
  /// The first 20 scenes, the sums if there are several, and how many islands have not converged.
  void print(std::FILE* out, SceneMethod method) const;

  std::size_t scenes() const { return count_; }
  double seconds() const { return all_.seconds; }
  int threads() const { return all_.report.threads; }

 private:
  void sum(const SolvedScene& scene);

  std::vector<SolvedScene> first_;
  SolvedScene all_;  ///< sums or maxima over all scenes
  std::size_t count_ = 0;
};

}  // namespace carom::apps
