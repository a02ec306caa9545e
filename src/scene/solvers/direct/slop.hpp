// The slop of contacts and joints: the overlap that position correction leaves. docs/scenes.md, Slop
#pragma once

#include <algorithm>
#include <array>
#include <carom/scene.hpp>
#include <cstdint>
#include <limits>

#include "core/jobs/body_record.hpp"
#include "core/jobs/scene_job.hpp"
#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "core/threads/thread_team.hpp"

namespace carom::scene {

using kernel::Constraint;

/// Bodies by index; negative indices are the world.
template <class T>
class Bodies {
 protected:
  explicit Bodies(const kernel::JobInput<T>& job) : job_(job) {}

  const T* record(std::int32_t body) const { return kernel::record_of(job_.body_rows, body); }
  bool moves(std::int32_t body) const { return body >= 0 && kernel::is_movable(record(body)); }
  T inverse_mass(std::int32_t body) const { return record(body)[kernel::BodyRecord::inverse_mass]; }
  std::array<double, 6> inverse_inertia(std::int32_t body) const {
    std::array<double, 6> j{};
    std::copy_n(record(body) + kernel::BodyRecord::inverse_inertia, 6, j.begin());
    return j;
  }

  const kernel::JobInput<T>& job_;
};

/// Squares of the overlaps that contacts and joints may keep: see Goal::slop_of_bodies.
template <class T>
class Slops : Bodies<T> {
 public:
  /// `size2`: memory for a number of every body.
  Slops(const kernel::JobInput<T>& job, const CallOptions& options, double* size2, ThreadTeam& team)
      : Bodies<T>(job), options_(options), size2_(size2) {
    if (options.substeps.position_correction.slop > 0) return;
    constexpr std::size_t at_once = 512;
    team.each(job.bodies, at_once, [&](std::size_t first, std::size_t end, std::size_t) {
      for (std::size_t i = first; i < end; ++i) size2[i] = size2_of(static_cast<std::int32_t>(i));
    });
  }

  /// [m²] of a joint.
  double square_of(const Constraint& of) const {
    if (options_.substeps.position_correction.slop > 0)
      return options_.substeps.position_correction.slop * options_.substeps.position_correction.slop;
    const double size2 = std::min(known_size2(of.body_a), known_size2(of.body_b));
    const double share = options_.substeps.position_correction.relative_slop,
                 otherwise = SceneThresholds::slop_without_size;
    return size2 < no_size ? share * share * size2 : otherwise * otherwise;
  }
  /// [m²] of a manifold: the minimum of its contacts.
  double square_of_manifold(const Constraint& of) const {
    const double of_bodies = square_of(of);
    if (!this->job_.scene->contacts.slop) return of_bodies;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t k = 0; k < of.count; ++k)
      least = std::min(least, square_of_contact(kernel::number_at(this->job_.contact_at, of.first + k), of_bodies));
    return least;
  }
  /// [m²] of a contact; `of_bodies` if it has no slop.
  double square_of_contact(std::uint32_t contact, double of_bodies) const {
    const Column<const T>& column = this->job_.scene->contacts.slop;
    const double slop = column ? static_cast<double>(column[contact]) : 0;
    return slop > 0 ? slop * slop : of_bodies;
  }

 private:
  static constexpr double no_size = std::numeric_limits<double>::infinity();

  double known_size2(std::int32_t body) const { return body < 0 ? no_size : size2_[body]; }
  /// [m²] Square of the radius of gyration.
  double size2_of(std::int32_t body) const {
    if (!this->moves(body)) return no_size;
    const auto mass = static_cast<double>(this->inverse_mass(body));
    std::array<double, 6> j = this->inverse_inertia(body);
    const double trace = j[0] + j[3] + j[5];
    if (!(mass > 0) || !(trace > 0)) return no_size;
    for (double& x : j) x /= trace;
    const auto& [xx, xy, xz, yy, yz, zz] = j;
    return mass / (trace * (xx * xx + yy * yy + zz * zz + 2 * (xy * xy + xz * xz + yz * yz)));
  }
  const CallOptions& options_;
  const double* size2_;  // [m²]
};

}  // namespace carom::scene
