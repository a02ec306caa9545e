// Targets: the normal velocity that a contact is to have after the step.
#pragma once

#include "block.hpp"

namespace carom::kernel {
namespace {

/// The velocity after a collision at mid step, when half of the forces have acted; 0 without restitution, or if the
/// approach was slower than the threshold before forces acted.
template <class B, class T>
inline B rebound_of(const SceneJob<T>& job, B normal, B restitution, B half_change) {
  const B rebound = neg_mul_add(restitution, normal - half_change, half_change);
  const auto slow = half_change + half_change - normal < B(job.parameters.restitution_threshold);
  return choose(restitution > B(0), choose(slow, B(0), rebound), B(0));
}

/// Target of a contact with the present velocity `normal`. `wanted`: the caller's min. velocity.
template <class B, class T>
inline B target_of(const SceneJob<T>& job, B normal, B wanted, B restitution, B half_change) {
  const B zero(0), rebound = rebound_of(job, normal, restitution, half_change);
  // A contact that separates may be caught up with, at no more than its own rebound; an overlap is pushed out all the
  // same. Without rebound a body may come as near as its target lets it.
  const auto fast = normal - (half_change + half_change) > B(job.parameters.restitution_threshold);
  const B caught = choose(fast, smaller(wanted, negated(restitution) * normal), wanted);
  return choose(wanted - normal > zero, choose(rebound > zero, larger(wanted, rebound), wanted),
                choose(wanted > zero, wanted, caught));
}

}  // namespace
}  // namespace carom::kernel
