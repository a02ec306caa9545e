#include <fcntl.h>
#include <unistd.h>

#include <carom/status.hpp>
#include <cerrno>
#include <cstring>
#include <functional>
#include <numeric>

#include "hdf5_handle.hpp"
#include "io/columns/column_types.hpp"
#include "io/columns/units.hpp"
#include "open_hdf5.hpp"

namespace carom::io {
namespace {

[[noreturn]] void throw_unwritable(const std::string& path, const std::string& reason) {
  throw Error("carom: " + path + " can't be written" + reason);
}

Hdf5Handle enumeration(const std::vector<std::string>& words) {
  Hdf5Handle type(H5Tenum_create(H5T_NATIVE_UINT8), H5Tclose);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto code = static_cast<std::uint8_t>(i);
    H5Tenum_insert(type, words[i].empty() ? std::string(empty_word).c_str() : words[i].c_str(), &code);
  }
  return type;
}

Hdf5Handle text_of_width(std::size_t width) {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, width);
  H5Tset_cset(type, H5T_CSET_UTF8);
  H5Tset_strpad(type, H5T_STR_NULLPAD);
  return type;
}

Hdf5Handle type_in_file(const ColumnType& type) {
  switch (type.kind) {
    case ColumnType::float64:
      return {H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose};
    case ColumnType::float32:
      return {H5Tcopy(H5T_NATIVE_FLOAT), H5Tclose};
    case ColumnType::int64:
      return {H5Tcopy(H5T_NATIVE_INT64), H5Tclose};
    case ColumnType::uint64:
      return {H5Tcopy(H5T_NATIVE_UINT64), H5Tclose};
    case ColumnType::word:
      return enumeration(*type.words);
    default:
      return text_of_width(type.width);
  }
}

void add_unit(hid_t set, const std::string& unit) {
  if (unit.empty()) return;
  const Hdf5Handle space(H5Screate(H5S_SCALAR), H5Sclose), type = text_of_width(unit.size());
  const Hdf5Handle attribute(H5Acreate2(set, "unit", type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (attribute.is_open()) H5Awrite(attribute, type, unit.data());
}

std::vector<hsize_t> extents_of(const FileColumn& column, std::size_t rows) {
  if (column.extents.empty()) return {rows};
  return {column.extents.begin(), column.extents.end()};
}

hsize_t cells_in(const std::vector<hsize_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), hsize_t{1}, std::multiplies<>());
}

/// Creates the dataset of a column. Returns its offset in the file, which is allocated early; 0 if it is empty.
std::uint64_t make_column(hid_t file, const FileColumn& column, std::size_t rows) {
  const std::vector<hsize_t> extents = extents_of(column, rows);
  const Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_layout(properties, H5D_CONTIGUOUS);
  H5Pset_alloc_time(properties, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER);
  H5Pset_obj_track_times(properties, false);  // equal runs write equal bytes
  const Hdf5Handle type = type_in_file(column.type),
                   space(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose);
  const Hdf5Handle set(H5Dcreate2(file, column.name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                       H5Dclose);
  if (!set.is_open()) throw Error("carom: HDF5 takes no dataset " + column.name + reason_of_hdf5());
  add_unit(set, unit_of(column.name));
  return cells_in(extents) == 0 ? 0 : H5Dget_offset(set);
}

/// Datasets of at least `large` bytes begin at a page of the file.
constexpr hsize_t large = 1 << 16, page = 1 << 12;

/// Upper bound of the bytes that HDF5 adds to the cells of a column: padding to a page, header, unit and words.
std::size_t max_bytes_beside(const FileColumn& column) {
  constexpr std::size_t header = 4096, of_word = 32;
  std::size_t words = 0;
  if (column.type.words)
    for (const std::string& word : *column.type.words) words += word.size() + of_word;
  return page + header + column.name.size() + words;
}

/// Throws Error if the file cannot have its length, because HDF5 would crash. The length is known only after the
/// layout, so this tests an upper bound.
void require_length(const std::string& path, const std::vector<FileColumn>& columns, std::size_t rows) {
  std::size_t bytes = 1 << 14;  // for the header of the file and the group
  for (const FileColumn& column : columns)
    bytes += cells_in(extents_of(column, rows)) * H5Tget_size(type_in_file(column.type)) + max_bytes_beside(column);
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  const int reason = file < 0 || ::ftruncate(file, static_cast<off_t>(bytes)) != 0 ? errno : 0;
  if (file >= 0) ::close(file);
  if (reason != 0) throw_unwritable(path, std::string(": ") + std::strerror(reason));
}

std::vector<std::uint64_t> make_file(const std::string& path, const std::vector<FileColumn>& columns,
                                     std::size_t rows) {
  silence_hdf5();
  require_length(path, columns, rows);
  const Hdf5Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_alignment(access, large, page);
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  if (!file.is_open()) throw_unwritable(path, reason_of_hdf5());
  std::vector<std::uint64_t> places;
  for (const FileColumn& column : columns) places.push_back(make_column(file, column, rows));
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) throw_unwritable(path, reason_of_hdf5());
  return places;
}

