// The interior point of direct islands. The impulse of a contact, x = (p_t, μ p_n), and its velocity relative to the
// target, s = (u_t, u_n / μ + φ), are in the Lorentz cone. With De Saxcé's slip term φ = |u_t|, x·s = 0 is Coulomb's
// law. The scaling is Nesterov and Todd's; each iteration takes Mehrotra's predictor and corrector. φ follows the
// iterates at first. Then it is frozen, so that the remaining problem is convex and has a solution. If contacts
// approach there, φ is set to the slips and the next problem is solved.
#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "reference/contact/vector.hpp"
#include "scene_direct.hpp"

namespace carom::reference {
namespace {

constexpr int max_iterations = 30;
constexpr int iterations_with_slip = 10;   // before φ is frozen
constexpr int averaged_iterations = 3;     // of φ when it is frozen
constexpr std::size_t large_island = 300;  // bodies; larger islands freeze φ only below late_barrier
constexpr double late_barrier = 1e-4;      // [m/s] times the mean impulse
constexpr double min_impulse = 0.1;        // at the start, times the mean impulse
// Impulses are divided by the mass of their contact or row before they are compared.
constexpr double share_of_cone = 0.9;   // of friction at the start
constexpr double row_distance = 0.1;    // from a bound at the start, times the mean impulse
constexpr double share_of_range = 0.1;  // and of the range between the bounds
constexpr double share_of_step = 0.98;  // of the longest step within the cones
constexpr double min_friction = 1e-6, max_friction = 1e3;
constexpr double min_tolerance = 1e-5, max_tolerance = 1e-3, tolerance_of_speed = 3e-4;
constexpr double vanishing_share = 0.1;  // an impulse is dropped if it changes less than this share of its separation
constexpr double max_approach = 10;      // times the tolerance, before φ is set again
constexpr double min_determinant = 1e-300;

// x_n² - |x_t|²
double determinant(const Vector3& x) {
  return (x[2] - tangential_length(x)) * (x[2] + tangential_length(x));
}

// x ∘ y
Vector3 jordan_product(const Vector3& x, const Vector3& y) {
  return {x[2] * y[0] + y[2] * x[0], x[2] * y[1] + y[2] * x[1], dot(x, y)};
}

// The y with x ∘ y = b.
Vector3 jordan_quotient(const Vector3& x, const Vector3& b) {
  const double normal = (x[2] * b[2] - x[0] * b[0] - x[1] * b[1]) / determinant(x);
  return {(b[0] - normal * x[0]) / x[2], (b[1] - normal * x[1]) / x[2], normal};
}

// The y with x ∘ y = (0, 0, barrier).
Vector3 partner(const Vector3& x, double barrier) {
  return barrier / determinant(x) * Vector3{-x[0], -x[1], x[2]};
}

// The longest step along d that stays within the cone.
double longest_step(const Vector3& x, const Vector3& d) {
  // The determinant of x + t d is c + 2 b t + a t².
  const double a = d[2] * d[2] - d[0] * d[0] - d[1] * d[1], b = x[2] * d[2] - x[0] * d[0] - x[1] * d[1];
  const double c = determinant(x), radicand = b * b - a * c;
  double step = infinity;
  if (radicand > 0) {
    if (b < 0)
      step = c / (std::sqrt(radicand) - b);
    else if (a < 0)
      step = (b + std::sqrt(radicand)) / -a;
    if (!(step > 0)) step = infinity;
  }
  return d[2] < 0 ? std::min(step, -x[2] / d[2]) : step;
}

// factor × the Lorentz boost to the unit hyperboloid's point w.
Matrix3 boost(double factor, const Vector3& w) {
  const double h = 1 / (1 + w[2]);
  return {factor * Vector3{1 + h * w[0] * w[0], h * w[0] * w[1], w[0]},
          factor * Vector3{h * w[0] * w[1], 1 + h * w[1] * w[1], w[1]}, factor * Vector3{w[0], w[1], w[2]}};
}

struct ConePoint {
  DirectPoint& point;
  bool is_frictionless = false;  // x = (0, 0, p_n), s = (0, 0, u_n)
  double friction = 1;
  double slip = 0;  // φ
  Vector3 x{}, s{}, dx{}, ds{};
  Vector3 miss{};  // s of the velocities, minus s
  // P with P² x = s, its inverse, P⁻², and λ = P x = P⁻¹ s
  Matrix3 scaling{}, inverse{}, weight{};
  Vector3 lambda{};

