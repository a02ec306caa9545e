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
#include <variant>

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
  constexpr double gravity = 9.81;  // as in carom, if the forces are not given as a gravity
  const auto* bs = std::get_if<BenderSchmitt>(&options.collisions);
  if (bs == nullptr) bs = std::get_if<BenderSchmitt>(&options.scene.method);
  return std::sqrt(2 * gravity * (bs != nullptr ? *bs : BenderSchmitt{}).rest_tolerance);
}

constexpr double min_relaxation = 0.01;

// Groups of fewer manifolds are timed together with the following group.
constexpr int few = 32;

// Bodies, or manifolds, that a thread takes at a time.
constexpr std::size_t at_once = 128;

// Without iterations, only forces act.
bool without_sweeps(const Options& options, const btContactSolverInfo& info) {
  return options.iterations <= 0 && info.m_numIterations <= 0;
}

bool rebounds_with_contacts(const Options& options) {
  return std::holds_alternative<WithContacts>(options.collisions);
}

// The method moves the bodies, and reads overlaps and errors of joints in place of targets.
bool moves_bodies(const Options& options) {
  const auto* pgs = std::get_if<Pgs>(&options.scene.method);
  return options.scene.selected() == SceneMethod::substeps || (pgs != nullptr && pgs->position_correction);
}

// Collisions that come first happen half a step of forces after the last velocity. Otherwise carom adds the forces.
btScalar forces_before(const Options& options) {
  return rebounds_with_contacts(options) ? btScalar(0) : btScalar(0.5);
}

