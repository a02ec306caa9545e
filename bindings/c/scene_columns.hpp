// Converts the columns of scenes from C: see contact_columns.hpp.
#pragma once

#include <carom/scene.hpp>

#include "contact_columns.hpp"
#include "core/columns/scene_columns.hpp"

namespace carom::c {

template <class T>
Scene<T> taken_scene(const carom_scene* scene) {
  const Given<carom_scene> from(given(scene, "scene"));
  Scene<T> to;
  take_columns(to.bodies, &given(from->bodies, "scene->bodies"), [](auto&& f, auto&... bodies) {
    columns::each(f, {}, bodies...);
    columns::each_of_scene_bodies(f, bodies...);
  });
  take_columns(to.contacts, from->contacts, [](auto&& f, auto&... contacts) {
    columns_of_contacts(f, contacts...);
    columns::each_of_scene(f, contacts...);
  });
  take_columns(to.joints, from->joints, [](auto&& f, auto&... rows) {
    columns::each_needed_of_rows(f, rows...);
    columns::each_optional_of_rows(f, rows...);
  });
  return to;
}

template <class T>
SceneResults<T> taken_scene_results(const carom_scene_results* results) {
  return taken_results<SceneResults<T>>(results, [](auto&& f, auto&... of) {
    columns::each_scene_result(f, of...);
    columns::each_scene_body_result(f, of...);
    columns::each_scene_row_result(f, of...);
  });
}

}  // namespace carom::c
