// The checks of a call before any work: misuse of the interface is an Error that names the column or the option.
#pragma once

#include <carom/gradients.hpp>
#include <carom/scene.hpp>
#include <carom/solver.hpp>
#include <string_view>

namespace carom {

void check_execution(const Execution& execution);
void check_options(const Options& options);

/// Throws Error unless the relative tolerance is a finite number >= 0.
void check_tolerance(double tolerance);
/// Throws Error for a result column with stride 0.
[[noreturn]] void refuse_shared_result(std::string_view column);

/// Returns the number of contacts, of any form and dimension.
template <template <class> class AnyContacts, class T, class ResultsOf>
std::size_t check_columns(const AnyContacts<T>& contacts, const ResultsOf& results);

/// The same for what Solver::find_margins reads and writes.
template <template <class> class AnyContacts, class T>
std::size_t check_region_columns(const AnyContacts<T>& contacts, const Vector3Columns<const T>& impulse,
                                 const RegionMargins<T>& margins, const ImpulseSpace<T>& space);

/// The same for what Solver::differentiate reads and writes, and its options.
template <class T>
std::size_t check_gradients(const KContacts<T>& contacts, const Gradients<T>& gradients, const Options& options,
                            double tolerance);

/// The same for scenes.
void check_scene_options(const SceneOptions& options);
/// Throws an Error that names a column that the method does not read.
template <class T>
void check_columns_of_method(const Scene<T>& scene, const SceneOptions& options);
void check_scene_size(std::size_t bodies, std::size_t contacts, std::size_t joint_rows);
template <class T>
void check_scene_columns(const Scene<T>& scene, const SceneResults<T>& results);

}  // namespace carom
