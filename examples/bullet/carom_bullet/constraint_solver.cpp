#include "constraint_solver.hpp"

#include <LinearMath/btTransformUtil.h>

#include <algorithm>
#include <atomic>
#include <carom/status.hpp>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "bodies.hpp"
#include "constraints.hpp"
#include "continuous.hpp"
#include "parallel.hpp"
#include "points.hpp"
#include "settings.hpp"

namespace carom::bullet {

namespace {

using Clock = std::chrono::steady_clock;

// Adds the time since `begin` to `seconds`, and begins anew.
void add_lap(Clock::time_point& begin, double& seconds) {
  const auto now = Clock::now();
  seconds += std::chrono::duration<double>(now - begin).count();
  begin = now;
}

// [m/s] Contacts that approach no faster are at rest.
double rest_speed_of(const Options& options) {
  return std::sqrt(2 * options.scene.rest.gravity * options.scene.rest.tolerance);
}

constexpr double min_relaxation = 0.01;

// Groups of fewer manifolds are timed together with the following group.
constexpr int few = 32;

// Bodies, or manifolds, that a thread takes at a time.
constexpr std::size_t at_once = 128;

// Without iterations forces act, and nothing responds.
bool without_sweeps(const Options& options, const btContactSolverInfo& info) {
  return options.iterations <= 0 && info.m_numIterations <= 0;
}

// Collisions that come first happen half a step of forces after the last velocity.
int halves_of(const Options& options) {
  return options.collisions == Collisions::pgs ? 2 : 1;
}

Points::Reading reading(const Options& given, const btContactSolverInfo& info) {
  return {info, static_cast<btScalar>(given.normal_tolerance), given.contacts == Contacts::substeps,
          given.contacts == Contacts::resting || given.contacts == Contacts::ncp,
          given.contacts == Contacts::substeps && given.collisions == Collisions::pgs};
}

// The arguments of a call of solveGroup.
struct Group {
  btCollisionObject** object;
  int objects;
  btPersistentManifold** manifold;
  int manifolds;
  btTypedConstraint** constraint;
  int constraints;

  bool is_empty() const { return objects == 0 && manifolds == 0 && constraints == 0; }
};

}  // namespace

struct ConstraintSolver::State {
  explicit State(const Execution& execution) : parallel(execution.threads), collide(execution), hold(execution) {}

  void begin();
  void gather(const Group& group, const Options& given, const btContactSolverInfo& info);
  void pass_empty_step();
  void solve(const Options& given, const btContactSolverInfo& info);
  void read(const Options& given, const btContactSolverInfo& info);
  void collide_first(const Options& given, const btContactSolverInfo& info);
  void hold_nothing();
  void hold_all(const Options& given, const btContactSolverInfo& info);
  void store(const Options& given, const btContactSolverInfo& info);
  void correction_rate(const Options& given, const btContactSolverInfo& info);

  // The scene of a step has the same columns as the last one if these are equal.
  struct Form {
    Contacts contacts = Contacts::pgs;
    bool rebounds = false, errors = false, surfaces = false, models = false, keys = false;
    bool operator==(const Form&) const = default;
  };

  Parallel parallel;
  SceneSolver collide, hold;  // two, so that each remembers its own impulses
  Bodies bodies;
  Points points;
  Constraints constraints;
  Scene<btScalar> held;  // of hold_all, from step to step
  SceneResults<btScalar> held_results;
  Form held_form;
  StepReport report;
  bool collecting = false;
  bool has_begun = false;     // A group has come in this step.
  bool is_small = true;       // The objects of a group are read as they come, not all together on several threads.
  bool has_collided = false;  // The report has collisions.
  bool lap_goes_on = false;   // The time since `lap` is no part of the report yet.
  Clock::time_point lap;
  int empty_steps = 0;   // since the last one with a group
  std::mutex gathering;  // the threads of a btDiscreteDynamicsWorldMt gather one after the other