Points::Reading reading(const Options& given, const btContactSolverInfo& info) {
  const bool moves = moves_bodies(given);
  const SceneMethod method = given.scene.selected();
  return {info, static_cast<btScalar>(given.normal_tolerance), moves,
          method == SceneMethod::bender_schmitt || method == SceneMethod::ncp, moves && rebounds_with_contacts(given)};
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
  void hold_nothing(const Options& given);
  void hold_all(const Options& given, const btContactSolverInfo& info);
  void store(const Options& given, const btContactSolverInfo& info);
  void push_apart(const Options& given, const btContactSolverInfo& info);

  // The scene of a step has the same columns as the last one if these are equal.
  struct Form {
    SceneMethod method = SceneMethod::pgs;
    bool rebounds = false, moves = false, surfaces = false, models = false, keys = false;
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
  const btScalar forces = forces_before(given);
  // Bullet's objects lie anywhere in memory, so each is prefetched before it is read.
  for (int i = 0; i < group.objects; ++i) {
    constexpr int ahead = 4;
    if (i + ahead < group.objects)
      fetch(group.object[i + ahead], is_small ? 0 : sizeof(btCollisionObject) / 2,
            is_small ? sizeof(btRigidBody) : sizeof(btCollisionObject));
    bodies.take(*group.object[i]);
    if (is_small) bodies.read_new(info, forces);
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
  if (is_small) bodies.read_new(info, forces);  // only bodies of constraints and manifolds
  // The clock takes as long as the reading of a body. The last group of a step is solved at once.
  lap_goes_on = group.manifolds < few;
  if (!lap_goes_on) add_lap(lap, report.gather_seconds);
}

void ConstraintSolver::State::solve(const Options& given, const btContactSolverInfo& info) {
  auto begin = std::exchange(lap_goes_on, false) ? lap : Clock::now();
  if (std::exchange(has_collided, false)) report.collisions = {};
  // Empty steps count as calls of the solver.
  if (has_begun && empty_steps > max_empty_steps) hold.forget();
  empty_steps = has_begun ? 0 : 1;
  read(given, info);
  add_lap(begin, report.gather_seconds);
  if (!rebounds_with_contacts(given)) {
    collide_first(given, info);
    add_lap(begin, report.collision_seconds);
  }
  if (given.scene.selected() == SceneMethod::pgs && !moves_bodies(given) && without_sweeps(given, info))
    hold_nothing(given);
  else
    hold_all(given, info);
  add_lap(begin, report.contact_seconds);
  store(given, info);
  add_lap(begin, report.store_seconds);
  if (!points.overlaps() || without_sweeps(given, info)) return;
  push_apart(given, info);
  add_lap(begin, report.contact_seconds);
}

// From Bullet's objects, all of which are known by now.
void ConstraintSolver::State::read(const Options& given, const btContactSolverInfo& info) {
  const Points::Reading how = reading(given, info);
  const btScalar forces = forces_before(given);
  const std::size_t body = bodies.reserve(), manifold = points.reserve(0, how);
  parallel.each(bodies.size() - body, at_once,
                [&](std::size_t first, std::size_t end) { bodies.read(body + first, body + end, info, forces); });
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
  empty_steps = std::min(empty_steps, max_empty_steps) + 1;
  report.gather_seconds = report.collision_seconds = report.contact_seconds = report.store_seconds = 0;
}

// Back to Bullet's objects.
void ConstraintSolver::State::store(const Options& given, const btContactSolverInfo& info) {
  points.spread_collisions();
  const bool moved = moves_bodies(given);
  if (moved) begin_sweeps(bodies, points, info.m_timeStep);
  parallel.each(bodies.size(), at_once,
                [&](std::size_t first, std::size_t end) { bodies.store(first, end, moved, info.m_timeStep); });
  const auto rest_speed = static_cast<btScalar>(rest_speed_of(given));
  parallel.each(points.manifolds(), at_once,
                [&](std::size_t first, std::size_t end) { points.store(first, end, bodies, info, rest_speed); });
  constraints.store(info);
}

// Discards the state of an earlier step, however it ended.
void ConstraintSolver::State::begin() {
  report.gather_seconds = report.collision_seconds = report.contact_seconds = report.store_seconds = 0;
  bodies.clear();
  points.clear();
  constraints.clear();
}

namespace {

// Numbers of Bullet's that are out of carom's range count as the nearest one in it.
int iterations_of(const Options& given, const btContactSolverInfo& info) {
  return given.iterations > 0 ? given.iterations : std::clamp(info.m_numIterations, 1, SceneLimits::max_iterations);
}

// Iterations of a method whose own options count unless Options::iterations does.
void set_iterations(const Options& given, SequentialImpacts& impacts) {
  if (given.iterations > 0) impacts.max_impacts = given.iterations;
}
void set_iterations(const Options& given, BenderSchmitt& bs) {
  if (given.iterations > 0) bs.max_iterations = given.iterations;
}

// Effects of Bullet's step settings on the methods that solve contacts after collisions.

struct HoldSettings {
  const Options& given;
  const btContactSolverInfo& info;

  bool is_warm() const { return (info.m_solverMode & SOLVER_USE_WARMSTARTING) != 0; }
  double warm_share() const {
    return is_warm() ? std::clamp(static_cast<double>(info.m_warmstartingFactor), 0.0, 1.0) : 0.0;
  }
  void take_slop(PositionCorrection& correction) const {
    if (info.m_linearSlop > 0) correction.slop = static_cast<double>(info.m_linearSlop);
  }

  void operator()(Substeps& substeps) const {
    if (!is_warm()) substeps.warm_start = 0;
    take_slop(substeps.position_correction);
  }
  void operator()(Pgs& pgs) const {
    pgs.iterations = iterations_of(given, info);
    if (pgs.position_correction) {
      if (!is_warm()) pgs.warm_start = 0;
      return take_slop(*pgs.position_correction);
    }
    pgs.warm_start *= warm_share();
    pgs.relaxation = std::clamp(pgs.relaxation * static_cast<double>(info.m_sor), min_relaxation, 2 - min_relaxation);
  }
  void operator()(Ncp& ncp) const {
    ncp.warm_start *= warm_share();
    if (ncp.max_island_size > 0 || ncp.pgs_presolve) ncp.pgs_iterations = iterations_of(given, info);
  }
  void operator()(BenderSchmitt& bs) const {
    set_iterations(given, bs);
    bs.phase = BenderSchmittPhase::resting;
  }
  void operator()(SequentialImpacts&) const {
    throw Error(
        "carom: sequential impacts do not hold contacts. They belong into Options::collisions, and another method into "
        "Options::scene");
  }
};

}  // namespace

void ConstraintSolver::State::collide_first(const Options& given, const btContactSolverInfo& info) {
  const auto tangential = static_cast<btScalar>(given.tangential_restitution);
  Scene<btScalar> scene = points.colliding(bodies, info, tangential);
  if (static_cast<double>(points.max_approach_speed()) <= rest_speed_of(given)) return points.nothing_collides();
  scene.joints = constraints.rigid_rows();

  SceneOptions how{.data = given.scene.data};
  if (const auto* given_impacts = std::get_if<SequentialImpacts>(&given.collisions)) {
    SequentialImpacts& impacts = how.method.emplace<SequentialImpacts>(*given_impacts);
    set_iterations(given, impacts);
  } else {
    BenderSchmitt& bs = how.method.emplace<BenderSchmitt>(std::get<BenderSchmitt>(given.collisions));
    bs.phase = BenderSchmittPhase::collisions;
    bs.filter = ContactFilter::colliding;
    bs.shock_propagation = 0;
    set_iterations(given, bs);
  }
  SceneResults<btScalar> results;
  results.velocity = bodies.columns(&BodyState::velocity);
  results.angular_velocity = bodies.columns(&BodyState::spin);
  results.impulse = points.collision_impulse.columns();
  report.collisions = collide.solve(select(scene, how.method), results, how);
  has_collided = true;
}

// Also discards impulses of the last step, which Bullet would apply again.
void ConstraintSolver::State::hold_nothing(const Options& given) {
  bodies.add_forces(1 - forces_before(given));
  for (auto& component : points.impulse.of) std::fill(component.begin(), component.end(), btScalar(0));
  constraints.reserve_impulses();
  std::fill(constraints.impulse.begin(), constraints.impulse.end(), btScalar(0));
  hold.forget();
  report.contacts = {};
}

void ConstraintSolver::State::hold_all(const Options& given, const btContactSolverInfo& info) {
  const bool moves = moves_bodies(given), rebounds = rebounds_with_contacts(given);
  const SceneMethod method = given.scene.selected();
  const bool resting = method == SceneMethod::bender_schmitt;
  SceneOptions how = given.scene;
  std::visit(HoldSettings{given, info}, how.method);
  how.time_step = static_cast<double>(info.m_timeStep);
  how.gravity = {};  // Bullet has it in the forces.
  how.restitution_threshold = std::clamp(static_cast<double>(info.m_restitutionVelocityThreshold), 0.0,
                                         static_cast<double>(std::numeric_limits<float>::max()));

  // With `rebounds`, or in substeps, carom adds the forces. Otherwise the velocities have them.
  const bool with_changes = rebounds || moves || resting;
  if (resting) {
    // Collisions have been resolved, and every contact is to be held. A contact that approaches without forces is not
    // held, so all of the velocity counts as forces.
    bodies.add_forces(1 - forces_before(given));
    bodies.count_as_forces();
  } else if (!rebounds) {
    bodies.add_forces(moves ? btScalar(-0.5) : btScalar(0.5));
  }

  const Form form{method, rebounds, moves, points.any_surface_moves(), points.any_has_model(), constraints.any_key()};
  if (!(form == held_form)) {
    held = {};
    held_results = {};
    held_form = form;
  }
  if (moves)
    points.write_for_substeps(held, bodies, info, rebounds);
  else
    points.write(held, bodies, info, resting, rebounds, with_changes);
  constraints.write(held.joints, moves);

  held_results.velocity = bodies.columns(&BodyState::velocity);
  held_results.angular_velocity = bodies.columns(&BodyState::spin);
  if (moves) {
    held_results.displacement = bodies.columns(&BodyState::displacement);
    held_results.rotation = bodies.columns(&BodyState::rotation);
  }
  held_results.impulse = points.impulse.columns();
  held_results.joint_impulse = constraints.impulse;
  report.contacts = hold.solve(select(held, how.method), held_results, how);
}

// Bullet's split impulse: overlaps beyond a threshold go by moving the bodies, without velocity.
void ConstraintSolver::State::push_apart(const Options& given, const btContactSolverInfo& info) {
  const Scene<btScalar> scene = points.overlapping(bodies, info);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies[i].velocity.setZero();
    bodies[i].spin.setZero();
  }
  const auto* given_pgs = std::get_if<Pgs>(&given.scene.method);
  Pgs pgs = given_pgs != nullptr ? *given_pgs : Pgs{};
  pgs.iterations = iterations_of(given, info);
  const SceneOptions how{.method = pgs, .data = given.scene.data};
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

// Errors are thrown here, in the call by the application: groups may come from threads of Bullet, which do not catch
// them.
void ConstraintSolver::allSolved(const btContactSolverInfo& info, btIDebugDraw*) {
  state_->collecting = false;
  if (state_->asked_for_type && !state_->has_had_groups && state_->manifolds_in_world > 0)
    throw Error(
        "carom: the world has contacts but hands over none: a btMultiBodyDynamicsWorld only uses its own solver");
  if (!state_->has_begun && state_->empty_steps > 0 && state_->held_form.method == options.scene.selected())
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
