// Detects the form of contacts in a file.
#include <gtest/gtest.h>

#include <string>

#include "io/files/contact_file.hpp"
#include "support/files/contact_tables.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

void expect_within(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in '" << text << "'";
}

TEST(Form, is_told_by_the_columns) {
  EXPECT_EQ(io::form_of(table_of(csv_of({body_row()}))), io::Form::bodies);
  EXPECT_EQ(io::form_of(table_of(csv_of({space_row()}))), io::Form::contact_space);
}

TEST(Form, missing_columns_are_named) {
  const Row bodies = without(without(body_row(), "r_b_y"), "velocity_a_x");
  expect_within(
      ":1: not a contact file: the nearest is the body form, of which these columns are missing: "
      "r_b_y, velocity_a_x",
      error_of([&] { io::form_of(table_of(csv_of({bodies}))); }));
  expect_within("contact-space form, of which these columns are missing: friction",
                error_of([&] { io::form_of(table_of(csv_of({without(space_row(), "friction")}))); }));
}

TEST(Form, a_column_that_only_contacts_in_3d_need_tells_the_dimension) {
  EXPECT_EQ(io::form_of(table_of(csv_of({planar_body_row()}))), io::Form::planar_bodies);
  EXPECT_EQ(io::form_of(table_of(csv_of({planar_space_row()}))), io::Form::planar_contact_space);
  expect_within("the nearest is the contact-space form, of which these columns are missing: k_xz, k_yz, k_zz",
                error_of([] { io::form_of(table_of(csv_of({with(planar_space_row(), "u0_z", "-1")}))); }));
  expect_within("the nearest is the body form, of which these columns are missing",
                error_of([] { io::form_of(table_of(csv_of({with(planar_body_row(), "r_a_z", "0")}))); }));
}

TEST(Form, missing_columns_of_planar_forms_are_named) {
  expect_within("the nearest is the planar body form, of which these columns are missing: angular_velocity_b",
                error_of([] { io::form_of(table_of(csv_of({without(planar_body_row(), "angular_velocity_b")}))); }));
  expect_within("the nearest is the planar contact-space form, of which these columns are missing: k_xy",
                error_of([] { io::form_of(table_of(csv_of({without(planar_space_row(), "k_xy")}))); }));
}

TEST(Form, a_file_with_the_columns_of_both_forms_has_the_body_form) {
  Row row = body_row(), planar = planar_body_row();
  for (const auto& [name, cell] : space_row()) row = with(row, name, cell);
  for (const auto& [name, cell] : planar_space_row()) planar = with(planar, name, cell);
  EXPECT_EQ(io::form_of(table_of(csv_of({row}))), io::Form::bodies);
  EXPECT_EQ(io::form_of(table_of(csv_of({planar}))), io::Form::planar_bodies);
}

TEST(Form, a_number_that_is_none_is_unknown) {
  EXPECT_EQ(io::to_string(io::Form::planar_contact_space), "planar contact-space form");
  EXPECT_EQ(io::to_string(static_cast<io::Form>(4)), "unknown");
  EXPECT_EQ(io::to_string(static_cast<io::Form>(255)), "unknown");
}

}  // namespace
}  // namespace carom::test
