// An island that is swept on lanes until its impulses have the error that is asked for, with Anderson acceleration
// (system/anderson.hpp) between the sweeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "system/anderson.hpp"
#include "system/effort.hpp"

namespace carom::scene::coulomb {

class SweptIsland {
 public:
  /// Sweeps to the next look at the error, after so many. A look costs about as much as eight.
  static int sweeps_at_once(int sweeps) { return sweeps < 512 ? 8 : 16; }
  /// As many sweeps over W as a sweep on lanes counts for.
  static constexpr double cost = 0.125;
  /// Contacts that are looked at together.
  static constexpr std::size_t chunk = 256;

  enum State : std::uint8_t { out, goes_on, solved, left };
  State state = out;

  std::vector<std::uint32_t> contact;  ///< as the scene counts them
  // Three numbers a contact, in the units of the island's contact system: velocities are those of the host times
  // `scale`, impulses times scale / mass.
  systems::Numbers x;  ///< to go on from, once they are in their cones
  systems::Numbers r;  ///< after the last sweeps
  systems::Numbers u;  ///< velocities that these make; at first q
  systems::Numbers friction;
  systems::Numbers response;  ///< the mean of the diagonal of W_ii [1/kg]
  double squared_speed = 0;   ///< [m²/s²] of both bodies at their contacts before any impulse, summed
  double products = 0;        ///< of blocks and vectors, of a factorisation by bodies
  double blocks = 0;          ///< of W; 0: neither is known yet
  systems::Best best;
  double scale = 1, mass = 1, inverse_scale = 1, inverse_mass = 1;  ///< powers of two
  double target = 0, q_norm = 0;
  int sweeps = 0;

  std::size_t contacts() const { return contact.size(); }
  std::size_t chunks() const { return (contacts() + chunk - 1) / chunk; }
  /// Makes room for what belongs to the contacts.
  void resize();
  void set_units(double new_scale, double new_mass);
  /// False where no mass suits W.
  bool has_sound_responses() const;
  /// Finds the units, in which x and u then are, and whether any impulse is needed: if not, x is that solution. `unit`
  /// is that of rounding.
  void begin(double tolerance, double unit);
  /// Finds the error of the contacts of a chunk from r and u.
  void measure(std::size_t of_chunk);
  /// True if judge needs `products` and `blocks`.
  bool wants_work() const { return looks_.size() >= looks_before && !(blocks > 0); }
  /// Judges r and u once all of them are measured. They are the solution; or further sweeps
  /// within `budget` are not worth their while; or x is to go on from.
  void judge(double unit, double budget);

 private:
  static constexpr std::size_t looks_before = 3;
  struct Look {
    int sweeps;
    double error;  // the least so far
  };

  bool is_worth_more(double budget) const;
  double noise(double unit) const;

  systems::Anderson anderson_;
  systems::Numbers weight_, squared_error_;  // of contacts; of chunks
  std::vector<Look> looks_;
};

}  // namespace carom::scene::coulomb
