// The primitives that differ between ISAs against plain arithmetic. Built once an ISA, with its flags, as
// carom_tests_lanes_<isa>; CAROM_TEST_ISA names the architecture.
#include "simd/kernels/lanes/lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

namespace carom::kernel {
namespace {

using Isa = CAROM_TEST_ISA;

template <class T>
class Lanes : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Lanes, Precisions);

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Ordinary and special operands, enough to fill any lanes.
template <class T>
std::vector<T> operands(int shift) {
  const double values[] = {1.0 / 3,  -2.5, 0,           -0.0, 1e-30, 7e9, inf, nan,
                           -1.0 / 7, 3,    1 + 0x1p-20, -inf, 1e30,  0.1, -5,  2};
  std::vector<T> filled;
  for (std::size_t i = 0; i < 16; ++i)
    filled.push_back(static_cast<T>(values[(i + static_cast<std::size_t>(shift)) % 16]));
  return filled;
}

template <class T>
void expect_equal(T found, T expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found));
  } else {
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::signbit(found), std::signbit(expected));
  }
}

/// Applies `lanes` to whole vectors and `plain` to each of their elements.
template <class T, class L, class P>
void expect_lane_by_lane(L&& lanes, P&& plain) {
  using B = typename LaneTypes<Isa, T>::Batch;
  constexpr std::size_t width = LaneTypes<Isa, T>::width;
  for (int shift = 0; shift < 16; ++shift) {
    const auto a = operands<T>(0), b = operands<T>(shift), c = operands<T>(3 * shift + 5);
    for (std::size_t first = 0; first + width <= 16; first += width) {
      T found[width];
      store_lanes(found, lanes(load_lanes<B>(&a[first]), load_lanes<B>(&b[first]), load_lanes<B>(&c[first])));
      for (std::size_t lane = 0; lane < width; ++lane)
        expect_equal(found[lane], plain(a[first + lane], b[first + lane], c[first + lane]));
    }
  }
}

#ifdef CAROM_UNFUSED
TYPED_TEST(Lanes, multiply_and_add_with_two_roundings) {
  using T = TypeParam;
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return mul_add(a, b, c); },
                         [](T a, T b, T c) { return a * b + c; });
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return mul_sub(a, b, c); },
                         [](T a, T b, T c) { return a * b - c; });
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return neg_mul_add(a, b, c); },
                         [](T a, T b, T c) { return c - a * b; });
}
#else
TYPED_TEST(Lanes, multiply_and_add_with_one_rounding) {
  using T = TypeParam;
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return mul_add(a, b, c); },
                         [](T a, T b, T c) { return std::fma(a, b, c); });
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return mul_sub(a, b, c); },
                         [](T a, T b, T c) { return std::fma(a, b, -c); });
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return neg_mul_add(a, b, c); },
                         [](T a, T b, T c) { return std::fma(-a, b, c); });
  // (1 + ε)² - 1 loses its last term if the product is rounded first.
  using B = typename LaneTypes<Isa, T>::Batch;
  const T epsilon = std::numeric_limits<T>::epsilon();
  T found[LaneTypes<Isa, T>::width];
  store_lanes(found, mul_sub(B(1 + epsilon), B(1 + epsilon), B(1 + 2 * epsilon)));
  EXPECT_EQ(found[0], epsilon * epsilon);
}

// Kahan's bound: 1.5 ulp of the result, also where the products are split. Here with products that cancel to their last
// bits.
TYPED_TEST(Lanes, difference_of_products_keeps_its_digits_when_it_cancels) {
  using T = TypeParam;
  const T epsilon = std::numeric_limits<T>::epsilon();
  for (int i = 1; i < 100; ++i) {
    const T ie = static_cast<T>(i) * epsilon;
    // (1 + iε)(1 - iε) - 1 = -(iε)²
    EXPECT_NEAR(difference_of_products(1 + ie, 1 - ie, T(1), T(1)), -ie * ie, 1.5 * epsilon * ie * ie);
  }
}
#endif

TYPED_TEST(Lanes, division_has_one_rounding) {
  using T = TypeParam;
  expect_lane_by_lane<T>([](auto a, auto b, auto) { return a / b; }, [](T a, T b, T) { return a / b; });
}

