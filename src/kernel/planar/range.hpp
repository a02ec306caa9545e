// The pipeline of planar collisions, for any ISA and precision:
//
//   1 load                        columns.hpp, contact.hpp; staging.hpp for batches beyond the caches
//   2 validate                    validate.hpp
//   3 frame, 4 collision matrix   problem.hpp
//   5 law                         laws.hpp (incremental, friction, region.hpp)
//   6 store                       store.hpp
//
// A vector of contacts of one law goes through all stages at once. Contacts with laws of their own go through them a
// tile at a time, grouped by law for stage 5: groups.hpp. All of a contact is read before any of its results is
// written.
//
// Each contact's arithmetic is the same in every lane and at every place: no stage combines lanes.
#pragma once

#include "contact.hpp"
#include "groups.hpp"
#include "staging.hpp"

namespace carom::kernel {
namespace {

template <class A, class T, template <class> class Contacts>
class PlanarRange {
  using B = typename LaneTypes<A, T>::Batch;
  using Validator = PlanarValidator<A, T>;
  using Tile = PlanarTile<T>;
  template <bool dense>
  using Contact = PlanarContact<A, T, Contacts, dense>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr bool has_bodies = requires(Contacts<T> c) { c.lever_a; };
  static constexpr bool has_indices = requires(Contacts<T> c) { c.body_a; };

 public:
  PlanarRange(const PlanarJob<T, Contacts>& job, PlanarWorkspace<T>& workspace, Tally& tally)
      : job_(job),
        tile_(workspace.tile),
        groups_(workspace.tile, job.contacts, job.options, !has_bodies),
        contacts_(job.contacts, workspace.stage),
        results_(job.results, workspace.stage),
        tally_(tally),
        dense_(is_dense(job)),
        staged_(has_bodies && job.layout.prefetch),
        streams_(has_bodies && job.layout.stream && job.contacts.law.data == nullptr) {}

  void solve(std::size_t first, std::size_t count) {
    end_ = first + count;
    if (streams_) results_.begin_range(first);
    if (job_.contacts.law.data == nullptr) {
      solve_alike(first, end_, job_.options.law);
    } else {
      for (std::size_t i = first; i < end_; i += Tile::size) {
        const std::size_t until = end_ - i < Tile::size ? end_ : i + Tile::size;
        if (groups_.sort(i, until - i))
          solve_mixed(i, until);
        else
          solve_alike(i, until, groups_.alike());
      }
    }
    if (streams_) results_.end_range(end_);
  }

 private:
  static constexpr std::size_t bodies_ahead = 32;

  /// Whether all columns that are there are contiguous.
  static bool is_dense(const PlanarJob<T, Contacts>& job) {
    bool dense = true;
    const auto see = [&](const auto& column, const auto&) {
      dense = dense && (column.data == nullptr || is_contiguous(column));
    };
    for_each_number(job.contacts, job.contacts, see);
    for_each_parameter(job.contacts, job.contacts, Law::composite, see);
    for_each_result(job.results, job.results, see);
    see(job.results.status, 0);
    see(job.results.path, 0);
    return dense;
  }

  /// What the lanes of a part of the range read and write: [first, first + count), counted from contact `origin`.
  struct Part {
    std::size_t origin, first, count;
    const Contacts<T>& contacts;
    const planar::Results<T>& results;
  };

  /// Calls f(part) for the whole of [first, end) or, staged, for small tiles of it with what `law` reads.
  template <class F>
  [[gnu::always_inline]] void for_each_part(std::size_t first, std::size_t end, Law law, F&& f) {
    if (!staged_) return f(Part{0, first, end - first, job_.contacts, job_.results});
    for (std::size_t i = first; i < end; i += PlanarStage<T>::size) {
      const std::size_t count = end - i < PlanarStage<T>::size ? end - i : PlanarStage<T>::size;
      f(Part{i, 0, count, contacts_.fill(i, count, law), results_.begin_tile(i)});
      results_.end_tile(i, count);
    }
  }

  /// Calls f<dense>(lanes) for the vectors of a part.
  template <class F>
  [[gnu::always_inline]] void for_each_vector(const Part& part, F&& f) {
    const std::size_t end = part.first + part.count;
    for (std::size_t i = part.first; i < end; i += width) {
      const Lanes lanes = {i, end - i < width ? end - i : width};
      if (dense_ && lanes.count == width) [[likely]]
        f.template operator()<true>(lanes);
      else
        f.template operator()<false>(lanes);
    }
  }

  [[gnu::always_inline]] void fetch(std::size_t i) {
    if constexpr (has_indices)
      if (i + bodies_ahead + width <= end_) fetch_bodies(job_.contacts, i + bodies_ahead, width);
  }

