// Common parts of all solvers: memory, an execution, one call at a time, and the members that show and move them.
#pragma once

#include <atomic>
#include <carom/solver.hpp>
#include <memory>

#include "core/columns/check.hpp"
#include "core/columns/public_call.hpp"
#include "core/jobs/dispatch.hpp"
#include "core/support/held_memory.hpp"

namespace carom {

/// Base of the State of each solver.
struct SolverState {
  explicit SolverState(const Execution& given) : execution(given), entry(&find_isa(given.isa)) {}

  HeldMemory held_memory;
  Execution execution;
  const IsaEntry* entry;
  std::atomic<bool> busy{false};  // see OneCall
};

}  // namespace carom

/// Defines the members that all solvers have. `Solver` has a member `state_` that points to its `State`.
#define CAROM_SOLVER_MEMBERS(Solver)                                 \
  Solver::Solver(const Execution& execution)                         \
      : state_(public_call(#Solver, [&] {                            \
          check_execution(execution);                                \
          return std::make_unique<State>(execution);                 \
        })) {}                                                       \
  Solver::~Solver() = default;                                       \
  Solver::Solver(Solver&&) noexcept = default;                       \
  Solver& Solver::operator=(Solver&&) noexcept = default;            \
  Solver::State& Solver::state() const {                             \
    return state_of(state_);                                         \
  }                                                                  \
  const Execution& Solver::execution() const {                       \
    return state().execution;                                        \
  }                                                                  \
  std::size_t Solver::memory() const noexcept {                      \
    return state_ ? sizeof(State) + state_->held_memory.bytes() : 0; \
  }
