// An application's world with carom as its solver: a box comes to rest on the ground. Prints the size of Bullet's
// numbers.
#include <btBulletDynamicsCommon.h>

#include <carom_bullet/constraint_solver.hpp>
#include <cmath>
#include <cstdio>

int main() {
  btBoxShape shape(btVector3(0.5f, 0.5f, 0.5f)), floor(btVector3(5, 0.5f, 5));
  btVector3 inertia;
  shape.calculateLocalInertia(1, inertia);
  btRigidBody ground(0, nullptr, &floor), box(1, nullptr, &shape, inertia);
  ground.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(0, -0.5f, 0)));
  box.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(0, 0.6f, 0)));
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  carom::bullet::ConstraintSolver solver;
  btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
  world.addRigidBody(&ground);
  world.addRigidBody(&box);
  for (int step = 0; step < 120; ++step) world.stepSimulation(1 / 60.f, 0);
  const auto height = static_cast<double>(box.getWorldTransform().getOrigin().y());
  // Substeps leave 5 mm of the overlap at the end of the fall.
  if (!(std::abs(height - 0.5) < 5.1e-3) || solver.report().contacts.contacts == 0) return 1;
  std::printf("a box rests on carom, in numbers of %zu bytes\n", sizeof(btScalar));
}
