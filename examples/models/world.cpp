#include "world.hpp"

#include <cmath>

namespace models {
namespace {

std::array<double, 6> in_world(const Body& body) {
  const auto at = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    const Vector* const axes[3] = {&body.axes.x, &body.axes.y, &body.axes.z};
    for (std::size_t k = 0; k < 3; ++k) sum += body.inverse_inertia[k] * (*axes[k])[i] * (*axes[k])[j];
    return sum;
  };
  return {at(0, 0), at(0, 1), at(0, 2), at(1, 1), at(1, 2), at(2, 2)};
}

}  // namespace

double length(const Vector& a) {
  return std::sqrt(dot(a, a));
}

void Axes::turn(const Vector& rotation) {
  const double angle = length(rotation);
  if (angle == 0) return;
  const Vector axis = (1 / angle) * rotation;
  const double c = std::cos(angle), s = std::sin(angle);
  for (Vector* v : {&x, &y, &z}) *v = c * *v + (s * cross(axis, *v) + ((1 - c) * dot(axis, *v)) * axis);
}

void World::step() {
  for (Body& body : bodies) {
    body.inverse_inertia_in_world = in_world(body);
    if (!contacts.empty()) continue;
    if (body.inverse_mass > 0) body.velocity = body.velocity + time_step_ * gravity;
    body.displacement = time_step_ * body.velocity;
    body.rotation = time_step_ * body.angular_velocity;
  }
  if (!contacts.empty()) {
    carom::Scene<double> scene;
    scene.bodies.inverse_mass = {bodies, &Body::inverse_mass};
    scene.bodies.inverse_inertia = {bodies, &Body::inverse_inertia_in_world};
    scene.bodies.velocity = {bodies, &Body::velocity};
    scene.bodies.angular_velocity = {bodies, &Body::angular_velocity};
    carom::SceneContacts<double>& to = scene.contacts;
    to.restitution = 0;
    to.body_a = {contacts, &Contact::a};
    to.body_b = {contacts, &Contact::b};
    to.normal = {contacts, &Contact::normal};
    to.r_a = {contacts, &Contact::r_a};
    to.r_b = {contacts, &Contact::r_b};
    to.friction = {contacts, &Contact::friction};
    to.friction_2 = {contacts, &Contact::friction_2};
    to.friction_direction = {contacts, &Contact::direction};
    to.rolling_friction = {contacts, &Contact::rolling_friction};
    to.spinning_friction = {contacts, &Contact::spinning_friction};
    to.separation = {contacts, &Contact::separation};
    to.stiffness = {contacts, &Contact::stiffness};
    to.damping = {contacts, &Contact::damping};
    to.key = {contacts, &Contact::key};
    carom::SceneResults<double> results;
    results.velocity = {bodies, &Body::velocity};
    results.angular_velocity = {bodies, &Body::angular_velocity};
    results.displacement = {bodies, &Body::displacement};
    results.rotation = {bodies, &Body::rotation};
    results.impulse = {contacts, &Contact::impulse};
    results.angular_impulse = {contacts, &Contact::angular_impulse};
    solver_.solve(scene, results,
                  {.time_step = time_step_,
                   .gravity = gravity,
                   .method = carom::Pgs{.iterations = iterations,
                                        .tolerance = 1e-13,
                                        .position_correction = carom::PositionCorrection{.relax_iterations = 2}}});
  }
  for (Body& body : bodies) {
    body.position = body.position + body.displacement;
    body.axes.turn(body.rotation);
  }
}

Body ball(double m, double r, double f) {
  Body body;
  body.inverse_mass = 1 / m;
  const double j = 1 / (f * m * r * r);
  body.inverse_inertia = {j, j, j};
  return body;
}

Body box(double m, const Vector& edges) {
  Body body;
  body.inverse_mass = 1 / m;
  const Vector squares = {edges[0] * edges[0], edges[1] * edges[1], edges[2] * edges[2]};
  body.inverse_inertia = {12 / (m * (squares[1] + squares[2])), 12 / (m * (squares[0] + squares[2])),
                          12 / (m * (squares[0] + squares[1]))};
  return body;
}

}  // namespace models
