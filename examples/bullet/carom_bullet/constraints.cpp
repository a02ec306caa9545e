#include "constraints.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace carom::bullet {

namespace {

btScalar dot(const btVector3& a, const btVector3& b) {
  return a[0] * b.x() + a[1] * b.y() + a[2] * b.z();
}

// J M^-1 J^T of one side of a row.
btScalar response(const btRigidBody& body, const btVector3& linear, const btVector3& angular) {
  if (body.isStaticOrKinematicObject()) return 0;
  return linear.length2() * body.getInvMass() + angular.dot(body.getInvInertiaTensorWorld() * angular);
}

// The velocity of a row with the step's forces.
btScalar velocity_along(const Row& row, const Bodies& bodies) {
  btScalar sum = 0;
  const auto add = [&](std::int32_t body, const btVector3& linear, const btVector3& angular) {
    if (body < 0) return;
    const BodyState& state = bodies[static_cast<std::size_t>(body)];
    sum += dot(linear, state.velocity_before + state.velocity_change) +
           dot(angular, state.spin_before + state.spin_change);
  };
  add(row.body_a, row.linear_a, row.angular_a);
  add(row.body_b, row.linear_b, row.angular_b);
  return sum;
}

// Finds the lever arms r of three rows that keep two points together along three axes n: the sum of n x (r x n) over
// the axes is 2 r. With them the rows turn with the bodies from substep to substep. Rows of the start of the step would
// feed a chain under tension with energy.
bool find_arms(Row* rows) {
  const auto axis = [&](int i) -> const btVector3& { return rows[i].linear_a; };
  for (int i = 0; i < 3; ++i) {
    const btScalar skew = axis(i).dot(axis((i + 1) % 3));
    if (!(std::abs(axis(i).length2() - 1) < btScalar(1e-3)) || !(std::abs(skew) < btScalar(1e-3))) return false;
  }
  using Vector = btVector3 Row::*;
  const auto find = [&](Vector linear, Vector angular, Vector arm) {
    btVector3 twice(0, 0, 0);
    for (int i = 0; i < 3; ++i) twice += (rows[i].*linear).cross(rows[i].*angular);
    for (int i = 0; i < 3; ++i) rows[i].*arm = twice / 2;
  };
  find(&Row::linear_a, &Row::angular_a, &Row::r_a);
  find(&Row::linear_b, &Row::angular_b, &Row::r_b);
  return true;
}

// A name for a row of a constraint from step to step.
std::uint64_t key_of(const btTypedConstraint& constraint, int row) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&constraint)) * 64 +
         static_cast<std::uint64_t>(row) + 1;
}

void write_view(JointRows<btScalar>& view, const Scratch<Row>& rows, bool errors, bool keys) {
  static const btScalar damping_ratio = 2;
  const Row& first = *rows.data();
  const auto column = [&]<class T>(const T& field) { return Column<const T>(&field, rows.size(), sizeof(Row)); };
  const auto vectors = [&](const btVector3& field) {
    return Vector3Columns<const btScalar>(field.m_floats, rows.size(), sizeof(Row));
  };
  view.body_a = column(first.body_a);
  view.body_b = column(first.body_b);
  view.linear_a = vectors(first.linear_a);
  view.angular_a = vectors(first.angular_a);
  view.linear_b = vectors(first.linear_b);
  view.angular_b = vectors(first.angular_b);
  view.target_velocity = column(first.target_velocity);
  view.min_impulse = column(first.min_impulse);
  view.max_impulse = column(first.max_impulse);
  view.compliance = column(first.compliance);
  if (keys) view.key = column(first.key);
  if (!errors) return;
  view.position_error = column(first.error);
  view.frequency = column(first.frequency);
  view.damping_ratio = damping_ratio;
  view.r_a = vectors(first.r_a);
  view.r_b = vectors(first.r_b);
}

}  // namespace

void Constraints::clear() {
  rows_.resize(0);
  rigid_.resize(0);
  taken_.clear();
  any_key_ = false;
}

Row& Constraints::add_row() {
  rows_.resize(rows_.size() + 1);
  return rows_[rows_.size() - 1] = Row();
}

