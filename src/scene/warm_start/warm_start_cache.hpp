// The impulses that contacts and rows with a key had in the last call, and how they came about.
#pragma once

#include <algorithm>
#include <atomic>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

#include "absent.hpp"
#include "core/support/array.hpp"
#include "core/support/scratch.hpp"
#include "core/threads/thread_team.hpp"
#include "key_index.hpp"
#include "manifold_load.hpp"
#include "scene/graph/graph.hpp"
#include "scene/graph/histories.hpp"

namespace carom::scene {

/// The state of a manifold with static friction: see static_friction.hpp.
enum class Slip : std::uint8_t { unknown, slips, sticks };

/// Rows have only the state of the last call.
template <class T>
struct CachedRow {
  T impulse = 0;
  SubstepNeed need;
  T rest = 0;  ///< as of contacts
};

/// Scales stored numbers to a time step of another length. Loads are impulses per time, and numbers of substeps grow
/// with the time step.
class StepScale {
 public:
  /// [s] Time steps of both calls, or 0. Impulses do not change if one of them is 0.
  StepScale(double then, double now) : factor_(then > 0 && now > 0 ? now / then : 1) {}

  bool changes() const { return factor_ != 1; }
  /// A number beyond the range is forgotten.
  template <class T>
  T operator()(T impulse) const {
    const auto now = static_cast<T>(factor_ * static_cast<double>(impulse));
    return std::isfinite(now) ? now : T(0);
  }
  SubstepNeed operator()(const SubstepNeed& need) const {
    SubstepNeed now = need;
    now.substeps =
        static_cast<float>(std::min(factor_ * static_cast<double>(need.substeps), double{SceneLimits::max_substeps}));
    return now;
  }
  template <class T>
  ImpulseHistory<T> operator()(const ImpulseHistory<T>& history) const {
    ImpulseHistory<T> now{{(*this)(history.earlier[0]), (*this)(history.earlier[1])}, (*this)(history.need)};
    for (std::size_t c = 0; c < 3; ++c) now.rest[c] = (*this)(history.rest[c]);
    return now;
  }
  template <class T>
  CachedRow<T> operator()(const CachedRow<T>& row) const {
    return {(*this)(row.impulse), (*this)(row.need), (*this)(row.rest)};
  }

 private:
  double factor_;
};

template <class T>
class WarmStartCache {
 public:
  using Keys = KeyIndex::Keys;

  /// Makes room for a call. Contacts have a history only in substeps, and moments if they resist rolling. `time_step`
  /// [s] of the call, or 0. `slip`: states of contacts at the end of the call, or null. `arm`: r_a of contacts.
  void reserve(std::size_t contacts, std::size_t rows, bool with_history, bool with_moments, double time_step,
               const Slip* slip, const Vector3Columns<const T>& arm) {
    contact_count_ = contacts;
    arm_ = arm;
    slip_ = slip;
    time_step_ = time_step;
    with_history_ = with_history;
    components_ = with_moments ? max_components : 3;
    keys_.reserve(contacts);
    for (auto* impulses : {&last_.impulse, &next_.impulse, &stored_}) impulses->reserve(components_ * contacts);
    for (Records* records : {&last_, &next_}) {
      records->begins_manifold.reserve(contacts);
      records->island.reserve(contacts);
      records->arm.reserve(3 * contacts);
      records->slip.reserve(contacts);
      if (with_history) records->history.reserve(contacts);
    }
    taken_.reserve(std::max(keys_.size(), contacts));
    new_.reserve(contacts);
    inherits_.reserve(contacts);
    left_.reserve(std::max(keys_.size(), contacts));
    place_ = places_.at_least(contacts + 1);
    found_impulse_ = found_impulses_.at_least(components_ * (contacts + 1));
    stored_.resize(components_ * contacts);
    has_last_histories_ = false;
    if (with_history) {
      found_histories_.resize(contacts);
      stored_rests_.resize(keeps_rests<T> ? 3 * contacts : 0);
    }

    row_keys_.reserve(rows);
    for (auto* records : {&rows_, &next_rows_}) records->reserve(rows);
    next_rows_.clear();
    row_ = row_records_.at_least(rows + 1);

    row_taken_.assign(std::max(rows_.size(), rows), 0);
    reads_contacts_ = reads_rows_ = false;
    found_absent_.clear();
    found_absent_.reserve(contacts);
    found_absent_rows_.clear();
    found_absent_rows_.reserve(rows);
    absent_.reserve(0, contacts);
    absent_rows_.reserve(0, rows);
    is_left_out_.reserve(std::max(keys_.size() + rows_.size(), contacts + rows));
  }

