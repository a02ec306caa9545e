// The most urgent contact of a body with many contacts, a *hub*, by branch and bound.
//
// An impact changes the velocity of the hub, and with it the approach speeds of all its contacts. So the tree keeps the
// ranges of their rows and of their partners' velocities: contacts with similar rows are neighbours, and the ranges of
// a node bound the approach speed of all contacts below it for any velocity of the hub. A search skips the nodes that
// cannot have the most urgent contact.
//
// The contacts with one partner make a subtree, whose nodes read the partner's velocity. Nodes above it have several
// partners, and store bounds of their velocities. So a partner that moves changes only its ancestors.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/support/array.hpp"
#include "core/support/scratch.hpp"

namespace carom::scene {

/// The order of contacts: by speed, then by `tie`, a different number for every contact.
template <class T>
struct Urgency {
  T speed;
  std::uint64_t tie;

  bool operator<(const Urgency& other) const { return speed != other.speed ? speed < other.speed : tie < other.tie; }
};

/// A contact seen from its hub. Its approach speed is
/// target - Σ (n (v_hub - v_partner) + (turn_hub w_hub - turn_partner w_partner)), c by c.
template <class T>
struct HubRow {
  T n[3], turn_hub[3], turn_partner[3], target;
  std::int32_t partner;
};

template <class T>
struct Range {
  T min = std::numeric_limits<T>::infinity(), max = -std::numeric_limits<T>::infinity();

  void include(T x) { include({x, x}); }
  void include(const Range& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
  Range times(T x) const { return {std::min(min * x, max * x), std::max(min * x, max * x)}; }
  Range times(const Range& other) const {
    const Range a = times(other.min), b = times(other.max);
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
  }
  T magnitude() const { return std::max(std::abs(min), std::abs(max)); }
  Range<double> wide() const { return {static_cast<double>(min), static_cast<double>(max)}; }
};

template <class T>
struct HubNode {
  static constexpr std::int32_t several = -2;  // partners
  static constexpr std::int64_t never = -1;

  // Every search reads these members.
  Range<T> n[3], turn_hub[3];
  // Several partners, and roots of subtrees with one: max approach speed for the reference velocity of the hub and the
  // present velocities of the partners; the sum of the magnitudes of all numbers that such a speed goes through, which
  // bounds its roundings; max magnitude of a component of `velocity`.
  double approach_now = 0, passed_now = 0;
  T fastest = 0;
  Urgency<T> bound{};         // no contact of the node is more urgent
  std::uint64_t tie = 0;      // max of its contacts
  std::int64_t seen = never;  // time of the search that found the bound
  std::int32_t partner = several;
  std::uint32_t right = 0;           // the left child follows its parent; leaves have no right one
  std::uint32_t root = 0;            // of the subtree with this partner
  std::uint32_t first = 0, end = 0;  // contacts in Hubs::contacts; one partner

  Range<T> turn_partner[3], target;
  Range<T> velocity[6];             // of the partners; several partners and roots
  double approach = 0, passed = 0;  // one partner: for its reference velocity
  T reference[6] = {};              // velocity of the partner; roots
  std::uint32_t parent = 0;
  std::uint32_t next_root = 0;  // of the next subtree with this partner
};

template <class T>
struct Hub {
  std::int32_t body;
  std::uint32_t island;
  std::uint32_t first = 0, end = 0;  // its contacts in Hubs::contacts
  std::uint32_t end_node = 0;        // its nodes are [root(), end_node)
  std::uint32_t place = 0;           // in the tournament of its island
  bool is_stale = false;             // waits for a search
  T reference[6] = {};               // velocity
  std::size_t work_budget = 0;       // of the searches with this reference

  std::uint32_t root() const { return 2 * first; }
};

/// The hubs of a scene. Islands have separate parts of it.
template <class T>
struct Hubs {
  /// Contact `first`, or contacts [first, end) of one partner: how much the motions of the hub change the speed of the
  /// first one.
  struct Spot {
    T at[6];
    std::uint32_t first, end;
  };
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::uint32_t few = 64;  // max items of a body that is no hub

