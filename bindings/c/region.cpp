#include <carom/carom.h>

#include <carom/solver.hpp>

#include "blocked.hpp"
#include "contact_columns.hpp"
#include "solver.hpp"

using namespace carom;

namespace carom::c {

namespace {

/// The call for contacts of C++, once it is known which they are.
template <class AnyContacts, class V, class S>
RegionReport margins_of(Solver& with, const AnyContacts& contacts, const V* impulse,
                        const carom_region_margins* margins, const S* space, const Options& options, double tolerance) {
  using T = NumberOf<AnyContacts>;
  ImpulsesOf<AnyContacts> impulses;
  columns::each(TakeEach{}, {}, impulses, given(impulse, "impulse"));
  const auto margins_to =
      taken_results<RegionMargins<T>>(margins, [](auto&& f, auto&... of) { columns::each_margin(f, of...); });
  const auto space_to = taken_results<ImpulseSpaceOf<AnyContacts>>(
      space, [](auto&& f, auto&... of) { columns::each_landmark(f, of...); });
  return with.find_margins(contacts, impulses, margins_to, space_to, options, tolerance_of<T>(tolerance));
}

template <template <class> class AnyContacts, class C, class V, class S>
carom_error find_margins(carom_solver* solver, std::int32_t precision, const C* contacts, const V* impulse,
                         const carom_region_margins* margins, const S* space, const carom_options* options,
                         double tolerance, carom_region_report* report) noexcept {
  return report_of(solver, report, [&](Solver& with) {
    const auto options_of_call = taken<Options>(options);
    return in_precision(precision, [&]<class T>(std::type_identity<T>) {
      return margins_of(with, taken_contacts<AnyContacts<T>>(contacts), impulse, margins, space, options_of_call,
                        tolerance);
    });
  });
}

}  // namespace
}  // namespace carom::c

carom_error carom_find_margins(carom_solver* solver, std::int32_t precision, const carom_contacts* contacts,
                               const carom_vectors3* impulse, const carom_region_margins* margins,
                               const carom_impulse_space* space, const carom_options* options, double tolerance,
                               carom_region_report* report) {
  return c::find_margins<Contacts>(solver, precision, contacts, impulse, margins, space, options, tolerance, report);
}

carom_error carom_find_margins_indexed(carom_solver* solver, std::int32_t precision,
                                       const carom_indexed_contacts* contacts, const carom_vectors3* impulse,
                                       const carom_region_margins* margins, const carom_impulse_space* space,
                                       const carom_options* options, double tolerance, carom_region_report* report) {
  return c::find_margins<IndexedContacts>(solver, precision, contacts, impulse, margins, space, options, tolerance,
                                          report);
}

carom_error carom_find_margins_k(carom_solver* solver, std::int32_t precision, const carom_k_contacts* contacts,
                                 const carom_vectors3* impulse, const carom_region_margins* margins,
                                 const carom_impulse_space* space, const carom_options* options, double tolerance,
                                 carom_region_report* report) {
  return c::find_margins<KContacts>(solver, precision, contacts, impulse, margins, space, options, tolerance, report);
}

carom_error carom_find_margins_blocked(carom_solver* solver, const carom_blocked_contacts* contacts,
                                       const carom_vectors3* impulse, const carom_region_margins* margins,
                                       const carom_impulse_space* space, const carom_options* options, double tolerance,
                                       carom_region_report* report) {
  return c::report_of(solver, report, [&](Solver& with) {
    const auto options_of_call = c::taken<Options>(options);
    return std::visit(
        [&](const auto& of) { return c::margins_of(with, of, impulse, margins, space, options_of_call, tolerance); },
        c::given(contacts, "contacts").contacts);
  });
}

carom_error carom_find_margins_planar(carom_solver* solver, std::int32_t precision,
                                      const carom_planar_contacts* contacts, const carom_vectors2* impulse,
                                      const carom_region_margins* margins, const carom_planar_impulse_space* space,
                                      const carom_options* options, double tolerance, carom_region_report* report) {
  return c::find_margins<planar::Contacts>(solver, precision, contacts, impulse, margins, space, options, tolerance,
                                           report);
}

carom_error carom_find_margins_planar_indexed(carom_solver* solver, std::int32_t precision,
                                              const carom_planar_indexed_contacts* contacts,
                                              const carom_vectors2* impulse, const carom_region_margins* margins,
                                              const carom_planar_impulse_space* space, const carom_options* options,
                                              double tolerance, carom_region_report* report) {
  return c::find_margins<planar::IndexedContacts>(solver, precision, contacts, impulse, margins, space, options,
                                                  tolerance, report);
}

carom_error carom_find_margins_planar_k(carom_solver* solver, std::int32_t precision,
                                        const carom_planar_k_contacts* contacts, const carom_vectors2* impulse,
                                        const carom_region_margins* margins, const carom_planar_impulse_space* space,
                                        const carom_options* options, double tolerance, carom_region_report* report) {
  return c::find_margins<planar::KContacts>(solver, precision, contacts, impulse, margins, space, options, tolerance,
                                            report);
}

std::int64_t carom_region_report_first(const carom_region_report* report, std::int32_t status) {
  return c::first_of(report, &carom_region_report::by_status, &carom_region_report::first, status);
}