  // A multibody world asks for the type and steps, but hands over no groups.
  std::atomic<bool> asked_for_type = false;
  std::atomic<bool> has_had_groups = false;
  int manifolds_in_world = 0;
};

void ConstraintSolver::State::gather(const Group& group, const Options& given, const btContactSolverInfo& info) {
  if (!lap_goes_on) lap = Clock::now();
  if (!has_begun) this->begin();
  has_begun = true;
  const Points::Reading how = reading(given, info);
  const int halves = halves_of(given);
  // Bullet's objects lie anywhere in memory, so each is prefetched before it is read.
  for (int i = 0; i < group.objects; ++i) {
    constexpr int ahead = 4;
    if (i + ahead < group.objects)
      fetch(group.object[i + ahead], is_small ? 0 : sizeof(btCollisionObject) / 2,
            is_small ? sizeof(btRigidBody) : sizeof(btCollisionObject));
    bodies.take(*group.object[i]);
    if (is_small) bodies.read_new(info, halves);
  }
  for (int i = 0; i < group.constraints; ++i) constraints.take(*group.constraint[i], bodies, info, how.substeps);
  if (is_small) points.reserve(static_cast<std::size_t>(group.manifolds), how);
  for (int i = 0; i < group.manifolds; ++i) {
    constexpr int ahead = 4, far_ahead = 12;
    constexpr std::size_t points_end = sizeof(btManifoldPoint) * MANIFOLD_CACHE_SIZE;
    if (i + far_ahead < group.manifolds) fetch(group.manifold[i + far_ahead], points_end, sizeof(btPersistentManifold));
    if (is_small && i + ahead < group.manifolds)
      fetch(group.manifold[i + ahead], 0,
            sizeof(btManifoldPoint) * static_cast<std::size_t>(group.manifold[i + ahead]->getNumContacts()));
    // Most manifolds of a heap belong to bodies whose boxes overlap but which do not touch.
    if (group.manifold[i]->getNumContacts() == 0) continue;
    if (points.take(*group.manifold[i], bodies, how.substeps) && is_small) points.read_last(bodies, how);
  }
  if (is_small) bodies.read_new(info, halves);  // of constraints and manifolds alone
  // The clock takes as long as the reading of a body. The last group of a step is solved at once.
  lap_goes_on = group.manifolds < few;
  if (!lap_goes_on) add_lap(lap, report.gather_seconds);
}

void ConstraintSolver::State::solve(const Options& given, const btContactSolverInfo& info) {
  auto begin = std::exchange(lap_goes_on, false) ? lap : Clock::now();
  if (std::exchange(has_collided, false)) report.collisions = {};
  // Empty steps count as calls of the solver.
  if (has_begun && empty_steps > SceneThresholds::warm_start_calls) hold.forget();
  empty_steps = has_begun ? 0 : 1;
  read(given, info);
  add_lap(begin, report.gather_seconds);
  if (given.collisions != Collisions::pgs) {
    collide_first(given, info);
    bodies.add_half();
    add_lap(begin, report.collision_seconds);
  }
  if (given.contacts == Contacts::pgs && without_sweeps(given, info))
    hold_nothing();
  else
    hold_all(given, info);
  add_lap(begin, report.contact_seconds);
  store(given, info);
  add_lap(begin, report.store_seconds);
  if (!points.overlaps() || without_sweeps(given, info)) return;
  correction_rate(given, info);
  add_lap(begin, report.contact_seconds);
}

// From Bullet's objects, all of which are known by now.
void ConstraintSolver::State::read(const Options& given, const btContactSolverInfo& info) {
  const Points::Reading how = reading(given, info);
  const int halves = halves_of(given);
  const std::size_t body = bodies.reserve(), manifold = points.reserve(0, how);
  parallel.each(bodies.size() - body, at_once,
                [&](std::size_t first, std::size_t end) { bodies.read(body + first, body + end, info, halves); });
  parallel.each(points.manifolds() - manifold, at_once, [&](std::size_t first, std::size_t end) {
    points.read(manifold + first, manifold + end, bodies, how);
  });
  points.end_reading(how);
  constraints.damp(bodies);
  for (const btPersistentManifold* rolling : points.rolling()) constraints.resist_rolling(*rolling, bodies);
  constraints.lock_axes(bodies);
}

// The first empty step has left the solver and the report as any further empty step would.
void ConstraintSolver::State::pass_empty_step() {
  empty_steps = std::min(empty_steps, SceneThresholds::warm_start_calls) + 1;
  report.gather_seconds = report.collision_seconds = report.contact_seconds = report.store_seconds = 0;
}

// Back to Bullet's objects.
void ConstraintSolver::State::store(const Options& given, const btContactSolverInfo& info) {
  points.spread_collisions();
  const bool moved = given.contacts == Contacts::substeps;
  if (moved) begin_sweeps(bodies, points, info.m_timeStep);
  parallel.each(bodies.size(), at_once,
                [&](std::size_t first, std::size_t end) { bodies.store(first, end, moved, info.m_timeStep); });
  const auto rest_speed = static_cast<btScalar>(rest_speed_of(given));
  parallel.each(points.manifolds(), at_once,
                [&](std::size_t first, std::size_t end) { points.store(first, end, bodies, info, rest_speed); });
  constraints.store(info);
}

// Nothing of an earlier step is left, whichever way it ended.
void ConstraintSolver::State::begin() {
  report.gather_seconds = report.collision_seconds = report.contact_seconds = report.store_seconds = 0;
  bodies.clear();
  points.clear();
  constraints.clear();
}

// Numbers of Bullet's that are out of carom's range count as the nearest one in it.
SceneOptions options_of(const Options& given, const btContactSolverInfo& info) {
  SceneOptions how = given.scene;
  how.pgs.iterations = std::clamp(info.m_numIterations, 1, SceneLimits::max_iterations);
  if (given.iterations > 0)
    how.pgs.iterations = how.iteration.iterations = how.resting.iterations = how.sequential_impacts.impacts =
        given.iterations;
  return how;
}

void ConstraintSolver::State::collide_first(const Options& given, const btContactSolverInfo& info) {
  const auto tangential = static_cast<btScalar>(given.tangential_restitution);
  Scene<btScalar> scene = points.colliding(bodies, info, tangential);
  if (static_cast<double>(points.max_approach_speed()) <= rest_speed_of(given)) return points.nothing_collides();
  scene.joints = constraints.rigid_rows();

  SceneOptions how = options_of(given, info);
  how.method = given.collisions == Collisions::sequence ? SceneMethod::sequential_impacts : SceneMethod::iteration;
  how.shock_propagation.enabled = false;
  SceneResults<btScalar> results;
  results.velocity = bodies.columns(&BodyState::velocity);
  results.angular_velocity = bodies.columns(&BodyState::spin);
  results.impulse = points.collision_impulse.columns();
  report.collisions = collide.solve(scene, results, how);
  has_collided = true;
}

// Impulses of the last step, which Bullet would give again, are gone too.
void ConstraintSolver::State::hold_nothing() {
  for (auto& component : points.impulse.of) std::fill(component.begin(), component.end(), btScalar(0));
  constraints.reserve_impulses();
  std::fill(constraints.impulse.begin(), constraints.impulse.end(), btScalar(0));
  hold.forget();
  report.contacts = {};
}

void ConstraintSolver::State::hold_all(const Options& given, const btContactSolverInfo& info) {
  const bool resting = given.contacts == Contacts::resting, substeps = given.contacts == Contacts::substeps;
  const bool rebounds = given.collisions == Collisions::pgs;
  // In one piece, sweeps push out errors of position as substeps do.
  const bool as_single_substep = given.contacts == Contacts::pgs && given.scene.pgs.time_step != 0;
  const bool errors = substeps || as_single_substep;
  const Form form{given.contacts,       rebounds, errors, points.any_surface_moves(), points.any_has_model(),
                  constraints.any_key()};
  if (!(form == held_form)) {
    held = {};
    held_results = {};
    held_form = form;
  }
  if (substeps)
    points.write_for_substeps(held, bodies, info, rebounds);
  else
    points.write(held, bodies, info, resting, rebounds, resting || errors);
  constraints.write(held.joints, errors);

  SceneOptions how = options_of(given, info);
  how.method = resting                           ? SceneMethod::resting
               : substeps                        ? SceneMethod::substeps
               : given.contacts == Contacts::ncp ? SceneMethod::ncp
                                                 : SceneMethod::pgs;
  const bool warm = (info.m_solverMode & SOLVER_USE_WARMSTARTING) != 0;
  const double share = warm ? std::clamp(static_cast<double>(info.m_warmstartingFactor), 0.0, 1.0) : 0.0;
  how.pgs.warm_start *= share;
  how.ncp.warm_start *= share;
  how.resting.time_step = how.substeps.time_step = static_cast<double>(info.m_timeStep);
  if (!warm) how.substeps.warm_start = 0;
  if (info.m_linearSlop > 0) how.substeps.slop = static_cast<double>(info.m_linearSlop);
  how.pgs.relaxation =
      std::clamp(how.pgs.relaxation * static_cast<double>(info.m_sor), min_relaxation, 2 - min_relaxation);
  how.restitution_threshold = std::clamp(static_cast<double>(info.m_restitutionVelocityThreshold), 0.0,
                                         static_cast<double>(std::numeric_limits<float>::max()));
  how.resting.gravity = {0, 0, 0};
  if (resting) how.rest.gravity = 1e9;  // what collides has done so, so that every contact is held
  held_results.velocity = bodies.columns(&BodyState::velocity);
  held_results.angular_velocity = bodies.columns(&BodyState::spin);
  if (substeps) {
    held_results.displacement = bodies.columns(&BodyState::displacement);
    held_results.rotation = bodies.columns(&BodyState::rotation);
  }
  held_results.impulse = points.impulse.columns();
  held_results.joint_impulse = constraints.impulse;
  report.contacts = hold.solve(held, held_results, how);
}

// Bullet's split impulse: overlaps beyond a threshold go by moving the bodies, without velocity.
void ConstraintSolver::State::correction_rate(const Options& given, const btContactSolverInfo& info) {
  const Scene<btScalar> scene = points.overlapping(bodies, info);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].velocity.setZero();
    bodies[i].spin.setZero();
  }
  SceneOptions how = options_of(given, info);
  how.method = SceneMethod::pgs;
  SceneResults<btScalar> results;
  results.velocity = bodies.columns(&BodyState::velocity);
  results.angular_velocity = bodies.columns(&BodyState::spin);
  collide.solve(scene, results, how);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.moves(static_cast<std::int32_t>(i))) continue;
    const btVector3 &push = bodies[i].velocity, &turn = bodies[i].spin;
    if (push.isZero() && turn.isZero()) continue;
    btTransform moved;
    btTransformUtil::integrateTransform(bodies.body(i).getWorldTransform(), push, turn * info.m_splitImpulseTurnErp,
                                        info.m_timeStep, moved);
    bodies.body(i).setWorldTransform(moved);
  }
}

