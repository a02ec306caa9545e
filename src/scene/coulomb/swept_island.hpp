// An island that is swept on lanes until its impulses have the error that is asked for, with Anderson acceleration
// (system/anderson.hpp) between the sweeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "system/anderson.hpp"
#include "system/effort.hpp"
#include "system/elimination_work.hpp"

namespace carom::scene::coulomb {

class SweptIsland {
 public:
  /// Sweeps to the next look at the error, after so many. A look costs about as much as eight.
  static int sweeps_at_once(int sweeps) { return sweeps < 512 ? 8 : 16; }
  /// As many sweeps over W as a sweep on lanes counts for.
  static constexpr double cost = 0.125;

  enum State : std::uint8_t { out, goes_on, solved, left };
  State state = out;

  // Three numbers a contact, in the units of the island's contact system: velocities are those of the host times
  // `scale`, impulses times scale / mass.
  systems::Numbers x;  ///< to go on from, in the cones
  systems::Numbers r;  ///< after the last sweeps
  systems::Numbers u;  ///< velocities that these make; at first q
  systems::Numbers friction;
  systems::Numbers response;  ///< the mean of the diagonal of W_ii [1/kg]
  systems::Best best;
  std::vector<std::array<std::int32_t, 2>> pairs;  ///< of its bodies, which contacts connect
  std::size_t bodies = 0;
  double blocks = 0;  ///< of W
  double scale = 1, mass = 1;
  double target = 0, q_norm = 0;
  int sweeps = 0;

  void resize(std::size_t contacts);
  /// Finds the units, in which x and u then are, and whether any impulse is needed: if not, x is that solution.
  void begin(double tolerance);
  /// Judges r and u, which are known to `unit` of their size: they are the solution; or further sweeps within `budget`
  /// are not worth their while; or x is to go on from.
  void judge(double unit, double budget);

 private:
  std::size_t contacts() const { return friction.size(); }
  bool is_worth_more(double budget);
  double rounding(double unit) const;

  systems::Anderson anderson_;
  systems::Numbers weight_;
  struct Look {
    int sweeps;
    double error;  // the least so far
  };
  std::vector<Look> looks_;
  double most_ = 0;  // sweeps that a solution with W is worth; 0: not known yet
  double step_ = 0;  // the work of a step of the interior point, in sweeps over W
  systems::EliminationWork work_;
};

}  // namespace carom::scene::coulomb
