// Searches: cases are drawn and judged by their numbers, on threads, and counted by kind.
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

/// splitmix64: cases of neighbouring numbers have nothing in common.
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

/// Returns whether a search continues after so many cases. Threads call it at once.
using GoesOn = std::function<bool(std::uint64_t)>;

/// Calls work(index, part) for the indices from 0 on for which goes_on is true. Every thread has a Part of its own;
/// returns all of them.
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

/// One of the searches. A number makes a case.
struct Subject {
  std::string_view name, option;
  double share;     ///< cases for each scene
  bool runs_alone;  ///< it counts allocations of the whole process
  /// Judges a case; with `shows` also prints it and its results.
  Judged (*judge)(std::uint64_t number, bool shows);
};

/// Judges cases while `goes_on`, and prints examples of broken promises; with `details` also the worst of each kind.
Counts search_cases(const Subject& subject, std::uint64_t seed, int threads, const GoesOn& goes_on, bool details);

Judged judge_scene(std::uint64_t number, bool shows);
Judged judge_system(std::uint64_t number, bool shows);
Judged judge_gradients(std::uint64_t number, bool shows);
Judged judge_memory(std::uint64_t number, bool shows);

}  // namespace carom::probe