  /// Reserves the lists for the largest hubs that are possible with these numbers of bodies, contacts and islands.
  void reserve(std::size_t bodies, std::size_t of_contacts, std::size_t items, std::size_t islands) {
    make_room(2 * items / few, list);
    make_room(islands + 1, of_island, has_refused);
    make_room(bodies, of_body, first_root, changed, pushed);
    make_room(of_contacts, hub_of, contacts, spots, segments, leaf, refused);
    make_room(2 * of_contacts, nodes);
  }

  Array<Hub<T>> list;               // island by island
  Array<std::uint32_t> of_island;   // hubs [of_island[i], of_island[i + 1])
  Array<std::uint32_t> of_body;     // or none
  Array<std::uint32_t> hub_of;      // of contacts, or none
  Array<std::uint32_t> contacts;    // hub by hub
  Array<Spot> spots, segments;      // of `contacts`, and of partners: while a tree is built
  Array<HubNode<T>> nodes;          // 2 for each of `contacts`
  Array<std::uint32_t> leaf;        // of contacts
  Array<std::uint32_t> first_root;  // of bodies: of the subtrees in which a movable body is the partner, or none
  // Time of the last impact that changed the velocity of a body, that pushed a body, and that gave a contact no
  // impulse.
  Array<std::int64_t> changed, pushed, refused;
  Array<std::uint8_t> has_refused;  // of islands
};

/// `AnyContacts` has the data of contacts and bodies:
///   HubRow<T> row(contact, hub), std::int32_t partner(contact, hub), std::uint64_t tie(contact);
///   T speed(contact): the approach speed, or -∞ for a contact that does not count;
///   const T* velocity(body): v, w; bool moves(body);
///   T response(body, c): change of component c of v, w by a unit impulse there.
template <class T, class AnyContacts>
class HubTree {
 public:
  static constexpr std::uint32_t max_of_leaf = 4;

  HubTree(Hubs<T>& hubs, Hub<T>& hub, const AnyContacts& contacts) : hubs_(hubs), hub_(hub), contacts_(contacts) {}

  void build() {
    std::uint32_t* const all = hubs_.contacts.data();
    std::sort(all + hub_.first, all + hub_.end, [&](std::uint32_t x, std::uint32_t y) {
      const std::int32_t p = contacts_.partner(x, hub_.body), q = contacts_.partner(y, hub_.body);
      return p != q ? p < q : x < y;
    });
    T weight[6];
    for (int c = 0; c < 6; ++c) weight[c] = std::sqrt(contacts_.response(hub_.body, c));
    std::uint32_t segments = hub_.first;
    std::int32_t last = HubNode<T>::several;
    for (std::uint32_t i = hub_.first; i < hub_.end; ++i) {
      const HubRow<T> row = contacts_.row(all[i], hub_.body);
      Spot& spot = hubs_.spots[i];
      for (int c = 0; c < 6; ++c) {
        const T x = weight[c] * (c < 3 ? row.n[c] : row.turn_hub[c - 3]);
        spot.at[c] = x == x ? x : T(0);
      }
      spot.first = all[i];
      if (row.partner != last) {
        hubs_.segments[segments] = spot;
        hubs_.segments[segments++].first = i;
      }
      hubs_.segments[segments - 1].end = i + 1;
      last = row.partner;
    }
    next_ = hub_.root();
    grow_over_partners(hub_.first, segments, next_);
    hub_.end_node = next_;
    refer();
  }

  /// Takes over the velocity of a partner that has moved; for each of its subtrees. The ranges of velocities above it
  /// keep its earlier ones until refer(), so that siblings need not be read for them.
  void move_partner(std::uint32_t root) {
    take_velocity(root);
    for (std::uint32_t i = root; i != hub_.root();) {
      i = at(i).parent;
      at(i).seen = HubNode<T>::never;
      sum_up_speeds(i);
      at(i).fastest = std::max(at(i).fastest, at(root).fastest);
      for (int c = 0; c < 6; ++c) at(i).velocity[c].include(at(root).velocity[c]);
    }
  }

