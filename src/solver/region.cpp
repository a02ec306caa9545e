// Solver::check: impulses put to the permissible region.
#include <atomic>
#include <carom/solver.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <type_traits>

#include "check.hpp"
#include "access.hpp"

namespace carom {
namespace {

void check_length(std::size_t count, std::size_t expected, const char* name) {
  if (count != expected)
    throw Error("carom: the column " + std::string(name) + " has " + std::to_string(count) +
                " elements, but there are " + std::to_string(expected) + " contacts");
}

template <class V>
void check_output(const Column<V>& column, std::size_t contacts, const char* name) {
  if (!column.data) return;
  check_length(column.count, contacts, name);
  if (column.stride == 0 && contacts > 1)
    throw Error("carom: the column " + std::string(name) + " has a stride of 0, but is written to");
}

template <class T>
void check_output(const Vector3Columns<T>& columns, std::size_t contacts, const char* name) {
  for (const auto* column : {&columns.x, &columns.y, &columns.z}) check_output(*column, contacts, name);
}

template <class T>
void check_arguments(const Vector3Columns<const T>& impulse, const RegionMargins<T>& margins,
                     const ImpulseSpace<T>& space, double tolerance, std::size_t contacts) {
  for (const auto* column : {&impulse.x, &impulse.y, &impulse.z}) {
    if (!column->data && contacts > 0) throw Error("carom: the column impulse is missing");
    check_length(column->count, contacts, "impulse");
  }
  check_output(margins.energy, contacts, "margins.energy");
  check_output(margins.non_penetration, contacts, "margins.non_penetration");
  check_output(margins.tension, contacts, "margins.tension");
  check_output(margins.cone, contacts, "margins.cone");
  check_output(margins.status, contacts, "margins.status");
  check_output(space.plastic_frictionless, contacts, "space.plastic_frictionless");
  check_output(space.plastic_sticking, contacts, "space.plastic_sticking");
  check_output(space.contact_energy, contacts, "space.contact_energy");
  if (!(tolerance >= 0 && std::isfinite(tolerance)))
    throw Error("carom: the tolerance is " + in_words(tolerance) + ", not a finite number >= 0");
}

template <class T>
const kernel::RegionKernelsFor<T>& kernels_of(const IsaEntry& entry) {
  if constexpr (std::is_same_v<T, float>)
    return entry.region->f32;
  else
    return entry.region->f64;
}

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

/// `run(count, range)` is Solver::Call::run.
template <class T, template <class> class Contacts, class Run>
RegionReport check_on(kernel::CheckRange<T, Contacts> check_range, const Options& options, const Contacts<T>& contacts,
                      const Vector3Columns<const T>& impulse, const RegionMargins<T>& margins,
                      const ImpulseSpace<T>& space, double tolerance, const Run& run) {
  const std::size_t count = check_columns(contacts, Results<T>{});
  check_arguments(impulse, margins, space, tolerance, count);
  const kernel::RegionJob<T, Contacts> job{contacts,
                                           impulse,
                                           margins,
                                           space,
                                           static_cast<T>(options.normal_tolerance),
                                           static_cast<T>(options.inertia_tolerance),
                                           static_cast<T>(options.largest_restitution),
                                           static_cast<T>(tolerance)};
  Counts counts;
  const auto range = [&](std::size_t first, std::size_t n, kernel::Tally& tally) {
    kernel::RegionTally region;
    check_range(job, first, n, tally, region);
    counts.add(region);
  };
  const Report report = run(count, range);
  return {count,        report.faults(),   counts.outside, counts.gains_energy, counts.penetrates,
          counts.pulls, counts.leaves_cone};
}

}  // namespace

template <class T>
RegionReport Solver::check(const InlineContacts<T>& contacts,
                           const std::type_identity_t<Vector3Columns<const T>>& impulse,
                           const std::type_identity_t<RegionMargins<T>>& margins,
                           const std::type_identity_t<ImpulseSpace<T>>& space, double tolerance) {
  const Call call(*this);
  return check_on(kernels_of<T>(call.entry()).inline_contacts, call.options(), contacts, impulse, margins, space,
                  tolerance, [&](std::size_t count, const auto& range) { return call.run(count, std::cref(range)); });
}
template <class T>
RegionReport Solver::check(const IndexedContacts<T>& contacts,
                           const std::type_identity_t<Vector3Columns<const T>>& impulse,
                           const std::type_identity_t<RegionMargins<T>>& margins,
                           const std::type_identity_t<ImpulseSpace<T>>& space, double tolerance) {
  const Call call(*this);
  return check_on(kernels_of<T>(call.entry()).indexed_contacts, call.options(), contacts, impulse, margins, space,
                  tolerance, [&](std::size_t count, const auto& range) { return call.run(count, std::cref(range)); });
}
template <class T>
RegionReport Solver::check(const SpaceContacts<T>& contacts,
                           const std::type_identity_t<Vector3Columns<const T>>& impulse,
                           const std::type_identity_t<RegionMargins<T>>& margins,
                           const std::type_identity_t<ImpulseSpace<T>>& space, double tolerance) {
  const Call call(*this);
  return check_on(kernels_of<T>(call.entry()).space_contacts, call.options(), contacts, impulse, margins, space,
                  tolerance, [&](std::size_t count, const auto& range) { return call.run(count, std::cref(range)); });
}

template RegionReport Solver::check(const InlineContacts<float>&, const Vector3Columns<const float>&,
                                    const RegionMargins<float>&, const ImpulseSpace<float>&, double);
template RegionReport Solver::check(const InlineContacts<double>&, const Vector3Columns<const double>&,
                                    const RegionMargins<double>&, const ImpulseSpace<double>&, double);
template RegionReport Solver::check(const IndexedContacts<float>&, const Vector3Columns<const float>&,
                                    const RegionMargins<float>&, const ImpulseSpace<float>&, double);
template RegionReport Solver::check(const IndexedContacts<double>&, const Vector3Columns<const double>&,
                                    const RegionMargins<double>&, const ImpulseSpace<double>&, double);
template RegionReport Solver::check(const SpaceContacts<float>&, const Vector3Columns<const float>&,
                                    const RegionMargins<float>&, const ImpulseSpace<float>&, double);
template RegionReport Solver::check(const SpaceContacts<double>&, const Vector3Columns<const double>&,
                                    const RegionMargins<double>&, const ImpulseSpace<double>&, double);

}  // namespace carom
