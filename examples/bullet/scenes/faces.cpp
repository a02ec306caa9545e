#include "faces.hpp"

#include <cstddef>

namespace carom_scenes {

Faces::Faces(World& world) : world_(world) {
  world.bullet().setInternalTickCallback(
      [](btDynamicsWorld* of, btScalar) { static_cast<Faces*>(of->getWorldUserInfo())->refresh(); }, this, true);
}

Faces::~Faces() {
  world_.bullet().setInternalTickCallback(nullptr, nullptr, true);
  for (const Face& face : faces_) world_.bullet().getDispatcher()->releaseManifold(face.manifold);
}

void Faces::add(btRigidBody& a, const std::array<btVector3, 4>& corners, btRigidBody& b, const btVector3& point,
                const btVector3& normal, double friction) {
  btPersistentManifold* manifold = world_.bullet().getDispatcher()->getNewManifold(&a, &b);
  for (const btVector3& corner : corners) {
    btManifoldPoint contact(corner, btVector3(0, 0, 0), normal, 0);
    contact.m_combinedFriction = static_cast<btScalar>(friction);
    manifold->addManifoldPoint(contact, true);
  }
  faces_.push_back({manifold, &a, &b, corners, point, normal});
}

void Faces::without_detection() {
  const auto& bodies = world_.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i)
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      bodies[i]->setIgnoreCollisionCheck(bodies[j].get(), true);
      bodies[j]->setIgnoreCollisionCheck(bodies[i].get(), true);
    }
}

void Faces::refresh() {
  for (const Face& face : faces_) {
    const btTransform &a = face.a->getWorldTransform(), &b = face.b->getWorldTransform();
    const btVector3 normal = b.getBasis() * face.normal, point = b * face.point;
    for (int i = 0; i < 4; ++i) {
      btManifoldPoint& contact = face.manifold->getContactPoint(i);
      const btVector3 corner = a * face.corners[static_cast<std::size_t>(i)];
      const btScalar distance = normal.dot(corner - point);
      contact.m_normalWorldOnB = normal;
      contact.m_distance1 = distance;
      contact.m_positionWorldOnA = corner;
      contact.m_positionWorldOnB = corner - normal * distance;
      contact.m_localPointB = b.inverse() * contact.m_positionWorldOnB;
    }
  }
}

}  // namespace carom_scenes
