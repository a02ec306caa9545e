// Every variant of the contact step on every lane, against the scalar reference in double. Built once an ISA, with its
// flags, in carom_tests_lanes_<isa>.
//
// A step is a chain of at most `roundings` operations. Each rounding acts like an error of ε in a vector or matrix that
// the operation reads, relative to its max norm. So the result differs from the reference by no more than the reference
// changes if every argument changes by `roundings` ε of the norm of its vector. The bound contains both sides of a
// decision that rounding may turn, and the minimum length below which friction counts as 0.
#include "scene/kernels/contact_step/contact_step.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "random/draw.hpp"
#include "reference/contact/vector.hpp"
#include "reference/scene/scene_models.hpp"
#include "reference/scene/scene_steps.hpp"
#include "simd/kernels/lanes/vec4.hpp"

namespace carom::kernel {
namespace {

using reference::Matrix3, carom::operator+, carom::operator-, carom::operator*;
using Vector = reference::Vector3;
using support::Draw;
using Isa = CAROM_TEST_ISA;

constexpr int roundings = 16;
constexpr std::size_t problems = 3000;

/// The arguments of a step: numbers of the precision.
using Numbers = std::vector<double>;
/// Draws arguments. `vectors`: places where vectors, matrices and single numbers among the arguments begin, and the
/// end. `shared`: an argument that is the same for all lanes of a vector.
struct Problems {
  Numbers (*drawn)(Draw&);
  std::vector<std::size_t> vectors;
  std::size_t shared;
};
constexpr std::size_t max_lanes = 16;
/// The place of an argument.
enum Place : std::size_t { k11, k12, k13, k22, k23, k33, u1, u2, u3, p1, p2, p3, mu, mu_2, mu_static, relaxation, end };

// Problems ----------------------------------------------------------------------------------------------------------

Matrix3 inertia(Draw& draw, double size) {
  const auto axes = draw.rotation();
  Matrix3 j{};
  for (const auto& axis : axes) {
    const double value = size * draw.log_uniform(2);
    for (std::size_t r = 0; r < 3; ++r)
      for (std::size_t c = 0; c < 3; ++c) j[r][c] += value * axis[r] * axis[c];
  }
  return j;
}

/// K += 1/m + [r]ᵀ J [r]
void add_body(Matrix3& k, double inverse_mass, const Matrix3& j, const Vector& r) {
  const Matrix3 cross = {Vector{0, -r[2], r[1]}, Vector{r[2], 0, -r[0]}, Vector{-r[1], r[0], 0}};
  for (std::size_t a = 0; a < 3; ++a) {
    k[a][a] += inverse_mass;
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t d = 0; d < 3; ++d) k[a][d] += cross[b][a] * j[b][c] * cross[c][d];
  }
}

double coefficient(Draw& draw) {
  const double drawn[] = {draw.uniform(0, 1.2), draw.uniform(0, 1.2), draw.log_uniform(7), 0, 1000};
  return drawn[draw.below(5)];
}

/// Two bodies with masses from 1e-8 to 1e8 kg, one of them at times without mass, the world or infinitely heavy.
/// Impulses that stick, slip, separate and rest.
Numbers contact(Draw& draw) {
  Matrix3 k{};
  const double scale = draw.log_uniform(18);
  const std::size_t kind = draw.below(6);
  add_body(k, kind == 1 ? 0 : scale, inertia(draw, 6 * scale), draw.bell3(1));
  if (kind <= 3) {
    const double other = kind == 2 ? scale * draw.log_uniform(7) : scale;
    add_body(k, kind == 1 ? 0 : other, inertia(draw, 6 * other), draw.bell3(1));
  }
  Numbers x(end);
  x[k11] = k[0][0], x[k12] = k[0][1], x[k13] = k[0][2], x[k22] = k[1][1], x[k23] = k[1][2], x[k33] = k[2][2];
  x[mu] = coefficient(draw);
  x[mu_2] = draw.below(3) == 0 ? x[mu] : draw.below(2) == 0 ? coefficient(draw) : x[mu] * draw.log_uniform(4);
  x[mu_static] = draw.below(2) == 0 ? x[mu] : x[mu] * draw.uniform(1, 2);
  const double relaxations[] = {1, 1, 1, 0.7, 1.3};
  x[relaxation] = relaxations[draw.below(5)];
  const double size = draw.log_uniform(9) / scale;
  const auto impulse = [&](double friction) {
    const double normal = size * draw.log_uniform(1), angle = draw.uniform(-1, 1);
    return Vector{friction * normal * angle, friction * normal * std::sqrt(1 - angle * angle), normal};
  };
  Vector p{}, stop{};
  if (draw.below(4) > 0) p = impulse(std::min(x[mu], 10.0) * draw.uniform(0, 1));
  switch (draw.below(5)) {
    case 0:
      stop = impulse(std::min(x[mu], 10.0) * draw.uniform(0, 1));
      break;  // sticks
    case 1:
      stop = impulse(std::min(x[mu], 10.0) + draw.log_uniform(3));
      break;  // slips
    case 2:
      stop = {0, 0, -size};
      break;  // separates
    case 3:
      stop = p;
      break;  // rests
    default:
      for (double& component : stop) component = size * draw.bell();
  }
  const Vector u = -1.0 * (k * (stop - p));
  for (std::size_t c = 0; c < 3; ++c) {
    x[u1 + c] = u[c];
    x[p1 + c] = p[c];
  }
  return x;
}

const Problems contacts = {&contact, {k11, u1, p1, mu, mu_2, mu_static, relaxation, end}, relaxation};

/// Places of two bodies and a change of the impulse.
enum BodyPlace : std::size_t {
  mass,
  j_a,
  j_b = j_a + 6,
  r_a = j_b + 6,
  r_b = r_a + 3,
  by = r_b + 3,
  v = by + 3,
  w_a = v + 3,
  w_b = w_a + 3,
  body_end = w_b + 3
};
Numbers bodies(Draw& draw) {
  Numbers x(body_end);
  const double scale = draw.log_uniform(18);
  x[mass] = draw.below(5) == 0 ? 0 : scale;
  for (std::size_t body = 0; body < 2; ++body) {
    const Matrix3 j = inertia(draw, draw.below(5) == 0 ? 0 : 6 * scale);
    const double of[] = {j[0][0], j[0][1], j[0][2], j[1][1], j[1][2], j[2][2]};
    std::copy(of, of + 6, &x[j_a + 6 * body]);
  }
  for (std::size_t i = r_a; i < body_end; ++i) x[i] = draw.bell();
  for (std::size_t i = by; i < v; ++i) x[i] /= scale;
  return x;
}

const Problems pairs = {&bodies, {mass, j_a, j_b, r_a, r_b, by, v, w_a, w_b, body_end}, mass};

// References --------------------------------------------------------------------------------------------------------

Matrix3 matrix(const double* x) {
  return {Vector{x[0], x[1], x[2]}, Vector{x[1], x[3], x[4]}, Vector{x[2], x[4], x[5]}};
}
Vector vector(const Numbers& x, std::size_t at) {
  return {x[at], x[at + 1], x[at + 2]};
}
reference::ContactStep step_of(const Numbers& x) {
  return {matrix(&x[k11]), vector(x, u1), vector(x, p1), x[mu], x[mu_static]};
}
double static_ratio(const Numbers& x) {
  return x[mu] > 0 ? x[mu_static] / x[mu] : 1;
}
reference::EllipseImpulse on_ellipse(const Numbers& x) {
  return reference::step_on_ellipse({matrix(&x[k11]), vector(x, u1), vector(x, p1), x[mu], x[mu_2], static_ratio(x)},
                                    x[relaxation]);
}
/// The rolling moment with the limit p3 is the friction of a contact with the normal impulse p3.
Vector rolling(const Numbers& x) {
  const Matrix3 k = {Vector{x[k11], x[k12], 0}, Vector{x[k12], x[k22], 0}, Vector{0, 0, 1}};
  const Vector m = reference::step_on_ellipse({k, {x[u1], x[u2], 0}, vector(x, p1), 1, 1, 1}, 1).impulse;
  return {m[0], m[1], 0};
}
Vector spinning(const Numbers& x) {
  const double roll = std::hypot(x[p1], x[p2]), share = roll > x[p3] ? x[p3] / roll : 1;
  return {share * x[p1], share * x[p2], std::clamp(x[mu_2] - x[u3] / x[k33], -x[mu_static], x[mu_static])};
}
Vector pushed(const Numbers& x) {
  using carom::cross;
  const Vector ra = vector(x, r_a), rb = vector(x, r_b), change = vector(x, by);
  const Vector wa = vector(x, w_a) + matrix(&x[j_a]) * cross(ra, change);
  const Vector wb = vector(x, w_b) - matrix(&x[j_b]) * cross(rb, change);
  return vector(x, v) + x[mass] * change + cross(wa, ra) - cross(wb, rb);
}
Vector pushed_on_world(Numbers x) {
  std::fill(&x[j_b], &x[j_b] + 6, 0);
  std::fill(&x[w_b], &x[w_b] + 3, 0);
  return pushed(x);
}
Vector response(Numbers x) {
  std::fill(x.begin() + v, x.end(), 0);
  return pushed(x);
}

// Kernels -----------------------------------------------------------------------------------------------------------

/// The numbers of a vector of problems on lanes.
template <class B>
struct Lanes {
  using T = VectorElement<B>;
  static constexpr std::size_t width = VectorTraits<B>::width;

