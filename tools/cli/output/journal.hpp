// The journal of a resumable run: the description of the run, and its progress.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace carom::apps {

/// The first line describes the run. Every further line is a moment: it lists the rows that are on the disk. An
/// incomplete line at the end is ignored.
class Journal {
 public:
  /// Opens the journal, or makes a new one. Throws Error if another run that writes `output` has it open.
  Journal(const std::string& path, const std::string& output);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The description of the run that the journal belongs to; null in a new journal.
  const nlohmann::json& run() const { return run_; }
  /// The last moment; null without a moment.
  const nlohmann::json& moment() const { return moment_; }

  /// Begins the journal of a run anew. Throws Error.
  void begin(const nlohmann::json& run);
  /// Adds a moment. Returns when it is on the disk. Throws Error.
  void add(const nlohmann::json& moment);
  /// Deletes the journal of a complete run.
  void remove();

 private:
  void write(const nlohmann::json& line);

  std::string path_;
  int file_ = -1;
  nlohmann::json run_, moment_;
};

}  // namespace carom::apps
