// Contact points of Bullet with more than one coefficient of friction: anisotropy, springs, rolling friction, CFM.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "bullet_world.hpp"

namespace carom_bullet_tests {
namespace {

using carom::SceneMethod;

class PointModels : public testing::TestWithParam<SceneMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, PointModels, testing::Values(SceneMethod::pgs, SceneMethod::substeps),
                         [](const auto& of) { return std::string(to_string(of.param)); });

// A box that does not turn, on a slope of 40 degrees whose fall line lies at 45 degrees from the slippery axis, with
// μ = 0.2 and 0.6. With (a + N D²/|D v|) v = G and N = g cos β it slides at 19.2654 degrees from that axis and gains
// 3.62452 m/s in a second. Substeps in float add some roundings of the tangential impulses, each within 1e-7 of p_n.
TEST_P(PointModels, let_a_box_slide_off_the_fall_line) {
  BulletWorld bullet(options_of(GetParam()));
  // The slippery axis is the x axis of the box, which is turned by `yaw`.
  const btScalar slope = 40 * SIMD_RADS_PER_DEG, yaw = 30 * SIMD_RADS_PER_DEG, fall = yaw + 45 * SIMD_RADS_PER_DEG;
  const btScalar down = gravity * std::sin(slope);
  bullet.world.setGravity(btVector3(down * std::cos(fall), down * std::sin(fall), -gravity * std::cos(slope)));
  btRigidBody& ground = bullet.add_ground();
  const btTransform pose(btQuaternion(btVector3(0, 0, 1), yaw), btVector3(-3, -3, 0.05f));
  btRigidBody& box = bullet.add_box(pose, 1, btVector3(1, 1, 0.1f));
  ground.setFriction(1);
  box.setFriction(0.6f);
  box.setAngularFactor(0);
  box.setAnisotropicFriction(btVector3(1 / 3.f, 1, 1), btCollisionObject::CF_ANISOTROPIC_FRICTION);
  bullet.step(60);
  const btVector3& v = box.getLinearVelocity();
  EXPECT_NEAR((std::atan2(v.y(), v.x()) - yaw) * SIMD_DEGS_PER_RAD, 19.265385f, 0.01f);
  EXPECT_NEAR(v.length(), 3.624520f, 1e-3f);
}

// Scaling friction by 1 along both tangents changes only roundings. The scaling along the normal has no effect.
TEST_P(PointModels, of_equal_scalings_are_a_circle) {
  const auto slide = [&](bool scaled) {
    carom::bullet::Options options = options_of(GetParam());
    // Islands without models are not solved directly either.
    if (auto* substeps = std::get_if<carom::Substeps>(&options.scene.method)) substeps->min_substeps = 2;
    BulletWorld bullet(options);
    bullet.add_ground();
    btRigidBody& box = bullet.add_box(at(0, 0, 0.5f));
    if (scaled) box.setAnisotropicFriction(btVector3(1, 1, 0.3f), btCollisionObject::CF_ANISOTROPIC_FRICTION);
    box.setLinearVelocity(btVector3(2, 1, 0));
    bullet.step(20);
    return box.getWorldTransform().getOrigin();
  };
  const btVector3 round = slide(false), scaled = slide(true);
  EXPECT_NEAR(round.x(), scaled.x(), 1e-4f);
  EXPECT_NEAR(round.y(), scaled.y(), 1e-4f);
}

// A box on four springs sinks by m g / (4 k). It falls on them from their ends, and c damps with 2 c / m = 80 1/s.
TEST_P(PointModels, let_a_box_sink_into_springs) {
  BulletWorld bullet(options_of(GetParam()));
  bullet.add_ground();
  btRigidBody& box = bullet.add_box(at(0, 0, 0.5f));
  constexpr btScalar stiffness = 100;
  box.setContactStiffnessAndDamping(stiffness, 10);
  bullet.step(240);
  EXPECT_NEAR(0.5f - box.getWorldTransform().getOrigin().z(), gravity / (4 * stiffness), 5e-4f);
  EXPECT_NEAR(box.getLinearVelocity().z(), 0, 1e-3f);
}

// Rolling friction bounds the moment by all normal impulses of this step: a ball rolls to rest after
// v² (1 + f) r / (2 g μ_r), as steps of h have it to within a step's way.
TEST_P(PointModels, stop_a_ball_by_the_impulse_of_the_same_step) {
  BulletWorld bullet(options_of(GetParam()));
  btRigidBody& plane = bullet.add_plane();
  btRigidBody& ball = bullet.add_ball(at(0, 0, 0.5f));
  plane.setFriction(1);
  ball.setFriction(1);
  ball.setRollingFriction(0.05f);
  ball.setLinearVelocity(btVector3(1, 0, 0));
  ball.setAngularVelocity(btVector3(0, 2, 0));
  bullet.step(120);
  const btScalar expected = 1.4f * 0.5f / (2 * 0.05f * gravity);
  EXPECT_NEAR(ball.getWorldTransform().getOrigin().x(), expected, 1.5f * time_step);
  EXPECT_NEAR(ball.getAngularVelocity().y(), 0, 1e-4f);
}

constexpr btScalar creep = 0.5f;  // [1/kg]

bool let_creep(btManifoldPoint& point, const btCollisionObjectWrapper*, int, int, const btCollisionObjectWrapper*, int,
               int) {
  point.m_contactPointFlags |= BT_CONTACT_FLAG_LATERAL_FRICTION_INITIALIZED;
  point.m_lateralFrictionDir1 = btVector3(1, 0, 0);
  point.m_lateralFrictionDir2 = btVector3(0, 1, 0);
  point.m_contactMotion1 = point.m_contactMotion2 = 0;
  point.m_frictionCFM = creep;
  return true;
}

// Friction holds a flat box on a slope of 0.1. The impulse of friction in a step is m g sin β h in all; each of the
// four points slides at its share of the impulse times the CFM. The shares of a box 10 mm high differ by some percent.
TEST_P(PointModels, let_a_box_creep_by_the_cfm_of_friction) {
  BulletWorld bullet(options_of(GetParam()));
  bullet.world.getSolverInfo().m_solverMode |=
      SOLVER_ENABLE_FRICTION_DIRECTION_CACHING | SOLVER_USE_2_FRICTION_DIRECTIONS;
  bullet.world.setGravity(btVector3(0.1f * gravity, 0, -gravity));
  btRigidBody& ground = bullet.add_ground();
  ground.setCollisionFlags(ground.getCollisionFlags() | btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK);
  gContactAddedCallback = let_creep;
  const btRigidBody& box = bullet.add_box(at(0, 0, 0.005f), 1, btVector3(1, 1, 0.01f));
  bullet.step(60);
  gContactAddedCallback = nullptr;
  const btScalar expected = creep * 0.1f * gravity * time_step / 4;
  EXPECT_NEAR(box.getLinearVelocity().x(), expected, 0.1f * expected);
}

}  // namespace
}  // namespace carom_bullet_tests
