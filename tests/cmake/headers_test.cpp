// Instantiates the templates of the public headers, as an engine does: compilers check templates on instantiation only.
#include <carom/carom.hpp>
#include <carom/experimental.hpp>
#include <carom/reference.hpp>
#include <carom/reference_planar.hpp>
#include <carom/reference_scene.hpp>
#include <vector>

template class carom::BlockedContacts<float>;
template class carom::BlockedContacts<double>;
template struct carom::LargeAllocator<float>;
template class carom::Expected<carom::Report>;
template class carom::StatusCounts<carom::Status, carom::status_room>;

carom::Report solve(carom::Solver& solver, const std::vector<float>& friction, std::vector<float>& impulse) {
  carom::BlockedContacts<float> contacts(friction.size());
  for (std::size_t i = 0; i < contacts.size(); ++i) contacts.friction[i] = friction[i];
  carom::Results<float> results;
  results.impulse.z = impulse;
  return solver.solve(contacts, results);
}

std::size_t try_step(carom::SceneSolver& solver, const carom::Scene<float>& scene,
                     carom::SceneResults<float>& results) {
  const carom::Expected<carom::SceneReport> report = solver.try_solve(scene, results, {.time_step = 0.01});
  return report ? report->first(carom::Status::overflow).value_or(0) : report.error().row().value_or(1);
}
