// One impact after the other, the most urgent first: [CR] 6.4. Islands do not know of each other, so that the next
// impact of each goes through the kernels of single contacts in one batch.
//
// [CR] A. Chatterjee, A. Ruina, A New Algebraic Rigid Body Collision Law Based on Impulse Space Considerations, 1998.
#include "impact_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "contact/call/range.hpp"
#include "core/columns/columns.hpp"
#include "core/scene/thresholds.hpp"
#include "core/support/array.hpp"
#include "hub_tree.hpp"
#include "impact_batch.hpp"
#include "joint_block.hpp"

namespace carom::scene {
namespace {

constexpr auto ok = static_cast<std::uint8_t>(Status::ok);

/// A thread's part in a sequence.
template <class T>
class Sequence {
 public:
  Sequence(const IslandCall<T>& call, ImpactWorkspace<T>& workspace, ImpactBatch<T>& batch, T* impulses)
      : job_(call.job),
        graph_(call.graph),
        options_(call.options),
        islands_(call.islands),
        workspace_(workspace),
        hubs_(workspace_.hubs),
        has_hubs_(!hubs_.list.empty()),
        batch_(batch),
        contacts_(call.job.scene->contacts, batch),
        rows_(call.job.body_rows),
        impulses_(impulses),
        kernels_{kernel_for<T, IndexedContacts>(*call.entry.kernels),
                 kernel_for<T, IndexedContacts>(*call.entry.algebraic)},
        law_job_{contacts_.contacts(), contacts_.results(), parameters_for<T>(call.options.collision)},
        width_(call.kernels.width),
        max_impacts_(static_cast<std::size_t>(call.options.sequential_impacts.max_impacts)) {
    law_job_.layout.packed_bodies = batch.rows[2];
  }

  /// Islands [first, end), as many at a time as a batch has room for.
  void solve(std::uint32_t first, std::uint32_t end) {
    Array<std::uint32_t>& active = batch_.active;
    active.clear();
    std::uint32_t next = first;
    for (;;) {
      while (active.size() < ImpactBatch<T>::most && next < end)
        if (begin(next++)) active.push_back(next - 1);
      if (active.empty()) return;
      std::size_t n = 0;
      for (const std::uint32_t island : active) {
        const std::uint32_t item = next_of(island);
        if (item < job_.contacts)
          nominate(n++, item);
        else
          push_group(island, item - job_.contacts);
      }
      collide(n);
      std::size_t k = 0, kept = 0;
      for (const std::uint32_t island : active) {
        const std::uint32_t item = next_of(island);
        const bool moved = item < job_.contacts ? apply(k++, island, item) : true;
        if (go_on(island, item, moved)) active[kept++] = island;
      }
      active.resize(kept);
    }
  }

  T urgency_of(std::uint32_t item) const {
    const T speed = item < job_.contacts ? approach_of(item) : group_of(item - job_.contacts).worst();
    return speed == speed ? speed : -std::numeric_limits<T>::infinity();
  }

 private:
  const T* velocity(std::int32_t body) const { return kernel::record_of(rows_, body) + kernel::BodyRecord::velocity; }

  T approach_of(std::uint32_t contact) const {
    const NormalRow<T>& s = workspace_.normal_rows[contact];
    const T *a = velocity(job_.scene->contacts.body_a[contact]), *b = velocity(job_.scene->contacts.body_b[contact]);
    T speed = 0;
    for (int c = 0; c < 3; ++c) speed += s.n[c] * (a[c] - b[c]) + (s.turn_a[c] * a[3 + c] - s.turn_b[c] * b[3 + c]);
    return s.target - speed;
  }

  JointBlock<T> group_of(std::size_t group) const { return JointBlock<T>(job_, graph_.groups[group]); }

  /// Tells which of two places of the tournament comes first: by urgency, then by index or by chance.
  auto before(std::uint32_t island) const {
    const std::uint32_t* const entrants = entrants_of(island);
    return [this, entrants](std::uint32_t x, std::uint32_t y) {
      const std::uint32_t i = entrants[x], j = entrants[y];
      const T u = workspace_.urgency[i], v = workspace_.urgency[j];
      return u != v ? u > v : tie_of(i) > tie_of(j);
    };
  }
  /// The greater one comes first.
  std::uint64_t tie_of(std::uint32_t item) const {
    const std::uint64_t seed = options_.sequential_impacts.seed, number = workspace_.number[item];
    return seed == 0 ? ~number : hash(seed ^ number);
  }

