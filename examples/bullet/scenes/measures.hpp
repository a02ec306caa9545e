// Measures of rest and of energy that several scenes print.
#pragma once

#include <cstddef>
#include <vector>

#include "world.hpp"

namespace carom_scenes {

/// How far bodies have moved since some moment.
class Drift {
 public:
  explicit Drift(const std::vector<const btRigidBody*>& bodies);
  /// [m] the farthest that a corner of any body's bounding box is from where it was then.
  double largest() const;

 private:
  struct Corner {
    const btRigidBody* body;
    btVector3 local, since;
  };
  std::vector<Corner> corners_;
};

double corner_speed(const btRigidBody& body);  ///< [m/s] upper bound of the speed of its points

/// The samples of the steps from `begin` on.
struct Span {
  const World& world;
  double begin = 0;  ///< [s]
};

double max_kinetic_energy(const Span& span);   ///< [J]
double deepest_penetration(const Span& span);  ///< [m]
double max_joint_error(const Span& span);      ///< [m]
double mean_solver_seconds(const Span& span);  ///< [s] a step
/// [J] the most that kinetic and potential energy together have grown in one step.
double max_energy_rise(const Span& span);
/// [J] the most that they have ever been above a value of theirs before.
double max_energy_gain(const Span& span);

}  // namespace carom_scenes
