// A range of a batch on its way to the kernels, contacts of all laws in it.
#pragma once

#include <cstddef>
#include <type_traits>

#include "core/jobs/body_record.hpp"
#include "core/jobs/job.hpp"

namespace carom {

/// Results of the incremental components of composites, until the other components are computed; one chunk of contacts
/// at a time.
template <class T>
struct ComponentResults {
  static constexpr std::size_t chunk = 4096;
  T impulse[3][chunk];
  Status status[chunk];
};

/// Returns whether contacts can be composites with the incremental law as a component.
template <class T>
bool has_incremental_components(const LawColumns<T>& laws, Law otherwise) {
  return laws.weight.incremental && (laws.law || otherwise == Law::composite);
}

template <class T, template <class> class AnyContacts>
struct RangeKernels {
  kernel::SolveRange<T, AnyContacts> incremental, algebraic;
};

/// Solves the contacts [first, first + n). `components` may be null if there are no incremental members.
template <class T, template <class> class AnyContacts>
void solve_range(const kernel::Job<T, AnyContacts>& job, const RangeKernels<T, AnyContacts>& kernels, std::size_t first,
                 std::size_t n, const kernel::Workspace<T>& workspace, ComponentResults<T>* components,
                 kernel::Tally& tally);

/// The options in the form that kernels read.
template <class T>
kernel::Parameters<T> parameters_for(const Options& options);

/// Stores bodies [first, first + n) as kernel::BodyRecord.
template <class T>
void pack_bodies(const std::type_identity_t<BodyColumns<const T>>& bodies, std::size_t first, std::size_t n, T* rows);

/// Returns the best way to fetch and store the columns of a call of `bytes` on this machine.
kernel::Layout layout_for(std::size_t bytes);

}  // namespace carom
