// Numbers that scenes of the prober should not have: next to the range of the precision, and faults with their status.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "probe/scene_drawing.hpp"

namespace carom::probe {

template <class T>
class SceneSpoiler : SceneDrawing<T> {
  using Base = SceneDrawing<T>;
  using Base::chance, Base::data, Base::draw_, Base::moves, Base::scene_;

 public:
  using Base::Base;

  void leave_range() {
    auto& d = data();
    const std::size_t body = draw_.below(d.body_count()), c = draw_.below(3), n = d.contact_count();
    const std::size_t i = n > 0 ? draw_.below(n) : 0;
    const auto positive = [&] { return std::abs(beyond()); };
    const std::size_t what = draw_.below(15);
    if (what == 0) d.bodies.velocity[c][body] = beyond();
    if (what == 1) d.bodies.angular_velocity[c][body] = beyond();
    if (what == 2 && moves(static_cast<std::int32_t>(body))) d.bodies.inverse_mass[body] = positive();
    if (what == 3) {
      const T x = positive();
      for (std::size_t k : {0u, 3u, 5u}) d.bodies.inverse_inertia[k][body] = x;
      for (std::size_t k : {1u, 2u, 4u}) d.bodies.inverse_inertia[k][body] = 0;
    }
    if (n > 0 && what == 4) d.r_a[c][i] = beyond();
    if (n > 0 && what == 5) d.friction[i] = positive();
    const auto fill = [&](auto& column) {
      if (column.empty()) column.assign(n, T(0));
    };
    if (n > 0 && what == 6) fill(d.target_velocity), d.target_velocity[i] = beyond();
    if (n > 0 && what == 7) fill(d.separation), d.separation[i] = beyond();
    if (n > 0 && what == 8) {
      for (auto& column : d.surface_velocity) fill(column);
      d.surface_velocity[c][i] = beyond();
    }
    if (n > 0 && what == 9) {
      for (auto& column : d.warm_impulse) fill(column);
      d.warm_impulse[c][i] = beyond();
    }
    if (what >= 10 && d.row_count() > 0) {
      auto& row = d.joints.rows[draw_.below(d.row_count())];
      if (what == 10) row.compliance = positive();
      if (what == 11) row.target_velocity = beyond();
      if (what == 12) (chance(2) ? row.linear_a : row.angular_b)[c] = beyond();
      if (what == 13) row.position_error = beyond();
      if (what == 14) (chance(2) ? row.frequency : row.damping_ratio) = positive();
    }
    if (!d.static_friction.empty())
      for (std::size_t k = 0; k < n; ++k) d.static_friction[k] = std::max(d.static_friction[k], d.friction[k]);
  }

  /// Gives some contacts and rows a fault of their own; a fault of a body applies to all its contacts and rows.
  void spoil() {
    auto& d = data();
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    for (std::size_t i = 0; i < d.contact_count(); ++i) {
      if (!chance(4)) continue;
      const auto fault = [&](Status status, auto&& spoil_it) {
        spoil_it();
        scene_.fault[i] = status;
      };
      switch (draw_.below(8)) {
        case 0:
          fault(Status::negative_friction, [&] { d.friction[i] = -1; });
          break;
        case 1:
          fault(Status::not_a_number, [&] { d.r_a[1][i] = nan; });
          break;
        case 2:
          fault(Status::infinite, [&] { d.r_b[2][i] = infinity; });
          break;
        case 3:
          fault(Status::normal_not_unit, [&] { d.normal[0][i] += std::copysign(T(2), d.normal[0][i]); });
          break;
        case 4:
          fault(Status::body_index_out_of_range, [&] { d.body_a[i] = std::numeric_limits<std::int32_t>::max(); });
          break;
        case 5:
          fault(Status::restitution_out_of_range,
                [&] { d.restitution[i] = static_cast<T>(2 * scene_.options.data.max_restitution); });
          break;
        case 6:
          fault(Status::both_immovable, [&] { d.body_a[i] = d.body_b[i] = scenes::world; });
          break;
        default:
          fault(Status::overflow, [&] { d.r_a[0][i] = d.r_b[0][i] = std::numeric_limits<T>::max(); });
      }
    }
    for (std::size_t i = 0; i < d.row_count(); ++i) {
      if (!chance(4)) continue;
      auto& row = d.joints.rows[i];
      const auto fault = [&](Status status, auto&& spoil_it) {
        spoil_it();
        scene_.row_fault[i] = status;
      };
      const bool in_substeps = scene_.procedure() == Procedure::substeps;
      switch (draw_.below(in_substeps ? 9 : 6)) {
        case 6:
          fault(Status::negative_frequency, [&] { row.frequency = -1; });
          break;
        case 7:
          fault(Status::negative_damping_ratio, [&] { row.damping_ratio = -1; });
          break;
        case 8:
          fault(Status::not_a_number, [&] { row.position_error = nan; });
          break;
        case 0:
          fault(Status::negative_compliance, [&] { row.compliance = -1; });
          break;
        case 1:
          fault(Status::not_a_number, [&] { row.target_velocity = nan; });
          break;
        case 2:
          fault(Status::infinite, [&] { row.min_impulse = row.max_impulse = infinity; });
          break;
        case 3:
          fault(Status::impulse_bounds_reversed, [&] { row.min_impulse = 2, row.max_impulse = 1; });
          break;
        case 4:
          fault(Status::collision_matrix_not_positive_definite, [&] {
            row.linear_a = row.angular_a = row.linear_b = row.angular_b = {};
            row.compliance = 0;
          });
          break;
        default:
          fault(Status::body_index_out_of_range, [&] { row.body_b = -2; });
      }
    }
  }

 private:
  T beyond() {
    constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
    const T sizes[] = {
        most, most / 8, std::sqrt(most), 1 / std::sqrt(most), least, std::numeric_limits<T>::denorm_min()};
    const T x = sizes[draw_.below(6)];
    return chance(4) ? -x : x;
  }
};

}  // namespace carom::probe
