// The rows of a group as one impact: [CR] 6.5 treats a joint as a plastic collision without slip.
#pragma once

#include <algorithm>
#include <array>
#include <carom/scene.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/jobs/scene_job.hpp"
#include "core/scene/thresholds.hpp"
#include "scene/rows/read.hpp"

namespace carom::scene {

/// [J] Kinetic energy of a body from its record. Axes that cannot turn, and translation without an inverse mass, do not
/// count.
template <class T>
double kinetic_energy(const T* row) {
  double j[6], w[3], v2 = 0;
  for (int c = 0; c < 6; ++c) j[c] = static_cast<double>(row[1 + c]);
  for (int c = 0; c < 3; ++c) {
    v2 += static_cast<double>(row[7 + c]) * static_cast<double>(row[7 + c]);
    w[c] = static_cast<double>(row[10 + c]);
  }
  const double tiny = 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * (j[0] + j[3] + j[5]);
  const auto over = [&](double x, double pivot) { return pivot > tiny ? x / pivot : 0.0; };
  const double l21 = over(j[1], j[0]), l31 = over(j[2], j[0]), d2 = j[3] - l21 * j[1], off = j[4] - l21 * j[2];
  const double l32 = over(off, d2), d3 = j[5] - l31 * j[2] - l32 * off;
  const double y2 = w[1] - l21 * w[0], y3 = w[2] - l31 * w[0] - l32 * y2;
  const double linear = row[0] > T(0) ? v2 / static_cast<double>(row[0]) : 0;
  return 0.5 * (linear + over(w[0] * w[0], j[0]) + over(y2 * y2, d2) + over(y3 * y3, d3));
}

/// Reads the bodies as they are: core/jobs/body_record.hpp.
template <class T>
class JointBlock {
 public:
  JointBlock(const kernel::SceneJob<T>& job, const kernel::Constraint& group)
      : count_(group.count), body_{group.body_a, group.body_b} {
    const T* const records[2] = {kernel::record_of(job.body_rows, body_[0]),
                                 kernel::record_of(job.body_rows, body_[1])};
    const Body a = body_of(records[0]), b = body_of(records[1]);
    for (std::size_t r = 0; r < count_; ++r) {
      const std::size_t i = number_[r] = kernel::number_at(job.row_at, group.first + static_cast<std::uint32_t>(r));
      BlockRow& row = row_[r];
      read_joint_row(job.scene->joints, i, a, b, row);
      row.impulse = static_cast<double>(job.row_impulse[i]);
      row.good = job.row_status[i] == static_cast<std::uint8_t>(Status::ok);
      bounded_ = bounded_ || row.is_bounded();
    }
    for (std::size_t side = 0; side < 2; ++side) velocity_[side] = scene::velocity_of(records[side]);
  }

  /// The effect on row r of a unit impulse on row s, without the compliance.
  double response(std::size_t r, std::size_t s) const {
    double sum = 0;
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t c = 0; c < 6; ++c) sum += row_[r].side[side].of[c] * row_[s].side[side].response[c];
    return sum;
  }
  /// Finds why a row cannot be solved: no impulse moves it, or its response is out of range.
  Status fault(const kernel::SceneJob<T>& job, std::size_t r) const {
    const double own = response(r, r) + row_[r].compliance;
    if ((!(own > 0) && own == own) || (only_turns(r) && own <= rounding_of(job, r)))
      return Status::collision_matrix_not_positive_definite;
    const auto finite = [](double x) { return std::abs(x) <= static_cast<double>(std::numeric_limits<T>::max()); };
    return finite(own) && finite(1 / own) ? Status::ok : Status::overflow;
  }
  /// Index of the row in the scene.
  std::size_t number(std::size_t r) const { return number_[r]; }

  /// Applies the initial impulses of the rows to the bodies.
  void begin(const kernel::SceneJob<T>& job) {
    if (std::none_of(row_, row_ + count_, [](const BlockRow& row) { return row.impulse != 0; })) return;
    double before[kernel::rows_of_group];
    for (std::size_t r = 0; r < count_; ++r) before[r] = velocity_of(r);
    for (std::size_t r = 0; r < count_; ++r) change_velocity(r, row_[r].impulse);
    put_velocities(job);
    for (std::size_t r = 0; r < count_; ++r)
      job.row_work[number_[r]] = static_cast<T>(row_[r].impulse * (before[r] + velocity_of(r)) / 2);
  }

  /// Max residual of the rows. A row counts as 0 if a limit of its impulse keeps it from its target.
  T worst() const {
    double worst = 0;
    for (std::size_t r = 0; r < count_; ++r) {
      const BlockRow& row = row_[r];
      const double rest = rest_of(r);
      const bool held = (rest > 0 && row.impulse <= row.min_impulse) || (rest < 0 && row.impulse >= row.max_impulse);
      if (row.good && !held) worst = std::max(worst, std::abs(rest));
    }
    return static_cast<T>(worst);
  }

