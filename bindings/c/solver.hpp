// Common parts of the solvers in C: creation, ISA, memory, and calls that write a report.
#pragma once

#include <carom/carom.h>

#include <carom/solver.hpp>
#include <limits>

#include "fields.hpp"

struct carom_solver {
  carom::Solver solver;
};

namespace carom::c {

template <class Handle>
carom_error create(const carom_execution* execution, Handle** solver) noexcept {
  return guarded([&] {
    given(solver, "solver") = nullptr;
    *solver = new Handle{decltype(Handle::solver)(taken<Execution>(execution))};
  });
}

template <class Handle>
std::int32_t isa_of(const Handle* solver) {
  return solver == nullptr ? CAROM_ISA_AUTOMATIC : static_cast<std::int32_t>(solver->solver.isa());
}

template <class Handle>
std::size_t memory_of(const Handle* solver) {
  return solver == nullptr ? 0 : solver->solver.memory();
}

/// Writes the report of f(solver).
template <class Handle, class C, class F>
carom_error report_of(Handle* solver, C* report, const F& f) noexcept {
  return guarded([&] {
    auto& with = given(solver, "solver").solver;
    check_report(report);
    put_report(f(with), report);
  });
}

/// The tolerance of a call in C, whose default depends on the precision.
template <class T>
double tolerance_of(double tolerance) {
  return tolerance == CAROM_DEFAULT_TOLERANCE ? 64.0 * std::numeric_limits<T>::epsilon() : tolerance;
}

}  // namespace carom::c
