#include "point_models.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::bullet {
namespace {

// [s/kg] Bullet's softness of the normal row.
btScalar cfm_of(const btManifoldPoint& point, const btContactSolverInfo& info) {
  if (is_spring(point)) {
    const btScalar stiff = info.m_timeStep * point.m_combinedContactStiffness1 + point.m_combinedContactDamping1;
    return 1 / std::max(stiff, SIMD_EPSILON);
  }
  return has_flag(point, BT_CONTACT_FLAG_HAS_CONTACT_CFM) ? point.m_contactCFM : info.m_globalCfm;
}

btScalar sound_or_zero(btScalar x) {
  return std::isfinite(x) && x > 0 ? x : btScalar(0);
}

// Bullet's scaling of a direction of friction by a body.
btVector3 scaled(const btVector3& direction, const btCollisionObject& body) {
  if (!body.hasAnisotropicFriction(btCollisionObject::CF_ANISOTROPIC_FRICTION)) return direction;
  const btMatrix3x3& basis = body.getWorldTransform().getBasis();
  return basis * ((direction * basis) * body.getAnisotropicFriction());
}

// The ellipse that the directions of a circle become in the plane of contact: its axes, and a direction along the
// first.
struct Ellipse {
  btScalar along, across;
  btVector3 direction;
};
Ellipse ellipse_of(const btVector3& normal, const btCollisionObject& a, const btCollisionObject& b) {
  btVector3 first(0, 0, 0), second(0, 0, 0);
  btPlaneSpace1(normal, first, second);
  const btVector3 x = scaled(scaled(first, a), b), y = scaled(scaled(second, a), b);
  // M Mᵀ of the scaling M in the plane: the squares of the axes are its eigenvalues.
  const btScalar m11 = x.dot(first), m21 = x.dot(second), m12 = y.dot(first), m22 = y.dot(second);
  const btScalar s11 = m11 * m11 + m12 * m12, s12 = m11 * m21 + m12 * m22, s22 = m21 * m21 + m22 * m22;
  const btScalar mean = (s11 + s22) / 2, half = (s11 - s22) / 2, apart = std::sqrt(half * half + s12 * s12);
  const btScalar angle = std::atan2(s12, half) / 2;
  return {std::sqrt(mean + apart), std::sqrt(std::max(mean - apart, btScalar(0))),
          first * std::cos(angle) + second * std::sin(angle)};
}

}  // namespace

bool has_model(const btManifoldPoint& point, bool own_directions, const btContactSolverInfo& info) {
  return point.m_combinedRollingFriction > 0 || point.m_combinedSpinningFriction > 0 || info.m_globalCfm > 0 ||
         has_flag(point, BT_CONTACT_FLAG_HAS_CONTACT_CFM) ||
         has_flag(point, BT_CONTACT_FLAG_CONTACT_STIFFNESS_DAMPING) || (own_directions && point.m_frictionCFM > 0);
}

bool has_anisotropic_friction(const btCollisionObject* a, const btCollisionObject* b) {
  const auto is = [](const btCollisionObject* body) {
    return body != nullptr && body->hasAnisotropicFriction(btCollisionObject::CF_ANISOTROPIC_FRICTION);
  };
  return is(a) || is(b);
}

void PointModels::resize(std::size_t count) {
  for (Scratch<btScalar>* column :
       {&friction_2_, &rolling_, &spinning_, &normal_compliance_, &tangential_compliance_, &stiffness_, &damping_})
    column->resize(count);
  direction_.resize(count);
}

void PointModels::read(std::size_t i, const btManifoldPoint& point, const btVector3& normal, const btCollisionObject& a,
                       const btCollisionObject& b, bool own_directions, bool substeps, const btContactSolverInfo& info,
                       btScalar& friction) {
  Ellipse ellipse{1, 1, btVector3(1, 0, 0)};
  if (has_anisotropic_friction(&a, &b)) ellipse = ellipse_of(normal, a, b);
  friction_2_[i] = ellipse.across * friction;
  friction = ellipse.along * friction;
  direction_.set(i, ellipse.direction);
  rolling_[i] = sound_or_zero(point.m_combinedRollingFriction);
  spinning_[i] = sound_or_zero(point.m_combinedSpinningFriction);
  const bool spring = substeps && is_spring(point);
  normal_compliance_[i] = spring ? btScalar(0) : sound_or_zero(cfm_of(point, info) / info.m_timeStep);
  tangential_compliance_[i] = own_directions ? sound_or_zero(point.m_frictionCFM) : btScalar(0);
  stiffness_[i] =
      spring ? std::max(point.m_combinedContactStiffness1, SIMD_EPSILON) : std::numeric_limits<btScalar>::infinity();
  damping_[i] = spring ? sound_or_zero(point.m_combinedContactDamping1) : btScalar(0);
}

void PointModels::add_to(SceneContacts<btScalar>& contacts, bool substeps) {
  contacts.friction_2 = friction_2_;
  contacts.friction_direction = direction_.columns();
  contacts.rolling_friction = rolling_;
  contacts.spinning_friction = spinning_;
  contacts.normal_compliance = normal_compliance_;
  contacts.tangential_compliance = tangential_compliance_;
  if (!substeps) return;
  contacts.stiffness = stiffness_;
  contacts.damping = damping_;
}

}  // namespace carom::bullet
