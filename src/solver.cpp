#include <algorithm>
#include <carom/solver.hpp>
#include <functional>
#include <vector>

#include "check.hpp"
#include "dispatch.hpp"
#include "schedule.hpp"

namespace carom {
namespace {

template <class T>
kernel::Parameters<T> parameters_for(const Options& options) {
  return {static_cast<T>(1.0 / options.steps), options.step_budget, static_cast<T>(options.normal_tolerance),
          static_cast<T>(options.inertia_tolerance)};
}

void add(Report& report, const kernel::Tally& tally) {
  for (std::size_t i = 0; i < status_count; ++i) report.by_status[i] += tally.by_status[i];
  for (std::size_t i = 0; i < Path::kinds; ++i) report.by_path[i] += tally.by_path[i];
  report.sliding_steps += tally.sliding_steps;
  const bool earlier = tally.largest_energy_gain_contact < report.largest_energy_gain_contact;
  if (tally.largest_energy_gain > report.largest_energy_gain ||
      (tally.largest_energy_gain == report.largest_energy_gain && tally.largest_energy_gain > 0 && earlier)) {
    report.largest_energy_gain = tally.largest_energy_gain;
    report.largest_energy_gain_contact = tally.largest_energy_gain_contact;
  }
}

}  // namespace

struct Solver::State {
  explicit State(const Options& given)
      : options(given),
        entry(&find_isa(given.isa)),
        schedule(given.threads),
        tallies(static_cast<std::size_t>(schedule.threads())) {}

  template <class T>
  std::vector<std::unique_ptr<kernel::Tile<T>>>& tiles() {
    if constexpr (std::is_same_v<T, float>)
      return tiles_f32;
    else
      return tiles_f64;
  }

  template <class T, template <class> class Contacts>
  Report solve(kernel::SolveTile<T, Contacts> solve_tile, const Contacts<T>& contacts, const Results<T>& results) {
    const std::size_t count = check_columns(contacts, results);
    auto& workspace = tiles<T>();
    if (workspace.empty()) {
      workspace.resize(tallies.size());
      for (auto& tile : workspace) tile = std::make_unique<kernel::Tile<T>>();
    }
    std::fill(tallies.begin(), tallies.end(), kernel::Tally{});

    const kernel::Job<T, Contacts> job{contacts, results, parameters_for<T>(options)};
    const auto task = [&](std::size_t tile, std::size_t thread) {
      const std::size_t first = tile * kernel::tile_size;
      solve_tile(job, first, std::min(kernel::tile_size, count - first), *workspace[thread], tallies[thread]);
    };
    schedule.run((count + kernel::tile_size - 1) / kernel::tile_size, std::ref(task));

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

  Options options;
  const IsaEntry* entry;
  Schedule schedule;
  std::vector<kernel::Tally> tallies;  // one a thread, as are the tiles
  std::vector<std::unique_ptr<kernel::Tile<float>>> tiles_f32;
  std::vector<std::unique_ptr<kernel::Tile<double>>> tiles_f64;
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
