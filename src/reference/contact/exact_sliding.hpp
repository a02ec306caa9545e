// Sliding in slip time for the exact reference: the field, one step of collocation, and events in a step.
//
// Collocation at Gauss' nodes: E. Hairer, S. P. Nørsett, G. Wanner, Solving Ordinary Differential Equations I, II.7.
//
//   M, k           the blocks K[0:2, 0:2] and (K13, K23)
//   r, û           slip |u_t| and its direction, at the angle θ; ê = û turned by +90°
//   s              max(1, μ) p_z, so that infinite friction (p_z stands still, p_t moves on) is no exception
//   τ              slip time, ds = r dτ
//   ft, fn         friction and normal force per unit of s: (μ, 1) or (1, 1/μ)
//   a = fn k - ft M û       du_t/ds
//   dθ/dτ = ê·a,   d(ln r)/dτ = û·a,   du_z/ds = fn K33 - ft k·û,   dp_t/ds = -ft û
//
// The rates depend only on û, so θ is the only unknown; the other quantities are integrals along it.
#pragma once

#include <carom/reference.hpp>

namespace carom::reference {

struct Direction {
  double x = 1, y = 0;  // unit
};

struct Slip;

class Sliding {
 public:
  /// friction > 0, may be infinite
  Sliding(const Matrix3& k, double friction);

  double normal() const { return fn_; }
  double tangential() const { return ft_; }
  /// dθ/dτ, 0 on a ray
  double turning(const Direction& d) const { return d.x * ay(d) - d.y * ax(d); }
  /// Its derivative by θ, below 0 where a ray attracts.
  double turning_slope(const Direction& d) const;
  /// d(ln r)/dτ = dr/ds
  double growth(const Direction& d) const { return d.x * ax(d) + d.y * ay(d); }
  /// du_z/ds
  double rise(const Direction& d) const { return zz_ - zx_ * d.x - zy_ * d.y; }
  /// Applies a tangential impulse that stops the slip perpendicular to d.
  void turn_to(const Direction& d, Slip& slip) const;
  /// Bounds |du_t/ds|. The rounding errors of all rates are a few units of it.
  double size() const { return size_; }

 private:
  double ax(const Direction& d) const { return kx_ - mxx_ * d.x - mxy_ * d.y; }
  double ay(const Direction& d) const { return ky_ - mxy_ * d.x - myy_ * d.y; }

  double ft_, fn_;
  double mxx_, mxy_, myy_;  // ft M
  double kx_, ky_;          // fn k
  double zx_, zy_, zz_;     // ft k, fn K33
  double size_;
};

/// State of a sliding contact. The sums start at the beginning of its phase, so that they have small relative errors.
struct Slip {
  Direction direction;
  double r = 0;
  double uz = 0;
  double px = 0, py = 0;  // tangential impulse, from the beginning of the collision
  double s = 0;           // of this phase
  double work = 0;        // integral of u_z ds in this phase
};

struct Step {
  Slip end;
  double turn = 0;   // by which θ has changed
  double min_r = 0;  // at the nodes
  double tail = 0;   // how much of the rates the nodes do not resolve
  bool converged = false;
};

/// `h` of slip time.
Step advance(const Sliding& sliding, const Slip& from, double h);

/// The largest tail at which the end of a step is exact to rounding. The defect of collocation is orthogonal to the
/// polynomials that the nodes resolve, so the error of the end is of the order of the tail's square.
inline constexpr double max_tail = 1e-7;

/// A quantity that is watched, and its derivative by τ.
struct Watched {
  double value = 0, slope = 0;
};

/// Returns an estimate, in (low, high) of slip times, of the zero of a watched quantity with opposite signs at both
/// ends: by Hermite's cubic of the inverse function, by Newton's method if that is not monotone, or by bisection.
double zero_between(double low, const Watched& at_low, double high, const Watched& at_high);

/// Returns true if the direction of slip is constant from here on, up to rounding. If the slip has reached a ray, turns
/// it onto the ray. `last_turning` is |dθ/dτ| before a step that was long enough for a ray to attract it, or infinity.
bool settle(const Sliding& sliding, Slip& slip, double last_turning);

}  // namespace carom::reference
