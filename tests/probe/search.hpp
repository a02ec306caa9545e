// Searches draw cases by number, judge them on threads, and count them by kind.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "probe/verdict.hpp"

namespace carom::probe {

/// splitmix64: decorrelates cases of neighbouring numbers.
inline std::uint64_t scattered(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The number of case `index` of a search.
inline std::uint64_t case_number(std::uint64_t seed, std::uint64_t index) {
  return scattered(scattered(seed) + index);
}

/// Returns whether a search continues after this number of cases. Must be thread-safe.
using GoesOn = std::function<bool(std::uint64_t)>;

/// Calls work(index, part) for the indices from 0 on while goes_on is true. Every thread has its own Part. Returns the
/// parts of all threads.
template <class Part, class Work>
std::vector<Part> on_threads(int threads, const GoesOn& goes_on, const Work& work) {
  std::atomic<std::uint64_t> next{0};
  std::vector<Part> parts(static_cast<std::size_t>(threads));
  std::vector<std::jthread> workers;
  for (Part& part : parts)
    workers.emplace_back([&] {
      for (std::uint64_t i = next++; goes_on(i); i = next++) work(i, part);
    });
  workers.clear();
  return parts;
}

struct Count {
  std::uint64_t judged = 0, broken = 0;
  void add(const Count& other) {
    judged += other.judged;
    broken += other.broken;
  }
};
/// By kind.
using Counts = std::map<std::string, Count>;

/// A judged case.
struct Judged {
  std::string kind, precision, detail;  ///< `detail` is a method or a law
  Verdict verdict;
  bool converged = false;
};

/// One of the searches. A number determines a case.
struct Subject {
  std::string_view name, option;
  double share;     ///< number of cases per scene
  double time;      ///< fraction of the time of a search of everything
  bool runs_alone;  ///< single-threaded, since it counts the allocations of the process
  /// Judges a case; with `shows` also prints it and its results.
  Judged (*judge)(std::uint64_t number, bool shows);
};

/// Judges cases while `goes_on` is true and prints examples of broken promises. With `details` it also prints the worst
/// case of each kind. `table`, if not null, receives the worst errors by kind and precision.
Counts search_cases(const Subject& subject, std::uint64_t seed, int threads, const GoesOn& goes_on, bool details,
                    std::string* table = nullptr);

/// Replaces the text of a file between the marks <!-- table of `name` --> and <!-- end of table -->. Prints why, and
/// returns false, if that fails.
bool renew_table(const std::string& path, const std::string& name, const std::string& table);

Judged judge_scene(std::uint64_t number, bool shows);
/// Scenes whose options are drawn from the table of options.
Judged judge_options(std::uint64_t number, bool shows);
Judged judge_system(std::uint64_t number, bool shows);
Judged judge_gradients(std::uint64_t number, bool shows);
Judged judge_memory(std::uint64_t number, bool shows);
Judged judge_motion(std::uint64_t number, bool shows);

}  // namespace carom::probe
