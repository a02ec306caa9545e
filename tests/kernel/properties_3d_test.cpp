// Properties of every law in three dimensions, on inline, indexed and blocked bodies and contact space. RC_PARAMS
// varies the seed: support/properties/rapidcheck.hpp.
#include "support/properties/energy.hpp"
#include "support/properties/symmetries.hpp"

namespace carom::support {
namespace {

constexpr std::size_t dimension = 3;
constexpr int cases = 400;

template <class T>
class PropertiesInSpace : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PropertiesInSpace, Precisions);

TYPED_TEST(PropertiesInSpace, rotating_the_frame_rotates_the_answer) {
  rotating_the_frame_rotates_the_answer<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInSpace, turning_contact_space_about_the_normal_turns_the_answer) {
  turning_contact_space_about_the_normal_turns_the_answer<TypeParam>(cases);
}

TYPED_TEST(PropertiesInSpace, swapping_the_bodies_negates_the_impulse) {
  swapping_the_bodies_negates_the_impulse<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInSpace, units_of_powers_of_two_change_no_bit_of_the_significands) {
  for (const bool far : {false, true})
    units_of_powers_of_two_change_no_bit_of_the_significands<TypeParam, dimension>(cases, far);
}

TYPED_TEST(PropertiesInSpace, the_mirrored_contact_has_the_mirrored_answer_bit_by_bit) {
  the_mirrored_contact_has_the_mirrored_answer_bit_by_bit<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInSpace, a_common_velocity_without_rounding_changes_no_bit_of_the_impulse) {
  a_common_velocity_without_rounding_changes_no_bit_of_the_impulse<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInSpace, a_common_velocity_leaves_the_impulse) {
  a_common_velocity_leaves_the_impulse<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInSpace, laws_that_promise_it_gain_no_energy) {
  laws_that_promise_it_gain_no_energy<TypeParam, dimension>(cases);
}

TYPED_TEST(PropertiesInSpace, more_restitution_loses_no_more_energy) {
  more_restitution_loses_no_more_energy<TypeParam, dimension>(cases);
}

}  // namespace
}  // namespace carom::support
