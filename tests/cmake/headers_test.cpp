// An engine's use of what the headers define: templates are looked at only when somebody has them instantiated.
#include <carom/carom.hpp>
#include <carom/experimental.hpp>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <carom/reference_scene.hpp>
#include <vector>

template class carom::BlockedContacts<float>;
template class carom::BlockedContacts<double>;
template struct carom::LargeAllocator<float>;

carom::Report solve(carom::Solver& solver, const std::vector<float>& friction, std::vector<float>& impulse) {
  carom::BlockedContacts<float> contacts(friction.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts.friction[i] = friction[i];
  carom::Results<float> results;
  results.impulse.z = impulse;
  return solver.solve(contacts, results);
}
