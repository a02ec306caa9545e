#include "grouping.hpp"

#include <algorithm>
#include <bit>

namespace carom::scene {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::size_t smallest_table = 64;

std::size_t scattered(std::int32_t body_a, std::int32_t body_b) {
  const std::uint64_t pair =
      std::uint64_t{static_cast<std::uint32_t>(body_a)} << 32 | static_cast<std::uint32_t>(body_b);
  const std::uint64_t x = pair * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(x ^ x >> 32);
}

}  // namespace

std::uint32_t& Grouping::latest_of(const std::vector<Manifold>& of, std::int32_t body_a, std::int32_t body_b) {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = scattered(body_a, body_b) & mask;
  while (table_[place] != none && (of[table_[place]].body_a != body_a || of[table_[place]].body_b != body_b))
    place = (place + 1) & mask;
  return table_[place];
}

void Grouping::make_room(const std::vector<Manifold>& of) {
  if (2 * (of.size() + 1) <= table_.size()) return;
  table_.assign(2 * table_.size(), none);
  for (std::uint32_t m = 0; m < of.size(); ++m) latest_of(of, of[m].body_a, of[m].body_b) = m;
}

void Grouping::collect(std::vector<Manifold>& to, std::size_t count, std::size_t most, const std::int32_t* body_a,
                       const std::int32_t* body_b, const std::uint8_t* fault, const Links& links) {
  // As much as there can be, so that other scenes of this size allocate nothing.
  table_.reserve(std::max(smallest_table, std::bit_ceil(2 * count + 2)));
  at_.reserve(count);
  last_.reserve(count);
  to.reserve(count);
  table_.assign(smallest_table, none);
  manifold_.resize(count);
  last_.clear();
  to.clear();
  is_scattered_ = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (fault[i] != 0) continue;
    const std::int32_t a = body_a[i], b = body_b[i];
    const auto join = [&](std::uint32_t m) {
      if (to[m].count >= most || !links.between(last_[m], i)) return false;
      is_scattered_ = is_scattered_ || last_[m] + 1 != i;
      ++to[m].count;
      last_[m] = i;
      manifold_[i] = m;
      return true;
    };
    const auto newest = static_cast<std::uint32_t>(to.size() - 1);
    const bool goes_on = !to.empty() && to[newest].body_a == a && to[newest].body_b == b;
    if (goes_on && join(newest)) continue;
    make_room(to);
    std::uint32_t& latest = latest_of(to, a, b);
    if (!goes_on && latest != none && join(latest)) continue;
    manifold_[i] = latest = static_cast<std::uint32_t>(to.size());
    to.push_back({a, b, i, 1});
    last_.push_back(i);
  }
  if (is_scattered_) arrange(to, count, fault);
}

void Grouping::arrange(std::vector<Manifold>& to, std::size_t count, const std::uint8_t* fault) {
  std::uint32_t place = 0;
  for (std::size_t m = 0; m < to.size(); ++m) {
    to[m].first = last_[m] = place;  // from here on the next place
    place += to[m].count;
  }
  at_.resize(place);
  for (std::uint32_t i = 0; i < count; ++i)
    if (fault[i] == 0) at_[last_[manifold_[i]]++] = i;
}

}  // namespace carom::scene
