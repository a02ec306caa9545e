// A certificate of rest: impulses that keep a large island where it is.
//
// An island at rest has v = 0, and its impulses p satisfy M c + Jᵀ p = 0 with p in the friction cones, where c is the
// velocity change by forces. This problem is convex, and its geometry does not change while the island hardly moves.
// So it is solved on a copy of the geometry, over several steps, by the alternating direction method of multipliers
// (S. Boyd et al., Distributed optimization and statistical learning via ADMM, 2011):
//
//   A v = M c + Jᵀ (y + D z),   u = J v,   w = y - D (α u + (1 - α) z - t),   y' = proj(w),   z' = (y' - w) / D + t
//
// with A = M + Jᵀ D J, targets t, impulses y and over-relaxation α. A is factored once. If the solution has v = 0, y is
// a certificate, and the linear solve of DirectIsland accepts y. docs/scenes.md, Large islands.
//
// All decisions depend on counted operations and on numbers of the island.
#pragma once

#include <carom/contacts.hpp>
#include <cstddef>
#include <cstdint>

#include "core/support/array.hpp"
#include "linear/block_factor.hpp"
#include "vectors.hpp"

namespace carom::scene::direct {

class DirectIsland;
struct StepOptions;

class Certificate {
 public:
  enum class Phase : std::uint8_t { idle, factors, iterates, is_complete };

  void reserve(std::size_t bodies, std::size_t manifolds, std::size_t points);
  /// Forgets the island.
  void forget();

  // History of the island. An island is known by its bodies, its name and its time step.
  /// Returns false, and begins a new history, if the island is another one.
  bool recall(const Array<std::uint32_t>& bodies, std::uint64_t name, double time_step);
  Phase phase() const { return phase_; }
  bool has_factored() const { return phase_ == Phase::iterates || phase_ == Phase::is_complete; }
  bool is_at_work() const { return phase_ != Phase::idle; }
  /// Ends the work. The next certificate waits for 2, 4, 8 ... 64 calls, longer after every failure.
  void fail();
  /// The island is solved. `is_certified_now`: with the factor of the certificate.
  void succeed(bool is_certified_now);
  /// Ends the work without a pause.
  void drop() { phase_ = Phase::idle; }

  int wait = 0;               ///< calls before the next certificate may begin
  int waited = 0;             ///< calls since the certificate is complete
  int refused = 0;            ///< consecutive calls whose solution was refused
  int held = 0;               ///< consecutive calls in which the island has been held
  bool was_direct = false;    ///< in the last call
  bool is_cheap = true;       ///< the last plan, of a factorisation, or no plan yet
  bool is_late = false;       ///< the last call made a plan and left the rest to this one
  bool is_certified = false;  ///< the island rests on the factor and the impulses of a certificate
  bool holds = false;         ///< the island has not moved since the work began
  Vector3 forces{};           ///< [m/s] change of the velocity of the first body by forces in the last call
  std::size_t contacts = 0;   ///< in the last call

  // The work.
  /// Copies the island, whose matrix of all closed points has been assembled. `key`: of contacts. `is_held`: the
  /// island stays where it is meanwhile.
  void begin(const DirectIsland& island, const Column<const std::uint64_t>& key, bool is_held);
  /// Returns true if every body of the island touches another one, and the island is in contact with an immovable body.
  bool touches_everywhere(const DirectIsland& island);
  /// Works for about `budget` multiply-adds. `factor` has the matrix of the island.
  void work(BlockFactor& factor, double budget);
  /// [m/s] Max. speed of a body in the solution.
  double fastest() const { return fastest_; }
  /// Bodies of the matrix, and columns that have been factored.
  std::size_t bodies() const { return right_.size(); }
  std::size_t column() const { return column_; }
  /// Everything that stays from call to call: direct_islands_state.hpp.
  template <class Archive>
  void carry(Archive& archive);
  /// The impulse of a contact in world axes, 0 for an unknown key. `hint`: expected index, updated.
  Vector3 impulse(std::uint64_t key, std::size_t& hint) const;

 private:
  struct Manifold {
    std::int32_t a, b;  // positions; immovable bodies have other numbers
    Matrix3 axis;
    double friction, weight;
    std::uint32_t first, end;

    template <class Archive>
    void carry(Archive& archive);
  };
  // Vectors are along the axes of the manifold.
  struct Point {
    Vector3 r_a, r_b;
    Vector3 impulse, velocity;  // y, z
    double target;              // of the normal velocity

    template <class Archive>
    void carry(Archive& archive);
  };
  struct Named {
    std::uint64_t key;
    std::uint32_t point;
    std::uint32_t manifold;

    template <class Archive>
    void carry(Archive& archive);
  };

  void iterate(BlockFactor& factor);
  /// Computes the max. speeds of the solution.
  void measure();
  void drop_small_impulses();
  Vector3 in_world(const Named& of) const;

  Phase phase_ = Phase::idle;
  Array<std::uint32_t> bodies_, sorted_;
  std::uint64_t name_ = 0;
  double time_step_ = 0;
  int fails_ = 0;
  Array<Manifold> manifolds_;
  Array<Point> points_;
  Array<Named> names_;           // in the order of keys
  Array<std::uint8_t> touches_;  // of bodies
  Array<BodyRow> right_, x_;
  Array<double> radius_;    // [m] of gyration, of bodies
  std::size_t column_ = 0;  // to be factored next
  int iterations_ = 0;
  double relaxation_ = 1;                                 // α
  double enough_ = 0, unbalanced_ = 0, slow_motion_ = 0;  // [m/s]
  double miss_ = 0;                                       // [m/s] of the last iteration
  double saved_ = 0;                                      // multiply-adds of the budgets that are left
  double fastest_ = 0, fastest_loaded_ = 0;
};

}  // namespace carom::scene::direct
