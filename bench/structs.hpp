// Contacts of an application whose bodies hit an immovable floor, passed as in the README: from its own structs, from
// columns with repeated values, and from contiguous columns. All have the same values. Indexed contacts are from
// structs.
#pragma once

#include <carom/contacts.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "support/contacts/random_contacts.hpp"

namespace carom::bench {

/// All columns contiguous, body B at rest and without inverse mass.
template <class T>
struct Floor {
  static constexpr const char* name = "floor";
  static constexpr bool bodies = true;

  explicit Floor(std::size_t n) : drawn(n, 1) {
    for (std::size_t i = 0; i < n; ++i) {
      // The body that moves is A.
      if (drawn.a.inverse_mass[i] == T(0)) {
        for (auto& normal : drawn.normal) normal[i] = -normal[i];
        take(drawn.a, drawn.b, i);
        for (std::size_t c = 0; c < 3; ++c) drawn.r_a[c][i] = drawn.r_b[c][i];
      }
      drawn.b.inverse_mass[i] = T(0);
      for (auto& column : drawn.b.inverse_inertia) column[i] = T(0);
      for (std::size_t c = 0; c < 3; ++c)
        drawn.b.velocity[c][i] = drawn.b.angular_velocity[c][i] = drawn.r_b[c][i] = T(0);
      drawn.friction[i] = friction;
      drawn.restitution[i] = restitution;
    }
  }
  Contacts<T> contacts() const { return drawn.inline_contacts(); }
  /// The impulse and the status.
  Results<T> results(support::ResultArrays<T>& arrays) {
    Results<T> results;
    results.impulse = arrays.results().impulse;
    results.status = arrays.status;
    return results;
  }

  static constexpr T friction = T(0.5), restitution = T(0.5);
  support::RandomContacts<T> drawn;

 private:
  static void take(support::BodyArrays<T>& to, const support::BodyArrays<T>& from, std::size_t i) {
    to.inverse_mass[i] = from.inverse_mass[i];
    for (std::size_t c = 0; c < 6; ++c) to.inverse_inertia[c][i] = from.inverse_inertia[c][i];
    for (std::size_t c = 0; c < 3; ++c) {
      to.velocity[c][i] = from.velocity[c][i];
      to.angular_velocity[c][i] = from.angular_velocity[c][i];
    }
  }
};

/// Every column at the beginning of a page, where allocators put large arrays: equal places of all of them belong to
/// the same set of the cache.
template <class T>
struct FloorOnPages : Floor<T> {
  static constexpr const char* name = "floor-pages";

  explicit FloorOnPages(std::size_t n) : Floor<T>(n) {
    view = Floor<T>::contacts();
    const std::size_t size = (n * sizeof(T) + page - 1) / page * page / sizeof(T);
    memory.resize(columns * size + page / sizeof(T));
    std::size_t bytes = memory.size() * sizeof(T);
    void* start = memory.data();
    T* to = static_cast<T*>(std::align(page, columns * size * sizeof(T), start, bytes));
    const auto move = [&](auto&... moved) { ((to = take(moved, to, n, size)), ...); };
    move(view.friction, view.restitution);
    for (Vector3Columns<const T>* v : {&view.normal, &view.r_a, &view.r_b}) move(v->x, v->y, v->z);
    for (BodyColumns<const T>* body : {&view.a, &view.b}) {
      auto& inertia = body->inverse_inertia;
      move(body->inverse_mass, inertia.xx, inertia.xy, inertia.xz, inertia.yy, inertia.yz, inertia.zz);
      for (Vector3Columns<const T>* v : {&body->velocity, &body->angular_velocity}) move(v->x, v->y, v->z);
    }
  }
  Contacts<T> contacts() const { return view; }

 private:
  static constexpr std::size_t page = 4096, columns = 37;
  static T* take(Column<const T>& column, T* to, std::size_t n, std::size_t size) {
    for (std::size_t i = 0; i < n; ++i) to[i] = column[i];
    column = {to, n};
    return to + size;
  }

  std::vector<T> memory;
  Contacts<T> view;
};

/// Friction, restitution and body B as repeated values.
template <class T>
struct RepeatedFloor : Floor<T> {
  static constexpr const char* name = "floor-repeated";
  using Floor<T>::Floor;

  Contacts<T> contacts() const {
    Contacts<T> contacts = Floor<T>::contacts();
    contacts.friction = Floor<T>::friction;
    contacts.restitution = Floor<T>::restitution;
    contacts.b = {};
    contacts.r_b = {};
    return contacts;
  }
};

/// And all else from structs of 22 numbers, three of which are for the impulse.
template <class T>
struct StructsOnFloor : RepeatedFloor<T> {
  static constexpr const char* name = "floor-structs";
  struct Hit {
    T inverse_mass, inverse_inertia[6], velocity[3], spin[3], arm[3], normal[3], impulse[3];
  };