  std::uint32_t size_of(std::uint32_t island) const {
    return workspace_.items_of_island.begin[island + 1] - workspace_.items_of_island.begin[island];
  }
  std::uint32_t* entrants_of(std::uint32_t island) const {
    return workspace_.entrants.data() + workspace_.items_of_island.begin[island];
  }
  std::uint32_t next_of(std::uint32_t island) const { return entrants_of(island)[workspace_.winner[island]]; }
  T greatest(std::uint32_t island) const { return workspace_.urgency[next_of(island)]; }

  std::uint32_t* tree_of(std::uint32_t island) const {
    return workspace_.tree.data() + 2 * workspace_.items_of_island.begin[island];
  }
  void play_again(std::uint32_t island, std::uint32_t place) const {
    workspace_.winner[island] =
        Tournament::play_again(tree_of(island), workspace_.entrants_count[island], place, before(island));
  }

  /// Returns false if no contact approaches.
  bool begin(std::uint32_t island) {
    const std::uint32_t n = workspace_.entrants_count[island];
    std::uint32_t* const entrants = entrants_of(island);
    for (std::uint32_t i = 0; i < n; ++i) workspace_.urgency[entrants[i]] = urgency_of(entrants[i]);
    if (has_hubs_)
      for (std::uint32_t hub = hubs_.of_island[island]; hub < hubs_.of_island[island + 1]; ++hub) {
        tree_of_hub(hub).build();
        seek(island, hub, 0);
      }
    workspace_.winner[island] = Tournament::play_all(tree_of(island), n, before(island));
    islands_.approach[island] = std::max(0.0, static_cast<double>(greatest(island)));
    return islands_.approach[island] > 0;
  }

  /// The contacts and bodies of a hub as its tree reads them.
  class HubContacts {
   public:
    HubContacts(const Sequence& sequence, bool has_refused) : of_(sequence), has_refused_(has_refused) {}

    HubRow<T> row(std::uint32_t contact, std::int32_t hub) const {
      const NormalRow<T>& s = of_.workspace_.normal_rows[contact];
      HubRow<T> row;
      const bool is_a = of_.job_.scene->contacts.body_a[contact] == hub;
      for (int c = 0; c < 3; ++c) {
        row.n[c] = is_a ? s.n[c] : -s.n[c];
        row.turn_hub[c] = is_a ? s.turn_a[c] : -s.turn_b[c];
        row.turn_partner[c] = is_a ? s.turn_b[c] : -s.turn_a[c];
      }
      row.target = s.target;
      row.partner = partner(contact, hub);
      return row;
    }
    std::int32_t partner(std::uint32_t contact, std::int32_t hub) const {
      const SceneContacts<T>& contacts = of_.job_.scene->contacts;
      const std::int32_t a = contacts.body_a[contact];
      return a == hub ? contacts.body_b[contact] : a;
    }
    std::uint64_t tie(std::uint32_t contact) const { return of_.tie_of(contact); }
    T speed(std::uint32_t contact) const {
      if (has_refused_ && of_.is_refused(contact)) return -std::numeric_limits<T>::infinity();
      return of_.urgency_of(contact);
    }
    const T* velocity(std::int32_t body) const { return of_.velocity(body); }
    bool moves(std::int32_t body) const { return body >= 0 && of_.moves(body); }
    T response(std::int32_t body, int c) const {
      constexpr std::size_t diagonal[3] = {0, 3, 5};
      const T* const record = kernel::record_of(of_.rows_, body);
      return c < 3 ? record[kernel::BodyRecord::inverse_mass]
                   : record[kernel::BodyRecord::inverse_inertia + diagonal[c - 3]];
    }

   private:
    const Sequence& of_;
    bool has_refused_;
  };

  HubTree<T, HubContacts> tree_of_hub(std::uint32_t hub) const {
    Hub<T>& of = hubs_.list[hub];
    return {hubs_, of, HubContacts(*this, hubs_.has_refused[of.island] != 0)};
  }

  /// Enters the most urgent contact of the hub in the tournament.
  void seek(std::uint32_t island, std::uint32_t hub, std::int64_t now) {
    const auto found = tree_of_hub(hub).find(now);
    workspace_.urgency[found.contact] = found.speed;
    entrants_of(island)[hubs_.list[hub].place] = found.contact;
  }

  /// True if a contact of a hub had no impulse the last time, and none of its bodies has been pushed since.
  bool is_refused(std::uint32_t contact) const {
    const std::int64_t since = hubs_.refused[contact];
    for (const std::int32_t body : {job_.scene->contacts.body_a[contact], job_.scene->contacts.body_b[contact]})
      if (body >= 0 && hubs_.pushed[static_cast<std::size_t>(body)] >= since) return false;
    return true;
  }

