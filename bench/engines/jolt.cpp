#include <Jolt/Jolt.h>
// Others need its types.
#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyCreationSettings.h>
#include <Jolt/Physics/Collision/GroupFilterTable.h>
#include <Jolt/Physics/Collision/Shape/BoxShape.h>
#include <Jolt/Physics/Constraints/PointConstraint.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/RegisterTypes.h>

#include <chrono>
#include <vector>

#include "engine.hpp"

namespace carom::bench {
namespace {

constexpr JPH::uint room = 65536;  // bodies, pairs and contacts
constexpr JPH::ObjectLayer fixed = 0, moving = 1;

JPH::Vec3 narrowed(const support::Vector& v) {
  return {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])};
}

struct Layers final : JPH::BroadPhaseLayerInterface {
  JPH::uint GetNumBroadPhaseLayers() const override { return 2; }
  JPH::BroadPhaseLayer GetBroadPhaseLayer(JPH::ObjectLayer layer) const override {
    return JPH::BroadPhaseLayer(static_cast<JPH::BroadPhaseLayer::Type>(layer));
  }
};
struct LayersOfPairs final : JPH::ObjectVsBroadPhaseLayerFilter {
  bool ShouldCollide(JPH::ObjectLayer a, JPH::BroadPhaseLayer b) const override {
    return a == moving || b == JPH::BroadPhaseLayer(1);
  }
};
struct Pairs final : JPH::ObjectLayerPairFilter {
  bool ShouldCollide(JPH::ObjectLayer a, JPH::ObjectLayer b) const override { return a == moving || b == moving; }
};

/// Once for the program.
struct Library {
  Library() {
    JPH::RegisterDefaultAllocator();
    JPH::Factory::sInstance = new JPH::Factory();
    JPH::RegisterTypes();
  }
};

class Jolt : public Engine {
 public:
  explicit Jolt(const MotionWorld& world) {
    static const Library library;
    memory_ = std::make_unique<JPH::TempAllocatorImpl>(256 << 20);
    jobs_ = std::make_unique<JPH::JobSystemSingleThreaded>(2048u);
    system_ = std::make_unique<JPH::PhysicsSystem>();
    system_->Init(room, 0, room, room, layers_, layers_of_pairs_, pairs_);
    system_->SetGravity(narrowed(world.gravity));
    JPH::BodyInterface& bodies = system_->GetBodyInterface();
    if (!world.planes.empty()) {
      JPH::BodyCreationSettings ground(new JPH::BoxShape(JPH::Vec3(500, 500, 1)), JPH::RVec3(0, 0, -1),
                                       JPH::Quat::sIdentity(), JPH::EMotionType::Static, fixed);
      ground.mFriction = static_cast<float>(world.bodies.front().friction);
      bodies.CreateAndAddBody(ground, JPH::EActivation::DontActivate);
    }
    const JPH::Ref<JPH::GroupFilterTable> apart =
        new JPH::GroupFilterTable(static_cast<JPH::uint>(world.bodies.size()));
    for (const probe::MotionJoint& joint : world.joints)
      if (joint.b >= 0) apart->DisableCollision(static_cast<JPH::uint>(joint.a), static_cast<JPH::uint>(joint.b));
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      const probe::MotionBody& body = world.bodies[i];
      JPH::BodyCreationSettings made(new JPH::BoxShape(narrowed(body.half)), JPH::RVec3(narrowed(body.position)),
                                     JPH::Quat::sIdentity(), JPH::EMotionType::Dynamic, moving);
      made.mFriction = static_cast<float>(body.friction);
      made.mLinearDamping = made.mAngularDamping = 0;
      made.mOverrideMassProperties = JPH::EOverrideMassProperties::CalculateInertia;
      made.mMassPropertiesOverride.mMass = static_cast<float>(body.mass);
      made.mAllowSleeping = false;
      made.mCollisionGroup = JPH::CollisionGroup(apart, 0, static_cast<JPH::CollisionGroup::SubGroupID>(i));
      bodies_.push_back(bodies.CreateAndAddBody(made, JPH::EActivation::Activate));
    }
    for (const probe::MotionJoint& joint : world.joints) {
      JPH::PointConstraintSettings made;
      made.mPoint1 = made.mPoint2 = JPH::RVec3(narrowed(point_of(world, joint)));
      const auto body = [&](std::int32_t i) -> JPH::Body& {
        return i < 0 ? JPH::Body::sFixedToWorld
                     : *system_->GetBodyLockInterfaceNoLock().TryGetBody(bodies_[static_cast<std::size_t>(i)]);
      };
      system_->AddConstraint(made.Create(body(joint.a), body(joint.b)));
    }
    system_->OptimizeBroadPhase();
  }

  StepTimes step() override {
    const auto begin = std::chrono::steady_clock::now();
    system_->Update(static_cast<float>(time_step), 1, memory_.get(), jobs_.get());
    const double step = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return {step, step};
  }
  support::Vector position(std::size_t body) override {
    const JPH::RVec3 p = system_->GetBodyInterfaceNoLock().GetPosition(bodies_[body]);
    return {static_cast<double>(p.GetX()), static_cast<double>(p.GetY()), static_cast<double>(p.GetZ())};
  }

 private:
  Layers layers_;
  LayersOfPairs layers_of_pairs_;
  Pairs pairs_;
  std::unique_ptr<JPH::TempAllocatorImpl> memory_;
  std::unique_ptr<JPH::JobSystem> jobs_;
  std::unique_ptr<JPH::PhysicsSystem> system_;
  std::vector<JPH::BodyID> bodies_;
};

}  // namespace

std::unique_ptr<Engine> make_jolt(const MotionWorld& world) {
  return std::make_unique<Jolt>(world);
}

}  // namespace carom::bench
