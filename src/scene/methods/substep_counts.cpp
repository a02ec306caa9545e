#include "substep_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/scene/call_options.hpp"
#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"

namespace carom::scene {
namespace {

constexpr std::size_t ages = loads_of_a_body;
constexpr std::size_t manifolds_at_once = 128;

/// [1/s⁴] (load / slop)², of a load [m/s²] and the square of a slop.
double square_of_need(double load, double slop2) {
  return load * load / slop2;
}

/// Returns the number for an island that had `before` and needs `needed`: it stays within a band, and falls slowly once
/// fewer have been needed for some calls.
SubstepNeed fallen(const SubstepNeed& before, float needed) {
  const auto band = std::max(1.F, static_cast<float>(SceneThresholds::substeps_band) * before.substeps);
  if (needed > before.substeps - band) return {before.substeps};
  const bool falls = before.quiet >= static_cast<float>(SceneThresholds::substeps_quiet);
  const float share = falls ? static_cast<float>(SceneThresholds::substeps_fall) : 1.F;
  return {share * before.substeps, before.quiet + 1};
}

/// The loads of all bodies.
template <class T>
class Loads : Bodies<T> {
  using Bodies<T>::inverse_mass;
  using Bodies<T>::moves;

 public:
  Loads(const kernel::SceneJob<T>& job, Workspace<T>& workspace)
      : Bodies<T>(job), loads_(workspace.loads.at_least(ages * (job.bodies + 1))) {
    std::fill_n(loads_, ages * job.bodies, T(0));
  }

  /// [N s] that both bodies of a contact or joint carry, of the last call and the two before.
  void add(const Constraint& of, const T* size) {
    for (const std::int32_t body : {of.body_a, of.body_b}) {
      if (!moves(body)) continue;
      T* const load = loads_ + ages * static_cast<std::size_t>(body);
      const T half_share = T(0.5) * inverse_mass(body);
      for (std::size_t k = 0; k < ages; ++k) load[k] += half_share * size[k];
    }
  }

  /// [N m s] that a row between both bodies carries which only turns them. It counts as a force at the radius of
  /// gyration about the axis.
  void add_angular(std::int32_t body, T size, T x, T y, T z) {
    if (!moves(body)) return;
    const T* const j = this->record(body) + kernel::BodyRecord::inverse_inertia;
    const T about = x * (j[0] * x + j[1] * y + j[2] * z) + y * (j[1] * x + j[3] * y + j[4] * z) +
                    z * (j[2] * x + j[4] * y + j[5] * z);
    const T load = T(0.5) * size * std::sqrt(std::max(about, T(0)) * inverse_mass(body));
    for (std::size_t k = 0; k < ages; ++k) loads_[ages * static_cast<std::size_t>(body) + k] += load;
  }

  /// [m/s] that has lasted.
  T of(std::int32_t body) const {
    if (!moves(body)) return 0;
    const T* const load = loads_ + ages * static_cast<std::size_t>(body);
    return std::min({load[0], load[1], load[2]});
  }

  /// The ratio of the masses of two bodies that both have one; 1 of others.
  double ratio(const Constraint& of) const {
    if (!moves(of.body_a) || !moves(of.body_b)) return 1;
    const double a = static_cast<double>(inverse_mass(of.body_a)), b = static_cast<double>(inverse_mass(of.body_b));
    return a > 0 && b > 0 ? std::max(a / b, b / a) : 1;
  }

 private:
  T* loads_;
};

/// Finds the load of the supports of an island without history, as if all of it stood on them.
template <class T>
class ColdLoads : Bodies<T> {
  using Bodies<T>::moves;

 public:
  ColdLoads(const kernel::SceneJob<T>& job, Workspace<T>& workspace) : Bodies<T>(job), of_(workspace) {
    of_.cold.assign(workspace.graph.islands, 1);
  }
  void know(std::uint32_t island) { of_.cold[island] = 0; }

  /// Raises `needed`: see count_substeps. `slop2` [m²] of the islands.
  void raise(Array<double>& needed, const Array<double>& slop2, double gravity) {
    const Graph& graph = of_.graph;
    if (std::find(of_.cold.begin(), of_.cold.end(), 1) == of_.cold.end()) return;
    of_.counted.assign(this->job_.bodies, 0);
    of_.mass.assign(graph.islands, 0);
    of_.supporting_mass.assign(graph.islands, 0);
    add(graph.manifolds, graph.island_of_manifold);
    add(graph.groups, graph.island_of_group);
    for (std::size_t i = 0; i < graph.islands; ++i)
      if (of_.supporting_mass[i] > 0)
        needed[i] = std::max(needed[i], square_of_need(gravity * (of_.mass[i] / of_.supporting_mass[i]), slop2[i]));
  }

