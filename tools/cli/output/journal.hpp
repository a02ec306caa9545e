// The journal of a run that can be resumed: what the run is, and how far its file is complete.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace carom::apps {

/// A line that describes the run, and one for every moment at which the rows that it tells were on the disk. A line
/// that was not completed does not count.
class Journal {
 public:
  /// Opens the journal, and makes it if there is none. Throws Error if another run has it open, which writes `output`.
  Journal(const std::string& path, const std::string& output);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The last moment that an earlier run has left; null without any.
  const nlohmann::json& run() const { return run_; }
  /// Its last moment; null without any.
  const nlohmann::json& moment() const { return moment_; }

  /// Begins the journal of a run anew. Throws Error.
  void begin(const nlohmann::json& run);
  /// Adds a moment, and returns when it is on the disk. Throws Error.
  void add(const nlohmann::json& moment);
  /// The run is complete.
  void remove();

 private:
  void write(const nlohmann::json& line);

  std::string path_;
  int file_ = -1;
  nlohmann::json run_, moment_;
};

}  // namespace carom::apps
