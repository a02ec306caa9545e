#include "interior_point.hpp"

#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

// Impulses are compared by the velocities that they change: by p / m with m the mass of a contact, so that light bodies
// count as heavy ones do.
// Start: min. impulse as a fraction of the mean, and the fraction of its cone that friction may fill.
constexpr double min_share = 0.1, max_of_cone = 0.9;
constexpr double max_of_the_way = 0.98;
// Friction coefficients in the cones. Below the first there is no friction.
constexpr double min_friction = 1e-6, max_friction = 1e3;
// Convergence [m/s], the share of the bodies' speed that it may be in motion, and its upper limit.
constexpr double min_tolerance = 1e-5, share_of_speed = 3e-4, max_tolerance = 1e-3;
constexpr int follows_slip = 10;      // iterations before the slip term is frozen
constexpr std::size_t large = 300;    // bodies; larger islands freeze it later,
constexpr double late = 1e-4;         // at this barrier, relative to the mean impulse
constexpr double let_go_share = 0.1;  // an impulse may vanish if it changes velocities by less than this share of the
                                      // speed at which its contact parts
constexpr double thaws_above = 10;    // a contact may approach by this multiple of the tolerance

double tangential(const double* x) {
  return systems::tangential_length(x);
}

/// The vector y with x ∘ y = barrier e.
void set_inverse(const double* x, double barrier, double* y) {
  const double f = barrier / systems::determinant(x);
  y[0] = -f * x[0];
  y[1] = -f * x[1];
  y[2] = f * x[2];
}

}  // namespace

void InteriorPoint::take(Point& p, const ConePoint& c) {
  const Vector3 now = c.is_flat ? Vector3{0, 0, c.x[2]} : Vector3{c.x[0], c.x[1], c.x[2] / c.friction};
  for (std::size_t i = 0; i < 3; ++i) p.change[i] = now[i] - p.impulse[i];
  p.impulse = now;
}

void InteriorPoint::into_cone(const ConePoint& c, const Vector3& u, double* to) {
  to[0] = c.is_flat ? 0 : u[0];
  to[1] = c.is_flat ? 0 : u[1];
  to[2] = u[2] / c.friction;
}

void InteriorPoint::begin() {
  double sum = 0;
  int loaded = 0;
  of_.each_point([&](const Manifold& m, Point& p) {
    if (!(p.impulse[2] > 0)) return;
    sum += p.impulse[2] * m.inverse_mass;
    ++loaded;
  });
  mean_ = std::max(loaded > 0 ? sum / loaded : 0, 0.25 * options_.weight_speed);
  speed_ = options_.weight_speed;
  const auto velocity = [&](const Manifold& m, const Point& p) { return of_.relative(m, p, of_.velocity_) - p.target; };
  of_.each_point([&](const Manifold& m, Point& p) { speed_ = std::max(speed_, std::min(0.05, -velocity(m, p)[2])); });
  if (!(mean_ > 0)) mean_ = 1;
  if (!(speed_ > 0)) speed_ = min_tolerance;
  barrier_ = mean_ * speed_;
  of_.cones_.resize(of_.points_.size());
  each([&](const Manifold& m, Point& p, ConePoint& c) {
    c.is_flat = m.friction < min_friction;
    c.friction = c.is_flat ? 1 : std::min(m.friction, max_friction);
    c.mass = 1 / m.inverse_mass;
    const double least = min_share * c.friction * mean_ * c.mass;
    into_cone(c, p.impulse, c.x);
    c.x[2] = std::max(c.friction * p.impulse[2], least);
    const double friction = tangential(c.x);
    if (friction > max_of_cone * c.x[2])
      for (std::size_t i = 0; i < 2; ++i) c.x[i] *= max_of_cone * c.x[2] / friction;
    set_inverse(c.x, barrier_ * c.mass, c.s);
    take(p, c);
  });
  of_.apply_changes();
  // Points that part begin with the distance they have, and next to no impulse.
  each([&](const Manifold& m, Point& p, ConePoint& c) {
    p.change = {};
    double s[3];
    into_cone(c, velocity(m, p), s);
    const double slip = tangential(s);
    if (!c.is_flat) s[2] += slip;
    if (c.x[2] > 1.5 * min_share * c.friction * mean_ * c.mass || s[2] < 2 * c.s[2]) return;
    const double f = slip > max_of_cone * s[2] ? max_of_cone * s[2] / slip : 1;
    c.s[0] = f * s[0];
    c.s[1] = f * s[1];
    c.s[2] = s[2];
    set_inverse(c.s, barrier_ * c.mass, c.x);
  });
  each([&](const Manifold&, Point& p, ConePoint& c) { take(p, c); });
  of_.apply_changes();
  of_.begin_bounds(mean_, barrier_);
  put_on_lanes();
}

