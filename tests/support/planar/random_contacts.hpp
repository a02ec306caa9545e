// Random planar contacts for tests and benchmarks, and arrays for their results. The same seed gives the same bits on
// every platform, and the float contacts are the rounded double ones.
#pragma once

#include <algorithm>
#include <array>
#include <carom/planar.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/columns/columns.hpp"
#include "random/draw.hpp"

namespace carom::support {

/// Columns of every form of contacts, with the parameters of all laws.
template <class T>
struct PlanarLawArrays {
  std::vector<T> friction, restitution;
  std::vector<T> tangential_restitution, impulse_ratio, polar_angle, fraction, candidate_x, candidate_y;
  std::array<std::vector<T>, 10> weights;
  std::vector<Law> law;
  std::vector<RestitutionLaw> restitution_law;

  void draw(Draw& draw, double max_impulse) {
    const auto push = [](std::vector<T>& v, double x) { v.push_back(static_cast<T>(x)); };
    push(friction, draw.uniform(0, 1.5));
    push(restitution, draw.uniform());
    push(tangential_restitution, draw.uniform(-1, 1));
    push(impulse_ratio, draw.uniform(-1.5, 1.5));
    push(polar_angle, draw.uniform(-3.14, 3.14));
    push(fraction, draw.uniform());
    push(candidate_x, draw.uniform(-1, 1) * max_impulse);
    push(candidate_y, draw.uniform(-1, 1) * max_impulse);
    for (auto& weight : weights) push(weight, draw.below(2) == 0 ? 0 : draw.uniform());
    weights[draw.below(10)].back() = T(1);
    law.push_back(static_cast<Law>(draw.below(law_count)));
    restitution_law.push_back(static_cast<RestitutionLaw>(draw.below(3)));
  }

  /// Every column but `law` and `restitution_law`.
  template <class AnyContacts>
  void attach(AnyContacts& contacts) const {
    contacts.friction = friction;
    contacts.restitution = restitution;
    LawColumns<T>& columns = contacts.laws;
    columns.tangential_restitution = tangential_restitution;
    columns.impulse_ratio_1 = impulse_ratio;
    columns.polar_angle = polar_angle;
    columns.fraction = fraction;
    columns.candidate.x = candidate_x;
    columns.candidate.y = candidate_y;
    auto next = weights.begin();
    carom::columns::each_weight([&](const auto&, Law, Column<const T>& weight) { weight = *next++; }, columns.weight);
  }

  PlanarLawArrays<double> widened() const {
    const auto wide = [](const std::vector<T>& v) { return std::vector<double>(v.begin(), v.end()); };
    PlanarLawArrays<double> w;
    w.friction = wide(friction);
    w.restitution = wide(restitution);
    w.tangential_restitution = wide(tangential_restitution);
    w.impulse_ratio = wide(impulse_ratio);
    w.polar_angle = wide(polar_angle);
    w.fraction = wide(fraction);
    w.candidate_x = wide(candidate_x);
    w.candidate_y = wide(candidate_y);
    for (std::size_t i = 0; i < weights.size(); ++i) w.weights[i] = wide(weights[i]);
    w.law = law;
    w.restitution_law = restitution_law;
    return w;
  }
};

/// The ends of the ranges of friction, restitution and slip among the others.
template <class T>
void add_limits(PlanarLawArrays<T>& laws, std::vector<T>* slip) {
  for (std::size_t i = 0; i < laws.friction.size(); ++i) {
    if (i % 9 == 0) laws.friction[i] = 0;
    if (i % 9 == 1) laws.friction[i] = std::numeric_limits<T>::infinity();
    if (i % 9 == 2) laws.friction[i] = 30;
    if (i % 7 == 0) laws.restitution[i] = 0;
    if (i % 7 == 1) laws.restitution[i] = 1;
    if (slip != nullptr && i % 13 == 0) (*slip)[i] = 0;
  }
}

/// Collision matrices with random axes and eigenvalues from about 1/32 to 32 1/kg, all approaching.
template <class T>
struct RandomPlanarSpace {
  RandomPlanarSpace() = default;
  RandomPlanarSpace(std::size_t contacts, std::uint64_t seed) {
    Draw draw(seed);
    for (std::size_t i = 0; i < contacts; ++i) {
      const Vector direction = draw.direction();
      const double length = std::sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
      const double cosine = direction[0] / length, sine = direction[1] / length;
      const double first = draw.log_uniform(3.5), second = draw.log_uniform(3.5);
      k_xx.push_back(static_cast<T>(cosine * cosine * first + sine * sine * second));
      k_xy.push_back(static_cast<T>(cosine * sine * (first - second)));
      k_yy.push_back(static_cast<T>(sine * sine * first + cosine * cosine * second));
      u0_x.push_back(static_cast<T>(2 * draw.bell()));
      // Never below 1e-3 m/s: a u0 of zero would separate.
      u0_y.push_back(static_cast<T>(-std::max(std::abs(2 * draw.bell()), 1e-3)));
      laws.draw(draw, 4 / std::min(first, second));
    }
  }

