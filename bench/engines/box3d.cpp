#include <box3d/box3d.h>

#include <chrono>
#include <vector>

#include "engine.hpp"

namespace carom::bench {
namespace {

constexpr int substeps = 4;  // Box3D's default

b3Vec3 narrowed(const support::Vector& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

class Box3D : public Engine {
 public:
  explicit Box3D(const MotionWorld& world) {
    b3WorldDef of_world = b3DefaultWorldDef();
    of_world.gravity = narrowed(world.gravity);
    of_world.enableSleep = false;
    of_world.workerCount = 1;
    world_ = b3CreateWorld(&of_world);
    b3BodyDef of_ground = b3DefaultBodyDef();
    of_ground.position = {0, 0, -1};
    const b3BodyId ground = b3CreateBody(world_, &of_ground);
    if (!world.planes.empty()) {
      const b3BoxHull hull = b3MakeBoxHull(400, 400, 1);
      b3ShapeDef shape = b3DefaultShapeDef();
      shape.baseMaterial.friction = static_cast<float>(world.bodies.front().friction);
      b3CreateHullShape(ground, &shape, &hull.base);
    }
    for (const probe::MotionBody& body : world.bodies) {
      b3BodyDef of_body = b3DefaultBodyDef();
      of_body.type = b3_dynamicBody;
      of_body.enableSleep = false;
      of_body.position = narrowed(body.position);
      bodies_.push_back(b3CreateBody(world_, &of_body));
      const auto [x, y, z] = body.half;
      const b3Vec3 half = narrowed(body.half);
      const b3BoxHull hull = b3MakeBoxHull(half.x, half.y, half.z);
      b3ShapeDef shape = b3DefaultShapeDef();
      shape.baseMaterial.friction = static_cast<float>(body.friction);
      shape.density = static_cast<float>(body.mass / (8 * x * y * z));
      b3CreateHullShape(bodies_.back(), &shape, &hull.base);
    }
    for (const probe::MotionJoint& joint : world.joints) {
      b3SphericalJointDef of_joint = b3DefaultSphericalJointDef();
      of_joint.base.bodyIdA = joint.b < 0 ? ground : bodies_[static_cast<std::size_t>(joint.b)];
      of_joint.base.bodyIdB = bodies_[static_cast<std::size_t>(joint.a)];
      of_joint.base.localFrameA.p = narrowed(joint.at_b);
      if (joint.b < 0) of_joint.base.localFrameA.p.z += 1;  // relative to the ground's position
      of_joint.base.localFrameB.p = narrowed(joint.at_a);
      of_joint.base.localFrameA.q = of_joint.base.localFrameB.q = {{0, 0, 0}, 1};
      b3CreateSphericalJoint(world_, &of_joint);
    }
  }
  ~Box3D() override { b3DestroyWorld(world_); }

  StepTimes step() override {
    const auto begin = std::chrono::steady_clock::now();
    b3World_Step(world_, static_cast<float>(time_step), substeps);
    const double step = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return {1e-3 * static_cast<double>(b3World_GetProfile(world_).constraints), step};
  }
  support::Vector position(std::size_t body) override {
    const auto p = b3Body_GetPosition(bodies_[body]);
    return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
  }

 private:
  b3WorldId world_{};
  std::vector<b3BodyId> bodies_;
};

}  // namespace

std::unique_ptr<Engine> make_box3d(const MotionWorld& world) {
  return std::make_unique<Box3D>(world);
}

}  // namespace carom::bench
