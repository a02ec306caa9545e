// The impulses of a call: initial impulses of contacts and rows, from the caller or from the solver's last call, and
// the memory for the results.
#pragma once

#include <algorithm>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/contact_models.hpp"
#include "scene/methods/workspace.hpp"

namespace carom::scene {

/// True if the bytes between the first and the last element of each column overlap.
template <class T>
bool may_overlap(const Column<const T>& x, const Column<const T>& y) {
  if (!x || !y || x.count == 0 || y.count == 0) return false;
  const auto ends = [](const Column<const T>& of) {
    return std::minmax({reinterpret_cast<std::uintptr_t>(&of[0]), reinterpret_cast<std::uintptr_t>(&of[of.count - 1])});
  };
  const auto of_x = ends(x), of_y = ends(y);
  return of_x.first < of_y.second + sizeof(T) && of_y.first < of_x.second + sizeof(T);
}
template <class T>
bool may_overlap(const Vector3Columns<const T>& x, const Vector3Columns<const T>& y) {
  for (const Column<const T>* of_x : {&x.x, &x.y, &x.z})
    for (const Column<const T>* of_y : {&y.x, &y.y, &y.z})
      if (may_overlap(*of_x, *of_y)) return true;
  return false;
}

template <class T>
class CallImpulses {
 public:
  CallImpulses(const Scene<T>& scene, const SceneResults<T>& results, const CallOptions& options,
               kernel::SceneJob<T>& job, Workspace<T>& workspace)
      : scene_(scene),
        options_(options),
        job_(job),
        workspace_(workspace),
        moves_bodies_(options.moves_bodies),
        stored_(results) {}

  /// Makes room, and sets the job's pointers and columns.
  void reserve() {
    job_.row_impulse = workspace_.row_impulse.at_least(job_.rows + 1);
    job_.row_work = workspace_.row_work.at_least(job_.rows + 1);
    WarmStartCache<T>& warm_start_cache = workspace_.warm_start_cache;
    const Column<const std::uint64_t>&key = scene_.contacts.key, &row_key = scene_.joints.key;
    if (key || row_key)
      warm_start_cache.reserve(job_.contacts, job_.rows, moves_bodies_, has_contact_moments(scene_.contacts),
                               moves_bodies_ ? options_.time_step : 0, workspace_.static_friction.slip(),
                               scene_.contacts.r_a);
    place_results();
  }
  /// Finds the impulses that contacts and rows begin with. Call after reserve() and before a result is written.
  void begin(ThreadTeam& team) {
    WarmStartCache<T>& warm_start_cache = workspace_.warm_start_cache;
    const Column<const std::uint64_t>&key = scene_.contacts.key, &row_key = scene_.joints.key;
    if (key) warm_start_cache.read_contacts(key, team);
    if (row_key) warm_start_cache.read_rows(row_key);
    if (key || row_key) warm_start_cache.reserve_absent();
    find_first_of_contacts();
    find_first_of_rows();
  }

  /// Sets the initial impulses of the rows [first, end).
  void begin_rows(std::size_t first, std::size_t end) {
    const JointRows<T>& joints = scene_.joints;
    const auto of_rows = static_cast<T>(options_.joint_warm_start);
    // A row with two bounds has no position error in its impulse. It could not reach a bound that sweeps reach in many
    // steps if a part of its impulse were lost in every step.
    const auto of_bounded = static_cast<T>(options_.warm_start);
    const bool has_bounds = joints.min_impulse && joints.max_impulse;
    for (std::size_t i = first; i < end; ++i) {
      T& impulse = job_.row_impulse[i];
      impulse = job_.row_work[i] = 0;
      if (job_.row_status[i] != static_cast<std::uint8_t>(Status::ok)) continue;
      const bool is_bounded =
          has_bounds && std::isfinite(joints.min_impulse[i]) && std::isfinite(joints.max_impulse[i]);
      impulse = (is_bounded ? of_bounded : of_rows) * row_warm_[i];
      if (joints.min_impulse) impulse = std::max(impulse, joints.min_impulse[i]);
      if (joints.max_impulse) impulse = std::min(impulse, joints.max_impulse[i]);
    }
  }

  /// True if any initial impulse may be nonzero. Call after begin_rows().
  bool any_to_begin_with() const {
    return static_cast<bool>(job_.warm_impulse.x) ||
           std::any_of(job_.row_impulse, job_.row_impulse + job_.rows, [](T x) { return x != T(0); });
  }

  /// Removes the stored initial impulse of a contact or a row. False if it was zero.
  bool drop(std::size_t i, bool is_row) {
    if (!is_row) return caches_contacts_ && workspace_.warm_start_cache.drop(i);
    if (!caches_rows_) return false;
    const bool any = row_warm_[i] != T(0);
    row_warm_[i] = T(0);
    workspace_.warm_start_cache.rows()[i] = {};
    return any;
  }

  bool caches_contacts() const { return caches_contacts_; }
  bool caches_rows() const { return caches_rows_; }
  T* of_rows() const { return row_warm_; }
  /// The caller's results. Some columns are replaced by the solver's own memory.
  const SceneResults<T>& stored() const { return stored_; }
  /// The impulses of contacts in the solver's memory, component by component; null: they are only in the caller's.
  T* kept() const { return kept_; }

