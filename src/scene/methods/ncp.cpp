#include <algorithm>
#include <cstdint>

#include "core/scene/contact_models.hpp"
#include "core/support/array.hpp"
#include "island_sweeps.hpp"
#include "method.hpp"
#include "scene/solvers/ncp/ncp_solver.hpp"

namespace carom::scene {
namespace {

template <class T>
class NcpSweeps : IslandSweeps<T> {
  using Base = IslandSweeps<T>;
  using typename Base::Head;

 public:
  explicit NcpSweeps(const Call<T>& call) : Base(call), memory_(call.workspace.ncp), warm_(call.initial.any) {}

  SweepOutcome run() {
    SceneReport& report = call_.report;
    this->begin();
    // An earlier try, which has found faults, may have left some at contacts that no manifold begins with any more.
    if (job_.carried_moment[0] != nullptr)
      for (std::size_t d = 0; d < 3; ++d) std::fill_n(job_.carried_moment[d], job_.contacts, T(0));
    const std::size_t faults = count_faults(job_);
    this->each_part([&](const Part& part, const auto& each) { prepare_and_carry(part, each); });
    if (count_faults(job_) != faults) return {.found_faults = true};
    ncp::NcpSolver<T> solver(call_, call_.team, memory_);
    solver.begin();
    std::copy_n(job_.velocities, job_.bodies, job_.kept_velocities);
    if (options_.ncp.pgs_presolve) sweep_all();
    solver.choose();
    solver.solve();
    this->each_part([&](const Part& part, const auto& each) { take_back(part, each); });
    report.pgs_islands = static_cast<std::size_t>(std::count(memory_.by.begin(), memory_.by.end(), SolvedBy::sweeps));
    if (!options_.ncp.pgs_presolve && report.pgs_islands > 0) sweep_others();
    call_.team.each(workspace_.block_of_lane_batch.size(), grain, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t v = first; v < end; ++v) kernels_.finish(job_, workspace_.block_of_lane_batch[v]);
    });
    report.relative_error = 0;
    for (const double error : memory_.error) report.relative_error = std::max(report.relative_error, error);
    SweepOutcome outcome = this->sum_up_blocks();
    // No threshold of those solved to the tolerance: whether they have converged has been found by the error.
    this->judge([&](std::uint32_t i) { return is_solved(i) ? -1.0 : threshold(i); }, true, outcome);
    for (std::uint32_t i = 0; i < graph_.islands; ++i)
      if (is_solved(i)) {
        if (islands_.overflow[i] == 0) islands_.result[i].error = memory_.error[i];
        islands_.result[i].algorithm = IslandAlgorithm::system;
      }
    return outcome;
  }

 private:
  using Base::call_;
  using Base::each_block;
  using Base::gather_worst;
  using Base::graph_;
  using Base::head;
  using Base::islands_;
  using Base::job_;
  using Base::kernels_;
  using Base::options_;
  using Base::workspace_;
  using SolvedBy = ncp::SolvedBy;

  bool is_solved(std::uint32_t i) const { return memory_.by[i] != SolvedBy::sweeps; }
  double threshold(std::uint32_t i) const { return options_.tolerance * islands_.approach[i]; }

  template <class Each>
  void prepare_and_carry(const Part& part, const Each& each) {
    this->prepare_all(job_, part, each);
    gather_worst(part);
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      islands_.approach[i] = islands_.worst[i];
    each_block(part, each, [&](std::byte* block) { kernels_.carry(job_, block); });
  }

  /// Impulses and velocities into the blocks and the bodies of the islands that have been solved to the tolerance.
  template <class Each>
  void take_back(const Part& part, const Each& each) {
    each_block(part, each, [&](std::byte* block) {
      const Head& of = head(block);
      std::uint32_t lanes = 0;
      for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
        if (is_solved(this->island(of, lane))) lanes |= 1u << lane;
      if (lanes != 0) kernels_.return_to_kept(job_, block, lanes);
    });
  }

  /// PGS iterations over the remaining islands of a part, as in Procedure::pgs, until they have converged. `any_done`:
  /// some islands of the part are done before the start.
  template <class Each>
  void sweep(const Part& part, bool any_done, const Each& each) {
    const SweepLoop<T> loop{kernels_.sweeps->pgs, options_.pgs.iterations, warm_, true};
    this->converge(
        part, any_done, each, loop, [&](std::uint32_t i) { return threshold(i); }, PlainChecks{});
  }

  /// An island that has not converged begins with the sweeps' impulses, and with the velocities of the bodies before
  /// them.
  void sweep_all() {
    this->each_part([&](const Part& part, const auto& each) {
      sweep(part, false, each);
      each_block(part, each, [&](std::byte* block) { kernels_.carry(job_, block); });
    });
  }

  void sweep_others() {
    Array<Sweeping>& sweeping = islands_.sweeping;
    for (std::uint32_t i = 0; i < graph_.islands; ++i) sweeping[i] = is_solved(i) ? Sweeping::done : Sweeping::goes_on;
    this->each_part([&](const Part& part, const auto& each) { sweep(part, true, each); });
    for (std::uint32_t i = 0; i < graph_.islands; ++i)
      if (memory_.by[i] == SolvedBy::missed) sweeping[i] = Sweeping::goes_on;
  }

  ncp::Memory& memory_;
  bool warm_;  // contacts or rows may begin with impulses
};

/// Islands as contact systems, solved to an error. docs/contact-systems.md
template <class T>
class NcpMethod final : public Method<T> {
 public:
  void reserve(const CallData<T>& call) const override {
    kernel::SceneJob<T>& job = call.job;
    job.target = kernel::Target::all;
    reserve_snapshot(call);
    reserve_carried(call);
    if (has_contact_moments(job.scene->contacts)) {
      T* const memory = call.workspace.moments.at_least(6 * (job.contacts + 1));
      std::fill_n(memory, 6 * job.contacts, T(0));
      for (std::size_t i = 0; i < 3; ++i) {
        job.carried_moment[i] = memory + i * job.contacts;
        job.kept_moment[i] = memory + (3 + i) * job.contacts;
      }
    }
    this->reserve_blocks(call);
  }
  SweepOutcome solve(const Call<T>& call) const override { return NcpSweeps<T>(call).run(); }
};

}  // namespace

template <class T>
const Method<T>& ncp_method() {
  static const NcpMethod<T> method;
  return method;
}
template const Method<float>& ncp_method();
template const Method<double>& ncp_method();

}  // namespace carom::scene
