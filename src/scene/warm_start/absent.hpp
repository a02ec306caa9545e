// The impulses of islands that the last calls did not have. A caller leaves out islands that sleep; when they are back,
// they begin with the impulses that they had.
#pragma once

#include <algorithm>
#include <bit>
#include <carom/scene_options.hpp>
#include <cstddef>
#include <cstdint>

#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"

namespace carom::scene {

/// Records by key. `Of` is the stored type. A record is forgotten after SceneThresholds::warm_start_calls
/// calls.
template <class Of>
class Absent {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Makes room for `more` records, so that the functions below do not allocate, and for `at_first` in all.
  void reserve(std::size_t more, std::size_t at_first) {
    if (more == 0 && at_first <= records_.capacity()) return;
    while (first_ < records_.size() && !is_there(records_[first_])) ++first_;
    if (first_ > records_.size() / 2) compact();
    const std::size_t most = std::max(records_.size() + more, at_first);
    if (most > records_.capacity()) records_.reserve(std::max(most, 2 * records_.capacity()));
    if (table_.size() < slots_of(most)) make_table(slots_of(most));
  }

  bool is_empty() const { return first_ == records_.size(); }

  /// Returns the place of a key, or none.
  std::uint32_t find(std::uint64_t key) const {
    if (is_empty()) return none;
    const std::uint32_t found = table_[slot_of(key)];
    return found != 0 && is_there(records_[found - 1]) ? found - 1 : none;
  }
  const Of& at(std::uint32_t place) const { return records_[place].of; }

  /// One more call has passed. Records that are added now belong to it.
  void pass_call() { ++call_; }
  /// Stores a record, in place of an earlier one with the key.
  void add(std::uint64_t key, const Of& of) {
    std::uint32_t& slot = table_[slot_of(key)];
    if (slot != 0) drop(slot - 1);
    records_.push_back({key, call_, of});
    slot = static_cast<std::uint32_t>(records_.size());
  }
  void drop(std::uint32_t place) { records_[place].call = dropped; }

  void clear() {
    records_.clear();
    std::fill(table_.begin(), table_.end(), 0);
    first_ = 0;
  }

  /// Records that are forgotten, and the number of the call, are no part of the state.
  template <class Archive>
  void carry(Archive& archive) {
    std::size_t count = 0;
    for (const Record& record : records_) count += is_there(record) ? 1u : 0u;
    archive(count);
    std::uint64_t oldest = max_age;
    const auto carry_record = [&](Record& record) {
      std::uint64_t age = call_ - record.call;
      archive(record.key, age, record.of);
      archive.want(age <= oldest);
      record.call = call_ - age;
      oldest = age;
    };
    if constexpr (Archive::reads) {
      archive.size(records_, count);
      call_ = max_age + 1;
      first_ = 0;
      for (Record& record : records_) carry_record(record);
      if (table_.size() < slots_of(count)) make_table(slots_of(count));
      fill_table();
    } else {
      for (Record& record : records_)
        if (is_there(record)) carry_record(record);
    }
  }

 private:
  static constexpr std::uint64_t dropped = 0;
  static constexpr std::uint64_t max_age = SceneThresholds::warm_start_calls - 1;

  struct Record {
    std::uint64_t key, call;
    Of of;
  };

  static std::size_t slots_of(std::size_t records) { return std::bit_ceil(2 * records + 16); }

  bool is_there(const Record& record) const { return record.call != dropped && call_ - record.call <= max_age; }

  void compact() {
    const auto is_gone = [&](const Record& record) { return !is_there(record); };
    records_.erase(std::remove_if(records_.begin(), records_.end(), is_gone), records_.end());
    first_ = 0;
    fill_table();
  }
  void make_table(std::size_t slots) {
    Array<std::uint32_t> table(slots, 0);
    table_.swap(table);
    fill_table();
  }
  void fill_table() {
    std::fill(table_.begin(), table_.end(), 0);
    for (std::size_t i = first_; i < records_.size(); ++i)
      if (is_there(records_[i])) table_[slot_of(records_[i].key)] = static_cast<std::uint32_t>(i + 1);
  }
  /// The slot of a key, or the empty slot for it.
  std::size_t slot_of(std::uint64_t key) const {
    const std::uint64_t hash = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
    std::size_t at = static_cast<std::size_t>(hash >> (64 - std::countr_zero(table_.size())));
    while (table_[at] != 0 && records_[table_[at] - 1].key != key) at = (at + 1) & (table_.size() - 1);
    return at;
  }

  Array<Record> records_;
  Array<std::uint32_t> table_;  // slots: 0, or a place from 1 on
  std::size_t first_ = 0;       // records before it are forgotten; records are in the order of their calls
  std::uint64_t call_ = 0;
};

}  // namespace carom::scene
