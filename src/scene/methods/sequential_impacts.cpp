#include "method.hpp"
#include "scene/solvers/sequential/impact_solver.hpp"

namespace carom::scene {
namespace {

template <class T>
class SequentialImpactsMethod final : public Method<T> {
 public:
  void reserve(const CallData<T>& call) const override {
    call.job.target = kernel::Target::all;
    call.workspace.impulses.at_least(3 * (call.job.contacts + 1));
    call.workspace.sequential_impacts.reserve(call.parts);
  }
  void validate(const Call<T>& call) const override { solver_of(call).validate(); }
  SweepOutcome solve(const Call<T>& call) const override {
    ImpactSolver<T> solver = solver_of(call);
    if (!solver.begin()) return {.found_faults = true};
    const SweepOutcome outcome = solver.solve();
    for (const auto& batch : call.workspace.sequential_impacts.batches) call.report.impacts += batch->impacts;
    return outcome;
  }

 private:
  static ImpactSolver<T> solver_of(const Call<T>& call) {
    T* const impulses = call.initial.stored != nullptr ? call.initial.stored : call.workspace.impulses.data();
    return {call, call.team, impulses, call.workspace.sequential_impacts};
  }
};

}  // namespace

template <class T>
const Method<T>& sequential_impacts_method() {
  static const SequentialImpactsMethod<T> method;
  return method;
}
template const Method<float>& sequential_impacts_method();
template const Method<double>& sequential_impacts_method();

}  // namespace carom::scene
