// The pipeline of planar collisions, for any ISA and precision:
//
//   load                                    planar_staging.hpp
//   frame, collision matrix, validate       planar_contact.hpp, planar_problem.hpp, validate_planar.hpp
//   law                                     planar_laws.hpp
//   store                                   store_planar.hpp
//
// A vector of contacts of one law goes through all stages after load at once. Contacts with individual laws go through
// them a tile at a time, grouped by law for the law itself: planar_groups.hpp. All columns of a contact are read before
// any of its results is written.
//
// The arithmetic of a contact is the same in every lane and at every position: no stage combines lanes.
#pragma once

#include "contact/kernels/pipeline/tile_results.hpp"
#include "planar_contact.hpp"
#include "planar_groups.hpp"

namespace carom::kernel {
namespace {

/// `Form`: the pointers by which the stages read contacts, for indexed contacts too.
template <class A, class T, class Form>
class PlanarRange {
  using B = typename LaneTypes<A, T>::Batch;
  using Contact = PlanarContact<A, T, Form>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr bool has_bodies = Contact::has_bodies;

 public:
  PlanarRange(LawCall<T, 2>& call, PlanarTiles<T>& workspace, Tally& tally)
      : call_(call),
        tile_(workspace.tile),
        stage_(workspace.stage),
        groups_(workspace.tile, call.columns, call.parameters, !has_bodies),
        columns_(call.source, workspace.stage),
        results_(call.results, workspace.stage),
        tally_(tally),
        in_place_(!staged_ && !streams_ && call.source.is_dense() && results_.is_dense()),
        copies_(staged_) {}

  [[gnu::noinline]] void solve(std::size_t first, std::size_t count) {
    const std::size_t end = first + count;
    const bool mixed = call_.columns.law.data != nullptr;
    see_parameters(mixed ? Law::composite : call_.parameters.law);
    columns_.begin_range(count);
    results_.begin_range(first, count, streams_);
    if (has_bodies && count > PlanarStage<T>::size && call_.source.collides()) {
      copies_ = true;
      in_place_ = false;
    }
    if (!mixed) {
      solve_alike(first, end, call_.parameters.law);
    } else {
      for (std::size_t i = first; i < end; i += PlanarTile<T>::size) {
        const std::size_t until = end - i < PlanarTile<T>::size ? end : i + PlanarTile<T>::size;
        if (groups_.sort(i, until - i))
          solve_mixed(i, until);
        else
          solve_alike(i, until, groups_.alike());
      }
    }
    results_.end_range(end);
  }

 private:
  /// Prefetches the columns that `law` reads.
  void see_parameters(Law law) {
    call_.source.fetched = call_.source.count;
    for_each_parameter<2>(
        bit_of(law), [&](const Column<const T>& column) { call_.source.add_fetched(column); }, call_.columns);
  }

  /// Contacts in cache whose columns are all contiguous need no tile.
  std::size_t at_once() const { return in_place_ ? ~std::size_t{0} : PlanarStage<T>::size; }

  /// Calls f(slot, count) for the vectors of a tile, of whose contacts there are `count` left.
  template <class F>
  [[gnu::always_inline]] void for_each_vector(std::size_t first, std::size_t count, F&& f) {
    const bool fetches = staged_ && call_.source.indexed && count % width == 0;
    for (std::size_t slot = 0; slot < count; slot += width) {
      if (fetches) columns_.fetch_bodies(first, count, slot / width, count / width);
      f(slot, count - slot < width ? count - slot : width);
    }
  }

  void solve_alike(std::size_t first, std::size_t end, Law law) {
    for_each_tile<width>(first, end, at_once(), [&](std::size_t i, std::size_t count) {
      columns_.fill(i, count, copies_, staged_);
      if (call_.source.indexed) {
        columns_.find_bodies();
        columns_.gather_bodies();
      }
      columns_.point(form_);
      results_.begin_tile(i, count % width == 0);
      solve_tile(i, count, law);
      results_.end_tile({i, count, nullptr, 0});
    });
  }

  [[gnu::noinline]] void solve_tile(std::size_t first, std::size_t tile, Law law) {
    const Form from = form_;
    const ResultPointers<T, 2> to = results_.to;
    for_each_vector(
        first, tile, [&](std::size_t slot, std::size_t count) __attribute__((always_inline)) {
          Contact contact;
          contact.load(from, block_at(slot));
          PlanarLawColumns<A, T> own;
          Validator<A, T> validator;
          contact.validate(
              validator, call_.parameters, index_fault(slot),
              [&]() __attribute__((always_inline)) {
                return own.read(call_.columns, {first + slot, count, 0}, law, call_.parameters.restitution_law,
                                validator);
              },
              [&](auto&& f) { own.for_each_field(f); });
          const B status = contact.verdict(validator);
          if (law == Law::projected || law == Law::composite) [[unlikely]]
            own.parameters.set_candidate(
                in_impulse_units<T>(contact.in_frame(own.parameters.candidate()), contact.in.trace, contact.in.speed));
          const PlanarLaws<A, T> laws{contact.in, own.parameters};
          const PlanarCollision<B> out = laws.resolve(law, status == B(0));
          contact.store({to, first, tally_}, slot, count, contact.in.units(), out, status);
        });
  }

