// Validate: the columns of contact models. docs/contact-models.md has their ranges.
#pragma once

#include "contact/kernels/stages/validate.hpp"
#include "scene/kernels/blocks/model_columns.hpp"

namespace carom::kernel {
namespace {

/// Numbers of a vector of contacts. Columns that may be infinite are checked for NaN only.
template <class A, class T>
class ModelNumbers {
  using B = typename LaneTypes<A, T>::Batch;
  using Load = Loader<A, T>;

 public:
  /// Sets the faults of `validator`.
  ModelNumbers(const JobInput<T>& job, const kernel::Block& block, const Vector3<B>& normal, B friction,
               Validator<A, T>& validator) {
    const SceneContacts<T>& contacts = job.scene->contacts;
    const B zero(0);
    const auto below_zero = [&](const Column<const T>& column, Status status) {
      if (column.data != nullptr) validator.set(add(Load::load(column, block)) < zero, status);
    };
    below_zero(contacts.damping, Status::negative_damping);
    if (contacts.stiffness.data != nullptr) {
      const B stiffness = Load::load(contacts.stiffness, block);
      add(without_infinity(stiffness));
      validator.set(stiffness <= zero, Status::stiffness_not_positive);
    }
    below_zero(contacts.tangential_compliance, Status::negative_tangential_compliance);
    below_zero(contacts.normal_compliance, Status::negative_normal_compliance);
    below_zero(contacts.spinning_friction, Status::negative_spinning_friction);
    below_zero(contacts.rolling_friction, Status::negative_rolling_friction);
    if (is_at_once(job.target) && job.warm_angular_impulse.x.data != nullptr)
      for_each_field(job.warm_angular_impulse, [&](const Column<const T>& column) { add(Load::load(column, block)); });
    if (contacts.friction_2.data == nullptr) return;
    const B second = Load::load(contacts.friction_2, block);
    const Vector3<B> d = Load::load(contacts.friction_direction, block);
    add(without_infinity(second));
    for_each_field(d, [&](const B& x) { add(x); });
    const B length = square_root(dot(normal, normal));
    const Vector3<B> n = (B(1) / choose(length > zero, length, B(1))) * normal;
    const Vector3<B> across = part_across(d, n);
    const B rounding(T(16) * epsilon<T>);
    const auto has_direction = dot(across, across) > rounding * rounding;
    validator.set(and_not(friction < second || second < friction, has_direction),
                  Status::friction_direction_along_normal);
    validator.set(second < zero, Status::negative_friction_2);
  }

  /// Zero where all are finite.
  B sum() const {
    B all(0);
    for (std::size_t i = 0; i < count_; ++i) all = all + vanishing(numbers_[i]);
    return all;
  }
  template <class F>
  void each(F&& f) const {
    for (std::size_t i = 0; i < count_; ++i) f(numbers_[i]);
  }

 private:
  B add(B x) { return numbers_[count_++] = x; }

  B numbers_[14];
  std::size_t count_ = 0;
};

}  // namespace
}  // namespace carom::kernel
