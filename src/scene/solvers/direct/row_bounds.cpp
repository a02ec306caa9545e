// Bounds of the impulses of rows in a direct island: motors, limits, ropes. A row is held, or its impulse is at a bound
// and it is not in the matrix. In the interior point the distances from the bounds have a barrier.
#include <algorithm>
#include <cmath>

#include "core/scene/thresholds.hpp"
#include "direct_island.hpp"

namespace carom::scene::direct {
namespace {

using Thresholds = SceneThresholds;

// Start of the interior point: min. distance from a bound over the mass of the row, as a fraction of the mean of
// contacts, and as a fraction of the range.
constexpr double min_distance = 0.1, share_of_range = 0.1;
// Impulses that are nearer to their bound, over the mass of the row and as a share of the mean, may be put on it.
constexpr double snap_share = 0.01;

bool has_least(const JointRow& row) {
  return std::isfinite(row.least);
}
bool has_largest(const JointRow& row) {
  return std::isfinite(row.largest);
}
/// A row whose bounds leave no range has a given impulse.
bool has_range(const JointRow& row) {
  return row.largest > row.least;
}

}  // namespace

/// True if the row pushes one way only and its error is on the side where it does not push.
bool DirectIsland::has_free_side(const JointRow& row) {
  return (row.keeps_position || row.rate > 0) &&
         ((row.largest == 0 && row.error < 0) || (row.least == 0 && row.error > 0));
}

bool DirectIsland::has_bounds() const {
  return std::any_of(rows_.begin(), rows_.end(), [](const JointRow& row) { return row.is_bounded; });
}

void DirectIsland::set_row_states() {
  each_row([](JointRow& row) {
    row.state = !row.is_bounded              ? RowState::held
                : row.impulse <= row.least   ? RowState::at_least
                : row.impulse >= row.largest ? RowState::at_largest
                                             : RowState::held;
  });
}

/// Puts impulses near a bound on it: rows that reach their bounds mostly do so in the next step, too, and the bounds of
/// springs change from step to step.
void DirectIsland::put_rows_on_bounds() {
  bool any = false;
  each_row([&](JointRow& row) {
    row.change = 0;
    if (row.state != RowState::held || !row.is_bounded) return;
    const double most = Thresholds::direct_near_bound * std::abs(row.impulse);
    if (row.impulse - row.least < most && has_range(row))
      row.state = RowState::at_least;
    else if (row.largest - row.impulse < most && has_range(row))
      row.state = RowState::at_largest;
    else
      return;
    const double bound = row.state == RowState::at_least ? row.least : row.largest;
    row.change = bound - row.impulse;
    row.impulse = bound;
    any = true;
  });
  if (any) apply_row_changes();
}

bool DirectIsland::is_out_of_bounds(const JointRow& row, double impulse) const {
  return impulse < row.least - tolerance_ || impulse > row.largest + tolerance_;
}

/// Puts rows that leave their bounds on them.
void DirectIsland::release_rows() {
  each_row([&](JointRow& row) {
    const double next = row.impulse + row.change;
    row.change = 0;
    if (row.state != RowState::held || !is_out_of_bounds(row, next)) return;
    row.state = next < row.least ? RowState::at_least : RowState::at_largest;
    const double bound = next < row.least ? row.least : row.largest;
    row.change = bound - row.impulse;
    row.impulse = bound;
  });
  apply_row_changes();
}

/// Holds rows at a bound that move against it. Returns true if there are any.
bool DirectIsland::hold_rows() {
  bool any = false;
  each_row([&](JointRow& row) {
    if (row.state == RowState::held || !has_range(row)) return;
    const double miss = miss_of(row);
    const bool is_against =
        row.state == RowState::at_least ? miss < -Thresholds::direct_approach : miss > Thresholds::direct_approach;
    if (!is_against) return;
    row.state = RowState::held;
    any = true;
  });
  return any;
}

void DirectIsland::keep_rows_in_bounds() {
  bool any = false;
  each_row([&](JointRow& row) {
    const double next = std::min(std::max(row.impulse, row.least), row.largest);
    row.change = next - row.impulse;
    any = any || row.change != 0;
    row.impulse = next;
  });
  if (any) apply_row_changes();
}

/// Applies the changes of all rows to the velocities.
void DirectIsland::apply_row_changes() {
  if (rows_.empty()) return;
  std::fill(right_.begin(), right_.end(), BodyRow{});
  for (const JointRow& row : rows_) add_wrench(row, row.change, right_);
  accelerate(right_, velocity_);
}

void DirectIsland::begin_bounds(double mean, double barrier) {
  each_row([&](JointRow& row) {
    const double before = row.impulse;
    row.slack_least = row.slack_largest = row.change_least = row.change_largest = row.pull = 0;
    row.state = RowState::held;
    if (!row.is_bounded) return;
    if (!has_range(row)) row.state = RowState::at_least;
    const double distance = std::min(min_distance * mean / row.inverse_mass,
                                     has_range(row) ? share_of_range * (row.largest - row.least) : 0);
    row.impulse = std::min(std::max(row.impulse, row.least + distance), row.largest - distance);
    if (has_range(row) && has_least(row)) row.slack_least = barrier / (row.inverse_mass * (row.impulse - row.least));
    if (has_range(row) && has_largest(row))
      row.slack_largest = barrier / (row.inverse_mass * (row.largest - row.impulse));
    row.change = row.impulse - before;
  });
  each_row([](JointRow& row) { row.change = row.is_bounded ? row.change : 0; });
  apply_row_changes();
}

void DirectIsland::measure_rows(double& worst, double& separation, std::size_t& count) const {
  for (const JointRow& row : rows_) {
    if (row.state != RowState::held) continue;
    const double miss = std::abs(miss_of(row) - row.slack_least + row.slack_largest);
    worst = miss <= worst ? worst : miss;  // keeps NaN
    if (!row.is_bounded) continue;
    if (has_least(row)) separation += row.inverse_mass * (row.impulse - row.least) * row.slack_least;
    if (has_largest(row)) separation += row.inverse_mass * (row.largest - row.impulse) * row.slack_largest;
    count += (has_least(row) ? 1u : 0u) + (has_largest(row) ? 1u : 0u);
  }
}

void DirectIsland::weigh_bounds() {
  each_row([](JointRow& row) {
    if (!row.is_bounded || row.state != RowState::held) return;
    double compliance = 1 / row.weight;
    if (has_least(row)) compliance += row.slack_least / (row.impulse - row.least);
    if (has_largest(row)) compliance += row.slack_largest / (row.largest - row.impulse);
    row.weight = 1 / compliance;
  });
}

void DirectIsland::aim_bounds(double barrier) {
  each_row([&](JointRow& row) {
    row.pull = 0;
    if (!row.is_bounded || row.state != RowState::held) return;
    if (has_least(row)) row.pull += barrier / (row.inverse_mass * (row.impulse - row.least));
    if (has_largest(row)) row.pull -= barrier / (row.inverse_mass * (row.largest - row.impulse));
  });
}

void DirectIsland::find_slack_changes(double barrier) {
  each_row([&](JointRow& row) {
    if (!row.is_bounded || row.state != RowState::held) return;
    const double from_least = row.impulse - row.least, to_largest = row.largest - row.impulse;
    const double product = barrier / row.inverse_mass;
    if (has_least(row)) row.change_least = (product - row.slack_least * row.change) / from_least - row.slack_least;
    if (has_largest(row))
      row.change_largest = (product + row.slack_largest * row.change) / to_largest - row.slack_largest;
  });
}

double DirectIsland::longest_step_of_bounds() const {
  double longest = 1;
  const auto limit = [&](double x, double change) {
    if (change < 0) longest = std::min(longest, -x / change);
  };
  for (const JointRow& row : rows_) {
    if (!row.is_bounded || row.state != RowState::held) continue;
    if (has_least(row)) {
      limit(row.impulse - row.least, row.change);
      limit(row.slack_least, row.change_least);
    }
    if (has_largest(row)) {
      limit(row.largest - row.impulse, -row.change);
      limit(row.slack_largest, row.change_largest);
    }
  }
  return longest;
}

void DirectIsland::take_slack_changes(double share) {
  each_row([&](JointRow& row) {
    row.slack_least += share * row.change_least;
    row.slack_largest += share * row.change_largest;
  });
}

/// Puts impulses on the bounds from which their rows part.
void DirectIsland::snap_to_bounds(double mean, double speed) {
  each_row([&](JointRow& row) {
    row.change = row.pull = 0;
    if (!row.is_bounded || row.state != RowState::held) return;
    const double before = row.impulse;
    const auto snaps = [&](double distance, double slack) {
      const double share = row.inverse_mass * distance / mean;
      return share < slack / speed && share < snap_share;
    };
    if (has_least(row) && snaps(row.impulse - row.least, row.slack_least)) row.impulse = row.least;
    if (has_largest(row) && snaps(row.largest - row.impulse, row.slack_largest)) row.impulse = row.largest;
    row.change = row.impulse - before;
  });
  apply_row_changes();
}

}  // namespace carom::scene::direct
