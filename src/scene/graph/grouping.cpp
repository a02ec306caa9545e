#include "grouping.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "core/support/array.hpp"

namespace carom::scene {
namespace {

constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::size_t min_table = 64;
constexpr std::size_t max_neighbours = 16;  // max number of manifolds of a body that are compared pairwise
constexpr std::size_t filter_bits = 16;     // per manifold, so that the filter fits into the first-level cache

std::size_t hash(std::int32_t body_a, std::int32_t body_b) {
  const std::uint64_t pair =
      std::uint64_t{static_cast<std::uint32_t>(body_a)} << 32 | static_cast<std::uint32_t>(body_b);
  const std::uint64_t x = pair * 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(x ^ x >> 32);
}

}  // namespace

std::uint32_t& Grouping::latest_of(const Array<Constraint>& of, std::int32_t body_a, std::int32_t body_b) {
  const std::size_t mask = table_.size() - 1;
  std::size_t place = hash(body_a, body_b) & mask;
  while (table_[place] != none && (of[table_[place]].body_a != body_a || of[table_[place]].body_b != body_b))
    place = (place + 1) & mask;
  return table_[place];
}

void Grouping::make_room(const Array<Constraint>& of) {
  if (2 * (of.size() + 1) <= table_.size()) return;
  table_.assign(2 * table_.size(), none);
  for (std::uint32_t m = 0; m < of.size(); ++m) latest_of(of, of[m].body_a, of[m].body_b) = m;
}

void Grouping::collect(Array<Constraint>& to, std::size_t count, std::size_t most, const std::int32_t* body_a,
                       const std::int32_t* body_b, const std::uint8_t* fault, const Links& links) {
  // The max. possible size, so that other scenes of this size do not allocate.
  to.reserve(count);
  filter_.reserve(std::bit_ceil(filter_bits * count + 64) / 64);
  suspects_.reserve(count);
  table_.reserve(std::bit_ceil(4 * count + min_table));
  manifold_.reserve(count);
  last_.reserve(count);
  at_.reserve(count);
  is_hashed_ = collect_neighbours(to, count, most, body_a, body_b, fault, links) && has_pair_twice(to);
  if (is_hashed_) collect_all(to, count, most, body_a, body_b, fault, links);
}

bool Grouping::collect_neighbours(Array<Constraint>& to, std::size_t count, std::size_t most,
                                  const std::int32_t* body_a, const std::int32_t* body_b, const std::uint8_t* fault,
                                  const Links& links) const {
  const auto pair = [](std::int32_t a, std::int32_t b) {
    return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
  };
  const auto follows = [&](std::size_t i) {
    return links.to_previous != nullptr ? links.to_previous[i] != 0
                                        : body_a[i] == body_a[i - 1] && body_b[i] == body_b[i - 1];
  };
  to.clear();
  bool is_sorted = true;
  std::uint64_t last_pair = 0;
  std::size_t end = 0;  // of the last manifold
  for (std::size_t i = 0; i < count;) {
    if (fault[i] != 0) {
      ++i;
      continue;
    }
    const std::uint64_t of = pair(body_a[i], body_b[i]);
    // Positions must be consecutive.
    is_sorted = is_sorted && (of > last_pair || to.empty() || (of == last_pair && end == i));
    std::size_t n = 1;
    while (n < most && i + n < count && fault[i + n] == 0 && follows(i + n)) ++n;
    to.push_back({body_a[i], body_b[i], static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(n)});
    last_pair = of;
    i = end = i + n;
  }
  return !is_sorted;
}

namespace {

bool is_same_pair(const Constraint& x, const Constraint& y) {
  return x.body_a == y.body_a && x.body_b == y.body_b;
}

/// Returns nullopt if the first bodies are not in order, or if one of them has too many manifolds.
std::optional<bool> has_pair_twice_in_order(const Array<Constraint>& of) {
  std::size_t first = 0;  // of the manifolds with this first body
  for (std::size_t m = 1; m < of.size(); ++m) {
    if (of[m].body_a != of[m - 1].body_a) {
      if (of[m].body_a < of[m - 1].body_a) return std::nullopt;
      first = m;
      continue;
    }
    if (m - first > max_neighbours) return std::nullopt;
    if (is_same_pair(of[m - 1], of[m])) {
      if (of[m - 1].first + of[m - 1].count != of[m].first) return true;
      continue;
    }
    for (std::size_t k = first; k + 1 < m; ++k)
      if (of[k].body_b == of[m].body_b) return true;
  }
  return false;
}

}  // namespace

bool Grouping::has_pair_twice(const Array<Constraint>& of) {
  if (const std::optional<bool> found = has_pair_twice_in_order(of)) return *found;
  // Few pairs share a bit of the filter, and only these pairs are compared.
  const std::size_t bits = std::bit_ceil(filter_bits * of.size() + 64), mask = bits - 1;
  filter_.assign(bits / 64, 0);
  suspects_.clear();
  for (std::uint32_t m = 0; m < of.size(); ++m) {
    if (m > 0 && is_same_pair(of[m - 1], of[m])) {
      if (of[m - 1].first + of[m - 1].count != of[m].first) return true;
      continue;
    }
    const std::size_t bit = hash(of[m].body_a, of[m].body_b) & mask;
    std::uint64_t& word = filter_[bit / 64];
    const std::uint64_t one = std::uint64_t{1} << bit % 64;
    if ((word & one) != 0) suspects_.push_back(m);
    word |= one;
  }
  if (suspects_.empty()) return false;
  // The first manifold of a repeated pair is not yet among the suspects. A filter of the suspects finds it.
  filter_.assign(bits / 64, 0);
  for (const std::uint32_t m : suspects_) {
    const std::size_t bit = hash(of[m].body_a, of[m].body_b) & mask;
    filter_[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  table_.assign(std::bit_ceil(4 * suspects_.size() + min_table), none);
  for (std::uint32_t m = 0; m < of.size(); ++m) {
    if (m > 0 && is_same_pair(of[m - 1], of[m])) continue;
    const std::size_t bit = hash(of[m].body_a, of[m].body_b) & mask;
    if ((filter_[bit / 64] >> bit % 64 & 1u) == 0) continue;
    std::uint32_t& latest = latest_of(of, of[m].body_a, of[m].body_b);
    if (latest != none) return true;
    latest = m;
  }
  return false;
}

void Grouping::collect_all(Array<Constraint>& to, std::size_t count, std::size_t most, const std::int32_t* body_a,
                           const std::int32_t* body_b, const std::uint8_t* fault, const Links& links) {
  table_.assign(min_table, none);
  manifold_.resize(count);
  last_.clear();
  to.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (fault[i] != 0) continue;
    const std::int32_t a = body_a[i], b = body_b[i];
    make_room(to);
    std::uint32_t& latest = latest_of(to, a, b);
    if (latest != none && to[latest].count < most && links.between(last_[latest], i)) {
      ++to[latest].count;
      last_[latest] = i;
    } else {
      latest = static_cast<std::uint32_t>(to.size());
      to.push_back({a, b, i, 1});
      last_.push_back(i);
    }
    manifold_[i] = latest;
  }
  arrange(to, count, fault);
}

void Grouping::arrange(Array<Constraint>& to, std::size_t count, const std::uint8_t* fault) {
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
