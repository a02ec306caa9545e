// The exact reference: the collision of [R] without its Euler step. Sliding is integrated in slip time by collocation
// (exact_sliding.hpp). Phases and the end (exact_restitution.hpp) are found on the integral itself. Motion on a
// straight line is solved in closed form. The impulse is integrated along with the velocity, so no inverse of K is
// needed.
//
//   s           max(1, μ) p_z
//   r, û        slip |u_t| and its direction
//   M, k        the blocks K[0:2, 0:2] and (K13, K23)
//   q = M⁻¹ k   dp_t/dp_z = -q holds the contact    [R] 3.5
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "algorithm.hpp"
#include "exact_restitution.hpp"
#include "exact_sliding.hpp"
#include "vector.hpp"

namespace carom::reference {
namespace {

// A collision with friction, K and u0 of the order of 1.
class ExactRun {
 public:
  ExactRun(const Collision& c, RestitutionLaw law, std::int32_t step_budget)
      : c_(c),
        sliding_(c.k, c.friction),
        account_(law, c.restitution, c.u0[2]),
        speed_(std::hypot(c.u0[0], c.u0[1], c.u0[2])),
        budget_(step_budget) {
    slip_.r = std::hypot(c.u0[0], c.u0[1]);
    slip_.uz = c.u0[2];
    if (slip_.r > 0) slip_.direction = {c.u0[0] / slip_.r, c.u0[1] / slip_.r};
  }

  Outcome run() {
    see(std::abs(slip_.uz) / speed_);
    Outcome o;
    Finish finish = slide();
    o.steps = steps_;
    if (moved_) {
      o.path.compressions = account_.compressions();
      o.path.decompressions = account_.decompressions();
    }
    account_.convert(sliding_.normal(), slip_);
    if (finish == Finish::end) {
      o.path.sliding_end = SlidingEnd::slide_end;
      see(slip_.r / speed_);
    } else if (finish == Finish::rest) {
      finish = stick(o.path);
    }
    o.ended = finish == Finish::end;
    o.u = {slip_.r * slip_.direction.x, slip_.r * slip_.direction.y, slip_.uz};
    o.p = {slip_.px, slip_.py, account_.impulse(slip_)};
    o.work_compression = account_.work_compression(slip_);
    o.work_decompression = account_.work_decompression(slip_);
    o.boundary_distance = boundary_;
    return o;
  }

 private:
  enum class Finish {
    end,   // of the collision
    rest,  // of the slip
    none,  // within the budget
  };

  void see(double distance) { boundary_ = std::min(boundary_, distance); }

  void change_phase() {
    if (!account_.compressing()) see(account_.distance_to_end(slip_));
    account_.change_phase(slip_);
  }

  // u_z turns from rising to falling or back at the two angles where fn K33 = ft k·û. θ is monotone, so they are met in
  // the order of their distance along its way.
  void find_crests() {
    const double kx = c_.k[0][2], ky = c_.k[1][2];
    const double cosine = sliding_.normal() * c_.k[2][2] / (sliding_.tangential() * std::hypot(kx, ky));
    if (!(cosine < 1)) return;
    const double way = sliding_.turning(slip_.direction) < 0 ? -1 : 1;
    const double apart = std::atan2(ky, kx) - std::atan2(slip_.direction.y, slip_.direction.x);
    const auto distance = [&](double side) {
      const double angle = std::fmod(way * (apart + side * std::acos(cosine)), 2 * std::numbers::pi);
      return angle < 0 ? angle + 2 * std::numbers::pi : angle;
    };
    crests_ = {distance(-1), distance(1)};
    std::sort(crests_.begin(), crests_.end());
  }

  // Shortens a step from slip_ to where `watch` is 0. False if the budget does not suffice, or the step fails.
  template <class Watch>
  bool cut(Step& step, double& h, Watch&& watch) {
    // Newton's correction squares from here on: one more is exact to rounding.
    constexpr double close = 1e-8;
    double low = 0, high = h;
    Watched at_low = watch(Step{slip_}), at_high = watch(step);
    if (at_high.value == 0) return true;
    h = zero_between(low, at_low, high, at_high);
    double last_correction = infinity;
    for (bool last = false;;) {
      if (steps_ == budget_) return false;
      step = advance(sliding_, slip_, h);
      ++steps_;
      if (!step.converged) return false;
      const Watched found = watch(step);
      const double correction = found.value / found.slope;
      if (last || found.value == 0 || std::abs(correction) <= 2 * epsilon * h) return true;
      const bool before = (found.value < 0) == (at_low.value < 0);
      (before ? low : high) = h;
      (before ? at_low : at_high) = found;
      if (high - low <= 2 * epsilon * high) return true;
      const bool converging = std::abs(correction) <= 0.5 * last_correction;
      last_correction = std::abs(correction);
      last = last_correction <= close * h;
      h = last ? h - correction : converging ? zero_between(low, at_low, high, at_high) : 0.5 * (low + high);
    }
  }