  PlanarLawArrays<T> laws;
  std::vector<T> k_xx, k_xy, k_yy, u0_x, u0_y;

  planar::KContacts<T> view() const {
    planar::KContacts<T> c;
    laws.attach(c);
    c.k.xx = k_xx;
    c.k.xy = k_xy;
    c.k.yy = k_yy;
    c.separation_velocity = {u0_x, u0_y};
    return c;
  }

  RandomPlanarSpace<double> widened() const {
    const auto wide = [](const std::vector<T>& v) { return std::vector<double>(v.begin(), v.end()); };
    RandomPlanarSpace<double> w;
    w.laws = laws.widened();
    w.k_xx = wide(k_xx);
    w.k_xy = wide(k_xy);
    w.k_yy = wide(k_yy);
    w.u0_x = wide(u0_x);
    w.u0_y = wide(u0_y);
    return w;
  }
};

template <class T>
struct PlanarBodyArrays {
  std::vector<T> inverse_mass, inverse_inertia, velocity_x, velocity_y, angular_velocity;

  planar::BodyColumns<const T> columns() const {
    return {inverse_mass, inverse_inertia, {velocity_x, velocity_y}, angular_velocity};
  }
};

/// Rectangles that touch: one in five slender, half of the contacts against an immovable body, all approaching. With
/// `bodies` above 0 they are stored once and named by indices.
template <class T>
struct RandomPlanarBodies {
  RandomPlanarBodies() = default;
  RandomPlanarBodies(std::size_t contacts, std::uint64_t seed, std::size_t bodies = 0) {
    Draw draw(seed);
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < bodies; ++i) {
      boxes.push_back(draw_box(draw));
      append(stored, boxes.back());
    }
    for (std::size_t i = 0; i < contacts; ++i) {
      const std::size_t against = draw.below(4);
      const std::size_t one = bodies > 0 ? draw.below(bodies) : 0;
      const std::size_t other = bodies > 0 ? (one + 1 + draw.below(bodies - 1)) % bodies : 0;
      const Box box_a = against == 0 ? Box{} : bodies > 0 ? boxes[one] : draw_box(draw);
      const Box box_b = against == 1 ? Box{} : bodies > 0 ? boxes[other] : draw_box(draw);
      body_a.push_back(against == 0 ? -1 : static_cast<std::int32_t>(one));
      body_b.push_back(against == 1 ? -1 : static_cast<std::int32_t>(other));
      append(a, box_a);
      append(b, box_b);
      draw_touch(draw, box_a, box_b);
      laws.draw(draw, 8);
    }
  }

  PlanarLawArrays<T> laws;
  std::vector<T> normal_x, normal_y, r_a_x, r_a_y, r_b_x, r_b_y;
  PlanarBodyArrays<T> a, b, stored;
  std::vector<std::int32_t> body_a, body_b;

  planar::Contacts<T> inline_contacts() const {
    planar::Contacts<T> c;
    laws.attach(c);
    c.normal = {normal_x, normal_y};
    c.a = a.columns();
    c.b = b.columns();
    c.r_a = {r_a_x, r_a_y};
    c.r_b = {r_b_x, r_b_y};
    return c;
  }

  planar::IndexedContacts<T> indexed_contacts() const {
    planar::IndexedContacts<T> c;
    laws.attach(c);
    c.normal = {normal_x, normal_y};
    c.body_a = body_a;
    c.body_b = body_b;
    c.r_a = {r_a_x, r_a_y};
    c.r_b = {r_b_x, r_b_y};
    c.bodies = stored.columns();
    return c;
  }

  RandomPlanarBodies<double> widened() const {
    const auto wide = [](const std::vector<T>& v) { return std::vector<double>(v.begin(), v.end()); };
    const auto bodies = [&](const PlanarBodyArrays<T>& body) {
      return PlanarBodyArrays<double>{wide(body.inverse_mass), wide(body.inverse_inertia), wide(body.velocity_x),
                                      wide(body.velocity_y), wide(body.angular_velocity)};
    };
    RandomPlanarBodies<double> w;
    w.laws = laws.widened();
    w.normal_x = wide(normal_x);
    w.normal_y = wide(normal_y);
    w.r_a_x = wide(r_a_x);
    w.r_a_y = wide(r_a_y);
    w.r_b_x = wide(r_b_x);
    w.r_b_y = wide(r_b_y);
    w.a = bodies(a);
    w.b = bodies(b);
    w.stored = bodies(stored);
    w.body_a = body_a;
    w.body_b = body_b;
    return w;
  }

