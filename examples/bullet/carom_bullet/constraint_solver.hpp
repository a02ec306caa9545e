// carom as the constraint solver of a Bullet world: Bullet detects contacts, carom responds.
//
//     carom::bullet::ConstraintSolver solver;
//     btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
//
// README.md lists the settings of Bullet that carom uses.
#pragma once

#include <BulletDynamics/ConstraintSolver/btConstraintSolver.h>
#include <BulletDynamics/ConstraintSolver/btContactSolverInfo.h>

#include <carom/scene.hpp>
#include <memory>
#include <variant>

namespace carom::bullet {

/// Contacts rebound in the solve of all contacts.
struct WithContacts {};

/// How contacts that approach with restitution collide.
/// - WithContacts: in one solve a step. Each contact rebounds to restitution times its approach speed.
/// - SequentialImpacts: one contact after the other, the fastest first, each under its collision law, before contacts
///   and joints are held. For billiards, Newton's cradle, tangential restitution.
/// - BenderSchmitt: [BS] 3.1, in iterations over the colliding contacts, before contacts and joints are held. `phase`,
///   `filter` and `shock_propagation` are not used.
using Collisions = std::variant<WithContacts, SequentialImpacts, BenderSchmitt>;

/// Defaults for a Bullet world.
/// - Substeps: Bullet's detection sometimes misses a corner of equal boxes. Six inner iterations hold stacks of them.
/// - Ncp: the budget bounds the time of a step.
/// - Tolerances: Bullet has no upper limit of restitution.
inline SceneOptions scene_options_of_an_engine(SceneMethod method = SceneMethod::substeps) {
  SceneOptions options{.method = default_method(method), .data = {.max_restitution = Tolerances::restitution_limit}};
  if (auto* substeps = std::get_if<Substeps>(&options.method)) substeps->inner_iterations = 6;
  if (auto* ncp = std::get_if<Ncp>(&options.method)) ncp->budget = 500;
  return options;
}

struct Options {
  Execution execution;
  Collisions collisions;
  /// The method that holds contacts and joints, and its options.
  /// - Substeps: stacks and joints hold, and heavy bodies rest on light ones. It also moves the bodies.
  /// - Pgs: faster. Keeps the height of bouncing bodies if `collisions` are SequentialImpacts or BenderSchmitt. Starts
  ///   from the impulses of the last step. With `position_correction` it moves the bodies as Substeps does.
  /// - Ncp: solves all contacts to a tolerance. Starts from the impulses of the last step.
  /// - BenderSchmitt: [BS] 3.2, no overlap after the step, for `collisions` before it. Its `phase` counts as `resting`.
  /// - SequentialImpacts: an Error; it belongs into `collisions`.
  /// The adapter sets time_step, gravity, restitution_threshold and the iterations from Bullet's settings.
  SceneOptions scene = scene_options_of_an_engine();
  /// Maximum number of iterations of every method but Substeps. 0: btContactSolverInfo::m_numIterations for Pgs, which
  /// may be 0, and the methods' own options for the others.
  int iterations = 0;
  /// [1] Tangential restitution of every contact, for laws that read it.
  double tangential_restitution = 0;
  /// [1] Points of a manifold whose unit normals differ by no more than this get the normal of the first point. Bullet
  /// keeps the normals from the time when it found the points. Points with one normal are solved together.
  double normal_tolerance = 1e-3;
};

/// Number of consecutive steps without groups (all bodies sleep) after which the solver forgets its impulses.
inline constexpr int max_empty_steps = 1000;

/// Report of the last step.
struct StepReport {
  SceneReport collisions, contacts;                   ///< the first is empty for WithContacts
  double collision_seconds = 0, contact_seconds = 0;  ///< [s] of the solves
  double gather_seconds = 0, store_seconds = 0;       ///< [s] from Bullet's objects, and back to them
};

/// One for each world. Groups are collected between btConstraintSolver::prepareSolve and allSolved, as the worlds call
/// them, and solved at once in allSolved. A btDiscreteDynamicsWorldMt may hand them over from several threads at once;
/// it takes the solver by setConstraintSolver, in the place of its pool.
///
/// Worlds that carom cannot serve get an Error before a body or a contact point has changed: worlds with links
/// of multibodies, and pools of solvers (btConstraintSolverPoolMt), which call solveGroup alone. A
/// btMultiBodyDynamicsWorld goes on with its own solver after setConstraintSolver: its first step with contacts ends in
/// an Error.
class ConstraintSolver final : public btConstraintSolver {
 public:
  explicit ConstraintSolver(const Options& options = {});
  ~ConstraintSolver() override;

  Options options;  ///< read in every step, except `execution`
  const StepReport& report() const;

  void prepareSolve(int bodies, int manifolds) override;
  btScalar solveGroup(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds, int manifold_count,
                      btTypedConstraint** constraints, int constraint_count, const btContactSolverInfo& info,
                      btIDebugDraw* drawer, btDispatcher* dispatcher) override;
  void allSolved(const btContactSolverInfo& info, btIDebugDraw* drawer) override;
  void reset() override;
  /// Returns 0, a number without a name in Bullet. Callers use the type to cast the solver to one of Bullet's classes,
  /// so no type of Bullet's list would be right.
  btConstraintSolverType getSolverType() const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom::bullet
