#include "io/csv.hpp"

#include <csv.h>
#include <sys/stat.h>

#include <algorithm>
#include <carom/status.hpp>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <set>
#include <system_error>
#include <utility>

namespace carom::io {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void throw_unreadable(const std::string& name, int reason) {
  throw Error("carom: " + name + " can't be read: " + std::strerror(reason));
}

}  // namespace

struct CsvReader::State {
  State(const std::filesystem::path& path, Progress to_tell)
      : file(nullptr, &std::fclose), progress(std::move(to_tell)) {
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
      if (line == 1 && part.starts_with("\xEF\xBB\xBF")) part.remove_prefix(3);
      feed(part);
      if (!part.ends_with('\n')) feed("\n");
      if (progress && line % 4096 == 0) progress(std::min(done, size), size);
    }
  }

  // Line by line, because libcsv does not tell on which line a row began.
  void feed(std::string_view part) {
    if (!within_row) {
      if (part.find_first_not_of(" \t\r\n") == std::string::npos) return;
      row = {table.text_.size(), table.cell_ends_.size(), line};
      within_row = true;
    }
    if (csv_parse(&parser, part.data(), part.size(), on_cell, on_row, this) != part.size() && !failure)
      throw std::bad_alloc();
    if (failure) std::rethrow_exception(failure);
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
    const std::size_t end = table.text_.size() - row.text;
    if (end > std::numeric_limits<std::uint32_t>::max())
      throw Error("carom: " + table.name_ + ":" + std::to_string(row.line) + ": this row has more than 4 GiB");
    table.cell_ends_.push_back(static_cast<std::uint32_t>(end));
  }

  void take_row() {
    within_row = false;
    if (table.header_line_ != 0) {
      table.rows_.push_back(row);
      // libcsv takes a lone CR for the end of a row too.
      row = {table.text_.size(), table.cell_ends_.size(), line};
      return;
    }
    table.header_line_ = row.line;
    std::set<std::string_view> names;
    for (const std::string& name : table.header_)
      if (!names.insert(name).second)
        throw Error("carom: " + table.name_ + ":" + std::to_string(row.line) + ": two columns are named '" + name +
                    "'");
  }

  // An exception must not pass through the C code of libcsv.
  static void on_cell(void* text, std::size_t length, void* self) {
    auto& state = *static_cast<State*>(self);
    try {
      if (!state.failure) state.take_cell({static_cast<const char*>(text), length});
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

  File file;
  std::size_t size = 0, done = 0;  // [bytes]; the size is 0 of what is no regular file
  Progress progress;
  csv_parser parser{};
  Table table;
  char* text = nullptr;  // of a line, of getline
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
  state_->read_until([&] { return table.rows() >= enough; });
  return table.rows() > 0;
}

Table CsvReader::read_all() && {
  // The cells' text is shorter than the file. What is never written to takes no memory.
  state_->table.text_.reserve(state_->size);
  read(std::numeric_limits<std::size_t>::max());
  return std::move(state_->table);
}

std::size_t Table::find(std::string_view name) const {
  for (std::size_t column = 0; column < header_.size(); ++column)
    if (header_[column] == name) return column;
  return none;
}

std::string_view Table::cell(std::size_t row, std::size_t column) const {
  if (column >= width(row)) return {};
  const Row& at = rows_[row];
  const std::size_t begin = column == 0 ? 0 : cell_ends_[at.cell + column - 1];
  return std::string_view(text_).substr(at.text + begin, cell_ends_[at.cell + column] - begin);
}

std::size_t Table::width(std::size_t row) const {
  return (row + 1 < rows_.size() ? rows_[row + 1].cell : cell_ends_.size()) - rows_[row].cell;
}

std::string Table::place(std::size_t row) const {
  return name_ + ":" + std::to_string(line(row)) + ": ";
}

std::vector<double> Table::numbers(std::string_view name) const {
  const std::size_t column = find(name);
  if (column == none)
    throw Error("carom: " + name_ + ":" + std::to_string(header_line_) + ": the column " + std::string(name) +
                " is missing");
  std::vector<double> values(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    const auto value = to_number(cell(row, column));
    if (!value)
      throw Error("carom: " + place(row) + "column " + std::string(name) + ": '" + std::string(cell(row, column)) +
                  "' is not a number");
    values[row] = *value;
  }
  return values;
}

Table read_csv(const std::filesystem::path& path, const Progress& progress) {
  return CsvReader(path, progress).read_all();
}

std::optional<double> to_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return std::nullopt;
  // from_chars gives no value beyond the range of double; the rounded one is 0 or infinity.
  if (error == std::errc::result_out_of_range) return std::strtod(std::string(text).c_str(), nullptr);
  return value;
}

bool needs_quotes(std::string_view text) {
  if (text.empty()) return false;
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  return text.find_first_of(",\"\r\n") != std::string_view::npos || blank(text.front()) || blank(text.back());
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace carom::io
