// The keys of the last call, and where each of them stood.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <carom/contacts.hpp>
#include <cstddef>
#include <cstdint>

#include "core/support/array.hpp"
#include "core/support/scratch.hpp"
#include "core/threads/thread_team.hpp"

namespace carom::scene {

/// The keys of the last call in its order, which most calls keep: a key is searched after the previous one. If it is
/// not there, a table with open addressing is built on first use. Key 0 means no key.
class KeyIndex {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  using Keys = Column<const std::uint64_t>;

  /// Position at which the next key is expected.
  struct Cursor {
    std::size_t expected = 0;  ///< the position after the last match
    std::size_t scanned = 0;   ///< positions that were searched without a table
  };

  /// Makes room for `count` keys of this call. The last call's keys stay until `replace`.
  void reserve(std::size_t count) {
    for (auto* keys : {&keys_, &next_keys_}) keys->reserve(count);
    table_.at_least(slots_of(std::max(count, keys_.size())));
    slots_ = 0;
    next_keys_.clear();
  }

  std::size_t size() const { return keys_.size(); }
  std::uint64_t at(std::size_t place) const { return keys_[place]; }
  /// Returns whether these are the keys of the last call, in its order.
  bool are(const Keys& key) const {
    if (key.count != keys_.size()) return false;
    for (std::size_t i = 0; i < key.count; ++i)
      if (key[i] != keys_[i]) return false;
    return true;
  }
  /// Takes all keys of this call. Returns true if they are the last call's in its order.
  bool take(const Keys& key, ThreadTeam& team) {
    next_keys_.resize(key.count);
    const bool has_size = key.count == keys_.size();
    std::atomic<bool> are_last{has_size};
    team.each(key.count, keys_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      std::uint64_t different = 0;
      for (std::size_t i = first; i < end; ++i) {
        next_keys_[i] = key[i];
        if (has_size) different |= next_keys_[i] ^ keys_[i];
      }
      if (different != 0) are_last.store(false, std::memory_order_relaxed);
    });
    return are_last.load(std::memory_order_relaxed);
  }
  /// A key that has been taken.
  std::uint64_t taken(std::size_t i) const { return next_keys_[i]; }
  /// Returns how many taken keys from index `first` on equal the keys from the expected position on.
  std::size_t count_expected(const Cursor& cursor, std::size_t first, std::size_t end) const {
    const std::size_t most = std::min(end - first, keys_.size() - cursor.expected);
    const std::uint64_t* const keys = keys_.data() + cursor.expected;
    std::size_t n = 0;
    while (n < most && next_keys_[first + n] == keys[n]) ++n;
    return n;
  }

  /// The place of a key, or none. The first of several places counts, unless it is expected at another one.
  std::uint32_t find(std::uint64_t key, Cursor& cursor) {
    if (key == 0) return none;
    if (cursor.expected >= keys_.size() || keys_[cursor.expected] != key) [[unlikely]]
      if (!look_up(key, cursor)) return none;
    return static_cast<std::uint32_t>(cursor.expected++);
  }
  /// Several threads look for keys near their expected places, and have a budget for it.
  std::uint32_t find_near(std::uint64_t key, Cursor& cursor) const {
    constexpr std::size_t reach = 64, budget = 32 * reach;
    if (key == 0) return none;
    const std::size_t end = std::min(keys_.size(), cursor.expected + (cursor.scanned < budget ? reach : 1));
    for (std::size_t place = cursor.expected; place < end; ++place)
      if (keys_[place] == key) {
        cursor.scanned += place - cursor.expected;
        cursor.expected = place + 1;
        return static_cast<std::uint32_t>(place);
      }
    cursor.scanned += reach;
    return none;
  }
  /// A cursor for taken keys from number `first` on.
  Cursor cursor_at(std::size_t first, std::size_t end) const {
    constexpr std::size_t tries = 4, reach = 2048;
    const std::size_t start = std::min(first, keys_.size());
    for (std::size_t i = first; i < std::min(end, first + tries); ++i)
      for (std::size_t away = 0; away < reach; ++away) {
        if (start + away < keys_.size() && keys_[start + away] == next_keys_[i]) return {start + away, 0};
        if (away <= start && start - away < keys_.size() && keys_[start - away] == next_keys_[i])
          return {start - away, 0};
      }
    return {start, 0};
  }
  /// Builds a table of only these positions, for `find_in_table`.
  void make_table(const Array<std::uint32_t>& places) {
    begin_table(places.size());
    for (const std::uint32_t place : places) enter(place);
  }
  std::uint32_t find_in_table(std::uint64_t key) const { return (table_.data()[slot_of(key)] & places_) - 1; }

