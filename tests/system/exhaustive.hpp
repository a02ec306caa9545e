// All solutions of a contact system of one or two contacts, by search: every combination of open, stick and slip, and
// of slip every direction, from a grid of starts.
#pragma once

#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "system_data.hpp"

namespace carom::test {

class ExhaustiveSearch {
 public:
  explicit ExhaustiveSearch(const SystemData<double>& system) : system_(system), contacts_(system.contacts()) {
    const std::size_t size = 3 * contacts_;
    w_.resize(size * size);
    for (std::size_t i = 0; i < contacts_; ++i)
      for (auto k = system.row_start[i]; k < system.row_start[i + 1]; ++k)
        for (std::size_t e = 0; e < 9; ++e)
          w_[(3 * i + e / 3) * size + 3 * static_cast<std::size_t>(system.column[static_cast<std::size_t>(k)]) +
             e % 3] = system.block[static_cast<std::size_t>(k)][e];
  }

  /// Impulses of all solutions that the search finds.
  std::vector<std::vector<double>> solutions() {
    found_.clear();
    std::size_t combinations = 1;
    for (std::size_t i = 0; i < contacts_; ++i) combinations *= 3;
    for (std::size_t c = 0; c < combinations; ++c) {
      std::size_t rest = c;
      slipping_.clear();
      for (std::size_t i = 0; i < contacts_; ++i, rest /= 3) {
        state_[i] = static_cast<ContactState>(rest % 3);
        if (state_[i] == ContactState::slip) slipping_.push_back(i);
      }
      search();
    }
    return found_;
  }

 private:
  static constexpr int starts = 16;
  using Angles = std::array<double, 2>;

  void search() {
    Angles angle{};
    int count = 1;
    for (std::size_t s = 0; s < slipping_.size(); ++s) count *= starts;
    for (int start = 0; start < count; ++start) {
      angle[0] = 2 * std::numbers::pi * (start % starts) / starts;
      angle[1] = 2 * std::numbers::pi * (start / starts) / starts;
      if (slipping_.empty() || find_angles(angle)) offer(angle);
    }
  }

  /// Newton's method on the cross products of slips and directions, with differences for derivatives.
  bool find_angles(Angles& angle) {
    for (int step = 0; step < 20; ++step) {
      const std::optional<Angles> miss = misses(angle);
      if (!miss) return false;
      double derivative[2][2] = {{1, 0}, {0, 1}};
      for (std::size_t s = 0; s < slipping_.size(); ++s) {
        Angles moved = angle;
        moved[s] += 1e-7;
        const std::optional<Angles> there = misses(moved);
        if (!there) return false;
        for (std::size_t m = 0; m < slipping_.size(); ++m) derivative[m][s] = ((*there)[m] - (*miss)[m]) / 1e-7;
      }
      const double det = derivative[0][0] * derivative[1][1] - derivative[0][1] * derivative[1][0];
      if (det == 0) return false;
      const double d0 = ((*miss)[0] * derivative[1][1] - (*miss)[1] * derivative[0][1]) / det;
      const double d1 = ((*miss)[1] * derivative[0][0] - (*miss)[0] * derivative[1][0]) / det;
      angle[0] -= std::clamp(d0, -0.5, 0.5);
      angle[1] -= std::clamp(d1, -0.5, 0.5);
      if (std::abs(d0) + std::abs(d1) < 1e-13) return true;
    }
    return false;
  }

  std::optional<Angles> misses(const Angles& angle) {
    if (!solve(angle)) return std::nullopt;
    Angles miss{};
    for (std::size_t s = 0; s < slipping_.size(); ++s) {
      const std::size_t i = slipping_[s];
      miss[s] = u_[3 * i] * std::sin(angle[s]) - u_[3 * i + 1] * std::cos(angle[s]);
    }
    return miss;
  }

  /// r_ and u_ with these directions of slip: linear equations, by elimination. False if they are singular.
  bool solve(const Angles& angle) {
    const std::size_t size = 3 * contacts_;
    std::vector<double> a(size * (size + 1));
    const auto at = [&](std::size_t i, std::size_t j) -> double& { return a[i * (size + 1) + j]; };
    std::size_t s = 0;
    for (std::size_t i = 0; i < contacts_; ++i)
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t row = 3 * i + c;
        const bool slips = state_[i] == ContactState::slip;
        if (state_[i] == ContactState::open || (slips && c < 2)) {
          at(row, row) = 1;
          if (slips) at(row, 3 * i + 2) = system_.friction[i] * (c == 0 ? std::cos(angle[s]) : std::sin(angle[s]));
        } else {
          for (std::size_t j = 0; j < size; ++j) at(row, j) = w_[row * size + j];
          at(row, size) = -system_.q[row];
        }
        if (slips && c == 2) ++s;
      }
    for (std::size_t i = 0; i < size; ++i) {
      std::size_t pivot = i;
      for (std::size_t j = i + 1; j < size; ++j)
        if (std::abs(at(j, i)) > std::abs(at(pivot, i))) pivot = j;
      if (std::abs(at(pivot, i)) < 1e-12) return false;
      for (std::size_t j = 0; j <= size; ++j) std::swap(at(i, j), at(pivot, j));
      for (std::size_t j = 0; j < size; ++j) {
        if (j == i) continue;
        const double factor = at(j, i) / at(i, i);
        for (std::size_t k = i; k <= size; ++k) at(j, k) -= factor * at(i, k);
      }
    }
    r_.resize(size);
    for (std::size_t i = 0; i < size; ++i) r_[i] = at(i, size) / at(i, i);
    u_ = velocities_of(system_, r_);
    return true;
  }

  /// Keeps r_ if it obeys the law.
  void offer(const Angles& angle) {
    if (!solve(angle)) return;
    constexpr double slack = 1e-9;
    std::size_t s = 0;
    for (std::size_t i = 0; i < contacts_; ++i) {
      const double n = r_[3 * i + 2], t = std::hypot(r_[3 * i], r_[3 * i + 1]);
      if (n < -slack) return;
      if (state_[i] == ContactState::open && u_[3 * i + 2] < -slack) return;
      if (state_[i] == ContactState::stick && t > system_.friction[i] * n + slack) return;
      if (state_[i] == ContactState::slip) {
        if (u_[3 * i] * std::cos(angle[s]) + u_[3 * i + 1] * std::sin(angle[s]) < -slack) return;
        ++s;
      }
    }
    for (const std::vector<double>& known : found_) {
      double difference = 0;
      for (std::size_t i = 0; i < r_.size(); ++i) difference = std::max(difference, std::abs(known[i] - r_[i]));
      if (difference < 1e-6) return;
    }
    found_.push_back(r_);
  }

  const SystemData<double>& system_;
  std::size_t contacts_;
  std::vector<double> w_, r_, u_;
  std::array<ContactState, 2> state_{};
  std::vector<std::size_t> slipping_;
  std::vector<std::vector<double>> found_;
};

}  // namespace carom::test
