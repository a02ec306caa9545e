#include "csv.hpp"

#include <csv.h>
#include <sys/stat.h>

#include <algorithm>
#include <carom/status.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <utility>

#include "io/columns/column_types.hpp"

namespace carom::io {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void throw_unreadable(const std::string& name, int reason) {
  throw Error("carom: " + name + " can't be read: " + std::strerror(reason));
}

}  // namespace

struct CsvReader::State {
  State(const std::filesystem::path& from, Progress to_tell)
      : path(from), file(nullptr, &std::fclose), progress(std::move(to_tell)) {
    const bool is_stdin = path == "-";
    table.name_ = is_stdin ? "standard input" : path.string();
    // Standard input stays open: it belongs to the process.
    file = is_stdin ? File(stdin, [](std::FILE*) { return 0; }) : File(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) throw_unreadable(table.name_, errno);
    if (struct stat status; fstat(fileno(file.get()), &status) == 0 && S_ISREG(status.st_mode))
      size = static_cast<std::size_t>(status.st_size);
    if (csv_init(&parser, 0) != 0) throw std::bad_alloc();
  }
  ~State() {
    csv_free(&parser);
    std::free(text);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Goes on until `is_enough` or the end of the file.
  template <class Condition>
  void read_until(Condition&& is_enough) {
    while (!ended && !is_enough()) {
      errno = 0;
      const ssize_t length = getline(&text, &capacity, file.get());
      if (length < 0) {
        if (std::ferror(file.get()) != 0) throw_unreadable(table.name_, errno);
        if (std::feof(file.get()) == 0) throw std::bad_alloc();
        finish();
        return;
      }
      ++line;
      std::string_view part(text, static_cast<std::size_t>(length));
      done += part.size();
      if (line == 1 && part == hdf5_signature.substr(0, hdf5_signature.find('\n') + 1))
        throw Error("carom: " + table.name_ +
                    " is HDF5, which can't be read from standard input or a pipe: name the file instead");
      if (line == 1 && part.starts_with("\xEF\xBB\xBF")) part.remove_prefix(3);
      feed(part);
      if (!part.ends_with('\n')) feed("\n");
      if (progress && line % 4096 == 0) progress(std::min(done, size), size);
    }
  }

  // Line by line, because libcsv does not report the line on which a row begins.
  void feed(std::string_view part) {
    if (!within_row) {
      if (part.find_first_not_of(" \t\r\n") == std::string::npos) return;
      row = {table.text_.size(), table.cell_ends_.size(), line, false};
      if (is_plain(part)) return take_plain(part);
      within_row = true;
    }
    // libcsv does not pass on_cell whether the cell is quoted. The parser has the state of the current cell between two
    // calls, so each call ends before a delimiter.
    while (!part.empty()) {
      const std::size_t length = std::min(part.find_first_of(",\r\n", 1), part.size());
      if (csv_parse(&parser, part.data(), length, on_cell, on_row, this) != length && !failure) throw std::bad_alloc();
      if (failure) std::rethrow_exception(failure);
      part.remove_prefix(length);
    }
  }

  // Fast path: a line without quotes is a row. libcsv would read it character by character.
  static bool is_plain(std::string_view part) {
    return part.ends_with('\n') && part.find('"') == std::string_view::npos &&
           part.find('\r') >= part.size() - std::min<std::size_t>(part.size(), 2);
  }

  void take_plain(std::string_view part) {
    part.remove_suffix(part.ends_with("\r\n") ? 2 : 1);
    row.is_plain = table.header_line_ != 0 && part.find(' ') == std::string_view::npos &&
                   part.find('\t') == std::string_view::npos;
    if (row.is_plain) {
      table.text_ += part;
      table.text_ += ',';
    }
    for (std::size_t begin = 0;;) {
      const std::size_t end = std::min(part.find(',', begin), part.size());
      if (row.is_plain)
        take_end(end);
      else
        take_cell(without_blanks(part.substr(begin, end - begin)));
      if (end == part.size()) break;
      begin = end + 1;
    }
    take_row();
  }

  static std::string_view without_blanks(std::string_view cell) {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
    return cell;
  }

  void finish() {
    ended = true;
    csv_set_opts(&parser, CSV_STRICT | CSV_STRICT_FINI);
    if (csv_fini(&parser, on_cell, on_row, this) != 0)
      throw Error("carom: " + table.name_ + ":" + std::to_string(row.line) +
                  ": this row has a quote that does not close before the end of the file");
    if (failure) std::rethrow_exception(failure);
    if (table.header_line_ == 0) throw Error("carom: " + table.name_ + " is empty: it has no header line");
  }

  void take_cell(std::string_view cell) {
    if (table.header_line_ == 0) {
      table.header_.emplace_back(cell);
      return;
    }
    table.text_ += cell;
    take_end(table.text_.size() - row.text);
    table.text_ += ',';
  }

  /// Notes that the next cell is quoted.
  void take_quotes() {
    const std::size_t column = table.cell_ends_.size() - row.cell;
    if (table.header_line_ != 0 && column < table.in_quotes_.size()) table.in_quotes_[column] = true;
  }

  void take_end(std::size_t end) {
    if (end > std::numeric_limits<std::uint32_t>::max())
      throw Error("carom: " + table.name_ + ":" + std::to_string(row.line) + ": this row has more than 4 GiB");
    table.cell_ends_.push_back(static_cast<std::uint32_t>(end));
  }

  void take_row() {
    within_row = false;
    if (table.header_line_ != 0) {
      table.rows_.push_back(row);
      // libcsv takes a lone CR for the end of a row too.
      row = {table.text_.size(), table.cell_ends_.size(), line, false};
      return;
    }
    table.header_line_ = row.line;
    table.in_quotes_.resize(table.header_.size());
    use_current_names(table.header_, table.header_place());
  }

  // An exception must not pass through the C code of libcsv.
  static void on_cell(void* text, std::size_t length, void* self) {
    auto& state = *static_cast<State*>(self);
    try {
      if (state.failure) return;
      if (state.parser.quoted != 0 && length > 0) state.take_quotes();
      state.take_cell({static_cast<const char*>(text), length});
    } catch (...) {
      state.failure = std::current_exception();
    }
  }
  static void on_row(int, void* self) {
    auto& state = *static_cast<State*>(self);
    try {
      if (!state.failure) state.take_row();
    } catch (...) {
      state.failure = std::current_exception();
    }
  }

  std::filesystem::path path;
  File file;
  std::size_t size = 0, done = 0;  // [bytes]; size is 0 if the file is not regular
  Progress progress;
  csv_parser parser{};
  Table table;
  char* text = nullptr;  // a line, owned by getline
  std::size_t capacity = 0;
  std::size_t line = 0;
  Table::Row row{};
  bool within_row = false, ended = false;
  std::exception_ptr failure;
};

CsvReader::CsvReader(const std::filesystem::path& path, Progress progress)
    : state_(std::make_unique<State>(path, std::move(progress))) {
  state_->read_until([&] { return state_->table.header_line_ != 0; });
}
CsvReader::~CsvReader() = default;

const Table& CsvReader::table() const {
  return state_->table;
}

bool CsvReader::read(std::size_t enough) {
  Table& table = state_->table;
  table.text_.clear();
  table.cell_ends_.clear();
  table.rows_.clear();
  // The file size bounds the text of all cells. Reserved memory that is never written costs no pages.
  if (enough == std::numeric_limits<std::size_t>::max()) table.text_.reserve(state_->size);
  state_->read_until([&] { return table.rows() >= enough; });
  return table.rows() > 0;
}

Table CsvReader::take() {
  Table table = std::move(state_->table);
  state_->table.name_ = table.name_;
  state_->table.header_ = table.header_;
  state_->table.header_line_ = table.header_line_;
  state_->table.in_quotes_ = table.in_quotes_;
  // The next rows are about as long.
  state_->table.text_.reserve(table.text_.size() + table.text_.size() / 16);
  state_->table.cell_ends_.reserve(table.cell_ends_.size());
  state_->table.rows_.reserve(table.rows_.size());
  return table;
}

struct CsvReader::Survey {
  std::size_t rows = 0;
  std::vector<ColumnType> types;
};

const CsvReader::Survey& CsvReader::survey() {
  constexpr std::size_t rows_at_once = 16384;
  if (survey_) return *survey_;
  if (state_->size == 0 || state_->path == "-")
    throw Error("carom: " + state_->table.name_ +
                " can't become HDF5, which needs the number of rows first: it is no file to read twice");
  CsvReader reader(state_->path, state_->progress);
  const Table& table = reader.table();
  survey_ = std::make_unique<Survey>();
  std::vector<TypeFinder> finders(table.header().begin(), table.header().end());
  while (reader.read(rows_at_once)) {
    for (std::size_t row = 0; row < table.rows(); ++row) {
      if (table.width(row) != finders.size())
        throw Error("carom: " + table.place(row) + "HDF5 has no place for this row: it has " +
                    std::to_string(table.width(row)) + " cells, the header " + std::to_string(finders.size()));
      for (std::size_t i = 0; i < finders.size(); ++i) {
        const std::string_view cell = table.cell(row, i);
        if (cell.find('\0') != std::string_view::npos)
          throw Error("carom: " + table.place(row) + "column " + table.header()[i] +
                      ": HDF5 has no place for text with a zero byte");
        finders[i].add(cell);
      }
    }
    survey_->rows += table.rows();
  }
  for (std::size_t i = 0; i < finders.size(); ++i) survey_->types.push_back(finders[i].type(table.holds_text(i)));
  return *survey_;
}

std::size_t CsvReader::count() {
  return survey().rows;
}

const std::vector<ColumnType>& CsvReader::types() {
  return survey().types;
}

Table read_csv(const std::filesystem::path& path, const Progress& progress) {
  CsvReader reader(path, progress);
  reader.read(std::numeric_limits<std::size_t>::max());
  return reader.take();
}

}  // namespace carom::io