// Lets the constraint write its rows. Their compliance is Bullet's CFM then, and their bounds are Bullet's.
void Constraints::ask(Taken& taken, btScalar erp, const btContactSolverInfo& info) {
  for (std::size_t i = taken.first; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    for (btVector3* vector : {&row.linear_a, &row.angular_a, &row.linear_b, &row.angular_b, &row.r_a, &row.r_b})
      vector->setZero();
    row.target_velocity = row.error = 0;
    row.frequency = Row::infinity;
    row.compliance = info.m_globalCfm;
    row.min_impulse = -SIMD_INFINITY;
    row.max_impulse = SIMD_INFINITY;
  }
  Row& first = rows_[taken.first];
  btTypedConstraint::btConstraintInfo2 to{};
  to.fps = 1 / info.m_timeStep;
  to.erp = erp;
  to.m_J1linearAxis = first.linear_a;
  to.m_J1angularAxis = first.angular_a;
  to.m_J2linearAxis = first.linear_b;
  to.m_J2angularAxis = first.angular_b;
  to.rowskip = sizeof(Row) / sizeof(btScalar);
  to.m_constraintError = &first.target_velocity;
  to.cfm = &first.compliance;
  to.m_lowerLimit = &first.min_impulse;
  to.m_upperLimit = &first.max_impulse;
  to.m_numIterations = info.m_numIterations;
  to.m_damping = info.m_damping;
  taken.constraint->getInfo2(&to);
  taken.damping = to.m_damping;
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
  const std::int32_t a = bodies.take(body_a), b = bodies.take(body_b);
  if (!bodies.moves(a) && !bodies.moves(b)) return;

  Taken& taken = taken_.emplace_back(
      Taken{&constraint, rows_.size(), static_cast<std::size_t>(count.m_numConstraintRows), btScalar(1)});
  rows_.resize(taken.first + taken.count);
  // Some constraints keep the ERP that they were asked with last.
  with_half_.clear();
  if (errors) {
    ask(taken, info.m_erp / 2, info);
    for (std::size_t i = taken.first; i < rows_.size(); ++i) with_half_.push_back(rows_[i].target_velocity);
  }
  ask(taken, info.m_erp, info);
  if (errors) split_errors(taken, info);

  const btScalar breaks = constraint.getBreakingImpulseThreshold();
  const auto bound = [&](btScalar limit) {
    return std::abs(limit) >= SIMD_INFINITY && breaks >= SIMD_INFINITY ? std::copysign(Row::infinity, limit)
                                                                       : std::clamp(limit, -breaks, breaks);
  };
  std::uint64_t bounds = 1;
  for (std::size_t i = 0; i < taken.count; ++i) {
    Row& row = rows_[taken.first + i];
    row.body_a = a;
    row.body_b = b;
    row.min_impulse = bound(row.min_impulse);
    row.max_impulse = bound(row.max_impulse);
    // Bullet's rows count CFM in units of their response to an impulse.
    if (row.compliance != btScalar(0))
      row.compliance *= response(body_a, row.linear_a, row.angular_a) + response(body_b, row.linear_b, row.angular_b);
    row.key = key_of(constraint, static_cast<int>(i));
    bounds = 4 * bounds + (std::isfinite(row.min_impulse) ? 1 : 0) + (std::isfinite(row.max_impulse) ? 2 : 0);
  }
  any_key_ = true;
  // Motors and limits come and go. They keep their impulses while the constraint has the same ones.
  for (std::size_t i = taken.first; i < rows_.size(); ++i)
    if (std::isfinite(rows_[i].min_impulse) || std::isfinite(rows_[i].max_impulse))
      rows_[i].key += bounds * 0x9E3779B97F4A7C15u;
}

