// The checks of a call before any work: misuse of the interface is an Error that names the column or the option.
#pragma once

#include <carom/gradients.hpp>
#include <carom/scene.hpp>
#include <carom/solver.hpp>
#include <string>

namespace carom {

/// With 15 digits, none of them needless: "2000", "0.1", "nan".
std::string in_words(double value);

void check_execution(const Execution& execution);
void check_options(const Options& options);

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
template <class T>
void check_scene_columns(const Scene<T>& scene, const SceneResults<T>& results);

}  // namespace carom
