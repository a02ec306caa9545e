// Resolves batches of contacts on SIMD lanes and threads.
#pragma once

#include <carom/blocked.hpp>
#include <carom/contacts.hpp>
#include <carom/export.hpp>
#include <carom/laws.hpp>
#include <carom/planar.hpp>
#include <carom/region.hpp>
#include <carom/status.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace carom {

/// The means of a solver. No result depends on it, but for Isa::sse2, which has no fused multiply-add.
struct Machine {
  static constexpr int most_threads = 1024;

  Isa isa = Isa::automatic;
  /// in [0, most_threads]: at most this many threads work on a call; 0: as many as the caller's arena has room for (see
  /// Solver). With 1 the call makes no use of oneTBB.
  int threads = 0;
};

/// The meaning of a call.
struct Options {
  /// The largest values of options that have one.
  static constexpr int most_steps = 1 << 30;
  static constexpr double most_restitution = 100, most_tolerance = 0.1;

  Law law = Law::incremental;                                  ///< of contacts that do not name their own
  RestitutionLaw restitution_law = RestitutionLaw::energetic;  ///< of contacts that do not name their own
  Integrator integrator = Integrator::series;                  ///< of Law::incremental
  /// [1] in [1, most_steps]: Euler's step of impulse is |u0| / (steps · trace K). The error falls in proportion, the
  /// time grows in proportion; in float rounding takes over from some 10,000 on. A collision takes some |p_z| trace K /
  /// |u0| times as many steps, typically 2 to 10 times.
  int steps = 200;
  /// [1] in [1, most_steps]: no contact takes more sliding steps. Reaching it is Status::step_budget_reached.
  std::int32_t step_budget = 1'000'000;
  /// Whether sticking, the diverging ray and straight slides go contact by contact instead of on lanes: slower, the
  /// same bits. One checks the other.
  bool scalar_sticking = false;
  /// [1] in [1, most_restitution]: the largest restitution that is no fault. Above 1 no law promises to keep from
  /// gaining energy, though with friction it need not gain any; Report and Solver::find_margins tell. docs/laws.md,
  /// Restitution above 1.
  double largest_restitution = 1;
  /// Whether every contact is searched for faults. If false, the host vouches for its numbers: masses, inertias,
  /// normals, coefficients and parameters of laws. What is not as it should be then may go unnoticed and get finite
  /// numbers without meaning under Status::ok; nothing crashes, and indices of bodies and what is not finite are still
  /// found. The results of other contacts keep their bits. Only Law::frictionless, no_slip, chatterjee_ruina and
  /// bilinear in 3D gain from it; for others it is ignored.
  bool validate = true;
  /// [1] in [0, most_tolerance]: how far |n| may lie from 1.
  double normal_tolerance = 1e-5;
  /// [1] in [0, most_tolerance]: how negative an eigenvalue of the inverse inertia may be, relative to its trace.
  double inertia_tolerance = 1e-5;
};

/// Resolves every contact as if it were alone, under its law: by default the frictional impact of Mirtich in its
/// corrected form (Law::incremental). The bits of a result depend on the contact and the options alone, not on the
/// batch, the threads or the lanes.
///
/// A call works on the calling thread and those that join it in the oneTBB arena that it is in; a solver has no threads
/// and no arena of its own. So `arena.execute([&] { solver.solve(contacts, results); })` keeps to your `arena`, as does
/// a call from within your own parallel loop. Until it returns, the calling thread takes no other task of the arena,
/// and a cancelled task group around it does not stop it.
///
/// A solver owns its workspace, whatever the options of its calls: keep it from call to call. One solver serves one
/// call at a time: another call meanwhile, from whatever thread, is an Error and leaves the first one undisturbed.
/// Different solvers may work at once. Of a solver that has been moved from every member throws Error, but for
/// assignment and the destructor.
class CAROM_EXPORT Solver {
 public:
  /// Throws Error if a number is out of its range, or if the ISA is not one of available_isas().
  explicit Solver(const Machine& machine = {});
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  /// T is float or double. Throws Error before any work if columns are missing, their lengths differ or an option is
  /// out of its range.
  template <class T>
  Report solve(const InlineContacts<T>& contacts, const Results<T>& results, const Options& options = {});
  /// The same bits as of InlineContacts with these values.
  template <class T>
  Report solve(const BlockedContacts<T>& contacts, const Results<T>& results, const Options& options = {});
  template <class T>
  Report solve(const IndexedContacts<T>& contacts, const Results<T>& results, const Options& options = {});
  template <class T>
  Report solve(const SpaceContacts<T>& contacts, const Results<T>& results, const Options& options = {});
  /// Contacts in the plane, docs/planar.md: every law in closed form, so that of the options those of integration do
  /// not count.
  template <class T>
  Report solve(const planar::InlineContacts<T>& contacts, const planar::Results<T>& results,
               const Options& options = {});
  template <class T>
  Report solve(const planar::IndexedContacts<T>& contacts, const planar::Results<T>& results,
               const Options& options = {});
  template <class T>
  Report solve(const planar::SpaceContacts<T>& contacts, const planar::Results<T>& results,
               const Options& options = {});

