#include "contact_system.hpp"

#include <algorithm>
#include <carom/scene_options.hpp>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"

namespace carom::scene::ncp {
namespace {

using systems::at;

bool is_moment(const Cone& cone) {
  return cone.kind == Cone::moment;
}

void append(const Twist& twist, systems::Numbers& to) {
  to.insert(to.end(), twist.begin(), twist.end());
}

void list_moments(const Array<Cone>& cones, systems::IslandSystem& system) {
  if (std::none_of(cones.begin(), cones.end(), is_moment)) return;
  system.moment.assign(cones.size(), -1);
  system.parent_contact.assign(cones.size(), -1);
  for (std::size_t i = 0; i < cones.size(); ++i)
    if (is_moment(cones[i])) {
      system.parent_contact[i] = static_cast<std::int32_t>(i - 1);
      system.moment[i - 1] = static_cast<std::int32_t>(i);
    }
}

void list_bodies(const Constraints& constraints, systems::BodyForm& form) {
  form.clear();
  form.bodies = constraints.body.size();
  for (const Cone& cone : constraints.cone) {
    form.body.push_back(cone.body);
    for (const auto& side : cone.side)
      for (const Direction& direction : side) {
        append(direction.of, form.direction);
        append(direction.response, form.response);
      }
    form.extra.insert(form.extra.end(), cone.extra, cone.extra + 3);
  }
  for (const FreeRow& row : constraints.row) {
    form.rows.body.push_back(row.body);
    for (const Direction& direction : row.side) {
      append(direction.of, form.rows.direction);
      append(direction.response, form.rows.response);
    }
    form.rows.compliance.push_back(row.compliance);
  }
}

bool is_finite(const systems::Numbers& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); });
}

double product(const std::array<Direction, 2>& a, const std::array<Direction, 2>& b) {
  return dot(a[0].of, b[0].response) + dot(a[1].of, b[1].response);
}

/// a −= factor b.
void subtract(double factor, const std::array<Direction, 2>& b, std::array<Direction, 2>& a) {
  for (std::size_t s = 0; s < 2; ++s) {
    add(a[s].of, -factor, b[s].of);
    add(a[s].response, -factor, b[s].response);
  }
}

}  // namespace

/// A contact has no effect along directions that the rigid rows between the same two bodies hold. It gets the response
/// there that it would have without them, so that it has no impulse either.
void ContactSystem::resist_locked(const Constraints& constraints, systems::BodyForm& form) {
  along_.clear();
  const auto less = [](const Along& a, const Along& b) { return a.body < b.body; };
  for (const FreeRow& row : constraints.row) {
    if (row.compliance > 0) continue;
    Along along{row.body, row.side};
    if (row.body[0] < row.body[1]) {
      std::swap(along.body[0], along.body[1]);
      std::swap(along.side[0], along.side[1]);
    }
    along_.push_back(along);
  }
  std::stable_sort(along_.begin(), along_.end(), less);
  const auto leave = [&](std::array<Direction, 2>& side, std::size_t first, std::size_t end) {
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = first; k < end; ++k) subtract(product(side, along_[k].side), along_[k].side, side);
  };
  std::size_t kept = 0, first = 0;
  for (std::size_t k = 0; k < along_.size(); ++k) {
    Along along = along_[k];
    if (kept > 0 && along_[kept - 1].body != along.body) first = kept;
    const double whole = product(along.side, along.side);
    leave(along.side, first, kept);
    const double left = product(along.side, along.side);
    if (!(left > SceneThresholds::min_pivot * whole)) continue;
    for (Direction& direction : along.side)
      for (Twist* twist : {&direction.of, &direction.response})
        for (double& x : *twist) x /= std::sqrt(left);
    along_[kept++] = along;
  }
  along_.resize(kept);
  for (std::size_t i = 0; i < constraints.cone.size(); ++i) {
    const Cone& cone = constraints.cone[i];
    const bool swaps = cone.body[0] < cone.body[1];
    const Along key{{std::max(cone.body[0], cone.body[1]), std::min(cone.body[0], cone.body[1])}, {}};
    const auto [begin, end] = std::equal_range(along_.begin(), along_.end(), key, less);
    for (std::size_t d = 0; d < 3 && begin != end; ++d) {
      std::array<Direction, 2> side{cone.side[swaps ? 1 : 0][d], cone.side[swaps ? 0 : 1][d]};
      const double whole = product(side, side);
      leave(side, static_cast<std::size_t>(begin - along_.begin()), static_cast<std::size_t>(end - along_.begin()));
      if (!(product(side, side) > SceneThresholds::min_pivot * whole)) form.extra[3 * i + d] += whole;
    }
  }
}

/// q becomes the velocities that the joints leave.
bool ContactSystem::hold_rows(const Constraints& constraints, systems::IslandSystem& system, systems::BodyForm& form) {
  if (!form.rows.factor(form.bodies)) return false;
  resist_locked(constraints, form);
  missed_.resize(constraints.row.size());
  for (std::size_t k = 0; k < constraints.row.size(); ++k) {
    const FreeRow& row = constraints.row[k];
    missed_[k] = -row.target;
    for (std::size_t s = 0; s < 2; ++s)
      if (row.body[s] >= 0) missed_[k] += dot(row.side[s].of, constraints.velocity[at(row.body[s])]);
  }
  form.rows.leave_contradictions(missed_);
  change_.assign(6 * form.bodies, 0);
  left_ = missed_;
  form.rows.hold(left_, change_, lambda_);
  const double none[3] = {};
  for (std::size_t i = 0; i < form.body.size(); ++i) form.add_velocity(i, change_, none, &system.q[3 * i]);
  return is_finite(missed_) && is_finite(change_);
}

bool ContactSystem::assemble(const Constraints& constraints, systems::IslandSystem& system, systems::BodyForm& form) {
  system.clear();
  system.bodies = &form;
  list_bodies(constraints, form);
  list_moments(constraints.cone, system);
  for (const Cone& cone : constraints.cone) {
    system.friction.push_back(cone.friction);
    system.q.insert(system.q.end(), cone.q, cone.q + 3);
  }
  if (!form.rows.empty() && !hold_rows(constraints, system, form)) return false;
  for (std::size_t i = 0; i < form.body.size(); ++i)
    if (!std::isfinite(form.mean_diagonal(i))) return false;
  return is_finite(system.q);
}

void ContactSystem::apply(Constraints& constraints, const systems::BodyForm& form, const systems::Numbers& r,
                          systems::Numbers& lambda) {
  change_.assign(6 * form.bodies, 0);
  for (std::size_t i = 0; i < form.body.size(); ++i) form.push(i, &r[3 * i], change_);
  lambda.clear();
  if (!form.rows.empty()) {
    form.rows.measure(change_, left_);
    for (std::size_t k = 0; k < left_.size(); ++k) left_[k] += missed_[k];
    form.rows.hold(left_, change_, lambda);
  }
  for (std::size_t b = 0; b < form.bodies; ++b)
    for (std::size_t c = 0; c < 6; ++c) constraints.velocity[b][c] += change_[6 * b + c];
}

}  // namespace carom::scene::ncp