  /// The number of the impact that comes or is under way, from 1 on. Before them all is 0.
  std::int64_t now(std::uint32_t island) const { return static_cast<std::int64_t>(workspace_.impacts[island]) + 1; }

  void nominate(std::size_t k, std::uint32_t contact) {
    batch_.item[k] = contact;
    contacts_.take(k, contact);
    T* const to = batch_.rows[2 + 2 * k];
    const auto bring = [&](std::int32_t body, T* row) {
      std::copy_n(kernel::record_of(rows_, body), kernel::BodyRecord::size, row);
    };
    bring(job_.scene->contacts.body_a[contact], to);
    T* const of_b = kernel::record_of(to, 1);
    bring(job_.scene->contacts.body_b[contact], of_b);
    shift(contact, of_b + kernel::BodyRecord::velocity, T(1));
  }

  /// The law sees B move with the surface and the target velocity.
  void shift(std::uint32_t contact, T* velocity_b, T sign) const {
    const Scene<T>& scene = *job_.scene;
    const NormalRow<T>& s = workspace_.normal_rows[contact];
    T along = 0, surface[3] = {0, 0, 0};
    if (scene.contacts.surface_velocity.x) {
      surface[0] = scene.contacts.surface_velocity.x[contact];
      surface[1] = scene.contacts.surface_velocity.y[contact];
      surface[2] = scene.contacts.surface_velocity.z[contact];
      along = s.n[0] * surface[0] + s.n[1] * surface[1] + s.n[2] * surface[2];
    } else if (s.target == T(0)) {
      return;
    }
    for (int c = 0; c < 3; ++c) velocity_b[c] += sign * (surface[c] + (s.target - along) * s.n[c]);
  }

  void collide(std::size_t n) {
    if (n == 0) return;
    solve_range(law_job_, kernels_, 0, n, workspace_of(batch_), batch_.components.get(), tally_);
    batch_.impacts += n;
    batch_.lanes += (n + width_ - 1) / width_ * width_;
    batch_.lanes_used += n;
  }

  /// Takes over contact k of the batch; false if it has no impulse.
  bool apply(std::size_t k, std::uint32_t island, std::uint32_t contact) {
    workspace_.outcome[contact] = batch_.status[k];
    if (!is_resolved(batch_.status[k])) return false;
    for (std::size_t c = 0; c < 3; ++c) impulses_[c * job_.contacts + contact] += batch_.results[c][k];
    if (job_.results->path.data != nullptr) job_.results->path[contact] = batch_.path[k];
    const auto put = [&](std::int32_t body, const T* to) {
      if (body < 0 || !moves(body)) return;
      T* const v = kernel::record_of(rows_, body) + kernel::BodyRecord::velocity;
      if (has_hubs_ && !std::equal(to, to + 6, v)) hubs_.changed[static_cast<std::size_t>(body)] = now(island);
      std::copy_n(to, 6, v);
    };
    T a[6], b[6];
    for (std::size_t c = 0; c < 6; ++c) {
      a[c] = batch_.results[3 + c][k];
      b[c] = batch_.results[9 + c][k];
    }
    shift(contact, b, T(-1));
    put(job_.scene->contacts.body_a[contact], a);
    put(job_.scene->contacts.body_b[contact], b);
    return true;
  }

  bool moves(std::int32_t body) const { return kernel::is_movable(kernel::record_of(rows_, body)); }

  void push_group(std::uint32_t island, std::size_t group) {
    group_of(group).resolve(job_);
    ++batch_.impacts;
    if (!has_hubs_) return;
    for (const std::int32_t body : {graph_.groups[group].body_a, graph_.groups[group].body_b})
      if (body >= 0 && moves(body)) hubs_.changed[static_cast<std::size_t>(body)] = now(island);
  }

