// The keys of the last call, and where each of them stood.
#pragma once

#include <algorithm>
#include <bit>
#include <carom/contacts.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carom::scene {

/// The keys of the last call in its order, which most calls keep: a key is looked for behind the one before it, and
/// only if it is not there in a table of open addresses, which is made when it is first needed. Key 0 is no key.
class KeyIndex {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  using Keys = Column<const std::uint64_t>;

  /// Makes room for `count` keys of this call. The last call's keys stay until `replace`.
  void reserve(std::size_t count) {
    for (auto* keys : {&keys_, &next_keys_}) keys->reserve(count);
    table_.reserve(slots_of(std::max(count, keys_.size())));
    table_.clear();
    next_keys_.clear();
    expected_ = scanned_ = 0;
  }

  std::size_t size() const { return keys_.size(); }
  std::uint64_t at(std::size_t place) const { return keys_[place]; }
  /// Tells whether these are the keys of the last call in its order.
  bool are(const Keys& key) const {
    if (key.count != keys_.size()) return false;
    for (std::size_t i = 0; i < key.count; ++i)
      if (key[i] != keys_[i]) return false;
    return true;
  }
  /// The place behind the one that was found last.
  std::size_t expected() const { return expected_; }
  /// Tells how many keys from number `first` on stand at the expected place and behind it.
  std::size_t count_expected(const Keys& key, std::size_t first) const {
    const std::size_t most = std::min(key.count - first, keys_.size() - expected_);
    const std::uint64_t* const keys = keys_.data() + expected_;
    std::size_t n = 0;
    while (n < most && key[first + n] == keys[n]) ++n;
    return n;
  }
  void pass(std::size_t count) { expected_ += count; }

  /// The place of a key, or none. The first of several places counts, unless it is expected at another one.
  std::uint32_t find(std::uint64_t key) {
    if (key == 0) return none;
    if (expected_ >= keys_.size() || keys_[expected_] != key) [[unlikely]]
      if (!look_up(key)) return none;
    return static_cast<std::uint32_t>(expected_++);
  }

  /// A hint that this key will be looked for soon.
  void prefetch(std::uint64_t key) const {
    if (!table_.empty()) __builtin_prefetch(&table_[first_slot(hash_of(key))]);
  }

  /// Adds a key of this call, or sets all of them.
  void insert(std::uint64_t key) { next_keys_.push_back(key); }
  void insert(const Keys& key) {
    next_keys_.resize(key.count);
    std::uint64_t* const to = next_keys_.data();
    for (std::size_t i = 0; i < key.count; ++i) to[i] = key[i];
  }
  /// Keeps the keys that have been inserted since `reserve`, and forgets all others.
  void replace() { keys_.swap(next_keys_); }
  void clear() { keys_.clear(); }

  template <class Archive>
  void carry(Archive& archive) {
    archive.list(keys_);
  }

 private:
  static std::size_t slots_of(std::size_t keys) { return std::bit_ceil(4 * keys + 16); }

  /// Sets `expected_` to the place of the key; false if no place has it.
  bool look_up(std::uint64_t key) {
    if (keys_.empty()) return false;
    if (table_.empty()) {
      // A few keys are found sooner without a table.
      if (scanned_ < 2 * keys_.size()) {
        const auto found = std::find(keys_.begin(), keys_.end(), key);
        const auto place = static_cast<std::size_t>(found - keys_.begin());
        scanned_ += place;
        if (found != keys_.end()) expected_ = place;
        return found != keys_.end();
      }
      make_table();
    }
    const std::uint32_t found = table_[slot_of(key)] & places_;
    if (found != 0) expected_ = found - 1;
    return found != 0;
  }

  void make_table() {
    table_.assign(slots_of(keys_.size()), 0);
    places_ = static_cast<std::uint32_t>(std::bit_ceil(keys_.size() + 1) - 1);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      std::uint32_t& slot = table_[slot_of(keys_[i])];
      if (slot == 0) slot = mark_of(hash_of(keys_[i])) | static_cast<std::uint32_t>(i + 1);
    }
  }

  /// Neighbouring keys are spread evenly by the golden ratio.
  static std::uint64_t hash_of(std::uint64_t key) { return (key ^ key >> 32) * 0x9e3779b97f4a7c15u; }
  /// The part of a slot by which most keys differ.
  std::uint32_t mark_of(std::uint64_t hash) const { return static_cast<std::uint32_t>(hash >> 8) & ~places_; }

  std::size_t first_slot(std::uint64_t hash) const {
    return static_cast<std::size_t>(hash >> (64 - std::countr_zero(table_.size())));
  }
  /// The slot of a key, or the empty one where it would stand.
  std::size_t slot_of(std::uint64_t key) const {
    const std::uint64_t hash = hash_of(key);
    const std::uint32_t mark = mark_of(hash);
    const std::size_t last = table_.size() - 1;
    std::size_t at = first_slot(hash);
    while (table_[at] != 0 && ((table_[at] & ~places_) != mark || keys_[(table_[at] & places_) - 1] != key))
      at = (at + 1) & last;
    return at;
  }

  std::vector<std::uint64_t> keys_, next_keys_;
  std::vector<std::uint32_t> table_;  // slots: 0, or a place from 1 on and a mark above it
  std::uint32_t places_ = 0;          // the bits of a slot that have the place
  std::size_t expected_ = 0, scanned_ = 0;
};

}  // namespace carom::scene