  static WholeBlock block_at(std::size_t slot) { return {slot * sizeof(T)}; }
  const T* index_fault(std::size_t slot) const { return call_.source.indexed ? stage_.index_fault + slot : nullptr; }

  void solve_mixed(std::size_t first, std::size_t end) {
    for_each_tile<width>(first, end, at_once(), [&](std::size_t i, std::size_t count) {
      columns_.fill(i, count, copies_, staged_);
      if (call_.source.indexed) {
        columns_.find_bodies();
        place_bodies(i - first);
        columns_.gather_bodies(bodies_);
      }
      columns_.point(form_);
      prepare_tile(i, count, i - first);
    });
    groups_.apply();
    for_each_tile<width>(first, end, at_once(), [&](std::size_t i, std::size_t count) {
      columns_.fill(i, count, false, false);
      if (call_.source.indexed) {
        place_bodies(i - first);
        columns_.point_bodies(bodies_);
      }
      columns_.point(form_);
      results_.begin_tile(i, count % width == 0);
      store_tile(i, count, i - first);
      results_.end_tile({i, count, nullptr, 0});
    });
  }

  /// Columns of indexed bodies are copied to the tile, because they are read twice.
  void place_bodies(std::size_t place) {
    for (std::size_t c = 0; c < sizeof bodies_ / sizeof bodies_[0]; ++c) bodies_[c] = tile_.bodies[c] + place;
  }

  /// Runs the stages before the law, for contacts from `place` on in the tile.
  [[gnu::noinline]] void prepare_tile(std::size_t first, std::size_t tile, std::size_t place) {
    for_each_vector(
        first, tile, [&](std::size_t slot, std::size_t) __attribute__((always_inline)) {
          Contact contact;
          contact.load(form_, block_at(slot));
          Validator<A, T> validator;
          contact.validate(
              validator, call_.parameters, index_fault(slot), [] { return B(0); }, [](auto&&) {});
          if constexpr (has_bodies) {
            store_lanes(tile_.nx + place + slot, contact.n.x);
            store_lanes(tile_.ny + place + slot, contact.n.y);
          }
          groups_.put(place + slot, contact.in, contact.verdict(validator));
        });
  }

  /// Store, for the same contacts.
  [[gnu::noinline]] void store_tile(std::size_t first, std::size_t tile, std::size_t place) {
    for (std::size_t slot = 0; slot < tile; slot += width) {
      Contact contact;
      if constexpr (has_bodies) {
        contact.load_bodies(form_, block_at(slot));
        contact.set_normal({load_lanes<B>(tile_.nx + place + slot), load_lanes<B>(tile_.ny + place + slot)});
        contact.set_velocity();
      } else {
        contact.load_velocity(form_, block_at(slot));
      }
      B status;
      const PlanarCollision<B> out = groups_.take(place + slot, status);
      contact.store({results_.to, first, tally_}, slot, tile - slot, groups_.units(place + slot), out, status);
    }
  }

  LawCall<T, 2>& call_;
  PlanarTile<T>& tile_;
  PlanarStage<T>& stage_;
  PlanarGroups<A, T> groups_;
  StagedColumns<A, T> columns_;
  TileResults<A, T, 2> results_;
  Tally& tally_;
  Form form_;
  T* bodies_[10];
  // The processor follows the few columns of contact space by itself.
  const bool staged_ = has_bodies && call_.layout.prefetch;
  const bool streams_ = has_bodies && call_.layout.stream && call_.columns.law.data == nullptr;
  bool in_place_;
  bool copies_;  // contiguous columns, too
};

template <class A, class T, template <class> class AnyContacts>
void solve_planar_range(const Job<T, AnyContacts>& job, std::size_t first, std::size_t count,
                        const Workspace<T>& workspace, Tally& tally) {
  LawCall<T, 2> call(job);
  for_each_column(job.contacts, [&](const Column<const T>& column) { call.source.add(column); });
  PlanarRange<A, T, typename PointersOf<T, AnyContacts<T>>::Type>(call, *workspace.planar, tally).solve(first, count);
  leave_lanes<A>();
}

template <class A>
inline constexpr PlanarKernels planar_kernels = PlanarKernels::of([]<class T, template <class> class AnyContacts>() {
  return &solve_planar_range<A, T, AnyContacts>;
});

}  // namespace
}  // namespace carom::kernel
