// Ways to spoil one planar contact of a batch, each with the status that it deserves; in the order of Status.
#pragma once

#include <functional>
#include <limits>
#include <tuple>
#include <vector>

#include "support/planar/random_contacts.hpp"

namespace carom::support {

/// Contacts of movable bodies, stored once for the indexed form, with the same contact over and over.
template <class T>
struct PlanarFaultBatch {
  PlanarFaultBatch(std::size_t n, Law law_of_all) : bodies(n, 5, 2 * n) {
    const auto fill = [&](std::vector<T>& v, double x) { v.assign(v.size(), static_cast<T>(x)); };
    for (auto* body : {&bodies.a, &bodies.b, &bodies.stored}) {
      fill(body->inverse_mass, 1);
      fill(body->inverse_inertia, 2);
    }
    fill(bodies.a.velocity_x, 1);
    fill(bodies.a.velocity_y, -1);
    fill(bodies.b.velocity_x, 0);
    fill(bodies.b.velocity_y, 1);
    for (auto* body : {&bodies.a, &bodies.b}) fill(body->angular_velocity, 0.5);
    fill(bodies.normal_x, 0);
    fill(bodies.normal_y, 1);
    for (auto* lever : {&bodies.r_a_x, &bodies.r_b_y}) fill(*lever, 0.25);
    for (auto* lever : {&bodies.r_a_y, &bodies.r_b_x}) fill(*lever, -0.25);
    auto& laws = bodies.laws;
    fill(laws.friction, 0.5);
    fill(laws.restitution, 0.5);
    fill(laws.tangential_restitution, 0.5);
    fill(laws.impulse_ratio, 0.25);
    fill(laws.polar_angle, 1);
    fill(laws.fraction, 0.5);
    for (auto& weight : laws.weights) fill(weight, 1);
    laws.law.assign(n, law_of_all);
    laws.restitution_law.assign(n, RestitutionLaw::energetic);
    for (std::size_t i = 0; i < n; ++i) {
      bodies.body_a[i] = static_cast<std::int32_t>(2 * i);
      bodies.body_b[i] = static_cast<std::int32_t>(2 * i + 1);
      for (const auto& [to, a, b] :
           {std::tuple{&bodies.stored.velocity_x, &bodies.a.velocity_x, &bodies.b.velocity_x},
            std::tuple{&bodies.stored.velocity_y, &bodies.a.velocity_y, &bodies.b.velocity_y},
            std::tuple{&bodies.stored.angular_velocity, &bodies.a.angular_velocity, &bodies.b.angular_velocity}}) {
        (*to)[2 * i] = (*a)[i];
        (*to)[2 * i + 1] = (*b)[i];
      }
    }
  }

  template <class AnyContacts>
  AnyContacts with_laws(AnyContacts c) const {
    c.laws.law = bodies.laws.law;
    c.laws.restitution_law = bodies.laws.restitution_law;
    if (no_tangential_restitution) c.laws.tangential_restitution = {};
    return c;
  }
  planar::Contacts<T> inline_contacts() const { return with_laws(bodies.inline_contacts()); }
  planar::IndexedContacts<T> indexed_contacts() const { return with_laws(bodies.indexed_contacts()); }

