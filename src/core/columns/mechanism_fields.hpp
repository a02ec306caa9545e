// The fields of MechanismContact, for C and Python.
#pragma once

#include <carom/mechanism.hpp>

#include "option_table.hpp"

namespace carom {

template <class F, Is<MechanismContact> O, class... Others>
void each_field(F&& f, O& contact, Others&... others) {
  auto& [index, tangent_1, tangent_2, normal, k, separation_velocity, friction, restitution, locked] = contact;
  f("index", index, others.index...);
  f("tangent_1", tangent_1, others.tangent_1...);
  f("tangent_2", tangent_2, others.tangent_2...);
  f("normal", normal, others.normal...);
  f("k", k, others.k...);
  f("separation_velocity", separation_velocity, others.separation_velocity...);
  f("friction", friction, others.friction...);
  f("restitution", restitution, others.restitution...);
  f("locked", locked, others.locked...);
}

}  // namespace carom
