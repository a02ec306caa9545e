// Contacts in HDF5: a dataset of the root group for every column, all of one length. docs/contact-files.md describes
// the files.
#include <algorithm>
#include <carom/status.hpp>
#include <cstring>
#include <filesystem>

#include "hdf5_handle.hpp"
#include "io/columns/column_types.hpp"
#include "open_hdf5.hpp"

namespace carom::io {
namespace {

/// The names of the root group in the order in which they were made, or by the alphabet where the file does not keep
/// it.
std::vector<std::string> names_in(hid_t file) {
  const Hdf5Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
  const Hdf5Handle made(root.is_open() ? H5Gget_create_plist(root) : -1, H5Pclose);
  unsigned order = 0;
  if (made.is_open()) H5Pget_link_creation_order(made, &order);
  const H5_index_t index = (order & H5P_CRT_ORDER_INDEXED) != 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
  H5G_info_t info{};
  std::vector<std::string> names;
  if (!root.is_open() || H5Gget_info(root, &info) < 0) return names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const ssize_t length = H5Lget_name_by_idx(root, ".", index, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    std::string name(static_cast<std::size_t>(std::max<ssize_t>(length, 0)), '\0');
    H5Lget_name_by_idx(root, ".", index, H5_ITER_INC, i, name.data(), name.size() + 1, H5P_DEFAULT);
    names.push_back(std::move(name));
  }
  return names;
}

/// Text in memory that has the characters of text in a file; width 0 is HDF5's variable length.
Hdf5Handle text_type(hid_t own_type, std::size_t width) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, width == 0 ? H5T_VARIABLE : width);
  H5Tset_cset(type, H5Tget_cset(own_type));
  if (width != 0) H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

constexpr std::size_t rows_of_text_at_once = 4096;

}  // namespace

class Hdf5TableReader final : public TableReader {
 public:
  /// Checks that the values of the columns are in the file. Throws Error, naming the dataset.
  Hdf5TableReader(const std::string& path, Progress progress, std::size_t first_row, const std::string& only);

  const Table& table() const override { return table_; }
  /// Throws Error, naming the dataset and the rows that can't be read.
  bool read(std::size_t enough) override;
  Table take() override;
  std::size_t count() override { return rows_; }
  const std::vector<ColumnType>& types() override { return types_; }

 private:
  struct Column {
    std::string name;
    Hdf5Handle set, memory_type;
    std::vector<hsize_t> extents;
    std::size_t axis = 0;         // the axis of the rows
    bool is_of_pointers = false;  // text of variable length
    std::vector<int> words;       // by code: index of its word, -1 for a code without a word
  };

  void open_column(const std::string& name);
  void find_type(Column& column, ColumnType& type);
  void find_words(Column& column, ColumnType& type, hid_t own_type);
  void find_rows(Column& column);
  std::size_t longest_text(const Column& column) const;
  Cells read(const Column& column, const ColumnType& type, std::size_t first, std::size_t count) const;
  void read(const Column& column, std::size_t first, std::size_t count, void* to) const;
  TextCells read_text(const Column& column, std::size_t width, std::size_t first, std::size_t count) const;
  [[noreturn]] void fail(const std::string& dataset, const std::string& what) const;

  Hdf5Handle file_;
  std::size_t bytes_ = 0;  // of the file
  Progress progress_;
  Table table_;
  std::vector<Column> columns_;
  std::vector<ColumnType> types_;
  std::size_t rows_ = 0, next_ = 0;
};

Hdf5TableReader::Hdf5TableReader(const std::string& path, Progress progress, std::size_t first_row,
                                 const std::string& only)
    : progress_(std::move(progress)), next_(first_row) {
  silence_hdf5();
  table_.name_ = path;
  file_ = {H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose};
  if (!file_.is_open()) throw Error("carom: " + path + " is not a sound HDF5 file" + reason_of_hdf5());
  bytes_ = std::filesystem::file_size(path);
  for (const std::string& name : names_in(file_))
    if (only.empty() || current_name(name) == only) open_column(name);
  if (columns_.empty()) throw Error("carom: " + path + " has no columns: its root group has no datasets");
  use_current_names(table_.header_, path + ": ");
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].is_of_pointers) types_[i].width = longest_text(columns_[i]);
  table_.columns_.resize(columns_.size());
}

