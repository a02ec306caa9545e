#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "io/columns/table.hpp"

namespace carom::apps {

/// Shows a bar on stderr for work that takes longer than a second, if stderr is a terminal. The bar goes with its
/// object.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `rows` are those that are done, for the rate; 0 if they are not counted.
  void show(std::size_t done, std::size_t total, std::size_t rows = 0);
  /// Makes room on stderr for other words, until the bar is shown again.
  void hide();
  /// Calls show(); valid as long as this object.
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
