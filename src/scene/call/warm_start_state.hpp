// The remembered impulses in a saved state: state_archive.hpp.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/support/array.hpp"
#include "scene/warm_start/warm_start_cache.hpp"
#include "state_archive.hpp"

namespace carom::scene {

// Structured bindings do not compile once a member is added.

template <class Archive>
void carry(Archive& archive, SubstepNeed& of) {
  auto& [substeps, quiet, spent, direct, direct_quiet] = of;
  archive(substeps, quiet, spent, direct, direct_quiet);
  // They become integers.
  for (const float number : {substeps, direct})
    archive.want(number >= 0 && number <= static_cast<float>(SceneLimits::max_substeps));
}

template <class Archive, class T>
void carry(Archive& archive, ImpulseHistory<T>& of) {
  auto& [earlier, need, rest] = of;
  archive(earlier, need, rest);
}

template <class Archive, class T>
void carry(Archive& archive, CachedRow<T>& of) {
  auto& [impulse, need, rest] = of;
  archive(impulse, need, rest);
}

template <class T>
template <class Archive>
void WarmStartCache<T>::carry_contacts(Archive& archive) {
  auto& [impulse, components, stride, time_step, begins_manifold, island, arm, history, slip] = last_;
  const std::size_t count = keys_.size();
  archive(components, time_step);
  archive.want(components <= max_components && (components >= 3 || count == 0));
  if constexpr (Archive::reads) {
    impulse.resize(components * count);
    stride = count;
  }
  for (std::size_t c = 0; c < components; ++c) archive.bytes(impulse.data() + c * stride, count * sizeof(T));
  archive.array(begins_manifold, count);
  archive.array(island, count);
  if constexpr (Archive::reads) arm.resize(3 * count);
  for (std::size_t c = 0; c < 3; ++c) archive.bytes(arm.data() + c * stride, count * sizeof(T));
  bool has_history = count > 0 && history.size() > 0, has_slip = count > 0 && !slip.empty();
  archive(has_history, has_slip);
  history.carry(archive, has_history ? count : 0);
  archive.array(slip, has_slip ? count : 0);
  for (std::size_t i = 0; i < count && has_slip; ++i) archive.want(slip[i] <= Slip::sticks);
}

template <class T>
template <class Archive>
void WarmStartCache<T>::carry(Archive& archive) {
  archive(keys_, row_keys_);
  carry_contacts(archive);
  archive.size(rows_, row_keys_.size());
  for (RowRecord& record : rows_) {
    auto& [row, island] = record;
    archive(row, island);
  }
  archive(rows_time_step_);
  bool are_of_one_call = contacts_call_ == rows_call_;
  archive(are_of_one_call);
  if constexpr (Archive::reads) {
    contacts_call_ = 1;
    rows_call_ = are_of_one_call ? 1 : 0;
    call_ = 2;
    number_islands();
  }
  archive(absent_, absent_rows_);
}

template <class T>
void WarmStartCache<T>::number_islands() {
  const auto each = [&](const auto& f) {
    for (std::size_t i = 0; i < keys_.size(); ++i) f(last_.island[i]);
    for (RowRecord& record : rows_) f(record.island);
  };
  const std::size_t count = keys_.size() + rows_.size();
  bool are_small = true;
  each([&](std::uint32_t island) { are_small = are_small && island < count; });
  if (are_small) return;
  Array<std::uint32_t> numbers;
  numbers.reserve(count);
  each([&](std::uint32_t island) { numbers.push_back(island); });
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  each([&](std::uint32_t& island) {
    island = static_cast<std::uint32_t>(std::lower_bound(numbers.begin(), numbers.end(), island) - numbers.begin());
  });
}

}  // namespace carom::scene
