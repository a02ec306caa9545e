// Checks of columns that are not among those of contacts: an Error names what is missing or of another length.
#pragma once

#include <carom/contacts.hpp>
#include <carom/scene.hpp>
#include <carom/status.hpp>
#include <cstddef>
#include <string>

namespace carom::scene {

template <class C>
void need(const std::string& name, const C& column, std::size_t count, const char* as_many_as, bool optional = false) {
  if (!column && optional && column.count == 0) return;
  if (!column && (count > 0 || column.count > 0)) throw Error("carom: the column " + name + " is missing");
  if (column.count != count)
    throw Error("carom: the column " + name + " has " + std::to_string(column.count) + " elements, but " + as_many_as +
                " has " + std::to_string(count));
}
template <class C>
void need_vectors(const std::string& name, const C& v, std::size_t count, const char* as_many_as) {
  need(name + ".x", v.x, count, as_many_as);
  need(name + ".y", v.y, count, as_many_as);
  need(name + ".z", v.z, count, as_many_as);
}

/// The columns that say what rows are; warm impulses and keys are not among them.
template <class T>
void check_rows(const JointRows<T>& joints) {
  const std::size_t count = joints.body_a.count;
  constexpr const char* first = "joints.body_a";
  need("joints.body_a", joints.body_a, count, first);
  need("joints.body_b", joints.body_b, count, first);
  need_vectors("joints.linear_a", joints.linear_a, count, first);
  need_vectors("joints.angular_a", joints.angular_a, count, first);
  need_vectors("joints.linear_b", joints.linear_b, count, first);
  need_vectors("joints.angular_b", joints.angular_b, count, first);
  need("joints.target_velocity", joints.target_velocity, count, first, true);
  need("joints.least_impulse", joints.least_impulse, count, first, true);
  need("joints.largest_impulse", joints.largest_impulse, count, first, true);
  need("joints.compliance", joints.compliance, count, first, true);
}

}  // namespace carom::scene
