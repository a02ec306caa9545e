#include "measures.hpp"

#include <algorithm>
#include <limits>

namespace carom_scenes {

namespace {

double total_energy(const Sample& sample) {
  return sample.kinetic_energy + sample.potential_energy;
}

template <class Visit>
void for_each_sample(const Span& span, const Visit& visit) {
  for (const Sample& sample : span.world.samples())
    if (sample.time >= span.begin) visit(sample);
}

double greatest(const Span& span, double Sample::*field) {
  double most = 0;
  for_each_sample(span, [&](const Sample& sample) { most = std::max(most, sample.*field); });
  return most;
}

}  // namespace

Drift::Drift(const std::vector<const btRigidBody*>& bodies) {
  for (const btRigidBody* body : bodies) {
    btVector3 least, most;
    body->getCollisionShape()->getAabb(btTransform::getIdentity(), least, most);
    for (int corner = 0; corner < 8; ++corner) {
      const btVector3 local((corner & 1) != 0 ? most.x() : least.x(), (corner & 2) != 0 ? most.y() : least.y(),
                            (corner & 4) != 0 ? most.z() : least.z());
      corners_.push_back({body, local, body->getWorldTransform() * local});
    }
  }
}

double Drift::largest() const {
  double most = 0;
  for (const Corner& corner : corners_) {
    const btVector3 now = corner.body->getWorldTransform() * corner.local;
    most = std::max(most, static_cast<double>((now - corner.since).length()));
  }
  return most;
}

double corner_speed(const btRigidBody& body) {
  btVector3 centre;
  btScalar radius = 0;
  body.getCollisionShape()->getBoundingSphere(centre, radius);
  return static_cast<double>(body.getLinearVelocity().length() + body.getAngularVelocity().length() * radius);
}

double max_kinetic_energy(const Span& span) {
  return greatest(span, &Sample::kinetic_energy);
}

double deepest_penetration(const Span& span) {
  return greatest(span, &Sample::penetration);
}

double max_joint_error(const Span& span) {
  return greatest(span, &Sample::joint_error);
}

double mean_solver_seconds(const Span& span) {
  double sum = 0;
  std::size_t count = 0;
  for_each_sample(span, [&](const Sample& sample) {
    sum += sample.solver_seconds;
    ++count;
  });
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

double max_energy_rise(const Span& span) {
  double most = 0, last = std::numeric_limits<double>::infinity();
  for_each_sample(span, [&](const Sample& sample) {
    most = std::max(most, total_energy(sample) - last);
    last = total_energy(sample);
  });
  return most;
}

double max_energy_gain(const Span& span) {
  double most = 0, least = std::numeric_limits<double>::infinity();
  for_each_sample(span, [&](const Sample& sample) {
    most = std::max(most, total_energy(sample) - least);
    least = std::min(least, total_energy(sample));
  });
  return most;
}

}  // namespace carom_scenes
