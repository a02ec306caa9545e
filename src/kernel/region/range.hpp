// Impulses put to the permissible region, a vector of contacts at a time: load, validate, frame and collision matrix as
// for a collision, then the margins, and who leaves the region.
#pragma once

#include "../units.hpp"
#include "../validate.hpp"
#include "../write.hpp"
#include "job.hpp"
#include "margins.hpp"

namespace carom::kernel {
namespace {

template <class A, class T, template <class> class Contacts>
class RegionCheck {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Load = Loader<A, T>;
  using Write = Writer<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;

 public:
  RegionCheck(const RegionJob<T, Contacts>& job, Tally& tally, RegionTally& region)
      : job_(job), tally_(tally), region_(region) {}

  void check(std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; i += width) {
      const Block block = block_at<width>(i, end, job_.layout);
      if constexpr (requires { job_.contacts.separation_velocity; })
        check_space(block);
      else
        check_bodies(block);
    }
  }

 private:
  /// A contact as the margins see it; u0 and p in its frame.
  struct Contact {
    CollisionMatrix<B> matrix;
    Frame<B> frame;
    Vector3<B> u0, p;
    B friction;
  };

  /// Impulses never stand in blocks.
  Vector3<B> load_impulse(const Block& block) const {
    const auto& p = job_.impulse;
    return {Load::load_optional(p.x, block), Load::load_optional(p.y, block), Load::load_optional(p.z, block)};
  }

  void check_bodies(const Block& block) {
    const auto& contacts = job_.contacts;
    const typename Load::Pair pair = Load::load_bodies(contacts, block);
    const Vector3<B> lever_a = Load::load(contacts.lever_a, block), lever_b = Load::load(contacts.lever_b, block);
    const Vector3<B> normal = Load::load(contacts.normal, block), p = load_impulse(block);
    const B friction = Load::load(contacts.friction, block), restitution = Load::load(contacts.restitution, block);
    const B size = square_root(dot(normal, normal));
    const Frame<B> frame = make_frame((B(1) / size) * normal);
    const CollisionMatrix<B> matrix = collision_matrix<T>(frame, pair.a, lever_a, pair.b, lever_b);
    const Vector3<B> u0 = pair.a.velocity + cross(pair.a.angular_velocity, lever_a) - pair.b.velocity -
                          cross(pair.b.angular_velocity, lever_b);

    Validator<A, T> validator = begin(matrix, u0);
    validator.pivot(pair);
    validator.coefficients(friction, restitution, B(job_.largest_restitution));
    validator.bodies(pair, B(job_.inertia_tolerance));
    validator.set(magnitude(size - B(1)) > B(job_.normal_tolerance), Status::normal_not_unit);
    validator.finite(
        vanishing(matrix.trace) + vanishing(u0) + vanishing(restitution) + vanishing(p) == B(0),
        [&](auto&& f) {
          for_each_field(pair.a, f);
          for_each_field(pair.b, f);
          for_each_field(lever_a, f);
          for_each_field(lever_b, f);
          for_each_field(normal, f);
          for_each_field(p, f);
          f(restitution);
        },
        friction);
    if constexpr (requires { contacts.body_a; }) validator.indices(contacts, block);
    const auto to_frame = [&](const Vector3<B>& v) {
      return Vector3<B>{dot(v, frame.t1), dot(v, frame.t2), dot(v, frame.n)};
    };
    finish(block, {matrix, frame, to_frame(u0), to_frame(p), friction}, validator.fault);
  }

  void check_space(const Block& block) {
    const auto& contacts = job_.contacts;
    const B zero(0), one(1);
    const Symmetric3<B> k = Load::load(contacts.k, block);
    const Vector3<B> u0 = Load::load(contacts.separation_velocity, block), p = load_impulse(block);
    const B friction = Load::load(contacts.friction, block), restitution = Load::load(contacts.restitution, block);
    const CollisionMatrix<B> matrix = collision_matrix<T>(k);

    Validator<A, T> validator = begin(matrix, u0);
    validator.coefficients(friction, restitution, B(job_.largest_restitution));
    B sum = vanishing(u0) + vanishing(restitution) + vanishing(p);
    for_each_field(k, [&](const B& x) { sum = sum + vanishing(x); });
    validator.finite(
        sum == zero,
        [&](auto&& f) {
          for_each_field(k, f);
          for_each_field(u0, f);
          for_each_field(p, f);
          f(restitution);
        },
        friction);
    finish(block, {matrix, {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}, u0, p, friction},
           validator.fault);
  }

  static Validator<A, T> begin(const CollisionMatrix<B>& matrix, const Vector3<B>& u0) {
    Validator<A, T> validator;
    const auto number = [](Status status) { return B(static_cast<T>(status)); };
    // Comparisons with NaN are false: what can't be told to be right is a fault.
    validator.fault = choose(matrix.definite, B(0), number(Status::collision_matrix_not_positive_definite));
    validator.fault =
        choose(vanishing(matrix.trace) + vanishing(u0) == B(0), validator.fault, number(Status::overflow));
    return validator;
  }

  void finish(const Block& block, const Contact& contact, B fault) {
    const B zero(0), unknown(static_cast<T>(__builtin_nan("")));
    const Margins<B> margins = region_margins<T>(contact.matrix, contact.u0, contact.p, contact.friction);
    const Landmarks<B> marks = landmarks<T>(contact.matrix, contact.u0);
    const Mask known = fault == zero;
    const auto store = [&](const Column<T>& column, B x) { Write::store(column, block, choose(known, x, unknown)); };
    const auto store_vector = [&](const Vector3Columns<T>& columns, const Vector3<B>& v) {
      const Frame<B>& f = contact.frame;
      const Vector3<B> outside = mul_add(v.x, f.t1, mul_add(v.y, f.t2, v.z * f.n));
      store(columns.x, outside.x);
      store(columns.y, outside.y);
      store(columns.z, outside.z);
    };
    store(job_.margins.energy, margins.energy);
    store(job_.margins.non_penetration, margins.non_penetration);
    store(job_.margins.tension, margins.tension);
    store(job_.margins.cone, margins.cone);
    store_vector(job_.space.plastic_frictionless, {zero, zero, marks.frictionless});
    store_vector(job_.space.plastic_sticking, marks.sticking);
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
    for_each_bit(block.lanes, [&](std::size_t lane) { ++tally_.by_status[static_cast<std::size_t>(status[lane])]; });
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

  const RegionJob<T, Contacts>& job_;
  Tally& tally_;
  RegionTally& region_;
};

template <class A, class T, template <class> class Contacts>
void check_range(const RegionJob<T, Contacts>& job, std::size_t first, std::size_t count, Tally& tally,
                 RegionTally& region) {
  RegionCheck<A, T, Contacts>(job, tally, region).check(first, first + count);
  leave_lanes<A>();
}

template <class A, class T>
constexpr RegionKernelsFor<T> region_kernels_for() {
  return {&check_range<A, T, InlineContacts>, &check_range<A, T, IndexedContacts>, &check_range<A, T, SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
