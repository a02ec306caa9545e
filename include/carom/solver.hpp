// The solver of single contacts: resolves batches on SIMD lanes and threads.
#pragma once

#include <carom/blocked.hpp>
#include <carom/contacts.hpp>
#include <carom/error.hpp>
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

/// Types that belong to a form of contacts. The forms are Contacts, BlockedContacts, IndexedContacts, KContacts and the
/// planar forms, each with float or double.
template <class Form>
struct FormTraits;
/// Types of contacts in 3D.
template <class T>
struct SpatialForm {
  static constexpr bool is_planar = false;   ///< true for planar contacts
  using Number = T;                          ///< float or double
  using ResultColumns = Results<T>;          ///< results of Solver::solve
  using Impulses = Vector3Columns<const T>;  ///< impulses that Solver::find_margins reads
  using Landmarks = ImpulseSpace<T>;         ///< reference impulses that Solver::find_margins writes
};
/// Types of planar contacts.
template <class T>
struct PlanarForm {
  static constexpr bool is_planar = true;            ///< true for planar contacts
  using Number = T;                                  ///< float or double
  using ResultColumns = planar::Results<T>;          ///< results of Solver::solve
  using Impulses = planar::Vector2Columns<const T>;  ///< impulses that Solver::find_margins reads
  using Landmarks = planar::ImpulseSpace<T>;         ///< reference impulses that Solver::find_margins writes
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
template <class Form>
using NumberOf = typename FormTraits<Form>::Number;
/// The results that Solver::solve writes.
template <class Form>
using ResultsOf = typename FormTraits<Form>::ResultColumns;
/// The impulses that Solver::find_margins reads.
template <class Form>
using ImpulsesOf = typename FormTraits<Form>::Impulses;
/// The reference impulses of impulse space that Solver::find_margins writes.
template <class Form>
using ImpulseSpaceOf = typename FormTraits<Form>::Landmarks;
template <class T>
concept FloatOrDouble = std::same_as<T, float> || std::same_as<T, double>;
/// A form of contacts with float or double.
template <class Form>
concept ContactForm = FloatOrDouble<NumberOf<Form>>;

/// Your job system, which runs the pieces of calls instead of oneTBB. docs/submitting-contacts.md#a-job-system has an
/// example of an engine. Results have the same bits with every scheduler.
///
/// A call invokes `parallel_for` once for every parallel loop, one loop after the other, on the thread that made the
/// call and never within a piece. `pieces` is in [2, min(workers, Execution::threads)]. `parallel_for` must
///
/// - call run(work, piece) once for each piece in [0, pieces): on any threads, in any order, at once or one by one;
/// - return after all of these calls have returned, and not call `run` after that.
///
/// A piece does not throw. It sets the floating-point environment for itself and restores it. It does not wait for
/// other pieces unless `runs_at_once` is set, so any number of threads is enough. While the calling thread waits for
/// the pieces, it may run other jobs, including calls of other solvers. A call of the same solver is an Error
/// (ErrorKind::busy). A solver may also be called within a job.
///
/// If the scheduler fails, the call still completes. It waits for the pieces that have started, finishes the work on
/// the calling thread and writes all results. Then it throws the exception of `parallel_for`, or Error
/// (ErrorKind::scheduler) if pieces were left out or `run` was called for a piece that does not exist. A std::bad_alloc
/// of `parallel_for`, and under try_solve any exception, becomes such an Error too. Running a piece twice has no
/// effect. The solver remains usable.
struct Scheduler {
  /// Runs the pieces. null: oneTBB runs them. A function in C must not throw.
  void (*parallel_for)(void* context, std::size_t pieces, void (*run)(void* work, std::size_t piece),
                       void* work) = nullptr;
  void* context = nullptr;  ///< first argument of parallel_for
  /// Maximum number of pieces, usually the number of threads that run them. In [1, Execution::max_threads] with
  /// `parallel_for`, else 0.
  int workers = 0;
  /// Set it to true if all pieces of a loop run at the same time, each on its own otherwise idle thread. A scene is
  /// then a single loop whose pieces wait for each other by spinning, which makes large islands faster. Default false.
  /// If pieces nevertheless run late or one after the other, the results are the same but the call takes longer.
  bool runs_at_once = false;
};

/// Instruction set and threads of calls. Results depend on it only with Isa::sse2, which has no fused multiply-add.
struct Execution {
  static constexpr int max_threads = 1024;  ///< maximum value of `threads`

