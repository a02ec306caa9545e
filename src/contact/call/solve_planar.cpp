// Solver::solve for planar contacts.
#include <carom/solver.hpp>
#include <functional>

#include "access.hpp"
#include "core/columns/check.hpp"
#include "core/columns/columns.hpp"
#include "core/columns/instantiate.hpp"
#include "range.hpp"

namespace carom {
namespace {

template <class Call, template <class> class AnyContacts, class T>
Report solve_on(const Call& call, const AnyContacts<T>& given, const planar::Results<T>& results,
                const Options& options) {
  const auto resolved = check_columns(given, results, options);
  const AnyContacts<T>& contacts = *resolved;
  const std::size_t count = contacts.friction.count;
  const auto solve_range = kernel_for<T, AnyContacts>(*call.entry().planar);
  const kernel::PlanarJob<T, AnyContacts> job{
      contacts,
      results,
      {options.law, options.restitution_law, options.data.normal_tolerance, options.data.max_restitution},
      layout_for(count * columns::numbers_in(contacts, results) * sizeof(T))};
  const auto range = [&](std::size_t first, std::size_t n, kernel::PlanarWorkspace<T>& workspace,
                         kernel::Tally& tally) {
    solve_range(job, first, n, workspace, tally);
    // Nothing is integrated.
    for (std::size_t i = first; i < first + n && results.steps; ++i) results.steps[i] = 0;
  };
  return call.template run_planar<T>(count, std::cref(range));
}

}  // namespace

template <ContactForm AnyContacts>
Report Solver::Call::solve_planar(const AnyContacts& contacts, const ResultsOf<AnyContacts>& results,
                                  const Options& options) const {
  return solve_on(*this, contacts, results, options);
}

#define CAROM_INSTANTIATE(T, AnyContacts) \
  template Report Solver::Call::solve_planar(const AnyContacts<T>&, const planar::Results<T>&, const Options&) const;
CAROM_FOR_PLANAR_FORMS(CAROM_INSTANTIATE)
#undef CAROM_INSTANTIATE

}  // namespace carom
