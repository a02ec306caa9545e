#include <algorithm>
#include <array>
#include <carom/solver.hpp>
#include <carom/version.hpp>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>
#include <utility>

#include "access.hpp"
#include "core/columns/check.hpp"
#include "core/columns/columns.hpp"
#include "core/columns/counts_access.hpp"
#include "core/columns/instantiate.hpp"
#include "core/jobs/dispatch.hpp"
#include "core/support/array.hpp"
#include "core/support/scratch.hpp"
#include "core/threads/schedule.hpp"
#include "core/threads/solver_state.hpp"
#include "first_block.hpp"
#include "range.hpp"

namespace carom {
namespace {

/// Returns a tally that counts in the arrays of a report.
kernel::Tally tally_of(ContactCounts& by_status, PathCounts& by_path) {
  return {CountsAccess::counts(by_status).data(), CountsAccess::first(by_status).data(),
          CountsAccess::counts(by_path).data()};
}
bool has_any(const ContactCounts& by_status) {
  const auto& counts = CountsAccess::counts(by_status);
  return std::any_of(counts.begin(), counts.end(), [](std::size_t n) { return n > 0; });
}

/// All but the counts.
void add(Report& report, const kernel::Tally& tally) {
  report.sliding_steps += tally.sliding_steps;
  report.lane_steps += tally.lane_steps;
  const bool earlier = tally.max_energy_gain_contact < report.max_energy_gain_contact;
  if (tally.max_energy_gain > report.max_energy_gain ||
      (tally.max_energy_gain == report.max_energy_gain && tally.max_energy_gain > 0 && earlier)) {
    report.max_energy_gain = tally.max_energy_gain;
    report.max_energy_gain_contact = tally.max_energy_gain_contact;
  }
}

}  // namespace

struct Solver::State : SolverState {
  using SolverState::SolverState;

  /// The parts of a workspace that have been needed so far.
  template <class T>
  struct Workspace {
    Owned<kernel::SlidingTiles<T>> sliding;
    Owned<kernel::LawTile<T>> law;
    Owned<kernel::GroupTile<T>> group;
    Owned<ComponentResults<T>> components;
    Owned<kernel::PlanarTiles<T>> planar;

    kernel::Workspace<T> tiles() const { return {sliding.get(), law.get(), group.get(), planar.get()}; }
  };
  template <class T>
  struct alignas(64) Row {
    T numbers[kernel::BodyRecord::size];
  };

  /// Memory of the calls of a precision. Every slot of CallThreads::run_tasks has a workspace.
  template <class T>
  struct Memory {
    Array<Workspace<T>> workspaces;
    Array<std::shared_ptr<void>> gradient_workspaces;
    Scratch<Row<T>> bodies;
  };

  template <class T, template <class> class AnyContacts>
  Report solve(const AnyContacts<T>& given, const ResultsOf<AnyContacts<T>>& results, const Options& options,
               std::size_t block_bytes = 0) {
    const auto resolved = check_columns(given, results, options);
    const AnyContacts<T>& contacts = *resolved;
    const std::size_t count = contacts.friction.count;
    kernel::Job<T, AnyContacts> job{contacts, results, parameters_for<T>(options),
                                    layout_for(count * columns::numbers_in(contacts, results) * sizeof(T))};
    job.layout.block_bytes = block_bytes;
    constexpr bool is_planar = FormTraits<AnyContacts<T>>::is_planar;
    const bool components = !is_planar && has_incremental_components(contacts.laws, options.law);
    const bool incremental = options.law == Law::incremental, own_laws = static_cast<bool>(contacts.laws.law);
    auto& workspace = std::get<Memory<T>>(memory).workspaces;
    const auto make = [this](bool needed, auto& part) {
      if (needed && !part)
        this->grow([&] { part = make_owned<typename std::decay_t<decltype(part)>::element_type>(); });
    };
    const auto reserve = [&](std::size_t slots) {
      if (workspace.size() < slots) grow([&] { workspace.resize(slots); });
      for (std::size_t i = 0; i < slots; ++i) {
        make(is_planar, workspace[i].planar);
        if (is_planar) continue;
        make(incremental || own_laws || components, workspace[i].sliding);
        make(!incremental || own_laws, workspace[i].law);
        make(own_laws, workspace[i].group);
        make(components, workspace[i].components);
      }
    };
    if constexpr (is_planar) {
      const auto solve_planar_range = kernel_for<T, AnyContacts>(*entry->planar);
      return run(count, reserve, [&](std::size_t first, std::size_t n, std::size_t slot) {
        solve_planar_range(job, first, n, workspace[slot].tiles(), tallies[slot]);
      });
    } else {
      if constexpr (requires { contacts.body_a; }) job.layout.packed_bodies = pack(contacts, count);
      const IsaEntry& sliding = count <= few<T>(options.integrator) ? *narrow : *entry;
      const RangeKernels<T, AnyContacts> kernels = {kernel_for<T, AnyContacts>(*sliding.kernels),
                                                    kernel_for<T, AnyContacts>(*entry->algebraic)};
      return run(count, reserve, [&](std::size_t first, std::size_t n, std::size_t slot) {
        solve_range(job, kernels, first, n, workspace[slot].tiles(),
                    components ? workspace[slot].components.get() : nullptr, tallies[slot]);
      });
    }
  }

