// Solver::solve for planar contacts.
#include <carom/solver.hpp>
#include <functional>

#include "access.hpp"
#include "check.hpp"
#include "columns.hpp"
#include "range.hpp"

namespace carom {
namespace {

template <class Call, template <class> class Contacts, class T>
Report solve_on(const Call& call, const Contacts<T>& contacts, const planar::Results<T>& results,
                const Options& options) {
  const std::size_t count = check_columns(contacts, results);
  const auto solve_range = kernel_for<T, Contacts>(*call.entry().planar);
  const kernel::PlanarJob<T, Contacts> job{
      contacts,
      results,
      {options.law, options.restitution_law, options.normal_tolerance, options.largest_restitution},
      layout_for(count * columns::numbers_in(contacts, results) * sizeof(T))};
  const auto range = [&](std::size_t first, std::size_t n, kernel::PlanarWorkspace<T>& workspace,
                         kernel::Tally& tally) { solve_range(job, first, n, workspace, tally); };
  return call.run(count, std::cref(range));
}

}  // namespace

template <class T>
Report Solver::solve(const planar::InlineContacts<T>& contacts, const planar::Results<T>& results,
                     const Options& options) {
  return solve_on(Call(*this, options), contacts, results, options);
}
template <class T>
Report Solver::solve(const planar::IndexedContacts<T>& contacts, const planar::Results<T>& results,
                     const Options& options) {
  return solve_on(Call(*this, options), contacts, results, options);
}
template <class T>
Report Solver::solve(const planar::SpaceContacts<T>& contacts, const planar::Results<T>& results,
                     const Options& options) {
  return solve_on(Call(*this, options), contacts, results, options);
}

#define CAROM_INSTANTIATE(T)                                                                                   \
  template Report Solver::solve(const planar::InlineContacts<T>&, const planar::Results<T>&, const Options&);  \
  template Report Solver::solve(const planar::IndexedContacts<T>&, const planar::Results<T>&, const Options&); \
  template Report Solver::solve(const planar::SpaceContacts<T>&, const planar::Results<T>&, const Options&);
CAROM_INSTANTIATE(float)
CAROM_INSTANTIATE(double)
#undef CAROM_INSTANTIATE

}  // namespace carom
