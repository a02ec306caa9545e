#include "method.hpp"

#include <algorithm>

#include "sweeps.hpp"

namespace carom::scene {
namespace {

/// Contacts and rows of islands that are solved together: their blocks fit into a core's own cache.
template <class T>
constexpr std::size_t points_of_part = 16384 / sizeof(T);
/// [bytes] Blocks have room for any graph of a scene's size up to this limit.
constexpr std::size_t max_reserved = std::size_t{32} << 20;

}  // namespace

template <class T>
void Method<T>::build_graph(const Call<T>& call) {
  Graph& graph = call.workspace.graph;
  const std::size_t slots = call.team.slots();
  // Every thread has the same number of parts, at least two.
  const std::size_t points = call.job.contacts + call.job.rows, at_once = slots * points_of_part<T>;
  const std::size_t parts_of_thread = std::max<std::size_t>(2, (points + at_once - 1) / at_once);
  const std::size_t share = points / (slots * parts_of_thread) + 1;
  graph.build(call.parts, call.kernels.width,
              slots == 1 ? points_of_part<T> : std::clamp(share, std::size_t{256}, points_of_part<T>),
              call.workspace.substeps, call.options.has_single_manifold_kernel, slots);
}

template <class T>
void Method<T>::reserve_blocks(const CallData<T>& call) {
  const kernel::SceneJob<T>& job = call.job;
  const std::uint8_t models = job.has_models ? kernel::has_model | kernel::models_with_moments : 0;
  const std::size_t of_contacts = job.contacts * bytes_of_block(call.kernels, job, false, 1, models);
  const std::size_t of_rows = job.rows * bytes_of_block(call.kernels, job, true, 1, 0);
  call.workspace.blocks.at_least(std::min(of_contacts + of_rows, max_reserved));
  if (call.options.bender_schmitt.shock_propagation > 0)
    call.workspace.level_blocks.at_least(std::min(of_contacts, max_reserved));
}

template <class T>
const Method<T>& method_of(Procedure procedure) {
  // In the order of Procedure.
  static constexpr const Method<T>& (*methods[])() = {substeps_method,           pgs_method,        ncp_method,
                                                      sequential_impacts_method, collisions_method, resting_method,
                                                      both_phases_method};
  static_assert(std::size(methods) == static_cast<std::size_t>(Procedure::both_phases) + 1);
  return methods[static_cast<std::size_t>(procedure)]();
}

template class Method<float>;
template class Method<double>;
template const Method<float>& method_of(Procedure);
template const Method<double>& method_of(Procedure);

}  // namespace carom::scene
