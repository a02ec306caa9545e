#include <carom/carom.h>

#include <carom/system.hpp>

#include "contact_columns.hpp"
#include "solver.hpp"

using namespace carom;

struct carom_system_solver {
  SystemSolver solver;
};

namespace carom::c {

namespace {

template <class T>
ContactSystem<T> taken_system(const carom_contact_system* system) {
  const Given<carom_contact_system> from(given(system, "system"));
  ContactSystem<T> to;
  auto& [friction, velocity, row_start, column, block, warm_impulse, friction_2, friction_direction, normal_compliance,
         tangential_compliance, moment, rolling_friction, spinning_friction, angular_velocity, warm_angular_impulse] =
      to;
  static_assert(sizeof to == 24 * sizeof(Column<T>) &&
                sizeof *system == sizeof(std::size_t) + 24 * sizeof(carom_column));
  Take{}(friction, from->friction);
  columns::each(TakeEach{}, {}, velocity, from->velocity);
  Take{}(row_start, from->row_start);
  Take{}(column, from->column);
  Take{}(block, from->block);
  columns::each(TakeEach{}, {}, warm_impulse, from->warm_impulse);
  Take{}(friction_2, from->friction_2);
  columns::each(TakeEach{}, {}, friction_direction, from->friction_direction);
  Take{}(normal_compliance, from->normal_compliance);
  Take{}(tangential_compliance, from->tangential_compliance);
  Take{}(moment, from->moment);
  Take{}(rolling_friction, from->rolling_friction);
  Take{}(spinning_friction, from->spinning_friction);
  columns::each(TakeEach{}, {}, angular_velocity, from->angular_velocity);
  columns::each(TakeEach{}, {}, warm_angular_impulse, from->warm_angular_impulse);
  return to;
}

template <class T>
SystemResults<T> taken_system_results(const carom_system_results* results) {
  SystemResults<T> to;
  auto& [impulse, velocity, state, island, angular_impulse, angular_velocity] = to;
  static_assert(sizeof to == 14 * sizeof(Column<T>) &&
                sizeof *results == sizeof(std::size_t) + 14 * sizeof(carom_output));
  if (results == nullptr) return to;
  const Given<carom_system_results> from(*results);
  columns::each(TakeEach{}, {}, impulse, from->impulse);
  columns::each(TakeEach{}, {}, velocity, from->velocity);
  Take{}(state, from->state);
  Take{}(island, from->island);
  columns::each(TakeEach{}, {}, angular_impulse, from->angular_impulse);
  columns::each(TakeEach{}, {}, angular_velocity, from->angular_velocity);
  return to;
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