  /// Solves the rows for their targets: all at once without limits, else one after the other.
  void resolve(const kernel::SceneJob<T>& job) {
    double before[kernel::rows_of_group], begun[kernel::rows_of_group];
    for (std::size_t r = 0; r < count_; ++r) {
      before[r] = velocity_of(r);
      begun[r] = row_[r].impulse;
    }
    if (bounded_)
      for (std::size_t r = 0; r < count_; ++r) {
        const BlockRow& row = row_[r];
        if (!row.good) continue;
        const double next = row.impulse - rest_of(r) / (response(r, r) + row.compliance);
        push(r, std::clamp(next, row.min_impulse, row.max_impulse) - row.impulse);
      }
    else
      resolve_at_once();
    put_velocities(job);
    for (std::size_t r = 0; r < count_; ++r) {
      job.row_impulse[number_[r]] = static_cast<T>(row_[r].impulse);
      job.row_work[number_[r]] += static_cast<T>((row_[r].impulse - begun[r]) * (before[r] + velocity_of(r)) / 2);
    }
  }

 private:
  /// True for a row whose response is only Σ w·J w.
  bool only_turns(std::size_t r) const {
    double firm = row_[r].compliance;
    for (const Direction& of : row_[r].side)
      for (std::size_t c = 0; c < 3; ++c) firm += of.of[c] * of.response[c];
    return firm == 0;
  }
  /// Upper bound of the rounding error of Σ w·J w: a fraction of the sum of its absolute terms.
  double rounding_of(const kernel::SceneJob<T>& job, std::size_t r) const {
    double terms = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      Body body = body_of(kernel::record_of(job.body_rows, body_[side]));
      for (double& x : body.inverse_inertia) x = std::abs(x);
      const Twist& of = row_[r].side[side].of;
      const Direction turn = body.direction({}, {std::abs(of[3]), std::abs(of[4]), std::abs(of[5])});
      terms += dot(turn.of, turn.response);
    }
    return SceneThresholds::singular_row * static_cast<double>(std::numeric_limits<T>::epsilon()) * terms;
  }

  void put_velocities(const kernel::SceneJob<T>& job) const {
    for (std::size_t side = 0; side < 2; ++side) {
      T* const to = kernel::record_of(job.body_rows, body_[side]);
      if (body_[side] < 0 || !kernel::is_movable(to)) continue;
      for (std::size_t c = 0; c < 6; ++c) to[kernel::BodyRecord::velocity + c] = static_cast<T>(velocity_[side][c]);
    }
  }

  struct BlockRow : JointRow {
    double impulse;
    bool good;
  };

  /// `sum` plus J v. The order of the terms is a part of the golden bits.
  double add_velocity(double sum, std::size_t r) const {
    for (std::size_t side = 0; side < 2; ++side)
      for (std::size_t c = 0; c < 6; ++c) sum += row_[r].side[side].of[c] * velocity_[side][c];
    return sum;
  }
  double velocity_of(std::size_t r) const { return add_velocity(0, r); }
  double rest_of(std::size_t r) const { return add_velocity(row_[r].compliance * row_[r].impulse - row_[r].target, r); }
  void change_velocity(std::size_t r, double impulse) {
    for (std::size_t side = 0; side < 2; ++side) add(velocity_[side], impulse, row_[r].side[side].response);
  }
  void push(std::size_t r, double change) {
    row_[r].impulse += change;
    change_velocity(r, change);
  }

  /// Solves (J M⁻¹ Jᵀ + compliance) x = -rest by L D Lᵀ. Redundant rows have no pivot and get 0.
  void resolve_at_once() {
    double l[kernel::rows_of_group][kernel::rows_of_group] = {}, d[kernel::rows_of_group], x[kernel::rows_of_group];
    for (std::size_t r = 0; r < count_; ++r) {
      const double own = response(r, r) + row_[r].compliance;
      d[r] = own;
      x[r] = -rest_of(r);
      for (std::size_t s = 0; s < r; ++s) {
        double entry = response(r, s);
        for (std::size_t k = 0; k < s; ++k) entry -= l[r][k] * l[s][k] * d[k];
        l[r][s] = d[s] > 0 ? entry / d[s] : 0;
        d[r] -= l[r][s] * l[r][s] * d[s];
        x[r] -= l[r][s] * x[s];
      }
      if (!row_[r].good || !(d[r] > SceneThresholds::min_pivot * own)) d[r] = 0;
    }
    for (std::size_t r = count_; r-- > 0;) {
      x[r] = d[r] > 0 ? x[r] / d[r] : 0;
      for (std::size_t s = r + 1; s < count_; ++s) x[r] -= d[r] > 0 ? l[s][r] * x[s] : 0;
    }
    for (std::size_t r = 0; r < count_; ++r) push(r, x[r]);
  }

  std::size_t count_, number_[kernel::rows_of_group];
  std::int32_t body_[2];
  BlockRow row_[kernel::rows_of_group];
  std::array<Twist, 2> velocity_;
  bool bounded_ = false;
};

}  // namespace carom::scene