  /// Returns f(), which allocates memory of this solver. Set only where memory grows, because a call takes little time.
  template <class F>
  void grow(const F& f) {
    const HeldMemory::Scope scope(&held_memory);
    f();
  }

  /// Bodies as rows, if enough of them are met.
  template <class T>
  const T* pack(const IndexedContacts<T>& contacts, std::size_t count) {
    const std::size_t bodies = contacts.bodies.inverse_mass.count;
    if (bodies > 2 * count) return nullptr;
    auto& rows = std::get<Memory<T>>(memory).bodies;
    if (rows.capacity() < bodies + 2)
      grow([&] { std::uninitialized_value_construct_n(rows.at_least(bodies + 2), bodies + 2); });
    std::fill_n(rows.data()[0].numbers, kernel::BodyRecord::size, std::numeric_limits<T>::quiet_NaN());
    std::fill_n(rows.data()[1].numbers, kernel::BodyRecord::size, T(0));
    T* const first = rows.data()[2].numbers;
    const std::size_t pieces = bodies > min_range ? threads.count() : 1;
    const std::size_t share = (bodies + pieces - 1) / pieces;
    const auto task = [&](std::size_t index, std::size_t) {
      pack_bodies(contacts.bodies, index * share, std::min(share, bodies - std::min(bodies, index * share)), first);
    };
    if (bodies > 0) threads.run_tasks(pieces, pieces, std::ref(task));
    return first;
  }

  /// Calls range(first, n, slot) for ranges that make up the batch, after reserve(slots).
  template <class Reserve, class Range>
  Report run(std::size_t count, const Reserve& reserve, const Range& range) {
    const std::size_t most = count > min_range ? threads.count() : 1;
    const std::size_t size = range_size(count, most);
    const std::size_t tasks = (count + size - 1) / size;
    const std::size_t slots = std::clamp(tasks, std::size_t{1}, most);
    reserve(slots);
    // The counts of the first slot are in the report.
    Report report;
    if (counts.size() < slots)
      grow([&] {
        tallies.reserve(slots);
        counts.resize(slots);
      });
    tallies.assign(slots, tally_of(report.by_status, report.by_path));
    for (std::size_t i = 1; i < slots; ++i) {
      counts[i] = {};
      tallies[i] = tally_of(counts[i].by_status, counts[i].by_path);
    }
    const auto task = [&](std::size_t index, std::size_t slot) {
      const std::size_t first = index * size;
      range(first, std::min(size, count - first), slot);
    };
    threads.run_tasks(tasks, slots, std::ref(task));

    report.contacts = count;
    report.isa = entry->isa;
    const bool first_took_part = slots == 1 || has_any(report.by_status);
    int others = 0;
    for (std::size_t i = 1; i < slots; ++i) {
      others += has_any(counts[i].by_status) ? 1 : 0;
      report.by_status.add(counts[i].by_status);
      report.by_path.add(counts[i].by_path);
    }
    report.threads = (first_took_part ? 1 : 0) + others;
    for (const kernel::Tally& tally : tallies) add(report, tally);
    report.threads = std::max(report.threads, 1);
    threads.end();
    return report;
  }

