// Laws of contacts with individual laws: groups the contacts of a tile by law, so that all lanes have the same one. The
// input and output of a contact is a row, which moves as a whole.
#pragma once

#include "contact/kernels/pipeline/law_sort.hpp"
#include "planar_laws.hpp"
#include "planar_rows.hpp"

namespace carom::kernel {
namespace {

template <class A, class T>
class PlanarGroups {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Problem = PlanarProblem<A, T>;
  using Collision = PlanarCollision<B>;
  using Tile = PlanarTile<T>;
  using Rows = PlanarRows<B, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  PlanarGroups(Tile& tile, const LawColumns<T>& contacts, const Parameters<T>& options, bool in_space)
      : tile_(tile), contacts_(contacts), options_(options), in_space_(in_space), columns_(contacts, &tile.own) {}

  /// Gives the contacts [first, first + count) their rows. Returns false if they all have one law, `alike`.
  bool sort(std::size_t first, std::size_t count) {
    first_ = first;
    Tile& tile = tile_;
    const Column<const Law> laws = contacts_.law;
    const auto group_of = [&](std::size_t i) -> std::size_t {
      const auto number = static_cast<std::size_t>(element(laws, first + i));
      return number < law_count ? number : law_count;
    };
    sorted_.count(count, group_of);
    if (const std::size_t some = group_of(0); sorted_.size[some] == count && some < law_count) {
      alike_ = static_cast<Law>(some);
      return false;
    }
    sorted_.sort(count, width, group_of, [&](std::size_t i, std::uint32_t slot) {
      tile.slot_of[i] = slot;
      tile.contact_of[slot] = static_cast<std::uint32_t>(i);
    });
    for (std::size_t i = count; i % width != 0; ++i) tile.slot_of[i] = tile.slot_of[i - 1];
    for (std::size_t group = 0; group < LawSort::groups; ++group)
      for (std::size_t slot = sorted_.end(group); slot % width != 0; ++slot)
        tile.contact_of[slot] = tile.contact_of[slot - 1];
    return true;
  }
  Law alike() const { return alike_; }

  /// Stores the law's input for the contacts of a vector from index i of the tile on, and their status so far.
  [[gnu::always_inline]] void put(std::size_t i, const Problem& in, B status) {
    store_lanes(tile_.trace + i, in.trace);
    store_lanes(tile_.speed + i, in.speed);
    store_lanes(tile_.impulse + i, in.impulse_unit());
    store_lanes(tile_.status + i, status);
    // No law applies for y >= 0.
    const B y = choose(status == B(0), in.y, B(0));
    const B lanes[] = {in.a, in.b, in.c, in.det, in.x, y, in.friction, in.restitution};
    Rows::scatter(tile_.rows, tile_.slot_of + i, lanes);
  }

  void apply() {
    for (std::size_t law = 0; law < law_count; ++law)
      if (sorted_.size[law] > 0) with_law(static_cast<Law>(law), [&]<Law one>() { apply<one>(); });
    for (std::size_t slot = sorted_.begin[law_count]; slot < sorted_.end(law_count); ++slot)
      tile_.rows[path / Tile::piece][slot][0] = -static_cast<T>(Status::law_unavailable);
  }

  PlanarUnits<B> units(std::size_t i) const {
    return {load_lanes<B>(tile_.trace + i), load_lanes<B>(tile_.speed + i), load_lanes<B>(tile_.impulse + i)};
  }

  /// Returns the results for the contacts of a vector from index i of the tile on, and sets their status.
  [[gnu::always_inline]] Collision take(std::size_t i, B& status) const {
    B lanes[Rows::length];
    Rows::gather(tile_.rows, tile_.slot_of + i, lanes);
    const B zero(0), before = load_lanes<B>(tile_.status + i), fault = negated(lanes[path]);
    const Mask earlier = before > B(static_cast<T>(Status::separating)) && before < fault;
    status = choose(and_not(fault > zero, earlier), fault, before);
    return {{lanes[0], lanes[1]}, {lanes[2], lanes[3]}, lanes[5], lanes[6], lanes[path], lanes[7]};
  }

 private:
  static constexpr std::size_t path = 4;  // in a row; or a fault, below 0
  static_assert(path % Tile::piece == 0);