  /// Puts impulses to the permissible region of their contacts, whatever law they come from; `impulse` is in the frame
  /// of the results, and at fault where it is not finite. Laws and their parameters are not read; of the options the
  /// tolerances and the largest restitution count. `tolerance` is finite, >= 0 and relative (see RegionReport). Throws
  /// Error as solve does.
  template <class T>
  RegionReport find_margins(const InlineContacts<T>& contacts,
                            const std::type_identity_t<Vector3Columns<const T>>& impulse,
                            const std::type_identity_t<RegionMargins<T>>& margins,
                            const std::type_identity_t<ImpulseSpace<T>>& space = {}, const Options& options = {},
                            double tolerance = 64.0 * std::numeric_limits<T>::epsilon());
  template <class T>
  RegionReport find_margins(const BlockedContacts<T>& contacts,
                            const std::type_identity_t<Vector3Columns<const T>>& impulse,
                            const std::type_identity_t<RegionMargins<T>>& margins,
                            const std::type_identity_t<ImpulseSpace<T>>& space = {}, const Options& options = {},
                            double tolerance = 64.0 * std::numeric_limits<T>::epsilon());
  template <class T>
  RegionReport find_margins(const IndexedContacts<T>& contacts,
                            const std::type_identity_t<Vector3Columns<const T>>& impulse,
                            const std::type_identity_t<RegionMargins<T>>& margins,
                            const std::type_identity_t<ImpulseSpace<T>>& space = {}, const Options& options = {},
                            double tolerance = 64.0 * std::numeric_limits<T>::epsilon());
  template <class T>
  RegionReport find_margins(const SpaceContacts<T>& contacts,
                            const std::type_identity_t<Vector3Columns<const T>>& impulse,
                            const std::type_identity_t<RegionMargins<T>>& margins,
                            const std::type_identity_t<ImpulseSpace<T>>& space = {}, const Options& options = {},
                            double tolerance = 64.0 * std::numeric_limits<T>::epsilon());

  template <class T>
  RegionReport find_margins(const planar::InlineContacts<T>& contacts,
                            const std::type_identity_t<planar::Vector2Columns<const T>>& impulse,
                            const std::type_identity_t<RegionMargins<T>>& margins,
                            const std::type_identity_t<planar::ImpulseSpace<T>>& space = {},
                            const Options& options = {}, double tolerance = 64.0 * std::numeric_limits<T>::epsilon());
  template <class T>
  RegionReport find_margins(const planar::IndexedContacts<T>& contacts,
                            const std::type_identity_t<planar::Vector2Columns<const T>>& impulse,
                            const std::type_identity_t<RegionMargins<T>>& margins,
                            const std::type_identity_t<planar::ImpulseSpace<T>>& space = {},
                            const Options& options = {}, double tolerance = 64.0 * std::numeric_limits<T>::epsilon());
  template <class T>
  RegionReport find_margins(const planar::SpaceContacts<T>& contacts,
                            const std::type_identity_t<planar::Vector2Columns<const T>>& impulse,
                            const std::type_identity_t<RegionMargins<T>>& margins,
                            const std::type_identity_t<planar::ImpulseSpace<T>>& space = {},
                            const Options& options = {}, double tolerance = 64.0 * std::numeric_limits<T>::epsilon());

  const Machine& machine() const;
  /// The one in use; never Isa::automatic.
  Isa isa() const;

 private:
  struct State;
  class Call;
  State& state() const;
  std::unique_ptr<State> state_;
};

/// The ISAs that this build has kernels for and this CPU can run, the fastest first. The scalar one is always there.
CAROM_EXPORT std::vector<Isa> available_isas();

/// "0.1.0"
CAROM_EXPORT std::string_view version();

}  // namespace carom