 private:
  struct Box {
    double inverse_mass = 0, inverse_inertia = 0, vx = 0, vy = 0, w = 0;
    double half_x = 0.5, half_y = 0.5, cosine = 1, sine = 0;
  };

  static Box draw_box(Draw& draw) {
    Box box;
    double x = draw.uniform(0.2, 3.2), y = draw.uniform(0.2, 3.2);
    if (draw.below(5) == 0) y = 80 * (x = draw.uniform(0.025, 0.1));
    box.half_x = x / 2;
    box.half_y = y / 2;
    const Vector direction = draw.direction();
    const double length = std::sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    box.cosine = direction[0] / length;
    box.sine = direction[1] / length;
    box.inverse_mass = draw.log_uniform(2.302585092994046);
    box.inverse_inertia = 12 * box.inverse_mass / (x * x + y * y);
    box.vx = 2 * draw.bell();
    box.vy = 2 * draw.bell();
    box.w = 2 * draw.bell();
    return box;
  }

  static std::array<double, 2> draw_lever(Draw& draw, const Box& box) {
    std::array<double, 2> v{draw.uniform(-1, 1), draw.uniform(-1, 1)};
    const std::size_t side = draw.below(4);
    v[side / 2] = side % 2 == 0 ? 1 : -1;
    const double x = v[0] * box.half_x, y = v[1] * box.half_y;
    return {box.cosine * x - box.sine * y, box.sine * x + box.cosine * y};
  }

  static void append(PlanarBodyArrays<T>& bodies, const Box& box) {
    bodies.inverse_mass.push_back(static_cast<T>(box.inverse_mass));
    bodies.inverse_inertia.push_back(static_cast<T>(box.inverse_inertia));
    bodies.velocity_x.push_back(static_cast<T>(box.vx));
    bodies.velocity_y.push_back(static_cast<T>(box.vy));
    bodies.angular_velocity.push_back(static_cast<T>(box.w));
  }

  void draw_touch(Draw& draw, const Box& box_a, const Box& box_b) {
    for (;;) {
      const Vector direction = draw.direction();
      const double length = std::sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
      double nx = direction[0] / length, ny = direction[1] / length;
      const auto ra = draw_lever(draw, box_a), rb = draw_lever(draw, box_b);
      const double ux = box_a.vx - box_a.w * ra[1] - box_b.vx + box_b.w * rb[1];
      const double uy = box_a.vy + box_a.w * ra[0] - box_b.vy - box_b.w * rb[0];
      const double un = ux * nx + uy * ny;
      // So fast that rounding to float cannot make it separate.
      if (std::abs(un) < 1e-4 * (1 + std::sqrt(ux * ux + uy * uy))) continue;
      if (un > 0) {
        nx = -nx;
        ny = -ny;
      }
      const T x = static_cast<T>(nx), y = static_cast<T>(ny), norm = std::sqrt(x * x + y * y);
      normal_x.push_back(x / norm);
      normal_y.push_back(y / norm);
      r_a_x.push_back(static_cast<T>(ra[0]));
      r_a_y.push_back(static_cast<T>(ra[1]));
      r_b_x.push_back(static_cast<T>(rb[0]));
      r_b_y.push_back(static_cast<T>(rb[1]));
      return;
    }
  }
};

/// All result columns, filled with zeros.
template <class T>
struct PlanarResultArrays {
  explicit PlanarResultArrays(std::size_t n, bool bodies = true) : with_bodies(bodies), status(n), path(n) {
    for (auto& column : numbers) column.resize(n);
  }

  enum : std::size_t { p_x, p_y, u_x, u_y, va_x, va_y, wa, vb_x, vb_y, wb, compression, decompression, columns };
  bool with_bodies;
  std::array<std::vector<T>, columns> numbers;
  std::vector<Status> status;
  std::vector<Path> path;

  planar::Results<T> results() {
    planar::Results<T> r;
    r.impulse = {numbers[p_x], numbers[p_y]};
    r.separation_velocity = {numbers[u_x], numbers[u_y]};
    if (with_bodies) {
      r.velocity_a = {numbers[va_x], numbers[va_y]};
      r.angular_velocity_a = numbers[wa];
      r.velocity_b = {numbers[vb_x], numbers[vb_y]};
      r.angular_velocity_b = numbers[wb];
    }
    r.status = status;
    r.path = path;
    r.work_compression = numbers[compression];
    r.work_decompression = numbers[decompression];
    return r;
  }
};

}  // namespace carom::support
