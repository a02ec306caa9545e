// Columns of contact models that change a manifold's preparation: the axes of its frame, and restitution.
#pragma once

#include "contact/kernels/stages/contact_lanes.hpp"
#include "core/jobs/scene_job.hpp"
#include "simd/kernels/numerics/vectors.hpp"

namespace carom::kernel {
namespace {

/// The part of a direction of friction across the normal, next to 1 in size if the direction is not near the normal.
template <class B>
[[gnu::always_inline]] inline Vector3<B> part_across(const Vector3<B>& direction, const Vector3<B>& n) {
  const B largest = larger(larger(magnitude(direction.x), magnitude(direction.y)), magnitude(direction.z));
  const Vector3<B> scaled = binade_of(largest).inverse * direction;
  return mul_add(negated(dot(scaled, n)), n, scaled);
}

/// The axes of friction, where it has two coefficients: t1 along its direction. Other lanes keep their frame.
template <class Stages, class T, class B>
inline Frame<B> frame_with_axes(const JobInput<T>& job, const std::uint32_t* first, const Frame<B>& frame) {
  const SceneContacts<T>& contacts = job.scene->contacts;
  if (contacts.friction_2.data == nullptr) return frame;
  const B friction = Stages::load_first(contacts.friction, first), zero(0), one(1);
  const B second = Stages::load_first(contacts.friction_2, first);
  const Vector3<B> across = part_across(Stages::load_first(contacts.friction_direction, first), frame.n);
  const B length2 = dot(across, across);
  const auto turns = (friction < second || second < friction) && length2 > zero;
  const Vector3<B> t1 = (one / square_root(choose(turns, length2, one))) * across;
  return {choose(turns, t1, frame.t1), choose(turns, cross(frame.n, t1), frame.t2), frame.n};
}

/// Contacts with compliance along the normal have no restitution.
template <class Stages, class T, class Block, class B, std::size_t n>
inline void take_restitution(const JobInput<T>& job, const Block& block, B (&restitution)[n]) {
  const SceneContacts<T>& contacts = job.scene->contacts;
  const B zero(0);
  B numbers[n];
  if (contacts.normal_compliance.data != nullptr) {
    Stages::load_points(job, contacts.normal_compliance, block, numbers);
    for (std::size_t p = 0; p < points_of_manifold; ++p)
      restitution[p] = choose(numbers[p] > zero, zero, restitution[p]);
  }
  if (contacts.stiffness.data != nullptr) {
    Stages::load_points(job, contacts.stiffness, block, numbers);
    const B infinite(static_cast<T>(__builtin_inf()));
    for (std::size_t p = 0; p < points_of_manifold; ++p)
      restitution[p] = choose(numbers[p] < infinite, zero, restitution[p]);
  }
}

}  // namespace
}  // namespace carom::kernel
