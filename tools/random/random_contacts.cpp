#include "random_contacts.hpp"

#include <algorithm>
#include <cmath>

namespace carom::support {
namespace {

using Symmetric = std::array<double, 6>;

struct Box {
  double inverse_mass = 0;
  Symmetric inverse_inertia{};
  Vector velocity{}, angular_velocity{};
  Rows rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Vector half{0.5, 0.5, 0.5};

  Vector velocity_at(const Vector& lever) const { return velocity + cross(angular_velocity, lever); }
  /// Bounds the terms that velocity_at() sums up.
  double speed_bound(const Vector& lever) const {
    return length(velocity) + std::sqrt(dot(angular_velocity, angular_velocity) * dot(lever, lever));
  }
};

Box draw_box(Draw& draw) {
  Vector side{draw.uniform(0.2, 3.2), draw.uniform(0.2, 3.2), draw.uniform(0.2, 3.2)};
  if (draw.below(5) == 0) {
    const double s = draw.uniform(0.025, 0.1);
    side = {s, 1.6 * s, 80 * s};
  }
  Box box;
  box.half = {side[0] / 2, side[1] / 2, side[2] / 2};
  box.inverse_mass = draw.log_uniform(2.302585092994046);
  const Vector square{side[0] * side[0], side[1] * side[1], side[2] * side[2]};
  const double f = 12 * box.inverse_mass;
  box.rotation = draw.rotation();
  box.inverse_inertia = turned_diagonal(
      box.rotation, {f / (square[1] + square[2]), f / (square[0] + square[2]), f / (square[0] + square[1])});
  box.velocity = draw.bell3(2);
  box.angular_velocity = draw.bell3(2);
  return box;
}

Box immovable_box(Draw& draw) {
  Box box;
  box.half = {draw.uniform(0.1, 1.6), draw.uniform(0.1, 1.6), draw.uniform(0.1, 1.6)};
  box.rotation = draw.rotation();
  return box;
}

/// From the centre to a point on the surface.
Vector draw_lever(Draw& draw, const Box& box) {
  Vector v{draw.uniform(-1, 1), draw.uniform(-1, 1), draw.uniform(-1, 1)};
  const std::size_t face = draw.below(6);
  v[face / 2] = face % 2 == 0 ? 1 : -1;
  return box.rotation * Vector{v[0] * box.half[0], v[1] * box.half[1], v[2] * box.half[2]};
}

enum class Against { each_other, immovable_a, immovable_b };

Against draw_against(Draw& draw) {
  const std::size_t i = draw.below(4);
  return i == 0 ? Against::immovable_a : i == 1 ? Against::immovable_b : Against::each_other;
}

struct Touch {
  Vector normal, r_a, r_b;
};

Touch draw_touch(Draw& draw, const Box& a, const Box& b) {
  for (;;) {
    Touch touch{draw.direction(), draw_lever(draw, a), draw_lever(draw, b)};
    const double un = dot(a.velocity_at(touch.r_a) - b.velocity_at(touch.r_b), touch.normal);
    // So fast that rounding to float (6e-8 a term, some ten roundings) cannot make it separate.
    if (std::abs(un) < 1e-5 * (a.speed_bound(touch.r_a) + b.speed_bound(touch.r_b)) || un == 0) continue;
    if (un > 0) touch.normal = -touch.normal;
    return touch;
  }
}

template <class T, std::size_t N>
void append(std::array<std::vector<T>, N>& columns, const std::array<double, N>& values) {
  for (std::size_t i = 0; i < N; ++i) columns[i].push_back(static_cast<T>(values[i]));
}

template <class T, std::size_t N>
void reserve(std::array<std::vector<T>, N>& columns, std::size_t n) {
  for (auto& c : columns) c.reserve(n);
}

template <class T>
void reserve(BodyArrays<T>& bodies, std::size_t n) {
  bodies.inverse_mass.reserve(n);
  reserve(bodies.inverse_inertia, n);
  reserve(bodies.velocity, n);
  reserve(bodies.angular_velocity, n);
}

template <class T>
void append(BodyArrays<T>& bodies, const Box& box) {
  bodies.inverse_mass.push_back(static_cast<T>(box.inverse_mass));
  append(bodies.inverse_inertia, box.inverse_inertia);
  append(bodies.velocity, box.velocity);
  append(bodies.angular_velocity, box.angular_velocity);
}

template <class T>
void append_unit(Vectors3<T>& columns, const Vector& values) {
  const T x = static_cast<T>(values[0]), y = static_cast<T>(values[1]), z = static_cast<T>(values[2]);
  const T length = std::sqrt(x * x + y * y + z * z);
  columns[0].push_back(x / length);
  columns[1].push_back(y / length);
  columns[2].push_back(z / length);
}

/// The columns that all forms of contacts have.
template <class AnyContacts>
void append_coefficients(AnyContacts& contacts, Draw& draw) {
  using T = typename decltype(contacts.friction)::value_type;
  contacts.friction.push_back(static_cast<T>(draw.uniform(0, 1.2)));
  contacts.restitution.push_back(static_cast<T>(draw.uniform()));
}

template <class AnyContacts>
void append_touch(AnyContacts& contacts, const Touch& touch) {
  append_unit(contacts.normal, touch.normal);
  append(contacts.r_a, touch.r_a);
  append(contacts.r_b, touch.r_b);
}

template <class AnyContacts>
void reserve_contacts(AnyContacts& contacts, std::size_t n) {
  contacts.friction.reserve(n);
  contacts.restitution.reserve(n);
  reserve(contacts.normal, n);
  reserve(contacts.r_a, n);
  reserve(contacts.r_b, n);
}

template <class T>
Vector3Columns<const T> columns(const Vectors3<T>& v) {
  return {v[0], v[1], v[2]};
}

template <class T>
SymmetricColumns<const T> columns(const std::array<std::vector<T>, 6>& m) {
  return {m[0], m[1], m[2], m[3], m[4], m[5]};
}

template <class T>
std::vector<double> widen(const std::vector<T>& v) {
  return {v.begin(), v.end()};
}

template <class T, std::size_t N>
std::array<std::vector<double>, N> widen(const std::array<std::vector<T>, N>& v) {
  std::array<std::vector<double>, N> wide;
  for (std::size_t i = 0; i < N; ++i) wide[i] = widen(v[i]);
  return wide;
}

template <class T>
BodyArrays<double> widen(const BodyArrays<T>& bodies) {
  return {widen(bodies.inverse_mass), widen(bodies.inverse_inertia), widen(bodies.velocity),
          widen(bodies.angular_velocity)};
}

}  // namespace

template <class T>
BodyColumns<const T> BodyArrays<T>::columns() const {
  return {inverse_mass, support::columns(inverse_inertia), support::columns(velocity),
          support::columns(angular_velocity)};
}

template <class T>
RandomContacts<T>::RandomContacts(std::size_t contacts, std::uint64_t seed) {
  reserve_contacts(*this, contacts);
  reserve(a, contacts);
  reserve(b, contacts);
  Draw draw(seed);
  for (std::size_t i = 0; i < contacts; ++i) {
    const Against against = draw_against(draw);
    const Box box_a = against == Against::immovable_a ? immovable_box(draw) : draw_box(draw);
    const Box box_b = against == Against::immovable_b ? immovable_box(draw) : draw_box(draw);
    append_touch(*this, draw_touch(draw, box_a, box_b));
    append_coefficients(*this, draw);
    append(a, box_a);
    append(b, box_b);
  }
}

template <class T>
Contacts<T> RandomContacts<T>::inline_contacts() const {
  Contacts<T> c;
  c.friction = friction;
  c.restitution = restitution;
  c.normal = columns(normal);
  c.a = a.columns();
  c.b = b.columns();
  c.r_a = columns(r_a);
  c.r_b = columns(r_b);
  return c;
}

template <class T>
RandomContacts<double> RandomContacts<T>::widened() const {
  RandomContacts<double> wide;
  wide.friction = widen(friction);
  wide.restitution = widen(restitution);
  wide.normal = widen(normal);
  wide.a = widen(a);
  wide.b = widen(b);
  wide.r_a = widen(r_a);
  wide.r_b = widen(r_b);
  return wide;
}

template <class T>
RandomIndexedContacts<T>::RandomIndexedContacts(std::size_t contacts, std::size_t body_count, std::uint64_t seed) {
  Draw draw(seed);
  std::vector<Box> boxes;
  boxes.reserve(body_count);
  reserve(bodies, body_count);
  for (std::size_t i = 0; i < body_count; ++i) {
    boxes.push_back(draw_box(draw));
    append(bodies, boxes.back());
  }
  reserve_contacts(*this, contacts);
  body_a.reserve(contacts);
  body_b.reserve(contacts);
  const Box world;
  for (std::size_t i = 0; i < contacts; ++i) {
    Against against = draw_against(draw);
    if (body_count == 1 && against == Against::each_other) against = Against::immovable_b;
    const std::size_t one = draw.below(body_count);
    const std::size_t other = body_count == 1 ? one : (one + 1 + draw.below(body_count - 1)) % body_count;
    const bool no_a = against == Against::immovable_a, no_b = against == Against::immovable_b;
    body_a.push_back(no_a ? -1 : static_cast<std::int32_t>(one));
    body_b.push_back(no_b ? -1 : static_cast<std::int32_t>(other));
    append_touch(*this, draw_touch(draw, no_a ? world : boxes[one], no_b ? world : boxes[other]));
    append_coefficients(*this, draw);
  }
}

template <class T>
IndexedContacts<T> RandomIndexedContacts<T>::indexed_contacts() const {
  IndexedContacts<T> c;
  c.friction = friction;
  c.restitution = restitution;
  c.normal = columns(normal);
  c.body_a = body_a;
  c.body_b = body_b;
  c.r_a = columns(r_a);
  c.r_b = columns(r_b);
  c.bodies = bodies.columns();
  return c;
}

template <class T>
RandomSpaceContacts<T>::RandomSpaceContacts(std::size_t contacts, std::uint64_t seed) {
  Draw draw(seed);
  for (std::size_t i = 0; i < contacts; ++i) {
    constexpr double log_range = 3.4657359027997265;  // of 32
    const Vector eigenvalues{draw.log_uniform(log_range), draw.log_uniform(log_range), draw.log_uniform(log_range)};
    append(k, turned_diagonal(draw.rotation(), eigenvalues));
    Vector u0 = draw.bell3(2);
    // Never below 1e-3 m/s: a u0 of zero would separate.
    u0[2] = -std::max(std::abs(u0[2]), 1e-3);
    append(separation_velocity, u0);
    append_coefficients(*this, draw);
  }
}

template <class T>
KContacts<T> RandomSpaceContacts<T>::space_contacts() const {
  KContacts<T> c;
  c.friction = friction;
  c.restitution = restitution;
  c.k = columns(k);
  c.separation_velocity = columns(separation_velocity);
  return c;
}

template struct BodyArrays<float>;
template struct BodyArrays<double>;
template struct RandomContacts<float>;
template struct RandomContacts<double>;
template struct RandomIndexedContacts<float>;
template struct RandomIndexedContacts<double>;
template struct RandomSpaceContacts<float>;
template struct RandomSpaceContacts<double>;

}  // namespace carom::support
