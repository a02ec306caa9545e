// Resolves batches of contacts on SIMD lanes and threads.
#pragma once

#include <carom/blocked.hpp>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/gradients.hpp>
#include <carom/laws.hpp>
#include <carom/planar.hpp>
#include <carom/region.hpp>
#include <carom/status.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace carom {

/// The forms of contacts that a Solver takes, each of float or double, and their types.
template <class AnyContacts>
struct FormTraits;
/// Types of contacts in 3D.
template <class T>
struct SpatialForm {
  static constexpr bool is_planar = false;   ///< whether it is of the plane
  using Number = T;                          ///< float or double
  using ResultColumns = Results<T>;          ///< of Solver::solve
  using Impulses = Vector3Columns<const T>;  ///< that Solver::find_margins reads
  using Landmarks = ImpulseSpace<T>;         ///< that it writes
};
/// Types of planar contacts.
template <class T>
struct PlanarForm {
  static constexpr bool is_planar = true;            ///< whether it is of the plane
  using Number = T;                                  ///< float or double
  using ResultColumns = planar::Results<T>;          ///< of Solver::solve
  using Impulses = planar::Vector2Columns<const T>;  ///< that Solver::find_margins reads
  using Landmarks = planar::ImpulseSpace<T>;         ///< that it writes
};
template <class T>
struct FormTraits<Contacts<T>> : SpatialForm<T> {};
template <class T>
struct FormTraits<BlockedContacts<T>> : SpatialForm<T> {};
template <class T>
struct FormTraits<IndexedContacts<T>> : SpatialForm<T> {};
template <class T>
struct FormTraits<KContacts<T>> : SpatialForm<T> {};
template <class T>
struct FormTraits<planar::Contacts<T>> : PlanarForm<T> {};
template <class T>
struct FormTraits<planar::IndexedContacts<T>> : PlanarForm<T> {};
template <class T>
struct FormTraits<planar::KContacts<T>> : PlanarForm<T> {};

/// float or double.
template <class AnyContacts>
using NumberOf = typename FormTraits<AnyContacts>::Number;
/// The results that Solver::solve writes.
template <class AnyContacts>
using ResultsOf = typename FormTraits<AnyContacts>::ResultColumns;
/// The impulses that Solver::find_margins reads.
template <class AnyContacts>
using ImpulsesOf = typename FormTraits<AnyContacts>::Impulses;
/// The landmarks of impulse space that Solver::find_margins writes.
template <class AnyContacts>
using ImpulseSpaceOf = typename FormTraits<AnyContacts>::Landmarks;
/// The forms of contacts, of float or double.
template <class AnyContacts>
concept ContactForm = std::same_as < NumberOf<AnyContacts>,
float > || std::same_as<NumberOf<AnyContacts>, double>;

/// A job system of yours that runs the pieces of calls, in place of oneTBB. The example in
/// docs/submitting-contacts.md#a-job-system is an engine's. Results have the same bits under every scheduler.
///
/// A call invokes `parallel_for` once for every parallel loop, one loop after the other, on the thread that made the
/// call and never within a piece. `pieces` is in [2, min(workers, Execution::threads)]. `parallel_for` must
///
/// - call run(work, piece) once for each piece in [0, pieces): on any threads, in any order, at once or one by one;
/// - return after all of these calls have returned, and call `run` no more after that.
///
/// A piece does not throw, and it sets the floating-point environment for itself and restores it. It does not wait for
/// other pieces unless `runs_at_once` is set. So any number of threads is enough, and while the calling thread waits
/// for the pieces it may take other jobs, among them calls of other solvers. A call of the same solver is an Error
/// (ErrorKind::busy). A solver may also be called within a job.
///
/// A scheduler that fails does not leave a call half done. The call waits for the pieces that have begun, finishes the
/// work on the calling thread and writes all results. Then it throws: what `parallel_for` has thrown, or Error
/// (ErrorKind::scheduler) if pieces were left out, or if there is no such piece. A piece that is run again does
/// nothing. The solver remains usable.
struct Scheduler {
  /// Runs the pieces; null: oneTBB does. Must not throw if it is a function in C.
  void (*parallel_for)(void* context, std::size_t pieces, void (*run)(void* work, std::size_t piece),
                       void* work) = nullptr;
  void* context = nullptr;  ///< the first argument of parallel_for
  /// Maximum number of pieces, usually the number of threads that run them. In [1, Execution::max_threads] with
  /// `parallel_for`, else 0.
  int workers = 0;
  /// Promises that all pieces of a loop run at the same time, each on a thread of its own that nothing else keeps busy.
  /// Then a scene is a single loop, whose pieces wait for each other by spinning; large islands gain by it. Default
  /// false. If pieces come late or one by one all the same, the call ends with the same results, but takes longer.
  bool runs_at_once = false;
};

/// The instruction set and the threads that calls run on. Results depend on it only with Isa::sse2, which has no fused
/// multiply-add.
struct Execution {
  static constexpr int max_threads = 1024;  ///< the largest value of `threads`

  Isa isa = Isa::automatic;  ///< one of available_isas(), or automatic
  /// Maximum number of threads that work on a call at once. In [0, max_threads]. Default 0: the workers of the
  /// scheduler, or as many as the caller's oneTBB arena has room for (see Solver). With 1 the calling thread does
  /// everything and neither the scheduler nor oneTBB is used. So it does in a build without oneTBB (CAROM_TBB=OFF) and
  /// without a scheduler.
  int threads = 0;
  Scheduler scheduler = {};  ///< default: oneTBB
};

