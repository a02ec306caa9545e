// What is known of contacts and rows by their keys, from call to call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scattered.hpp"

namespace carom::scene {

/// Records of the last call in its order, which most calls keep: a key is looked for behind the one before it, and only
/// if it is not there in a table of open addresses, which is made when it is first needed. Key 0 is no key.
template <class Record>
class ImpulseMemory {
 public:
  /// Makes room for `count` keys of the call under way. Those of the last one are there until they are replaced.
  void reserve(std::size_t count) {
    for (auto* keys : {&keys_, &next_keys_}) keys->reserve(count);
    for (auto* records : {&records_, &next_records_}) records->reserve(count);
    std::size_t size = 16;
    while (size < 2 * std::max(count, keys_.size())) size *= 2;
    table_.reserve(size);
    table_size_ = size;
    table_.clear();
    next_keys_.clear();
    next_records_.clear();
    expected_ = 0;
  }

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// The place of a key's record in records(), or none.
  std::uint32_t find(std::uint64_t key) {
    if (key == 0) return none;
    if (expected_ >= keys_.size() || keys_[expected_] != key) [[unlikely]]
      if (!look_up(key)) return none;
    return static_cast<std::uint32_t>(expected_++);
  }
  const std::vector<Record>& records() const { return records_; }

  /// For the call that follows; a key that comes twice keeps its first record where the order has changed.
  void insert(std::uint64_t key, const Record& record) {
    if (key == 0) return;
    next_keys_.push_back(key);
    next_records_.push_back(record);
  }
  /// Forgets all but what has been inserted since `reserve`.
  void replace() {
    keys_.swap(next_keys_);
    records_.swap(next_records_);
  }
  void clear() {
    keys_.clear();
    records_.clear();
  }

 private:
  /// Sets `expected_` to the place of the key; false if there is none.
  bool look_up(std::uint64_t key) {
    if (keys_.empty()) return false;
    if (table_.empty()) {
      table_.assign(table_size_, 0);
      for (std::size_t i = 0; i < keys_.size(); ++i) {
        std::uint32_t& place = place_of(keys_[i]);
        if (place == 0) place = static_cast<std::uint32_t>(i + 1);
      }
    }
    const std::uint32_t found = place_of(key);
    if (found != 0) expected_ = found - 1;
    return found != 0;
  }

  /// The place of a key, as a number from 1 on, or 0 where it would stand.
  std::uint32_t& place_of(std::uint64_t key) {
    std::size_t at = static_cast<std::size_t>(spread(key)) & (table_.size() - 1);
    while (table_[at] != 0 && keys_[table_[at] - 1] != key) at = (at + 1) & (table_.size() - 1);
    return table_[at];
  }

  std::vector<std::uint64_t> keys_, next_keys_;
  std::vector<Record> records_, next_records_;
  std::vector<std::uint32_t> table_;  // places from 1 on
  std::size_t table_size_ = 0, expected_ = 0;
};

}  // namespace carom::scene
