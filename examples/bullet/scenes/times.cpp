#include "times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <limits>

namespace carom_scenes {

namespace {

double median_of(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double median_of(const std::vector<Sample>& samples, double Sample::*field) {
  std::vector<double> values;
  values.reserve(samples.size());
  std::transform(samples.begin(), samples.end(), std::back_inserter(values),
                 [&](const Sample& sample) { return sample.*field; });
  return median_of(std::move(values));
}

}  // namespace

void Times::add_run(const std::vector<Sample>& samples) {
  constexpr std::size_t first = 10;  // Memory is allocated before.
  double sum = 0;
  for (std::size_t i = first; i < samples.size(); ++i) {
    sum += samples[i].solver_seconds;
    (samples[i].bodies > 0 ? awake_ : asleep_).push_back(samples[i]);
  }
  means_.push_back(sum / static_cast<double>(samples.size() - first));
}

double Times::mean() const {
  return median_of(means_);
}
double Times::awake() const {
  return median(&Sample::solver_seconds);
}
double Times::asleep() const {
  return median_of(asleep_, &Sample::solver_seconds);
}
double Times::median(double Sample::*field) const {
  return median_of(awake_, field);
}
double Times::share_awake() const {
  return static_cast<double>(awake_.size()) / static_cast<double>(awake_.size() + asleep_.size());
}

void print_times(const Times& bullet, const Times& carom) {
  fmt::print("{:<44}{:>12}{:>12}{:>12}\n", "solver [µs]", "Bullet", "carom", "ratio");
  const auto text = [](double number, double scale) {
    return std::isfinite(number) ? fmt::format("{:.3f}", scale * number) : std::string("-");
  };
  const auto print = [&](const char* name, double of_bullet, double of_carom, double scale = 1e6) {
    fmt::print("{:<44}{:>12}{:>12}{:>12}\n", name, text(of_bullet, scale), text(of_carom, scale),
               text(of_carom / of_bullet, 1));
  };
  const double none = std::numeric_limits<double>::quiet_NaN();
  const auto of = [&](const Times& times, auto number) { return times.is_empty() ? none : (times.*number)(); };
  print("mean of a step", of(bullet, &Times::mean), of(carom, &Times::mean));
  print("median while a body is awake", of(bullet, &Times::awake), of(carom, &Times::awake));
  print("median while all sleep", of(bullet, &Times::asleep), of(carom, &Times::asleep));
  print("steps with a body awake [%]", of(bullet, &Times::share_awake), of(carom, &Times::share_awake), 100);
  if (carom.is_empty()) return;
  print("carom, awake: gather", none, carom.median(&Sample::gather_seconds));
  print("              solve", none, carom.median(&Sample::contact_seconds));
  print("              store", none, carom.median(&Sample::store_seconds));
  print("              points", none, carom.median(&Sample::points), 1);
}

}  // namespace carom_scenes