ConstraintSolver::ConstraintSolver(const Options& given)
    : options(given), state_(std::make_unique<State>(given.execution)) {}

ConstraintSolver::~ConstraintSolver() = default;

const StepReport& ConstraintSolver::report() const {
  return state_->report;
}

btConstraintSolverType ConstraintSolver::getSolverType() const {
  state_->asked_for_type = true;
  return static_cast<btConstraintSolverType>(0);
}

void ConstraintSolver::prepareSolve(int, int manifolds) {
  state_->has_begun = state_->lap_goes_on = false;
  state_->collecting = true;
  state_->manifolds_in_world = manifolds;
  state_->is_small = !state_->parallel.spreads(static_cast<std::size_t>(std::max(manifolds, 0)));
}

btScalar ConstraintSolver::solveGroup(btCollisionObject** bodies, int body_count, btPersistentManifold** manifolds,
                                      int manifold_count, btTypedConstraint** constraints, int constraint_count,
                                      const btContactSolverInfo& info, btIDebugDraw*, btDispatcher*) {
  if (!state_->collecting)
    throw Error(
        "carom: solveGroup outside of prepareSolve and allSolved. carom cannot be in a btConstraintSolverPoolMt, nor "
        "the "
        "second solver of a btDiscreteDynamicsWorldMt: call setConstraintSolver of that world");
  const Group group{bodies, body_count, manifolds, manifold_count, constraints, constraint_count};
  state_->has_had_groups.store(true, std::memory_order_relaxed);
  if (group.is_empty()) return 0;
  const std::lock_guard one_at_a_time(state_->gathering);
  btContactSolverInfo place;
  state_->gather(group, options, sound(info, place));
  return 0;
}

// Errors wait until here, where the host called: groups may come from threads of Bullet's that nobody catches them in.
void ConstraintSolver::allSolved(const btContactSolverInfo& info, btIDebugDraw*) {
  state_->collecting = false;
  if (state_->asked_for_type && !state_->has_had_groups && state_->manifolds_in_world > 0)
    throw Error(
        "carom: the world has contacts but hands over none: a btMultiBodyDynamicsWorld only uses its own solver");
  if (!state_->has_begun && state_->empty_steps > 0 && state_->held_form.contacts == options.contacts)
    return state_->pass_empty_step();
  if (!state_->has_begun) state_->begin();
  try {
    if (state_->bodies.has_links())
      throw Error("carom: a link of a multibody is among the bodies, and carom solves rigid bodies only");
    btContactSolverInfo place;
    state_->solve(options, sound(info, place));
  } catch (...) {
    state_->report = {};
    state_->bodies.release();
    throw;
  }
}

void ConstraintSolver::reset() {
  state_->collide.forget();
  state_->hold.forget();
  state_->points.forget_names();
}

}  // namespace carom::bullet
