// A scene as a sequence of impacts, the most urgent first. [CR] 6.4, 6.5
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>

#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "core/support/hash.hpp"
#include "reference/contact/vector.hpp"
#include "scene_methods.hpp"

namespace carom::reference {
namespace {

// x of A x = b by Cholesky's factors; 0 of rows that repeat others.
std::vector<double> solve_semidefinite(std::vector<std::vector<double>> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t j = 0; j < n; ++j) {
    double pivot = a[j][j];
    for (std::size_t m = 0; m < j; ++m) pivot -= a[j][m] * a[j][m];
    a[j][j] = pivot > SceneThresholds::min_pivot * a[j][j] ? std::sqrt(pivot) : infinity;
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t m = 0; m < j; ++m) a[i][j] -= a[i][m] * a[j][m];
      a[i][j] /= a[j][j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t m = 0; m < i; ++m) b[i] -= a[i][m] * b[m];
    b[i] /= a[i][i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t m = i + 1; m < n; ++m) b[i] -= a[m][i] * b[m];
    b[i] /= a[i][i];
  }
  return b;
}

// The items of an island are its contacts and, after them, its joint groups, counted from 0.
class Sequence {
 public:
  Sequence(SceneState& state, const SceneIsland& island, const CallOptions& options)
      : state_(state), island_(island), options_(options), touching_(island.bodies.size()) {
    for (const SceneBlock& block : island.blocks)
      if (block.is_group) groups_.push_back(block);
    keys_.resize(island.contacts.size() + groups_.size());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      for (std::size_t body : bodies_of(i))
        if (state.is_movable(body)) touching_[place(body)].push_back(i);
      look_at(i);
    }
  }

  SceneOutcome run() {
    SceneOutcome outcome;
    const double tolerance = options_.tolerance * std::max(max_urgency(), 0.0);
    const std::size_t most = static_cast<std::size_t>(options_.sequential_impacts.max_impacts) * keys_.size();
    double energy_half_way = 0;
    while (max_urgency() > tolerance && outcome.impacts < most) {
      if (outcome.impacts == most / 2) energy_half_way = energy();
      const std::size_t next = std::get<2>(*urgent_.begin());
      if (!impact(next)) {
        urgent_.erase(*keys_[next]);
        keys_[next].reset();
        continue;
      }
      ++outcome.impacts;
      for (std::size_t body : bodies_of(next))
        if (state_.is_movable(body))
          for (std::size_t i : touching_[place(body)]) look_at(i);
    }
    if (max_urgency() > tolerance) {
      const bool stalled = energy_half_way - energy() < SceneThresholds::stalled<double> * energy_half_way;
      outcome.status = stalled ? IslandStatus::stalled : IslandStatus::not_converged;
    }
    outcome.iterations = static_cast<int>(outcome.impacts);
    return outcome;
  }

 private:
  // Sorted: urgency downwards, then the order of ties, then the number of the contact or group.
  using Key = std::tuple<double, std::uint64_t, std::size_t>;

  bool is_group(std::size_t i) const { return i >= island_.contacts.size(); }
  const SceneBlock& group(std::size_t i) const { return groups_[i - island_.contacts.size()]; }
  SceneContact& contact(std::size_t i) { return state_.contacts[island_.contacts[i]]; }
  std::array<std::size_t, 2> bodies_of(std::size_t i) {
    if (is_group(i)) return {group(i).a, group(i).b};
    return {contact(i).a, contact(i).b};
  }
  std::size_t place(std::size_t body) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(island_.bodies, body) - island_.bodies.begin());
  }

  double urgency(std::size_t i) {
    if (!is_group(i)) return contact(i).min_velocity - relative_velocity(state_, contact(i))[2];
    return residual(state_, group(i).items);
  }

  double max_urgency() const { return urgent_.empty() ? -infinity : -std::get<0>(*urgent_.begin()); }

  void look_at(std::size_t i) {
    if (keys_[i]) urgent_.erase(*keys_[i]);
    const std::uint64_t tie =
        options_.sequential_impacts.seed == 0 ? 0 : ~scene::hash(options_.sequential_impacts.seed ^ i);
    const double u = urgency(i);
    // Velocities that overflowed do not select a contact.
    keys_[i] = Key{std::isnan(u) ? infinity : -u, tie, i};
    urgent_.insert(*keys_[i]);
  }

  // True if there is an impulse.
  bool impact(std::size_t i) { return is_group(i) ? impact_of(group(i)) : impact_of(contact(i)); }

  bool impact_of(SceneContact& c) {
    BodyContact now = c.data;
    now.a.velocity = state_.bodies[c.a].velocity;
    now.a.angular_velocity = state_.bodies[c.a].angular_velocity;
    // The law acts on u less the surface velocity and the target, as if B moved along with both.
    now.b.velocity = state_.bodies[c.b].velocity + c.surface_slip + c.min_velocity * c.frame.to_contact[2];
    now.b.angular_velocity = state_.bodies[c.b].angular_velocity;
    Outcome found;
    c.outcome = collide(now, in_contact_frame(now), options_.collision, false, found);
    if (!is_resolved(c.outcome)) return false;
    apply_impulse(state_, c, found.p);
    c.impulse = c.impulse + found.p;
    c.path = found.path;
    return true;
  }

  bool impact_of(const SceneBlock& group) {
    RowWork work(state_, group.items);
    const std::size_t count = group.items.size();
    const auto row = [&](std::size_t i) -> SceneRow& { return state_.rows[group.items[i]]; };
    bool is_bounded = false;
    std::vector<std::vector<double>> matrix(count, std::vector<double>(count));
    std::vector<double> missing(count);
    for (std::size_t i = 0; i < count; ++i) {
      is_bounded |= has_bound(row(i));
      missing[i] = -deviation(state_, row(i));
      for (std::size_t j = 0; j < count; ++j) matrix[i][j] = coupling(state_, row(i), row(j));
      matrix[i][i] = row(i).diagonal;
    }
    const std::vector<double> impulses = is_bounded ? missing : solve_semidefinite(matrix, missing);
    for (std::size_t i = 0; i < count; ++i) {
      SceneRow& r = row(i);
      // Rows with bounds go one by one.
      const double change =
          is_bounded ? std::clamp(r.impulse - deviation(state_, r) / r.diagonal, r.least, r.largest) - r.impulse
                     : impulses[i];
      apply_impulse(state_, r, change);
      r.impulse += change;
    }
    work.end();
    return true;
  }

  double energy() const {
    double sum = 0;
    for (std::size_t body : island_.bodies) sum += kinetic_energy(state_.bodies[body]);
    return sum;
  }

  SceneState& state_;
  const SceneIsland& island_;
  const CallOptions& options_;
  std::vector<SceneBlock> groups_;
  std::vector<std::vector<std::size_t>> touching_;  // contacts and groups of every movable body
  std::vector<std::optional<Key>> keys_;            // empty while an item is not urgent
  std::set<Key> urgent_;
};

}  // namespace

SceneOutcome solve_sequential_impacts(SceneState& state, const SceneIsland& island, const CallOptions& options) {
  RowWork work(state, island.rows);
  begin_rows(state, island.rows);
  work.end();
  const double approach = max_approach_speed(state, island);
  SceneOutcome outcome = Sequence(state, island, options).run();
  outcome.approach = approach;
  outcome.algorithm = IslandAlgorithm::impacts;
  for (std::size_t i : island.contacts) {
    const SceneContact& c = state.contacts[i];
    outcome.residual = std::max(outcome.residual, c.min_velocity - relative_velocity(state, c)[2]);
  }
  outcome.residual = std::max(outcome.residual, residual(state, island.rows));
  return outcome;
}

}  // namespace carom::reference
