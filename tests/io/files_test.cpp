#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <carom/solver.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "io/columns/faults.hpp"
#include "io/csv/csv.hpp"
#include "io/files/contact_file.hpp"
#include "support/contacts/file_contacts.hpp"
#include "support/files/contact_tables.hpp"
#include "support/files/temporary_file.hpp"
#include "support/running/configured_solver.hpp"

namespace carom::test {
namespace {

std::string read_error(std::string_view text) {
  return error_of([&] { table_of(text); });
}

void expect_within(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in '" << text << "'";
}

template <class AnyContacts>
std::string solved(const io::Table& table, bool details = false) {
  const support::FileContacts<AnyContacts> contacts(table);
  support::FileResults<AnyContacts> results(contacts);
  Solver({.threads = 1}).solve(contacts.view(), results.view());
  results.store();
  return support::csv_of(table, contacts, results, details);
}

// Finite numbers of every magnitude, from random bits.
template <class T, class Bits>
std::vector<T> random_numbers(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<T> numbers;
  while (numbers.size() < count) {
    const T number = std::bit_cast<T>(static_cast<Bits>(random()));
    if (std::isfinite(number)) numbers.push_back(number);
  }
  return numbers;
}

template <class T, class Bits>
void expect_results_to_come_back() {
  const auto numbers = random_numbers<T, Bits>(3 * 500);
  std::string text = "friction,restitution,k_xx,k_xy,k_xz,k_yy,k_yz,k_zz,u0_x,u0_y,u0_z\n";
  for (int row = 0; row < 500; ++row) text += "0,0,1,0,0,1,0,1,0,0,-1\n";
  const io::Table table = table_of(text);
  const support::FileContacts<KContacts<T>> contacts(table);
  support::FileResults<KContacts<T>> results(contacts);
  const auto& u = results.view().separation_velocity;
  for (std::size_t row = 0; row < 500; ++row)
    for (std::size_t i = 0; i < 3; ++i) (std::array{u.x, u.y, u.z})[i][row] = numbers[3 * row + i];
  results.store();

  // With column names of inputs, the results are read like any input.
  std::string output = support::csv_of(table, contacts, results, false);
  const std::string written = "u0_x,u0_y,u0_z,u_x,u_y,u_z";
  const auto place = output.find(written);
  ASSERT_NE(place, std::string::npos);
  output.replace(place, written.size(), "old_x,old_y,old_z,u0_x,u0_y,u0_z");
  const io::Table again = table_of(output);
  const support::FileContacts<KContacts<T>> read(again);
  EXPECT_TRUE(read.faults().empty());
  const auto& u0 = read.view().separation_velocity;
  for (std::size_t row = 0; row < 500; ++row)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(std::bit_cast<Bits>((std::array{u0.x, u0.y, u0.z})[i][row]), std::bit_cast<Bits>(numbers[3 * row + i]));
}

TEST(Numbers, doubles_come_back_to_the_last_bit) {
  expect_results_to_come_back<double, std::uint64_t>();
}

TEST(Numbers, floats_come_back_to_the_last_bit) {
  expect_results_to_come_back<float, std::uint32_t>();
}

TEST(Numbers, spellings_of_numbers_are_read) {
  EXPECT_EQ(io::to_number("1.5"), 1.5);
  EXPECT_EQ(io::to_number("+1.5"), 1.5);
  EXPECT_EQ(io::to_number("-.5e-1"), -0.05);
  EXPECT_EQ(io::to_number("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(io::to_number("inf"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(io::to_number("-Infinity"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(io::to_number("NaN").value()));
  EXPECT_TRUE(std::signbit(io::to_number("-0").value()));
}

// C's strtod reads the text of quiet NaNs with the same bits.
TEST(Numbers, nans_have_a_text_that_keeps_their_bits) {
  struct Case {
    std::uint64_t bits;
    const char* text;
  };
  for (const auto& [bits, text] : {Case{0x7ff8000000000000, "nan"},
                                   {0xfff8000000000000, "-nan"},
                                   {0x7ff8000000000001, "nan(0x1)"},
                                   {0xffffffffffffffff, "-nan(0x7ffffffffffff)"},
                                   {0x7ff0000000000001, "snan(0x1)"},
                                   {0xfff7ffffffffffff, "-snan(0x7ffffffffffff)"}}) {
    std::string shortest, digits;
    io::append_number(shortest, std::bit_cast<double>(bits));
    io::append_number(digits, std::bit_cast<double>(bits), 17);
    EXPECT_EQ(shortest, text);
    EXPECT_EQ(digits, text);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(io::to_number(text).value_or(0)), bits) << text;
#ifdef __GLIBC__
    if (shortest.find('s') == std::string::npos) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(std::strtod(text, nullptr)), bits) << text;
    }
#endif
  }
  for (const char* text : {"snan", "snan(0x0)", "snan(1)", "nan(0x1", "nan(0x1) ", "sinf", "--nan(0x1)"})
    EXPECT_EQ(io::to_number(text), std::nullopt) << text;
}

TEST(Numbers, nans_in_float_keep_their_bits_in_double_and_as_text) {
  std::vector<std::uint32_t> all = {0x7fc00000, 0xffc00000, 0x7f800001, 0xff800001, 0x7fffffff, 0xffbfffff};
  for (int bit = 0; bit < 22; ++bit) all.push_back(0x7f800000 | 1U << bit);
  for (const std::uint32_t bits : all) {
    const auto number = std::bit_cast<float>(bits);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(io::in_float(io::in_double(number))), bits);
    std::string text;
    io::append_number(text, io::Cells(std::vector<float>{number}), 0);
    const std::optional<double> read = io::to_number(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(std::bit_cast<std::uint32_t>(io::in_float(*read)), bits) << text;
  }
  // The payload is lost, but not the NaN.
  EXPECT_TRUE(std::isnan(io::in_float(std::bit_cast<double>(std::uint64_t{0x7ff0000000000001}))));
}

TEST(Numbers, beyond_the_range_of_double_they_are_rounded) {
  EXPECT_EQ(io::to_number("1e400"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(io::to_number("-1e400"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(io::to_number("1e-400"), 0.0);
}

TEST(Numbers, other_text_is_no_number) {
  for (const char* text : {"", "abc", "1.5x", "1,5", "+-1", "++1", "1 2", "0x10", "--1", " 1", "1 ", "e5"})
    EXPECT_EQ(io::to_number(text), std::nullopt) << "'" << text << "'";
}

TEST(Csv, quotes_and_line_ends_are_those_of_rfc_4180) {
  const io::Table table = table_of("a,\"b,c\"\r\n1,\"x \"\"y\"\"\"\r\n\r\n\"two\nlines\",\r\n 3 ,\"\"");
  EXPECT_EQ(table.header(), (std::vector<std::string>{"a", "b,c"}));
  ASSERT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.cell(0, 1), "x \"y\"");
  EXPECT_EQ(table.cell(1, 0), "two\nlines");
  EXPECT_EQ(table.cell(1, 1), "");
  EXPECT_EQ(table.cell(2, 0), "3");
  EXPECT_EQ(table.width(2), 2u);
}

TEST(Csv, lines_are_counted_as_an_editor_counts_them) {
  const io::Table table = table_of("\n\nx,y\n1,2\n\n3,\"a\nb\"\n5,6");
  EXPECT_TRUE(table.header_place().ends_with(":3: "));
  ASSERT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.line(0), 4u);
  EXPECT_EQ(table.line(1), 6u);
  EXPECT_EQ(table.line(2), 8u);
}

TEST(Csv, a_byte_order_mark_is_no_part_of_the_first_name) {
  EXPECT_EQ(table_of("\xEF\xBB\xBFx,y\n1,2\n").find("x"), 0u);
}

TEST(Csv, a_file_without_header_is_an_error) {
  expect_within("is empty", read_error(""));
  expect_within("is empty", read_error("\r\n \n"));
}

TEST(Csv, two_columns_of_one_name_are_an_error_that_names_them) {
  expect_within(":1: two columns are named 'friction'", read_error("friction,k_xx,friction\n"));
}

TEST(Csv, a_quote_that_does_not_close_is_an_error_with_its_line) {
  expect_within(":3: this row has a quote that does not close", read_error("x,y\n1,2\n3,\"4\n5,6\n"));
}

TEST(Csv, a_file_that_cannot_be_read_is_an_error_that_names_it) {
  expect_within("absent.csv can't be read", error_of([] { io::read_csv("absent.csv"); }));
  const std::string folder = std::filesystem::temp_directory_path().string();
  expect_within(folder + " can't be read", error_of([&] { io::read_csv(folder); }));
}

TEST(Csv, numbers_names_line_and_column_of_what_is_none) {
  const io::Table table = table_of("x,y\n1,2\n3,four\n");
  EXPECT_EQ(table.numbers("x"), (std::vector<double>{1, 3}));
  expect_within(":3: column y: 'four' is not a number", error_of([&] { table.numbers("y"); }));
  expect_within(":1: the column z is missing", error_of([&] { table.numbers("z"); }));
}

// The type of a column in HDF5.
io::ColumnType::Kind kind_of(const std::string& name, const std::string& cells) {
  const TemporaryFile file(name + "\n" + cells);
  return io::CsvReader(file.path()).types()[0].kind;
}

TEST(Csv, columns_of_words_are_told_from_columns_of_numbers) {
  using io::ColumnType;
  EXPECT_EQ(kind_of("x", "1.50\n+2\n1e-3\n0.5\n-0\nnan(0x1)\n"), ColumnType::float64);
  // Quotes or leading zeros make a column with an unknown name a text column.
  EXPECT_EQ(kind_of("x", "\"1.50\"\n2\n"), ColumnType::word);
  EXPECT_EQ(kind_of("x", "1\n2\n 3 \n \"4\" \n"), ColumnType::word);
  EXPECT_EQ(kind_of("x", "7\n007\n"), ColumnType::word);
  EXPECT_EQ(kind_of("x", "-01.5\n"), ColumnType::word);
  EXPECT_EQ(kind_of("x", "1\n\"\"\n"), ColumnType::float64) << "an empty cell";
  EXPECT_EQ(kind_of("\"x\"", "1\n"), ColumnType::float64) << "a name";
  std::string many;
  for (int i = 0; i < 300; ++i) many += '"' + std::to_string(i) + "\"\n";
  EXPECT_EQ(kind_of("x", many), ColumnType::text);
  // A known name decides the type.
  for (const char* name : {"friction", "velocity_a_x", "scene_step", "body_a", "weight_brach"})
    EXPECT_EQ(kind_of(name, "\"1.50\"\n007\n"), ColumnType::float64) << name;
  EXPECT_EQ(kind_of("key", "\"18446744073709551615\"\n"), ColumnType::uint64);
  for (const char* name : {"law", "restitution_law", "status", "path"})
    EXPECT_EQ(kind_of(name, "\"\"\n"), ColumnType::word) << name;
}

// The reader detects quoted cells between its calls of libcsv.
TEST(Csv, quotes_are_those_of_their_column_alone) {
  const TemporaryFile file("a,b,c,d\n1,\"2\",3,4\n\"x, \"\"y\"\"\",5,\"6\"\r\n7,8,9,\"1\n\"\n");
  io::CsvReader reader(file.path());
  reader.read(1);
  EXPECT_TRUE(reader.table().holds_text(1));
  for (const std::size_t column : {0u, 2u, 3u}) EXPECT_FALSE(reader.table().holds_text(column)) << column;
  reader.read(10);
  for (const std::size_t column : {0u, 1u, 2u, 3u}) EXPECT_TRUE(reader.take().holds_text(column)) << column;
}

TEST(ContactFile, the_order_of_the_columns_is_free) {
  Row shuffled = body_row();
  for (std::size_t i = 0; i < shuffled.size(); ++i) shuffled[i].second = std::to_string(i) + ".5";
  const io::Table table = table_of(csv_of({shuffled}));
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  const io::Table shuffled_table = table_of(csv_of({shuffled}));
  const support::FileContacts<Contacts<double>> contacts(table), shuffled_contacts(shuffled_table);
  auto view = contacts.view(), other = shuffled_contacts.view();
  std::vector<double> values, other_values;
  io::visit_needed(view, [&](const std::string&, auto& column) { values.push_back(column[0]); });
  io::visit_needed(other, [&](const std::string&, auto& column) { other_values.push_back(column[0]); });
  EXPECT_EQ(values.size(), body_row().size());
  EXPECT_EQ(values, other_values);
}

TEST(ContactFile, columns_reach_the_fields_of_their_names) {
  Row row = body_row();
  for (std::size_t i = 0; i < row.size(); ++i) row[i].second = std::to_string(i);
  row = with(with(row, "impulse_step", "0.25"), "restitution_law", "kinetic");
  const io::Table table = table_of(csv_of({row}));
  const support::FileContacts<Contacts<double>> contacts(table);
  const auto cell = [&](const std::string& name) { return table.numbers(name)[0]; };
  const auto& view = contacts.view();
  EXPECT_EQ(view.normal.y[0], cell("normal_y"));
  EXPECT_EQ(view.a.inverse_mass[0], cell("inverse_mass_a"));
  EXPECT_EQ(view.b.inverse_inertia.yz[0], cell("inverse_inertia_b_yz"));
  EXPECT_EQ(view.r_a.z[0], cell("r_a_z"));
  EXPECT_EQ(view.b.velocity.x[0], cell("velocity_b_x"));
  EXPECT_EQ(view.a.angular_velocity.z[0], cell("angular_velocity_a_z"));
  EXPECT_EQ(view.laws.step[0], 0.25);
  EXPECT_EQ(view.laws.restitution_law[0], RestitutionLaw::kinetic);
}

TEST(ContactFile, cells_that_cannot_be_read_are_named_and_disturb_no_other_row) {
  const Row good = with(space_row(), "restitution_law", "energetic");
  const std::string text =
      csv_of({good, with(with(good, "u0_x", "abc"), "k_yy", ""), with(good, "restitution_law", "elastic"), good});
  const io::Table table = table_of(text);
  const support::FileContacts<KContacts<double>> contacts(table);
  ASSERT_EQ(contacts.faults().size(), 3u);
  EXPECT_EQ(contacts.faults()[0].row, 1u);
  EXPECT_EQ(contacts.faults()[0].message, "column k_yy: the cell is empty");
  EXPECT_EQ(contacts.faults()[1].message, "column u0_x: 'abc' is not a number");
  EXPECT_EQ(contacts.faults()[2].row, 2u);
  EXPECT_EQ(contacts.faults()[2].message,
            "column restitution_law: 'elastic' is not a restitution law: energetic, kinetic or kinematic");

  const io::Table output = table_of(solved<KContacts<double>>(table));
  const std::size_t status = output.find("status");
  EXPECT_EQ(output.cell(0, status), "ok");
  EXPECT_EQ(output.cell(1, status), "unreadable");
  EXPECT_EQ(output.cell(2, status), "unreadable");
  EXPECT_EQ(output.cell(3, status), "ok");
  EXPECT_EQ(output.cell(1, output.find("u0_x")), "abc");
  for (std::size_t column = 0; column < output.header().size(); ++column)
    EXPECT_EQ(output.cell(3, column), output.cell(0, column)) << output.header()[column];
}

TEST(ContactFile, rows_with_too_few_or_too_many_cells_are_unreadable_and_stay_in_place) {
  const std::string text = csv_of({space_row(), without(space_row(), "k_xx"), with(space_row(), "extra", "7")});
  const io::Table table = table_of(text);
  const support::FileContacts<KContacts<double>> contacts(table);
  ASSERT_EQ(contacts.faults().size(), 2u);
  EXPECT_EQ(contacts.faults()[0].message, "the row has 10 cells, the header 11");
  EXPECT_EQ(contacts.faults()[1].message, "the row has 12 cells, the header 11");
  const io::Table output = table_of(solved<KContacts<double>>(table));
  ASSERT_EQ(output.rows(), 3u);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_EQ(output.width(row), output.header().size());
    EXPECT_EQ(output.cell(row, output.find("status")), row == 0 ? "ok" : "unreadable");
  }
}

TEST(ContactFile, a_header_alone_gives_a_header_alone) {
  const std::string header = csv_of({space_row()}).substr(0, csv_of({space_row()}).find('\n') + 1);
  EXPECT_EQ(solved<KContacts<double>>(table_of(header)),
            header.substr(0, header.size() - 1) + ",u_x,u_y,u_z,p_x,p_y,p_z,status,path\n");
}

TEST(ContactFile, rounding_to_float_is_that_of_the_float_columns) {
  const io::Table table = table_of(csv_of({with(space_row(), "k_xx", "0.1")}));
  const support::FileContacts<KContacts<double>> exact(table), rounded(table, {.rounded_to_float = true});
  const support::FileContacts<KContacts<float>> in_float(table);
  EXPECT_EQ(exact.view().k.xx[0], 0.1);
  EXPECT_EQ(rounded.view().k.xx[0], static_cast<double>(0.1F));
  EXPECT_EQ(in_float.view().k.xx[0], 0.1F);
}

TEST(ContactFile, a_part_of_the_contacts_begins_where_it_says) {
  const io::Table table = table_of(csv_of({space_row(), with(space_row(), "u0_x", "42"), space_row()}));
  const support::FileContacts<KContacts<double>> contacts(table);
  const io::ContactData<KContacts<double>> data(contacts, 1, 2);
  const auto& part = data.view();
  EXPECT_EQ(part.separation_velocity.x.count, 2u);
  EXPECT_EQ(part.separation_velocity.x[0], 42);
  EXPECT_FALSE(part.laws.step);
}

TEST(ResultFile, columns_that_nobody_reads_come_out_as_they_went_in) {
  Row row = space_row();
  row.insert(row.begin(), {"\"a, \"\"note\"\"\"", "\"x, \"\"y\"\"\nand z\""});
  row.emplace_back("digits", "0.10000000000000000000001");
  row.emplace_back("padded", "\" p \"");
  row.emplace_back("text", "\"1.50\"");
  const io::Table table = table_of(csv_of({row}));
  const std::string output = solved<KContacts<double>>(table);
  EXPECT_TRUE(output.starts_with("\"a, \"\"note\"\"\",k_xx,")) << output;
  const io::Table again = table_of(output);
  for (std::size_t column = 0; column < table.header().size(); ++column) {
    EXPECT_EQ(again.header()[column], table.header()[column]);
    EXPECT_EQ(again.cell(0, column), table.cell(0, column));
  }
  EXPECT_EQ(again.cell(0, again.find("digits")), "0.10000000000000000000001");
  EXPECT_EQ(again.cell(0, 0), "x, \"y\"\nand z");
  // Quotes stay only where they distinguish text from a number.
  EXPECT_TRUE(again.holds_text(again.find("text")));
  EXPECT_FALSE(again.holds_text(again.find("digits")));
}

TEST(ResultFile, columns_with_names_of_results_are_replaced_in_place) {
  Row row = space_row();
  row.insert(row.begin(), {"path", "old"});
  row = with(with(row, "u_z", "old"), "steps", "old");
  const io::Table plain = table_of(solved<KContacts<double>>(table_of(csv_of({space_row()})), true));
  const io::Table output = table_of(solved<KContacts<double>>(table_of(csv_of({row}))));
  EXPECT_EQ(output.find("path"), 0u);
  EXPECT_EQ(output.find("work_compression"), io::Table::none);
  for (const std::string name : {"path", "u_z", "u_x", "steps"})
    EXPECT_EQ(output.cell(0, output.find(name)), plain.cell(0, plain.find(name))) << name;
  EXPECT_EQ(plain.cell(0, plain.find("path")).substr(0, 5), "slide");
}

TEST(ResultFile, solving_a_result_again_changes_nothing) {
  const std::string once = solved<Contacts<double>>(table_of(csv_of({body_row()})), true);
  EXPECT_EQ(solved<Contacts<double>>(table_of(once), true), once);
}

TEST(ResultFile, details_come_on_demand) {
  const io::Table input = table_of(csv_of({body_row()}));
  const io::Table plain = table_of(solved<Contacts<double>>(input));
  const io::Table detailed = table_of(solved<Contacts<double>>(input, true));
  for (const char* name : {"new_separation_velocity_x", "new_separation_velocity_y", "new_separation_velocity_z",
                           "work_compression", "work_decompression", "steps"}) {
    EXPECT_EQ(plain.find(name), io::Table::none) << name;
    ASSERT_NE(detailed.find(name), io::Table::none) << name;
    EXPECT_TRUE(io::to_number(detailed.cell(0, detailed.find(name))).has_value()) << name;
  }
}

struct FaultCase {
  const char* column;
  const char* text;
  Status status;
  const char* message;
};

template <class AnyContacts>
void expect_descriptions(const Row& good, const std::vector<FaultCase>& cases) {
  for (const FaultCase& fault : cases) {
    const io::Table table = table_of(csv_of({with(good, fault.column, fault.text)}));
    const support::FileContacts<AnyContacts> contacts(table);
    support::FileResults<AnyContacts> results(contacts);
    const Options options{.integrator = Integrator::euler};
    Solver({.threads = 1}).solve(contacts.view(), results.view(), options);
    const Status status = results.view().status[0];
    EXPECT_EQ(to_string(status), to_string(fault.status)) << fault.column << " " << fault.text;
    EXPECT_EQ(io::describe_fault(table, contacts, 0, status, options), fault.message);
  }
}

TEST(Faults, name_the_columns_of_the_body_form) {
  expect_descriptions<Contacts<double>>(
      body_row(),
      {{"velocity_b_y", "nan", Status::not_a_number, "column velocity_b_y: nan is not a number"},
       {"r_a_z", "-inf", Status::infinite, "column r_a_z: -inf is infinite in double"},
       {"normal_z", "2", Status::normal_not_unit,
        "columns normal_x, normal_y, normal_z: the normal's length is 2, not 1"},
       {"inverse_mass_b", "-0.5", Status::negative_inverse_mass, "column inverse_mass_b: -0.5 is negative"},
       {"inverse_inertia_a_xy", "7", Status::inverse_inertia_not_positive_semidefinite,
        "columns inverse_inertia_a_xx to _zz: the inverse inertia is not positive semidefinite"},
       {"restitution", "1.5", Status::restitution_out_of_range, "column restitution: 1.5 is outside [0, 1]"},
       {"friction", "-1", Status::negative_friction, "column friction: -1 is negative"},
       {"impulse_step", "0", Status::step_not_positive, "column impulse_step: 0 is not positive"},
       {"restitution_law", "kinematic", Status::restitution_law_unavailable,
        "column restitution_law: kinematic needs the integrator series; euler offers energetic only"}});
}

TEST(Faults, name_the_columns_of_the_contact_space_form) {
  expect_descriptions<KContacts<double>>(
      space_row(), {{"u0_y", "inf", Status::infinite, "column u0_y: inf is infinite in double"},
                    {"k_xy", "9", Status::collision_matrix_not_positive_definite,
                     "columns k_xx to k_zz: the collision matrix is not positive definite in double"}});
  expect_descriptions<KContacts<float>>(
      space_row(), {{"u0_y", "1e300", Status::infinite, "column u0_y: 1e300 is infinite in float"}});
}

TEST(Faults, infinite_friction_is_none) {
  const io::Table table = table_of(csv_of({with(space_row(), "friction", "inf")}));
  const io::Table output = table_of(solved<KContacts<double>>(table));
  EXPECT_EQ(output.cell(0, output.find("status")), "ok");
}

}  // namespace
}  // namespace carom::test
