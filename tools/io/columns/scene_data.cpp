#include "scene_data.hpp"

#include <limits>
#include <type_traits>

#include "contact_columns.hpp"
#include "core/columns/columns.hpp"
#include "core/columns/scene_columns.hpp"

namespace carom::io {
namespace {

constexpr std::array sides = {"a", "b"};

}  // namespace

std::vector<SceneColumn> optional_scene_columns(const SceneOptions::Method& method) {
  std::vector<SceneColumn> all;
  const SceneContacts<double> contacts;
  columns::each_of_scene(
      [&]<class AnyColumn>(const columns::Label& label, const AnyColumn&) {
        all.push_back({label.in_file(), *label.part == '\0' ? "" : label.file,
                       (label.readers & columns::reader_of(method)) != 0,
                       std::is_same_v<AnyColumn, Column<const std::uint64_t>>});
      },
      contacts);
  return all;
}

template <class T>
SceneData<T>::SceneData(const ContactNumbers& contacts, const SceneRows& rows, bool with_laws, ResultNumbers& results)
    : contacts_(contacts), results_(results) {
  place_contacts(with_laws);
  place_bodies();
  if (!rows.keys().empty()) keys_.from = &rows.keys();
  place_results(results);
}

template <class T>
void SceneData<T>::place_contacts(bool with_laws) {
  const auto place = [&](const std::string& name, auto& column) {
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(column)>, Column<const T>>)
      if (const NumberColumn* numbers = contacts_.numbers().find(name))
        contact_columns_.push_back({{&numbers->values}, &column});
  };
  visit_needed(view_.contacts, place);
  columns::each_of_scene([&](const columns::Label& label, auto& column) { place(label.in_file(), column); },
                         view_.contacts);
  if (!with_laws) return;
  visit_optional(view_.contacts, place);
  if (contacts_.names_laws()) laws_.from = &contacts_.named_laws();
  if (contacts_.names_restitution_laws()) restitution_laws_.from = &contacts_.named_restitution_laws();
}

template <class T>
void SceneData<T>::place_bodies() {
  const std::vector<std::string> of_a = body_state_columns(0), of_b = body_state_columns(1);
  std::size_t i = 0;
  columns::each(
      [&](const columns::Label&, Column<const T>& column) {
        const auto values = [&](const std::string& name) { return &contacts_.numbers().at(name); };
        body_columns_.push_back({{values(of_a[i]), values(of_b[i])}, &column});
        ++i;
      },
      columns::Label{}, view_.bodies);
}

template <class T>
void SceneData<T>::place_results(ResultNumbers& results) {
  const auto place = [&](const std::string& name, Column<T>& column) {
    contact_results_.push_back({{&results.numbers.at(name)}, &column});
  };
  visit_vector("impulse", results_view_.impulse, place);
  visit_vector("new_separation_velocity", results_view_.separation_velocity, place);

  const auto place_body = [&](const std::string& name, Vector3Columns<T>& vector) {
    columns::each(
        [&](const columns::Label& label, Column<T>& column) {
          std::array<std::vector<double>*, 2> targets{};
          for (std::size_t side = 0; side < 2; ++side) {
            const std::string of_side = name + "_" + sides[side] + "_" + label.part;
            targets[side] = &results.numbers.at("new_" + of_side);
            *targets[side] = contacts_.numbers().at(of_side);
          }
          body_results_.push_back({targets, &column});
        },
        columns::Label{}, vector);
  };
  place_body("velocity", results_view_.velocity);
  place_body("angular_velocity", results_view_.angular_velocity);

  if (contacts_.numbers().find("rolling_friction") || contacts_.numbers().find("spinning_friction")) {
    const auto add = [&](const std::string& name, Column<T>&) {
      results.further.push_back(name);
      results.numbers.add(name, std::vector<double>(contacts_.size()),
                          contacts_.in_float() ? digits_of_float : digits_of_double);
    };
    visit_vector("angular_impulse", results_view_.angular_impulse, add);
    visit_vector("angular_impulse", results_view_.angular_impulse, place);
  }

  // Work and steps are of single collisions.
  results.on_demand.clear();
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  for (const std::string& name : columns_of(Form::bodies).details) {
    results.numbers.at(name).assign(contacts_.size(), unknown);
    if (name.starts_with("new_separation_velocity")) results.on_demand.push_back(name);
  }
}

template <class T>
template <class Choice>
void SceneData<T>::ChoiceColumn<Choice>::load(const std::vector<std::size_t>& rows, Column<const Choice>& to) {
  if (from == nullptr) return;
  values.clear();
  for (const std::size_t row : rows) values.push_back((*from)[row]);
  to = values;
}

template <class T>
void SceneData<T>::load(const SceneOfRows& scene) {
  scene_ = &scene;
  for (Input& column : contact_columns_) {
    column.values.clear();
    for (const std::size_t row : scene.rows) column.values.push_back(static_cast<T>((*column.from[0])[row]));
    *column.to = column.values;
  }
  laws_.load(scene.rows, view_.contacts.laws.law);
  restitution_laws_.load(scene.rows, view_.contacts.laws.restitution_law);
  keys_.load(scene.rows, view_.contacts.key);
  view_.contacts.body_a = scene.body_a;
  view_.contacts.body_b = scene.body_b;
  for (Input& column : body_columns_) {
    column.values.clear();
    for (const RowSide& at : scene.bodies) column.values.push_back(static_cast<T>((*column.from[at.side])[at.row]));
    *column.to = column.values;
  }

  const auto clear = [](std::list<Output>& results, std::size_t count) {
    for (Output& result : results) {
      result.values.assign(count, 0);
      *result.from = result.values;
    }
  };
  clear(contact_results_, scene.rows.size());
  clear(body_results_, scene.bodies.size());
  statuses_.resize(scene.rows.size());
  paths_.resize(scene.rows.size());
  results_view_.status = statuses_;
  results_view_.path = paths_;
}

template <class T>
void SceneData<T>::store() const {
  for (std::size_t i = 0; i < scene_->rows.size(); ++i) {
    const std::size_t row = scene_->rows[i];
    for (const Output& result : contact_results_) (*result.to[0])[row] = result.values[i];
    results_.status[row] = statuses_[i];
    results_.path[row] = paths_[i];
  }
  for (const auto& [at, body] : scene_->shown)
    for (const Output& result : body_results_)
      (*result.to[at.side])[at.row] = result.values[static_cast<std::size_t>(body)];
}

template class SceneData<float>;
template class SceneData<double>;

}  // namespace carom::io