  double rise(const Slip& slip) const { return sliding_.rise(slip.direction); }

  // Takes a step of at most next_h that is resolved, and sets next_h for the next step.
  bool take_step(Step& step, double& h, double& next_h) {
    while (steps_ < budget_) {
      // The iteration of a longer step fails or is slow.
      h = std::min(next_h, 4 / std::abs(sliding_.turning_slope(slip_.direction)));
      step = advance(sliding_, slip_, h);
      ++steps_;
      // The tail grows with the power of h that the nodes do not resolve.
      const double factor = step.converged ? 0.9 * std::pow(max_tail / step.tail, 1.0 / 12) : 0.5;
      next_h = h * std::clamp(factor, 0.2, 4.0);
      if (step.converged && step.tail <= max_tail) return true;
    }
    return false;
  }

  Finish slide() {
    // Such a small slip is lost in the rounding of u0 and of M⁻¹ u0, in any direction.
    constexpr double min_slip = 0x1p-90;
    if (slip_.r <= min_slip) return Finish::rest;
    find_crests();
    std::size_t next_crest = 0;
    double turned = 0, last_turning = infinity;
    double next_h = std::min(1.5 / sliding_.size(), 1e100);
    while (slip_.r > min_slip) {
      if (settle(sliding_, slip_, last_turning)) return follow_ray();
      Step step;
      double h = 0;
      if (!take_step(step, h, next_h)) return Finish::none;

      // Cuts the step at the crest of u_z, at its zero and at the end, in this order. Each of these is monotone in the
      // step left by the cut before.
      enum { step_end, crest, zero, end } reached = step_end;
      bool found = true;
      if (next_crest < crests_.size() && turned + std::abs(step.turn) >= crests_[next_crest]) {
        const double left = crests_[next_crest] - turned;
        found = cut(step, h, [&](const Step& s) {
          return Watched{std::abs(s.turn) - left, std::abs(sliding_.turning(s.end.direction))};
        });
        reached = crest;
      }
      if (found && (step.end.uz < 0) != account_.compressing()) {
        if (slip_.uz == 0) {
          // It leaves 0 to the side that it came from.
          change_phase();
          continue;
        }
        found = cut(step, h, [&](const Step& s) { return Watched{s.end.uz, s.end.r * rise(s.end)}; });
        reached = zero;
      }
      if (found && account_.is_over(step.end)) {
        found = cut(step, h, [&](const Step& s) { return account_.balance(s.end, rise(s.end)); });
        reached = end;
      }
      if (!found) {
        next_h = 0.5 * h;
        continue;
      }

      if (sliding_.growth(slip_.direction) < 0 && sliding_.growth(step.end.direction) >= 0) see(step.min_r / speed_);
      turned += std::abs(step.turn);
      const bool attracts = -sliding_.turning_slope(slip_.direction) * h >= 1;
      last_turning = attracts ? std::abs(sliding_.turning(slip_.direction)) : infinity;
      slip_ = step.end;
      moved_ = true;
      if (reached == crest) {
        ++next_crest;
        see(std::abs(slip_.uz) / speed_);
      }
      if (reached == zero) change_phase();
      if (reached == end) slip_.uz = account_.last_uz(slip_);
      if (reached == end || (reached == zero && account_.is_over(slip_))) return Finish::end;
    }
    return Finish::rest;
  }

  // The rest of the slide once it keeps its direction.
  Finish follow_ray() {
    moved_ = true;
    const Direction& d = slip_.direction;
    const double growth = sliding_.growth(d);
    const double until_rest = growth < 0 ? -slip_.r / growth : infinity;
    double covered = 0;
    const Finish finish = run_straight(sliding_.rise(d), until_rest, covered);
    slip_.r = finish == Finish::rest ? 0 : slip_.r + growth * covered;
    slip_.px -= sliding_.tangential() * covered * d.x;
    slip_.py -= sliding_.tangential() * covered * d.y;
    return finish;
  }

  // While u_z keeps its rise: until the end of the collision, or over `limit` of s.
  Finish run_straight(double rise, double limit, double& covered) {
    for (;;) {
      const bool towards_zero = account_.compressing() ? rise > 0 : rise < 0;
      const double to_zero = towards_zero ? -slip_.uz / rise : infinity;
      const Account::End end = account_.end(slip_, rise);
      const double s = std::min({to_zero, end.s, limit - covered});
      if (!(s < infinity)) return Finish::none;
      covered += s;
      slip_.work += s * (slip_.uz + 0.5 * rise * s);
      slip_.s += s;
      slip_.uz += rise * s;
      if (s == end.s) {
        slip_.uz = end.uz;
        return Finish::end;
      }
      if (s != to_zero) return Finish::rest;
      change_phase();
    }
  }

