#include "scene_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "report_words.hpp"

namespace carom::apps {
namespace {

void print_scene(std::FILE* out, const std::string& name, const SolvedScene& scene, SceneMethod method) {
  const SceneReport& report = scene.report;
  const std::size_t turns =
      method == SceneMethod::sequential_impacts ? report.impacts : static_cast<std::size_t>(report.iterations);
  fmt::print(out, "{:<12} {:>9} {:>8} {:>8} {:>8} {:>8} {:>10} {:>13.3g} {:>13.7g} {:>13.7g} {:>9.3f}\n", name,
             report.contacts, report.bodies, report.islands, report.max_island_size, report.colours, turns,
             report.residual, report.energy_before, report.energy_after, 1e3 * scene.seconds);
}

}  // namespace

void SceneTable::add(const SolvedScene& scene) {
  if (count_++ < max_rows_printed) first_.push_back(scene);
  sum(scene);
}

std::string SceneTable::bytes() const {
  // No part of it points to memory, so ranks may exchange its bytes.
  static_assert(std::is_standard_layout_v<SolvedScene> && std::is_trivially_destructible_v<SolvedScene>);
  std::string bytes(reinterpret_cast<const char*>(&count_), sizeof count_);
  bytes.append(reinterpret_cast<const char*>(&all_), sizeof all_);
  return bytes.append(reinterpret_cast<const char*>(first_.data()), first_.size() * sizeof all_);
}

void SceneTable::add(const std::string& bytes) {
  std::size_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  count_ += count;
  SolvedScene scene;
  for (std::size_t at = sizeof count; at < bytes.size(); at += sizeof scene) {
    std::memcpy(static_cast<void*>(&scene), bytes.data() + at, sizeof scene);
    if (at == sizeof count)
      sum(scene);
    else if (first_.size() < max_rows_printed)
      first_.push_back(scene);
  }
}

void SceneTable::sum(const SolvedScene& scene) {
  all_.seconds += scene.seconds;
  SceneReport& sum = all_.report;
  const SceneReport& next = scene.report;
  for (const auto member : {&SceneReport::contacts, &SceneReport::bodies, &SceneReport::islands, &SceneReport::impacts,
                            &SceneReport::not_converged, &SceneReport::stalled, &SceneReport::pgs_islands})
    sum.*member += next.*member;
  for (const auto member : {&SceneReport::energy_before, &SceneReport::energy_after}) sum.*member += next.*member;
  for (const auto member : {&SceneReport::max_island_size, &SceneReport::colours})
    sum.*member = std::max(sum.*member, next.*member);
  for (const auto member : {&SceneReport::iterations, &SceneReport::threads})
    sum.*member = std::max(sum.*member, next.*member);
  sum.residual = std::max(sum.residual, next.residual);
}

void SceneTable::print(std::FILE* out, SceneMethod method) const {
  fmt::print(out, "{:<12} {:>9} {:>8} {:>8} {:>8} {:>8} {:>10} {:>13} {:>13} {:>13} {:>9}\n", "scene_step", "contacts",
             "bodies", "islands", "largest", "colours",
             method == SceneMethod::sequential_impacts ? "impacts" : "iterations", "residual m/s", "J before",
             "J after", "ms");
  for (const SolvedScene& scene : first_) print_scene(out, fmt::format("{:.10g}", scene.step), scene, method);
  if (count_ > first_.size()) fmt::print(out, "... and {} more\n", count_ - first_.size());
  if (count_ > 1) print_scene(out, fmt::format("all {}", count_), all_, method);
  const SceneReport& report = all_.report;
  if (report.pgs_islands > 0)
    fmt::print(out, "{} of {} islands were solved by PGS, and {} {}\n", report.pgs_islands, report.islands,
               report.islands - report.pgs_islands, method == SceneMethod::ncp ? "to --tolerance" : "directly");
  if (report.not_converged == 0) return;
  fmt::print(out, "{} of {} islands have not converged within --{}", report.not_converged, report.islands,
             method == SceneMethod::ncp && report.pgs_islands > 0 ? "tolerance or --pgs-tolerance" : "tolerance");
  if (report.stalled > 0) fmt::print(out, "; {} of them had stopped losing energy", report.stalled);
  fmt::print(out, "\n");
}

}  // namespace carom::apps
