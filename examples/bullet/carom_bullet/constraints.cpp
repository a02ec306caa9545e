#include "constraints.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace carom::bullet {

namespace {

using Row = JointRowData<btScalar>::Row;
using Vector = JointRowData<btScalar>::Vector;

constexpr int written_scalars = sizeof(WrittenRow) / sizeof(btScalar);

Vector vector(const btVector3& v) {
  return {v.x(), v.y(), v.z()};
}

btScalar dot(const Vector& a, const btVector3& b) {
  return a[0] * b.x() + a[1] * b.y() + a[2] * b.z();
}

// J M^-1 J^T of one side of a row.
btScalar response(const btRigidBody& body, const Vector& linear, const Vector& angular) {
  if (body.isStaticOrKinematicObject()) return 0;
  const btVector3 j(linear[0], linear[1], linear[2]), turn(angular[0], angular[1], angular[2]);
  return j.length2() * body.getInvMass() + turn.dot(body.getInvInertiaTensorWorld() * turn);
}

// The velocity of a row with the step's forces.
btScalar velocity_along(const Row& row, const Bodies& bodies) {
  btScalar sum = 0;
  const auto add = [&](std::int32_t body, const Vector& linear, const Vector& angular) {
    if (body < 0) return;
    const auto i = static_cast<std::size_t>(body);
    sum += dot(linear, bodies.velocity_before[i] + bodies.velocity_change[i]) +
           dot(angular, bodies.spin_before[i] + bodies.spin_change[i]);
  };
  add(row.body_a, row.linear_a, row.angular_a);
  add(row.body_b, row.linear_b, row.angular_b);
  return sum;
}

btVector3 bullet_vector(const Vector& v) {
  return {v[0], v[1], v[2]};
}

// Three rows that keep two points together along three axes tell where these are: of the rotation r x n about an axis n
// the sum of n x (r x n) is 2 r. Lever arms that carom knows turn with the bodies from substep to substep; those of the
// start would feed a chain under tension with energy.
bool find_arms(Row* rows) {
  const auto axis = [&](int i) { return bullet_vector(rows[i].linear_a); };
  for (int i = 0; i < 3; ++i) {
    const btScalar skew = axis(i).dot(axis((i + 1) % 3));
    if (!(std::abs(axis(i).length2() - 1) < btScalar(1e-3)) || !(std::abs(skew) < btScalar(1e-3))) return false;
  }
  const auto find = [&](Vector Row::*linear, Vector Row::*angular, Vector Row::*arm) {
    btVector3 twice(0, 0, 0);
    for (int i = 0; i < 3; ++i) twice += bullet_vector(rows[i].*linear).cross(bullet_vector(rows[i].*angular));
    for (int i = 0; i < 3; ++i) rows[i].*arm = vector(twice / 2);
  };
  find(&Row::linear_a, &Row::angular_a, &Row::arm_a);
  find(&Row::linear_b, &Row::angular_b, &Row::arm_b);
  return true;
}

// A name for a row of a constraint from step to step.
std::uint64_t key_of(const btTypedConstraint& constraint, int row) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&constraint)) * 64 +
         static_cast<std::uint64_t>(row) + 1;
}

}  // namespace

void Constraints::clear() {
  data_.rows.clear();
  rigid_.rows.clear();
  taken_.clear();
}

void Constraints::write(btTypedConstraint& constraint, int rows, btScalar erp, const btContactSolverInfo& info) {
  const btVector3 zero(0, 0, 0);
  written_.assign(static_cast<std::size_t>(rows),
                  {zero, zero, zero, zero, 0, info.m_globalCfm, -SIMD_INFINITY, SIMD_INFINITY});
  btTypedConstraint::btConstraintInfo2 to{};
  to.fps = 1 / info.m_timeStep;
  to.erp = erp;
  to.m_J1linearAxis = written_[0].linear_a;
  to.m_J1angularAxis = written_[0].angular_a;
  to.m_J2linearAxis = written_[0].linear_b;
  to.m_J2angularAxis = written_[0].angular_b;
  to.rowskip = written_scalars;
  to.m_constraintError = &written_[0].error;
  to.cfm = &written_[0].cfm;
  to.m_lowerLimit = &written_[0].lower;
  to.m_upperLimit = &written_[0].upper;
  to.m_numIterations = info.m_numIterations;
  to.m_damping = info.m_damping;
  constraint.getInfo2(&to);
  damping_ = to.m_damping;
}