void Hdf5TableReader::fail(const std::string& dataset, const std::string& what) const {
  throw Error("carom: " + table_.name_ + ": dataset " + dataset + " " + what);
}

void Hdf5TableReader::open_column(const std::string& name) {
  const Hdf5Handle object(H5Oopen(file_, name.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object.is_open()) fail(name, "can't be opened" + reason_of_hdf5());
  if (H5Iget_type(object) != H5I_DATASET) return;
  Column column;
  column.name = name;
  column.set = {H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose};
  if (!column.set.is_open()) fail(name, "can't be opened" + reason_of_hdf5());
  ColumnType type;
  find_type(column, type);
  find_rows(column);
  table_.header_.push_back(name);
  types_.push_back(std::move(type));
  columns_.push_back(std::move(column));
}

void Hdf5TableReader::find_type(Column& column, ColumnType& type) {
  const Hdf5Handle own(H5Dget_type(column.set), H5Tclose);
  const auto number = [&](ColumnType::Kind kind, hid_t in_memory) {
    type.kind = kind;
    column.memory_type = {H5Tcopy(in_memory), H5Tclose};
  };
  switch (H5Tget_class(own)) {
    case H5T_FLOAT:
      if (H5Tget_size(own) <= sizeof(float)) return number(ColumnType::float32, H5T_NATIVE_FLOAT);
      return number(ColumnType::float64, H5T_NATIVE_DOUBLE);
    case H5T_INTEGER:
      if (H5Tget_sign(own) == H5T_SGN_NONE) return number(ColumnType::uint64, H5T_NATIVE_UINT64);
      return number(ColumnType::int64, H5T_NATIVE_INT64);
    case H5T_ENUM:
      return find_words(column, type, own);
    case H5T_STRING:
      type.kind = ColumnType::text;
      column.is_of_pointers = H5Tis_variable_str(own) > 0;
      if (!column.is_of_pointers) type.width = H5Tget_size(own);
      column.memory_type = text_type(own, column.is_of_pointers ? 0 : type.width);
      return;
    default:
      fail(column.name, "holds neither numbers nor text");
  }
}

void Hdf5TableReader::find_words(Column& column, ColumnType& type, hid_t own_type) {
  if (H5Tget_size(own_type) != 1) fail(column.name, "has an enumeration of more than a byte");
  type.kind = ColumnType::word;
  column.memory_type = {H5Tcopy(own_type), H5Tclose};
  column.words.assign(max_words, -1);
  std::vector<std::string> words;
  for (int i = 0, count = H5Tget_nmembers(own_type); i < count; ++i) {
    std::uint8_t code = 0;
    char* const name = H5Tget_member_name(own_type, static_cast<unsigned>(i));
    if (name == nullptr || H5Tget_member_value(own_type, static_cast<unsigned>(i), &code) < 0)
      fail(column.name, "has an enumeration that can't be read");
    column.words[code] = i;
    words.emplace_back(name == empty_word ? "" : name);
    H5free_memory(name);
  }
  type.words = std::make_shared<const std::vector<std::string>>(std::move(words));
}

void Hdf5TableReader::find_rows(Column& column) {
  const Hdf5Handle space(H5Dget_space(column.set), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space);
  if (rank < 1) fail(column.name, "is no column: it has no rows");
  column.extents.resize(static_cast<std::size_t>(rank));
  H5Sget_simple_extent_dims(space, column.extents.data(), nullptr);
  const auto is_long = [](hsize_t extent) { return extent != 1; };
  if (std::count_if(column.extents.begin(), column.extents.end(), is_long) > 1)
    fail(column.name, "is no column: it has " + std::to_string(rank) + " dimensions");
  const auto along = std::find_if(column.extents.begin(), column.extents.end(), is_long);
  column.axis = along == column.extents.end() ? 0 : static_cast<std::size_t>(along - column.extents.begin());
  const std::size_t rows = column.extents[column.axis];
  if (columns_.empty()) rows_ = rows;
  if (rows != rows_)
    fail(column.name,
         "has " + std::to_string(rows) + " rows, and " + columns_.front().name + " has " + std::to_string(rows_));
  // A damaged file may announce any number, whose storage then is not there.
  const hsize_t stored = H5Dget_storage_size(column.set);
  if (rows > 0 && stored == 0) fail(column.name, "has no values");
  const haddr_t begin = H5Dget_offset(column.set);
  if (begin != HADDR_UNDEF && begin + stored > bytes_)
    fail(column.name, "is cut off: it ends at byte " + std::to_string(begin + stored) + ", the file at byte " +
                          std::to_string(bytes_));
}

std::size_t Hdf5TableReader::longest_text(const Column& column) const {
  std::size_t longest = 1;
  for (std::size_t first = 0; first < rows_; first += rows_of_text_at_once)
    longest = std::max(longest, read_text(column, 0, first, std::min(rows_of_text_at_once, rows_ - first)).width);
  return longest;
}

void Hdf5TableReader::read(const Column& column, std::size_t first, std::size_t count, void* to) const {
  std::vector<hsize_t> begin(column.extents.size(), 0), extent(column.extents.size(), 1);
  begin[column.axis] = first;
  extent[column.axis] = count;
  const hsize_t length = count;
  const Hdf5Handle from(H5Dget_space(column.set), H5Sclose), place(H5Screate_simple(1, &length, nullptr), H5Sclose);
  if (H5Sselect_hyperslab(from, H5S_SELECT_SET, begin.data(), nullptr, extent.data(), nullptr) < 0 ||
      H5Dread(column.set, column.memory_type, place, from, H5P_DEFAULT, to) < 0)
    fail(column.name, "can't be read at rows " + std::to_string(first + 1) + " to " + std::to_string(first + count) +
                          reason_of_hdf5());
}

// Width 0 makes the text as wide as the longest is.
TextCells Hdf5TableReader::read_text(const Column& column, std::size_t width, std::size_t first,
                                     std::size_t count) const {
  TextCells cells{std::max<std::size_t>(width, 1), std::string(width * count, '\0')};
  if (!column.is_of_pointers) {
    read(column, first, count, cells.characters.data());
    return cells;
  }
  std::vector<char*> texts(count, nullptr);
  read(column, first, count, texts.data());
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t length = texts[row] == nullptr ? 0 : std::strlen(texts[row]);
    cells.width = std::max(cells.width, length);
    if (width != 0 && length != 0)
      std::memcpy(cells.characters.data() + row * width, texts[row], std::min(length, width));
    H5free_memory(texts[row]);
  }
  return cells;
}

