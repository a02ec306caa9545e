// An interior point for an island whose contact states are unknown: second-order cones with Nesterov and Todd's
// scaling, Mehrotra's predictor and corrector, and De Saxcé's slip term φ = |u_t|, on the block matrix of the direct
// solution. The slip term follows the iterates for the first steps and is then frozen: for a fixed φ >= 0 the
// solution has p·(u - t) <= 0, so it always exists and cannot add energy. If contacts approach in that solution, the
// slip term is set anew and frozen again. docs/scenes.md, Direct islands.
#pragma once

#include "direct_island.hpp"

namespace carom::scene::direct {

class InteriorPoint {
 public:
  InteriorPoint(DirectIsland& island, const StepOptions& options)
      : of_(island), options_(options), kernels_(*island.cone_kernels_) {}

  /// Solves the step, from the impulses and velocities of the island. Returns false if it fails.
  bool run();

  static constexpr int max_iterations = 30;

 private:
  template <class F>
  void each(const F& f) {
    std::size_t k = 0;
    of_.each_point([&](const Manifold& m, Point& p) { f(m, p, of_.cones_[k++]); });
  }
  /// Sets the impulse of a point from its cone, and stores the change.
  static void take(Point& p, const ConePoint& c);
  /// Cone coordinates of a relative velocity.
  static void into_cone(const ConePoint& c, const Vector3& u, double* to);

  bool run_softened();
  bool iterate();
  void begin();
  double tolerance() const;
  void put_on_lanes();
  void take_lanes();
  kernel::ConeIsland lanes();
  /// Calls f(point, cone, lane) for the points of a manifold.
  template <class F>
  void each_lane(const Manifold& m, const F& f) {
    for (std::uint32_t i = m.first; i < m.end; ++i) f(of_.points_[i], of_.cones_[i], i - m.first);
  }
  /// Sets the misses of the cones. Returns the largest [m/s].
  double measure(int iteration);
  bool factor(bool is_first);
  double find_step(bool is_predictor, double barrier);
  /// Sets the slip terms anew if contacts approach. Returns false if none does.
  bool thaw(double enough);
  void let_go();

  DirectIsland& of_;
  const StepOptions& options_;
  const kernel::ConeKernels& kernels_;
  double mean_ = 0;     // [m/s] mean impulse of loaded points over the masses of their contacts
  double speed_ = 0;    // [m/s] of the island's approach
  double barrier_ = 0;  // [m²/s²] mean of x·s over the masses
  int frozen_ = -1;     // iterations since the slip term was frozen
};

}  // namespace carom::scene::direct
