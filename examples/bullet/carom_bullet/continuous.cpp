#include "continuous.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace carom::bullet {

// carom moves a body by its displacement d within the step, and Bullet by H v, which it sweeps if H v is above the
// motion threshold of the body. To end at x + d the body would have to start at x + w with w = d - H v. After a rebound
// that point is behind the wall. The body starts at x + s instead, with s the part of w that
//
// 1. moves the body along the normal of a contact, no further than d has moved it;
// 2. moves it anywhere else by at most half of the swept radius, so that no surface passes the centre;
// 3. leaves no contact with more overlap than d has left it.
//
// The body then ends at x + d + s - w. Its velocity changes by the work of the forces on the way s - w.

namespace {

struct Side {
  std::size_t body;
  btVector3 normal;  // away from the other body
  btScalar lowest;   // [m] the shift along the normal at which the contact has the overlap that d has left
};

// The contacts of bodies whose motion Bullet sweeps.
std::vector<Side> sides_of_swept(const Bodies& bodies, const Points& points) {
  std::vector<Side> sides;
  const auto displacement = [&](std::int32_t i) {
    return i < 0 ? btVector3(0, 0, 0) : bodies[static_cast<std::size_t>(i)].displacement;
  };
  const auto add = [&](std::int32_t own, std::int32_t other, const btVector3& normal, btScalar separation) {
    if (own < 0 || !bodies.is_swept(static_cast<std::size_t>(own))) return;
    btScalar recedes = normal.dot(displacement(other));
    const btScalar left = separation + normal.dot(displacement(own)) - recedes;
    // Bullet moves kinematic bodies between steps.
    if (!bodies.moves(other)) recedes = std::max(recedes, btScalar(0));
    sides.push_back({static_cast<std::size_t>(own), normal, std::min(left, btScalar(0)) - separation + recedes});
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Points::Contact contact = points.contact(i);
    add(contact.a, contact.b, contact.normal, contact.separation);
    add(contact.b, contact.a, -contact.normal, contact.separation);
  }
  return sides;
}

// A body that ends `beyond` its position keeps its energy: (v + a H / 2)² / 2 - a x is constant in free flight with
// steps of H.
void keep_energy(BodyState& state, const btVector3& beyond, btScalar time_step) {
  const btScalar length = beyond.length();
  if (!(length > SIMD_EPSILON)) return;
  const btVector3 along = beyond / length;
  const btScalar change = along.dot(state.velocity_change), speed = along.dot(state.velocity) - change / 2;
  const btScalar square = std::max(speed * speed + 2 * change * length / time_step, btScalar(0));
  if (!std::isfinite(square)) return;
  state.velocity += along * (std::copysign(std::sqrt(square), speed) - speed);
}

}  // namespace

void begin_sweeps(Bodies& bodies, const Points& points, btScalar time_step) {
  const auto wanted = [&](std::size_t i) { return bodies[i].displacement - bodies[i].velocity * time_step; };
  if (!bodies.find_swept(time_step)) return;

  const std::vector<Side> sides = sides_of_swept(bodies, points);
  for (const Side& side : sides) {
    BodyState& state = bodies[side.body];
    const btScalar least = std::min(side.lowest, btScalar(0)), most = std::max(side.lowest, btScalar(0));
    const btScalar along = std::clamp(side.normal.dot(wanted(side.body)), least, most);
    state.start += side.normal * (along - side.normal.dot(state.start));
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.is_swept(i)) continue;
    const btVector3 rest = wanted(i) - bodies[i].start;
    const btScalar length = rest.length(), most = bodies.body(i).getCcdSweptSphereRadius() / 2;
    bodies[i].start += length > most ? rest * (most / length) : rest;
  }
  constexpr int passes = 4;  // contacts of a body may contradict each other: a corner
  for (int pass = 0; pass < passes; ++pass)
    for (const Side& side : sides) {
      btVector3& start = bodies[side.body].start;
      start += side.normal * std::max(side.lowest - side.normal.dot(start), btScalar(0));
    }
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.is_swept(i)) keep_energy(bodies[i], bodies[i].start - wanted(i), time_step);
}

}  // namespace carom::bullet
