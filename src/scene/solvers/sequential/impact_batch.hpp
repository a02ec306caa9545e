// The contacts of a batch as the kernels of single contacts take them.
#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/columns/columns.hpp"
#include "core/support/array.hpp"
#include "impact_workspace.hpp"

namespace carom::scene {

/// The contacts of batches as the kernels take them, with the way from the scene's columns to theirs.
template <class T>
class BatchContacts {
 public:
  BatchContacts(const SceneContacts<T>& scene, ImpactBatch<T>& batch) : batch_(batch) {
    const auto number = [&](const columns::Label&, Column<const T>& to, const Column<const T>& from) {
      if (!from) return;
      to = {batch.numbers[sources_], ImpactBatch<T>::most};
      from_[sources_++] = &from;
    };
    columns::each_number(number, contacts_, scene);
    columns::each_parameter(
        [&](const columns::Label& label, auto, auto& to, const auto& from) { number(label, to, from); }, contacts_.laws,
        scene.laws);
    columns::each_weight(
        [&](const columns::Label& label, auto, auto& to, const auto& from) { number(label, to, from); },
        contacts_.laws.weight, scene.laws.weight);
    columns::each_choice(
        [&](const columns::Label& label, auto& to, const auto& from) {
          using V = std::remove_cvref_t<decltype(*from.data)>;
          if (!from) return;
          if constexpr (std::is_same_v<V, T>)
            number(label, to, from);
          else if constexpr (std::is_same_v<V, Law>)
            to = {batch.law, ImpactBatch<T>::most};
          else
            to = {batch.restitution_law, ImpactBatch<T>::most};
        },
        contacts_.laws, scene.laws);
    law_ = scene.laws.law;
    restitution_law_ = scene.laws.restitution_law;
    contacts_.body_a = {batch.body[0], ImpactBatch<T>::most};
    contacts_.body_b = {batch.body[1], ImpactBatch<T>::most};
    constexpr std::size_t stride = sizeof batch.rows[0];
    T* const rows = batch.rows[2];
    std::size_t c = 0;
    columns::each(
        [&](const columns::Label&, auto& column) {
          column = {rows + c++, 2 * ImpactBatch<T>::most, static_cast<std::ptrdiff_t>(stride)};
        },
        columns::Label{}, contacts_.bodies);
    std::fill_n(batch.rows[0], kernel::BodyRecord::size, std::numeric_limits<T>::quiet_NaN());
    std::fill_n(batch.rows[1], kernel::BodyRecord::size, T(0));
    for (std::size_t k = 0; k < ImpactBatch<T>::most; ++k) {
      batch.body[0][k] = static_cast<std::int32_t>(2 * k);
      batch.body[1][k] = static_cast<std::int32_t>(2 * k + 1);
    }
    c = 0;
    const auto result = [&](Column<T>& column) { column = {batch.results[c++], ImpactBatch<T>::most}; };
    for (auto* vector : {&results_.impulse, &results_.velocity_a, &results_.angular_velocity_a, &results_.velocity_b,
                         &results_.angular_velocity_b}) {
      result(vector->x);
      result(vector->y);
      result(vector->z);
    }
    results_.status = {batch.status, ImpactBatch<T>::most};
    results_.path = {batch.path, ImpactBatch<T>::most};
  }

  /// Contact i of the scene becomes contact k of the batch.
  void take(std::size_t k, std::size_t i) {
    for (std::size_t c = 0; c < sources_; ++c) batch_.numbers[c][k] = (*from_[c])[i];
    if (law_) batch_.law[k] = law_[i];
    if (restitution_law_) batch_.restitution_law[k] = restitution_law_[i];
  }

  const IndexedContacts<T>& contacts() const { return contacts_; }
  const Results<T>& results() const { return results_; }

 private:
  ImpactBatch<T>& batch_;
  IndexedContacts<T> contacts_;
  Results<T> results_;
  const Column<const T>* from_[ImpactBatch<T>::max_columns];
  std::size_t sources_ = 0;
  Column<const Law> law_;
  Column<const RestitutionLaw> restitution_law_;
};

/// The parts of a workspace that these laws need.
template <class T>
kernel::Workspace<T> workspace_of(ImpactBatch<T>& batch) {
  const auto make = [](auto& part) {
    if (!part) part = make_owned<typename std::decay_t<decltype(part)>::element_type>();
  };
  make(batch.sliding);
  make(batch.law_tile);
  make(batch.group);
  make(batch.components);
  return {batch.sliding.get(), batch.law_tile.get(), batch.group.get()};
}

}  // namespace carom::scene
