// The processes that one launch by mpirun or srun has started to do a command together. Rank 0 is the one that speaks.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "transport.hpp"

namespace carom::apps {

class Ranks {
 public:
  /// Is thrown where this rank is to end since another one has failed, or since the run was interrupted.
  struct Stopped {};

  /// Those of this launch. Throws Error.
  static Ranks& world();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return launch_.rank; }
  int size() const { return launch_.size; }
  bool are_many() const { return launch_.size > 1; }
  bool is_first() const { return launch_.rank == 0; }
  /// The threads of a rank that was asked for `threads`, 0 for as many as there are cores for it.
  int threads(int threads) const { return threads == 0 ? launch_.threads : threads; }

  /// Runs a command on every rank. An error on any of them stops all: rank 0 throws the first one as Error, the others
  /// return quietly. Returns the exit code of rank 0.
  int run(const std::function<int()>& command);

  /// Every rank's text, on rank 0; nothing elsewhere. Waits for all. Throws Stopped.
  std::vector<std::string> gather(const std::string& text);
  /// A text from rank 0 for every rank, which is returned there. Throws Stopped.
  std::string scatter(const std::vector<std::string>& texts);
  /// Is called now and then during work. Throws Stopped.
  void poll();

 private:
  Ranks() : launch_(transport::start()), inbox_(static_cast<std::size_t>(launch_.size)) {}

  void take_messages();
  void stop_others();
  void wait(const std::function<bool()>& is_over, bool until_stopped);
  int end_failed(const std::string& error);

  transport::Launch launch_;
  std::vector<std::deque<std::string>> inbox_;  // by sender
  std::map<int, std::string> errors_;           // by rank
  bool is_stopped_ = false;
  int ended_ = 0;
};

/// JSON for another rank. Text that is not UTF-8 loses what is not.
inline std::string text_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// A path for another rank, of any bytes.
inline nlohmann::json bytes_of(const std::string& path) {
  return std::vector<unsigned char>(path.begin(), path.end());
}
inline std::string path_of(const nlohmann::json& bytes) {
  const auto all = bytes.get<std::vector<unsigned char>>();
  return {all.begin(), all.end()};
}

/// False on a rank that leaves messages about the command line to another one.
inline bool speaks() {
  return transport::rank_of_environment() == 0;
}

}  // namespace carom::apps
