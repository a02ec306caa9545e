// Input of a scene call: packs bodies into records, finds faults, and marks the contacts that can share a manifold with
// the contact before them.
#pragma once

#include <algorithm>

#include "changes.hpp"
#include "contact/call/range.hpp"
#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/contact_models.hpp"
#include "core/support/fault.hpp"
#include "core/threads/thread_team.hpp"
#include "scene/graph/graph.hpp"
#include "scene/methods/workspace.hpp"

namespace carom::scene {

/// Numbers of a batch that a thread validates at a time.
inline constexpr std::size_t validated_at_once = 1024;

template <class T>
class SceneInput {
 public:
  SceneInput(const kernel::SceneKernelsFor<T>& kernels, const Scene<T>& scene, const CallOptions& options,
             kernel::SceneJob<T>& job)
      : kernels_(kernels), scene_(scene), options_(options), job_(job) {}

  void reserve(Workspace<T>& workspace) {
    energies_ = workspace.energies.at_least(job_.bodies + 1);
    body_fault_ = workspace.body_fault.at_least(job_.bodies + 1);
    movable_ = workspace.movable.at_least(job_.bodies + 1);
    body_state_ = workspace.body_state.at_least(job_.bodies + 1) + 1;
    job_.status = workspace.status.at_least(job_.contacts + 1);
    link_ = workspace.link.at_least(job_.contacts + 1);
    if (job_.has_models) models_ = workspace.models.at_least(job_.contacts + 1);
    job_.row_status = workspace.row_status.at_least(job_.rows + 1);
    body_a_ = workspace.body_a.at_least(job_.contacts + 1);
    body_b_ = workspace.body_b.at_least(job_.contacts + 1);
    row_body_a_ = workspace.row_body_a.at_least(job_.rows + 1);
    row_body_b_ = workspace.row_body_b.at_least(job_.rows + 1);
  }

