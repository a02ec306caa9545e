// Impulses put to the permissible region, a vector of contacts at a time: load, validate, frame and collision matrix as
// for a collision, then the margins, and who leaves the region.
#pragma once

#include "contact/kernels/stages/contact_lanes.hpp"
#include "contact/kernels/stages/contact_reader.hpp"
#include "contact/kernels/stages/staging.hpp"
#include "contact/kernels/stages/write.hpp"
#include "core/jobs/region_job.hpp"
#include "margins.hpp"

namespace carom::kernel {
namespace {

template <class T>
using RegionTile = InputTile<T, 256 / sizeof(T)>;

template <class A, class T>
class RegionCheck {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;
  using Write = Writer<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  RegionCheck(ContactReader<A, T>& contacts, const RegionTask<T>& job, Tally& tally, RegionTally& region)
      : contacts_(contacts), job_(job), tally_(tally), region_(region) {}

  void check(std::size_t first, std::size_t end) {
    for_each_tile<width>(first, end, RegionTile<T>::size, [&](std::size_t begin, std::size_t count) {
      contacts_.read(begin, count);
      for (std::size_t i = 0; i < count; i += width) {
        const Block block = block_at<width>(begin + i, begin + count);
        if (contacts_.has_bodies())
          check(block, BodyContact<A, T>(contacts_.between_bodies(), contacts_.block(i)), contacts_.index_fault(i));
        else
          check(block, SpaceContact<A, T>(contacts_.in_space(), contacts_.block(i)), nullptr);
      }
    });
  }

 private:
  /// A contact as the margins see it; u0 and p in its frame.
  struct Contact {
    CollisionMatrix<B> matrix;
    Frame<B> frame;
    Vector3<B> u0, p;
    B friction;
  };

  template <class AnyContact>
  [[gnu::always_inline]] void check(const Block& block, const AnyContact& contact, const T* index_fault) {
    // Impulses are never stored in blocks.
    const Vector3<B> p = Load::load(job_.impulse, block), u0 = contact.approach();
    const CollisionMatrix<B> matrix = contact.matrix();
    Validator<A, T> validator;
    validator.computed(matrix.definite, vanishing(matrix.trace) + vanishing(u0) == B(0));
    contact.validate(
        validator, Validator<A, T>::limits_of(job_), [&] { return vanishing(matrix.trace) + vanishing(p); },
        [&](auto&& f) { for_each_field(p, f); });
    if (index_fault != nullptr) validator.indices(load_lanes<B>(index_fault));
    finish(block, {matrix, contact.frame, contact.in_frame(u0), contact.in_frame(p), contact.friction},
           validator.fault);
  }

  void finish(const Block& block, const Contact& contact, B fault) {
    const B zero(0), unknown(static_cast<T>(__builtin_nan("")));
    const Margins<B> margins = region_margins<T>(contact.matrix, contact.u0, contact.p, contact.friction);
    const Landmarks<B> marks = landmarks<T>(contact.matrix, contact.u0);
    const Mask known = fault == zero;
    const auto store = [&](const Column<T>& column, B x) { Write::store(column, block, choose(known, x, unknown)); };
    const auto store_point = [&](const Vector3Columns<T>& columns, const Vector3<B>& v) {
      const Vector3<B> outside = contact.frame.to_world(v);
      store(columns.x, outside.x);
      store(columns.y, outside.y);
      store(columns.z, outside.z);
    };
    store(job_.margins.energy, margins.energy);
    store(job_.margins.non_penetration, margins.non_penetration);
    store(job_.margins.tension, margins.tension);
    store(job_.margins.cone, margins.cone);
    store_point(job_.space.plastic_frictionless, {zero, zero, marks.frictionless});
    store_point(job_.space.plastic_sticking, marks.sticking);
    store(job_.space.contact_energy, marks.energy);
    count(block, contact, margins, marks.energy, known);

    T faults[width], approach[width];
    Status status[width];
    store_lanes(faults, fault);
    store_lanes(approach, contact.u0.z);
    for (std::size_t lane = 0; lane < width; ++lane)
      status[lane] = faults[lane] > T(0)     ? static_cast<Status>(static_cast<int>(faults[lane]))
                     : approach[lane] < T(0) ? Status::ok
                                             : Status::separating;
    for_each_bit(block.lanes, [&](std::size_t lane) {
      count_status(tally_, static_cast<std::size_t>(status[lane]), 1, block.first + lane);
    });
    Write::store_values(job_.margins.status, block, status);
  }

  void count(const Block& block, const Contact& contact, const Margins<B>& margins, B energy, Mask known) {
    const auto size = [](const Vector3<B>& v) { return direction_of(v).size; };
    const B slack = negated(B(job_.tolerance)), impulse = slack * size(contact.p);
    const unsigned lanes = lane_bits(known) & block.lanes;
    const auto tell = [&](Mask beyond, std::size_t& sum) {
      const unsigned bits = lane_bits(beyond) & lanes;
      sum += static_cast<std::size_t>(__builtin_popcount(bits));
      return bits;
    };
    const unsigned outside = tell(margins.energy < slack * energy, region_.gains_energy) |
                             tell(margins.non_penetration < slack * size(contact.u0), region_.penetrates) |
                             tell(margins.tension < impulse, region_.pulls) |
                             tell(margins.cone < impulse, region_.leaves_cone);
    region_.outside += static_cast<std::size_t>(__builtin_popcount(outside));
  }

  ContactReader<A, T>& contacts_;
  const RegionTask<T>& job_;
  Tally& tally_;
  RegionTally& region_;
};

template <class A, class T, template <class> class AnyContacts>
void check_range(const RegionJob<T, AnyContacts>& job, std::size_t first, std::size_t count, Tally& tally,
                 RegionTally& region) {
  RegionTile<T> tile;
  ContactReader<A, T> contacts(job.contacts, job.layout, count, tile);
  RegionCheck<A, T>(contacts, job, tally, region).check(first, first + count);
  leave_lanes<A>();
}

template <class A>
inline constexpr RegionKernels region_kernels = RegionKernels::of([]<class T, template <class> class AnyContacts>() {
  return &check_range<A, T, AnyContacts>;
});

}  // namespace
}  // namespace carom::kernel