  /// Who is the next of the island; false if it is over.
  bool go_on(std::uint32_t island, std::uint32_t item, bool moved) {
    if (moved) {
      const auto [a, b] = bodies_of(item);
      for (const std::int32_t body : {a, b})
        if (body >= 0 && moves(body)) look_around(island, body);
    } else if (has_hubs_ && item < job_.contacts && hubs_.hub_of[item] != Hubs<T>::none) {
      const std::uint32_t hub = hubs_.hub_of[item];
      hubs_.refused[item] = now(island);
      hubs_.has_refused[island] = 1;
      tree_of_hub(hub).forget(item);
      hubs_.list[hub].is_stale = true;
      batch_.stale_hubs.push_back(hub);
    } else {
      workspace_.urgency[item] = -std::numeric_limits<T>::infinity();
      play_again(island, workspace_.place[item]);
    }
    for (const std::uint32_t hub : batch_.stale_hubs) {
      hubs_.list[hub].is_stale = false;
      seek(island, hub, now(island));
      play_again(island, hubs_.list[hub].place);
    }
    batch_.stale_hubs.clear();
    const std::size_t impacts = ++workspace_.impacts[island], most = max_impacts_ * size_of(island);
    const double left = static_cast<double>(greatest(island));
    if (!(left > 0) || left <= options_.tolerance * islands_.approach[island]) return false;
    if (impacts == most / 2) workspace_.energy[island] = energy_of(island);
    if (impacts < most) return true;
    const double before_half = workspace_.energy[island];
    const bool stalled = before_half - energy_of(island) < SceneThresholds::stalled<T> * before_half;
    islands_.result[island].status = stalled ? IslandStatus::stalled : IslandStatus::not_converged;
    return false;
  }

  /// Finds the urgency of all items of a body that an impact has pushed.
  void look_around(std::uint32_t island, std::int32_t pushed) {
    const auto body = static_cast<std::size_t>(pushed);
    for (std::uint32_t i = workspace_.items_of_body.begin[body]; i < workspace_.items_of_body.begin[body + 1]; ++i) {
      const std::uint32_t item = workspace_.items_of_body.of[i];
      workspace_.urgency[item] = urgency_of(item);
      play_again(island, workspace_.place[item]);
    }
    if (!has_hubs_) return;
    hubs_.pushed[body] = now(island);
    // Contacts that were refused count again.
    if (hubs_.has_refused[island] != 0) hubs_.changed[body] = now(island);
    if (hubs_.changed[body] != now(island)) return;
    const auto search_again = [&](std::uint32_t hub) {
      if (hubs_.list[hub].is_stale) return;
      hubs_.list[hub].is_stale = true;
      batch_.stale_hubs.push_back(hub);
    };
    if (hubs_.of_body[body] != Hubs<T>::none) search_again(hubs_.of_body[body]);
    for (std::uint32_t root = hubs_.first_root[body]; root != Hubs<T>::none; root = hubs_.nodes[root].next_root) {
      const std::uint32_t hub = hubs_.hub_of[hubs_.contacts[hubs_.nodes[root].first]];
      tree_of_hub(hub).move_partner(root);
      search_again(hub);
    }
  }

  std::pair<std::int32_t, std::int32_t> bodies_of(std::uint32_t item) const {
    if (item < job_.contacts) return {job_.scene->contacts.body_a[item], job_.scene->contacts.body_b[item]};
    const Constraint& group = graph_.groups[item - job_.contacts];
    return {group.body_a, group.body_b};
  }

  double energy_of(std::uint32_t island) const {
    double sum = 0;
    for (std::uint32_t i = workspace_.items_of_island.begin[island]; i < workspace_.items_of_island.begin[island + 1];
         ++i) {
      const std::uint32_t item = workspace_.items_of_island.of[i];
      const auto [a, b] = bodies_of(item);
      // A body counts where its first item does.
      for (const std::int32_t body : {a, b})
        if (body >= 0 && moves(body) && workspace_.first_item[static_cast<std::size_t>(body)] == item)
          sum += kinetic_energy(kernel::record_of(rows_, body));
    }
    return sum;
  }

