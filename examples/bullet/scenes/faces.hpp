// Contacts of faces that are known from the start: the corners of one body's face against the plane of another's.
//
// Bullet detects a face on a face by its corners with two boxes, and loses one now and then. Wedges and thin sheets are
// beyond it. Both solvers get these contacts in its place, as manifolds of Bullet.
#pragma once

#include <array>
#include <vector>

#include "world.hpp"

namespace carom_scenes {

class Faces {
 public:
  explicit Faces(World& world);
  ~Faces();
  Faces(const Faces&) = delete;
  Faces& operator=(const Faces&) = delete;

  /// `corners` of a's face in a's frame; a point of b's plane and its outward normal in b's.
  void add(btRigidBody& a, const std::array<btVector3, 4>& corners, btRigidBody& b, const btVector3& point,
           const btVector3& normal, double friction);
  /// Disables Bullet's detection of contacts between the world's bodies.
  void without_detection();

 private:
  struct Face {
    btPersistentManifold* manifold;
    btRigidBody *a, *b;
    std::array<btVector3, 4> corners;
    btVector3 point, normal;
  };

  void refresh();

  World& world_;
  std::vector<Face> faces_;
};

}  // namespace carom_scenes