 private:
  Vector3Columns<T> columns(T* from) const {
    const std::size_t n = job_.contacts;
    return {{from, n}, {from + n, n}, {from + 2 * n, n}};
  }
  static bool is_wanted(const Vector3Columns<T>& of) { return of.x || of.y || of.z; }
  void place_results() {
    const std::size_t three = 3 * (job_.contacts + 1);
    const bool named = static_cast<bool>(scene_.contacts.key);
    // Contacts with keys need their impulses afterwards, even if the caller does not ask for them. So does a result of
    // warm impulses that are the impulses. If kernels overwrote the initial impulses of contacts, a contact that is
    // solved again could not start from them.
    const bool copies = !moves_bodies_ && is_wanted(stored_.warm_impulse);
    const bool apart = named || copies || may_overlap<T>(stored_.impulse, scene_.contacts.warm_impulse) ||
                       may_overlap<T>(stored_.impulse, scene_.contacts.warm_angular_impulse);
    if (named && !moves_bodies_)
      kept_ = workspace_.warm_start_cache.stored();
    else if (apart)
      kept_ = workspace_.impulses.at_least(three);
    if (apart) stored_.impulse = columns(kept_);
    if (moves_bodies_) {
      if (named)
        stored_.warm_impulse = columns(workspace_.warm_start_cache.stored());
      else if (is_wanted(stored_.warm_impulse))
        stored_.warm_impulse = columns(workspace_.warm.at_least(three));
      job_.row_warm = workspace_.row_warm_after.at_least(job_.rows + 1);
      if (keeps_rests<T> && named) job_.next_rest = columns(workspace_.warm_start_cache.stored_rests());
      if (keeps_rests<T> && scene_.joints.key) job_.row_next_rest = workspace_.row_rests.at_least(job_.rows + 1);
    }
    place_moments(named);
  }

  /// Stores moments in the solver's memory if contacts have columns of moments. Kernels store the moments of contacts
  /// that resist rolling or spinning. All other moments stay 0.
  [[gnu::noinline]] void place_moments(bool named) {
    const bool have_moments = has_contact_moments(scene_.contacts);
    const std::size_t three = 3 * (job_.contacts + 1);
    T* const memory = have_moments ? workspace_.result_moments.at_least(2 * three) : nullptr;
    const auto place = [&](Vector3Columns<T>& to, bool is_cached, std::size_t otherwise) {
      const bool is_needed = is_cached || is_wanted(to);
      to = {};
      if (!have_moments || !is_needed) return;
      to = columns(is_cached ? workspace_.warm_start_cache.stored() + 3 * job_.contacts : memory + otherwise);
      for (const Column<T>* column : {&to.x, &to.y, &to.z}) std::fill_n(column->data, column->count, T(0));
    };
    if (!moves_bodies_ && is_wanted(stored_.warm_angular_impulse))
      stored_.angular_impulse = stored_.warm_angular_impulse;
    place(stored_.angular_impulse, named && !moves_bodies_, 0);
    place(stored_.warm_angular_impulse, named && moves_bodies_, three);
  }

  void find_first_of_contacts() {
    const SceneContacts<T>& contacts = scene_.contacts;
    if (!options_.starts_warm || !(options_.warm_start > 0)) return;
    caches_contacts_ = contacts.key && !contacts.warm_impulse.x;
    if (!caches_contacts_) {
      job_.warm_impulse = contacts.warm_impulse;
      job_.warm_angular_impulse = contacts.warm_angular_impulse;
      return;
    }
    const auto warm_start_cache = [&](std::size_t first) {
      const auto of = [&](std::size_t c) {
        return Column<const T>(workspace_.warm_start_cache.impulse(first + c), job_.contacts);
      };
      return Vector3Columns<const T>{of(0), of(1), of(2)};
    };
    job_.warm_impulse = warm_start_cache(0);
    if (keeps_rests<T> && moves_bodies_) {
      const auto of = [&](std::size_t c) {
        return Column<const T>(workspace_.warm_start_cache.histories().rest(c), job_.contacts);
      };
      job_.warm_rest = {of(0), of(1), of(2)};
    }
    if (has_contact_moments(contacts)) job_.warm_angular_impulse = warm_start_cache(3);
  }

  void find_first_of_rows() {
    const JointRows<T>& joints = scene_.joints;
    row_warm_ = workspace_.row_warm.at_least(job_.rows + 1);
    caches_rows_ = options_.starts_warm && joints.key && !joints.warm_impulse;
    if (keeps_rests<T> && moves_bodies_ && caches_rows_ && options_.substeps.joint_warm_start == 1)
      job_.row_warm_rest = {&workspace_.warm_start_cache.rows()->rest, job_.rows, sizeof(CachedRow<T>)};
    for (std::size_t i = 0; i < job_.rows; ++i)
      row_warm_[i] = !options_.starts_warm ? T(0)
                     : joints.warm_impulse ? joints.warm_impulse[i]
                     : caches_rows_        ? workspace_.warm_start_cache.rows()[i].impulse
                                           : T(0);
  }

  const Scene<T>& scene_;
  const CallOptions& options_;
  kernel::SceneJob<T>& job_;
  Workspace<T>& workspace_;
  bool moves_bodies_;
  SceneResults<T> stored_;
  T *kept_ = nullptr, *row_warm_ = nullptr;
  bool caches_contacts_ = false, caches_rows_ = false;
};

}  // namespace carom::scene