  template <Law law>
  [[gnu::noinline]] void apply() {
    const std::size_t begin = sorted_.begin[static_cast<std::size_t>(law)];
    const std::size_t end = sorted_.end(static_cast<std::size_t>(law));
    columns_.begin(bit_of(law), tile_.parameters, tile_.restitution_laws);
    for (std::size_t slot = end; slot % width != 0; ++slot)
      for (auto& pieces : tile_.rows) __builtin_memcpy(pieces[slot], pieces[slot - 1], 16);
    for (std::size_t from = begin; from < end; from += Tile::at_once) {
      const std::size_t until = end - from < Tile::at_once ? end : from + Tile::at_once;
      const Gathered gathered = gather(law, from, until);
      for (std::size_t slot = from; slot < until; slot += width) apply<law>(gathered, slot - from, slot);
    }
  }

  /// The normals and units of some contacts of one law, in the order of the lanes. Laws read them that take impulses.
  struct Gathered {
    const T *nx = nullptr, *ny = nullptr, *trace = nullptr, *speed = nullptr;
  };

  template <Law law>
  [[gnu::always_inline]] void apply(const Gathered& gathered, std::size_t i, std::size_t slot) {
    B lanes[Rows::length];
    Rows::load(tile_.rows, slot, lanes);
    Problem in;
    in.set_matrix(lanes[0], lanes[1], lanes[2], lanes[3], B(0));
    in.x = lanes[4];
    in.y = lanes[5];
    in.set_friction(lanes[6], lanes[7]);

    PlanarLawColumns<A, T> own;
    Validator<A, T> validator;
    const B sum = own.read(tile_.own, Block{i, width, 0}, law, options_.restitution_law, validator);
    validator.finite(
        sum == B(0), [&](auto&& f) { own.for_each_field(f); }, B(0));
    if (law == Law::projected || law == Law::composite) {
      Vector2<B> candidate = own.parameters.candidate();
      if (!in_space_) {
        const Vector2<B> n = {load_lanes<B>(gathered.nx + i), load_lanes<B>(gathered.ny + i)}, t = {n.y, negated(n.x)};
        candidate = {dot(candidate, t), dot(candidate, n)};
      }
      own.parameters.set_candidate(
          in_impulse_units<T>(candidate, load_lanes<B>(gathered.trace + i), load_lanes<B>(gathered.speed + i)));
    }
    const Mask faultless = validator.fault == B(0);
    const Collision out = PlanarLaws<A, T>{in, own.parameters}.template resolve<law>(faultless && in.y < B(0));
    Rows::store(tile_.rows, slot,
                {out.p.x, out.p.y, out.u.x, out.u.y, choose(faultless, out.path, negated(validator.fault)),
                 out.work_compression, out.work_decompression, out.energy});
  }

  /// Gathers the further columns that `law` reads for the contacts of rows [from, until).
  [[gnu::noinline]] Gathered gather(Law law, std::size_t from, std::size_t until) {
    const std::size_t count = (until - from + width - 1) / width * width;
    std::uint32_t list[Tile::at_once];
    for (std::size_t i = 0; i < count; i += width)
      for (std::size_t lane = 0; lane < width; ++lane) list[i + lane] = tile_.contact_of[from + i + Rows::row_of(lane)];
    columns_.gather({first_, count, list, 0});
    Gathered gathered;
    if (law != Law::projected && law != Law::composite) return gathered;
    std::size_t next = columns_.count();
    const auto take = [&](const T* lane, const T*& here) {
      kernel::gather(Strided<T>{lane, sizeof(T)}, Picked{0, count, list, 0}, tile_.parameters[next]);
      here = tile_.parameters[next++];
    };
    if (!in_space_) {
      take(tile_.nx, gathered.nx);
      take(tile_.ny, gathered.ny);
    }
    take(tile_.trace, gathered.trace);
    take(tile_.speed, gathered.speed);
    return gathered;
  }

  Tile& tile_;
  const LawColumns<T>& contacts_;
  const Parameters<T>& options_;
  const bool in_space_;
  Law alike_ = Law::incremental;
  std::size_t first_ = 0;
  LawSort sorted_;
  GroupedColumns<T, 2> columns_;
};

}  // namespace
}  // namespace carom::kernel