  Finish stick(Path& path) {
    path.sliding_end = !moved_                  ? SlidingEnd::stick_at_start
                       : account_.compressing() ? SlidingEnd::stick_in_c
                                                : SlidingEnd::stick_in_d;
    if (moved_) see(std::abs(slip_.uz) / speed_);
    if (!account_.compressing()) see(account_.distance_to_end(slip_));
    slip_.r = 0;

    // By elimination, which leaves M q - k small even where M is nearly singular; the last pivot of K is K33 - k·q.
    using Wide = long double;
    const Wide kxx = c_.k[0][0], kxy = c_.k[0][1], kyy = c_.k[1][1], kx = c_.k[0][2], ky = c_.k[1][2];
    const Wide factor = kxy / kxx, pivot = kyy - factor * kxy, left = ky - factor * kx;
    const Wide qy = left / pivot, qx = (kx - kxy * qy) / kxx;
    const auto rise_at_rest = static_cast<double>(c_.k[2][2] - kx * kx / kxx - left * qy);
    const auto q = static_cast<double>(std::hypot(qx, qy));
    if (std::isfinite(c_.friction)) see(q == c_.friction ? 0 : std::abs(q - c_.friction) / std::max(q, c_.friction));

    double pz = 0;
    if (q <= c_.friction) {
      path.sticking = Sticking::stable;
      const Finish finish = run_straight(rise_at_rest, infinity, pz);
      slip_.px -= static_cast<double>(qx) * pz;
      slip_.py -= static_cast<double>(qy) * pz;
      return finish;
    }
    path.sticking = Sticking::diverge;
    const double angle = diverging_ray(c_.k, c_.friction);
    slip_.direction = {std::cos(angle), std::sin(angle)};
    settle(sliding_, slip_, infinity);
    const Direction& d = slip_.direction;
    const Finish finish = run_straight(sliding_.rise(d) / sliding_.normal(), infinity, pz);
    slip_.r = std::max(sliding_.growth(d) / sliding_.normal(), 0.0) * pz;
    slip_.px -= c_.friction * pz * d.x;
    slip_.py -= c_.friction * pz * d.y;
    return finish;
  }

  const Collision& c_;
  Sliding sliding_;
  Account account_;
  double speed_;
  std::int32_t budget_;
  std::int32_t steps_ = 0;
  Slip slip_;
  bool moved_ = false;
  std::array<double, 2> crests_{infinity, infinity};  // [rad] from the first direction
  double boundary_ = infinity;
};

// Without friction the slip changes along a straight line, and all laws agree.
Outcome frictionless(const Collision& c) {
  Outcome o;
  const Vector3 column{c.k[0][2], c.k[1][2], c.k[2][2]};
  const double pz = -(1 + c.restitution) * c.u0[2] / c.k[2][2];
  o.p = {0, 0, pz};
  o.u = c.u0 + pz * column;
  o.u[2] = -c.restitution * c.u0[2];
  o.work_compression = -0.5 * c.u0[2] * c.u0[2] / c.k[2][2];
  o.work_decompression = -c.restitution * c.restitution * o.work_compression;

  // A slip that passes through 0 to the last bit rests there for an instant.
  const double speed = std::hypot(c.u0[0], c.u0[1], c.u0[2]);
  const double r = std::hypot(c.u0[0], c.u0[1]), k = std::hypot(column[0], column[1]);
  const double aside = std::abs(c.u0[0] * column[1] - c.u0[1] * column[0]);
  const double towards = -(c.u0[0] * column[0] + c.u0[1] * column[1]);
  const double nearest_pz = towards > 0 ? towards / (k * k) : 0;
  const bool rests = r == 0 || (towards > 0 && aside == 0 && nearest_pz < pz);
  const double uz_there = c.u0[2] + c.k[2][2] * nearest_pz;
  o.path.sliding_end = !rests         ? SlidingEnd::slide_end
                       : r == 0       ? SlidingEnd::stick_at_start
                       : uz_there < 0 ? SlidingEnd::stick_in_c
                                      : SlidingEnd::stick_in_d;
  if (rests) o.path.sticking = k > 0 ? Sticking::diverge : Sticking::stable;
  o.path.compressions = r > 0 ? 1 : 0;
  o.path.decompressions =
      o.path.sliding_end == SlidingEnd::slide_end || o.path.sliding_end == SlidingEnd::stick_in_d ? 1 : 0;
  const double nearest = nearest_pz < pz ? (towards > 0 ? aside / k : r) : infinity;
  o.boundary_distance = std::min({std::abs(c.u0[2]), nearest, std::hypot(o.u[0], o.u[1])}) / speed;
  return o;
}

}  // namespace

Outcome resolve_exact(const Collision& collision, RestitutionLaw law, std::int32_t step_budget,
                      bool with_boundary_distance) {
  const Units units(collision);
  const Collision c = units.to_units(collision);
  Outcome o;
  o.ended = false;
  if (!Cholesky::of(c.k)) return o;
  o = c.friction > 0 ? ExactRun(c, law, step_budget).run() : frictionless(c);
  if (!with_boundary_distance) o.boundary_distance = infinity;
  units.from_units(o);
  return o;
}

}  // namespace carom::reference