  /// Tells that the speed of a contact counts otherwise though no velocity has changed.
  void forget(std::uint32_t contact) {
    for (std::uint32_t i = hubs_.leaf[contact];; i = at(i).parent) {
      at(i).seen = HubNode<T>::never;
      if (i == hub_.root()) return;
    }
  }

  struct Found {
    std::uint32_t contact;
    T speed;
  };
  /// Returns the most urgent contact. Times of impacts and searches must not decrease.
  Found find(std::int64_t time) {
    if (hub_.work_budget > 4 * (hub_.end - hub_.first)) refer();
    time_ = time;
    best_ = {-std::numeric_limits<T>::infinity(), 0};
    found_ = hubs_.contacts[hub_.first];
    hub_velocity_ = contacts_.velocity(hub_.body);
    fastest_ = 0;
    for (int c = 0; c < 6; ++c) {
      const auto now = static_cast<double>(hub_velocity_[c]);
      change_[c] = now - static_cast<double>(hub_.reference[c]);
      fastest_ = std::max(fastest_, std::abs(now));
    }
    set_bound(hub_.root());
    if (best_ < at(hub_.root()).bound) visit(hub_.root());
    hub_.work_budget += work_budget_;
    return {found_, best_.speed};
  }

  /// Number of bounds and speeds that searches have evaluated.
  std::size_t work_budget() const { return work_budget_; }

 private:
  using Spot = typename Hubs<T>::Spot;

  static constexpr std::size_t read_ahead = 192;  // bytes of a node that every search reads

  HubNode<T>& at(std::uint32_t i) const { return hubs_.nodes[i]; }
  bool is_root(std::uint32_t i) const { return at(i).partner != HubNode<T>::several && at(i).root == i; }

  // ---- Building

  /// Halves a list across the axis along which its spots lie farthest apart. Returns the first of the second half.
  template <class ContactOf>
  std::uint32_t halve(Array<Spot>& list, std::uint32_t first, std::uint32_t end, const ContactOf& contact_of) {
    Range<T> range[6];
    for (std::uint32_t i = first; i < end; ++i)
      for (int c = 0; c < 6; ++c) range[c].include(list[i].at[c]);
    int axis = 0;
    for (int c = 1; c < 6; ++c)
      if (range[c].max - range[c].min > range[axis].max - range[axis].min) axis = c;
    const std::uint32_t middle = first + (end - first) / 2;
    std::nth_element(list.begin() + first, list.begin() + middle, list.begin() + end,
                     [&](const Spot& x, const Spot& y) {
                       if (x.at[axis] != y.at[axis]) return x.at[axis] < y.at[axis];
                       return contacts_.tie(contact_of(x)) < contacts_.tie(contact_of(y));
                     });
    return middle;
  }

  std::uint32_t grow_over_partners(std::uint32_t first, std::uint32_t end, std::uint32_t parent) {
    if (end - first == 1) {
      const Spot& segment = hubs_.segments[first];
      const std::uint32_t root = grow(segment.first, segment.end, parent);
      for (std::uint32_t i = root; i < next_; ++i) at(i).root = root;
      if (contacts_.moves(at(root).partner)) {
        std::uint32_t& roots = hubs_.first_root[static_cast<std::size_t>(at(root).partner)];
        at(root).next_root = roots;
        roots = root;
      }
      return root;
    }
    const std::uint32_t i = begin_node(parent);
    const std::uint32_t middle =
        halve(hubs_.segments, first, end, [&](const Spot& segment) { return hubs_.contacts[segment.first]; });
    grow_over_partners(first, middle, i);
    at(i).right = grow_over_partners(middle, end, i);
    sum_up(i);
    return i;
  }

