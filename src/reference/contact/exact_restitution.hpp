// The laws of restitution for the exact reference, on one account.
//
//   Wc, Wd      work of the normal force in all compressions, all decompressions
//   Pc, Pd      its impulse
//   energetic   Wd = -e² Wc      (Stronge)
//   kinetic     Pd = e Pc        (Poisson)
//   kinematic   u_z = -e u0_z    (Newton)
//
// The collision ends as soon as this holds while u_z >= 0.
#pragma once

#include <algorithm>
#include <carom/laws.hpp>
#include <cmath>
#include <cstdint>
#include <limits>

#include "exact_sliding.hpp"

namespace carom::reference {

// Sums up the phases that are over. Work and impulse of the running one are in the Slip.
class Account {
 public:
  Account(RestitutionLaw law, double restitution, double u0z) : law_(law), e_(restitution), u0z_(u0z) {}

  bool compressing() const { return compressing_; }
  std::uint8_t compressions() const { return compressions_; }
  std::uint8_t decompressions() const { return decompressions_; }

  double impulse(const Slip& slip) const { return pc_ + pd_ + slip.s; }
  double work_compression(const Slip& slip) const { return compressing_ ? wc_ + slip.work : wc_; }
  double work_decompression(const Slip& slip) const { return compressing_ ? wd_ : wd_ + slip.work; }

  // u_z is 0. The next phase begins there, so that no rounding of this one reaches into it.
  void change_phase(Slip& slip) {
    (compressing_ ? wc_ : wd_) += slip.work;
    (compressing_ ? pc_ : pd_) += slip.s;
    slip.work = slip.s = slip.uz = 0;
    compressing_ = !compressing_;
    std::uint8_t& phases = compressing_ ? compressions_ : decompressions_;
    if (phases < 3) ++phases;
  }

  // From s to p_z.
  void convert(double normal_per_s, Slip& slip) {
    for (double* sum : {&wc_, &wd_, &pc_, &pd_, &slip.s, &slip.work}) *sum *= normal_per_s;
  }

  // In decompression: below 0 until the collision ends. The root of the work, since that begins like the square of τ.
  Watched balance(const Slip& slip, double rise) const {
    if (law_ == RestitutionLaw::kinetic) return {pd_ + slip.s - e_ * pc_, slip.r};
    if (law_ == RestitutionLaw::kinematic) return {slip.uz + e_ * u0z_, slip.r * rise};
    const double root = std::sqrt(std::max(wd_ + slip.work, 0.0));
    const double slope = root > 0 ? slip.uz * slip.r / (2 * root) : slip.r * std::sqrt(std::max(0.5 * rise, 0.0));
    return {root - e_ * std::sqrt(std::max(-wc_, 0.0)), slope};
  }
  bool is_over(const Slip& slip) const { return !compressing_ && balance(slip, 0).value >= 0; }

  // u_z at the end of the collision, by the restitution law: steps end there only up to rounding errors.
  double last_uz(const Slip& slip) const {
    return law_ == RestitutionLaw::kinematic ? -e_ * u0z_ : std::max(slip.uz, 0.0);
  }

  // End of the collision if the slope of u_z stays constant.
  struct End {
    double s = std::numeric_limits<double>::infinity();  // from here to there
    double uz = 0;
  };
  End end(const Slip& slip, double rise) const {
    if (compressing_) return {};
    if (law_ == RestitutionLaw::kinetic) {
      const double s = std::max(e_ * pc_ - pd_ - slip.s, 0.0);
      return {s, slip.uz + rise * s};
    }
    if (law_ == RestitutionLaw::kinematic) {
      const double uz = -e_ * u0z_;
      if (slip.uz >= uz) return {0, slip.uz};
      return rise > 0 ? End{(uz - slip.uz) / rise, uz} : End{};
    }
    const double work = -e_ * e_ * wc_ - wd_ - slip.work;
    if (!(work > 0)) return {0, slip.uz};
    const double square = slip.uz * slip.uz + 2 * rise * work;
    return square > 0 ? End{2 * work / (slip.uz + std::sqrt(square)), std::sqrt(square)} : End{};
  }

  // In decompression: distance to the end of the collision, relative to the result of compression.
  double distance_to_end(const Slip& slip) const {
    if (law_ == RestitutionLaw::kinetic) return relative(balance(slip, 0).value, pc_);
    if (law_ == RestitutionLaw::kinematic) return relative(balance(slip, 0).value, u0z_);
    return relative(wd_ + slip.work + e_ * e_ * wc_, wc_);
  }

 private:
  static double relative(double value, double whole) {
    return std::abs(value) / std::max(std::abs(whole), std::numeric_limits<double>::min());
  }

  RestitutionLaw law_;
  double e_, u0z_;
  double wc_ = 0, wd_ = 0, pc_ = 0, pd_ = 0;
  bool compressing_ = true;
  std::uint8_t compressions_ = 1, decompressions_ = 0;
};

}  // namespace carom::reference
