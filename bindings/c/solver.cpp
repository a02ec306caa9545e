#include "solver.hpp"

#include "blocked.hpp"
#include "contact_columns.hpp"

using namespace carom;

namespace {

template <template <class> class AnyContacts, class C, class R>
carom_error solve(carom_solver* solver, std::int32_t precision, const C* contacts, const R* results,
                  const carom_options* options, carom_report* report) noexcept {
  return c::report_of(solver, report, [&](Solver& with) {
    const auto options_of_call = c::taken<Options>(options);
    return c::in_precision(precision, [&]<class T>(std::type_identity<T>) {
      return with.solve(c::taken_contacts<AnyContacts<T>>(contacts),
                        c::taken_results<ResultsOf<AnyContacts<T>>>(results), options_of_call);
    });
  });
}

}  // namespace

carom_error carom_solver_create(const carom_execution* execution, carom_solver** solver) {
  return c::create(execution, solver);
}

void carom_solver_destroy(carom_solver* solver) {
  delete solver;
}

std::int32_t carom_solver_isa(const carom_solver* solver) {
  return c::isa_of(solver);
}

std::size_t carom_solver_memory(const carom_solver* solver) {
  return c::memory_of(solver);
}

void carom_options_init(carom_options* options, std::size_t struct_size) {
  c::init<Options>(options, struct_size);
}

carom_error carom_solve(carom_solver* solver, std::int32_t precision, const carom_contacts* contacts,
                        const carom_results* results, const carom_options* options, carom_report* report) {
  return solve<Contacts>(solver, precision, contacts, results, options, report);
}

carom_error carom_solve_indexed(carom_solver* solver, std::int32_t precision, const carom_indexed_contacts* contacts,
                                const carom_results* results, const carom_options* options, carom_report* report) {
  return solve<IndexedContacts>(solver, precision, contacts, results, options, report);
}

carom_error carom_solve_k(carom_solver* solver, std::int32_t precision, const carom_k_contacts* contacts,
                          const carom_results* results, const carom_options* options, carom_report* report) {
  return solve<KContacts>(solver, precision, contacts, results, options, report);
}

carom_error carom_solve_planar(carom_solver* solver, std::int32_t precision, const carom_planar_contacts* contacts,
                               const carom_planar_results* results, const carom_options* options,
                               carom_report* report) {
  return solve<planar::Contacts>(solver, precision, contacts, results, options, report);
}

carom_error carom_solve_planar_indexed(carom_solver* solver, std::int32_t precision,
                                       const carom_planar_indexed_contacts* contacts,
                                       const carom_planar_results* results, const carom_options* options,
                                       carom_report* report) {
  return solve<planar::IndexedContacts>(solver, precision, contacts, results, options, report);
}

carom_error carom_solve_planar_k(carom_solver* solver, std::int32_t precision, const carom_planar_k_contacts* contacts,
                                 const carom_planar_results* results, const carom_options* options,
                                 carom_report* report) {
  return solve<planar::KContacts>(solver, precision, contacts, results, options, report);
}

carom_error carom_solve_blocked(carom_solver* solver, const carom_blocked_contacts* contacts,
                                const carom_results* results, const carom_options* options, carom_report* report) {
  return c::report_of(solver, report, [&](Solver& with) {
    const auto options_of_call = c::taken<Options>(options);
    return std::visit(
        [&]<class T>(const BlockedContacts<T>& of) {
          return with.solve(of, c::taken_results<Results<T>>(results), options_of_call);
        },
        c::given(contacts, "contacts").contacts);
  });
}

std::int64_t carom_report_first(const carom_report* report, std::int32_t status) {
  return c::first_of(report, &carom_report::by_status, &carom_report::first, status);
}