  /// A subtree of contacts with one partner.
  std::uint32_t grow(std::uint32_t first, std::uint32_t end, std::uint32_t parent) {
    const std::uint32_t i = begin_node(parent);
    at(i).first = first;
    at(i).end = end;
    if (end - first > max_of_leaf) {
      const std::uint32_t middle = halve(hubs_.spots, first, end, [](const Spot& contact) { return contact.first; });
      grow(first, middle, i);
      at(i).right = grow(middle, end, i);
      sum_up(i);
      at(i).partner = at(i + 1).partner;
      return i;
    }
    HubNode<T>& leaf = at(i);
    for (std::uint32_t k = first; k < end; ++k) {
      const std::uint32_t contact = hubs_.contacts[k] = hubs_.spots[k].first;
      const HubRow<T> row = contacts_.row(contact, hub_.body);
      for (int c = 0; c < 3; ++c) {
        leaf.n[c].include(row.n[c]);
        leaf.turn_hub[c].include(row.turn_hub[c]);
        leaf.turn_partner[c].include(row.turn_partner[c]);
      }
      leaf.target.include(row.target);
      leaf.tie = std::max(leaf.tie, contacts_.tie(contact));
      leaf.partner = row.partner;
      hubs_.leaf[contact] = i;
    }
    return i;
  }

  std::uint32_t begin_node(std::uint32_t parent) {
    at(next_) = {};
    at(next_).parent = parent;
    at(next_).next_root = Hubs<T>::none;
    return next_++;
  }

  void sum_up(std::uint32_t i) {
    HubNode<T>& to = at(i);
    for (const HubNode<T>* of : {&at(i + 1), &at(to.right)}) {
      for (int c = 0; c < 3; ++c) {
        to.n[c].include(of->n[c]);
        to.turn_hub[c].include(of->turn_hub[c]);
        to.turn_partner[c].include(of->turn_partner[c]);
      }
      to.target.include(of->target);
      to.tie = std::max(to.tie, of->tie);
    }
  }

  // ---- Velocities

  /// Makes the present velocities the references.
  void refer() {
    hub_.work_budget = 0;
    std::copy_n(contacts_.velocity(hub_.body), 6, hub_.reference);
    // Children come after their parents.
    for (std::uint32_t i = hub_.root(); i < hub_.end_node; ++i)
      if (is_root(i)) std::copy_n(contacts_.velocity(at(i).partner), 6, at(i).reference);
    for (std::uint32_t i = hub_.end_node; i-- > hub_.root();) {
      if (at(i).partner == HubNode<T>::several) {
        sum_up_partners(i);
        continue;
      }
      if (at(i).right == 0) {
        find_approach(i);
      } else {
        at(i).approach = std::max(at(i + 1).approach, at(at(i).right).approach);
        at(i).passed = std::max(at(i + 1).passed, at(at(i).right).passed);
      }
      if (is_root(i)) take_velocity(i);
    }
  }

  void sum_up_speeds(std::uint32_t i) {
    HubNode<T>& to = at(i);
    const HubNode<T>&l = at(i + 1), &r = at(to.right);
    to.approach_now = std::max(l.approach_now, r.approach_now);
    to.passed_now = std::max(l.passed_now, r.passed_now);
  }
  void sum_up_partners(std::uint32_t i) {
    sum_up_speeds(i);
    HubNode<T>& to = at(i);
    const HubNode<T>&l = at(i + 1), &r = at(to.right);
    to.fastest = std::max(l.fastest, r.fastest);
    for (int c = 0; c < 6; ++c) {
      to.velocity[c] = l.velocity[c];
      to.velocity[c].include(r.velocity[c]);
    }
  }

