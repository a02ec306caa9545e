// Contact files with laws and in the plane: columns, cells that may be empty, faults in words.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <carom/law_info.hpp>
#include <carom/solver.hpp>
#include <cmath>
#include <random>

#include "io/columns/faults.hpp"
#include "io/files/contact_file.hpp"
#include "support/contacts/file_contacts.hpp"
#include "support/files/contact_tables.hpp"
#include "support/files/temporary_file.hpp"
#include "support/running/configured_solver.hpp"

namespace carom::test {
namespace {

using PlanarBodies = planar::Contacts<double>;
using PlanarSpace = planar::KContacts<double>;

template <class AnyContacts>
Row row_of() {
  if constexpr (io::is_planar<AnyContacts>)
    return io::has_bodies<AnyContacts> ? planar_body_row() : planar_space_row();
  else
    return io::has_bodies<AnyContacts> ? body_row() : space_row();
}

template <class AnyContacts>
void solve(const AnyContacts& contacts, const ResultsOf<AnyContacts>& results, Law law) {
  Solver({.threads = 1}).solve(select(contacts, {.law = law}), results, {.law = law});
}

template <class AnyContacts>
io::Table solved(const io::Table& table, Law law = Law::incremental, bool details = false) {
  const support::FileContacts<AnyContacts> contacts(table, {.law = law});
  support::FileResults<AnyContacts> results(contacts);
  solve(contacts.view(), results.view(), law);
  results.store();
  return table_of(support::csv_of(table, contacts, results, details));
}

template <class AnyContacts>
std::vector<std::string> messages(const std::vector<Row>& rows, const io::ReadOptions& options = {}) {
  const io::Table table = table_of(csv_of(rows));
  const support::FileContacts<AnyContacts> contacts(table, options);
  std::vector<std::string> texts;
  for (const auto& fault : contacts.faults()) texts.push_back(std::to_string(fault.row) + ": " + fault.message);
  return texts;
}

template <class AnyContacts>
class LawColumnsOf : public testing::Test {};
using Forms = testing::Types<Contacts<double>, KContacts<double>, PlanarBodies, PlanarSpace>;
TYPED_TEST_SUITE(LawColumnsOf, Forms);

TYPED_TEST(LawColumnsOf, every_name_of_a_law_is_read_and_an_empty_one_is_that_of_the_options) {
  const Row row = with_law_parameters(row_of<TypeParam>());
  std::vector<Row> rows;
  for (const LawInfo& info : all_laws()) rows.push_back(with(row, "law", std::string(to_string(info.law))));
  rows.push_back(with(row, "law", ""));
  const io::Table table = table_of(csv_of(rows));
  const support::FileContacts<TypeParam> contacts(table, {.law = Law::smith});
  EXPECT_TRUE(contacts.faults().empty());
  for (std::size_t i = 0; i < law_count; ++i) EXPECT_EQ(contacts.view().laws.law[i], static_cast<Law>(i));
  EXPECT_EQ(contacts.view().laws.law[law_count], Law::smith);
  EXPECT_EQ(contacts.law(law_count), Law::smith);
}

TYPED_TEST(LawColumnsOf, parameters_reach_the_fields_of_their_names) {
  Row row = row_of<TypeParam>();
  TypeParam names;
  double value = 100;
  io::visit_law_parameters(names,
                           [&](const std::string& name, auto&) { row = with(row, name, std::to_string(++value)); });
  const io::Table table = table_of(csv_of({row}));
  const support::FileContacts<TypeParam> contacts(table);
  const auto cell = [&](const std::string& name) { return table.numbers(name)[0]; };
  const auto& view = contacts.view();
  EXPECT_EQ(view.laws.tangential_restitution[0], cell("tangential_restitution"));
  EXPECT_EQ(view.laws.impulse_ratio_1[0], cell("impulse_ratio_1"));
  EXPECT_EQ(view.laws.polar_angle[0], cell("polar_angle"));
  EXPECT_EQ(view.laws.fraction[0], cell("fraction"));
  EXPECT_EQ(view.laws.candidate.x[0], cell("candidate_x"));
  EXPECT_EQ(view.laws.candidate.y[0], cell("candidate_y"));
  if (!io::is_planar<TypeParam>) {
    EXPECT_EQ(view.laws.impulse_ratio_2[0], cell("impulse_ratio_2"));
    EXPECT_EQ(view.laws.azimuth[0], cell("azimuth"));
    EXPECT_EQ(view.laws.candidate.z[0], cell("candidate_z"));
  }
  const auto& w = view.laws.weight;
  EXPECT_EQ(w.incremental[0], cell("weight_incremental"));
  EXPECT_EQ(w.frictionless[0], cell("weight_frictionless"));
  EXPECT_EQ(w.chatterjee_ruina[0], cell("weight_chatterjee_ruina"));
  EXPECT_EQ(w.bilinear[0], cell("weight_bilinear"));
  EXPECT_EQ(w.smith[0], cell("weight_smith"));
  EXPECT_EQ(w.anitescu_potra[0], cell("weight_anitescu_potra"));
  EXPECT_EQ(w.pfeiffer_glocker[0], cell("weight_pfeiffer_glocker"));
  EXPECT_EQ(w.brach[0], cell("weight_brach"));
  EXPECT_EQ(w.projected[0], cell("weight_projected"));
  EXPECT_EQ(w.polar[0], cell("weight_polar"));
}

TYPED_TEST(LawColumnsOf, every_parameter_of_the_dimension_has_a_column) {
  std::vector<std::string> columns;
  TypeParam names;
  io::visit_law_parameters(names, [&](const std::string& name, auto&) { columns.push_back(name); });
  for (const LawInfo& info : all_laws())
    for (const LawParameter& parameter : info.parameters)
      if (io::is_planar<TypeParam> ? parameter.in_plane : parameter.in_space) {
        EXPECT_NE(std::find(columns.begin(), columns.end(), parameter.name), columns.end()) << parameter.name;
      }
}

TYPED_TEST(LawColumnsOf, an_empty_parameter_is_a_fault_only_where_the_law_of_the_row_reads_it) {
  const Row empty = with(row_of<TypeParam>(), "tangential_restitution", "");
  std::vector<Row> rows;
  std::vector<std::string> expected;
  for (const LawInfo& info : all_laws()) {
    const std::string name(to_string(info.law));
    rows.push_back(with(empty, "law", name));
    if (name == "chatterjee-ruina" || name == "bilinear" || name == "pfeiffer-glocker")
      expected.push_back(std::to_string(rows.size() - 1) + ": column tangential_restitution: the cell is empty");
  }
  EXPECT_EQ(messages<TypeParam>(rows), expected);
  EXPECT_EQ(messages<TypeParam>({empty}, {.law = Law::bilinear}),
            (std::vector<std::string>{"0: column tangential_restitution: the cell is empty"}));
  EXPECT_TRUE(messages<TypeParam>(rows, {.law = Law::bilinear, .own_laws = false}).empty());
}

TYPED_TEST(LawColumnsOf, a_composite_reads_what_its_members_of_weight_above_0_do_and_empty_weights_are_0) {
  Row row = with(with(row_of<TypeParam>(), "law", "composite"), "fraction", "");
  row = with(with(row, "weight_smith", "2"), "weight_brach", "");
  const Row polar = with(row, "weight_polar", "1"), none = with(row, "weight_polar", "");
  EXPECT_EQ(messages<TypeParam>({polar, none, with(none, "weight_polar", "0")}),
            (std::vector<std::string>{"0: column fraction: the cell is empty"}));
  const io::Table table = table_of(csv_of({none}));
  const support::FileContacts<TypeParam> contacts(table);
  EXPECT_EQ(contacts.view().laws.weight.polar[0], 0);
  EXPECT_EQ(contacts.laws(0), (std::vector<Law>{Law::composite, Law::smith}));
}

TYPED_TEST(LawColumnsOf, cells_that_are_no_number_or_no_law_are_faults_whatever_the_law) {
  const Row row = with(row_of<TypeParam>(), "law", "frictionless");
  EXPECT_EQ(messages<TypeParam>({with(with(row, "fraction", "half"), "weight_polar", "x"),
                                 with(with(with(row, "fraction", "0"), "weight_polar", "0"), "law", "chatterjee_ruina"),
                                 with(with(with(row, "fraction", "0"), "weight_polar", "0"), "law", "newton")}),
            (std::vector<std::string>{"0: column fraction: 'half' is not a number",
                                      "0: column weight_polar: 'x' is not a number",
                                      "1: column law: 'chatterjee_ruina' is not a law; `carom laws` lists them",
                                      "2: column law: 'newton' is not a law; `carom laws` lists them"}));
}

TYPED_TEST(LawColumnsOf, further_columns_are_read_and_must_be_filled) {
  const Row row = with(row_of<TypeParam>(), "target", "1.5");
  const io::Table table = table_of(csv_of({row, with(row, "target", "")}));
  const support::FileContacts<TypeParam> contacts(table, {.further = {"target"}});
  ASSERT_NE(contacts.numbers().find("target"), nullptr);
  EXPECT_EQ(contacts.numbers().at("target")[0], 1.5);
  ASSERT_EQ(contacts.faults().size(), 1u);
  EXPECT_EQ(contacts.faults()[0].message, "column target: the cell is empty");
}

template <class AnyContacts>
std::string fault_in_words(const Row& row, Status expected, Law law = Law::incremental) {
  const io::Table table = table_of(csv_of({row}));
  const support::FileContacts<AnyContacts> contacts(table, {.law = law});
  EXPECT_TRUE(contacts.faults().empty());
  support::FileResults<AnyContacts> results(contacts);
  solve(contacts.view(), results.view(), law);
  const Status status = results.view().status[0];
  EXPECT_EQ(to_string(status), to_string(expected));
  return io::describe_fault(table, contacts, 0, status, {});
}

TYPED_TEST(LawColumnsOf, faults_of_laws_name_the_column_and_the_range) {
  const Row row = with_law_parameters(row_of<TypeParam>());
  const auto words = [&](const std::string& name, const std::string& cell, Law law,
                         Status status = Status::law_parameter_out_of_range) {
    return fault_in_words<TypeParam>(with(row, name, cell), status, law);
  };
  EXPECT_EQ(words("tangential_restitution", "1.25", Law::chatterjee_ruina),
            "column tangential_restitution: 1.25 is outside [-1, 1]");
  EXPECT_EQ(words("fraction", "-0.5", Law::polar), "column fraction: -0.5 is outside [0, 1]");
  EXPECT_EQ(words("polar_angle", "4", Law::polar), io::is_planar<TypeParam>
                                                       ? "column polar_angle: 4 is outside [-3.142, 3.142]"
                                                       : "column polar_angle: 4 is outside [0, 3.142]");
  EXPECT_EQ(words("weight_smith", "-1", Law::composite), "column weight_smith: -1 is negative");
  EXPECT_EQ(words("impulse_ratio_1", "nan", Law::brach, Status::not_a_number),
            "column impulse_ratio_1: nan is not a number");
  EXPECT_EQ(words("candidate_y", "inf", Law::projected, Status::infinite),
            "column candidate_y: inf is infinite in double");
  EXPECT_EQ(fault_in_words<TypeParam>(with(with(row, "weight_smith", "0"), "weight_frictionless", "0"),
                                      Status::law_parameter_out_of_range, Law::composite),
            "columns weight_LAW: none is above 0");
  EXPECT_EQ(fault_in_words<TypeParam>(without(row, "candidate_x"), Status::law_parameter_missing, Law::projected),
            "column candidate_x is missing, which projected reads");
}

TYPED_TEST(LawColumnsOf, a_fault_is_not_blamed_on_a_parameter_that_the_law_does_not_read) {
  const Row row = with(with(row_of<TypeParam>(), "fraction", "nan"), "restitution", "nan");
  EXPECT_EQ(fault_in_words<TypeParam>(row, Status::not_a_number), "column restitution: nan is not a number");
}

TEST(LawColumns, pfeiffer_and_glocker_are_refused_in_3d_by_name) {
  const Row row = with_law_parameters(space_row());
  EXPECT_EQ(fault_in_words<KContacts<double>>(with(row, "law", "pfeiffer-glocker"), Status::law_unavailable),
            "column law: pfeiffer-glocker is a law of planar contacts only");
  EXPECT_EQ(fault_in_words<KContacts<double>>(with(row, "weight_pfeiffer_glocker", "1"), Status::law_unavailable,
                                              Law::composite),
            "pfeiffer-glocker is a law of planar contacts only");
}

TEST(PlanarFile, columns_reach_the_fields_of_their_names) {
  Row row = planar_body_row();
  for (std::size_t i = 0; i < row.size(); ++i) row[i].second = std::to_string(i);
  const io::Table table = table_of(csv_of({row}));
  const support::FileContacts<PlanarBodies> contacts(table);
  const auto cell = [&](const std::string& name) { return table.numbers(name)[0]; };
  const auto& view = contacts.view();
  EXPECT_EQ(view.normal.y[0], cell("normal_y"));
  EXPECT_EQ(view.a.inverse_mass[0], cell("inverse_mass_a"));
  EXPECT_EQ(view.b.inverse_inertia[0], cell("inverse_inertia_b"));
  EXPECT_EQ(view.r_a.x[0], cell("r_a_x"));
  EXPECT_EQ(view.r_b.y[0], cell("r_b_y"));
  EXPECT_EQ(view.b.velocity.y[0], cell("velocity_b_y"));
  EXPECT_EQ(view.a.angular_velocity[0], cell("angular_velocity_a"));
}

TEST(PlanarFile, results_stand_behind_the_columns_under_the_names_of_the_form) {
  const std::string space = csv_of({planar_space_row()}), bodies = csv_of({planar_body_row()});
  const auto added = [](const std::string& text, const io::Table& output) {
    const std::size_t before = table_of(text).header().size();
    return std::vector<std::string>(output.header().begin() + static_cast<std::ptrdiff_t>(before),
                                    output.header().end());
  };
  EXPECT_EQ(added(space, solved<PlanarSpace>(table_of(space), Law::incremental, true)),
            (std::vector<std::string>{"u_x", "u_y", "p_x", "p_y", "status", "path", "work_compression",
                                      "work_decompression"}));
  EXPECT_EQ(added(bodies, solved<PlanarBodies>(table_of(bodies), Law::incremental, true)),
            (std::vector<std::string>{"impulse_x", "impulse_y", "new_velocity_a_x", "new_velocity_a_y",
                                      "new_angular_velocity_a", "new_velocity_b_x", "new_velocity_b_y",
                                      "new_angular_velocity_b", "status", "path", "new_separation_velocity_x",
                                      "new_separation_velocity_y", "work_compression", "work_decompression"}));
}

TEST(PlanarFile, faults_name_the_columns) {
  const auto words = [](const char* name, const char* cell, Status status) {
    return fault_in_words<PlanarBodies>(with(planar_body_row(), name, cell), status);
  };
  EXPECT_EQ(words("velocity_b_y", "nan", Status::not_a_number), "column velocity_b_y: nan is not a number");
  EXPECT_EQ(words("normal_y", "2", Status::normal_not_unit),
            "columns normal_x, normal_y: the normal's length is 2, not 1");
  EXPECT_EQ(words("inverse_inertia_a", "-7", Status::inverse_inertia_not_positive_semidefinite),
            "column inverse_inertia_a: the inverse inertia is not positive semidefinite");
  EXPECT_EQ(words("inverse_mass_b", "-0.5", Status::negative_inverse_mass), "column inverse_mass_b: -0.5 is negative");
  EXPECT_EQ(fault_in_words<PlanarSpace>(with(planar_space_row(), "k_xy", "9"),
                                        Status::collision_matrix_not_positive_definite),
            "columns k_xx, k_xy, k_yy: the collision matrix is not positive definite in double");
}

template <class T, class Bits>
void expect_planar_results_to_come_back() {
  std::mt19937_64 random(3);
  const auto number = [&] {
    for (;;)
      if (const T x = std::bit_cast<T>(static_cast<Bits>(random())); std::isfinite(x)) return x;
  };
  const io::Table table = table_of(csv_of(std::vector<Row>(200, planar_space_row())));
  const support::FileContacts<planar::KContacts<T>> contacts(table);
  support::FileResults<planar::KContacts<T>> results(contacts);
  const auto& p = results.view().impulse;
  for (std::size_t row = 0; row < contacts.size(); ++row) {
    p.x[row] = number();
    p.y[row] = number();
  }
  results.store();
  const io::Table output = table_of(support::csv_of(table, contacts, results, false));
  const support::FileContacts<planar::KContacts<T>> again(output, {.further = {"p_x", "p_y"}});
  EXPECT_TRUE(again.faults().empty());
  for (std::size_t row = 0; row < contacts.size(); ++row) {
    EXPECT_EQ(std::bit_cast<Bits>(static_cast<T>(again.numbers().at("p_x")[row])), std::bit_cast<Bits>(p.x[row]));
    EXPECT_EQ(std::bit_cast<Bits>(static_cast<T>(again.numbers().at("p_y")[row])), std::bit_cast<Bits>(p.y[row]));
  }
}

TEST(PlanarFile, numbers_come_back_to_the_last_bit) {
  expect_planar_results_to_come_back<double, std::uint64_t>();
  expect_planar_results_to_come_back<float, std::uint32_t>();
}

}  // namespace
}  // namespace carom::test
