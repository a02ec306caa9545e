// Solver::solve for planar contacts.
#include <carom/solver.hpp>
#include <type_traits>

#include "check_planar.hpp"
#include "range.hpp"
#include "access.hpp"

namespace carom {
namespace {

template <class T>
const kernel::PlanarKernelsFor<T>& kernels_of(const IsaEntry& entry) {
  if constexpr (std::is_same_v<T, float>)
    return entry.planar->f32;
  else
    return entry.planar->f64;
}

/// That are read or written for a contact.
template <class T, class Contacts>
std::size_t numbers_of(const Contacts&, const planar::Results<T>& results) {
  const std::size_t read = std::is_same_v<Contacts, planar::InlineContacts<T>>    ? 18
                           : std::is_same_v<Contacts, planar::IndexedContacts<T>> ? 8
                                                                                  : 7;
  std::size_t written = 0;
  for (const auto& v : {results.impulse, results.separation_velocity, results.velocity_a, results.velocity_b})
    written += (v.x ? 1u : 0u) + (v.y ? 1u : 0u);
  for (const auto& column : {results.angular_velocity_a, results.angular_velocity_b}) written += column ? 1u : 0u;
  return read + written;
}

template <class T, template <class> class Contacts>
auto solve_on(kernel::SolvePlanarRange<T, Contacts> solve_range, const Contacts<T>& contacts,
              const planar::Results<T>& results, const Options& options) {
  const kernel::PlanarJob<T, Contacts> job{
      contacts,
      results,
      {options.law, options.restitution_law, options.normal_tolerance, options.largest_restitution},
      layout_for(contacts.friction.count * numbers_of(contacts, results) * sizeof(T))};
  return [=](std::size_t first, std::size_t n, kernel::PlanarWorkspace<T>& workspace, kernel::Tally& tally) {
    solve_range(job, first, n, workspace, tally);
  };
}

}  // namespace

template <class T>
Report Solver::solve(const planar::InlineContacts<T>& contacts, const planar::Results<T>& results) {
  const Call call(*this);
  const std::size_t count = check_columns(contacts, results);
  const auto range = solve_on(kernels_of<T>(call.entry()).inline_contacts, contacts, results, call.options());
  return call.run(count, std::cref(range));
}
template <class T>
Report Solver::solve(const planar::IndexedContacts<T>& contacts, const planar::Results<T>& results) {
  const Call call(*this);
  const std::size_t count = check_columns(contacts, results);
  const auto range = solve_on(kernels_of<T>(call.entry()).indexed_contacts, contacts, results, call.options());
  return call.run(count, std::cref(range));
}
template <class T>
Report Solver::solve(const planar::SpaceContacts<T>& contacts, const planar::Results<T>& results) {
  const Call call(*this);
  const std::size_t count = check_columns(contacts, results);
  const auto range = solve_on(kernels_of<T>(call.entry()).space_contacts, contacts, results, call.options());
  return call.run(count, std::cref(range));
}

template Report Solver::solve(const planar::InlineContacts<float>&, const planar::Results<float>&);
template Report Solver::solve(const planar::InlineContacts<double>&, const planar::Results<double>&);
template Report Solver::solve(const planar::IndexedContacts<float>&, const planar::Results<float>&);
template Report Solver::solve(const planar::IndexedContacts<double>&, const planar::Results<double>&);
template Report Solver::solve(const planar::SpaceContacts<float>&, const planar::Results<float>&);
template Report Solver::solve(const planar::SpaceContacts<double>&, const planar::Results<double>&);

}  // namespace carom