  [[gnu::noinline]] void solve_alike(std::size_t first, std::size_t end, Law law) {
    for_each_part(first, end, law, [&](const Part& part) {
      for_each_vector(
          part, [&]<bool dense>(const Lanes& lanes) __attribute__((always_inline)) {
            fetch(part.origin + lanes.first);
            Contact<dense> contact;
            contact.load(part.contacts, lanes);
            Validator validator;
            validator.read_parameters(part.contacts, lanes, law, job_.options.restitution_law);
            contact.judge_matrix(validator);
            validator.law_columns(part.contacts);
            contact.judge(validator, job_.options);
            const B status = contact.verdict(validator);
            if (law == Law::projected || law == Law::composite) [[unlikely]] {
              Vector2<B>& candidate = validator.parameters.candidate;
              candidate = in_impulse_units<T>(contact.in_frame(candidate), contact.in.trace, contact.in.speed);
            }
            const PlanarLaws<A, T> laws{contact.in, validator.parameters, validator.weights};
            const PlanarCollision<B> out = laws.resolve(law, status == B(0));
            contact.store({part.results, part.origin, tally_}, lanes, contact.in.units(), out, status);
          });
    });
  }

  void solve_mixed(std::size_t first, std::size_t end) {
    prepare_mixed(first, end);
    groups_.apply();
    store_mixed(first, end);
  }

  [[gnu::noinline]] void prepare_mixed(std::size_t first, std::size_t end) {
    for_each_part(first, end, no_law, [&](const Part& part) {
      for_each_vector(
          part, [&]<bool dense>(const Lanes& lanes) __attribute__((always_inline)) {
            const std::size_t i = part.origin + lanes.first, slot = i - first;
            fetch(i);
            if (job_.layout.prefetch) contacts_.fetch_parameters(i);
            Contact<dense> contact;
            contact.load(part.contacts, lanes);
            Validator validator;
            contact.judge_matrix(validator);
            contact.judge(validator, job_.options);
            if constexpr (has_bodies) {
              store_lanes(tile_.nx + slot, contact.n.x);
              store_lanes(tile_.ny + slot, contact.n.y);
            }
            if constexpr (has_indices) {
              std::size_t c = 0;
              const auto keep = [&](const B& x) { store_lanes(tile_.bodies[c++] + slot, x); };
              for_each_field(contact.bodies.a, keep);
              for_each_field(contact.bodies.b, keep);
            }
            groups_.put(slot, contact.in, contact.verdict(validator));
          });
    });
  }

  [[gnu::noinline]] void store_mixed(std::size_t first, std::size_t end) {
    for_each_vector(
        {0, first, end - first, job_.contacts, job_.results}, [&]<bool dense>(
                                                                  const Lanes& lanes) __attribute__((always_inline)) {
          const std::size_t slot = lanes.first - first;
          Contact<dense> contact;
          recall(contact, lanes, slot);
          B status;
          const PlanarCollision<B> out = groups_.take(slot, status);
          contact.store({job_.results, 0, tally_}, lanes, groups_.units(slot), out, status);
        });
  }

  /// Of a contact that has been through the stages before the law, what the last one reads of it.
  template <bool dense>
  [[gnu::always_inline]] void recall(Contact<dense>& contact, const Lanes& lanes, std::size_t slot) {
    if constexpr (has_indices) {
      std::size_t c = 0;
      const auto recall_field = [&](B& x) { x = load_lanes<B>(tile_.bodies[c++] + slot); };
      for_each_field(contact.bodies.a, recall_field);
      for_each_field(contact.bodies.b, recall_field);
    } else if constexpr (has_bodies) {
      contact.load_bodies(job_.contacts, lanes);
    }
    if constexpr (has_bodies) {
      contact.load_levers(job_.contacts, lanes);
      contact.set_normal({load_lanes<B>(tile_.nx + slot), load_lanes<B>(tile_.ny + slot)});
      contact.set_velocity();
    } else {
      contact.load_velocity(job_.contacts, lanes);
    }
  }

  const PlanarJob<T, Contacts>& job_;
  Tile& tile_;
  PlanarGroups<A, T> groups_;
  PlanarStagedContacts<A, T, Contacts> contacts_;
  PlanarStagedResults<T> results_;
  Tally& tally_;
  const bool dense_;
  // Both only for bodies: the processor follows the few columns of contact space by itself.
  const bool staged_, streams_;
  std::size_t end_ = 0;
};

template <class A, class T, template <class> class Contacts>
void solve_planar_range(const PlanarJob<T, Contacts>& job, std::size_t first, std::size_t count,
                        PlanarWorkspace<T>& workspace, Tally& tally) {
  PlanarRange<A, T, Contacts>(job, workspace, tally).solve(first, count);
  leave_lanes<A>();
}

template <class A, class T>
constexpr PlanarKernelsFor<T> planar_kernels_for() {
  return {&solve_planar_range<A, T, planar::InlineContacts>, &solve_planar_range<A, T, planar::IndexedContacts>,
          &solve_planar_range<A, T, planar::SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