Cells Hdf5TableReader::read(const Column& column, const ColumnType& type, std::size_t first, std::size_t count) const {
  const auto numbers = [&]<class Number>(std::vector<Number> values) {
    values.resize(count);
    read(column, first, count, values.data());
    return values;
  };
  switch (type.kind) {
    case ColumnType::float64:
      return numbers(std::vector<double>());
    case ColumnType::float32:
      return numbers(std::vector<float>());
    case ColumnType::int64:
      return numbers(std::vector<std::int64_t>());
    case ColumnType::uint64:
      return numbers(std::vector<std::uint64_t>());
    case ColumnType::text:
      return read_text(column, type.width, first, count);
    default:
      break;
  }
  WordCells cells{numbers(std::vector<std::uint8_t>()), type.words};
  for (std::size_t row = 0; row < count; ++row) {
    const int word = column.words[cells.codes[row]];
    if (word < 0)
      fail(column.name,
           "has no word for " + std::to_string(cells.codes[row]) + " at row " + std::to_string(first + row + 1));
    cells.codes[row] = static_cast<std::uint8_t>(word);
  }
  return cells;
}

bool Hdf5TableReader::read(std::size_t enough) {
  silence_hdf5();
  const std::size_t count = std::min(enough, rows_ - std::min(next_, rows_));
  table_.first_row_ = next_;
  table_.count_ = count;
  for (std::size_t i = 0; i < columns_.size(); ++i) table_.columns_[i] = read(columns_[i], types_[i], next_, count);
  next_ += count;
  if (progress_) progress_(next_, rows_);
  return count > 0;
}

Table Hdf5TableReader::take() {
  Table table = std::move(table_);
  table_.name_ = table.name_;
  table_.header_ = table.header_;
  table_.columns_.resize(columns_.size());
  return table;
}

std::unique_ptr<TableReader> open_hdf5(const std::string& path, Progress progress, std::size_t first_row,
                                       const std::string& only) {
  return std::make_unique<Hdf5TableReader>(path, std::move(progress), first_row, only);
}

}  // namespace carom::io