void Constraints::take(btTypedConstraint& constraint, Bodies& bodies, const btContactSolverInfo& info, bool errors) {
  constraint.internalSetAppliedImpulse(0);
  if (btJointFeedback* feedback = constraint.getJointFeedback(); feedback != nullptr)
    for (btVector3* sum : {&feedback->m_appliedForceBodyA, &feedback->m_appliedTorqueBodyA,
                           &feedback->m_appliedForceBodyB, &feedback->m_appliedTorqueBodyB})
      sum->setZero();
  if (!constraint.isEnabled()) return;
  constraint.buildJacobian();
  btTypedConstraint::btConstraintInfo1 count{};
  constraint.getInfo1(&count);
  if (count.m_numConstraintRows <= 0) return;
  btRigidBody &body_a = constraint.getRigidBodyA(), &body_b = constraint.getRigidBodyB();
  const std::int32_t a = bodies.take(body_a, info), b = bodies.take(body_b, info);
  if (!bodies.moves(a) && !bodies.moves(b)) return;

  // Some constraints keep the ERP that they were asked with last.
  with_half_.clear();
  if (errors) {
    write(constraint, count.m_numConstraintRows, info.m_erp / 2, info);
    for (const WrittenRow& row : written_) with_half_.push_back(row.error);
  }
  write(constraint, count.m_numConstraintRows, info.m_erp, info);

  const btScalar breaks = constraint.getBreakingImpulseThreshold();
  const auto bound = [&](btScalar limit) {
    return std::abs(limit) >= SIMD_INFINITY && breaks >= SIMD_INFINITY
               ? std::copysign(std::numeric_limits<btScalar>::infinity(), limit)
               : std::clamp(limit, -breaks, breaks);
  };
  taken_.push_back({&constraint, data_.rows.size(), static_cast<std::size_t>(count.m_numConstraintRows)});
  for (int i = 0; i < count.m_numConstraintRows; ++i) {
    const WrittenRow& from = written_[static_cast<std::size_t>(i)];
    Row row;
    row.body_a = a;
    row.body_b = b;
    row.linear_a = vector(from.linear_a);
    row.angular_a = vector(from.angular_a);
    row.linear_b = vector(from.linear_b);
    row.angular_b = vector(from.angular_b);
    row.least_impulse = bound(from.lower);
    row.largest_impulse = bound(from.upper);
    // Bullet's rows count CFM in units of their response to an impulse.
    row.compliance =
        from.cfm * (response(body_a, row.linear_a, row.angular_a) + response(body_b, row.linear_b, row.angular_b));
    row.target_velocity = from.error;
    // Motors and limits come and go, and begin with nothing.
    const bool bounded = !std::isinf(row.least_impulse) || !std::isinf(row.largest_impulse);
    row.key = bounded ? 0 : key_of(constraint, i);
    data_.rows.push_back(row);
  }
  if (errors) split_errors(taken_.back().first, info);
  if (damping_ != btScalar(1))
    for (std::size_t i = taken_.back().first; i < data_.rows.size(); ++i)
      data_.rows[i].target_velocity += (1 - damping_) * velocity_along(data_.rows[i], bodies);
}

// What a row asks for is a share of its error a step, linear in the ERP, and a velocity: that of a motor, or of a
// rebound at a limit.
void Constraints::split_errors(std::size_t first, const btContactSolverInfo& info) {
  const auto is_finite = [](btScalar bound) { return std::abs(bound) < SIMD_INFINITY; };
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const WrittenRow& from = written_[i];
    Row& row = data_.rows[first + i];
    row.frequency = 0;
    if (is_finite(from.lower) && is_finite(from.upper) && from.lower < 0 && from.upper > 0) continue;  // a motor
    const btScalar by_error = 2 * (from.error - with_half_[i]);
    // A constraint with an ERP of its own asks for a velocity, as a motor does.
    const bool by_erp = info.m_erp > 0 && std::abs(by_error) > btScalar(1e-5) * std::abs(from.error);
    if (!by_erp && (from.error != 0 || is_finite(from.lower) || is_finite(from.upper))) continue;
    if (by_erp) row.error = -by_error * info.m_timeStep / info.m_erp;
    row.target_velocity = from.error - by_error;
    if (std::abs(row.target_velocity) <= btScalar(1e-5) * std::abs(from.error)) row.target_velocity = 0;
    row.frequency = std::numeric_limits<btScalar>::infinity();
  }
  for (std::size_t i = first; i + 3 <= data_.rows.size();) i += find_arms(&data_.rows[i]) ? 3 : 1;
}

