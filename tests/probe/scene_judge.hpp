// The documented bounds for one solved scene, each as an error in units of rounding and residual; docs/accuracy.md
// states the units and the bound. Judged only from the caller's numbers and the results.
#pragma once

#include "probe/scene_contacts.hpp"
#include "probe/scene_energy.hpp"
#include "probe/scene_islands.hpp"
#include "probe/scene_models.hpp"

namespace carom::probe {

template <class T>
class SceneJudge {
 public:
  SceneJudge(const DrawnScene<T>& drawn, const SolvedScene<T>& solved) : sight_(drawn, solved) {}

  Verdict judge() {
    Verdict verdict;
    ContactsJudge<T>(sight_, verdict).judge();
    IslandsJudge<T>(sight_, verdict).judge();
    EnergyJudge<T>(sight_, verdict).judge(false);
    if (has_models()) ModelsJudge<T>(sight_, verdict).judge();
    return verdict;
  }

  /// True where simultaneous sweeps have come to an end: called again with the impulses of `made`, they were done at
  /// the first look at both numbers of docs/scenes.md.
  static bool rests(const SolvedScene<T>& made, const SolvedScene<T>& again) {
    return made.report.not_converged == 0 && again.report.not_converged == 0 && again.report.iterations <= 4;
  }

  /// Coulomb's law at the contacts of a scene that rests.
  Verdict judge_law() {
    Verdict verdict;
    EnergyJudge<T>(sight_, verdict).judge(true);
    if (has_models())
      ModelsJudge<T>(sight_, verdict).judge_law();
    else
      ContactsJudge<T>(sight_, verdict).judge_law();
    return verdict;
  }

 private:
  bool has_models() const { return sight_.drawn().kind == SceneKind::models; }

  SceneSight<T> sight_;
};

}  // namespace carom::probe
