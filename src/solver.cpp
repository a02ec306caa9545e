#include <algorithm>
#include <carom/solver.hpp>
#include <cfenv>
#include <functional>
#include <vector>

#include "check.hpp"
#include "dispatch.hpp"
#include "schedule.hpp"

namespace carom {
namespace {

template <class T>
kernel::Parameters<T> parameters_for(const Options& options) {
  return {static_cast<T>(1.0 / options.steps),
          options.step_budget,
          options.integrator,
          options.restitution_law,
          options.scalar_sticking,
          static_cast<T>(options.normal_tolerance),
          static_cast<T>(options.inertia_tolerance)};
}

// Rounding to nearest and no flushing of small numbers, whatever the host has set, until the end of a scope.
class DefaultFloatingPoint {
 public:
  DefaultFloatingPoint() {
    std::fegetenv(&host_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatingPoint() { std::fesetenv(&host_); }
  DefaultFloatingPoint(const DefaultFloatingPoint&) = delete;
  DefaultFloatingPoint& operator=(const DefaultFloatingPoint&) = delete;

 private:
  std::fenv_t host_;
};

void add(Report& report, const kernel::Tally& tally) {
  for (std::size_t i = 0; i < status_count; ++i) report.by_status[i] += tally.by_status[i];
  for (std::size_t i = 0; i < Path::kinds; ++i) report.by_path[i] += tally.by_path[i];
  report.sliding_steps += tally.sliding_steps;
  report.lane_steps += tally.lane_steps;
  const bool earlier = tally.largest_energy_gain_contact < report.largest_energy_gain_contact;
  if (tally.largest_energy_gain > report.largest_energy_gain ||
      (tally.largest_energy_gain == report.largest_energy_gain && tally.largest_energy_gain > 0 && earlier)) {
    report.largest_energy_gain = tally.largest_energy_gain;
    report.largest_energy_gain_contact = tally.largest_energy_gain_contact;
  }
}

}  // namespace

struct Solver::State {
  explicit State(const Options& given) : options(given), entry(&find_isa(given.isa)) {}

  template <class T>
  std::vector<std::unique_ptr<kernel::Workspace<T>>>& workspaces() {
    if constexpr (std::is_same_v<T, float>)
      return workspaces_f32;
    else
      return workspaces_f64;
  }

  template <class T, template <class> class Contacts>
  Report solve(kernel::SolveRange<T, Contacts> solve_range, const Contacts<T>& contacts, const Results<T>& results) {
    const std::size_t count = check_columns(contacts, results);
    const DefaultFloatingPoint environment;
    const std::size_t threads = count > smallest_range ? threads_here(options.threads) : 1;
    const std::size_t range = range_size(count, threads);
    const std::size_t tasks = (count + range - 1) / range;
    const std::size_t slots = std::clamp(tasks, std::size_t{1}, threads);
    auto& workspace = workspaces<T>();
    while (workspace.size() < slots) workspace.push_back(std::make_unique<kernel::Workspace<T>>());
    tallies.assign(slots, kernel::Tally{});

    const kernel::Job<T, Contacts> job{contacts, results, parameters_for<T>(options)};
    const auto task = [&](std::size_t index, std::size_t slot) {
      const DefaultFloatingPoint of_worker;
      const std::size_t first = index * range;
      solve_range(job, first, std::min(range, count - first), *workspace[slot], tallies[slot]);
    };
    run_tasks(tasks, slots, std::ref(task));

    Report report;
    report.contacts = count;
    report.isa = entry->isa;
    report.threads = 0;
    for (const kernel::Tally& tally : tallies) {
      const bool took_part =
          std::any_of(std::begin(tally.by_status), std::end(tally.by_status), [](std::size_t n) { return n > 0; });
      report.threads += took_part ? 1 : 0;
      add(report, tally);
    }
    report.threads = std::max(report.threads, 1);
    return report;
  }

  /// The contacts that one task solves. At the end of each the lanes run empty, so few and large ones are best; two a
  /// thread let a thread that is disturbed leave the last to another.
  static std::size_t range_size(std::size_t count, std::size_t threads) {
    const std::size_t share = threads == 1 ? count : (count + 2 * threads - 1) / (2 * threads);
    return std::max(share, smallest_range);
  }
  static constexpr std::size_t smallest_range = 1024;

  Options options;
  const IsaEntry* entry;
  std::vector<kernel::Tally> tallies;  // one a slot of run_tasks, as are the workspaces
  std::vector<std::unique_ptr<kernel::Workspace<float>>> workspaces_f32;
  std::vector<std::unique_ptr<kernel::Workspace<double>>> workspaces_f64;
};

Solver::Solver(const Options& options) {
  check_options(options);
  state_ = std::make_unique<State>(options);
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

const Options& Solver::options() const {
  return state_->options;
}
Isa Solver::isa() const {
  return state_->entry->isa;
}

template <class T>
const kernel::KernelsFor<T>& kernels_of(const IsaEntry& entry) {
  if constexpr (std::is_same_v<T, float>)
    return entry.kernels->f32;
  else
    return entry.kernels->f64;
}

template <class T>
Report Solver::solve(const InlineContacts<T>& contacts, const Results<T>& results) {
  return state_->solve(kernels_of<T>(*state_->entry).inline_contacts, contacts, results);
}
template <class T>
Report Solver::solve(const IndexedContacts<T>& contacts, const Results<T>& results) {
  return state_->solve(kernels_of<T>(*state_->entry).indexed_contacts, contacts, results);
}
template <class T>
Report Solver::solve(const SpaceContacts<T>& contacts, const Results<T>& results) {
  return state_->solve(kernels_of<T>(*state_->entry).space_contacts, contacts, results);
}

template Report Solver::solve(const InlineContacts<float>&, const Results<float>&);
template Report Solver::solve(const InlineContacts<double>&, const Results<double>&);
template Report Solver::solve(const IndexedContacts<float>&, const Results<float>&);
template Report Solver::solve(const IndexedContacts<double>&, const Results<double>&);
template Report Solver::solve(const SpaceContacts<float>&, const Results<float>&);
template Report Solver::solve(const SpaceContacts<double>&, const Results<double>&);

std::string_view version() {
  return CAROM_VERSION;
}

}  // namespace carom