  explicit ConePoint(DirectPoint& of) : point(of), is_frictionless(of.friction < min_friction) {
    if (!is_frictionless) friction = std::min(of.friction, max_friction);
  }

  Vector3 into_cone(const Vector3& u) const {
    return is_frictionless ? Vector3{0, 0, u[2]} : Vector3{u[0], u[1], u[2] / friction};
  }
  double mass() const { return 1 / point.inverse_mass; }

  void scale() {
    const double of_x = std::max(determinant(x), min_determinant), of_s = std::max(determinant(s), min_determinant);
    const Vector3 unit_x = 1 / std::sqrt(of_x) * x, unit_s = 1 / std::sqrt(of_s) * s;
    const double f = 1 / (2 * std::sqrt((1 + dot(unit_x, unit_s)) / 2)), size = std::sqrt(std::sqrt(of_s / of_x));
    const Vector3 w = {f * (unit_s[0] - unit_x[0]), f * (unit_s[1] - unit_x[1]), f * (unit_s[2] + unit_x[2])};
    scaling = boost(size, w);
    inverse = boost(1 / size, {-w[0], -w[1], w[2]});
    weight = inverse * inverse;
    lambda = scaling * x;
  }

  // Sets the impulse to x.
  void take() {
    const Vector3 now = into_cone(x);
    point.change = now - point.impulse;
    point.impulse = now;
  }
};

class InteriorPoint {
 public:
  explicit InteriorPoint(DirectIsland& island) : island_(island) {
    for (DirectPoint& p : island.points) cones_.emplace_back(p);
    for (const DirectRow& row : island.rows) weights_.push_back(row.weight);
  }

  bool run() {
    std::vector<double> centre;
    for (const DirectRow& row : island_.rows) centre.push_back(row.initial_impulse);
    if (!run_from(centre)) return false;
    // The first impulses of rows are changes by all of the load.
    if (!centre.empty() && std::ranges::count(centre, 0.0) == std::ssize(centre)) {
      for (std::size_t i = 0; i < centre.size(); ++i) centre[i] = island_.rows[i].impulse;
      frozen_ = -1;
      if (!run_from(centre)) return false;
    }
    drop_vanishing();
    return true;
  }

 private:
  static double softness(const DirectRow& row) { return 1 / (SceneThresholds::direct_joint_weight * row.mass); }

  // Adds, or takes away, a compliance against changes of the impulses.
  void soften(const std::vector<double>& centre, double sign) {
    for (std::size_t i = 0; i < centre.size(); ++i) {
      DirectRow& row = island_.rows[i];
      row.compliance += sign * softness(row);
      row.target += sign * softness(row) * centre[i];
    }
  }

  // Without softness a joint and contacts could press against each other by any amount, and the barrier would let them.
  bool run_from(const std::vector<double>& centre) {
    soften(centre, 1);
    const bool is_solved = iterate();
    soften(centre, -1);
    return is_solved;
  }

  bool iterate() {
    begin();
    const double enough = tolerance();
    for (int i = 0;; ++i) {
      double worst = measure(i);
      const auto is_solved = [&] { return worst < enough && barrier_ < 0.1 * enough * mean_; };
      if (is_solved() && i < max_iterations && set_slips_again(enough)) worst = measure(i);
      if (!(worst < 1e30) || !(barrier_ < 1e30)) return false;
      if (is_solved()) break;
      if (i == max_iterations) {
        if (worst > max_tolerance || barrier_ > max_tolerance * mean_) return false;
        break;
      }
      if (!take_step(enough, worst)) return false;
    }
    return true;
  }

