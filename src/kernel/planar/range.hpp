// The pipeline of planar collisions, for any ISA and precision. Every block of lanes goes through all stages at once:
//
//   1 load, 5 store of columns             columns.hpp
//   2 validate                             validate.hpp
//   3 frame, 4 collision matrix            problem.hpp
//   5 law                                  laws.hpp (incremental, friction, region.hpp)
//   6 store                                store.hpp
//
// Each contact's arithmetic is the same in every lane and at every place: no stage combines lanes.
#pragma once

#include "prefetch.hpp"
#include "store.hpp"
#include "validate.hpp"

namespace carom::kernel {
namespace {

template <class A, class T, template <class> class Contacts>
struct PlanarRange {
  using B = typename LaneTypes<A, T>::Batch;
  using Mask = typename LaneTypes<A, T>::Mask;
  using Problem = PlanarProblem<A, T>;
  static constexpr std::size_t width = LaneTypes<A, T>::width;
  static constexpr bool has_bodies = requires(Contacts<T> c) { c.lever_a; };
  static constexpr bool has_indices = requires(Contacts<T> c) { c.body_a; };

  const PlanarJob<T, Contacts>& job;
  Tally& tally;

  void solve(std::size_t first, std::size_t count) {
    const std::size_t end = first + count;
    PlanarPrefetcher<T> prefetcher;
    prefetcher.add(job.contacts);
    prefetcher.add(job.results);
    const bool dense = prefetcher.contiguous();
    prefetcher.start(count);
    for (std::size_t i = first; i < end; i += width) {
      prefetcher.fetch(i, width, end);
      if constexpr (has_indices)
        if (i + bodies_ahead + width <= end) fetch_bodies(job.contacts, i + bodies_ahead, width);
      const Lanes lanes = {i, end - i < width ? end - i : width};
      if (dense && lanes.count == width) [[likely]]
        solve_block<true>(lanes);
      else
        solve_block<false>(lanes);
    }
  }

 private:
  using Validator = PlanarValidator<A, T>;
  static constexpr std::size_t bodies_ahead = 32;

  template <bool dense>
  [[gnu::always_inline]] void solve_block(const Lanes& lanes) {
    if constexpr (has_bodies)
      solve_bodies<dense>(lanes);
    else
      solve_space<dense>(lanes);
  }

  /// Zero of what is finite, else NaN.
  static B vanishing(B x) { return x - x; }

  /// Of the faults the last two of Status, and the verdict: ok of what the law resolves.
  static B verdict(Validator& validator, const Problem& in) {
    const B zero(0), ok(static_cast<T>(Status::ok)), separating(static_cast<T>(Status::separating));
    return choose(validator.fault == zero, choose(in.y < zero, ok, separating), validator.fault);
  }
  static void computed_faults(Validator& validator, const Problem& in) {
    const B zero(0), unit = in.impulse_unit();
    // Comparisons with NaN are false: what can't be told to be right is a fault.
    validator.fault = choose(in.definite, zero, B(static_cast<T>(Status::collision_matrix_not_positive_definite)));
    const Mask finite = vanishing(in.trace) + vanishing(in.x) + vanishing(in.y) == zero;
    const Mask in_range = (unit > zero && vanishing(unit) == zero) || in.trace <= zero;
    validator.fault = choose(finite && in_range, validator.fault, B(static_cast<T>(Status::overflow)));
  }

  static B known(B x) { return choose(vanishing(x) == B(0), x, B(static_cast<T>(__builtin_nan("")))); }

  static PlanarCollision<B> resolve(const Validator& validator, const Problem& in, B status) {
    const PlanarLaws<A, T> laws{in, validator.parameters, validator.weights};
    return laws.resolve(validator.laws, validator.law, status == B(0));
  }

