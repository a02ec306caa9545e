#include <carom/carom.h>

#include <carom/system.hpp>

#include "contact_columns.hpp"
#include "core/columns/scene_columns.hpp"
#include "solver.hpp"

using namespace carom;

struct carom_system_solver {
  SystemSolver solver;
};

namespace carom::c {

namespace {

template <class T>
ContactSystem<T> taken_system(const carom_contact_system* system) {
  ContactSystem<T> to;
  take_columns(to, &given(system, "system"), [](auto&& f, auto&... of) {
    columns::each_needed_of_system(f, of...);
    columns::each_optional_of_system(f, of...);
    columns::each_needed_of_moments(f, of...);
    columns::each_optional_of_moments(f, of...);
    columns::each_of_matrix(f, of...);
  });
  return to;
}

template <class T>
SystemResults<T> taken_system_results(const carom_system_results* results) {
  return taken_results<SystemResults<T>>(results, [](auto&& f, auto&... of) {
    columns::each_system_result(f, of...);
    columns::each_moment_result(f, of...);
  });
}

}  // namespace
}  // namespace carom::c

carom_error carom_system_solver_create(const carom_execution* execution, carom_system_solver** solver) {
  return c::create(execution, solver);
}

void carom_system_solver_destroy(carom_system_solver* solver) {
  delete solver;
}

std::size_t carom_system_solver_memory(const carom_system_solver* solver) {
  return c::memory_of(solver);
}

void carom_system_options_init(carom_system_options* options, std::size_t struct_size) {
  c::init<SystemOptions>(options, struct_size);
}

carom_error carom_system_solve(carom_system_solver* solver, std::int32_t precision, const carom_contact_system* system,
                               const carom_system_results* results, const carom_system_options* options,
                               carom_system_report* report) {
  return c::report_of(solver, report, [&](SystemSolver& with) {
    const auto options_of_call = c::taken<SystemOptions>(options);
    return c::in_precision(precision, [&]<class T>(std::type_identity<T>) {
      return with.solve(c::taken_system<T>(system), c::taken_system_results<T>(results), options_of_call);
    });
  });
}

carom_error carom_system_solver_island(const carom_system_solver* solver, std::size_t index,
                                       carom_system_island* island) {
  return c::guarded([&] {
    const auto islands = c::given(solver, "solver").solver.islands();
    c::check_report(&c::given(island, "island"));
    check_index("island", index, islands.size());
    c::put_report(islands[index], island);
  });
}

std::int64_t carom_system_report_first(const carom_system_report* report, std::int32_t state) {
  return c::first_of(report, &carom_system_report::by_state, &carom_system_report::first, state);
}
