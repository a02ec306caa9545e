// The pipeline of a collision, for any ISA and precision. The contacts of a range go through its stages a tile at a
// time:
//
//   load, validate, frame, collision matrix     prepare.hpp (load, validate, frame, collision_matrix.hpp)
//   sliding                                     sliding.hpp (Euler) or series.hpp
//   end of collision                            impulse.hpp (Euler) or rays.hpp; sticking.hpp
//   store                                       store.hpp, write.hpp
//
// tiles.hpp has the tiles; flow.hpp takes contacts from tile to lanes and back for Euler's method, series.hpp by
// itself. Each contact's arithmetic is the same in every lane and at every place: no stage combines lanes.
#pragma once

#include "series.hpp"
#include "sliding.hpp"

namespace carom::kernel {
namespace {

/// Everything that does not ask for the form of the contacts.
template <class A, class T>
[[gnu::noinline]] inline void solve_any(const typename Tiles<A, T>::Host& host, std::size_t first, std::size_t count,
                                        SlidingTiles<T>& workspace, Tally& tally) {
  Tiles<A, T> tiles(host, first, count, tally);
  const auto solve = [&](auto&& slider) {
    slider.solve();
    tally.lane_steps += slider.lane_steps();
    tally.sliding_steps += slider.sliding_steps();
  };
  if (host.parameters.integrator == Integrator::euler)
    solve(EulerSlider<A, T>(tiles, workspace));
  else if (count <= 16 * LaneTypes<A, T>::width)  // of so few, two vectors in turn idle more than they gain
    solve(SeriesSlider<A, T, A>(tiles, workspace));
  else
    solve(SeriesSlider<A, T>(tiles, workspace));
  leave_lanes<A>();
}

template <class A, class T, template <class> class AnyContacts>
void solve_range(const Job<T, AnyContacts>& job, std::size_t first, std::size_t count, const Workspace<T>& workspace,
                 Tally& tally) {
  ContactReader<A, T> contacts(job.contacts, job.layout, count, workspace.sliding->input);
  solve_any<A, T>({contacts, job.contacts.laws, job.results, job.parameters, job.selection}, first, count,
                  *workspace.sliding, tally);
}

template <class A>
inline constexpr Kernels incremental_kernels = Kernels::of([]<class T, template <class> class AnyContacts>() {
  return &solve_range<A, T, AnyContacts>;
});

}  // namespace
}  // namespace carom::kernel