  template <bool dense>
  [[gnu::always_inline]] void solve_bodies(const Lanes& lanes) {
    using Columns = PlanarColumns<A, T, dense>;
    using Storer = PlanarStorer<A, T, dense>;
    const auto& c = job.contacts;
    typename Storer::Bodies bodies;
    bodies.lever_a = Columns::load(c.lever_a, lanes);
    bodies.lever_b = Columns::load(c.lever_b, lanes);
    [[maybe_unused]] typename Columns::Indices index_a, index_b;
    if constexpr (has_indices) {
      const std::size_t count = c.bodies.inverse_mass.count;
      index_a = Columns::load_indices(c.body_a, count, lanes);
      index_b = Columns::load_indices(c.body_b, count, lanes);
      bodies.a = Columns::gather(c.bodies, index_a);
      bodies.b = Columns::gather(c.bodies, index_b);
    } else {
      bodies.a = Columns::load(c.a, lanes);
      bodies.b = Columns::load(c.b, lanes);
    }
    const Vector2<B> given = Columns::load(c.normal, lanes);
    const B friction = Columns::load(c.friction, lanes), restitution = Columns::load(c.restitution, lanes);

    const B length = square_root(dot(given, given));
    const B inverse_length = B(1) / length;
    const Vector2<B> n = {given.x * inverse_length, given.y * inverse_length}, t = {n.y, negated(n.x)};
    const Vector2<B> before = {neg_mul_add(bodies.a.angular_velocity, bodies.lever_a.y, bodies.a.velocity.x) -
                                   neg_mul_add(bodies.b.angular_velocity, bodies.lever_b.y, bodies.b.velocity.x),
                               mul_add(bodies.a.angular_velocity, bodies.lever_a.x, bodies.a.velocity.y) -
                                   mul_add(bodies.b.angular_velocity, bodies.lever_b.x, bodies.b.velocity.y)};
    Problem in;
    in.set_bodies(bodies.a, bodies.lever_a, bodies.b, bodies.lever_b, t, n);
    in.set_velocity({dot(before, t), dot(before, n)});
    in.set_friction(friction, restitution);

    Validator validator;
    validator.read_laws(c, lanes, job.options);
    computed_faults(validator, in);
    validator.pivot(bodies.a, bodies.b);
    validator.contact_columns(c, friction, restitution);
    validator.bodies(bodies.a, bodies.b);
    validator.set(magnitude(length - B(1)) > B(static_cast<T>(job.options.normal_tolerance)), Status::normal_not_unit);
    const B sum = vanishing(in.trace) + vanishing(in.x) + vanishing(in.y) + vanishing(restitution);
    validator.numbers(
        sum == B(0),
        [&](auto&& f) {
          for_each_field(bodies.a, f);
          for_each_field(bodies.b, f);
          for_each_field(bodies.lever_a, f);
          for_each_field(bodies.lever_b, f);
          for_each_field(given, f);
          f(restitution);
        },
        friction);
    if constexpr (has_indices) validator.indices(index_a, index_b);

    if ((validator.laws & bit_of(Law::projected)) != 0 || (validator.laws & bit_of(Law::composite)) != 0) [[unlikely]] {
      const B scale = in.trace / in.speed;
      Vector2<B>& candidate = validator.parameters.candidate;
      candidate = {dot(candidate, t) * scale, dot(candidate, n) * scale};
    }
    const B status = verdict(validator, in);
    const PlanarCollision<B> out = resolve(validator, in, status);
    const auto to_world = [&](const Vector2<B>& v) {
      return Vector2<B>{mul_add(v.x, t.x, v.y * n.x), mul_add(v.x, t.y, v.y * n.y)};
    };
    Storer{job.results, tally}.store(lanes, in, out, to_world(out.p), to_world(out.u),
                                     {known(before.x), known(before.y)}, status,
                                     [&]() -> const typename Storer::Bodies& { return bodies; });
  }

  template <bool dense>
  [[gnu::always_inline]] void solve_space(const Lanes& lanes) {
    using Columns = PlanarColumns<A, T, dense>;
    using Storer = PlanarStorer<A, T, dense>;
    const auto& c = job.contacts;
    const B xx = Columns::load(c.k_xx, lanes), xy = Columns::load(c.k_xy, lanes), yy = Columns::load(c.k_yy, lanes);
    const Vector2<B> before = Columns::load(c.separation_velocity, lanes);
    const B friction = Columns::load(c.friction, lanes), restitution = Columns::load(c.restitution, lanes);
    Problem in;
    in.set_matrix(xx, xy, yy);
    in.set_velocity(before);
    in.set_friction(friction, restitution);

    Validator validator;
    validator.read_laws(c, lanes, job.options);
    computed_faults(validator, in);
    validator.contact_columns(c, friction, restitution);
    const B sum = vanishing(xx) + vanishing(xy) + vanishing(yy) + vanishing(before.x) + vanishing(before.y) +
                  vanishing(restitution);
    validator.numbers(
        sum == B(0),
        [&](auto&& f) {
          f(xx);
          f(xy);
          f(yy);
          f(before.x);
          f(before.y);
          f(restitution);
        },
        friction);
    const B scale = in.trace / in.speed;
    Vector2<B>& candidate = validator.parameters.candidate;
    candidate = {candidate.x * scale, candidate.y * scale};
    const B status = verdict(validator, in);
    const PlanarCollision<B> out = resolve(validator, in, status);
    Storer{job.results, tally}.store(lanes, in, out, out.p, out.u, {known(before.x), known(before.y)}, status,
                                     NoBodies{});
  }
};

template <class A, class T, template <class> class Contacts>
void solve_planar_range(const PlanarJob<T, Contacts>& job, std::size_t first, std::size_t count, Tally& tally) {
  PlanarRange<A, T, Contacts>{job, tally}.solve(first, count);
  leave_lanes<A>();
}

template <class A, class T>
constexpr PlanarKernelsFor<T> planar_kernels_for() {
  return {&solve_planar_range<A, T, planar::InlineContacts>, &solve_planar_range<A, T, planar::IndexedContacts>,
          &solve_planar_range<A, T, planar::SpaceContacts>};
}

}  // namespace
}  // namespace carom::kernel
