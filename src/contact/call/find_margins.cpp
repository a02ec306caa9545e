// Solver::find_margins: impulses put to the permissible region.
#include <atomic>
#include <carom/solver.hpp>
#include <functional>

#include "access.hpp"
#include "core/columns/check.hpp"
#include "core/columns/instantiate.hpp"
#include "core/columns/public_call.hpp"
#include "first_block.hpp"
#include "in_space.hpp"

namespace carom {
namespace {

struct Counts {
  std::atomic<std::size_t> outside{0}, gains_energy{0}, penetrates{0}, pulls{0}, leaves_cone{0};

  void add(const kernel::RegionTally& tally) {
    outside.fetch_add(tally.outside, std::memory_order_relaxed);
    gains_energy.fetch_add(tally.gains_energy, std::memory_order_relaxed);
    penetrates.fetch_add(tally.penetrates, std::memory_order_relaxed);
    pulls.fetch_add(tally.pulls, std::memory_order_relaxed);
    leaves_cone.fetch_add(tally.leaves_cone, std::memory_order_relaxed);
  }
};

template <class T>
ImpulseSpace<T> in_world(const planar::ImpulseSpace<T>& space) {
  return {{space.plastic_frictionless.x, space.plastic_frictionless.y, {}},
          {space.plastic_sticking.x, space.plastic_sticking.y, {}},
          space.contact_energy};
}

template <class Call, template <class> class AnyContacts, class T>
RegionReport find_on(const Call& call, const AnyContacts<T>& given,
                     const std::type_identity_t<Vector3Columns<const T>>& given_impulse,
                     const RegionMargins<T>& margins, const std::type_identity_t<ImpulseSpace<T>>& space,
                     const Options& options, double tolerance, std::size_t block_bytes = 0) {
  const auto [contacts, impulse] = check_region_columns(given, given_impulse, margins, space, options);
  const std::size_t count = contacts.friction.count;
  check_tolerance(tolerance);
  kernel::Layout layout;
  layout.block_bytes = block_bytes;
  const auto find_range = kernel_for<T, AnyContacts>(*call.entry().region);
  const kernel::RegionJob<T, AnyContacts> job{
      {impulse, margins, space, layout, static_cast<T>(options.data.normal_tolerance),
       static_cast<T>(options.data.inertia_tolerance), static_cast<T>(options.data.max_restitution),
       static_cast<T>(tolerance)},
      contacts};
  Counts counts;
  const auto range = [&](std::size_t first, std::size_t n, kernel::Tally& tally) {
    kernel::RegionTally region;
    find_range(job, first, n, tally, region);
    counts.add(region);
  };
  const Report report = call.run(count, std::cref(range));
  return {count,        report.by_status,  counts.outside, counts.gains_energy, counts.penetrates,
          counts.pulls, counts.leaves_cone};
}

}  // namespace

template <ContactForm AnyContacts>
RegionReport Solver::find_margins(const AnyContacts& contacts, const ImpulsesOf<AnyContacts>& impulse,
                                  const RegionMargins<NumberOf<AnyContacts>>& margins,
                                  const ImpulseSpaceOf<AnyContacts>& space, const Options& options, double tolerance) {
  using T = NumberOf<AnyContacts>;
  return public_call("Solver::find_margins", [&] {
    const Call call(*this, options);
    if constexpr (requires { AnyContacts::block_size; }) {
      return find_on(call, first_block_of(contacts), impulse, margins, space, options, tolerance, bytes_of_block<T>);
    } else if constexpr (!FormTraits<AnyContacts>::is_planar) {
      return find_on(call, contacts, impulse, margins, space, options, tolerance);
    } else if constexpr (requires { contacts.separation_velocity; }) {
      return find_on(call, in_space(contacts), {impulse.x, zeros_beside(impulse.x), impulse.y}, margins,
                     {{space.plastic_frictionless.x, {}, space.plastic_frictionless.y},
                      {space.plastic_sticking.x, {}, space.plastic_sticking.y},
                      space.contact_energy},
                     options, tolerance);
    } else {
      return find_on(call, in_space(contacts), in_space(impulse), margins, in_world(space), options, tolerance);
    }
  });
}

template <ContactForm AnyContacts>
Expected<RegionReport> Solver::try_find_margins(const AnyContacts& contacts, const ImpulsesOf<AnyContacts>& impulse,
                                                const RegionMargins<NumberOf<AnyContacts>>& margins,
                                                const ImpulseSpaceOf<AnyContacts>& space, const Options& options,
                                                double tolerance) noexcept {
  return without_exceptions([&] { return find_margins(contacts, impulse, margins, space, options, tolerance); });
}

#define CAROM_INSTANTIATE(T, AnyContacts)                                                                    \
  template RegionReport Solver::find_margins(const AnyContacts<T>&, const ImpulsesOf<AnyContacts<T>>&,       \
                                             const RegionMargins<T>&, const ImpulseSpaceOf<AnyContacts<T>>&, \
                                             const Options&, double);                                        \
  template Expected<RegionReport> Solver::try_find_margins(                                                  \
      const AnyContacts<T>&, const ImpulsesOf<AnyContacts<T>>&, const RegionMargins<T>&,                     \
      const ImpulseSpaceOf<AnyContacts<T>>&, const Options&, double) noexcept;
CAROM_FOR_FORMS(CAROM_INSTANTIATE)
CAROM_FOR_PRECISIONS(CAROM_INSTANTIATE, BlockedContacts)
CAROM_FOR_PLANAR_FORMS(CAROM_INSTANTIATE)
#undef CAROM_INSTANTIATE

}  // namespace carom