  kernel::SceneJob<T>& job_;
  const Graph& graph_;
  const CallOptions& options_;
  Islands& islands_;
  ImpactWorkspace<T>& workspace_;
  Hubs<T>& hubs_;
  bool has_hubs_;
  ImpactBatch<T>& batch_;
  BatchContacts<T> contacts_;
  T* rows_;
  T* impulses_;
  RangeKernels<T, IndexedContacts> kernels_;
  kernel::Job<T, IndexedContacts> law_job_;
  std::size_t width_, max_impacts_;
  kernel::OwnTally tally_;
};

/// Normal rows of all contacts that take part.
template <class T>
void fill_normal_rows(const kernel::SceneJob<T>& job, Array<NormalRow<T>>& normal_rows, std::size_t first,
                      std::size_t end) {
  const Scene<T>& scene = *job.scene;
  for (std::size_t i = first; i < end; ++i) {
    if (job.status[i] != ok) continue;
    NormalRow<T>& s = normal_rows[i];
    const T n[3] = {scene.contacts.normal.x[i], scene.contacts.normal.y[i], scene.contacts.normal.z[i]};
    const T length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int c = 0; c < 3; ++c) s.n[c] = n[c] / length;
    const auto turn = [&](const Vector3Columns<const T>& lever, T(&to)[3]) {
      const T r[3] = {lever.x[i], lever.y[i], lever.z[i]};
      for (int c = 0; c < 3; ++c) to[c] = r[(c + 1) % 3] * s.n[(c + 2) % 3] - r[(c + 2) % 3] * s.n[(c + 1) % 3];
    };
    turn(scene.contacts.r_a, s.turn_a);
    turn(scene.contacts.r_b, s.turn_b);
    s.target = scene.contacts.target_velocity ? scene.contacts.target_velocity[i] : T(0);
  }
}

/// Selects the hubs and their contacts: a contact belongs to the body with more items.
template <class T>
void find_hubs(const kernel::JobInput<T>& job, const Graph& graph, const Array<std::uint32_t>& island_of_item,
               ImpactWorkspace<T>& space) {
  Hubs<T>& hubs = space.hubs;
  const Lists& items = space.items_of_body;
  const auto size_of = [&](std::int32_t body) {
    const std::uint32_t size =
        body < 0 ? 0 : items.begin[static_cast<std::size_t>(body) + 1] - items.begin[static_cast<std::size_t>(body)];
    return size > Hubs<T>::few && kernel::is_movable(kernel::record_of(job.body_rows, body)) ? size : 0;
  };
  /// The hub that has a contact, or -1.
  const auto owner_of = [&](std::uint32_t contact) -> std::int32_t {
    if (island_of_item[contact] == Graph::no_island) return -1;
    const std::int32_t a = job.scene->contacts.body_a[contact], b = job.scene->contacts.body_b[contact];
    const std::uint32_t of_a = size_of(a), of_b = size_of(b);
    if (std::max(of_a, of_b) == 0) return -1;
    return of_a < of_b || (of_a == of_b && b < a) ? b : a;
  };
  hubs.list.clear();
  std::uint32_t largest = 0;
  for (std::size_t body = 0; body < job.bodies; ++body)
    largest = std::max(largest, size_of(static_cast<std::int32_t>(body)));
  if (largest == 0) return;
  hubs.of_body.assign(job.bodies, Hubs<T>::none);
  for (std::uint32_t i = 0; i < job.contacts; ++i) {
    const std::int32_t owner = owner_of(i);
    if (owner < 0) continue;
    std::uint32_t& hub = hubs.of_body[static_cast<std::size_t>(owner)];
    if (hub == Hubs<T>::none) hubs.list.push_back({.body = owner, .island = island_of_item[i]});
    hub = 0;
  }
  if (hubs.list.empty()) return;
  std::sort(hubs.list.begin(), hubs.list.end(), [](const Hub<T>& x, const Hub<T>& y) {
    return x.island != y.island ? x.island < y.island : x.body < y.body;
  });
  hubs.of_island.assign(graph.islands + 1, 0);
  for (const Hub<T>& hub : hubs.list) ++hubs.of_island[hub.island + 1];
  for (std::size_t i = 0; i < graph.islands; ++i) hubs.of_island[i + 1] += hubs.of_island[i];
  for (std::uint32_t h = 0; h < hubs.list.size(); ++h) hubs.of_body[static_cast<std::size_t>(hubs.list[h].body)] = h;
  hubs.hub_of.assign(job.contacts, Hubs<T>::none);
  for (std::uint32_t i = 0; i < job.contacts; ++i) {
    const std::int32_t owner = owner_of(i);
    if (owner < 0) continue;
    hubs.hub_of[i] = hubs.of_body[static_cast<std::size_t>(owner)];
    ++hubs.list[hubs.hub_of[i]].end;
  }
  std::uint32_t count = 0;
  for (Hub<T>& hub : hubs.list) {
    hub.first = count;
    count += hub.end;
    hub.end = hub.first;
  }
  hubs.contacts.resize(count);
  for (std::uint32_t i = 0; i < job.contacts; ++i)
    if (hubs.hub_of[i] != Hubs<T>::none) hubs.contacts[hubs.list[hubs.hub_of[i]].end++] = i;
  hubs.spots.resize(count);
  hubs.segments.resize(count);
  hubs.nodes.resize(2 * std::size_t{count});
  hubs.leaf.resize(job.contacts);
  hubs.refused.assign(job.contacts, 0);
  hubs.first_root.assign(job.bodies, Hubs<T>::none);
  hubs.changed.assign(job.bodies, 0);
  hubs.pushed.assign(job.bodies, 0);
  hubs.has_refused.assign(graph.islands, 0);
}

/// Lists who takes part in the tournaments of islands: items that no hub has, and then the hubs.
template <class T>
void enter(const kernel::JobInput<T>& job, const Graph& graph, ImpactWorkspace<T>& space) {
  const Lists& items = space.items_of_island;
  Hubs<T>& hubs = space.hubs;
  const std::size_t count = job.contacts + graph.groups.size();
  space.number.resize(count);
  space.place.resize(count);
  space.entrants.resize(count);
  space.entrants_count.resize(graph.islands);
  for (std::size_t island = 0; island < graph.islands; ++island) {
    const std::uint32_t begin = items.begin[island];
    std::uint32_t n = 0;
    for (std::uint32_t i = begin; i < items.begin[island + 1]; ++i) {
      const std::uint32_t item = items.of[i];
      space.number[item] = i - begin;
      if (!hubs.list.empty() && item < job.contacts && hubs.hub_of[item] != Hubs<T>::none) continue;
      space.place[item] = n;
      space.entrants[begin + n++] = item;
    }
    if (!hubs.list.empty())
      for (std::uint32_t h = hubs.of_island[island]; h < hubs.of_island[island + 1]; ++h) {
        Hub<T>& hub = hubs.list[h];
        hub.place = n;
        space.entrants[begin + n++] = hubs.contacts[hub.first];
      }
    space.entrants_count[island] = n;
  }
}

template <class T>
const T* velocity_of(const kernel::JobInput<T>& job, std::ptrdiff_t body) {
  return kernel::record_of(job.body_rows, body) + kernel::BodyRecord::velocity;
}

/// Statuses, results and velocities as the methods that sweep leave them.
template <class T>
void store(kernel::SceneJob<T>& job, const T* impulses, const Array<std::uint32_t>& island,
           const Array<Status>& outcome, Array<std::uint8_t>& overflow) {
  const SceneResults<T>& results = *job.results;
  for (std::size_t i = 0; i < job.bodies; ++i)
    std::copy_n(velocity_of(job, static_cast<std::ptrdiff_t>(i)), 6, job.velocities[i].numbers);
  for (std::size_t i = 0; i < job.contacts; ++i) {
    if (job.status[i] != ok) continue;
    const T p[3] = {impulses[i], impulses[job.contacts + i], impulses[2 * job.contacts + i]};
    const bool pushed = p[0] != T(0) || p[1] != T(0) || p[2] != T(0);
    // A fault in a later impact does not revert earlier impacts.
    job.status[i] = static_cast<std::uint8_t>(pushed                 ? Status::ok
                                              : is_fault(outcome[i]) ? outcome[i]
                                                                     : Status::separating);
    if (!pushed && results.path.data != nullptr) results.path[i] = {SlidingEnd::separating};
    const auto put = [&](const Vector3Columns<T>& columns, const T* v) {
      if (columns.x) columns.x[i] = v[0];
      if (columns.y) columns.y[i] = v[1];
      if (columns.z) columns.z[i] = v[2];
    };
    put(results.impulse, p);
    const auto velocity_at = [&](std::int32_t body, const Vector3Columns<const T>& lever, int sign, T* to) {
      const T* const v = velocity_of(job, body);
      const T r[3] = {lever.x[i], lever.y[i], lever.z[i]};
      for (int c = 0; c < 3; ++c)
        to[c] +=
            static_cast<T>(sign) * (v[c] + v[3 + (c + 1) % 3] * r[(c + 2) % 3] - v[3 + (c + 2) % 3] * r[(c + 1) % 3]);
    };
    T u[3] = {0, 0, 0};
    velocity_at(job.scene->contacts.body_a[i], job.scene->contacts.r_a, 1, u);
    velocity_at(job.scene->contacts.body_b[i], job.scene->contacts.r_b, -1, u);
    put(results.separation_velocity, u);
    const auto square = [](const T* v) { return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]; };
    if (!std::isfinite(square(u) + square(p))) overflow[island[i]] = 1;
  }
}