// A row asks for a share of its error per step, linear in the ERP, and for the velocity of a motor or of a rebound at a
// limit.
void Constraints::split_errors(const Taken& taken, const btContactSolverInfo& info) {
  const auto is_finite = [](btScalar bound) { return std::abs(bound) < SIMD_INFINITY; };
  for (std::size_t i = 0; i < taken.count; ++i) {
    Row& row = rows_[taken.first + i];
    const btScalar asked = row.target_velocity;
    row.frequency = 0;
    const bool has_least = is_finite(row.min_impulse), has_largest = is_finite(row.max_impulse);
    if (has_least && has_largest && row.min_impulse < 0 && row.max_impulse > 0) continue;  // a motor
    const btScalar by_error = 2 * (asked - with_half_[i]);
    // A constraint with its own ERP sets a target velocity, like a motor.
    const bool by_erp = info.m_erp > 0 && std::abs(by_error) > btScalar(1e-5) * std::abs(asked);
    if (!by_erp && (asked != 0 || has_least || has_largest)) continue;
    if (by_erp) row.error = -by_error * info.m_timeStep / info.m_erp;
    row.target_velocity = asked - by_error;
    if (std::abs(row.target_velocity) <= btScalar(1e-5) * std::abs(asked)) row.target_velocity = 0;
    row.frequency = Row::infinity;
  }
  for (std::size_t i = taken.first; i + 3 <= rows_.size();) i += find_arms(&rows_[i]) ? 3 : 1;
}

void Constraints::damp(const Bodies& bodies) {
  for (const Taken& taken : taken_) {
    if (taken.damping == btScalar(1)) continue;
    for (std::size_t i = taken.first; i < taken.first + taken.count; ++i)
      rows_[i].target_velocity += (1 - taken.damping) * velocity_along(rows_[i], bodies);
  }
}

void Constraints::resist_rolling(const btPersistentManifold& manifold, Bodies& bodies) {
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
    return bodies.take(const_cast<btCollisionObject&>(*object));
  };
  const std::int32_t a = take(manifold.getBody0()), b = take(manifold.getBody1());
  if (!bodies.moves(a) && !bodies.moves(b)) return;
  btVector3 first, second;
  btPlaneSpace1(heaviest->m_normalWorldOnB, first, second);
  const auto add = [&](const btVector3& axis, btScalar largest) {
    if (!(largest > 0)) return;
    Row& row = add_row();
    row.body_a = a;
    row.body_b = b;
    row.angular_a = axis;
    row.angular_b = -axis;
    row.min_impulse = -largest;
    row.max_impulse = largest;
    row.frequency = 0;
  };
  add(heaviest->m_normalWorldOnB, spinning);
  add(first, rolling);
  add(second, rolling);
}

void Constraints::lock_axes(const Bodies& bodies) {
  if (!bodies.any_has_locked_axes()) return;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.has_locked_axes(i)) continue;
    const btVector3& factor = bodies.body(i).getLinearFactor();
    for (int axis = 0; axis < 3; ++axis) {
      if (factor[axis] != btScalar(0)) continue;
      Row& row = add_row();
      row.body_a = static_cast<std::int32_t>(i);
      row.linear_a[axis] = 1;
      row.target_velocity = bodies[i].velocity_before[axis];
    }
  }
}

void Constraints::write(JointRows<btScalar>& columns, bool errors) {
  reserve_impulses();
  write_view(columns, rows_, errors, any_key_);
}

JointRows<btScalar> Constraints::rigid_rows() {
  rigid_.resize(rows_.size());
  std::size_t count = 0;
  for (const Row& row : rows_) {
    if (std::isfinite(row.min_impulse) || std::isfinite(row.max_impulse) || row.compliance > 0) continue;
    rigid_[count] = row;
    rigid_[count++].target_velocity = 0;
  }
  rigid_.resize(count);
  JointRows<btScalar> columns;
  write_view(columns, rigid_, false, false);
  return columns;
}

void Constraints::store(const btContactSolverInfo& info) const {
  const btScalar per_second = 1 / info.m_timeStep;
  for (const Taken& taken : taken_) {
    btScalar last = 0;
    bool broken = false;
    for (std::size_t i = taken.first; i < taken.first + taken.count; ++i) {
      const Row& row = rows_[i];
      last = impulse[i];
      broken = broken || std::abs(last) >= taken.constraint->getBreakingImpulseThreshold();
      if (btJointFeedback* feedback = taken.constraint->getJointFeedback(); feedback != nullptr) {
        const auto force = [&](const btVector3& j) { return j * (last * per_second); };
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