void InteriorPoint::put_on_lanes() {
  Array<kernel::ConeManifold>& all = of_.cone_manifolds_;
  all.resize(of_.manifolds_.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Manifold& m = of_.manifolds_[k];
    kernel::ConeManifold& to = all[k];
    to = {};
    to.a = m.a;
    to.b = m.b;
    to.block = m.block;
    for (std::size_t c = 0; c < 3; ++c) std::copy(m.axis[c].begin(), m.axis[c].end(), to.axis[c]);
    std::fill_n(to.x[2], 4, 1.0);
    std::fill_n(to.s[2], 4, 1.0);
    const ConePoint& any = of_.cones_[m.first];
    to.friction = any.friction;
    to.mass = any.mass;
    to.is_flat = any.is_flat;
    each_lane(m, [&](const Point& p, const ConePoint& from, std::size_t lane) {
      to.there[lane] = 1;
      for (std::size_t c = 0; c < 3; ++c) {
        to.r_a[c][lane] = p.r_a[c];
        to.r_b[c][lane] = p.r_b[c];
        to.target[c][lane] = p.target[c];
        to.x[c][lane] = from.x[c];
        to.s[c][lane] = from.s[c];
      }
    });
  }
}

/// The impulses of the points, from the lanes.
void InteriorPoint::take_lanes() {
  for (std::size_t k = 0; k < of_.cone_manifolds_.size(); ++k) {
    const kernel::ConeManifold& from = of_.cone_manifolds_[k];
    each_lane(of_.manifolds_[k], [&](Point& p, ConePoint& to, std::size_t lane) {
      for (std::size_t c = 0; c < 3; ++c) to.x[c] = from.x[c][lane];
      take(p, to);
    });
  }
}

kernel::ConeIsland InteriorPoint::lanes() {
  return {of_.cone_manifolds_.data(), of_.cone_manifolds_.size(), of_.bodies_.size(),        of_.velocity_.data(),
          of_.right_.data(),          of_.factor_.diagonals(),    of_.factor_.blocks_below()};
}

double InteriorPoint::tolerance() const {
  double energy = 0, mass = 0;
  for (std::size_t i = 0; i < of_.bodies_.size(); ++i) {
    const BodyRow& v = of_.before_[i];
    const auto& [xx, xy, xz, yy, yz, zz] = of_.bodies_[i].inertia;
    const double x = v.at[3], y = v.at[4], z = v.at[5];
    mass += of_.bodies_[i].mass;
    energy += of_.bodies_[i].mass * (v.at[0] * v.at[0] + v.at[1] * v.at[1] + v.at[2] * v.at[2]) +
              x * (xx * x + xy * y + xz * z) + y * (xy * x + yy * y + yz * z) + z * (xz * x + yz * y + zz * z);
  }
  return std::max(min_tolerance, std::min(max_tolerance, share_of_speed * std::sqrt(energy / mass)));
}

double InteriorPoint::measure(int iteration) {
  if (frozen_ >= 0)
    ++frozen_;
  else if (iteration >= follows_slip && (of_.bodies_.size() <= large || barrier_ < late * mean_))
    frozen_ = 0;
  double worst = 0, separation = 0;
  const kernel::Slips slips = frozen_ < 0   ? kernel::Slips::follow
                              : frozen_ < 3 ? kernel::Slips::approach
                                            : kernel::Slips::stay;
  kernels_.measure(lanes(), slips, worst, separation);
  std::size_t count = of_.points_.size();
  of_.measure_rows(worst, separation, count);
  barrier_ = separation / static_cast<double>(count);
  return worst;
}

bool InteriorPoint::factor(bool is_first) {
  of_.set_row_weights();
  of_.weigh_bounds();
  of_.begin_matrix_of_bounds(is_first);
  kernels_.weigh(lanes());
  of_.work_of_interior_points_ += of_.work_of_iteration();
  return of_.factor_.factor();
}

/// Solves for a step towards a barrier. Returns the longest step within all cones and bounds.
double InteriorPoint::find_step(bool is_predictor, double barrier) {
  of_.aim_bounds(barrier);
  std::fill(of_.right_.begin(), of_.right_.end(), BodyRow{});
  if (is_predictor)
    kernels_.begin_predictor(lanes());
  else
    kernels_.begin_corrector(lanes(), barrier);
  of_.add_rows(of_.right_);
  of_.factor_.solve(of_.right_.data());
  of_.find_row_changes(of_.right_);
  of_.find_slack_changes(barrier);
  const double in_cones = is_predictor ? kernels_.end_predictor(lanes()) : kernels_.end_corrector(lanes());
  return std::min(of_.longest_step_of_bounds(), in_cones);
}

