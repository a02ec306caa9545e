// Contacts in HDF5: round trips, files from other programs, and damaged files.
#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "io/columns/column_types.hpp"
#include "io/columns/contact_numbers.hpp"
#include "io/columns/units.hpp"
#include "io/csv/csv.hpp"
#include "io/files/table_file.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/open_hdf5.hpp"
#include "support/files/contact_tables.hpp"

namespace carom::test {
namespace {

using io::Hdf5Handle;

/// Makes HDF5 of a text, in blocks of two rows.
void convert(const TemporaryFile& csv, const TemporaryFile& to) {
  io::CsvReader reader(csv.path());
  std::vector<io::FileColumn> columns;
  io::RowBlock rows{.table = &reader.table()};
  for (std::size_t i = 0; i < reader.types().size(); ++i) {
    columns.push_back({reader.table().header()[i], reader.types()[i]});
    rows.columns.emplace_back(i);
  }
  const auto writer = io::new_hdf5(to.name(), columns, reader.count());
  for (; reader.read(2); rows.first += rows.count) {
    rows.count = reader.table().rows();
    writer->put(rows);
  }
}

/// A file of HDF5's own interface.
struct Hdf5Maker {
  explicit Hdf5Maker(const std::string& path)
      : file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose) {}

  void add(const std::string& name, hid_t type, const std::vector<hsize_t>& extents, hid_t in_memory, const void* data,
           hid_t properties = H5P_DEFAULT) const {
    const Hdf5Handle space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
    const Hdf5Handle set(H5Dcreate2(file, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
    ASSERT_GE(H5Dwrite(set, in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
  }
  void add(const std::string& name, const std::vector<double>& values) const {
    add(name, H5T_IEEE_F64LE, {values.size()}, H5T_NATIVE_DOUBLE, values.data());
  }

  Hdf5Handle file;
};

void expect_within(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

std::string error_of_reading(const TemporaryFile& file) {
  return error_of([&] { io::read_table(file.name()); });
}

TEST(Hdf5Table, gives_back_every_cell_of_a_text) {
  const TemporaryFile csv(
      "number,key,note,word,gaps,large,-\n"
      "0.1,18446744073709551615,\"a, \"\"b\"\"\",smith,1,1e300,x\n"
      "-0,1,,,,-inf,y\n"
      "4.9406564584124654e-324,2,  two words ,smith,3,nan,z\n"
      "17976931348623157e292,3,\xC3\xBC,brach,,1e999,\n"
      "+5,4,\"line\nbreak\",,0.30000000000000004,123456789012345678901234567890,x\n");
  const TemporaryFile h5({}, ".h5");
  convert(csv, h5);
  const io::Table text = io::read_table(csv.name()), table = io::read_table(h5.name());
  ASSERT_EQ(table.header(), text.header());
  ASSERT_EQ(table.rows(), text.rows());
  for (std::size_t column = 0; column < text.header().size(); ++column)
    for (std::size_t row = 0; row < text.rows(); ++row) {
      const auto number = text.number(row, column), found = table.number(row, column);
      ASSERT_EQ(number.has_value(), found.has_value()) << text.header()[column] << row;
      if (number && table.holds_numbers(column)) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(*number), std::bit_cast<std::uint64_t>(*found));
        const auto again = io::to_number(table.text(row, column));
        EXPECT_EQ(std::bit_cast<std::uint64_t>(again.value_or(7)), std::bit_cast<std::uint64_t>(*number));
      } else {
        EXPECT_EQ(table.text(row, column), text.text(row, column));
      }
    }
  EXPECT_EQ(table.text(0, 1), "18446744073709551615");
  EXPECT_EQ(table.text(1, 0), "-0");
  EXPECT_EQ(table.text(1, 4), "");
}

TEST(Hdf5Table, of_no_rows_has_its_columns) {
  const TemporaryFile csv("x,y\n"), h5({}, ".h5");
  convert(csv, h5);
  const io::Table table = io::read_table(h5.name());
  EXPECT_EQ(table.header(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(table.rows(), 0u);
}

TEST(Hdf5Table, reads_what_others_write) {
  const TemporaryFile h5({}, ".h5");
  {
    const Hdf5Maker maker(h5.name());
    const std::vector<double> values = {0.5, -1.25, 3};
    const std::vector<int> integers = {-1, 0, 7};
    const std::array<const char*, 3> notes = {"one", "", "three"};
    const Hdf5Handle chunked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t chunk = 2;
    H5Pset_chunk(chunked, 1, &chunk);
    const Hdf5Handle variable(H5Tcopy(H5T_C_S1), H5Tclose), padded(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(variable, H5T_VARIABLE);
    H5Tset_size(padded, 4);
    H5Tset_strpad(padded, H5T_STR_SPACEPAD);
    maker.add("big_endian", H5T_IEEE_F32BE, {3}, H5T_NATIVE_DOUBLE, values.data(), chunked);
    maker.add("integers", H5T_STD_I16LE, {3}, H5T_NATIVE_INT, integers.data());
    maker.add("notes", variable, {3}, variable, notes.data());
    maker.add("of_matlab", H5T_IEEE_F64LE, {1, 3}, H5T_NATIVE_DOUBLE, values.data());
    maker.add("padded", padded, {3}, padded, "ab  cd  efgh");
    const Hdf5Handle group(H5Gcreate2(maker.file, "other", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  }
  const io::Table table = io::read_table(h5.name());
  EXPECT_EQ(table.header(), (std::vector<std::string>{"big_endian", "integers", "notes", "of_matlab", "padded"}));
  EXPECT_EQ(table.numbers("big_endian"), (std::vector<double>{0.5, -1.25, 3}));
  EXPECT_EQ(table.numbers("of_matlab"), (std::vector<double>{0.5, -1.25, 3}));
  EXPECT_EQ(table.numbers("integers"), (std::vector<double>{-1, 0, 7}));
  EXPECT_EQ(table.text(0, 2) + "|" + table.text(1, 2) + "|" + table.text(2, 2), "one||three");
  EXPECT_EQ(table.text(0, 4) + "|" + table.text(1, 4) + "|" + table.text(2, 4), "ab|cd|efgh");
}

TEST(Hdf5Table, has_the_names_of_today_where_the_file_has_old_ones) {
  const std::vector<double> values = {0.5, -1.25, 3};
  const TemporaryFile old({}, ".h5"), both({}, ".h5");
  {
    const Hdf5Maker maker(old.name());
    maker.add("gap", values);
    maker.add("lever_a_x", {1, 2, 3});
    const Hdf5Maker of_both(both.name());
    of_both.add("gap", values);
    of_both.add("separation", values);
  }
  const io::Table table = io::read_table(old.name());
  EXPECT_EQ(table.header(), (std::vector<std::string>{"separation", "r_a_x"}));
  EXPECT_EQ(table.numbers("separation"), values);
  EXPECT_EQ(table.numbers("r_a_x"), (std::vector<double>{1, 2, 3}));
  const auto alone = io::open_table(old.name(), {}, 0, "separation");
  EXPECT_EQ(alone->table().header(), std::vector<std::string>{"separation"});
  expect_within("the columns 'gap' and 'separation' are the same", error_of_reading(both));
}

TEST(Hdf5Table, that_is_none_is_an_error_that_names_the_dataset) {
  const std::vector<double> three(3), four(4);
  const TemporaryFile lengths({}, ".h5"), flat({}, ".h5"), single({}, ".h5"), empty({}, ".h5"), pairs({}, ".h5");
  {
    const Hdf5Maker maker(lengths.name());
    maker.add("x", three);
    maker.add("y", four);
    Hdf5Maker(flat.name()).add("x", H5T_IEEE_F64LE, {2, 2}, H5T_NATIVE_DOUBLE, four.data());
    Hdf5Maker(single.name()).add("x", H5T_IEEE_F64LE, {}, H5T_NATIVE_DOUBLE, four.data());
    Hdf5Maker(empty.name());
    const Hdf5Handle pair(H5Tcreate(H5T_COMPOUND, 8), H5Tclose);
    H5Tinsert(pair, "a", 0, H5T_NATIVE_DOUBLE);
    Hdf5Maker(pairs.name()).add("x", pair, {3}, pair, three.data());
  }
  expect_within("dataset y has 4 rows, and x has 3", error_of_reading(lengths));
  expect_within("dataset x is no column: it has 2 dimensions", error_of_reading(flat));
  expect_within("dataset x is no column", error_of_reading(single));
  expect_within("has no datasets", error_of_reading(empty));
  expect_within("dataset x holds neither numbers nor text", error_of_reading(pairs));
}

TEST(Hdf5Table, that_is_damaged_is_an_error_that_names_the_place) {
  const TemporaryFile cut({}, ".h5"), chunked({}, ".h5");
  const std::vector<double> values(1000, 1.5);
  Hdf5Maker(cut.name()).add("x", values);
  std::filesystem::resize_file(cut.path(), std::filesystem::file_size(cut.path()) - 100);
  expect_within("is not a sound HDF5 file: truncated file", error_of_reading(cut));

  {
    const Hdf5Handle sums(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t chunk = 100;
    H5Pset_chunk(sums, 1, &chunk);
    H5Pset_fletcher32(sums);
    Hdf5Maker(chunked.name()).add("x", H5T_IEEE_F64LE, {1000}, H5T_NATIVE_DOUBLE, values.data(), sums);
  }
  std::string bytes = chunked.text();
  const std::string number(reinterpret_cast<const char*>(values.data()), sizeof values[0]);
  bytes[bytes.find(number + number)] ^= 1;
  const TemporaryFile damaged(bytes, ".h5");
  expect_within("dataset x can't be read at rows 1 to 1000", error_of_reading(damaged));
}

TEST(Hdf5Table, has_the_contacts_of_its_text_and_the_same_faults) {
  const Row row = with(with_law_parameters(space_row()), "law", "");
  const TemporaryFile csv(csv_of({row, with(row, "law", "smith"), with(row, "u0_x", "O.75"), with(row, "friction", ""),
                                  with(with(row, "law", "polar"), "azimuth", ""), with(row, "law", "none"),
                                  with(row, "weight_smith", ""), with(row, "k_xx", "nan")}));
  const TemporaryFile h5({}, ".h5");
  convert(csv, h5);
  const io::Table text = io::read_table(csv.name()), table = io::read_table(h5.name());
  const io::ContactNumbers of_text(text, io::Form::contact_space), of_table(table, io::Form::contact_space);
  ASSERT_EQ(of_table.faults().size(), of_text.faults().size());
  EXPECT_EQ(of_text.faults().size(), 4u);
  for (std::size_t i = 0; i < of_text.faults().size(); ++i) {
    EXPECT_EQ(of_table.faults()[i].row, of_text.faults()[i].row);
    EXPECT_EQ(of_table.faults()[i].message, of_text.faults()[i].message);
  }
  EXPECT_EQ(of_table.named_laws(), of_text.named_laws());
  for (const io::NumberColumn& column : of_text.numbers().columns())
    for (std::size_t i = 0; i < text.rows(); ++i) {
      const double wanted = column.values[i], found = of_table.numbers().at(column.name)[i];
      EXPECT_TRUE(wanted == found || (std::isnan(wanted) && std::isnan(found))) << column.name << i;
    }
}

TEST(Hdf5Writer, tells_the_unit_of_every_number) {
  const TemporaryFile h5({}, ".h5");
  io::new_hdf5(h5.name(), {{"velocity_a_x"}}, 1);
  const Hdf5Handle file(H5Fopen(h5.name().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const Hdf5Handle unit(H5Aopen_by_name(file, "velocity_a_x", "unit", H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  const Hdf5Handle type(H5Aget_type(unit), H5Tclose);
  std::string text(H5Tget_size(type), '\0');
  ASSERT_GE(H5Aread(unit, type, text.data()), 0);
  EXPECT_EQ(text, "m/s");
  for (const io::Form form :
       {io::Form::bodies, io::Form::contact_space, io::Form::planar_bodies, io::Form::planar_contact_space}) {
    const io::FormColumns& columns = io::columns_of(form);
    for (const auto* names : {&columns.needed, &columns.optional, &columns.results, &columns.details})
      for (const std::string& name : *names)
        EXPECT_EQ(io::unit_of(name).empty(),
                  name == "law" || name == "restitution_law" || name == "status" || name == "path")
            << name;
  }
  EXPECT_EQ(io::unit_of("p_value") + io::unit_of("kind") + io::unit_of("velocity_of_ball"), "");
}

TEST(Hdf5Writer, refuses_to_go_on_with_other_columns) {
  const TemporaryFile h5({}, ".h5");
  io::new_hdf5(h5.name(), {{"x"}}, 3);
  EXPECT_EQ(error_of([&] { io::resumed_hdf5(h5.name(), {{"x"}}, 3); }), "no error");
  expect_within("dataset x", error_of([&] { io::resumed_hdf5(h5.name(), {{"x"}}, 4); }));
  expect_within("dataset y", error_of([&] { io::resumed_hdf5(h5.name(), {{"y"}}, 3); }));
  const io::ColumnType in_float{io::ColumnType::float32};
  expect_within("dataset x", error_of([&] { io::resumed_hdf5(h5.name(), {{"x", in_float}}, 3); }));
}

}  // namespace
}  // namespace carom::test