  /// Looks up the keys of contacts.
  void read_contacts(const Keys& key, ThreadTeam& team) {
    new_.clear();
    all_have_keys_ = true;
    reads_contacts_ = true;
    scale_ = StepScale(last_.time_step, time_step_);
    is_unchanged_ = keys_.take(key, team) && !scale_.changes() && last_.components >= components_;
    if (is_unchanged_) {
      // Impulses and histories stay where they are.
      impulse_ = last_.impulse.data();
      stride_ = last_.stride;
      has_last_histories_ = last_.history.size() > 0;
      if (with_history_ && !has_last_histories_) found_histories_.take(0, last_.history, 0, key.count);
      return;
    }
    impulse_ = found_impulse_;
    stride_ = contact_count_;
    taken_.assign(keys_.size(), 0);
    // The chunks do not depend on the number of threads: the match of a key that occurs several times depends on the
    // equal keys before it in its chunk.
    const std::size_t chunks = (key.count + contacts_of_chunk - 1) / contacts_of_chunk;
    std::atomic<bool> any_new{false}, all_have_keys{true};
    team.each(chunks, 1, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t chunk = first; chunk < end; ++chunk) {
        const std::size_t begin = chunk * contacts_of_chunk, last = std::min(key.count, begin + contacts_of_chunk);
        find_contacts(begin, last, chunks > 1);
        for (std::size_t i = begin; i < last; ++i) {
          if (place_[i] == is_new) any_new.store(true, std::memory_order_relaxed);
          if (place_[i] == has_no_key) all_have_keys.store(false, std::memory_order_relaxed);
        }
      }
    });
    all_have_keys_ = all_have_keys;
    for (std::size_t i = 0; i < key.count && any_new; ++i)
      if (place_[i] == is_new) new_.push_back(static_cast<std::uint32_t>(i));
    if (chunks > 1) find_new_far(team);
    if (scale_.changes()) rescale(key.count);
    if (!new_.empty()) take_absent(key);
  }
  void read_rows(const Keys& key) {
    reads_rows_ = true;
    const StepScale scale(rows_time_step_, time_step_);
    KeyIndex::Cursor cursor;
    for (std::size_t i = 0; i < key.count; ++i) {
      row_[i] = {};
      if (const std::uint32_t found = row_keys_.find(key[i], cursor); found != KeyIndex::none) {
        row_taken_[found] = 1;
        row_[i] = scale(rows_[found].row);
      } else if (const std::uint32_t absent = absent_rows_.find(key[i]); absent != KeyIndex::none) {
        const AbsentRow& of = absent_rows_.at(absent);
        row_[i] = StepScale(of.time_step, time_step_)(of.row);
        found_absent_rows_.push_back(absent);
      }
    }
  }

  /// Makes room for the islands that this call leaves out. Call after the functions above, and before `inherit`.
  void reserve_absent() {
    if (reads_contacts_ && !is_unchanged_)
      absent_.reserve(static_cast<std::size_t>(std::count(taken_.begin(), taken_.begin() + key_count(), 0)), 0);
    if (reads_rows_)
      absent_rows_.reserve(
          static_cast<std::size_t>(std::count(row_taken_.begin(), row_taken_.begin() + row_count(), 0)), 0);
  }

  /// True if a call of the columns and options of the last one has its keys, too: the impulses stay where they are, and
  /// `keep_unchanged` takes the impulses of this call.
  bool are_unchanged(const Keys& key) {
    if (!keys_.are(key)) return false;
    impulse_ = last_.impulse.data();
    stride_ = last_.stride;
    stored_.resize(last_.impulse.size());
    return true;
  }
  void keep_unchanged(const Vector3Columns<const T>& arm) {
    absent_.pass_call();
    absent_rows_.pass_call();
    last_.impulse.swap(stored_);
    arm_ = arm;
    copy_arms(0, contact_count_, last_.arm.data());
  }

  /// Points of a manifold come and go, its load stays: where some points are new, or some of the last call are gone,
  /// the impulses get the force and the moment that the manifold had. `contacts`: of this call.
  void inherit(const Graph& graph, const SceneContacts<T>& contacts, ThreadTeam& team) {
    if (is_unchanged_ || keys_.size() == 0) return;
    const bool any_gone = std::find(taken_.begin(), taken_.begin() + key_count(), 0) != taken_.begin() + key_count();
    if (!any_gone) return;
    const std::uint32_t* const at = graph.of_contacts.at();
    const Array<Constraint>& manifolds = graph.manifolds;
    inherits_.resize(manifolds.size());
    team.each(manifolds.size(), manifolds_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t m = first; m < end; ++m) inherits_[m] = may_inherit(manifolds[m], at) ? 1 : 0;
    });
    // In order: a load that several manifolds may inherit goes to the first one.
    for (std::size_t m = 0; m < manifolds.size(); ++m)
      if (inherits_[m] != 0) pass_on(manifolds[m], at, contacts);
  }

  /// Removes the initial impulse of a contact. Returns false if it was zero.
  bool drop(std::size_t contact) {
    bool any = false;
    for (std::size_t c = 0; c < components_; ++c) {
      any = any || impulse(c)[contact] != T(0);
      impulse(c)[contact] = 0;
    }
    if (with_history_) own_histories().put(contact, {});
    return any;
  }

  /// Three columns for impulses of this call's contacts, from which the next call starts, and three for moments.
  T* stored() { return stored_.data(); }
  /// Three columns for the rounding errors of these impulses, in float.
  T* stored_rests() { return stored_rests_.data(); }

  bool all_have_keys() const { return all_have_keys_; }
  /// Returns true if the contacts are the same as in the last call, in the same order.
  bool is_unchanged() const { return is_unchanged_; }

  /// Stores the islands of the last call that are missing in this call. Call before the functions below.
  void keep_absent() {
    absent_.pass_call();
    absent_rows_.pass_call();
    for (const std::uint32_t found : found_absent_) absent_.drop(found);
    for (const std::uint32_t found : found_absent_rows_) absent_rows_.drop(found);
    const bool all_contacts_are_there = !reads_contacts_ || is_unchanged_ || keys_.size() == 0;
    const bool all_rows_are_there = !reads_rows_ || std::find(row_taken_.begin(), row_taken_.begin() + row_count(),
                                                              0) == row_taken_.begin() + row_count();
    if (all_contacts_are_there && all_rows_are_there) return;
    // Islands have the same numbers if contacts and rows are of the same call.
    const bool are_of_one_call = contacts_call_ == rows_call_;
    if (!all_contacts_are_there) {
      find_left_out(true, are_of_one_call && reads_rows_);
      for (std::size_t i = 0; i < keys_.size(); ++i)
        if (is_left_out_[last_.island[i]] != 0) store_absent(i);
    }
    if (!all_rows_are_there) {
      find_left_out(are_of_one_call && reads_contacts_, true);
      for (std::size_t i = 0; i < rows_.size(); ++i)
        if (is_left_out_[rows_[i].island] != 0 && rows_[i].row.impulse != T(0))
          absent_rows_.add(row_keys_.at(i), {rows_[i].row, rows_time_step_});
    }
  }

  /// The next call will know all contacts, which have keys, and the places of their numbers. `set_histories(next,
  /// first, end)` sets the histories of these manifolds; their rests are the stored ones already.
  template <class SetHistories>
  void keep_all(const Array<Constraint>& manifolds, const Array<std::uint32_t>& island,
                const SetHistories& set_histories, ThreadTeam& team) {
    keys_.replace();
    next_.begins_manifold.assign(contact_count_, 0);
    next_.island.resize(contact_count_);
    next_.arm.resize(3 * contact_count_);
    next_.history.resize(with_history_ ? contact_count_ : 0);
    if (with_history_) next_.history.swap_rests(stored_rests_);
    team.each(manifolds.size(), manifolds_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t m = first; m < end; ++m) {
        next_.begins_manifold[manifolds[m].first] = 1;
        std::fill_n(next_.island.data() + manifolds[m].first, manifolds[m].count, island[m]);
      }
      copy_arms(manifolds[first].first, manifolds[end - 1].first + manifolds[end - 1].count, next_.arm.data());
      if (with_history_) set_histories(next_.history, first, end);
    });
    next_.slip.clear();
    if (slip_ != nullptr) next_.slip.assign(slip_, slip_ + contact_count_);
    next_.impulse.swap(stored_);
    finish_contacts();
  }

  /// The next call knows the contacts that are added, manifold by manifold.
  void begin_to_add() {
    keys_.begin_to_insert();
    next_.impulse.resize(components_ * contact_count_);
    next_.begins_manifold.clear();
    next_.island.clear();
    next_.arm.resize(3 * contact_count_);
    next_.history.resize(with_history_ ? contact_count_ : 0);
    next_.slip.clear();
  }
  void add(std::uint64_t key, std::size_t contact, bool begins_manifold, std::uint32_t island,
           const ImpulseHistory<T>& history) {
    const std::size_t place = next_.begins_manifold.size(), n = contact_count_;
    for (std::size_t c = 0; c < components_; ++c) next_.impulse[c * n + place] = stored_[c * n + contact];
    keys_.insert(key);
    store_arm(place, contact);
    next_.begins_manifold.push_back(begins_manifold ? 1 : 0);
    next_.island.push_back(island);
    if (slip_ != nullptr) next_.slip.push_back(slip_[contact]);
    if (with_history_) next_.history.put(place, history);
  }
  void replace_contacts() {
    keys_.replace();
    finish_contacts();
  }

  void add_row(std::uint64_t key, std::uint32_t island, const CachedRow<T>& row) {
    if (key == 0) return;
    row_keys_.insert(key);
    next_rows_.push_back({row, island});
  }
  void replace_rows() {
    row_keys_.replace();
    rows_.swap(next_rows_);
    rows_time_step_ = time_step_;
    rows_call_ = call_;
  }
  /// After all contacts and rows of a call.
  void end_call() { ++call_; }
  void clear() {
    keys_.clear();
    row_keys_.clear();
    rows_.clear();
    absent_.clear();
    absent_rows_.clear();
    last_.components = 0;
    last_.time_step = rows_time_step_ = 0;
    contacts_call_ = rows_call_ = 0;
  }

  /// Everything that stays from call to call: warm_start_state.hpp.
  template <class Archive>
  void carry(Archive& archive);

  /// The state of a contact after the last call.
  Slip slip(std::size_t contact) const {
    const std::size_t place = is_unchanged_ ? contact : place_[contact];
    return place < last_.slip.size() ? last_.slip[place] : Slip::unknown;
  }

  T* impulse(std::size_t component) const { return impulse_ + component * stride_; }
  const Histories<T>& histories() const { return has_last_histories_ ? last_.history : found_histories_; }
  CachedRow<T>* rows() const { return row_; }

 private:
  static constexpr std::size_t max_components = 6;  // of an impulse and of a moment

  /// Records of contacts in the order of their keys. The contacts of a manifold are adjacent.
  struct Records {
    Array<T> impulse;  // columns
    std::size_t components = 0;
    std::size_t stride = 0;  // from one column to the next
    double time_step = 0;    // [s]
    Array<std::uint8_t> begins_manifold;
    Array<std::uint32_t> island;  // its number in the call
    Array<T> arm;                 // [m] about body A, columns
    Histories<T> history;         // empty, except after substeps
    Array<Slip> slip;             // empty without static friction
  };
  struct RowRecord {
    CachedRow<T> row;
    std::uint32_t island = 0;
  };
  struct AbsentContact {
    T impulse[max_components]{};
    ImpulseHistory<T> history;
    double time_step = 0;  // [s]

    template <class Archive>
    void carry(Archive& archive) {
      archive(impulse, history, time_step);
    }
  };
  struct AbsentRow {
    CachedRow<T> row;
    double time_step = 0;  // [s]

    template <class Archive>
    void carry(Archive& archive) {
      archive(row, time_step);
    }
  };

  template <class Archive>
  void carry_contacts(Archive& archive);
  /// Makes the numbers of islands small. Contacts and rows of one island have equal numbers.
  void number_islands();

  void finish_contacts() {
    next_.stride = contact_count_;
    next_.components = components_;
    next_.time_step = time_step_;
    std::swap(last_, next_);
    contacts_call_ = call_;
  }

  void store_arm(std::size_t place, std::size_t contact) {
    T* const to = next_.arm.data() + place;
    to[0] = arm_.x[contact];
    to[contact_count_] = arm_.y[contact];
    to[2 * contact_count_] = arm_.z[contact];
  }
  /// Copies the arms of contacts [first, end) into columns.
  void copy_arms(std::size_t first, std::size_t end, T* to) const {
    const Column<const T>* const columns[3] = {&arm_.x, &arm_.y, &arm_.z};
    for (std::size_t c = 0; c < 3; ++c, to += contact_count_) {
      const Column<const T>& from = *columns[c];
      if (from.stride == static_cast<std::ptrdiff_t>(sizeof(T)))
        std::copy(from.data + first, from.data + end, to + first);
      else
        for (std::size_t i = first; i < end; ++i) to[i] = from[i];
    }
  }

  void rescale(std::size_t contacts) {
    for (std::size_t c = 0; c < components_; ++c)
      for (std::size_t i = 0; i < contacts; ++i) impulse(c)[i] = scale_(impulse(c)[i]);
    for (std::size_t i = 0; with_history_ && i < contacts; ++i) own_histories().put(i, scale_(own_histories().at(i)));
  }

  /// New contacts that earlier calls had.
  void take_absent(const Keys& key) {
    if (absent_.is_empty()) return;
    std::size_t new_ones = 0;
    for (const std::uint32_t i : new_) {
      const std::uint32_t found = absent_.find(key[i]);
      if (found == KeyIndex::none) {
        new_[new_ones++] = i;
        continue;
      }
      const AbsentContact& of = absent_.at(found);
      const StepScale since(of.time_step, time_step_);
      for (std::size_t c = 0; c < components_; ++c) impulse(c)[i] = since(of.impulse[c]);
      if (with_history_) own_histories().put(i, since(of.history));
      place_[i] = has_no_key;  // it does not inherit impulses
      found_absent_.push_back(found);
    }
    new_.resize(new_ones);
  }
  void store_absent(std::size_t i) {
    AbsentContact of;
    bool is_any = false;
    for (std::size_t c = 0; c < last_.components; ++c) {
      of.impulse[c] = last_.impulse[c * last_.stride + i];
      is_any = is_any || of.impulse[c] != T(0);
    }
    if (!is_any) return;
    if (last_.history.size() > 0) of.history = last_.history.at(i);
    of.time_step = last_.time_step;
    absent_.add(keys_.at(i), of);
  }
  /// Marks the islands of the last call of which this call has no contact, if `by_contacts`, and no row, if `by_rows`.
  void find_left_out(bool by_contacts, bool by_rows) {
    std::uint32_t islands = 0;
    const std::size_t contacts = by_contacts ? keys_.size() : 0, rows = by_rows ? rows_.size() : 0;
    for (std::size_t i = 0; i < contacts; ++i) islands = std::max(islands, last_.island[i] + 1);
    for (std::size_t i = 0; i < rows; ++i) islands = std::max(islands, rows_[i].island + 1);
    is_left_out_.assign(islands, 1);
    for (std::size_t i = 0; i < contacts; ++i)
      if (is_unchanged_ || taken_[i] != 0) is_left_out_[last_.island[i]] = 0;
    for (std::size_t i = 0; i < rows; ++i)
      if (row_taken_[i] != 0) is_left_out_[rows_[i].island] = 0;
  }
  Histories<T>& own_histories() { return has_last_histories_ ? last_.history : found_histories_; }
  std::ptrdiff_t key_count() const { return static_cast<std::ptrdiff_t>(keys_.size()); }
  std::ptrdiff_t row_count() const { return static_cast<std::ptrdiff_t>(rows_.size()); }

  /// `near`: contacts that are far from their last places are left to `find_new_far`.
  void find_contacts(std::size_t begin, std::size_t end, bool near) {
    // Runs of keys as they were are copied at once, until there have been many of them.
    KeyIndex::Cursor cursor = near ? keys_.cursor_at(begin, end) : KeyIndex::Cursor{};
    const auto find = [&](std::size_t i) {
      const std::uint64_t key = keys_.taken(i);
      take(i, near ? keys_.find_near(key, cursor) : keys_.find(key, cursor));
    };
    std::size_t i = begin, runs = 0;
    while (i < end && runs <= (end - begin) / 32) {
      const std::size_t n = keys_.count_expected(cursor, i, end);
      take_run(i, cursor.expected, n);
      cursor.expected += n;
      i += n;
      if (i == end) return;
      find(i);
      take_impulses(i, i + 1);
      ++i;
      ++runs;
    }
    const std::size_t first = i;
    constexpr std::size_t ahead = 16;
    for (; i < end; ++i) {
      if (i + ahead < end) keys_.prefetch(keys_.taken(i + ahead));
      find(i);
    }
    take_impulses(first, end);
  }
  /// Searches contacts that are new, or far from their last positions, among the positions that have not been taken.
  void find_new_far(ThreadTeam& team) {
    left_.clear();
    for (std::uint32_t place = 0; place < keys_.size() && !new_.empty(); ++place)
      if (taken_[place] == 0) left_.push_back(place);
    if (left_.empty()) return;
    keys_.make_table(left_);
    team.each(new_.size(), manifolds_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t n = first; n < end; ++n) {
        take(new_[n], keys_.find_in_table(keys_.taken(new_[n])));
        take_impulses(new_[n], new_[n] + 1);
      }
    });
    std::erase_if(new_, [&](std::uint32_t i) { return place_[i] != is_new; });
  }
  /// Contacts from i on equal the last call's from place `from` on.
  void take_run(std::size_t i, std::size_t from, std::size_t n) {
    for (std::size_t c = 0; c < components_; ++c)
      if (c < last_.components)
        std::copy_n(last_.impulse.data() + c * last_.stride + from, n, impulse(c) + i);
      else
        std::fill_n(impulse(c) + i, n, T(0));
    std::iota(place_ + i, place_ + i + n, static_cast<std::uint32_t>(from));
    for (std::size_t k = 0; k < n; ++k) mark_taken(from + k);
    if (with_history_) found_histories_.take(i, last_.history, from, n);
  }
  /// Contact i was at this place, or is new.
  void take(std::size_t i, std::uint32_t found) {
    place_[i] = found != KeyIndex::none ? found : keys_.taken(i) != 0 ? is_new : has_no_key;
    if (found != KeyIndex::none) mark_taken(found);
    if (!with_history_) return;
    if (found != KeyIndex::none)
      found_histories_.take(i, last_.history, found, 1);
    else
      found_histories_.put(i, {});
  }
  /// Equal keys have one place, which several threads may mark.
  void mark_taken(std::size_t place) { __atomic_store_n(&taken_[place], std::uint8_t{1}, __ATOMIC_RELAXED); }
  void take_impulses(std::size_t first, std::size_t end) {
    for (std::size_t c = 0; c < components_; ++c) {
      const bool is_known = c < last_.components;
      const T* const last = last_.impulse.data() + (is_known ? c * last_.stride : 0);
      T* const to = impulse(c);
      for (std::size_t i = first; i < end; ++i) to[i] = is_known && place_[i] < has_no_key ? last[place_[i]] : T(0);
    }
  }
  /// The load of the points of a manifold that are gone.
  struct Estate {
    Wrench wrench;
    std::array<T, 3> moment{};  // that resists rolling
    ImpulseHistory<T> history;
    bool is_any = false;
  };

  /// Returns true if a point of the manifold had neighbours in the last call that have not been taken.
  bool may_inherit(const Constraint& m, const std::uint32_t* at) const {
    const auto& begins = last_.begins_manifold;
    std::size_t seen_end = 0;
    for (std::uint32_t k = 0; k < m.count; ++k) {
      std::size_t place = place_[kernel::number_at(at, m.first + k)];
      if (place >= has_no_key || place + 1 == seen_end) continue;
      place = first_place(place);
      do {
        if (taken_[place] == 0) return true;
      } while (++place < begins.size() && begins[place] == 0);
      seen_end = place;
    }
    return false;
  }
  void pass_on(const Constraint& m, const std::uint32_t* at, const SceneContacts<T>& contacts) {
    const auto each = [&](const auto& f) {
      for (std::uint32_t k = 0; k < m.count; ++k) f(kernel::number_at(at, m.first + k));
    };
    Estate estate;
    int heirs = 0, known = 0;
    std::size_t seen = 0, seen_end = 0;  // places of the last manifold that was looked at
    each([&](std::size_t i) {
      heirs += place_[i] == is_new ? 1 : 0;
      if (place_[i] >= has_no_key) return;
      ++known;
      if (place_[i] >= seen && place_[i] < seen_end) return;
      seen = first_place(place_[i]);
      seen_end = take_what_is_left(seen, estate);
    });
    if (!estate.is_any) return;
    // Histories and moments go to new points, or else to all.
    const auto is_heir = [&](std::size_t i) { return heirs > 0 ? place_[i] == is_new : place_[i] < has_no_key; };
    const T share = T(1) / static_cast<T>(heirs > 0 ? heirs : known);
    each([&](std::size_t i) {
      if (!is_heir(i)) return;
      for (std::size_t c = 3; c < components_; ++c) impulse(c)[i] += share * estate.moment[c - 3];
      if (!with_history_) return;
      for (std::size_t k = 0; k < 2; ++k) own_histories().earlier(k)[i] += share * estate.history.earlier[k];
      SubstepNeed& need = own_histories().need()[i];
      if (estate.history.need.substeps > need.substeps) need = estate.history.need;
    });
    spread(each, contacts, estate.wrench, heirs);
  }
  template <class Each>
  void spread(const Each& each, const SceneContacts<T>& contacts, Wrench wrench, int heirs) {
    const Vector3<double> of_gone = wrench.force;
    Vector3<double> normal{};
    each([&](std::size_t i) {
      normal = vector_at(contacts.normal, i);
      if (place_[i] < has_no_key) wrench.add(impulse_at(i), last_arm(place_[i]));
    });
    const double all = dot(wrench.force, normal), of_heir = heirs > 0 ? dot(of_gone, normal) / heirs : 0;
    ManifoldLoad load;
    const auto is_in = [&](std::size_t i) { return place_[i] != has_no_key; };
    each([&](std::size_t i) {
      if (!is_in(i)) return;
      load.add(vector_at(contacts.r_a, i), (place_[i] == is_new ? of_heir : dot(impulse_at(i), normal)) / all);
    });
    if (!load.spread(wrench, normal)) return;
    std::size_t point = 0;
    each([&](std::size_t i) {
      if (!is_in(i)) return;
      for (std::size_t c = 0; with_history_ && keeps_rests<T> && c < 3; ++c) own_histories().rest(c)[i] = 0;
      const Vector3<double>& now = load.impulse(point++);
      for (std::size_t c = 0; c < 3; ++c) {
        const auto x = static_cast<T>(now[c]);
        impulse(c)[i] = std::isfinite(x) ? x : T(0);
      }
    });
  }
  Vector3<double> impulse_at(std::size_t contact) const {
    Vector3<double> made;
    for (std::size_t c = 0; c < 3; ++c) made[c] = static_cast<double>(impulse(c)[contact]);
    return made;
  }
  Vector3<double> last_arm(std::size_t place) const {
    const auto at = [&](std::size_t c) { return static_cast<double>(last_.arm[c * last_.stride + place]); };
    return {at(0), at(1), at(2)};
  }

  /// The first place of the manifold of the last call that a place belongs to.
  std::size_t first_place(std::size_t place) const {
    while (place > 0 && last_.begins_manifold[place] == 0) --place;
    return place;
  }
  /// Adds the remaining impulses of the last call's manifold that begins at `place` to `sum`. Returns its end.
  std::size_t take_what_is_left(std::size_t place, Estate& sum) {
    const auto& begins = last_.begins_manifold;
    for (bool is_first = true; place < begins.size() && (is_first || begins[place] == 0); ++place, is_first = false) {
      if (taken_[place] != 0) continue;
      taken_[place] = 1;
      sum.is_any = true;
      Vector3<double> impulse;
      for (std::size_t c = 0; c < 3; ++c)
        impulse[c] = static_cast<double>(scale_(last_.impulse[c * last_.stride + place]));
      sum.wrench.add(impulse, last_arm(place));
      for (std::size_t c = 3; c < components_ && c < last_.components; ++c)
        sum.moment[c - 3] += scale_(last_.impulse[c * last_.stride + place]);
      if (last_.history.size() == 0) continue;
      const ImpulseHistory<T> history = scale_(last_.history.at(place));
      for (std::size_t k = 0; k < 2; ++k) sum.history.earlier[k] += history.earlier[k];
      if (history.need.substeps > sum.history.need.substeps) sum.history.need = history.need;
    }
    return place;
  }

  static constexpr std::size_t manifolds_at_once = 128, contacts_of_chunk = 2048;
  static constexpr std::uint32_t is_new = KeyIndex::none, has_no_key = is_new - 1;

  KeyIndex keys_, row_keys_;
  Records last_, next_;
  Array<T> stored_, stored_rests_;
  Array<std::uint8_t> taken_;     // contacts of the last call that this call has
  Array<std::uint8_t> inherits_;  // manifolds
  Array<std::uint32_t> new_;      // contacts whose keys the last call did not have
  Array<std::uint32_t> left_;     // places whose keys no contact of this call has been found to have
  Array<RowRecord> rows_, next_rows_;
  Array<std::uint8_t> row_taken_;  // as taken_
  Absent<AbsentContact> absent_;
  Absent<AbsentRow> absent_rows_;
  Array<std::uint32_t> found_absent_, found_absent_rows_;
  Array<std::uint8_t> is_left_out_;  // islands of the last call
  const Slip* slip_ = nullptr;       // of contacts in this call
  Vector3Columns<const T> arm_{};    // of contacts in this call
  StepScale scale_{0, 0};            // of contacts
  double time_step_ = 0, rows_time_step_ = 0;
  std::uint64_t call_ = 1, contacts_call_ = 0, rows_call_ = 0;
  bool reads_contacts_ = false, reads_rows_ = false;
  Scratch<T> found_impulses_;
  Histories<T> found_histories_;
  Scratch<CachedRow<T>> row_records_;
  Scratch<std::uint32_t> places_;
  T *found_impulse_ = nullptr, *impulse_ = nullptr;  // of contacts; the latter in the last call, too
  std::size_t contact_count_ = 0, stride_ = 0, components_ = 3;
  bool has_last_histories_ = false;  // the histories of contacts are the last call's, in place
  CachedRow<T>* row_ = nullptr;
  std::uint32_t* place_ = nullptr;  // of contacts in the last call
  bool with_history_ = false, is_unchanged_ = false, all_have_keys_ = false;
};

}  // namespace carom::scene