void Constraints::resist_rolling(const btPersistentManifold& manifold, Bodies& bodies,
                                 const btContactSolverInfo& info) {
  btScalar rolling = 0, spinning = 0;  // bounds of the angular impulse
  const btManifoldPoint* heaviest = nullptr;
  for (int i = 0; i < manifold.getNumContacts(); ++i) {
    const btManifoldPoint& point = manifold.getContactPoint(i);
    if (!(point.m_combinedRollingFriction > 0) && !(point.m_combinedSpinningFriction > 0)) continue;
    const btScalar normal = std::max(point.m_appliedImpulse - point.m_prevRHS, btScalar(0));
    rolling += point.m_combinedRollingFriction * normal;
    spinning += point.m_combinedSpinningFriction * normal;
    if (heaviest == nullptr || point.m_appliedImpulse > heaviest->m_appliedImpulse) heaviest = &point;
  }
  if (heaviest == nullptr || !(rolling > 0 || spinning > 0)) return;
  const auto take = [&](const btCollisionObject* object) {
    return bodies.take(const_cast<btCollisionObject&>(*object), info);
  };
  const std::int32_t a = take(manifold.getBody0()), b = take(manifold.getBody1());
  if (!bodies.moves(a) && !bodies.moves(b)) return;
  btVector3 first, second;
  btPlaneSpace1(heaviest->m_normalWorldOnB, first, second);
  const auto add = [&](const btVector3& axis, btScalar largest) {
    if (!(largest > 0)) return;
    Row row;
    row.body_a = a;
    row.body_b = b;
    row.angular_a = vector(axis);
    row.angular_b = vector(-axis);
    row.least_impulse = -largest;
    row.largest_impulse = largest;
    row.frequency = 0;
    data_.rows.push_back(row);
  };
  add(heaviest->m_normalWorldOnB, spinning);
  add(first, rolling);
  add(second, rolling);
}

void Constraints::lock_axes(const Bodies& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const btVector3& factor = bodies.body(i).getLinearFactor();
    if (!bodies.moves(static_cast<std::int32_t>(i))) continue;
    for (int axis = 0; axis < 3; ++axis) {
      if (factor[axis] != btScalar(0)) continue;
      Row row;
      row.body_a = static_cast<std::int32_t>(i);
      row.linear_a[static_cast<std::size_t>(axis)] = 1;
      row.target_velocity = bodies.velocity_before[i][axis];
      data_.rows.push_back(row);
    }
  }
}

JointRows<btScalar> Constraints::rows() {
  impulse.assign(data_.rows.size(), 0);
  return data_.view();
}

JointRows<btScalar> Constraints::rigid_rows() {
  rigid_.rows.clear();
  for (Row row : data_.rows) {
    if (std::isfinite(row.least_impulse) || std::isfinite(row.largest_impulse) || row.compliance > 0) continue;
    row.target_velocity = 0;
    row.key = 0;
    rigid_.rows.push_back(row);
  }
  return rigid_.view();
}

void Constraints::store(const btContactSolverInfo& info) const {
  const btScalar per_second = 1 / info.m_timeStep;
  for (const Taken& taken : taken_) {
    btScalar last = 0;
    bool broken = false;
    for (std::size_t i = taken.first; i < taken.first + taken.count; ++i) {
      const Row& row = data_.rows[i];
      last = impulse[i];
      broken = broken || std::abs(last) >= taken.constraint->getBreakingImpulseThreshold();
      if (btJointFeedback* feedback = taken.constraint->getJointFeedback(); feedback != nullptr) {
        const auto force = [&](const Vector& j) { return btVector3(j[0], j[1], j[2]) * (last * per_second); };
        feedback->m_appliedForceBodyA += force(row.linear_a);
        feedback->m_appliedTorqueBodyA += force(row.angular_a);
        feedback->m_appliedForceBodyB += force(row.linear_b);
        feedback->m_appliedTorqueBodyB += force(row.angular_b);
      }
    }
    taken.constraint->internalSetAppliedImpulse(last);
    if (broken) taken.constraint->setEnabled(false);
  }
}

}  // namespace carom::bullet
