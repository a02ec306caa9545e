// The pipeline of a collision, for any ISA and precision. The contacts of a range go through its stages a tile at a
// time:
//
//   load, validate, frame, collision matrix     prepare.hpp (load, validate, frame, collision_matrix.hpp)
//   sliding                                     sliding.hpp (Euler) or series.hpp
//   end of collision                            impulse.hpp (Euler) or rays.hpp; sticking.hpp
//   store                                       store.hpp, write.hpp
//
// flow.hpp takes contacts from tile to lanes and back.
// Each contact's arithmetic is the same in every lane and at every place: no stage combines lanes.
#pragma once

#include "series.hpp"
#include "sliding.hpp"

namespace carom::kernel {
namespace {

/// Everything that does not ask for the form of the contacts.
template <class A, class T>
[[gnu::noinline]] inline void solve_any(const typename Flow<A, T>::Host& host, const Prefetcher<T>& prefetcher,
                                        std::size_t first, std::size_t count, SlidingTiles<T>& workspace,
                                        Tally& tally) {
  Flow<A, T> flow(host, prefetcher, first, count, workspace, tally);
  const auto slide = [&](auto&& slider) {
    slider.solve();
    tally.lane_steps += slider.lane_steps();
    tally.sliding_steps += slider.sliding_steps();
  };
  if (host.parameters.integrator == Integrator::euler)
    slide(EulerSlider<A, T>(flow, host.parameters.step_budget));
  else if (count <= 2 * LaneTypes<A, T>::width)
    slide(SeriesSlider<A, T, A>(flow, host.parameters.step_budget));
  else
    slide(SeriesSlider<A, T>(flow, host.parameters.step_budget));
  flow.finish();
  leave_lanes<A>();
}

/// So many contacts are a line or two of each column, which are there before a line could be fetched ahead of time.
template <class T>
inline constexpr std::size_t few_contacts = 128 / sizeof(T);

template <class A, class T, template <class> class Contacts>
[[gnu::always_inline]] inline void solve_from(const AnyContacts<T>& contacts, const Job<T, Contacts>& job,
                                              std::size_t first, std::size_t count, const Workspace<T>& workspace,
                                              Tally& tally) {
  Prefetcher<T> prefetcher;
  if (count > few_contacts<T>) {
    prefetcher.add(job.contacts, job.layout);
    prefetcher.add(job.results);
  }
  solve_any<A, T>({contacts, job.results, job.parameters, job.layout, job.selection}, prefetcher, first, count,
                  *workspace.sliding, tally);
}

/// Solves contacts whose columns do not all stand side by side.
template <class A, class T, template <class> class Contacts>
[[gnu::noinline]] void solve_scattered(const Job<T, Contacts>& job, std::size_t first, std::size_t count,
                                       const Workspace<T>& workspace, Tally& tally) {
  Contacts<T> copy = job.contacts;
  NearColumns<T> columns(copy, first, first + count);
  const AnyContacts<T> near(copy);
  AnyContacts<T> contacts(job.contacts);
  contacts.bring = &columns;
  contacts.near = &near;
  solve_from<A>(contacts, job, first, count, workspace, tally);
}

template <class A, class T, template <class> class Contacts>
void solve_range(const Job<T, Contacts>& job, std::size_t first, std::size_t count, const Workspace<T>& workspace,
                 Tally& tally) {
  constexpr std::size_t width = LaneTypes<A, T>::width;
  if (width > 1 && count >= width && NearColumns<T>::are_needed(job.contacts))
    solve_scattered<A>(job, first, count, workspace, tally);
  else
    solve_from<A>(AnyContacts<T>(job.contacts), job, first, count, workspace, tally);
}

template <class A, class T>
constexpr KernelsFor<T> kernels_for() {
  return {&solve_range<A, T, InlineContacts>, &solve_range<A, T, IndexedContacts>, &solve_range<A, T, SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
