// The islands of SceneMethod::coulomb that sweeps on lanes solve, without W: those of contacts alone, without joints and
// contact models. The sweeps are those of SceneMethod::simultaneous, whose fixed points obey the same law; the error is
// that of the contact system, from the velocities of the bodies.
#pragma once

#include <exception>
#include <mutex>

#include "coulomb_workspace.hpp"
#include "scene/island_sweeps.hpp"

namespace carom::scene::coulomb {

template <class T>
class LaneSweeps : protected IslandSweeps<T> {
  using Base = IslandSweeps<T>;

 protected:
  using typename Base::Head;

  LaneSweeps(const Call<T>& call, double tolerance)
      : Base(call), space_(call.workspace.coulomb), tolerance_(tolerance) {}

  /// Sweeps the islands of the order that may be solved so. Those that are solved stand in their blocks; those that are
  /// left begin with SceneJob::carried, at the velocities in SceneJob::kept_velocities.
  void sweep_on_lanes() {
    for (SweptIsland& island : space_.swept) island.state = SweptIsland::out;
    if (tolerance_ < least_tolerance) return;
    if (space_.swept.size() < graph_.islands) space_.swept.resize(graph_.islands);
    space_.place.assign(job_.bodies, -1);
    bool any = false;
    for (const std::uint32_t i : space_.order) any = choose(i) || any;
    if (!any) return;
    if (job_.kept_moment[0] != nullptr)
      for (std::size_t d = 0; d < 3; ++d)
        std::copy_n(job_.carried_moment[d], job_.contacts, job_.kept_moment[d]);
    std::mutex failing;
    std::exception_ptr failure;
    this->each_part([&](const Part& part, const auto& each) {
      try {
        solve(part, each);
      } catch (...) {
        const std::lock_guard lock(failing);
        failure = std::current_exception();
      }
    });
    if (!failure) return;
    // What memory has failed in the middle of is in no state to be used again.
    space_.swept.clear();
    std::rethrow_exception(failure);
  }

  int sweeps_on_lanes(std::uint32_t i) const {
    return i < space_.swept.size() && space_.swept[i].state != SweptIsland::out ? space_.swept[i].sweeps : 0;
  }

  using Base::call_;
  using Base::graph_;
  using Base::job_;
  using Base::kernels_;
  using Base::options_;
  using Base::workspace_;
  Workspace& space_;
  double tolerance_;

 private:
  static constexpr bool is_float = sizeof(T) == sizeof(float);
  /// Errors below are in the roundings of the sweeps.
  static constexpr double least_tolerance = is_float ? 1e-5 : 1e-14;
  static constexpr double unit = is_float ? 0x1p-24 : 0x1p-53;

  /// Calls f(k, contact) for the contacts of an island in the order of its numbers.
  template <class F>
  void each_contact(std::uint32_t island, const F& f) const {
    std::size_t k = 0;
    for (const std::uint32_t* m = space_.manifolds.of(island); m != space_.manifolds.of(island + 1); ++m)
      for (std::uint32_t p = 0; p < job_.manifolds[*m].count; ++p, ++k)
        f(k, kernel::number_at(job_.contact_at, job_.manifolds[*m].first + p));
  }

  bool choose(std::uint32_t i) {
    if (space_.groups.of(i) != space_.groups.of(i + 1)) return false;
    const std::uint32_t *const first = space_.manifolds.of(i), *const end = space_.manifolds.of(i + 1);
    std::size_t contacts = 0;
    for (const std::uint32_t* m = first; m != end; ++m) {
      contacts += job_.manifolds[*m].count;
      if (!graph_.models.empty() && graph_.models[*m] != 0) return false;
    }
    const auto given = [&](std::size_t contact) { return static_cast<double>(job_.scene->contacts.friction[contact]); };
    bool any_above = false;
    each_contact(i, [&](std::size_t, std::size_t contact) {
      any_above = any_above || given(contact) > options_.coulomb.most_friction;
    });
    if (any_above) return false;
    SweptIsland& island = space_.swept[i];
    island.state = SweptIsland::goes_on;
    island.resize(contacts);
    each_contact(i, [&](std::size_t k, std::size_t contact) {
      island.friction[k] = given(contact);
      for (std::size_t d = 0; d < 3; ++d) island.x[3 * k + d] = static_cast<double>(job_.carried[d][contact]);
    });
    find_responses(i, island);
    find_pairs(i, island);
    return true;
  }