  Vector3 excess(const DirectPoint& p) const { return island_.velocity_of(p, island_.velocity) - p.target; }

  void begin() {
    double sum = 0, loaded = 0;
    for (const DirectPoint& p : island_.points)
      if (p.impulse[2] > 0) {
        sum += p.impulse[2] * p.inverse_mass;
        ++loaded;
      }
    mean_ = std::max(loaded > 0 ? sum / loaded : 0, 0.25 * island_.weight_speed);
    if (!(mean_ > 0)) mean_ = 1;
    speed_ = island_.weight_speed;
    for (const DirectPoint& p : island_.points) speed_ = std::max(speed_, std::min(0.05, -excess(p)[2]));
    if (!(speed_ > 0)) speed_ = min_tolerance;
    barrier_ = mean_ * speed_;
    for (ConePoint& c : cones_) {
      const Vector3 p = c.point.impulse;
      c.x = {c.is_frictionless ? 0 : p[0], c.is_frictionless ? 0 : p[1],
             std::max(c.friction * p[2], min_impulse * c.friction * mean_ * c.mass())};
      c.x = with_friction_within(share_of_cone * c.x[2], c.x);
      c.s = partner(c.x, barrier_ * c.mass());
      c.take();
    }
    island_.apply_changes();
    // Contacts that separate start with their velocity, and almost no impulse.
    for (ConePoint& c : cones_) {
      const Vector3 u = c.into_cone(excess(c.point));
      const double slip = tangential_length(u), normal = c.is_frictionless ? u[2] : u[2] + slip;
      if (c.x[2] > 1.5 * min_impulse * c.friction * mean_ * c.mass() || normal < 2 * c.s[2]) continue;
      const double f = slip > share_of_cone * normal ? share_of_cone * normal / slip : 1;
      c.s = {f * u[0], f * u[1], normal};
      c.x = partner(c.s, barrier_ * c.mass());
    }
    for (ConePoint& c : cones_) c.take();
    island_.apply_changes();
    begin_rows();
  }

  // Calls f(distance from the bound, slack, change of the slack, sign) for the bounds of a row in the iteration: its
  // impulse is `distance` from the bound in the direction `sign`.
  template <class F>
  static void each_bound(DirectRow& row, const F& f) {
    if (!row.is_held) return;
    if (std::isfinite(row.least)) f(row.impulse - row.least, row.min_slack, row.min_change, 1.0);
    if (std::isfinite(row.largest)) f(row.largest - row.impulse, row.max_slack, row.max_change, -1.0);
  }

  // Impulses begin within their bounds. A row without a range between its bounds takes no part.
  void begin_rows() {
    for (DirectRow& row : island_.rows) {
      const double range = row.largest - row.least,
                   distance = std::min(row_distance * mean_ * row.mass, share_of_range * range);
      row.min_slack = row.max_slack = row.min_change = row.max_change = row.barrier_velocity = 0;
      row.is_held = range > 0;
      const double next = std::min(std::max(row.impulse, row.least + distance), row.largest - distance);
      row.change = has_bound(row) ? next - row.impulse : 0;
      row.impulse += row.change;
      each_bound(row, [&](double from, double& slack, double&, double) { slack = barrier_ * row.mass / from; });
    }
    island_.apply_row_changes();
  }

  double tolerance() const {
    double square = 0, mass = 0;
    for (std::size_t i = 0; i < island_.movable; ++i) {
      const DirectBody& body = island_.bodies[i];
      const Twist& t = island_.before[i];
      square += body.mass * dot(t.velocity, t.velocity) + dot(t.angular_velocity, body.inertia * t.angular_velocity);
      mass += body.mass;
    }
    return std::max(min_tolerance, std::min(max_tolerance, tolerance_of_speed * std::sqrt(square / mass)));
  }

