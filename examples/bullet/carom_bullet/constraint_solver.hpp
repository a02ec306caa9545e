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
#include <cstdint>
#include <memory>

namespace carom::bullet {

/// How contacts that approach with restitution collide.
enum class Collisions : std::uint8_t {
  /// In the sweeps of all contacts: one solve a step. Each rebounds to restitution times its approach speed.
  pgs,
  /// One after the other, the fastest first, each under its collision law, before contacts and joints are held:
  /// SceneMethod::sequential_impacts. For billiards, Newton's cradle, tangential restitution.
  sequence,
  /// In sweeps over what collides, before contacts and joints are held: SceneMethod::iteration, [BS] 3.1.
  iteration,
};

/// How contacts are held from step to step.
enum class Contacts : std::uint8_t {
  pgs,      ///< SceneMethod::pgs, with the impulses of the last step to begin with
  resting,  ///< SceneMethod::resting, [BS] 3.2: no overlap after the step; for Collisions::iteration or sequence
  /// SceneMethod::substeps, which also moves the bodies: stacks and joints that hold, heavy bodies on light ones.
  /// Options::scene.substeps has its number of substeps and its slop.
  substeps,
  /// SceneMethod::ncp, with the impulses of the last step to begin with: simultaneous contacts, solved to an error.
  /// Options::scene.ncp has the tolerance and the budget.
  ncp,
};

/// Defaults for a Bullet world. The rows of its constraints take away errors of position, so that half of their
/// impulses is enough to begin with. Boxes that are equal lose a corner now and then in Bullet's detection, and six
/// rounds hold stacks of them.
inline SceneOptions scene_options_of_an_engine() {
  SceneOptions options;
  options.collision.max_restitution = carom::Options::restitution_limit;  // Bullet has no bound
  options.pgs.joint_warm_start = 0.5;
  options.substeps.inner_iterations = 6;
  options.ncp.budget = 500;
  return options;
}

struct Options {
  Execution execution;
  Collisions collisions = Collisions::pgs;
  /// Contacts::pgs is faster, and keeps the height of bouncing bodies under Collisions::sequence or iteration.
  Contacts contacts = Contacts::substeps;
  /// Its `collision` has the law of Collisions::sequence. The method, simultaneous.iterations, resting.gravity and
  /// the time steps are set by the other options and by Bullet.
  SceneOptions scene = scene_options_of_an_engine();
  /// Maximum number of sweeps of every method. 0: btContactSolverInfo::m_numIterations for simultaneous, which may be
  /// 0, and the numbers in `scene` for the others.
  int iterations = 0;
  /// [1] of every contact, for laws that read it.
  double tangential_restitution = 0;
  /// [1] points of a manifold whose unit normals differ by no more than this share the first one's normal: Bullet keeps
  /// the normals that its points had when it found them. Points with one normal are solved in one piece.
  double normal_tolerance = 1e-3;
};

/// Report of the last step.
struct StepReport {
  SceneReport collisions, contacts;                   ///< the first is empty with Collisions::pgs
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