  /// Number of contacts per task. Lanes run empty at the end of a task, so a few large tasks are best. With two tasks a
  /// thread, a thread that is disturbed leaves its second task to another one.
  static std::size_t range_size(std::size_t count, std::size_t threads) {
    const std::size_t share = threads == 1 ? count : (count + 2 * threads - 1) / (2 * threads);
    return (std::max(share, min_range) + kernel::contacts_in_block - 1) / kernel::contacts_in_block *
           kernel::contacts_in_block;
  }
  static constexpr std::size_t min_range = 1024;
  /// Contacts whose slip narrow vectors follow sooner. The series was measured on a Zen 5, Euler's method on an Intel
  /// Xeon (model 207): each of its steps is a chain of a root and divisions, which take twice as long in wide vectors
  /// unless this number of contacts hides it.
  template <class T>
  static constexpr std::size_t few(Integrator integrator) {
    return integrator == Integrator::euler ? 128 : 32 / sizeof(T);
  }

  const IsaEntry* narrow = &narrow_entry(*entry);
  CallThreads threads{execution};  // of the call that is under way
  Array<kernel::Tally> tallies;    // one a slot of CallThreads::run_tasks
  struct Counts {
    ContactCounts by_status;
    PathCounts by_path;
  };
  Array<Counts> counts;  // of slots, except the first
  std::tuple<Memory<float>, Memory<double>> memory;
};

CAROM_SOLVER_MEMBERS(Solver)
Isa Solver::isa() const {
  return state().entry->isa;
}

template <ContactForm AnyContacts>
Report Solver::solve(const AnyContacts& contacts, const ResultsOf<AnyContacts>& results, const Options& options) {
  return public_call("Solver::solve", [&] {
    const Call call(*this, options);
    if constexpr (requires { AnyContacts::block_size; })
      return call.state().solve(first_block_of(contacts), results, options, bytes_of_block<NumberOf<AnyContacts>>);
    else
      return call.state().solve(contacts, results, options);
  });
}

template <ContactForm AnyContacts>
Expected<Report> Solver::try_solve(const AnyContacts& contacts, const ResultsOf<AnyContacts>& results,
                                   const Options& options) noexcept {
  return without_exceptions([&] { return solve(contacts, results, options); });
}

#define CAROM_INSTANTIATE(T, AnyContacts)                                                                 \
  template Report Solver::solve(const AnyContacts<T>&, const ResultsOf<AnyContacts<T>>&, const Options&); \
  template Expected<Report> Solver::try_solve(const AnyContacts<T>&, const ResultsOf<AnyContacts<T>>&,    \
                                              const Options&) noexcept;
CAROM_FOR_FORMS(CAROM_INSTANTIATE)
CAROM_FOR_PRECISIONS(CAROM_INSTANTIATE, BlockedContacts)
CAROM_FOR_PLANAR_FORMS(CAROM_INSTANTIATE)
#undef CAROM_INSTANTIATE

Solver::Call::Call(Solver& solver, const Options& options) : state_(solver.state()), one_call_(state_.busy) {
  check_options(options);
  state_.threads = CallThreads(state_.execution);
}
const IsaEntry& Solver::Call::entry() const {
  return *state_.entry;
}
Report Solver::Call::run(std::size_t count, const RangeTask& range) const {
  return state_.run(
      count, [](std::size_t) {},
      [&](std::size_t first, std::size_t n, std::size_t slot) { range(first, n, state_.tallies[slot]); });
}

template <class T>
void Solver::Call::run_gradients(std::size_t count, const std::function<std::shared_ptr<void>()>& make,
                                 const GradientTask& range) const {
  auto& workspaces = std::get<State::Memory<T>>(state_.memory).gradient_workspaces;
  const auto reserve = [&](std::size_t slots) {
    while (workspaces.size() < slots) state_.grow([&] { workspaces.push_back(make()); });
  };
  state_.run(count, reserve,
             [&](std::size_t first, std::size_t n, std::size_t slot) { range(first, n, workspaces[slot].get()); });
}
template void Solver::Call::run_gradients<float>(std::size_t, const std::function<std::shared_ptr<void>()>&,
                                                 const GradientTask&) const;
template void Solver::Call::run_gradients<double>(std::size_t, const std::function<std::shared_ptr<void>()>&,
                                                  const GradientTask&) const;

std::string_view version() {
#define CAROM_TEXT(x) #x
#define CAROM_NUMBERS(major, minor, patch) CAROM_TEXT(major) "." CAROM_TEXT(minor) "." CAROM_TEXT(patch)
  return CAROM_NUMBERS(CAROM_VERSION_MAJOR, CAROM_VERSION_MINOR, CAROM_VERSION_PATCH);
#undef CAROM_NUMBERS
#undef CAROM_TEXT
}

}  // namespace carom