 private:
  void add(const Array<Constraint>& all, const Array<std::uint32_t>& island) {
    for (std::size_t m = 0; m < all.size(); ++m) {
      if (of_.cold[island[m]] == 0) continue;
      const bool a = moves(all[m].body_a), b = moves(all[m].body_b);
      if (a) add(all[m].body_a, island[m], !b);
      if (b) add(all[m].body_b, island[m], !a);
    }
  }
  void add(std::int32_t body, std::uint32_t island, bool is_supported) {
    const auto inverse = static_cast<double>(this->inverse_mass(body));
    if (!(inverse > 0)) return;
    std::uint8_t& counted = of_.counted[static_cast<std::size_t>(body)];
    if ((counted & 1u) == 0) of_.mass[island] += 1 / inverse;
    if (is_supported && (counted & 2u) == 0) of_.supporting_mass[island] += 1 / inverse;
    counted = static_cast<std::uint8_t>(counted | (is_supported ? 3u : 1u));
  }
  Workspace<T>& of_;
};

}  // namespace

template <class T>
void count_substeps(const Call<T>& call, const Slops<T>& slops) {
  const CallOptions& options = call.options;
  const kernel::SceneJob<T>& job = call.job;
  Workspace<T>& workspace = call.workspace;
  ThreadTeam& team = call.team;
  const T* const row_impulse = call.initial.rows;
  const bool has_history = call.initial.contacts_have_history, rows_have_history = call.initial.rows_have_history;
  const Graph& graph = workspace.graph;
  const Substeps& how = options.substeps;
  Array<double>&needed = workspace.substeps_needed, &slop2 = workspace.substeps_slop2;
  Array<std::int32_t>& count = workspace.substeps;
  Array<SubstepNeed>& wanted = workspace.substeps_wanted;
  needed.assign(graph.islands, 0);
  slop2.assign(graph.islands, std::numeric_limits<double>::infinity());
  wanted.assign(graph.islands, {});
  const int least = how.min_substeps < how.max_substeps
                        ? std::max(how.min_substeps, std::min(SceneThresholds::swept_substeps, how.max_substeps))
                        : how.min_substeps;
  count.assign(graph.islands, least);
  for (const kernel::SettledIsland& of : workspace.direct.settled) wanted[of.number].substeps = SubstepNeed::as_before;
  if (how.min_substeps < how.max_substeps && workspace.direct.settled.size() < graph.islands) {
    const auto is_settled = [&](std::uint32_t island) { return workspace.direct.is_settled[island] != 0; };
    Loads<T> loads(job, workspace);
    ColdLoads<T> cold(job, workspace);
    const Vector3Columns<const T>&p = job.warm_impulse, &n = job.scene->contacts.normal;
    const Histories<T>* const history = has_history ? &workspace.warm_start_cache.histories() : nullptr;
    const auto sizes = [&](std::size_t m) { return workspace.manifold_loads.data() + ages * m; };
    team.each(p.x ? graph.manifolds.size() : 0, manifolds_at_once,
              [&](std::size_t first, std::size_t end, std::size_t) {
                for (std::size_t m = first; m < end; ++m) {
                  if (is_settled(graph.island_of_manifold[m])) continue;
                  T* const size = sizes(m);
                  std::fill_n(size, ages, T(0));
                  for (std::uint32_t k = 0; k < graph.manifolds[m].count; ++k) {
                    const std::uint32_t i = kernel::number_at(job.contact_at, graph.manifolds[m].first + k);
                    const T last = std::max(p.x[i] * n.x[i] + p.y[i] * n.y[i] + p.z[i] * n.z[i], T(0));
                    size[0] += last;
                    for (std::size_t age = 1; age < ages; ++age)
                      size[age] += has_history ? history->earlier(age - 1)[i] : last;
                  }
                }
              });
    for (std::size_t m = 0; p.x && m < graph.manifolds.size(); ++m) {
      if (is_settled(graph.island_of_manifold[m])) continue;
      loads.add(graph.manifolds[m], sizes(m));
      if (sizes(m)[0] > T(0)) cold.know(graph.island_of_manifold[m]);
    }
    const JointRows<T>& rows = job.scene->joints;
    for (std::size_t m = 0; m < graph.groups.size(); ++m) {
      if (is_settled(graph.island_of_group[m])) continue;
      const Constraint& of = graph.groups[m];
      T size2 = 0;
      for (std::uint32_t k = 0; k < of.count; ++k) {
        const std::uint32_t i = kernel::number_at(job.row_at, of.first + k);
        if (row_impulse[i] != T(0)) cold.know(graph.island_of_group[m]);
        // Limits push in blows, and for as long as other loads do.
        if ((rows.min_impulse && rows.min_impulse[i] == T(0)) || (rows.max_impulse && rows.max_impulse[i] == T(0)))
          continue;
        const T x = rows.linear_a.x[i], y = rows.linear_a.y[i], z = rows.linear_a.z[i];
        const T length2 = x * x + y * y + z * z;
        size2 += row_impulse[i] * row_impulse[i] * length2;
        if (length2 > T(0)) continue;
        const T moment = T(SceneThresholds::joint_load) * std::abs(row_impulse[i]);
        loads.add_angular(of.body_a, moment, rows.angular_a.x[i], rows.angular_a.y[i], rows.angular_a.z[i]);
        loads.add_angular(of.body_b, moment, rows.angular_b.x[i], rows.angular_b.y[i], rows.angular_b.z[i]);
      }
      // A swing tightens from step to step: the last one counts.
      T size[ages];
      std::fill_n(size, ages, T(SceneThresholds::joint_load) * std::sqrt(size2));
      loads.add(of, size);
    }
    const auto raise = [&](const Constraint& of, std::uint32_t island, double square_of_slop) {
      const T carried = std::max(loads.of(of.body_a), loads.of(of.body_b));
      const double load =
          std::max(static_cast<double>(carried) / options.time_step, options.rest_gravity * loads.ratio(of));
      needed[island] = std::max(needed[island], square_of_need(load, square_of_slop));
      slop2[island] = std::min(slop2[island], square_of_slop);
    };
    for (std::size_t m = 0; m < graph.manifolds.size(); ++m)
      if (const std::uint32_t island = graph.island_of_manifold[m]; !is_settled(island))
        raise(graph.manifolds[m], island, slops.square_of_manifold(graph.manifolds[m]));
    for (std::size_t m = 0; m < graph.groups.size(); ++m)
      if (const std::uint32_t island = graph.island_of_group[m]; !is_settled(island))
        raise(graph.groups[m], island, slops.square_of(graph.groups[m]));
    // The larger number of before counts where islands have met.
    const auto recall = [&](bool has, const Array<Constraint>& all, const Array<std::uint32_t>& island,
                            const std::uint32_t* at, const auto& need_of) {
      const SubstepNeed* last = nullptr;
      for (std::size_t m = 0; has && m < all.size(); ++m)
        for (std::uint32_t k = 0; k < all[m].count && !is_settled(island[m]); ++k) {
          const SubstepNeed& before = need_of(kernel::number_at(at, all[m].first + k));
          // Mostly all contacts of an island have the same.
          const bool is_known = last != nullptr && (k > 0 || (m > 0 && island[m] == island[m - 1])) &&
                                std::memcmp(last, &before, sizeof before) == 0;
          last = &before;
          if (is_known) continue;
          SubstepNeed& of_island = wanted[island[m]];
          const SubstepNeed both = of_island;
          if (before.substeps > of_island.substeps) of_island = before;
          of_island.spent = std::max(both.spent, before.spent);
          of_island.direct = std::max(both.direct, before.direct);
          // New rows have no number.
          of_island.direct_quiet = !(before.direct > 0) ? both.direct_quiet
                                   : both.direct > 0    ? std::min(both.direct_quiet, before.direct_quiet)
                                                        : before.direct_quiet;
        }
    };
    recall(has_history, graph.manifolds, graph.island_of_manifold, job.contact_at,
           [&](std::uint32_t i) -> const SubstepNeed& { return history->need()[i]; });
    recall(rows_have_history, graph.groups, graph.island_of_group, job.row_at,
           [&](std::uint32_t i) -> const SubstepNeed& { return workspace.warm_start_cache.rows()[i].need; });
    for (std::uint32_t i = 0; i < graph.islands; ++i)
      if (wanted[i].substeps > 0 || is_settled(i)) cold.know(i);
    cold.raise(needed, slop2, options.rest_gravity);
    for (std::uint32_t i = 0; i < graph.islands; ++i) {
      if (is_settled(i)) continue;
      const auto taken = static_cast<float>(2 * options.time_step * std::sqrt(std::sqrt(needed[i])));
      // A number that went to and fro would excite the island.
      const SubstepNeed fewer = fallen(wanted[i], taken);
      const SubstepNeed before = wanted[i];
      wanted[i] = fewer.substeps > taken ? fewer : SubstepNeed{taken};
      wanted[i].spent = before.without_income().spent;
      wanted[i].direct = before.direct;
      wanted[i].direct_quiet = before.direct_quiet;
      float& of_island = wanted[i].substeps;
      // The memory has no lower bound: it is scaled by the length of the next step.
      of_island = std::min(of_island, static_cast<float>(how.max_substeps));
      count[i] = static_cast<std::int32_t>(std::ceil(std::max(of_island, static_cast<float>(least))));
    }
  }
}

template void count_substeps(const Call<float>&, const Slops<float>&);
template void count_substeps(const Call<double>&, const Slops<double>&);

}  // namespace carom::scene
