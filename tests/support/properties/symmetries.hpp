// The properties that every law has in space and in the plane, and in every form of contacts.
#pragma once

#include <sstream>
#include <string>
#include <type_traits>

#include "support/properties/draw_row.hpp"
#include "support/properties/transforms.hpp"

namespace carom::support {

template <class T>
constexpr Wide epsilon_of = static_cast<Wide>(std::numeric_limits<T>::epsilon());

/// How many answers were compared, and how many the precision was too short for.
struct Count {
  std::size_t compared = 0, beyond = 0;

  /// No more than a share of them may go by uncompared.
  void expect(double share) const {
    EXPECT_GT(compared, 0U);
    EXPECT_LE(static_cast<double>(beyond), share * static_cast<double>(compared + beyond));
  }
};

template <class T, std::size_t D, class Row>
[[noreturn]] void fail(const std::string& what, const Variant& variant, const Row& row, const Outcome<T, D>& expected,
                       const Outcome<T, D>& answer) {
  std::ostringstream out;
  out << what << ", " << name(variant) << '\n' << row << '\n';
  const auto show = [&](const char* which, const Outcome<T, D>& o) {
    out << "  " << which << ": " << to_string(o.status) << ' ' << to_string(o.path);
    print(out, "p", o.impulse);
    print(out, "u", o.u);
    print(out, "velocity_a", o.velocity_a);
    print(out, "angular_velocity_a", o.angular_velocity_a);
    print(out, "velocity_b", o.velocity_b);
    print(out, "angular_velocity_b", o.angular_velocity_b);
    out << '\n';
  };
  show("expected", expected);
  show("answer", answer);
  throw rc::detail::CaseResult(rc::detail::CaseResult::Type::Failure, out.str());
}

/// Bit by bit, under the laws that count.
template <class T, std::size_t D, class Row, class Counts>
void require_same(const std::string& what, const Row& row, const std::vector<Outcome<T, D>>& expected,
                  const std::vector<Outcome<T, D>>& answers, Counts&& counts) {
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Variant& variant = variants<D>()[i];
    if (counts(variant.law) && !(expected[i] == answers[i])) fail(what, variant, row, expected[i], answers[i]);
  }
}
inline bool every_law(Law) {
  return true;
}

template <std::size_t N>
Wide distance(const std::array<Wide, N>& a, const std::array<Wide, N>& b) {
  return length(a - b);
}

/// Returns whether the law finds the slip first and computes the impulse from it, p = K⁻¹(u - u0). This amplifies the
/// rounding error of u by the condition of K: 16 ε cond K of |p|, docs/planar.md.
template <std::size_t D>
constexpr bool takes_impulse_from_slip(Law law) {
  return D == 2 && (law == Law::smith || law == Law::composite);
}

/// `expected` and `answer` are of one contact, `row`, with different rounding errors: once in its own numbers and once
/// in equivalent ones. Rotating a result, leaving the kernel's frame and adding an impulse to a velocity takes products
/// and sums of three each: 16 ε of their terms in all.
template <class T, std::size_t D, class Row>
void require_close(const std::string& what, const Row& row, const Spread<D>& spread,
                   const std::vector<Outcome<Wide, D>>& expected, const std::vector<Outcome<T, D>>& answers,
                   Count& count) {
  const Wide unit = 16 * epsilon_of<T>;
  const Collision<D> collision = collision_of(converted<Wide>(row));
  const Triangle<Wide, D>& k = collision.row.k;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!spread.known[i]) {
      ++count.beyond;
      continue;
    }
    ++count.compared;
    const Outcome<Wide, D>& x = expected[i];
    const Outcome<Wide, D> y = converted<Wide>(answers[i]);
    const Wide p = length(x.impulse) + length(y.impulse);
    const Wide bound =
        2 * spread.impulse[i] + unit * p * (takes_impulse_from_slip<D>(variants<D>()[i].law) ? condition<D>(k) : 1);
    bool close = !is_fault(x.status) && !is_fault(y.status) && distance(x.impulse, y.impulse) <= bound &&
                 distance(x.u, y.u) <= 2 * spread.velocity[i] + unit * (collision.u_terms + collision.k_terms * p);
    if constexpr (requires { row.a; }) {
      const auto follows = [&](const auto& body, const auto& lever, Wide change_of_v, Wide change_of_w) {
        const BodyRow<Wide, D> b = converted<Wide>(body);
        std::array<Wide, D> arm;
        convert(arm, lever);
        const Wide turn = trace(b.inverse_inertia) * length(arm);
        return change_of_v <= b.inverse_mass * (bound + unit * p) + unit * length(b.velocity) &&
               change_of_w <= turn * (bound + unit * p) + unit * length(b.angular_velocity);
      };
      close = close && follows(row.a, row.r_a, distance(x.velocity_a, y.velocity_a),
                               distance(x.angular_velocity_a, y.angular_velocity_a));
      close = close && follows(row.b, row.r_b, distance(x.velocity_b, y.velocity_b),
                               distance(x.angular_velocity_b, y.angular_velocity_b));
    }
    if (!close) {
      std::ostringstream bounds;
      bounds << what << " (spread of p " << spread.impulse[i] << ", of u " << spread.velocity[i] << ')';
      fail(bounds.str(), variants<D>()[i], row, x, y);
    }
  }
}

