// The processes that mpirun or srun has started to run one command together. Only rank 0 prints.
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
  /// Thrown if this rank must end because another rank has failed or the run was interrupted.
  struct Stopped {};

  /// The ranks of this launch. Throws Error.
  static Ranks& world();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return launch_.rank; }
  int size() const { return launch_.size; }
  bool are_many() const { return launch_.size > 1; }
  bool is_first() const { return launch_.rank == 0; }
  /// The number of threads for the option `threads`; 0 means all cores of this rank.
  int threads(int threads) const { return threads == 0 ? launch_.threads : threads; }

  /// Runs a command on every rank. An error on any of them stops all: rank 0 throws the first one as Error, the others
  /// return quietly. Returns the exit code of rank 0.
  int run(const std::function<int()>& command);

  /// Returns the texts of all ranks on rank 0, and nothing on other ranks. Throws Stopped.
  std::vector<std::string> gather(const std::string& text);
  /// Sends every rank its text from rank 0. Returns this rank's text. Throws Stopped.
  std::string scatter(const std::vector<std::string>& texts);
  /// Takes messages; call it now and then during work. Throws Stopped.
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

/// JSON for another rank. Bytes that are not UTF-8 are replaced.
inline std::string text_of(const nlohmann::json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Any bytes as JSON, which holds UTF-8 only.
inline nlohmann::json json_of_bytes(const std::string& bytes) {
  return std::vector<unsigned char>(bytes.begin(), bytes.end());
}
inline std::string bytes_of(const nlohmann::json& bytes) {
  const auto all = bytes.get<std::vector<unsigned char>>();
  return {all.begin(), all.end()};
}

/// True if this rank prints messages about the command line.
inline bool speaks() {
  return transport::rank_of_environment() == 0;
}

}  // namespace carom::apps