struct Bytes {
  const void* data;
  std::size_t size, of_row;
};

Bytes bytes_of(const Cells& cells) {
  return std::visit(
      [](const auto& held) -> Bytes {
        if constexpr (requires { held.codes; })
          return {held.codes.data(), held.codes.size(), 1};
        else if constexpr (requires { held.characters; })
          return {held.characters.data(), held.characters.size(), held.width};
        else
          return {held.data(), held.size() * sizeof held[0], sizeof held[0]};
      },
      cells);
}

/// HDF5 lays out the file and closes it before the first row. Rows then go to the places of the datasets, so the file
/// is sound whenever the run ends.
class Hdf5Writer final : public RowWriter {
 public:
  /// `columns`: first `constants` constant columns. `places`: offsets of their datasets in the file.
  Hdf5Writer(std::string path, std::vector<FileColumn> columns, std::size_t constants,
             std::vector<std::uint64_t> places, std::size_t rows)
      : path_(std::move(path)),
        columns_(std::move(columns)),
        constants_(constants),
        places_(std::move(places)),
        cells_(cells_in(extents_of(columns_.back(), rows))),
        file_(::open(path_.c_str(), O_WRONLY | O_CLOEXEC)) {
    if (file_ < 0) throw_unwritable(path_, std::string(": ") + std::strerror(errno));
  }
  ~Hdf5Writer() override { ::close(file_); }