  RandomPlanarBodies<T> bodies;
  bool no_tangential_restitution = false;
};

template <class T>
struct PlanarFault {
  Status status;
  Law law;
  std::function<void(PlanarFaultBatch<T>&, std::size_t bad)> spoil;
};

/// Faults of columns that every form of contacts has.
template <class T>
std::vector<PlanarFault<T>> planar_law_faults() {
  using Batch = PlanarFaultBatch<T>;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  constexpr T next = 1 + std::numeric_limits<T>::epsilon();
  return {
      {Status::not_a_number, Law::incremental, [](Batch& c, std::size_t i) { c.bodies.laws.friction[i] = nan; }},
      {Status::not_a_number, Law::brach, [](Batch& c, std::size_t i) { c.bodies.laws.impulse_ratio[i] = nan; }},
      {Status::not_a_number, Law::composite, [](Batch& c, std::size_t i) { c.bodies.laws.weights[3][i] = nan; }},
      {Status::infinite, Law::incremental, [](Batch& c, std::size_t i) { c.bodies.laws.restitution[i] = infinity; }},
      {Status::infinite, Law::projected, [](Batch& c, std::size_t i) { c.bodies.laws.candidate_y[i] = -infinity; }},
      {Status::restitution_out_of_range, Law::polar,
       [](Batch& c, std::size_t i) { c.bodies.laws.restitution[i] = next; }},
      {Status::restitution_out_of_range, Law::no_slip,
       [](Batch& c, std::size_t i) { c.bodies.laws.restitution[i] = T(-1e-30); }},
      {Status::negative_friction, Law::smith, [](Batch& c, std::size_t i) { c.bodies.laws.friction[i] = T(-1e-30); }},
      {Status::law_unavailable, Law::incremental,
       [](Batch& c, std::size_t i) { c.bodies.laws.law[i] = static_cast<Law>(law_count); }},
      {Status::law_parameter_missing, Law::frictionless,
       [](Batch& c, std::size_t i) {
         c.no_tangential_restitution = true;
         c.bodies.laws.law[i] = Law::bilinear;
       }},
      {Status::law_parameter_missing, Law::frictionless,
       [](Batch& c, std::size_t i) {
         c.no_tangential_restitution = true;
         c.bodies.laws.law[i] = Law::composite;
       }},
      {Status::law_parameter_out_of_range, Law::chatterjee_ruina,
       [](Batch& c, std::size_t i) { c.bodies.laws.tangential_restitution[i] = -next; }},
      {Status::law_parameter_out_of_range, Law::polar,
       [](Batch& c, std::size_t i) { c.bodies.laws.polar_angle[i] = T(3.15); }},
      {Status::law_parameter_out_of_range, Law::polar,
       [](Batch& c, std::size_t i) { c.bodies.laws.fraction[i] = next; }},
      {Status::law_parameter_out_of_range, Law::composite,
       [](Batch& c, std::size_t i) { c.bodies.laws.weights[1][i] = T(-1e-30); }},
      {Status::law_parameter_out_of_range, Law::composite,
       [](Batch& c, std::size_t i) {
         for (auto& weight : c.bodies.laws.weights) weight[i] = 0;
       }},
      {Status::restitution_law_unavailable, Law::incremental,
       [](Batch& c, std::size_t i) { c.bodies.laws.restitution_law[i] = static_cast<RestitutionLaw>(3); }},
      {Status::restitution_law_unavailable, Law::frictionless,
       [](Batch& c, std::size_t i) { c.bodies.laws.restitution_law[i] = static_cast<RestitutionLaw>(255); }},
      {Status::restitution_law_unavailable, Law::polar,
       [](Batch& c, std::size_t i) { c.bodies.laws.restitution_law[i] = static_cast<RestitutionLaw>(3); }},
      {Status::restitution_law_unavailable, Law::composite,
       [](Batch& c, std::size_t i) { c.bodies.laws.restitution_law[i] = static_cast<RestitutionLaw>(3); }},
  };
}

/// Faults of columns of contacts between bodies.
template <class T>
std::vector<PlanarFault<T>> planar_body_faults() {
  using Batch = PlanarFaultBatch<T>;
  constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
  const auto all_of = [](auto&& f) {
    return [f](Batch& c, std::size_t i) {
      f(c.bodies.a, i, 0);
      f(c.bodies.b, i, 1);
      f(c.bodies.stored, 2 * i, 0);
      f(c.bodies.stored, 2 * i + 1, 1);
    };
  };
  using Bodies = PlanarBodyArrays<T>;
  return {
      {Status::not_a_number, Law::frictionless, [](Batch& c, std::size_t i) { c.bodies.r_a_x[i] = nan; }},
      {Status::not_a_number, Law::incremental, all_of([](Bodies& b, std::size_t i, int side) {
         if (side == 1) b.inverse_mass[i] = nan;
       })},
      {Status::infinite, Law::incremental, all_of([](Bodies& b, std::size_t i, int side) {
         if (side == 1) b.angular_velocity[i] = -infinity;
       })},
      {Status::normal_not_unit, Law::incremental, [](Batch& c, std::size_t i) { c.bodies.normal_y[i] = T(1 + 2e-5); }},
      {Status::negative_inverse_mass, Law::whittaker, all_of([](Bodies& b, std::size_t i, int side) {
         if (side == 0) b.inverse_mass[i] = T(-1e-9);
       })},
      {Status::inverse_inertia_not_positive_semidefinite, Law::incremental,
       all_of([](Bodies& b, std::size_t i, int side) {
         if (side == 0) b.inverse_inertia[i] = T(-1e-9);
       })},
      {Status::both_immovable, Law::brach,
       all_of([](Bodies& b, std::size_t i, int) { b.inverse_mass[i] = b.inverse_inertia[i] = 0; })},
      {Status::overflow, Law::incremental,
       [](Batch& c, std::size_t i) { c.bodies.r_a_x[i] = std::sqrt(std::numeric_limits<T>::max()) * 4; }},
      {Status::collision_matrix_not_positive_definite, Law::incremental,
       // A pivot: no compliance along r.
       all_of([](Bodies& b, std::size_t i, int side) {
         b.inverse_mass[i] = 0;
         if (side == 1) b.inverse_inertia[i] = 0;
       })},
  };
}

}  // namespace carom::support
