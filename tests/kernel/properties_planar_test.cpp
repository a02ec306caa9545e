// Properties of every law in the plane, on inline and indexed bodies and contact space. RC_PARAMS varies the seed:
// support/properties/rapidcheck.hpp.
#include "support/properties/energy.hpp"
#include "support/properties/symmetries.hpp"

namespace carom::support {
namespace {

constexpr std::size_t dimension = 2;
constexpr int cases = 2000;

template <class T>
class PropertiesInPlane : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PropertiesInPlane, Precisions);

TYPED_TEST(PropertiesInPlane, rotating_the_frame_rotates_the_answer) {
  rotating_the_frame_rotates_the_answer<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInPlane, swapping_the_bodies_negates_the_impulse) {
  swapping_the_bodies_negates_the_impulse<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInPlane, units_of_powers_of_two_change_no_bit_of_the_significands) {
  for (const bool far : {false, true})
    units_of_powers_of_two_change_no_bit_of_the_significands<TypeParam, dimension>(cases, far);
}

TYPED_TEST(PropertiesInPlane, the_mirrored_contact_has_the_mirrored_answer_bit_by_bit) {
  the_mirrored_contact_has_the_mirrored_answer_bit_by_bit<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInPlane, a_common_velocity_without_rounding_changes_no_bit_of_the_impulse) {
  a_common_velocity_without_rounding_changes_no_bit_of_the_impulse<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInPlane, a_common_velocity_leaves_the_impulse) {
  a_common_velocity_leaves_the_impulse<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInPlane, laws_that_promise_it_gain_no_energy) {
  laws_that_promise_it_gain_no_energy<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInPlane, more_restitution_loses_no_more_energy) {
  more_restitution_loses_no_more_energy<TypeParam, dimension>(cases);
}

}  // namespace
}  // namespace carom::support