  Isa isa = Isa::automatic;  ///< one of available_isas(), or automatic
  /// Maximum number of threads that work on a call at once. In [0, max_threads]. Default 0: the workers of the
  /// scheduler, or the concurrency of the caller's oneTBB arena (see Solver). With 1 the calling thread does all work,
  /// without the scheduler and oneTBB. Without a scheduler this is also the case in a build without oneTBB
  /// (CAROM_TBB=OFF).
  int threads = 0;
  Scheduler scheduler = {};  ///< default: oneTBB
};

/// Tolerances of data: normals, inverse inertia and restitution.
struct Tolerances {
  /// Upper limits of the options.
  static constexpr double restitution_limit = 100, max_tolerance = 0.1;

  /// [1] Maximum coefficient of restitution; a contact with a larger one is at fault. In [1, restitution_limit].
  /// Default 1. Above 1, energy may grow under every law: see Report and Solver::find_margins. docs/laws.md,
  /// Restitution above 1.
  double max_restitution = 1;
  double normal_tolerance = 1e-5;   ///< [1] Maximum distance of |n| from 1. In [0, max_tolerance].
  double inertia_tolerance = 1e-5;  ///< [1] Maximum negative eigenvalue of the inverse inertia, relative to its trace.
                                    ///< In [0, max_tolerance].

  /// Compares all members.
  friend bool operator==(const Tolerances&, const Tolerances&) = default;
};

/// The laws and the integration of a call, and the tolerances of its data.
struct Options {
  static constexpr int max_steps = 1 << 30;  ///< upper limit of `steps` and `step_budget`

  /// Law of all contacts if LawColumns::law is missing, else not used. A law that exists in 3D or in 2D only gives
  /// contacts of the other dimension Status::law_unavailable.
  Law law = Law::incremental;
  RestitutionLaw restitution_law = RestitutionLaw::energetic;  ///< of contacts without LawColumns::restitution_law
  Integrator integrator = Integrator::series;                  ///< integrator of Law::incremental
  /// Steps of Integrator::euler: a step of impulse is |u0| / (steps · trace K). In [1, max_steps]. Default 200. With
  /// more steps the error falls and the time grows in proportion; in float, rounding dominates from about 10,000 steps
  /// on. A collision takes about `steps` |p_z| trace K / |u0| steps, typically 2 to 10 times `steps`.
  int steps = 200;
  /// Maximum number of sliding steps of a contact. In [1, max_steps]. A contact that needs more has
  /// Status::step_budget_reached.
  std::int32_t step_budget = 1'000'000;
  Tolerances data = {};  ///< tolerances of normals, inertia and restitution

  /// Compares all members.
  friend bool operator==(const Options&, const Options&) = default;
};

/// Resolves every contact as if it were alone, under its law. The default law is the frictional impact of Mirtich in
/// its corrected form (Law::incremental). The bits of a result depend only on the contact and the options. They do not
/// depend on the batch, the threads or the lanes.
///
/// A call runs on the threads of Execution::scheduler. By default these are the calling thread and threads that join it
/// in its oneTBB arena. A solver has no threads or arena of its own, so a call from within your own parallel loop, or
/// `arena.execute([&] { solver.solve(contacts, results); })`, stays in your arena. Until the call returns, the calling
/// thread takes no other task of the arena. Cancelling a surrounding task group does not stop the call.
///
/// A solver owns its workspace, which serves calls with any options: keep the solver from call to call. It serves one
/// call at a time. A second call meanwhile, from any thread, is an Error and does not disturb the first one. Different
/// solvers may be called at once. After a move, every member of the source throws Error, except assignment and the
/// destructor.
class CAROM_EXPORT Solver {
 public:
  /// Throws Error if a number is out of its range, if the ISA is not one of available_isas(), or if memory runs out.
  explicit Solver(const Execution& execution = {});
  ~Solver();
  Solver(Solver&&) noexcept;             ///< leaves an object whose members throw Error
  Solver& operator=(Solver&&) noexcept;  ///< as the move constructor

