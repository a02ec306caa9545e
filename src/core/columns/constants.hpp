// Replaces constants and an absent body B in the caller's columns by columns of stride 0, for internal code. The
// functions that have a copy for every form of contacts are "cold": compiled for size.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "columns.hpp"
#include "scene_columns.hpp"

namespace carom::columns {

/// The number of elements of the first column that is not a constant. Missing columns and results do not count.
struct Length {
  std::size_t count = 0;
  bool is_known = false, has_constants = false;

  template <class T, class... Others>
  [[gnu::always_inline]] void operator()(const Label&, const Column<T>& column, Others&...) {
    if constexpr (!std::is_const_v<T>) return;
    if (column.is_constant()) {
      has_constants = true;
    } else if (!is_known && (column.data != nullptr || column.count > 0)) {
      is_known = true;
      count = column.count;
    }
  }
  /// Returns true if all columns are constants, so that no column has a length.
  bool is_missing() const { return has_constants && !is_known; }
};

/// Makes a column with stride 0 of a constant: f(label, made, given). `made` points into `given`.
struct WithoutConstants {
  std::size_t count;

  template <class T>
  [[gnu::always_inline]] void operator()(const Label&, Column<const T>& made, const Column<const T>& given) const {
    if constexpr (Column<const T>::has_constants)
      if (given.is_constant()) made = {&given.constant, count, 0};
  }
};

/// Returns whether no column of a vector or a body is given.
template <class Columns>
bool is_absent(const Columns& of) {
  bool is_absent = true;
  each([&](const Label&, const auto& column) { is_absent = is_absent && !column && column.count == 0; }, {}, of);
  return is_absent;
}

/// Gives contacts without a body B the immovable world.
template <class AnyContacts>
void add_world(AnyContacts& contacts, std::size_t count) {
  if constexpr (requires { contacts.b; }) {
    if (!is_absent(contacts.b)) return;
    if (!is_absent(contacts.r_b))
      throw Error("carom: r_b: body B is absent; give b, too, or leave out r_b", {.column = "r_b"});
    const auto stand_still = [&]<class T>(const Label&, Column<const T>& column) {
      static constexpr T zero = 0;
      column = {&zero, count, 0};
    };
    each(stand_still, {}, contacts.b);
    each(stand_still, {}, contacts.r_b);
  }
}

/// Counts columns. Together with the size of a struct this shows that lists have all columns of the struct, and that
/// the struct has no other members or padding.
struct CountColumns {
  std::size_t count = 0;
  [[gnu::always_inline]] constexpr void operator()(const auto&...) { ++count; }
  template <class Columns>
  constexpr bool are_all_of(const Columns&) const {
    return sizeof(Columns) == count * sizeof(Column<int>);
  }
};

/// The numbers of contacts and of bodies that are stored once.
struct FormLengths {
  Length contacts, bodies;

  template <class AnyContacts>
  [[gnu::cold, gnu::noinline]] explicit FormLengths(const AnyContacts& of) {
    each_of_contacts(contacts, of);
    if constexpr (requires { of.bodies; }) each(bodies, {}, of.bodies);
  }
  bool are_missing() const { return contacts.is_missing() || bodies.is_missing(); }
};

/// The contacts of a call without constants and absent bodies. Points into `given`.
template <template <class> class AnyContacts, class T>
[[gnu::cold, gnu::noinline]] AnyContacts<T> without_constants(const AnyContacts<T>& given, const FormLengths& lengths) {
  static_assert([] {
    CountColumns columns;
    const AnyContacts<T> contacts;
    each_of_contacts(columns, contacts);
    if constexpr (requires { contacts.bodies; }) each(columns, {}, contacts.bodies);
    return columns.are_all_of(contacts);
  }());
  AnyContacts<T> made = given;
  add_world(made, lengths.contacts.count);
  each_of_contacts(WithoutConstants{lengths.contacts.count}, made, given);
  if constexpr (requires { given.bodies; }) each(WithoutConstants{lengths.bodies.count}, {}, made.bodies, given.bodies);
  return made;
}
template <template <class> class AnyContacts, class T>
AnyContacts<T> without_constants(const AnyContacts<T>& given) {
  return without_constants(given, FormLengths(given));
}

/// Calls f(label, column, others...) for every column of a scene that is as long as its contacts, its bodies, its rows.
template <class F, class AnyScene, class... Others>
[[gnu::always_inline]] constexpr void each_of_scene_contacts(F&& f, AnyScene& scene, Others&... others) {
  each_of_contacts(f, scene.contacts, others.contacts...);
  each_of_scene(f, scene.contacts, others.contacts...);
}
template <class F, class AnyScene, class... Others>
[[gnu::always_inline]] constexpr void each_of_bodies(F&& f, AnyScene& scene, Others&... others) {
  each(f, {"bodies"}, scene.bodies, others.bodies...);
  each_of_scene_bodies(f, scene.bodies, others.bodies...);
}
template <class F, class AnyScene, class... Others>
[[gnu::always_inline]] constexpr void each_of_rows(F&& f, AnyScene& scene, Others&... others) {
  each_needed_of_rows(f, scene.joints, others.joints...);
  each_optional_of_rows(f, scene.joints, others.joints...);
}

/// The numbers of contacts, bodies and rows of a scene.
struct SceneLengths {
  Length contacts, bodies, rows;

  template <class T>
  [[gnu::cold, gnu::noinline]] explicit SceneLengths(const Scene<T>& scene) {
    each_of_scene_contacts(contacts, scene);
    each_of_bodies(bodies, scene);
    each_of_rows(rows, scene);
  }
  bool have_constants() const { return contacts.has_constants || bodies.has_constants || rows.has_constants; }
  bool are_missing() const { return contacts.is_missing() || bodies.is_missing() || rows.is_missing(); }
};

/// A scene without constants. Points into `given`.
template <class T>
[[gnu::cold, gnu::noinline]] Scene<T> without_constants(const Scene<T>& given, const SceneLengths& lengths) {
  static_assert([] {
    CountColumns columns;
    const Scene<T> scene;
    each_of_scene_contacts(columns, scene);
    each_of_bodies(columns, scene);
    each_of_rows(columns, scene);
    return columns.are_all_of(scene);
  }());
  Scene<T> made = given;
  each_of_scene_contacts(WithoutConstants{lengths.contacts.count}, made, given);
  each_of_bodies(WithoutConstants{lengths.bodies.count}, made, given);
  each_of_rows(WithoutConstants{lengths.rows.count}, made, given);
  return made;
}

}  // namespace carom::columns

namespace carom {

/// The columns of a call: the caller's, or copies in which constants are replaced. The caller's must outlive it.
template <class Columns>
class Resolved {
 public:
  explicit Resolved(const Columns& given) : given_(&given) {}
  Resolved(const Columns& given, const Columns& made) : given_(&given), made_(made) {}
  explicit Resolved(Columns&& temporary) = delete;

  const Columns& operator*() const { return made_ ? *made_ : *given_; }
  const Columns* operator->() const { return &**this; }

 private:
  const Columns* given_;
  std::optional<Columns> made_;
};

}  // namespace carom
