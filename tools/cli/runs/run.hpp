// The course of `carom solve` and `carom sweep`: open the output, work, add up the ranks, complete the output, report.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/output/output_file.hpp"
#include "cli/ranks/ranks.hpp"

namespace carom::apps {

/// A run on one of its ranks. Rank 0 has the output and reports.
class Run {
 public:
  virtual ~Run() = default;
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Returns the exit code. Throws Error, and Ranks::Stopped.
  int run();

 protected:
  /// `output` may be empty. If `keeps_part` is true, a signal ends the work after a block of rows and the part stays.
  Run(std::string input, std::string output, bool keeps_part, Ranks& ranks);

  /// Does this rank's share of the work.
  virtual void work() = 0;
  /// The sums over this rank's work, for rank 0 or a later run.
  virtual nlohmann::json sums() const = 0;
  /// Adds the sums of another rank or of an earlier run.
  virtual void take(const nlohmann::json& sums) = 0;
  /// Called on every rank when the output is complete.
  virtual void finish() {}
  /// Called if the run ends before its output is complete.
  virtual void leave() {}
  /// Reports on rank 0. Returns the exit code.
  virtual int report() = 0;

  const std::string input_name_, output_name_;
  const bool keeps_part_;
  Ranks& ranks_;
  std::optional<OutputFile> output_;  ///< on rank 0
};

}  // namespace carom::apps