  /// Sets the statuses of the job.
  void validate(ThreadTeam& team) {
    team.each(job_.bodies, validated_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      pack_bodies(scene_.bodies, first, end - first, job_.body_rows);
      if (job_.changes != nullptr) take_changes(scene_, options_, job_, first, end);
      kernels_.validate_bodies(job_, first, end - first, body_fault_, movable_, energies_);
      if (job_.changes != nullptr) drop_changes_of_faults(scene_, job_, first, end, body_fault_);
    });
    body_state_[-1] = 0;
    for (std::size_t i = 0; i < job_.bodies; ++i) {
      energy_before_ += static_cast<double>(energies_[i]);
      body_state_[i] = body_fault_[i] != static_cast<std::uint8_t>(Status::ok) ? 2 : movable_[i];
    }
    team.each(job_.contacts, validated_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      kernels_.validate_contacts(job_, first, end - first, job_.status, link_);
      place(first, end, scene_.contacts.body_a, scene_.contacts.body_b, body_a_, body_b_, job_.status, link_);
      if (models_ != nullptr) find_models(first, end);
    });
    team.each(job_.rows, validated_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      kernels_.validate_rows(job_, first, end - first, job_.row_status);
      place(first, end, scene_.joints.body_a, scene_.joints.body_b, row_body_a_, row_body_b_, job_.row_status, nullptr);
    });
  }

  Parts parts() const {
    const auto test = [](const void* input, std::size_t i, std::size_t j) {
      return static_cast<const SceneInput*>(input)->links(i, j);
    };
    return {job_.bodies, job_.contacts,   job_.rows,           movable_, body_a_, body_b_, row_body_a_, row_body_b_,
            job_.status, job_.row_status, {link_, test, this}, models_};
  }

  bool moves(std::int32_t body) const { return body >= 0 && movable_[body] != 0; }
  double energy_before() const { return energy_before_; }
  /// [J] of all sound bodies at the present velocities.
  double energy(ThreadTeam& team) {
    team.each(job_.bodies, validated_at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      kernels_.energies(job_, first, end - first, energies_);
    });
    double sum = 0;
    for (std::size_t i = 0; i < job_.bodies; ++i)
      if (body_fault_[i] == static_cast<std::uint8_t>(Status::ok)) sum += static_cast<double>(energies_[i]);
    return sum;
  }

 private:
  /// The indices of both bodies, and of all faults the first in the order of Status. Contacts that have another
  /// pair than the one before them lose their `link`.
  void place(std::size_t first, std::size_t end, const Column<const std::int32_t>& from_a,
             const Column<const std::int32_t>& from_b, std::int32_t* to_a, std::int32_t* to_b, std::uint8_t* fault,
             std::uint8_t* link) {
    const auto bodies = static_cast<std::uint32_t>(job_.bodies);
    const std::uint8_t* const body_state = body_state_;
    // An index that no body has.
    std::int32_t last_a = first > 0 ? from_a[first - 1] : -2, last_b = first > 0 ? from_b[first - 1] : -2;
    bool is_sound = false;  // whether the previous pair is sound
    for (std::size_t i = first; i < end; ++i) {
      const std::int32_t a = to_a[i] = from_a[i], b = to_b[i] = from_b[i];
      const bool follows = a == last_a && b == last_b;
      if (link != nullptr && !follows) link[i] = 0;
      if (follows && is_sound) continue;
      last_a = a;
      last_b = b;
      const bool known = static_cast<std::uint32_t>(a) + 1 <= bodies && static_cast<std::uint32_t>(b) + 1 <= bodies;
      // Sound: both bodies are without fault, at least one moves, and they differ.
      is_sound = known && (body_state[a] | body_state[b]) == 1 && a != b;
      if (!is_sound) [[unlikely]]
        add_faults_of_bodies(a, b, known, fault[i]);
    }
  }

  void add_faults_of_bodies(std::int32_t a, std::int32_t b, bool known, std::uint8_t& fault) const {
    const auto set = [&](Status status) {
      fault = static_cast<std::uint8_t>(first_fault(static_cast<Status>(fault), status));
    };
    if (!known) return set(Status::body_index_out_of_range);
    if (a == b && a >= 0) set(Status::same_body);
    if (a >= 0) set(static_cast<Status>(body_fault_[a]));
    if (b >= 0) set(static_cast<Status>(body_fault_[b]));
    if (!moves(a) && !moves(b)) set(Status::both_immovable);
  }

  /// Returns whether two contacts of a pair have the same values in the columns that a manifold shares.
  bool links(std::size_t i, std::size_t j) const {
    const auto same = [&](const Column<const T>& column) { return !column || column[i] == column[j]; };
    const auto same_vector = [&](const Vector3Columns<const T>& columns) {
      return same(columns.x) && same(columns.y) && same(columns.z);
    };
    return same_vector(scene_.contacts.normal) && same_vector(scene_.contacts.surface_velocity) &&
           same(scene_.contacts.friction) && same(scene_.contacts.static_friction) &&
           (models_ == nullptr || have_same_ellipse(scene_.contacts, i, j));
  }

  /// Sets models_, and clears the links of contacts whose friction ellipse differs from the previous contact's.
  [[gnu::noinline]] void find_models(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      models_[i] = models_of(scene_.contacts, i);
      if (i > 0 && link_[i] != 0 && !have_same_ellipse(scene_.contacts, i - 1, i)) link_[i] = 0;
    }
  }

  const kernel::SceneKernelsFor<T>& kernels_;
  const Scene<T>& scene_;
  const CallOptions& options_;
  kernel::SceneJob<T>& job_;
  T* energies_ = nullptr;
  std::uint8_t *body_fault_ = nullptr, *movable_ = nullptr, *link_ = nullptr;
  std::uint8_t* models_ = nullptr;  // of contacts, see models_of; null: there are no columns of models
  std::uint8_t* body_state_ =
      nullptr;  // of bodies: 0 does not move, 1 moves, 2 is at fault; before the first the world
  std::int32_t *body_a_ = nullptr, *body_b_ = nullptr, *row_body_a_ = nullptr, *row_body_b_ = nullptr;
  double energy_before_ = 0;
};

}  // namespace carom::scene
