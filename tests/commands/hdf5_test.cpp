// Contacts in HDF5 files as input and output of the command.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "io/files/table_file.hpp"
#include "io/hdf5/open_hdf5.hpp"
#include "support/contacts/random_contacts.hpp"
#include "support/files/contact_tables.hpp"
#include "support/files/run_command.hpp"

namespace carom::test {
namespace {

/// Writes the cells of a CSV file to an HDF5 file.
void convert(const TemporaryFile& csv, const TemporaryFile& h5) {
  const Ended run = carom("convert " + csv.name() + " " + h5.name());
  ASSERT_EQ(run.exit_code, 0) << run.err;
}

std::string as_csv(const TemporaryFile& h5) {
  return carom("convert " + h5.name() + " -").out;
}

TEST(Convert, there_and_back_gives_the_same_text_where_numbers_have_the_fewest_digits) {
  const std::string text =
      "note,friction,key,law,x\n"
      "\"a, \"\"b\"\"\",0.1,18446744073709551615,smith,\n"
      "\"two\nlines\",1e+300,1,,-0\n"
      ",5e-324,12345678901234567890,smith,0.30000000000000004\n"
      " ,inf,2,brach,nan\n";
  const TemporaryFile csv(text), h5({}, ".h5"), copy({}, ".hdf5");
  convert(csv, h5);
  std::string trimmed = text;
  trimmed.erase(trimmed.find(" ,inf"), 1);
  EXPECT_EQ(as_csv(h5), trimmed);
  ASSERT_EQ(carom("convert " + h5.name() + " " + copy.name()).exit_code, 0);
  EXPECT_EQ(as_csv(copy), trimmed);

  const TemporaryFile column("x\n1\n\"\"\n2\n"), of_column({}, ".h5");
  convert(column, of_column);
  EXPECT_EQ(as_csv(of_column), column.text());
}

template <class Number>
void expect_same_bits(const io::Cells& cells, const std::vector<Number>& wanted) {
  const auto& found = std::get<std::vector<Number>>(cells);
  ASSERT_EQ(found.size(), wanted.size());
  EXPECT_EQ(std::memcmp(found.data(), wanted.data(), wanted.size() * sizeof(Number)), 0);
}

TEST(Convert, keeps_the_bits_of_nans) {
  std::vector<double> doubles = {io::empty_cell};
  std::vector<float> floats = {io::empty_cell_in_float};
  for (const std::uint64_t bits : {0x7ff8000000000000u, 0x7ff8000000000001u, 0x7ff0000000000001u, 0x7ff7000000000000u})
    for (const double sign : {1., -1.}) doubles.push_back(std::copysign(std::bit_cast<double>(bits), sign));
  for (const std::uint32_t bits : {0x7fc00000u, 0x7fc00001u, 0x7f800001u, 0x7fbf0000u})
    for (const float sign : {1.F, -1.F}) floats.push_back(std::copysign(std::bit_cast<float>(bits), sign));
  const TemporaryFile h5({}, ".h5"), same({}, ".h5"), csv, again({}, ".h5"), in_float({}, ".h5");
  const io::Cells x = doubles, y = floats;
  io::new_hdf5(h5.name(), {{"x", {io::ColumnType::float64}}, {"y", {io::ColumnType::float32}}}, doubles.size())
      ->put({.count = doubles.size(), .columns = {&x, &y}});
  for (const std::string& files :
       {h5.name() + " " + same.name(), h5.name() + " " + csv.name(), csv.name() + " " + again.name(),
        csv.name() + " --precision float " + in_float.name()})
    ASSERT_EQ(carom("convert " + files).exit_code, 0) << files;
  const io::Table copied = io::read_table(same.name());
  expect_same_bits(*copied.cells(0), doubles);
  expect_same_bits(*copied.cells(1), floats);
  expect_same_bits(*io::read_table(again.name()).cells(0), doubles);
  expect_same_bits(*io::read_table(in_float.name()).cells(1), floats);
}

TEST(Convert, keeps_text_that_looks_like_numbers) {
  const std::vector<std::string> texts = {"007", "1.50", "nan", "", "12345678901234567890"};
  io::TextCells cells{20, {}};
  for (const std::string& text : texts) cells.characters += text + std::string(20 - text.size(), '\0');
  const TemporaryFile h5({}, ".h5"), csv, again({}, ".h5"), csv_again;
  const io::Cells parts = cells;
  io::new_hdf5(h5.name(), {{"part", {io::ColumnType::text, 20}}}, texts.size())
      ->put({.count = texts.size(), .columns = {&parts}});
  for (const std::string& files :
       {h5.name() + " " + csv.name(), csv.name() + " " + again.name(), again.name() + " " + csv_again.name()})
    ASSERT_EQ(carom("convert " + files).exit_code, 0) << files;
  EXPECT_EQ(csv.text(), "part\n\"007\"\n\"1.50\"\n\"nan\"\n\"\"\n\"12345678901234567890\"\n");
  EXPECT_EQ(csv_again.text(), csv.text());
  const io::Table table = io::read_table(again.name());
  ASSERT_FALSE(table.holds_numbers(0));
  for (std::size_t row = 0; row < texts.size(); ++row) EXPECT_EQ(table.cell(row, 0), texts[row]);
}

// solve and check copy text columns.
TEST(Convert, is_not_needed_for_text_to_stay_text) {
  Row row = space_row();
  row.emplace_back("part", "\"1.50\"");
  const TemporaryFile csv(csv_of({row})), solved, h5({}, ".h5"), checked({}, ".h5");
  ASSERT_EQ(carom("solve " + csv.name() + " -o " + solved.name()).exit_code, 0);
  ASSERT_EQ(carom("solve " + solved.name() + " -o " + h5.name()).exit_code, 0);
  ASSERT_EQ(carom("check " + h5.name() + " -o " + checked.name()).exit_code, 0);
  for (const TemporaryFile* file : {&h5, &checked}) {
    const io::Table table = io::read_table(file->name());
    ASSERT_FALSE(table.holds_numbers(table.find("part")));
    EXPECT_EQ(table.cell(0, table.find("part")), "1.50");
  }
}

TEST(Convert, to_float_rounds_numbers) {
  const TemporaryFile csv("x\n0.1\n"), h5({}, ".h5");
  ASSERT_EQ(carom("convert " + csv.name() + " " + h5.name() + " --precision float").exit_code, 0);
  EXPECT_EQ(io::read_table(h5.name()).numbers("x")[0], static_cast<double>(0.1f));
}

TEST(Convert, refuses_what_hdf5_has_no_place_for) {
  const TemporaryFile ragged("x,y\n1,2\n3\n"), fine("x\n1\n"), h5({}, ".h5");
  const Ended run = carom("convert " + ragged.name() + " " + h5.name());
  EXPECT_EQ(run.exit_code, 2);
  expect_within(ragged.name() + ":3: HDF5 has no place for this row: it has 1 cells", run.err);
  // A file on standard input, too, is read once.
  for (const char* from : {"cat {} | carom convert - ", "< {} carom convert - "}) {
    const Ended read = shell(std::string(from).replace(std::string(from).find("{}"), 2, fine.name()) + h5.name());
    EXPECT_EQ(read.exit_code, 2) << from;
    expect_within("standard input can't become HDF5", read.err);
  }
  const Ended device = carom("convert " + fine.name() + " /dev/full");
  EXPECT_EQ(device.exit_code, 2);
}

TEST(Hdf5, contacts_of_every_form_have_the_results_of_their_text) {
  const Row bad = with(with_law_parameters(planar_space_row()), "law", "");
  for (const std::vector<Row>& rows : {std::vector<Row>{body_row(), with(body_row(), "restitution", "2")},
                                       {with(space_row(), "note", "\"a, b\""), with(space_row(), "note", "")},
                                       {planar_body_row()},
                                       {bad, with(bad, "law", "whittaker"), with(bad, "u0_x", "O.75")}}) {
    const TemporaryFile csv(csv_of(rows)), h5({}, ".h5"), out({}, ".h5"), from_text({}, ".h5");
    convert(csv, h5);
    for (const std::string options : {"", " --precision float --details"}) {
      const Ended of_text = carom("solve " + csv.name() + " -o -" + options);
      const Ended run = carom("solve " + h5.name() + " -o " + out.name() + options);
      EXPECT_EQ(run.exit_code, of_text.exit_code) << run.err;
      EXPECT_EQ(carom("solve " + csv.name() + " -o " + from_text.name() + options).exit_code, of_text.exit_code);
      const io::Table wanted = table_of(of_text.out), found = io::read_table(out.name());
      ASSERT_EQ(found.header(), wanted.header());
      ASSERT_EQ(found.rows(), wanted.rows());
      for (std::size_t column = 0; column < wanted.header().size(); ++column)
        for (std::size_t row = 0; row < wanted.rows(); ++row) {
          const auto number = wanted.number(row, column);
          // Nine digits identify a float: rounded to float, they are the same number.
          if (number && std::isnan(*number))
            EXPECT_EQ(found.text(row, column), "nan");
          else if (number && found.holds_numbers(column) && options.find("float") != std::string::npos)
            EXPECT_EQ(static_cast<float>(*found.number(row, column)), static_cast<float>(*number));
          else if (number && found.holds_numbers(column))
            EXPECT_EQ(*found.number(row, column), *number) << wanted.header()[column];
          else
            EXPECT_EQ(found.text(row, column), wanted.text(row, column));
        }
      EXPECT_EQ(as_csv(out), as_csv(from_text));
    }
  }
}

TEST(Hdf5, is_read_by_every_command) {
  const TemporaryFile csv(csv_of({space_row(), with(space_row(), "restitution", "2"), space_row()})), h5({}, ".h5");
  convert(csv, h5);
  for (const std::string command : {"check", "compare", "compare-laws"}) {
    const Ended of_text = carom(command + " " + csv.name() + " --json"),
                run = carom(command + " " + h5.name() + " --json");
    EXPECT_EQ(run.exit_code, 1) << run.err;
    expect_within("carom: " + h5.name() + ": row 2: column restitution: 2 is outside [0, 1]", run.err);
    expect_within("\"contacts\": 3", run.out);
    EXPECT_EQ(of_text.exit_code, 1);
  }
  const TemporaryFile margins({}, ".csv"), other({}, ".csv");
  carom("check " + csv.name() + " -o " + margins.name());
  carom("check " + h5.name() + " -o " + other.name());
  EXPECT_EQ(margins.text(), other.text());
}

TEST(Hdf5, that_comes_from_standard_input_is_an_error_of_every_command) {
  const TemporaryFile csv(csv_of({space_row()})), h5({}, ".h5"), out;
  convert(csv, h5);
  for (const std::string command :
       {"solve IN -o OUT", "solve IN -o OUT.h5", "solve --scene --method pgs IN -o OUT",
        "solve --scene --method pgs IN -o OUT.h5", "compare IN", "check IN", "compare-laws IN", "sweep IN",
        "convert IN OUT", "convert IN OUT.h5", "export --fclib IN -o OUT"}) {
    std::string line = command;
    if (const std::size_t place = line.find("OUT"); place != std::string::npos) line.replace(place, 3, out.name());
    for (const auto& [in, name] : {std::pair("-", "standard input"), {"/dev/stdin", "/dev/stdin"}}) {
      std::string whole = line;
      whole.replace(whole.find("IN"), 2, in);
      std::vector<std::string> ways = {"cat " + h5.name() + " | carom " + whole};
      if (in[0] == '-') ways.push_back("carom " + whole + " < " + h5.name());  // /dev/stdin is the file then
      for (const std::string& way : ways) {
        const Ended run = shell(way);
        EXPECT_EQ(run.exit_code, 2) << way;
        EXPECT_EQ(run.err, "carom: " + std::string(name) +
                               " is HDF5, which can't be read from standard input or a pipe: name the file instead\n")
            << way;
      }
    }
  }
}

// The limit may lie between the size of the cells and the size of the file.
TEST(Hdf5, that_exceeds_the_limit_of_a_file_is_an_error) {
  const TemporaryFile h5({}, ".h5"), out({}, ".h5");
  ASSERT_EQ(carom("generate --contacts 20000 --distribution matrices -o " + h5.name()).exit_code, 0);
  const std::size_t bytes_of_cells = 11 * 20000 * 8, length = std::filesystem::file_size(h5.path()), block = 512;
  std::size_t errors = 0;
  for (std::size_t limit = bytes_of_cells / block - 4; limit < length / block + 8; limit += 4) {
    const Ended run = shell("ulimit -f " + std::to_string(limit) + "; carom convert " + h5.name() + " " + out.name());
    if (run.exit_code == 0 && limit * block >= length) continue;
    EXPECT_EQ(run.exit_code, 2) << limit;
    expect_within("can't be written: File too large", run.err);
    ++errors;
  }
  EXPECT_GT(errors, 10u);
}

TEST(Hdf5, holds_scenes) {
  Row row = body_row();
  row.insert(row.end(), {{"scene_step", "0"}, {"body_a", "3"}, {"body_b", "-1"}, {"key", "18446744073709551615"}});
  const TemporaryFile csv(csv_of({row})), h5({}, ".h5"), out({}, ".h5");
  convert(csv, h5);
  const Ended of_text = carom("solve --scene --method pgs " + csv.name() + " -o -");
  const Ended run = carom("solve --scene --method pgs " + h5.name() + " -o " + out.name());
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const io::Table wanted = table_of(of_text.out), found = io::read_table(out.name());
  ASSERT_EQ(found.header(), wanted.header());
  EXPECT_EQ(found.numbers("impulse_z"), wanted.numbers("impulse_z"));
  EXPECT_EQ(found.text(0, found.find("key")), "18446744073709551615");
}

TEST(Hdf5, that_holds_no_contacts_is_an_error_that_tells_what_is_missing) {
  const TemporaryFile csv("x\n1\n"), h5({}, ".h5");
  convert(csv, h5);
  const Ended run = carom("solve " + h5.name() + " -o -");
  EXPECT_EQ(run.exit_code, 2);
  expect_within(h5.name() + ": not a contact file: the nearest is the", run.err);
}

TEST(Generate, draws_the_contacts_of_the_benchmarks) {
  for (const std::string precision : {"float", "double"}) {
    const TemporaryFile h5({}, ".h5");
    const Ended run =
        carom("generate --contacts 100 --seed 7 --distribution matrices --precision " + precision + " -o " + h5.name());
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const support::RandomSpaceContacts<double> wanted(100, 7);
    const io::Table table = io::read_table(h5.name());
    for (std::size_t i = 0; i < 100; ++i) {
      const double k_xy = wanted.k[1][i];
      EXPECT_EQ(table.numbers("k_xy")[i], precision == "float" ? static_cast<double>(static_cast<float>(k_xy)) : k_xy);
    }
  }
}

TEST(Generate, gives_the_same_contacts_in_text_and_the_first_of_more) {
  const TemporaryFile h5({}, ".h5"), more({}, ".h5");
  const Ended text = carom("generate --contacts 20 --seed 3 -o -");
  ASSERT_EQ(carom("generate --contacts 20 --seed 3 -o " + h5.name()).exit_code, 0);
  ASSERT_EQ(carom("generate --contacts 65540 --seed 3 -o " + more.name()).exit_code, 0);
  EXPECT_EQ(as_csv(h5), text.out);
  const io::Table first = io::read_table(h5.name()), all = io::read_table(more.name());
  ASSERT_EQ(all.rows(), 65540u);
  const std::vector<double> few = first.numbers("r_a_x"), many = all.numbers("r_a_x");
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
  // The second block is drawn, too, and differs from the first.
  EXPECT_NE(many[65536], 0);
  EXPECT_NE(many[65536], many[0]);
  EXPECT_NE(carom("generate --contacts 20 --seed 4 -o -").out, text.out);
}

TEST(Generate, makes_scenes_whose_rows_agree_on_their_bodies) {
  const TemporaryFile scenes({}, ".h5"), results({}, ".h5");
  for (const std::string precision : {"float", "double"}) {
    ASSERT_EQ(carom("generate --contacts 6000 --distribution chains --precision " + precision + " -o " + scenes.name())
                  .exit_code,
              0);
    // Rows that contradict each other about a body, or do not form a scene, would be faulty rows.
    const Ended run =
        carom("solve --scene --method pgs " + scenes.name() + " -o " + results.name() + " --precision " + precision);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    expect_within("6000 contacts in 300 scenes", run.out);
  }
}

TEST(Generate, makes_contacts_that_all_collide) {
  for (const std::string distribution : {"boxes", "matrices"}) {
    const Ended run =
        shell("carom generate --contacts 200 --distribution " + distribution + " -o - | carom solve - -o -");
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const io::Table results = table_of(run.out);
    ASSERT_EQ(results.rows(), 200u);
    for (std::size_t row = 0; row < 200; ++row) EXPECT_EQ(results.cell(row, results.find("status")), "ok");
  }
}

TEST(Hdf5, is_what_check_and_compare_laws_write_with_the_cells_of_their_csv) {
  const std::string contacts = CAROM_EXAMPLES_DIR "/laws/contacts.csv";
  for (const std::string command : {"check --law whittaker ", "compare-laws "}) {
    const TemporaryFile csv, hdf5({}, ".h5"), again({}, ".h5");
    ASSERT_EQ(carom(command + contacts + " -o " + csv.name()).exit_code, 0);
    ASSERT_EQ(carom(command + contacts + " -o " + hdf5.name()).exit_code, 0);
    ASSERT_EQ(carom("convert " + csv.name() + " " + again.name()).exit_code, 0);
    EXPECT_TRUE(hdf5.text() == again.text()) << command;
  }
}

}  // namespace
}  // namespace carom::test