/// The laws, the integration and the tolerances of the data of a call.
struct Options {
  /// The largest values of options that have one.
  static constexpr int max_steps = 1 << 30;
  /// The largest values of options that have one.
  static constexpr double restitution_limit = 100, max_tolerance = 0.1;

  Law law = Law::incremental;                                  ///< of contacts that do not name their own
  RestitutionLaw restitution_law = RestitutionLaw::energetic;  ///< of contacts that do not name their own
  Integrator integrator = Integrator::series;                  ///< of Law::incremental
  /// [1] in [1, max_steps]: Euler's step of impulse is |u0| / (steps · trace K). The error falls in proportion, the
  /// time grows in proportion; in float rounding takes over from some 10,000 on. A collision takes some |p_z| trace K /
  /// |u0| times as many steps, typically 2 to 10 times.
  int steps = 200;
  /// [1] in [1, max_steps]: no contact takes more sliding steps. Reaching it is Status::step_budget_reached.
  std::int32_t step_budget = 1'000'000;
  /// [1] in [1, restitution_limit]: the largest restitution that is no fault. Above 1 no law promises to keep from
  /// gaining energy, though with friction it need not gain any: see Report and Solver::find_margins. docs/laws.md,
  /// Restitution above 1.
  double max_restitution = 1;
  /// [1] in [0, max_tolerance]: how far |n| may lie from 1.
  double normal_tolerance = 1e-5;
  /// [1] in [0, max_tolerance]: how negative an eigenvalue of the inverse inertia may be, relative to its trace.
  double inertia_tolerance = 1e-5;
};

/// Resolves every contact as if it were alone, under its law: by default the frictional impact of Mirtich in its
/// corrected form (Law::incremental). The bits of a result depend on the contact and the options alone, not on the
/// batch, the threads or the lanes.
///
/// A call works on the threads of Execution::scheduler. By default these are the calling thread and threads that join
/// it in its oneTBB arena; a solver has no threads and no arena of its own. So `arena.execute([&] {
/// solver.solve(contacts, results); })` keeps to your `arena`, as does a call from within your own parallel loop. Until
/// it returns, the calling thread takes no other task of the arena, and a cancelled task group around it does not stop
/// it.
///
/// A solver owns its workspace, for calls with any options: keep it from call to call. One solver serves one call at a
/// time: another call meanwhile, from any thread, is an Error and leaves the first one undisturbed. Different solvers
/// may work at once. Every member of a solver that has been moved from throws Error, except assignment and the
/// destructor.
class CAROM_EXPORT Solver {
 public:
  /// Throws Error if a number is out of its range, or if the ISA is not one of available_isas().
  explicit Solver(const Execution& execution = {});
  ~Solver();
  Solver(Solver&&) noexcept;             ///< leaves an object whose members throw Error
  Solver& operator=(Solver&&) noexcept;  ///< the same

  /// Throws Error before any work if columns are missing, their lengths differ or an option is out of its range.
  /// BlockedContacts get the same bits as Contacts with their values. Planar contacts have every law in closed
  /// form, so that the options of integration do not count (docs/planar.md).
  template <ContactForm AnyContacts>
  Report solve(const AnyContacts& contacts, const ResultsOf<AnyContacts>& results, const Options& options = {});

  /// Tells how far impulses lie inside the permissible region of their contacts, whatever law they come from; `impulse`
  /// is in the frame of the results, and at fault where it is not finite. Laws and their parameters are not read; of
  /// the options the tolerances and the largest restitution count. `tolerance` is finite, >= 0 and relative (see
  /// RegionReport). Throws Error as solve does.
  template <ContactForm AnyContacts>
  RegionReport find_margins(const AnyContacts& contacts, const ImpulsesOf<AnyContacts>& impulse,
                            const RegionMargins<NumberOf<AnyContacts>>& margins,
                            const ImpulseSpaceOf<AnyContacts>& space = {}, const Options& options = {},
                            double tolerance = 64.0 * std::numeric_limits<NumberOf<AnyContacts>>::epsilon());

  /// Tells how p and u after the collision change with the contact's numbers. docs/gradients.md. Contacts are in
  /// contact space; carom/body_gradients.hpp takes their gradients to the parameters of bodies. The incremental law is
  /// integrated by Integrator::series; another integrator throws. A contact within `tolerance`, finite, >= 0 and
  /// relative, of a border between two courses of its law is GradientStatus::one_sided or unbounded. Throws Error as
  /// solve does.
  template <class T>
  GradientReport differentiate(const KContacts<T>& contacts, const std::type_identity_t<Gradients<T>>& gradients,
                               const Options& options = {},
                               double tolerance = 64.0 * std::numeric_limits<T>::epsilon());

  /// The argument of the constructor.
  const Execution& execution() const;
  /// The one in use; never Isa::automatic.
  Isa isa() const;

 private:
  struct State;
  class Call;
  State& state() const;
  std::unique_ptr<State> state_;
};

/// The ISAs that this build has kernels for and this CPU can run, the fastest first. Never empty.
CAROM_EXPORT std::vector<Isa> available_isas();

/// "0.1.0"
CAROM_EXPORT std::string_view version();

}  // namespace carom