/// Marks islands of groups whose bodies, impulses or residuals are beyond the range.
template <class T>
void mark_overflow(const kernel::SceneJob<T>& job, const Graph& graph, Array<std::uint8_t>& overflow) {
  for (std::size_t g = 0; g < graph.groups.size(); ++g) {
    const Constraint& group = graph.groups[g];
    T sum = 0;
    for (std::uint32_t r = 0; r < group.count; ++r)
      sum += job.row_impulse[kernel::number_at(job.row_at, group.first + r)] * T(0);
    for (const std::int32_t body : {group.body_a, group.body_b})
      for (int c = 0; c < 6; ++c) sum += velocity_of(job, body)[c] * T(0);
    sum += JointBlock<T>(job, group).worst() * T(0);
    if (sum != T(0)) overflow[graph.island_of_group[g]] = 1;
  }
}

/// Returns whether the collision matrix of contact i is in the range of T. Other overflows depend on velocities and are
/// detected for whole islands.
template <class T>
bool has_finite_matrix(const kernel::JobInput<T>& job, std::size_t i) {
  T trace = 0;
  const auto add = [&](std::int32_t body, const Vector3Columns<const T>& lever) {
    const T* const row = kernel::record_of(job.body_rows, body);
    const T x = lever.x[i], y = lever.y[i], z = lever.z[i];
    trace += 3 * row[0] + row[1] * (y * y + z * z) + row[4] * (x * x + z * z) + row[6] * (x * x + y * y);
    trace -= 2 * (row[2] * x * y + row[3] * x * z + row[5] * y * z);
  };
  add(job.scene->contacts.body_a[i], job.scene->contacts.r_a);
  add(job.scene->contacts.body_b[i], job.scene->contacts.r_b);
  return std::isfinite(trace);
}

}  // namespace