/// The frozen slip terms let sliding contacts approach if their slip has become smaller. Then sets the slip terms to
/// the slips, and the iteration continues to another solution that adds no energy.
bool InteriorPoint::thaw(double enough) {
  if (frozen_ < 0 || !(of_.violation() > thaws_above * enough)) return false;
  for (std::size_t k = 0; k < of_.cone_manifolds_.size(); ++k) {
    kernel::ConeManifold& to = of_.cone_manifolds_[k];
    const Manifold& m = of_.manifolds_[k];
    each_lane(m, [&](const Point& p, const ConePoint& c, std::size_t lane) {
      if (c.is_flat) return;
      const Vector3 u = of_.relative(m, p, of_.velocity_);
      const double x[2] = {u[0] - p.target[0], u[1] - p.target[1]}, slip = tangential(x);
      to.s[2][lane] += std::max(slip - to.slip[lane], 0.0);
      to.slip[lane] = slip;
    });
  }
  return true;
}

/// Removes the impulses of points that part faster than these impulses could change.
void InteriorPoint::let_go() {
  each([&](const Manifold& m, Point& p, ConePoint& c) {
    p.change = {};
    const double part = of_.relative(m, p, of_.velocity_)[2] - p.target[2];
    // With a friction coefficient above 1 friction may be the larger part of a small impulse.
    if (!(c.x[2] * std::max(1.0, 1 / c.friction) < let_go_share * part * c.mass)) return;
    for (std::size_t i = 0; i < 3; ++i) p.change[i] = -p.impulse[i];
    p.impulse = {};
  });
  of_.apply_changes();
  of_.snap_to_bounds(mean_, speed_);
}

/// Solves with a compliance for the change of the impulse of every row: the inverse of its weight, which a linear solve
/// leaves, too. Between rigid rows and contacts internal forces have no limit, and the barrier would drive them to
/// infinity.
bool InteriorPoint::run_softened() {
  const auto soften = [&](double sign) {
    of_.each_row([&](JointRow& row) {
      const double compliance = row.inverse_mass / Thresholds::direct_joint_weight;
      row.compliance += sign * compliance;
      row.target += sign * compliance * row.centre;
    });
  };
  soften(1);
  const bool is_solved = iterate();
  soften(-1);
  return is_solved;
}

bool InteriorPoint::run() {
  of_.each_row([](JointRow& row) { row.centre = row.begun; });
  const bool is_cold = !of_.rows_.empty() && std::all_of(of_.rows_.begin(), of_.rows_.end(),
                                                         [](const JointRow& row) { return row.begun == 0; });
  if (!run_softened()) return false;
  // Without warm impulses the compliance acts on the whole load. The second solution applies it only to the rest.
  if (is_cold) {
    of_.each_row([](JointRow& row) { row.centre = row.impulse; });
    frozen_ = -1;
    if (!run_softened()) return false;
  }
  let_go();
  return true;
}

bool InteriorPoint::iterate() {
  begin();
  const double enough = tolerance();
  double worst = 0;
  for (int i = 0;; ++i) {
    worst = measure(i);
    const auto is_done = [&] { return worst < enough && barrier_ < 0.1 * enough * mean_; };
    if (is_done() && i < max_iterations && thaw(enough)) worst = measure(i);
    if (!(worst < 1e30) || !(barrier_ < 1e30)) return false;
    if (is_done()) break;
    if (i == max_iterations) {
      if (worst > max_tolerance || barrier_ > max_tolerance * mean_) return false;
      break;
    }
    if (!factor(i == 0)) return false;
    ++of_.solves_;
    const double rest = 1 - find_step(true, 0);
    // The barrier stays above a share of the miss, which the slip term would let stall.
    const double floor = std::max(0.05 * enough * mean_, std::min(0.3 * barrier_, 1e-3 * worst * mean_));
    const double target = std::max(std::max(1e-4, rest * rest * rest) * barrier_, floor);
    const double step = std::min(1.0, max_of_the_way * find_step(false, target));
    kernels_.advance(lanes(), step);
    of_.take_row_changes(step);
    of_.take_slack_changes(step);
    for (std::size_t b = 0; b < of_.bodies_.size(); ++b)
      for (std::size_t k = 0; k < 6; ++k) of_.velocity_[b].at[k] += step * of_.right_[b].at[k];
  }
  take_lanes();
  return true;
}

}  // namespace carom::scene::direct