  /// What touches what, and the blocks of W.
  void find_pairs(std::uint32_t i, SweptIsland& island) {
    island.pairs.clear();
    std::vector<double>& contacts_of = space_.contacts_of;
    contacts_of.clear();
    island.blocks = 0;
    for (const std::uint32_t* m = space_.manifolds.of(i); m != space_.manifolds.of(i + 1); ++m) {
      const kernel::Constraint& manifold = job_.manifolds[*m];
      const auto number = [&](std::int32_t body) -> std::int32_t {
        if (body < 0 || !kernel::is_movable(kernel::record_of(job_.body_rows, body))) return -1;
        std::int32_t& place = space_.place[static_cast<std::size_t>(body)];
        if (place < 0) place = static_cast<std::int32_t>(contacts_of.size()), contacts_of.push_back(0);
        contacts_of[static_cast<std::size_t>(place)] += manifold.count;
        return place;
      };
      const std::int32_t a = number(manifold.body_a), b = number(manifold.body_b);
      if (a < 0 || b < 0) continue;
      island.pairs.push_back({a, b});
      island.blocks -= manifold.count * manifold.count;
    }
    island.bodies = contacts_of.size();
    for (const double contacts : contacts_of) island.blocks += contacts * contacts;
  }

  /// The trace of K of each contact, 3 m + tr J |r|² − r · J r of both bodies.
  void find_responses(std::uint32_t i, SweptIsland& island) {
    const SceneContacts<T>& contacts = job_.scene->contacts;
    std::size_t k = 0;
    for (const std::uint32_t* m = space_.manifolds.of(i); m != space_.manifolds.of(i + 1); ++m) {
      const kernel::Constraint& manifold = job_.manifolds[*m];
      const auto add = [&](std::int32_t body, const Vector3Columns<const T>& levers) {
        const T* const record = kernel::record_of(job_.body_rows, body);
        if (body < 0 || !kernel::is_movable(record)) return;
        const auto number = [&](std::size_t c) { return static_cast<double>(record[c]); };
        constexpr std::size_t j = kernel::BodyRecord::inverse_inertia;
        const double xx = number(j), xy = number(j + 1), xz = number(j + 2), yy = number(j + 3), yz = number(j + 4),
                     zz = number(j + 5);
        for (std::uint32_t p = 0; p < manifold.count; ++p) {
          const std::size_t contact = kernel::number_at(job_.contact_at, manifold.first + p);
          const auto x = static_cast<double>(levers.x[contact]), y = static_cast<double>(levers.y[contact]),
                     z = static_cast<double>(levers.z[contact]);
          island.response[k + p] += number(kernel::BodyRecord::inverse_mass) +
                                    ((yy + zz) * x * x + (xx + zz) * y * y + (xx + yy) * z * z -
                                     2 * (xy * x * y + xz * x * z + yz * y * z)) / 3;
        }
      };
      for (std::uint32_t p = 0; p < manifold.count; ++p) island.response[k + p] = 0;
      add(manifold.body_a, contacts.lever_a);
      add(manifold.body_b, contacts.lever_b);
      k += manifold.count;
    }
  }