  /// A hint that this key will be looked for soon.
  void prefetch(std::uint64_t key) const {
    if (slots_ > 0) __builtin_prefetch(table_.data() + first_slot(hash_of(key)));
  }

  /// Adds keys of this call one by one, in place of the taken keys.
  void begin_to_insert() { next_keys_.clear(); }
  void insert(std::uint64_t key) { next_keys_.push_back(key); }
  /// Keeps the keys that have been taken or inserted, and forgets all others.
  void replace() { keys_.swap(next_keys_); }
  void clear() { keys_.clear(); }

  template <class Archive>
  void carry(Archive& archive) {
    archive.list(keys_);
  }

 private:
  static std::size_t slots_of(std::size_t keys) { return std::bit_ceil(4 * keys + 16); }

  /// Sets the expected place to the place of the key; false if no place has it.
  bool look_up(std::uint64_t key, Cursor& cursor) {
    if (keys_.empty()) return false;
    if (slots_ == 0) {
      // A few keys are found sooner without a table.
      if (cursor.scanned < 2 * keys_.size()) {
        const auto found = std::find(keys_.begin(), keys_.end(), key);
        const auto place = static_cast<std::size_t>(found - keys_.begin());
        cursor.scanned += place;
        if (found != keys_.end()) cursor.expected = place;
        return found != keys_.end();
      }
      begin_table(keys_.size());
      for (std::size_t i = 0; i < keys_.size(); ++i) enter(i);
    }
    const std::uint32_t found = table_.data()[slot_of(key)] & places_;
    if (found != 0) cursor.expected = found - 1;
    return found != 0;
  }

  void begin_table(std::size_t keys) {
    slots_ = slots_of(keys);
    std::fill_n(table_.data(), slots_, 0);
    places_ = static_cast<std::uint32_t>(std::bit_ceil(keys_.size() + 1) - 1);
  }
  /// If keys are equal, the first one entered stays.
  void enter(std::size_t place) {
    std::uint32_t& slot = table_.data()[slot_of(keys_[place])];
    if (slot == 0) slot = mark_of(hash_of(keys_[place])) | static_cast<std::uint32_t>(place + 1);
  }
  bool is_key(std::uint32_t slot, std::uint64_t key, std::uint32_t mark) const {
    return (slot & ~places_) == mark && keys_[(slot & places_) - 1] == key;
  }

  /// Neighbouring keys are spread evenly by the golden ratio.
  static std::uint64_t hash_of(std::uint64_t key) { return (key ^ key >> 32) * 0x9e3779b97f4a7c15u; }
  /// The part of a slot by which most keys differ.
  std::uint32_t mark_of(std::uint64_t hash) const { return static_cast<std::uint32_t>(hash >> 8) & ~places_; }

  std::size_t first_slot(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash >> (64 - std::countr_zero(slots_)));
  }
  /// The slot of a key, or the empty slot for its insertion.
  std::size_t slot_of(std::uint64_t key) const {
    const std::uint64_t hash = hash_of(key);
    const std::uint32_t mark = mark_of(hash);
    std::size_t at = first_slot(hash);
    while (table_.data()[at] != 0 && !is_key(table_.data()[at], key, mark)) at = (at + 1) & (slots_ - 1);
    return at;
  }

  static constexpr std::size_t keys_at_once = 2048;

  Array<std::uint64_t> keys_, next_keys_;
  Scratch<std::uint32_t> table_;  // slots: 0, or a place from 1 on and a mark above it
  std::size_t slots_ = 0;         // 0: there is no table
  std::uint32_t places_ = 0;      // the bits of a slot that have the place
};

}  // namespace carom::scene