  explicit StructsOnFloor(std::size_t n) : RepeatedFloor<T>(n), hits(n) {
    const support::RandomContacts<T>& from = this->drawn;
    for (std::size_t i = 0; i < n; ++i) {
      hits[i].inverse_mass = from.a.inverse_mass[i];
      for (std::size_t c = 0; c < 6; ++c) hits[i].inverse_inertia[c] = from.a.inverse_inertia[c][i];
      for (std::size_t c = 0; c < 3; ++c) {
        hits[i].velocity[c] = from.a.velocity[c][i];
        hits[i].spin[c] = from.a.angular_velocity[c][i];
        hits[i].arm[c] = from.r_a[c][i];
        hits[i].normal[c] = from.normal[c][i];
      }
    }
  }
  Contacts<T> contacts() const {
    Contacts<T> contacts = RepeatedFloor<T>::contacts();
    const std::size_t n = hits.size(), stride = sizeof(Hit);
    const auto vectors = [&](const T* field) { return Vector3Columns<const T>(field, n, stride); };
    contacts.a.inverse_mass = {&hits[0].inverse_mass, n, sizeof(Hit)};
    contacts.a.inverse_inertia = {hits[0].inverse_inertia, n, stride};
    contacts.a.velocity = vectors(hits[0].velocity);
    contacts.a.angular_velocity = vectors(hits[0].spin);
    contacts.r_a = vectors(hits[0].arm);
    contacts.normal = vectors(hits[0].normal);
    return contacts;
  }

  Results<T> results(support::ResultArrays<T>& arrays) {
    Results<T> results;
    results.impulse = {hits[0].impulse, hits.size(), sizeof(Hit)};
    results.status = arrays.status;
    return results;
  }

  std::vector<Hit> hits;
};

/// Contacts between bodies that are stored once, both as structs.
template <class T>
struct IndexedStructs {
  static constexpr const char* name = "indexed-structs";
  static constexpr bool bodies = true;
  struct Body {
    T inverse_mass, inverse_inertia[6], velocity[3], spin[3];
  };
  struct Touch {
    std::int32_t body_a, body_b;
    T friction, restitution, normal[3], r_a[3], r_b[3];
  };

  explicit IndexedStructs(std::size_t n) : movers(n / 10), touches(n) {
    const support::RandomIndexedContacts<T> drawn(n, n / 10, 1);
    for (std::size_t i = 0; i < movers.size(); ++i) {
      movers[i].inverse_mass = drawn.bodies.inverse_mass[i];
      for (std::size_t c = 0; c < 6; ++c) movers[i].inverse_inertia[c] = drawn.bodies.inverse_inertia[c][i];
      for (std::size_t c = 0; c < 3; ++c) {
        movers[i].velocity[c] = drawn.bodies.velocity[c][i];
        movers[i].spin[c] = drawn.bodies.angular_velocity[c][i];
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      touches[i].body_a = drawn.body_a[i];
      touches[i].body_b = drawn.body_b[i];
      touches[i].friction = drawn.friction[i];
      touches[i].restitution = drawn.restitution[i];
      for (std::size_t c = 0; c < 3; ++c) {
        touches[i].normal[c] = drawn.normal[c][i];
        touches[i].r_a[c] = drawn.r_a[c][i];
        touches[i].r_b[c] = drawn.r_b[c][i];
      }
    }
  }
  IndexedContacts<T> contacts() const {
    const std::size_t n = touches.size(), b = movers.size();
    const auto vectors = [&](const T* field) { return Vector3Columns<const T>(field, n, sizeof(Touch)); };
    const auto of_bodies = [&](const T* field) { return Vector3Columns<const T>(field, b, sizeof(Body)); };
    IndexedContacts<T> contacts;
    contacts.body_a = {&touches[0].body_a, n, sizeof(Touch)};
    contacts.body_b = {&touches[0].body_b, n, sizeof(Touch)};
    contacts.friction = {&touches[0].friction, n, sizeof(Touch)};
    contacts.restitution = {&touches[0].restitution, n, sizeof(Touch)};
    contacts.normal = vectors(touches[0].normal);
    contacts.r_a = vectors(touches[0].r_a);
    contacts.r_b = vectors(touches[0].r_b);
    contacts.bodies.inverse_mass = {&movers[0].inverse_mass, b, sizeof(Body)};
    contacts.bodies.inverse_inertia = {movers[0].inverse_inertia, b, sizeof(Body)};
    contacts.bodies.velocity = of_bodies(movers[0].velocity);
    contacts.bodies.angular_velocity = of_bodies(movers[0].spin);
    return contacts;
  }

  std::vector<Body> movers;
  std::vector<Touch> touches;
};

}  // namespace carom::bench
