#include "dissection.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/support/array.hpp"

namespace carom::scene::direct {
namespace {

/// Bodies that are not dissected further.
constexpr std::size_t leaf = 4;
/// Fractions of a part at which it is cut.
constexpr std::size_t tries = 5;
constexpr double cuts[tries] = {0.42, 0.46, 0.5, 0.54, 0.58};
/// [1] A part is not cut across an axis along which it is shorter than this fraction of the island's longest side.
constexpr double flat = 1e-3;

}  // namespace

void Dissection::run(const Neighbours& neighbours, const Array<carom::Vector3<double>>& places,
                     Array<std::uint32_t>& order) {
  neighbours_ = &neighbours;
  places_ = &places;
  order_ = &order;
  order.resize(places.size());
  std::iota(order.begin(), order.end(), 0u);
  rank_.resize(places.size());
  flat_ = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [least, largest] = std::minmax_element(
        places.begin(), places.end(), [axis](const auto& a, const auto& b) { return a[axis] < b[axis]; });
    flat_ = std::max(flat_, flat * ((*largest)[axis] - (*least)[axis]));
  }
  dissect(0, places.size());
}

bool Dissection::sort(std::size_t first, std::size_t end, std::size_t axis) {
  const auto begin = order_->begin() + static_cast<std::ptrdiff_t>(first),
             last = order_->begin() + static_cast<std::ptrdiff_t>(end);
  keys_.clear();
  double least = std::numeric_limits<double>::infinity(), largest = -least;
  for (auto body = begin; body != last; ++body) {
    const double x = (*places_)[*body][axis];
    keys_.push_back({x, *body});
    least = std::min(least, x);
    largest = std::max(largest, x);
  }
  if (!(largest - least > flat_)) return false;
  std::sort(keys_.begin(), keys_.end());
  for (std::size_t i = first; i < end; ++i) {
    (*order_)[i] = keys_[i - first].second;
    rank_[(*order_)[i]] = i;
  }
  return true;
}

std::array<std::size_t, 2> Dissection::reach(std::size_t first, std::size_t end, std::uint32_t body) const {
  std::array<std::size_t, 2> made = {rank_[body], rank_[body]};
  for (std::uint32_t k = neighbours_->start[body]; k < neighbours_->start[body + 1]; ++k) {
    const std::size_t rank = rank_[neighbours_->body[k]];
    if (rank < first || rank >= end) continue;
    made = {std::min(made[0], rank), std::max(made[1], rank)};
  }
  return made;
}

void Dissection::dissect(std::size_t first, std::size_t end) {
  const std::size_t count = end - first;
  if (count <= leaf) return;
  // The best cut has the smallest border, and then the largest smaller side.
  std::size_t best = count, best_left = 0, best_axis = 0, best_cut = 0;
  bool of_low = true;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!sort(first, end, axis)) continue;
    std::size_t cut_at[tries], borders[tries][2] = {};
    for (std::size_t c = 0; c < tries; ++c)
      cut_at[c] = first + static_cast<std::size_t>(cuts[c] * static_cast<double>(count));
    for (std::size_t i = first; i < end; ++i) {
      const auto [low, high] = reach(first, end, (*order_)[i]);
      for (std::size_t c = 0; c < tries; ++c) {
        borders[c][0] += i < cut_at[c] && high >= cut_at[c] ? 1 : 0;
        borders[c][1] += i >= cut_at[c] && low < cut_at[c] ? 1 : 0;
      }
    }
    for (std::size_t c = 0; c < tries; ++c) {
      const std::size_t cut = cut_at[c], *const border = borders[c];
      const bool is_low = border[0] <= border[1];
      const std::size_t size = border[is_low ? 0 : 1];
      const std::size_t left = std::min(cut - first - (is_low ? size : 0), end - cut - (is_low ? 0 : size));
      if (size > best || (size == best && left <= best_left)) continue;
      best = size;
      best_left = left;
      best_axis = axis;
      best_cut = cut;
      of_low = is_low;
    }
  }
  if (best_left == 0) return;
  sort(first, end, best_axis);
  const auto kind = [&](std::size_t i) {
    const bool is_low = i < best_cut;
    if (is_low != of_low) return is_low ? 0u : 1u;
    const auto [low, high] = reach(first, end, (*order_)[i]);
    return (is_low ? high >= best_cut : low < best_cut) ? 2u : is_low ? 0u : 1u;
  };
  // The lower side, the upper side, then the border.
  std::size_t sizes[3] = {0, 0, 0};
  part_.clear();
  for (std::size_t what = 0; what < 3; ++what)
    for (std::size_t i = first; i < end; ++i)
      if (kind(i) == what) {
        part_.push_back((*order_)[i]);
        ++sizes[what];
      }
  std::copy(part_.begin(), part_.end(), order_->begin() + static_cast<std::ptrdiff_t>(first));
  dissect(first, first + sizes[0]);
  dissect(first + sizes[0], first + sizes[0] + sizes[1]);
}

}  // namespace carom::scene::direct
