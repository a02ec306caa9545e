// Converts the columns of scenes from C: see contact_columns.hpp.
#pragma once

#include <carom/scene.hpp>

#include "contact_columns.hpp"
#include "core/columns/scene_columns.hpp"

namespace carom::c {

template <class T>
consteval std::size_t scene_body_columns() {
  std::size_t count = 0;
  SceneBodies<T> bodies;
  columns::each(Count{&count}, {}, bodies);
  columns::each_of_scene_bodies(Count{&count}, bodies);
  return count;
}

template <class T>
consteval std::size_t scene_contact_columns() {
  SceneContacts<T> contacts;
  std::size_t count = columns::numbers_of<SceneContacts<T>>();
  columns::each_index(Count{&count}, contacts);
  columns::each_of_scene(Count{&count}, contacts);
  return count;
}

template <class T>
consteval std::size_t joint_row_columns() {
  std::size_t count = 0;
  JointRows<T> rows;
  columns::each_needed_of_rows(Count{&count}, rows);
  columns::each_optional_of_rows(Count{&count}, rows);
  return count;
}

template <class T>
consteval std::size_t island_result_columns() {
  std::size_t count = 0;
  IslandResults<T> islands;
  columns::each_island_result(Count{&count}, islands);
  return count;
}

template <class T>
consteval std::size_t scene_result_columns() {
  std::size_t count = 0;
  SceneResults<T> results;
  columns::each_scene_result(Count{&count}, results);
  columns::each_scene_body_result(Count{&count}, results);
  columns::each_scene_row_result(Count{&count}, results);
  return count;
}

template <class T>
Scene<T> taken_scene(const carom_scene* scene) {
  constexpr std::size_t head = sizeof(std::size_t), column = sizeof(carom_column);
  static_assert(sizeof(SceneBodies<T>) == scene_body_columns<T>() * column);
  static_assert(sizeof(carom_scene_bodies) == head + scene_body_columns<T>() * column);
  static_assert(sizeof(SceneContacts<T>) == scene_contact_columns<T>() * column + sizeof(LawColumns<T>));
  static_assert(sizeof(carom_scene_contacts) == head + scene_contact_columns<T>() * column + sizeof(void*));
  static_assert(sizeof(JointRows<T>) == joint_row_columns<T>() * column);
  static_assert(sizeof(carom_joint_rows) == head + joint_row_columns<T>() * column);

  const Given<carom_scene> from(given(scene, "scene"));
  Scene<T> to;
  const Given<carom_scene_bodies> bodies(given(from->bodies, "scene->bodies"));
  columns::each(TakeEach{}, {}, to.bodies, *bodies);
  columns::each_of_scene_bodies(TakeEach{}, to.bodies, *bodies);
  if (from->contacts != nullptr) {
    const Given<carom_scene_contacts> contacts(*from->contacts);
    columns::each_number(TakeEach{}, to.contacts, *contacts);
    columns::each_index(TakeEach{}, to.contacts, *contacts);
    columns::each_of_scene(TakeEach{}, to.contacts, *contacts);
    take_laws(to.contacts.laws, contacts->laws);
  }
  if (from->joints != nullptr) {
    const Given<carom_joint_rows> rows(*from->joints);
    columns::each_needed_of_rows(TakeEach{}, to.joints, *rows);
    columns::each_optional_of_rows(TakeEach{}, to.joints, *rows);
  }
  return to;
}

template <class T>
SceneResults<T> taken_scene_results(const carom_scene_results* results) {
  constexpr std::size_t head = sizeof(std::size_t), column = sizeof(carom_output);
  static_assert(sizeof(IslandResults<T>) == island_result_columns<T>() * column);
  static_assert(sizeof(carom_island_results) == head + island_result_columns<T>() * column);
  static_assert(sizeof(SceneResults<T>) == scene_result_columns<T>() * column + sizeof(IslandResults<T>));
  static_assert(sizeof(carom_scene_results) == head + scene_result_columns<T>() * column + sizeof(void*));

  SceneResults<T> to;
  if (results == nullptr) return to;
  const Given<carom_scene_results> from(*results);
  columns::each_scene_result(TakeEach{}, to, *from);
  columns::each_scene_body_result(TakeEach{}, to, *from);
  columns::each_scene_row_result(TakeEach{}, to, *from);
  if (from->islands != nullptr) {
    const Given<carom_island_results> islands(*from->islands);
    columns::each_island_result(TakeEach{}, to.islands, *islands);
  }
  return to;
}

}  // namespace carom::c