template <class T, std::size_t D, class Transform>
auto transformed(const std::vector<Outcome<T, D>>& outcomes, Transform&& transform) {
  std::vector<Outcome<Wide, D>> result;
  for (const auto& outcome : outcomes) result.push_back(transform(converted<Wide>(outcome)));
  return result;
}

/// `transform` takes rows of bodies and their outcomes, in long double. The answers of both contacts are compared in
/// every form.
template <class T, std::size_t D, class Transform>
void require_the_same_of_bodies(const std::string& what, const BodiesRow<T, D>& row, Transform&& transform,
                                Count& count) {
  const BodiesRow<T, D> other = converted<T>(transform(converted<Wide>(row)));
  Collision<D> collision = collision_of(converted<Wide>(row));
  collision.u_terms = std::max(collision.u_terms, terms_of_velocity(converted<Wide>(other)));
  const Spread<D> spread(collision, epsilon_of<T>);
  for (const Isa isa : {Isa::automatic, Isa::scalar}) {
    for (const Form form : forms<D>()) {
      const auto before = solve(form, isa, under_every_law(row)), after = solve(form, isa, under_every_law(other));
      require_close(what + ", " + name(form), other, spread, transformed(before, transform), after, count);
    }
  }
}

/// A contact of float numbers is one of double numbers, too.
template <class T, std::size_t D>
BodiesRow<T, D> rounded(const BodiesRow<double, D>& row) {
  BodiesRow<T, D> result = converted<T>(row);
  const T size = length(result.normal);
  for (T& x : result.normal) x /= size;
  return result;
}

/// The contact in contact space, with rounded numbers.
template <class T, std::size_t D>
SpaceRow<T, D> space_of(const BodiesRow<double, D>& row) {
  return converted<T>(collision_of(converted<Wide>(row)).row);
}

template <class T, std::size_t D>
void rotating_the_frame_rotates_the_answer(int cases) {
  Count count;
  expect_property(cases, [&] {
    const auto drawn = draw_bodies<D>();
    const Rotation<D> rotation = draw_rotation<D>();
    require_the_same_of_bodies(
        "rotated", rounded<T>(drawn), [&](auto x) { return rotated(rotation, x); }, count);
  });
  count.expect(0.1);
}

/// In space; in the plane no rotation leaves the normal where it is.
template <class T>
void turning_contact_space_about_the_normal_turns_the_answer(int cases) {
  Count count;
  expect_property(cases, [&] {
    const SpaceRow<T, 3> row = space_of<T>(draw_bodies<3>());
    const Rotation<2> r = draw_rotation<2>();
    const Rotation<3> rotation = {{{r[0][0], r[0][1], 0}, {r[1][0], r[1][1], 0}, {0, 0, 1}}};
    const SpaceRow<T, 3> other = converted<T>(rotated(rotation, converted<Wide>(row)));
    const Spread<3> spread(collision_of(converted<Wide>(row)), epsilon_of<T>);
    for (const Isa isa : {Isa::automatic, Isa::scalar}) {
      const auto before = solve(isa, under_every_law(row)), after = solve(isa, under_every_law(other));
      require_close("turned", other, spread, transformed(before, [&](auto x) { return rotated(rotation, x); }), after,
                    count);
    }
  });
  count.expect(0.1);
}

template <class T, std::size_t D>
void swapping_the_bodies_negates_the_impulse(int cases) {
  Count count;
  expect_property(cases, [&] {
    require_the_same_of_bodies(
        "swapped", rounded<T>(draw_bodies<D>()), [](auto x) { return swapped(x); }, count);
  });
  count.expect(0.1);
}

/// The laws in closed form in space go another way, with other roundings, where speeds leave 1e-14 to 1e10 m/s or
/// inverse masses 1e-20 to 1e15 1/kg (src/contact/kernels/pipeline/direct.hpp).
template <std::size_t D>
bool has_units(Law law) {
  return D == 3 &&
         (law == Law::frictionless || law == Law::no_slip || law == Law::chatterjee_ruina || law == Law::bilinear);
}

