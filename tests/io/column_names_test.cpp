// Columns that had other names in carom 0.1.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/columns/table_reader.hpp"
#include "io/csv/csv.hpp"
#include "support/files/contact_tables.hpp"

namespace carom::test {
namespace {

TEST(ColumnNames, of_old_files_become_the_names_of_today) {
  for (const std::string i : {"_x", "_y", "_z"}) {
    EXPECT_EQ(io::current_name("lever_a" + i), "r_a" + i);
    EXPECT_EQ(io::current_name("lever_b" + i), "r_b" + i);
  }
  EXPECT_EQ(io::current_name("gap"), "separation");
}

TEST(ColumnNames, that_only_begin_like_old_ones_stay) {
  for (const std::string name :
       {"lever_a", "lever_a_w", "lever_c_x", "lever", "gaps", "gap_x", "", "r_a_x", "separation"})
    EXPECT_EQ(io::current_name(name), name);
}

TEST(ColumnNames, of_a_table_are_the_names_of_today) {
  const io::Table table = table_of("note,lever_b_y,gap\nfirst,1,2\n");
  EXPECT_EQ(table.header(), (std::vector<std::string>{"note", "r_b_y", "separation"}));
  EXPECT_EQ(table.cell(0, table.find("separation")), "2");
  EXPECT_EQ(table.find("gap"), io::Table::none);
}

TEST(ColumnNames, stay_in_every_part_of_a_file_that_is_read_in_parts) {
  const TemporaryFile file("lever_a_x\n1\n2\n3\n");
  io::CsvReader reader(file.path());
  while (reader.read(1)) EXPECT_EQ(reader.take().header(), std::vector<std::string>{"r_a_x"});
}

TEST(ColumnNames, old_and_new_in_one_file_are_an_error_that_names_both) {
  const auto expect_error = [](const std::string& header, const std::string& message) {
    const std::string error = error_of([&] { table_of(header + "\n"); });
    EXPECT_NE(error.find(message), std::string::npos) << error;
  };
  expect_error("lever_a_x,friction,r_a_x", ":1: the columns 'lever_a_x' and 'r_a_x' are the same");
  expect_error("separation,gap", ":1: the columns 'separation' and 'gap' are the same");
  expect_error("gap,gap", ":1: two columns are named 'gap'");
  expect_error("friction,friction", ":1: two columns are named 'friction'");
}

}  // namespace
}  // namespace carom::test
