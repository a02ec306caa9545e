#include "constraint_solver.hpp"
namespace carom::bullet {
struct ConstraintSolver::State { StepReport report; };
ConstraintSolver::ConstraintSolver(const Options& given) : options(given), state_(std::make_unique<State>()) {}
ConstraintSolver::~ConstraintSolver() = default;
const StepReport& ConstraintSolver::report() const { return state_->report; }
void ConstraintSolver::prepareSolve(int, int) {}
btScalar ConstraintSolver::solveGroup(btCollisionObject**, int, btPersistentManifold**, int, btTypedConstraint**, int, const btContactSolverInfo&, btIDebugDraw*, btDispatcher*) { return 0; }
void ConstraintSolver::allSolved(const btContactSolverInfo&, btIDebugDraw*) {}
void ConstraintSolver::reset() {}
}