  // Sets φ and the misses. Returns the max. miss [m/s].
  double measure(int iteration) {
    if (frozen_ >= 0)
      ++frozen_;
    else if (iteration >= iterations_with_slip && (island_.movable <= large_island || barrier_ < late_barrier * mean_))
      frozen_ = 0;
    double worst = 0, separation = 0;
    for (ConePoint& c : cones_) {
      Vector3 s = c.into_cone(excess(c.point));
      if (frozen_ < 0)
        c.slip = tangential_length(s);
      else if (frozen_ < averaged_iterations)
        c.slip = (c.slip + tangential_length(s)) / 2;
      s[2] += c.slip;
      c.miss = s - c.s;
      const double miss = std::abs(c.miss[0]) + std::abs(c.miss[1]) + c.friction * std::abs(c.miss[2]);
      if (!(miss <= worst)) worst = miss;
      separation += dot(c.x, c.s) / c.mass();
    }
    auto count = static_cast<double>(cones_.size());
    for (DirectRow& row : island_.rows) {
      if (!row.is_held) continue;
      const double miss = std::abs(island_.miss_of(row) - row.min_slack + row.max_slack);
      if (!(miss <= worst)) worst = miss;
      each_bound(row, [&](double from, double& slack, double&, double) {
        separation += from * slack / row.mass;
        ++count;
      });
    }
    barrier_ = separation / count;
    return worst;
  }

  bool factor() {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      double compliance = 1 / weights_[i] + softness(island_.rows[i]);
      each_bound(island_.rows[i], [&](double from, double& slack, double&, double) { compliance += slack / from; });
      island_.rows[i].weight = 1 / compliance;
    }
    island_.begin_matrix();
    for (ConePoint& c : cones_) {
      c.scale();
      const Vector3 scale = {c.is_frictionless ? 0.0 : 1.0, c.is_frictionless ? 0.0 : 1.0, 1 / c.friction};
      Matrix3 weight = c.weight;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) weight[i][j] *= scale[i] * scale[j];
      island_.add(c.point, weight);
    }
    return island_.matrix.factor();
  }

  // Sets φ to the slips if contacts approach because they slip less than at the time that φ was frozen. Returns false
  // if none does.
  bool set_slips_again(double enough) {
    if (frozen_ < 0 || !(island_.violation() > max_approach * enough)) return false;
    for (ConePoint& c : cones_) {
      if (c.is_frictionless) continue;
      const double slip = tangential_length(excess(c.point));
      c.s[2] += std::max(slip - c.slip, 0.0);
      c.slip = slip;
    }
    return true;
  }

  // The step with dx + P⁻² ds = right of every cone, and ds = J δ + miss; with `barrier` for the bounds of rows.
  // Returns δ.
  Twists find_step(const std::vector<Vector3>& right, double barrier) {
    std::vector<double> wrench = island_.right_hand_side();
    for (DirectRow& row : island_.rows) {
      row.barrier_velocity = 0;
      each_bound(row, [&](double from, double&, double&, double sign) {
        row.barrier_velocity += sign * barrier * row.mass / from;
      });
    }
    for (std::size_t i = 0; i < cones_.size(); ++i) {
      ConePoint& c = cones_[i];
      c.dx = right[i] - c.weight * c.miss;
      island_.add(c.point, c.into_cone(c.dx), wrench);
    }
    island_.add_rows(wrench);
    Twists change = island_.solve(wrench);
    island_.find_row_changes(change);
    for (DirectRow& row : island_.rows)
      each_bound(row, [&](double from, double& slack, double& slack_change, double sign) {
        slack_change = (barrier * row.mass - slack * sign * row.change) / from - slack;
      });
    for (ConePoint& c : cones_) {
      const Vector3 j = c.into_cone(island_.velocity_of(c.point, change));
      c.dx = c.dx - c.weight * j;
      c.ds = j + c.miss;
      if (c.is_frictionless) c.dx[0] = c.dx[1] = c.ds[0] = c.ds[1] = 0;
    }
    return change;
  }

