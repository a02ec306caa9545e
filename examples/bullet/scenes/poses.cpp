#include "poses.hpp"

#include <fmt/os.h>

#include <algorithm>

namespace carom_scenes {

namespace {

// Turns z to the given axis of a shape.
btTransform along(const btTransform& transform, int axis) {
  if (axis == 2) return transform;
  const btVector3 about = axis == 0 ? btVector3(0, 1, 0) : btVector3(-1, 0, 0);
  return transform * btTransform(btQuaternion(about, SIMD_HALF_PI));
}

void print(fmt::ostream& file, const btTransform& transform) {
  const btVector3& at = transform.getOrigin();
  const btQuaternion turn = transform.getRotation();
  file.print(",{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}", at.x(), at.y(), at.z(), turn.x(), turn.y(), turn.z(),
             turn.w());
}

}  // namespace

void Poses::add(btRigidBody& body) {
  body.setUserIndex3(static_cast<int>(impulse_.size()));
  add(impulse_.size(), body.getInvMass() > 0, *body.getCollisionShape(), btTransform::getIdentity());
  impulse_.push_back(0);
}

void Poses::add(std::size_t body, bool moves, const btCollisionShape& shape, const btTransform& transform) {
  switch (shape.getShapeType()) {
    case COMPOUND_SHAPE_PROXYTYPE: {
      const auto& compound = static_cast<const btCompoundShape&>(shape);
      for (int child = 0; child < compound.getNumChildShapes(); ++child)
        add(body, moves, *compound.getChildShape(child), transform * compound.getChildTransform(child));
      break;
    }
    case BOX_SHAPE_PROXYTYPE:
      shapes_.push_back(
          {body, "box", moves, transform, static_cast<const btBoxShape&>(shape).getHalfExtentsWithMargin()});
      break;
    case SPHERE_SHAPE_PROXYTYPE: {
      const btScalar radius = static_cast<const btSphereShape&>(shape).getRadius();
      shapes_.push_back({body, "sphere", moves, transform, {radius, 0, 0}});
      break;
    }
    case CAPSULE_SHAPE_PROXYTYPE: {
      const auto& capsule = static_cast<const btCapsuleShape&>(shape);
      shapes_.push_back({body,
                         "capsule",
                         moves,
                         along(transform, capsule.getUpAxis()),
                         {capsule.getRadius(), capsule.getHalfHeight(), 0}});
      break;
    }
    case CYLINDER_SHAPE_PROXYTYPE: {
      const auto& cylinder = static_cast<const btCylinderShape&>(shape);
      const int axis = cylinder.getUpAxis();
      shapes_.push_back({body,
                         "cylinder",
                         moves,
                         along(transform, axis),
                         {cylinder.getRadius(), cylinder.getHalfExtentsWithMargin()[axis], 0}});
      break;
    }
    case STATIC_PLANE_PROXYTYPE: {
      const auto& plane = static_cast<const btStaticPlaneShape&>(shape);
      const btVector3& normal = plane.getPlaneNormal();
      const btTransform upright(shortestArcQuat(btVector3(0, 0, 1), normal), normal * plane.getPlaneConstant());
      shapes_.push_back({body, "plane", moves, transform * upright, {0, 0, 0}});
      break;
    }
    default: {
      btVector3 low, high;
      shape.getAabb(btTransform::getIdentity(), low, high);
      const btTransform middle(btQuaternion::getIdentity(), (low + high) / 2);
      shapes_.push_back({body, "box", moves, transform * middle, (high - low) / 2});
    }
  }
}

void Poses::add_impulses(btDispatcher& dispatcher) {
  for (int m = 0; m < dispatcher.getNumManifolds(); ++m) {
    const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(m);
    double sum = 0;
    for (int p = 0; p < manifold.getNumContacts(); ++p)
      sum += static_cast<double>(manifold.getContactPoint(p).getAppliedImpulse());
    for (const btCollisionObject* object : {manifold.getBody0(), manifold.getBody1()})
      impulse_[static_cast<std::size_t>(object->getUserIndex3())] += sum;
  }
}

void Poses::add_frame(const std::vector<std::unique_ptr<btRigidBody>>& bodies) {
  for (const auto& body : bodies) {
    const auto number = static_cast<std::size_t>(body->getUserIndex3());
    poses_.push_back({frames_, number, body->getWorldTransform(), impulse_[number]});
  }
  ++frames_;
  std::fill(impulse_.begin(), impulse_.end(), 0);
}

void Poses::write(const std::string& path) const {
  auto file = fmt::output_file(path);
  file.print("body,kind,moves,x,y,z,qx,qy,qz,qw,extent_0,extent_1,extent_2\n");
  for (const Shape& shape : shapes_) {
    file.print("{},{},{:d}", shape.body, shape.kind, shape.moves);
    print(file, shape.transform);
    file.print(",{:.6g},{:.6g},{:.6g}\n", shape.extents.x(), shape.extents.y(), shape.extents.z());
  }
  file.print("\nframe,body,x,y,z,qx,qy,qz,qw,impulse\n");
  for (const Pose& pose : poses_) {
    file.print("{},{}", pose.frame, pose.body);
    print(file, pose.transform);
    file.print(",{:.6g}\n", pose.impulse);
  }
}

}  // namespace carom_scenes