  void format(RowBlock& rows) const override {
    rows.cells.clear();
    for (std::size_t i = 0; i < rows.columns.size(); ++i)
      rows.cells.push_back(stored_cells(rows, i) != nullptr ? Cells() : made_cells(rows, i));
  }
  void write(const RowBlock& rows) override {
    require_place(rows);
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
      const Cells* stored = stored_cells(rows, i);
      write(constants_ + i, rows.first, stored != nullptr ? *stored : rows.cells[i]);
    }
  }
  void put(const RowBlock& rows, const Progress& progress) override {
    require_place(rows);
    for (std::size_t i = 0; i < rows.columns.size(); ++i) {
      const Cells* stored = stored_cells(rows, i);
      write(constants_ + i, rows.first, stored != nullptr ? *stored : made_cells(rows, i));
      if (progress) progress(i, rows.columns.size());
    }
  }
  void sync() override {
    if (::fsync(file_) != 0) throw_unwritable(path_, std::string(": ") + std::strerror(errno));
  }

  /// Writes cells of the dataset's type from the cell `first` on.
  void write(std::size_t dataset, std::size_t first, const Cells& cells) const {
    auto [data, left, of_row] = bytes_of(cells);
    auto place = static_cast<off_t>(places_[dataset] + first * of_row);
    while (left > 0) {
      const ssize_t written = ::pwrite(file_, data, left, place);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) throw_unwritable(path_, std::string(": ") + std::strerror(written < 0 ? errno : ENOSPC));
      data = static_cast<const char*>(data) + written;
      left -= static_cast<std::size_t>(written);
      place += written;
    }
  }

 private:
  void require_place(const RowBlock& rows) const {
    if (rows.table != nullptr && rows.first + rows.count > cells_)
      throw Error("carom: " + rows.table->name() + " has changed while it was read");
  }

  /// The cells of a column that are written as they are; nullptr if they must be made.
  static const Cells* stored_cells(const RowBlock& rows, std::size_t i) {
    if (const auto* index = std::get_if<std::size_t>(&rows.columns[i])) return rows.table->cells(*index);
    const auto* cells = std::get_if<const Cells*>(&rows.columns[i]);
    return cells != nullptr ? *cells : nullptr;
  }
  Cells made_cells(const RowBlock& rows, std::size_t i) const {
    const ColumnType& type = columns_[constants_ + i].type;
    if (const auto* index = std::get_if<std::size_t>(&rows.columns[i])) return cells_of(*rows.table, *index, type);
    if (const auto* words = std::get_if<WordCells>(&rows.columns[i])) return *words;
    const std::vector<double>& values = std::get<const NumberColumn*>(rows.columns[i])->values;
    if (type.kind == ColumnType::float32) return std::vector<float>(values.begin(), values.end());
    return values;
  }

  std::string path_;
  std::vector<FileColumn> columns_;
  std::size_t constants_;
  std::vector<std::uint64_t> places_;
  std::size_t cells_;  ///< of a column
  int file_;
};

std::vector<FileColumn> all_columns(const std::vector<FileColumn>& columns,
                                    const std::vector<ConstantColumn>& constants) {
  std::vector<FileColumn> all(constants.begin(), constants.end());
  all.insert(all.end(), columns.begin(), columns.end());
  return all;
}

}  // namespace

std::unique_ptr<RowWriter> new_hdf5(const std::string& path, const std::vector<FileColumn>& columns, std::size_t rows,
                                    const std::vector<ConstantColumn>& constants) {
  std::vector<FileColumn> all = all_columns(columns, constants);
  std::vector<std::uint64_t> places = make_file(path, all, rows);
  auto writer = std::make_unique<Hdf5Writer>(path, std::move(all), constants.size(), std::move(places), rows);
  for (std::size_t i = 0; i < constants.size(); ++i) writer->write(i, 0, constants[i].cells);
  return writer;
}

std::unique_ptr<RowWriter> resumed_hdf5(const std::string& path, const std::vector<FileColumn>& columns,
                                        std::size_t rows, const std::vector<ConstantColumn>& constants) {
  silence_hdf5();
  const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.is_open()) throw Error("carom: " + path + " is not a sound HDF5 file" + reason_of_hdf5());
  std::vector<FileColumn> all = all_columns(columns, constants);
  std::vector<std::uint64_t> places;
  for (const FileColumn& column : all) {
    const Hdf5Handle set(H5Dopen2(file, column.name.c_str(), H5P_DEFAULT), H5Dclose);
    const Hdf5Handle type = type_in_file(column.type), own(set.is_open() ? H5Dget_type(set) : -1, H5Tclose);
    const Hdf5Handle space(set.is_open() ? H5Dget_space(set) : -1, H5Sclose);
    const hsize_t cells = cells_in(extents_of(column, rows));
    if (!set.is_open() || H5Tequal(own, type) <= 0 ||
        H5Sget_simple_extent_npoints(space) != static_cast<hssize_t>(cells) ||
        (cells > 0 && H5Dget_offset(set) == HADDR_UNDEF))
      throw Error("carom: " + path + ": dataset " + column.name + " is not the one that the run to resume has made");
    places.push_back(cells == 0 ? 0 : H5Dget_offset(set));
  }
  return std::make_unique<Hdf5Writer>(path, std::move(all), constants.size(), std::move(places), rows);
}

}  // namespace carom::io
