// The checks of a call before any work: misuse of the interface is an Error that names the column or the option.
#pragma once

#include <carom/gradients.hpp>
#include <carom/mechanism.hpp>
#include <carom/scene.hpp>
#include <carom/solver.hpp>
#include <carom/system.hpp>

#include "constants.hpp"

namespace carom {

void check_execution(const Execution& execution);
void check_options(const Options& options);
void check_options(const SystemOptions& options);
void check_options(const MechanismOptions& options);
/// Throws Error for an option that differs from its default and that contacts under none of `laws`, bits of Law, read.
void check_options_of_laws(const Options& options, unsigned laws, bool planar);
void check_options_of_laws(const SequentialImpacts& impacts, unsigned laws);
/// Throws Error for an option that find_margins does not read.
void check_options_of_margins(const Options& options);

/// Throws Error unless the relative tolerance is a finite number >= 0.
void check_tolerance(double tolerance);

/// Checks the columns of a call. Returns the contacts without constants and absent bodies: all of their columns have as
/// many elements as `friction`. `contacts` must outlive the result.
template <template <class> class AnyContacts, class T, class ResultsOf>
Resolved<AnyContacts<T>> check_columns(const AnyContacts<T>& contacts, const ResultsOf& results,
                                       const Options& options);

/// Same for Solver::find_margins.
template <class AnyContacts, class T>
struct RegionColumns {
  AnyContacts contacts;
  Vector3Columns<const T> impulse;
};
template <template <class> class AnyContacts, class T>
RegionColumns<AnyContacts<T>, T> check_region_columns(const AnyContacts<T>& contacts,
                                                      const Vector3Columns<const T>& impulse,
                                                      const RegionMargins<T>& margins, const ImpulseSpace<T>& space,
                                                      const Options& options);

/// Same for Solver::differentiate and its options.
template <class T>
struct GradientColumns {
  KContacts<T> contacts;
  Gradients<T> gradients;
};
template <class T>
GradientColumns<T> check_gradients(const KContacts<T>& contacts, const Gradients<T>& gradients, const Options& options,
                                   double tolerance);

/// The same for scenes.
void check_scene_options(const SceneOptions& options);
/// Throws an Error that names a column, or an option of laws, that the method does not read, or a default of a column
/// that is set although the column is there.
template <class T>
void check_columns_of_method(const Scene<T>& scene, const SceneOptions& options);
void check_scene_size(std::size_t bodies, std::size_t contacts, std::size_t joint_rows);
/// Returns whether a column is a constant. If so, methods need the scene of without_constants().
template <class T>
bool check_scene_columns(const Scene<T>& scene, const SceneResults<T>& results);
/// The scene with columns of stride 0 instead of constants. Points into `scene`. Call after the check.
template <class T>
Scene<T> without_constants(const Scene<T>& scene);

}  // namespace carom
