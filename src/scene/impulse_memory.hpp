// What is known of contacts and rows by their keys, from call to call.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace carom::scene {

/// A table of open addresses, at most half full. Key 0 is no key.
template <class Record>
class ImpulseMemory {
 public:
  /// Null of a key that is not there.
  const Record* find(std::uint64_t key) const {
    if (key == 0 || entries_.empty()) return nullptr;
    for (std::size_t at = place(key, entries_);; at = (at + 1) & (entries_.size() - 1)) {
      if (entries_[at].key == key) return &entries_[at].record;
      if (entries_[at].key == 0) return nullptr;
    }
  }

  /// Makes room for `count` keys of the call under way. Those of the last one are there until they are replaced.
  void reserve(std::size_t count) {
    std::size_t size = 16;
    while (size < 2 * count) size *= 2;
    entries_.reserve(size);  // which the next call writes to
    next_.assign(std::max(size, next_.size()), {});
  }
  /// For the call that follows; a key that comes twice keeps its first record.
  void insert(std::uint64_t key, const Record& record) {
    if (key == 0) return;
    std::size_t at = place(key, next_);
    while (next_[at].key != 0 && next_[at].key != key) at = (at + 1) & (next_.size() - 1);
    if (next_[at].key == 0) next_[at] = {key, record};
  }
  /// Forgets all but what has been inserted since `reserve`.
  void replace() { entries_.swap(next_); }
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    std::uint64_t key = 0;
    Record record{};
  };

  /// The finishing step of splitmix64, so that neighbouring keys are spread.
  static std::size_t place(std::uint64_t key, const std::vector<Entry>& in) {
    key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
    key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>(key ^ (key >> 31)) & (in.size() - 1);
  }

  std::vector<Entry> entries_, next_;
};

}  // namespace carom::scene
