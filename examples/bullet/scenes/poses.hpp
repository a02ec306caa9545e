// Poses of a world's bodies over time, in a file that examples/bullet/draw.py draws.
#pragma once

#include <btBulletDynamicsCommon.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace carom_scenes {

class Poses {
 public:
  /// The body's shapes, compounds as their children. Its number in the file stays in its user index 3.
  void add(btRigidBody& body);
  /// Adds the step's contact impulses to the sum of each body since the last frame.
  void add_impulses(btDispatcher& dispatcher);
  void add_frame(const std::vector<std::unique_ptr<btRigidBody>>& bodies);
  std::size_t frames() const { return frames_; }
  /// A block of shapes, an empty line, and a block of poses. Shapes are in the frame of their body; extents are the
  /// half extents of a box, the radius of a sphere, the radius and half the height along z of a capsule (without its
  /// caps) and of a cylinder. A plane is z = 0 of its shape's frame. Other shapes are the boxes about them. `impulse`
  /// is the sum of contact impulses on the body since the last frame [N s].
  void write(const std::string& path) const;

 private:
  struct Shape {
    std::size_t body;
    const char* kind;
    bool moves;
    btTransform transform;
    btVector3 extents;
  };
  struct Pose {
    std::size_t frame, body;
    btTransform transform;
    double impulse;
  };

  void add(std::size_t body, bool moves, const btCollisionShape& shape, const btTransform& transform);

  std::vector<Shape> shapes_;
  std::vector<Pose> poses_;
  std::vector<double> impulse_;  // of each body since the last frame
  std::size_t frames_ = 0;
};

}  // namespace carom_scenes
