#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "io/csv.hpp"

namespace carom::apps {

/// A bar on stderr for work that takes longer than a second, if stderr is a terminal. It goes when its object does.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::size_t done, std::size_t total);
  /// Until it is shown again: for other words on stderr.
  void hide();
  /// Valid as long as this object.
  io::Progress function();

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool on_terminal_;
  bool visible_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(1);
};

}  // namespace carom::apps