template <class T>
void ImpactSolver<T>::make_batches() {
  while (memory_.batches.size() < team_.slots()) memory_.batches.push_back(make_owned<ImpactBatch<T>>());
  for (const auto& batch : memory_.batches) {
    batch->impacts = batch->lanes = batch->lanes_used = 0;
    batch->active.reserve(ImpactBatch<T>::most);
    batch->stale_hubs.reserve(memory_.hubs.list.capacity());
    workspace_of(*batch);
  }
}

template <class T>
void ImpactSolver<T>::validate() {
  const IsaEntry& entry = call_.entry;
  kernel::SceneJob<T>& job = call_.job;
  const IndexedContacts<T> all = job.scene->indexed_contacts();
  const RangeKernels<T, IndexedContacts> kernels{kernel_for<T, IndexedContacts>(*entry.kernels),
                                                 kernel_for<T, IndexedContacts>(*entry.algebraic)};
  make_batches();
  team_.each(job.contacts, 4096, [&](std::size_t first, std::size_t end, std::size_t slot) {
    ImpactBatch<T>& batch = *memory_.batches[slot];
    for (std::size_t i = first; i < end; i += ImpactBatch<T>::most) {
      const std::size_t n = std::min(ImpactBatch<T>::most, end - i);
      const IndexedContacts<T> contacts = columns::sliced(all, i, n);
      Results<T> results;
      results.status = {batch.status, n};
      kernel::Job<T, IndexedContacts> law_job{contacts, results, parameters_for<T>(call_.options.collision)};
      law_job.layout.packed_bodies = job.body_rows;
      kernel::OwnTally uncounted;
      solve_range(law_job, kernels, 0, n, workspace_of(batch), batch.components.get(), uncounted);
      for (std::size_t k = 0; k < n; ++k) {
        const Status status = batch.status[k];
        if (job.status[i + k] != static_cast<std::uint8_t>(Status::ok)) continue;
        const bool of_law = status >= Status::law_unavailable && status <= Status::restitution_law_unavailable;
        if (of_law || status == Status::collision_matrix_not_positive_definite ||
            (status == Status::overflow && !has_finite_matrix(job, i + k)))
          job.status[i + k] = static_cast<std::uint8_t>(status);
      }
    }
  });
}