  double longest_step_of_all() {
    double longest = 1;
    const auto limit = [&](double x, double change) {
      if (change < 0) longest = std::min(longest, -x / change);
    };
    for (DirectRow& row : island_.rows)
      each_bound(row, [&](double from, double& slack, double& slack_change, double sign) {
        limit(from, sign * row.change);
        limit(slack, slack_change);
      });
    for (const ConePoint& c : cones_) longest = std::min({longest, longest_step(c.x, c.dx), longest_step(c.s, c.ds)});
    return longest;
  }

  bool take_step(double enough, double worst) {
    if (!factor()) return false;
    ++island_.solves;
    std::vector<Vector3> right;
    for (const ConePoint& c : cones_) right.push_back(-1.0 * c.x);
    find_step(right, 0);
    const double rest = 1 - longest_step_of_all();
    // The barrier does not fall below a share of the misses. Otherwise the slip term would stop the iteration.
    const double least = std::max(0.05 * enough * mean_, std::min(0.3 * barrier_, 1e-3 * worst * mean_));
    const double barrier = std::max(std::max(1e-4, rest * rest * rest) * barrier_, least);
    for (std::size_t i = 0; i < cones_.size(); ++i) {
      const ConePoint& c = cones_[i];
      const Vector3 second = jordan_product(c.scaling * c.dx, c.inverse * c.ds);
      const Vector3 of_scaled = Vector3{0, 0, barrier * c.mass()} - jordan_product(c.lambda, c.lambda) - second;
      right[i] = c.inverse * jordan_quotient(c.lambda, of_scaled);
    }
    const Twists change = find_step(right, barrier);
    const double step = std::min(1.0, share_of_step * longest_step_of_all());
    for (ConePoint& c : cones_) {
      c.x = c.x + step * c.dx;
      c.s = c.s + step * c.ds;
      c.take();
    }
    for (DirectRow& row : island_.rows)
      each_bound(row, [&](double, double& slack, double& slack_change, double) { slack += step * slack_change; });
    island_.take_row_changes(step);
    for (std::size_t i = 0; i < island_.movable; ++i) island_.velocity[i] = island_.velocity[i] + step * change[i];
    return true;
  }

  // Removes the impulses of contacts that separate.
  void drop_vanishing() {
    for (ConePoint& c : cones_) {
      // With a friction coefficient above 1 friction may be the larger part of the impulse.
      const double size = c.x[2] * std::max(1.0, 1 / c.friction);
      const bool vanishes = size < vanishing_share * c.mass() * excess(c.point)[2];
      c.point.change = vanishes ? -1.0 * c.point.impulse : Vector3{};
      if (vanishes) c.point.impulse = {};
    }
    island_.apply_changes();
    // Impulses of rows go to the bound from which their row separates.
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      DirectRow& row = island_.rows[i];
      row.change = row.barrier_velocity = 0;
      row.weight = weights_[i];
      each_bound(row, [&](double from, double& slack, double&, double sign) {
        const double share = from / (row.mass * mean_);
        if (share < slack / speed_ && share < vanishing_share) row.change = -sign * from;
      });
      row.impulse += row.change;
    }
    island_.apply_row_changes();
  }

  DirectIsland& island_;
  std::vector<ConePoint> cones_;
  std::vector<double> weights_;  // of rows
  double mean_ = 0;              // [m/s] mean impulse of the loaded contacts, over their masses
  double speed_ = 0;             // [m/s] max. approach
  double barrier_ = 0;           // [m²/s²] mean x·s, over the masses
  int frozen_ = -1;              // iterations since φ was frozen
};

}  // namespace

bool solve_by_interior_point(DirectIsland& island) {
  return InteriorPoint(island).run();
}

}  // namespace carom::reference
