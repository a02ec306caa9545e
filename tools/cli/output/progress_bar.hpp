#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "io/columns/table.hpp"

namespace carom::apps {

/// Shows a bar on stderr for work that takes longer than a second, if stderr is a terminal. The destructor removes it.
class ProgressBar {
 public:
  explicit ProgressBar(std::string label);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// `rows`: number of solved rows, for the rate; 0 shows no rate.
  void show(std::size_t done, std::size_t total, std::size_t rows = 0);
  /// Removes the bar until the next show().
  void hide();
  /// Returns a function that calls show(). The bar must outlive it.
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