  const std::vector<Numbers>& of;
  std::size_t first;

  B operator[](std::size_t place) const {
    T lanes[width];
    for (std::size_t i = 0; i < width; ++i) lanes[i] = static_cast<T>(of[first + i][place]);
    return load_lanes<B>(lanes);
  }
  Vector3<B> vector(std::size_t at) const { return {(*this)[at], (*this)[at + 1], (*this)[at + 2]}; }
  Symmetric3<B> matrix(std::size_t at) const {
    return {(*this)[at], (*this)[at + 1], (*this)[at + 2], (*this)[at + 3], (*this)[at + 4], (*this)[at + 5]};
  }
};

struct ConeWide {
  static constexpr bool has_friction = true, has_ellipse = false;
  template <class B>
  static Vector3<B> step(const Lanes<B>& x) {
    return cone_step(schur_form(x.matrix(k11)), x[mu], x[mu_static] * x[mu_static], x[relaxation], x.vector(u1),
                     x.vector(p1), negated(x[u3]));
  }
  static Vector expected(const Numbers& x) { return reference::step_on_cone(step_of(x), x[relaxation]); }
};
/// `by_change`: the impulse from its change, in lanes whose change a sweep reads.
template <bool by_change>
struct ConeSingleManifold {
  static constexpr bool has_friction = true, has_ellipse = false;
  template <class V>
  static Vector3<V> step(const Lanes<V>& x) {
    const SchurForm<V> k = schur_form(x.matrix(k11));
    const Vector3<V> p = x.vector(p1);
    Vector3<V> found = p;
    single_manifold_cone_step(
        inverse_of(k), k.inverse_k33, k.k1, k.k2, [&] { return k.reach; }, x[mu], x[mu_static] * x[mu_static],
        x.vector(u1), p, [&](const Vector3<V>& impulse) { found = impulse; },
        [&](const Vector3<V>& impulse, const Vector3<V>& change, auto stops) {
          found = by_change ? choose(stops, impulse, p + change) : impulse;
        });
    return found;
  }
  static Vector expected(const Numbers& x) { return reference::step_on_cone(step_of(x), 1); }
};
struct NormalFirst {
  static constexpr bool has_friction = true, has_ellipse = false;
  template <class B>
  static Vector3<B> step(const Lanes<B>& x) {
    return normal_first_step(normal_first_form(x.matrix(k11)), x[mu], x[mu_static], x.vector(u1), x.vector(p1),
                             negated(x[u3]));
  }
  static Vector expected(const Numbers& x) { return reference::step_normal_first(step_of(x)); }
};
struct Ellipse {
  static constexpr bool has_friction = true, has_ellipse = true;
  template <class B>
  static EllipseImpulse<B> both(const Lanes<B>& x) {
    const FrictionEllipse<B> ellipse = friction_ellipse(x[mu], x[mu_2], x[mu_static]);
    return ellipse_step(ellipse_form(x.matrix(k11), ellipse.d1, ellipse.d2), ellipse, x[relaxation], x[u1], x[u2],
                        negated(x[u3]), x.vector(p1));
  }
  template <class B>
  static Vector3<B> step(const Lanes<B>& x) {
    return both(x).impulse;
  }
  static Vector expected(const Numbers& x) { return on_ellipse(x).impulse; }
};
struct EllipseSticks {
  static constexpr bool has_friction = true, has_ellipse = true;
  template <class B>
  static Vector3<B> step(const Lanes<B>& x) {
    return {choose(Ellipse::both(x).sticks, B(1), B(0)), B(0), B(0)};
  }
  static Vector expected(const Numbers& x) { return {on_ellipse(x).sticks ? 1.0 : 0.0, 0, 0}; }
};
struct Rolling {
  static constexpr bool has_friction = false, has_ellipse = false;
  template <class B>
  static Vector3<B> step(const Lanes<B>& x) {
    const B determinant = difference_of_products(x[k11], x[k22], x[k12], x[k12]);
    const Plane<B> m =
        rolling_step(Eigenvalues2<B>::of(x[k11], x[k12], x[k22], determinant), {x[u1], x[u2]}, {x[p1], x[p2]}, x[p3]);
    return {m.x, m.y, B(0)};
  }
  static Vector expected(const Numbers& x) { return rolling(x); }
};
struct Spinning {
  static constexpr bool has_friction = false, has_ellipse = false;
  template <class B>
  static Vector3<B> step(const Lanes<B>& x) {
    return spinning_step(B(1) / x[k33], x[u3], {x[p1], x[p2], x[mu_2]}, MomentLimits<B>{x[p3], x[mu_static]});
  }
  static Vector expected(const Numbers& x) { return spinning(x); }
};
struct Push {
  static constexpr bool has_friction = false, has_ellipse = false;
  template <class B>
  static Vector3<B> step(const Lanes<B>& x) {
    const ManifoldBodies<B> bodies{x.matrix(j_a), x.matrix(j_b), x[mass]};
    Motion<B> motion = {x.vector(v), x.vector(w_a), x.vector(w_b)};
    Vector3<B> sum = {B(0), B(0), B(0)};
    bodies.push(motion, sum, x.vector(by), x.vector(r_a), x.vector(r_b));
    return velocity_at(motion, x.vector(r_a), x.vector(r_b));
  }
  static Vector expected(const Numbers& x) { return pushed(x); }
};
struct PushOnWorld {
  static constexpr bool has_friction = false, has_ellipse = false;
  template <class B>
  static Vector3<B> step(const Lanes<B>& x) {
    const ManifoldBodies<B> bodies{x.matrix(j_a), x.matrix(j_b), x[mass]};
    MotionOnWorld<B> motion = {x.vector(v), x.vector(w_a)};
    Vector3<B> sum = {B(0), B(0), B(0)};
    bodies.push(motion, sum, x.vector(by), x.vector(r_a), x.vector(r_b));
    return velocity_at(motion, x.vector(r_a), x.vector(r_b));
  }
  static Vector expected(const Numbers& x) { return pushed_on_world(x); }
};
struct ResponseToImpulse {
  static constexpr bool has_friction = false, has_ellipse = false;
  template <class B>
  static Vector3<B> step(const Lanes<B>& x) {
    return collision_matrix(x[mass], x.matrix(j_a), x.vector(r_a), x.matrix(j_b), x.vector(r_b)) * x.vector(by);
  }
  static Vector expected(const Numbers& x) { return response(x); }
};

// Comparison --------------------------------------------------------------------------------------------------------

/// Friction above 1 multiplies the rounding of the normal impulse. The step on an ellipse rounds relative to the longer
/// axis.
template <class Step>
double growth_of(const Numbers& x) {
  if constexpr (!Step::has_friction) return 1;
  const double friction = std::max({1.0, x[mu], x[mu_static]});
  if (!Step::has_ellipse) return friction;
  const double longer = std::max(x[mu], x[mu_2]), shorter = std::min(x[mu], x[mu_2]);
  return std::max(friction, x[mu_2]) * (shorter > 0 ? longer / shorter : 1);
}

template <class T>
Vector bound_of(const Numbers& x, const std::vector<std::size_t>& vectors, double growth, const Vector& expected,
                Vector (*reference)(const Numbers&)) {
  const double error = growth * roundings * static_cast<double>(std::numeric_limits<T>::epsilon());
  const auto norm = [](auto first, auto last) {
    double size = 0;
    for (; first != last; ++first) size = std::max(size, std::abs(*first));
    return size;
  };
  Vector bound{};
  bound.fill(error * norm(expected.begin(), expected.end()) + 4.0 * static_cast<double>(min_length<T>));
  for (std::size_t n = 0; n + 1 < vectors.size(); ++n) {
    const double step = error * norm(x.begin() + static_cast<std::ptrdiff_t>(vectors[n]),
                                     x.begin() + static_cast<std::ptrdiff_t>(vectors[n + 1]));
    for (std::size_t i = vectors[n]; step > 0 && i < vectors[n + 1]; ++i) {
      Vector changes{};
      for (const double change : {-step, step}) {
        Numbers changed = x;
        changed[i] += change;
        const Vector other = reference(changed);
        for (std::size_t c = 0; c < 3; ++c) changes[c] = std::max(changes[c], std::abs(other[c] - expected[c]));
      }
      bound = bound + changes;
    }
  }
  return bound;
}

/// Reads the lanes of a vector.
template <class B>
void store(VectorElement<B> (&to)[3][VectorTraits<B>::width], const Vector3<B>& v) {
  store_lanes(to[0], v.x);
  store_lanes(to[1], v.y);
  store_lanes(to[2], v.z);
}

template <class Step, class B>
void expect_reference(const Problems& of) {
  using T = VectorElement<B>;
  constexpr std::size_t width = VectorTraits<B>::width;
  Draw draw(1);
  std::vector<Numbers> all(problems);
  for (Numbers& x : all) {
    x = of.drawn(draw);
    x[of.shared] = all[static_cast<std::size_t>(&x - all.data()) / max_lanes * max_lanes][of.shared];
    for (double& number : x) number = static_cast<double>(static_cast<T>(number));
  }
  std::size_t sharp = 0;  // problems whose bound is small
  for (std::size_t first = 0; first + width <= problems; first += width) {
    T found[3][width];
    store<B>(found, Step::template step<B>({all, first}));
    for (std::size_t lane = 0; lane < width; ++lane) {
      const Numbers& x = all[first + lane];
      const Vector expected = Step::expected(x),
                   bound = bound_of<T>(x, of.vectors, growth_of<Step>(x), expected, &Step::expected);
      double size = 0, largest_bound = 0;
      for (std::size_t c = 0; c < 3; ++c) {
        const double error = std::abs(static_cast<double>(found[c][lane]) - expected[c]);
        size = std::max(size, std::abs(expected[c]));
        largest_bound = std::max(largest_bound, bound[c]);
        ASSERT_LE(error, bound[c]) << "component " << c << " of problem " << first + lane << " on lane " << lane << ": "
                                   << static_cast<double>(found[c][lane]) << " instead of " << expected[c] << " of "
                                   << testing::PrintToString(x);
      }
      if (largest_bound <= 0.01 * size || size == 0) ++sharp;
      // Other lanes do not change the bits of a lane.
      const std::vector<Numbers> alone(width, x);
      T found_alone[3][width];
      store<B>(found_alone, Step::template step<B>({alone, 0}));
      for (std::size_t c = 0; c < 3; ++c)
        ASSERT_TRUE(found_alone[c][lane] == found[c][lane]) << "problem " << first + lane << " on lane " << lane;
    }
  }
  EXPECT_GE(static_cast<double>(sharp), 0.8 * problems);
}

// Vectors of contacts -----------------------------------------------------------------------------------------------

template <class B>
class ContactStep : public testing::Test {};
template <class T>
using Wide = typename LaneTypes<Isa, T>::Batch;
#ifdef CAROM_HAS_VEC4
using SingleManifoldVectors = testing::Types<float, double, Wide<float>, Wide<double>, Vec4<float>, Vec4<double>>;
#else
using SingleManifoldVectors = testing::Types<float, double, Wide<float>, Wide<double>>;
#endif
template <class B>
class SingleManifoldContactStep : public testing::Test {};
TYPED_TEST_SUITE(SingleManifoldContactStep, SingleManifoldVectors);
/// The scalar type twice on an ISA without vectors.
using WideVectors = testing::Types<float, double, Wide<float>, Wide<double>>;
TYPED_TEST_SUITE(ContactStep, WideVectors);

TYPED_TEST(ContactStep, cone) {
  expect_reference<ConeWide, TypeParam>(contacts);
}
TYPED_TEST(SingleManifoldContactStep, cone) {
  expect_reference<ConeSingleManifold<false>, TypeParam>(contacts);
  expect_reference<ConeSingleManifold<true>, TypeParam>(contacts);
}
TYPED_TEST(ContactStep, normal_first) {
  expect_reference<NormalFirst, TypeParam>(contacts);
}
TYPED_TEST(ContactStep, ellipse) {
  expect_reference<Ellipse, TypeParam>(contacts);
  expect_reference<EllipseSticks, TypeParam>(contacts);
}
TYPED_TEST(ContactStep, moment) {
  expect_reference<Rolling, TypeParam>(contacts);
  expect_reference<Spinning, TypeParam>(contacts);
}
TYPED_TEST(ContactStep, velocities_of_bodies) {
  expect_reference<Push, TypeParam>(pairs);
  expect_reference<PushOnWorld, TypeParam>(pairs);
  expect_reference<ResponseToImpulse, TypeParam>(pairs);
}

}  // namespace
}  // namespace carom::kernel