  /// Resolves all contacts. Throws Error before any work if columns are missing, their lengths differ, an option is out
  /// of its range, or memory runs out (ErrorKind::out_of_memory). Columns of laws that no law of the call reads are
  /// errors (select() drops them), and so are restitution_law, integrator, steps and step_budget if they differ from
  /// their defaults and no law of the call reads them. BlockedContacts and Contacts with the same values give the same
  /// bits. Planar contacts need no integration and do not read Options::integrator, steps and step_budget
  /// (docs/planar.md).
  template <ContactForm Form>
  Report solve(const Form& contacts, const ResultsOf<Form>& results, const Options& options = {});
  /// Same without exceptions, for frame loops: returns the report, or the error. An exception of Execution::scheduler
  /// is an Error of the kind `scheduler`.
  template <ContactForm Form>
  Expected<Report> try_solve(const Form& contacts, const ResultsOf<Form>& results,
                             const Options& options = {}) noexcept;

  /// Computes the margins of impulses to the bounds of the permissible region of their contacts. The impulses may come
  /// from any law or program. `impulse` is in the frame of the results; an impulse that is not finite is a fault.
  /// Columns of laws are not read and are errors. Of the options only `data` is read; others must have their defaults.
  /// `tolerance` is relative, finite and >= 0 (see RegionReport). Throws Error as solve does. Experimental.
  template <ContactForm Form>
  RegionReport find_margins(const Form& contacts, const ImpulsesOf<Form>& impulse,
                            const RegionMargins<NumberOf<Form>>& margins, const ImpulseSpaceOf<Form>& space = {},
                            const Options& options = {},
                            double tolerance = 64.0 * std::numeric_limits<NumberOf<Form>>::epsilon());
  /// Same without exceptions.
  template <ContactForm Form>
  Expected<RegionReport> try_find_margins(const Form& contacts, const ImpulsesOf<Form>& impulse,
                                          const RegionMargins<NumberOf<Form>>& margins,
                                          const ImpulseSpaceOf<Form>& space = {}, const Options& options = {},
                                          double tolerance = 64.0 *
                                                             std::numeric_limits<NumberOf<Form>>::epsilon()) noexcept;

  /// Computes derivatives of p and u after the collision with respect to the numbers of the contacts.
  /// docs/gradients.md. Contacts are given by K and u0; carom/body_gradients.hpp converts the gradients to the
  /// parameters of bodies. The incremental law needs Integrator::series; another integrator is an Error. A contact
  /// within `tolerance` of a border between two phases of its law has GradientStatus::one_sided or unbounded.
  /// `tolerance` is relative, finite and >= 0. Throws Error as solve does. Experimental.
  template <class T>
  GradientReport differentiate(const KContacts<T>& contacts, const std::type_identity_t<Gradients<T>>& gradients,
                               const Options& options = {},
                               double tolerance = 64.0 * std::numeric_limits<T>::epsilon());
  /// Same without exceptions.
  template <class T>
  Expected<GradientReport> try_differentiate(const KContacts<T>& contacts,
                                             const std::type_identity_t<Gradients<T>>& gradients,
                                             const Options& options = {},
                                             double tolerance = 64.0 * std::numeric_limits<T>::epsilon()) noexcept;

  /// Returns the argument of the constructor.
  const Execution& execution() const;
  /// Returns the ISA in use; never Isa::automatic.
  Isa isa() const;
  /// Returns the number of bytes that the solver holds now: its state and all memory that it keeps from call to call.
  /// Columns and results are the caller's, and memory of oneTBB does not count. Memory is counted as requested, without
  /// the overhead of the system's allocator. 0 for a solver that has been moved from. Takes the time to read a number,
  /// and may be called while a call is at work.
  std::size_t memory() const noexcept;

 private:
  struct State;
  class Call;
  State& state() const;
  std::unique_ptr<State> state_;
};

/// Returns the contacts without the columns of laws that Solver::solve does not read with these options. The column of
/// a parameter that no law of the call reads is an Error, so call this to solve the same contacts under several laws.
/// With LawColumns::law, contacts may have any law, and with Law::composite the laws whose weights are given. For
/// BlockedContacts, which cannot be copied, write `blocked.laws = select(Contacts<T>{.laws = laws}, options).laws`.
template <ContactForm Form>
CAROM_EXPORT Form select(const Form& contacts, const Options& options);

/// Returns the ISAs that this build has kernels for and this CPU can run, the fastest first. Never empty.
/// Throws Error if memory runs out.
CAROM_EXPORT std::vector<Isa> available_isas();

/// Returns the version of the library: "0.1.0".
CAROM_EXPORT std::string_view version();

}  // namespace carom