  void take_velocity(std::uint32_t i) {
    HubNode<T>& root = at(i);
    const T* const v = contacts_.velocity(root.partner);
    root.fastest = 0;
    for (int c = 0; c < 6; ++c) {
      root.velocity[c] = {v[c], v[c]};
      root.fastest = std::max(root.fastest, std::abs(v[c]));
    }
    if (root.right == 0) {
      // A few contacts: their speeds are closer than a bound.
      std::copy_n(v, 6, root.reference);
      find_approach(i);
    }
    const Sum now = moved(root);
    root.approach_now = now.approach;
    root.passed_now = now.passed;
  }

  /// Approach and passed numbers of a leaf for the references, by the operations of the speed itself.
  void find_approach(std::uint32_t i) const {
    HubNode<T>& leaf = at(i);
    const T *const of_hub = hub_.reference, *const of_partner = at(leaf.root).reference;
    leaf.approach = leaf.passed = -std::numeric_limits<double>::infinity();
    for (std::uint32_t k = leaf.first; k < leaf.end; ++k) {
      const HubRow<T> row = contacts_.row(hubs_.contacts[k], hub_.body);
      const auto number = [](T x) { return static_cast<double>(x); };
      double speed = 0, passed = 0;
      for (int c = 0; c < 3; ++c) {
        const double along = number(row.n[c]) * (number(of_hub[c]) - number(of_partner[c]));
        const double of_turn = number(row.turn_hub[c]) * number(of_hub[3 + c]);
        const double of_other_turn = number(row.turn_partner[c]) * number(of_partner[3 + c]);
        const double turning = of_turn - of_other_turn, term = along + turning;
        speed += term;
        passed += 2 * std::abs(along) + std::abs(of_turn) + std::abs(of_other_turn) + std::abs(turning) +
                  std::abs(term) + std::abs(speed);
      }
      double approach = number(row.target) - speed;
      passed += std::abs(approach);
      if (!(passed < std::numeric_limits<double>::infinity()))
        approach = passed = std::numeric_limits<double>::infinity();
      leaf.approach = std::max(leaf.approach, approach);
      leaf.passed = std::max(leaf.passed, passed);
    }
  }

  struct Sum {
    double approach, passed;

    /// Adds a number of the row times a change of velocity. It passes through up to 6 numbers of the speed.
    void add(const Range<T>& row, double change, bool of_partner) {
      const Range<double> terms = row.wide().times(change);
      approach += of_partner ? terms.max : -terms.min;
      passed += 6 * terms.magnitude();
    }
  };
  /// A node with one partner, with the partner as it moves now.
  Sum moved(const HubNode<T>& node) const {
    const T* const v = contacts_.velocity(node.partner);
    const T* const reference = at(node.root).reference;
    Sum sum = {node.approach, node.passed};
    for (int c = 0; c < 6; ++c)
      sum.add(c < 3 ? node.n[c] : node.turn_partner[c - 3],
              static_cast<double>(v[c]) - static_cast<double>(reference[c]), true);
    return sum;
  }

  // ---- Bounds

  bool is_fresh(const HubNode<T>& node) const {
    if (node.seen < hubs_.changed[static_cast<std::size_t>(hub_.body)]) return false;
    return node.partner < 0 || node.seen >= hubs_.changed[static_cast<std::size_t>(node.partner)];
  }

  void set_bound(std::uint32_t i) {
    HubNode<T>& node = at(i);
    if (is_fresh(node)) return;
    ++work_budget_;
    const Bound found = bound_by_changes(i);
    T speed = found.speed;
    // The margin may hide a tie.
    if (!(speed < best_.speed) && !(found.least > static_cast<double>(best_.speed)))
      speed = std::min(speed, bound_by_ranges(node));
    node.bound = {speed, node.tie};
    node.seen = time_;
  }

