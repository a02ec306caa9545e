// Times of the solvers that run a scene in turn.
#pragma once

#include <string>
#include <vector>

#include "world.hpp"

namespace carom_scenes {

/// The times that one solver takes for the steps of a scene, over several runs. The first ten steps of a run, in which
/// memory is allocated, do not count.
class Times {
 public:
  void add_run(const std::vector<Sample>& samples);
  bool is_empty() const { return means_.empty(); }

  double mean() const;                         ///< [s] a step, sleeping bodies or not: the median of the runs
  double awake() const;                        ///< [s] the median step in which a body is awake
  double asleep() const;                       ///< [s] the median of the other steps, or NaN
  double median(double Sample::*field) const;  ///< [s] of the steps in which a body is awake
  double share_awake() const;                  ///< [1] of the steps

 private:
  std::vector<double> means_;
  std::vector<Sample> awake_, asleep_;
};

/// Prints the times of two solvers next to each other. Either may be empty.
void print_times(const Times& bullet, const Times& carom);

}  // namespace carom_scenes
