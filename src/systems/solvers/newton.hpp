// Semismooth Newton steps on Alart and Curnier's form of Coulomb's law (P. Alart, A. Curnier, A mixed formulation for
// frictional contact problems prone to Newton like solution methods, 1991): with ρ = 3 / tr W_ii and z = r − ρ u,
//
//   F_n = r_n − max(0, z_n),  F_t = r_t − the nearest point to z_t of the disc with radius μ max(0, z_n).
//
// A moment has F_m = m − the nearest point to its z of the disc, and the interval, that max(0, z_n) of its contact
// allows. There is no line search: the steps polish impulses that are nearly right.
#pragma once

#include "systems/problem/factorisation.hpp"
#include "systems/problem/work_budget.hpp"

namespace carom::systems {

struct NewtonOptions {
  std::size_t max_steps = 12;
  bool guesses = false;    ///< the first step takes contacts that do not part as sticking
  bool is_judged = false;  ///< ends if two steps have not divided the error by four
};

class Newton {
 public:
  void run(const IslandSystem& system, Factorisation& lu, Incumbent& best, WorkBudget& work_budget,
           const NewtonOptions& options);

 private:
  void linearise(const IslandSystem& system, std::size_t i);
  void linearise_moment(const IslandSystem& system, std::size_t i);

  Beside beside_;
  Numbers r_, u_, rho_, block_, diagonal_, left_, last_diagonal_, last_left_, right_, step_, projected_, velocities_;
  Numbers errors_;       // the best before each step
  double touching_ = 0;  // [N s] of the first step, if it guesses
};

}  // namespace carom::systems