  struct Bound {
    T speed;
    double least;  // without roundings the bound is greater
  };
  /// The approach speed for the references plus the max effect of the changes of velocity since then. The speed itself
  /// is rounded otherwise, so there is a margin: half an ε of all numbers that the speed goes through, and an ample
  /// number of roundings of this sum.
  Bound bound_by_changes(std::uint32_t i) const {
    const HubNode<T>& node = at(i);
    const bool is_stored = node.partner == HubNode<T>::several || node.root == i;
    Sum sum = is_stored ? Sum{node.approach_now, node.passed_now} : moved(node);
    for (int c = 0; c < 6; ++c) sum.add(c < 3 ? node.n[c] : node.turn_hub[c - 3], change_[c], false);
    using Limits = std::numeric_limits<T>;
    const double fastest = static_cast<double>(is_stored ? node.fastest : at(node.root).fastest) + fastest_;
    // No number that the speed goes through must overflow.
    if (!(fastest + sum.passed < static_cast<double>(Limits::max()) / 4))
      return {Limits::infinity(), -std::numeric_limits<double>::infinity()};
    constexpr double rounding =
        0.51 * static_cast<double>(Limits::epsilon()) + 16 * std::numeric_limits<double>::epsilon();
    const double margin = rounding * sum.passed + 16 * static_cast<double>(Limits::denorm_min());
    if (!(margin == margin && sum.approach == sum.approach))
      return {Limits::infinity(), -std::numeric_limits<double>::infinity()};
    return {static_cast<T>(sum.approach + margin), sum.approach - margin};
  }

  /// The operations of the approach speed on the ends of ranges. Each is monotone, roundings included, so no contact
  /// has a greater speed; where the contacts have the same numbers this is their speed, and so finds ties.
  T bound_by_ranges(const HubNode<T>& node) const {
    const Range<T>* const partner = node.partner == HubNode<T>::several ? node.velocity : at(node.root).velocity;
    T speed = 0;
    for (int c = 0; c < 3; ++c) {
      const Range<T> between = {hub_velocity_[c] - partner[c].max, hub_velocity_[c] - partner[c].min};
      speed += node.n[c].times(between).min +
               (node.turn_hub[c].times(hub_velocity_[3 + c]).min - node.turn_partner[c].times(partner[3 + c]).max);
    }
    const T bound = node.target.max - speed;
    return bound == bound ? bound : std::numeric_limits<T>::infinity();
  }

  // ---- Search

  void visit(std::uint32_t i) {
    HubNode<T>& node = at(i);
    if (node.right == 0) {
      node.bound = {-std::numeric_limits<T>::infinity(), node.tie};
      for (std::uint32_t k = node.first; k < node.end; ++k) {
        ++work_budget_;
        const std::uint32_t contact = hubs_.contacts[k];
        const T speed = contacts_.speed(contact);
        node.bound.speed = std::max(node.bound.speed, speed);
        if (speed < best_.speed) continue;
        const Urgency<T> urgency = {speed, contacts_.tie(contact)};
        if (!(best_ < urgency)) continue;
        best_ = urgency;
        found_ = contact;
      }
    } else {
      std::uint32_t first = i + 1, second = node.right;
      const auto* const bytes = reinterpret_cast<const std::byte*>(&at(second));
      for (std::size_t line = 0; line < read_ahead; line += 64) __builtin_prefetch(bytes + line);
      set_bound(first);
      set_bound(second);
      if (at(first).bound < at(second).bound) std::swap(first, second);
      if (best_ < at(first).bound) visit(first);
      if (best_ < at(second).bound) visit(second);
      node.bound = at(at(first).bound < at(second).bound ? second : first).bound;
    }
    node.seen = time_;
  }

  Hubs<T>& hubs_;
  Hub<T>& hub_;
  AnyContacts contacts_;
  std::uint32_t next_ = 0;  // node
  std::int64_t time_ = 0;
  const T* hub_velocity_ = nullptr;
  double change_[6] = {}, fastest_ = 0;  // of the hub since the reference; the max magnitude of its velocity
  Urgency<T> best_{};
  std::uint32_t found_ = 0;
  std::size_t work_budget_ = 0;
};

}  // namespace carom::scene