template <class T>
bool ImpactSolver<T>::begin() {
  kernel::SceneJob<T>& job = call_.job;
  const Graph& graph = call_.graph;
  const std::size_t items = job.contacts + graph.groups.size();
  std::fill_n(impulses_, 3 * job.contacts, T(0));

  Array<std::uint32_t>& island_of_item = memory_.island_of_item;
  island_of_item.assign(items, Graph::no_island);
  for (std::size_t m = 0; m < graph.manifolds.size(); ++m)
    for (std::uint32_t p = 0; p < graph.manifolds[m].count; ++p)
      island_of_item[kernel::number_at(job.contact_at, graph.manifolds[m].first + p)] = graph.island_of_manifold[m];
  for (std::size_t g = 0; g < graph.groups.size(); ++g) island_of_item[job.contacts + g] = graph.island_of_group[g];
  bool is_sound = true;
  for (const Constraint& group : graph.groups) {
    const JointBlock<T> block(job, group);
    for (std::uint32_t r = 0; r < group.count; ++r) {
      const Status fault = block.fault(job, r);
      if (fault == Status::ok) continue;
      job.row_status[block.number(r)] = static_cast<std::uint8_t>(fault);
      is_sound = false;
    }
  }
  if (!is_sound) return false;
  for (const Constraint& group : graph.groups) JointBlock<T>(job, group).begin(job);
  memory_.items_of_island.build(graph.islands, items, [&](std::uint32_t item, const auto& f) {
    if (island_of_item[item] != Graph::no_island) f(island_of_item[item]);
  });
  const auto bodies = [&](std::uint32_t item, const auto& f) {
    if (island_of_item[item] == Graph::no_island) return;
    const Scene<T>& scene = *job.scene;
    const bool is_contact = item < job.contacts;
    const std::int32_t a = is_contact ? scene.contacts.body_a[item] : graph.groups[item - job.contacts].body_a;
    const std::int32_t b = is_contact ? scene.contacts.body_b[item] : graph.groups[item - job.contacts].body_b;
    if (a >= 0) f(static_cast<std::uint32_t>(a));
    if (b >= 0) f(static_cast<std::uint32_t>(b));
  };
  memory_.items_of_body.build(job.bodies, items, bodies);
  memory_.first_item.assign(job.bodies, 0);
  for (std::size_t i = 0; i < job.bodies; ++i)
    if (memory_.items_of_body.begin[i] < memory_.items_of_body.begin[i + 1])
      memory_.first_item[i] = memory_.items_of_body.of[memory_.items_of_body.begin[i]];
  find_hubs(job, graph, island_of_item, memory_);
  if (!memory_.hubs.list.empty())
    memory_.items_of_body.build(job.bodies, items, [&](std::uint32_t item, const auto& f) {
      if (item >= job.contacts || memory_.hubs.hub_of[item] == Hubs<T>::none) bodies(item, f);
    });
  enter(job, graph, memory_);
  memory_.winner.resize(graph.islands);
  memory_.tree.resize(2 * items);
  memory_.urgency.resize(items);
  memory_.normal_rows.resize(job.contacts);
  memory_.energy.assign(graph.islands, 0);
  memory_.impacts.assign(graph.islands, 0);
  memory_.outcome.assign(job.contacts, Status::separating);
  call_.islands.begin_pass(graph.islands);
  make_batches();
  team_.each(job.contacts, 1024, [&](std::size_t first, std::size_t end, std::size_t) {
    fill_normal_rows(job, memory_.normal_rows, first, end);
  });
  return true;
}

template <class T>
SweepOutcome ImpactSolver<T>::solve() {
  const Graph& graph = call_.graph;
  Islands& islands = call_.islands;
  const Array<std::uint32_t>& island_of_item = memory_.island_of_item;
  team_.each_balanced(graph.parts.size(), 1, [&](std::size_t first, std::size_t end, std::size_t slot) {
    Sequence<T> sequence(call_, memory_, *memory_.batches[slot], impulses_);
    const std::uint32_t last = graph.parts[end - 1].first_island + graph.parts[end - 1].islands;
    sequence.solve(graph.parts[first].first_island, last);
  });

  SweepOutcome outcome;
  for (const auto& batch : memory_.batches) {
    outcome.lanes += batch->lanes;
    outcome.lanes_used += batch->lanes_used;
  }
  const Sequence<T> observer(call_, memory_, *memory_.batches[0], impulses_);
  store(call_.job, impulses_, island_of_item, memory_.outcome, islands.overflow);
  mark_overflow(call_.job, graph, islands.overflow);
  for (std::size_t island = 0; island < graph.islands; ++island) {
    const double approach = islands.approach[island];
    IslandResult& result = islands.result[island];
    outcome.approach = std::max(outcome.approach, approach);
    result.algorithm = IslandAlgorithm::impacts;
    result.iterations =
        static_cast<int>(std::min(memory_.impacts[island], std::size_t{std::numeric_limits<int>::max()}));
    if (islands.overflow[island] == 0) continue;
    outcome.overflow = true;
    result.status = IslandStatus::overflow;
    result.residual = approach > 0 ? approach : std::numeric_limits<double>::infinity();
  }
  for (std::uint32_t item = 0; item < island_of_item.size(); ++item)
    if (const std::uint32_t island = island_of_item[item];
        island != Graph::no_island && islands.overflow[island] == 0) {
      double& residual = islands.result[island].residual;
      residual = std::max(residual, static_cast<double>(observer.urgency_of(item)));
    }
  for (std::size_t island = 0; island < graph.islands; ++island) islands.note_error(island, islands.approach[island]);
  return outcome;
}

template class ImpactSolver<float>;
template class ImpactSolver<double>;

}  // namespace carom::scene
