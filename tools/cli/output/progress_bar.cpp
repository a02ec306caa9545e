#include "progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace carom::apps {

ProgressBar::ProgressBar(std::string label) : label_(std::move(label)), on_terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressBar::~ProgressBar() {
  hide();
}

void ProgressBar::hide() {
  if (visible_) std::fputs("\r\033[K", stderr);
  visible_ = false;
}

void ProgressBar::show(std::size_t done, std::size_t total, std::size_t rows) {
  constexpr std::size_t width = 40;
  const auto now = Clock::now();
  if (!on_terminal_ || total == 0 || now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  visible_ = true;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  const double seconds = std::chrono::duration<double>(now - start_).count();
  fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {:3.0f} %  {:.0f} s", label_, "", filled, "", width - filled, 100 * share,
             seconds);
  if (share > 0) fmt::print(stderr, ", {:.0f} s left", seconds * (1 - share) / share);
  if (rows > 0) fmt::print(stderr, ", {:.3g} contacts/s", static_cast<double>(rows) / seconds);
  std::fputs("\033[K", stderr);
  std::fflush(stderr);
}

io::Progress ProgressBar::function() {
  return [this](std::size_t done, std::size_t total) { show(done, total); };
}

}  // namespace carom::apps