  /// Calls f(block, lanes) for the live blocks of a part that have islands for which wanted(island).
  template <class Each, class Wanted, class F>
  void each_block(const Part& part, const Each& each, const Wanted& wanted, const F& f) {
    this->each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t) {
      for (std::size_t i = 0; i < n; ++i) {
        const Head& of = this->head(blocks[i]);
        std::uint32_t lanes = 0;
        for (std::uint32_t lane = 0; lane < of.lanes; ++lane)
          if (wanted(this->island(of, lane))) lanes |= 1u << lane;
        if (lanes != 0) f(blocks[i], lanes);
      }
    });
  }

  bool goes_on(std::uint32_t i) const { return space_.swept[i].state == SweptIsland::goes_on; }
  bool is_bystander(std::uint32_t i) const {
    return space_.swept[i].state == SweptIsland::out && workspace_.sweeping[i] == Sweeping::goes_on;
  }

  /// Impulses become x of these islands, and velocities those without any.
  template <class Each, class Wanted>
  void put(const Part& part, const Each& each, const Wanted& wanted) {
    for_each(part, wanted, [&](std::uint32_t i, const SweptIsland& island) {
      const double factor = island.mass / island.scale;
      each_contact(i, [&](std::size_t k, std::size_t contact) {
        for (std::size_t d = 0; d < 3; ++d) job_.kept[d][contact] = static_cast<T>(island.x[3 * k + d] * factor);
      });
    });
    each_block(part, each, wanted,
               [&](std::byte* block, std::uint32_t lanes) { kernels_.return_to_kept(job_, block, lanes); });
  }

  template <class Wanted, class F>
  void for_each(const Part& part, const Wanted& wanted, const F& f) {
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i)
      if (wanted(i)) f(i, space_.swept[i]);
  }

  template <class Each>
  void apply(const Part& part, const Each& each) {
    this->each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t slot) {
      for (std::size_t i = 0; i < n; ++i) kernels_.warm_start(job_, blocks[i], this->nowhere(slot));
    });
  }

  /// Reads the impulses and velocities of the islands that go on.
  template <class Each>
  void read(const Part& part, const Each& each) {
    const auto wanted = [&](std::uint32_t i) { return goes_on(i); };
    each_block(part, each, wanted, [&](std::byte* block, std::uint32_t lanes) { kernels_.tell(job_, block, lanes); });
    for_each(part, wanted, [&](std::uint32_t i, SweptIsland& island) {
      const double of_impulses = island.scale / island.mass;
      each_contact(i, [&](std::size_t k, std::size_t contact) {
        for (std::size_t d = 0; d < 3; ++d) {
          island.r[3 * k + d] = static_cast<double>(job_.carried[d][contact]) * of_impulses;
          island.u[3 * k + d] = static_cast<double>(job_.kept[d][contact]) * island.scale;
        }
      });
    });
  }

  template <class Each>
  void solve(const Part& part, const Each& each) {
    const auto swept = [&](std::uint32_t i) { return goes_on(i); };
    const auto bystander = [&](std::uint32_t i) { return is_bystander(i); };
    bool any = false;
    for_each(part, swept, [&](std::uint32_t, const SweptIsland&) { any = true; });
    if (!any) return;
    each_block(part, each, bystander, [&](std::byte* block, std::uint32_t lanes) { kernels_.keep(job_, block, lanes); });

    for_each(part, swept, [&](std::uint32_t, SweptIsland& island) { island.scale = island.mass = 1; });
    put(part, each, swept);
    read(part, each);
    for_each(part, swept, [&](std::uint32_t, SweptIsland& island) { island.begin(tolerance_); });
    put(part, each, [&](std::uint32_t i) { return space_.swept[i].state == SweptIsland::solved; });
    kernel::SceneJob<T> job = job_;
    job.reads_ahead = this->bytes_of(part) > (std::size_t{1} << 20);
    job.measures_changes = false;
    job.parameters.relaxation = 1;
    job.parameters.rounds = 1;
    bool looks = false;
    for (int sweeps = 0; retire_ended(part);) {
      apply(part, each);
      const int more = looks ? SweptIsland::sweeps_at_once(sweeps) : 0;
      for (int s = 0; s < more; ++s)
        this->each_colour_set(part, each, [&](std::byte* const* blocks, std::size_t n, std::size_t slot) {
          kernels_.simultaneous(job, blocks, n, this->nowhere(slot));
        });
      sweeps += more;
      looks = true;
      read(part, each);
      for_each(part, swept, [&](std::uint32_t, SweptIsland& island) {
        island.sweeps = sweeps;
        island.judge(unit, options_.coulomb.budget);
      });
      put(part, each, swept);
    }
    each_block(part, each, bystander,
               [&](std::byte* block, std::uint32_t lanes) { kernels_.return_to_kept(job_, block, lanes); });
    for_each(part, [&](std::uint32_t i) { return space_.swept[i].state != SweptIsland::out; },
             [&](std::uint32_t i, const SweptIsland& island) { end(i, island); });
  }

  /// Takes islands that have ended out of the sweeps; false if none is left.
  bool retire_ended(const Part& part) {
    bool any = false;
    for (std::uint32_t i = part.first_island; i < part.first_island + part.islands; ++i) {
      any = any || goes_on(i);
      if (space_.swept[i].state != SweptIsland::out && !goes_on(i)) workspace_.sweeping[i] = Sweeping::done;
    }
    this->retire(part, true);
    return any;
  }

  void end(std::uint32_t i, const SweptIsland& island) {
    workspace_.sweeps_of_island[i] += island.sweeps;
    if (island.state == SweptIsland::solved) {
      space_.method[i] = Method::lanes;
      space_.error[i] = island.q_norm > 0 ? island.best.error / island.q_norm : 0;
      return;
    }
    workspace_.sweeping[i] = Sweeping::goes_on;
    const double factor = island.mass / island.scale;
    each_contact(i, [&](std::size_t k, std::size_t contact) {
      for (std::size_t d = 0; d < 3; ++d)
        job_.carried[d][contact] = static_cast<T>(island.best.r[3 * k + d] * factor);
    });
  }
};

}  // namespace carom::scene::coulomb