/// A change of units multiplies by powers of two, which rounds nothing. Powers are drawn from [-most, most] for all
/// laws, and far powers for laws without units of their own. All numbers stay normal: inertias have 2^±30 by themselves
/// and up to three times the power.
template <class T, std::size_t D>
void units_of_powers_of_two_change_no_bit_of_the_significands(int cases, bool far) {
  expect_property(cases, [far] {
    const auto drawn = draw_bodies<D>();
    const int most = !far ? 8 : sizeof(T) == sizeof(float) ? 12 : 128;
    const auto power = [&](const char* unit) { return *integer(0, 2 * most).as(unit) - most; };
    const Units unit{power("power of mass"), power("power of length"), power("power of time")};
    const auto scaled = [&](auto outcomes) {
      for (auto& outcome : outcomes) outcome = in_units(unit, outcome);
      return outcomes;
    };
    const auto counts = [&](Law law) { return !far || !has_units<D>(law); };
    const BodiesRow<T, D> row = rounded<T>(drawn);
    const SpaceRow<T, D> space = space_of<T>(drawn);
    for (const Isa isa : available_isas()) {
      for (const Form form : forms<D>())
        require_same("scaled, " + std::string(name(form)), row, scaled(solve(form, isa, under_every_law(row))),
                     solve(form, isa, under_every_law(in_units(unit, row))), counts);
      require_same("scaled, contact space", space, scaled(solve(isa, under_every_law(space))),
                   solve(isa, under_every_law(in_units(unit, space))), counts);
    }
  });
}

/// Signs are exact, and no law or frame prefers one.
template <class T, std::size_t D>
void the_mirrored_contact_has_the_mirrored_answer_bit_by_bit(int cases) {
  expect_property(cases, [] {
    const SpaceRow<T, D> row = space_of<T>(draw_bodies<D>());
    // Without slip, axis 1 is the first tangent and does not follow the mirror.
    RC_PRE(row.u0[0] != 0);
    for (const Isa isa : available_isas()) {
      for (std::size_t tangent = 0; tangent < D - 1; ++tangent) {
        auto expected = solve(isa, under_every_law(row));
        for (auto& outcome : expected) outcome = mirrored(outcome, tangent);
        require_same("mirrored", row, expected, solve(isa, under_every_law(mirrored(row, tangent))), every_law);
      }
    }
  });
}

/// Velocities and levers in multiples of 1/64, of 6 bits: every product and sum in u0 is exact, and with the same u0
/// the law sees the same collision.
template <class T, std::size_t D>
void a_common_velocity_without_rounding_changes_no_bit_of_the_impulse(int cases) {
  expect_property(cases, [] {
    BodiesRow<T, D> row = rounded<T>(draw_bodies<D>());
    const auto on_grid = [](auto& v, const char* name) {
      for (auto& x : v) x = static_cast<T>(*integer(0, 128).as(name) - 64) / 64;
    };
    on_grid(row.r_a, "64 lever + 64");
    on_grid(row.r_b, "64 lever + 64");
    for (BodyRow<T, D>* body : {&row.a, &row.b}) {
      on_grid(body->velocity, "64 velocity + 64");
      on_grid(body->angular_velocity, "64 angular velocity + 64");
    }
    Tuple<T, D> common;
    on_grid(common, "64 common velocity + 64");
    BodiesRow<T, D> other = row;
    other.a.velocity = row.a.velocity + T(16) * common;
    other.b.velocity = row.b.velocity + T(16) * common;
    for (const Isa isa : available_isas()) {
      for (const Form form : forms<D>()) {
        auto expected = solve(form, isa, under_every_law(row)), answers = solve(form, isa, under_every_law(other));
        for (auto* outcomes : {&expected, &answers})
          for (auto& o : *outcomes) o.velocity_a = o.velocity_b = {}, o.angular_velocity_a = o.angular_velocity_b = {};
        require_same("moved, " + std::string(name(form)), row, expected, answers, every_law);
      }
    }
  });
}

/// Here u0 is summed up from larger terms, which `Collision::u_terms` counts.
template <class T, std::size_t D>
void a_common_velocity_leaves_the_impulse(int cases) {
  Count count;
  expect_property(cases, [&] {
    const BodiesRow<T, D> row = rounded<T>(draw_bodies<D>());
    Tuple<Wide, D> common;
    convert(common, draw_vector<D>(*log_uniform(1.0 / 64, 64).as("speed"), "common velocity"));
    const auto moved = [&](auto x) {
      if constexpr (requires { x.a; }) {
        x.a.velocity = x.a.velocity + common;
        x.b.velocity = x.b.velocity + common;
      } else {
        x.velocity_a = x.velocity_a + common;
        x.velocity_b = x.velocity_b + common;
      }
      return x;
    };
    require_the_same_of_bodies("moved", row, moved, count);
  });
  count.expect(0.1);
}

}  // namespace carom::support