TYPED_TEST(Lanes, square_root_magnitude_and_choice) {
  using T = TypeParam;
  expect_lane_by_lane<T>([](auto a, auto, auto) { return square_root(magnitude(a)); },
                         [](T a, T, T) { return std::sqrt(std::abs(a)); });
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return choose(a < b, b, c); },
                         [](T a, T b, T c) { return a < b ? b : c; });
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return choose(is_nan(a), b, c); },
                         [](T a, T b, T c) { return std::isnan(a) ? b : c; });
}

TYPED_TEST(Lanes, the_larger_and_the_smaller_are_the_second_where_one_is_no_number) {
  using T = TypeParam;
  expect_lane_by_lane<T>([](auto a, auto b, auto) { return larger(a, b); }, [](T a, T b, T) { return a > b ? a : b; });
  expect_lane_by_lane<T>([](auto a, auto b, auto) { return smaller(a, b); }, [](T a, T b, T) { return a < b ? a : b; });
}

TYPED_TEST(Lanes, a_binade_is_the_power_of_two_below_with_its_reciprocal) {
  using T = TypeParam;
  const auto binade = [](T x) {
    constexpr int least = std::numeric_limits<T>::min_exponent - 1, greatest = std::numeric_limits<T>::max_exponent - 2;
    if (!(x >= std::ldexp(T(1), least))) return std::ldexp(T(1), least);  // zero, negative or no number, too
    return x >= std::ldexp(T(1), greatest) ? std::ldexp(T(1), greatest) : std::ldexp(T(1), std::ilogb(x));
  };
  expect_lane_by_lane<T>([](auto a, auto, auto) { return binade_of(a).scale; }, [&](T a, T, T) { return binade(a); });
  expect_lane_by_lane<T>([](auto a, auto, auto) { return binade_of(a).inverse; },
                         [&](T a, T, T) { return T(1) / binade(a); });
  for (const T x : {std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                    std::nextafter(T(1), T(0)), T(1)}) {
    EXPECT_EQ(binade_of(x).scale, binade(x)) << x;
    EXPECT_EQ(binade_of(x).inverse, T(1) / binade(x)) << x;
  }
}

TYPED_TEST(Lanes, masks_combine) {
  using T = TypeParam;
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return choose(a < c && b < c, a, b); },
                         [](T a, T b, T c) { return a < c && b < c ? a : b; });
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return choose(a < c || b >= c || a == b, a, c); },
                         [](T a, T b, T c) { return a < c || b >= c || a == b ? a : c; });
  expect_lane_by_lane<T>([](auto a, auto b, auto c) { return choose(differ(a < c, b < c), a, b); },
                         [](T a, T b, T c) { return (a < c) != (b < c) ? a : b; });
}

TYPED_TEST(Lanes, zeros_and_what_is_no_number_have_a_sign) {
  using T = TypeParam;
  using B = typename LaneTypes<Isa, T>::Batch;
  EXPECT_EQ(sign_bits(B(T(0))), 0u);
  EXPECT_EQ(sign_bits(B(T(nan))), 0u);
  constexpr unsigned all = (1u << LaneTypes<Isa, T>::width) - 1;
  EXPECT_EQ(sign_bits(B(T(-0.0))), all);
  EXPECT_EQ(sign_bits(B(std::copysign(T(nan), T(-1)))), all);
}

TYPED_TEST(Lanes, a_mask_has_a_bit_a_lane_from_the_lowest) {
  using T = TypeParam;
  using B = typename LaneTypes<Isa, T>::Batch;
  constexpr std::size_t width = LaneTypes<Isa, T>::width;
  for (unsigned bits = 0; bits < 1u << width; ++bits) {
    T values[width];
    for (std::size_t lane = 0; lane < width; ++lane) values[lane] = (bits >> lane & 1) != 0 ? T(1) : T(-1);
    EXPECT_EQ(lane_bits(load_lanes<B>(values) > B(0)), bits);
    std::vector<std::size_t> lanes;
    EXPECT_EQ(sign_bits(load_lanes<B>(values)), ~bits & ((1u << width) - 1));
    for_each_bit(bits, [&](std::size_t lane) { lanes.push_back(lane); });
    for (const std::size_t lane : lanes) EXPECT_GT(values[lane], T(0));
    EXPECT_EQ(lanes.size(), static_cast<std::size_t>(__builtin_popcount(bits)));
  }
}

}  // namespace
}  // namespace carom::kernel
