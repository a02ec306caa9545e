#include "io/result_file.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

namespace carom::io {
namespace {

void append(fmt::memory_buffer& buffer, std::string_view text) {
  buffer.append(text);
}

void append_cell(fmt::memory_buffer& buffer, std::string_view text) {
  append(buffer, needs_quotes(text) ? std::string_view(quoted(text)) : text);
}

struct OutputColumn {
  std::string name;
  std::function<void(fmt::memory_buffer&, std::size_t row)> write;
};

// Making the text of a path for every row would cost more than all its numbers.
std::vector<std::string> texts_of_paths() {
  std::vector<std::string> texts(Path::kinds);
  for (std::size_t i = 0; i < Path::kinds; ++i) texts[i] = to_string(Path::from_index(i));
  return texts;
}

OutputColumn column_of_numbers(const NumberColumn& column) {
  return {column.name, [&column](fmt::memory_buffer& buffer, std::size_t row) {
            fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{:.{}g}"), column.values[row], column.digits);
          }};
}

OutputColumn column_of_statuses(const ContactNumbers& contacts, const std::vector<Status>& statuses) {
  return {"status", [&](fmt::memory_buffer& buffer, std::size_t row) {
            append(buffer, contacts.readable(row) ? to_string(statuses[row]) : contacts.status_of_unreadable(row));
          }};
}

OutputColumn column_of_paths(const std::vector<Path>& paths) {
  return {"path", [&paths, texts = texts_of_paths()](fmt::memory_buffer& buffer, std::size_t row) {
            append(buffer, texts[paths[row].index()]);
          }};
}

std::vector<OutputColumn> output_columns(const Table& table, const ContactNumbers& contacts,
                                         const ResultNumbers& results, bool details) {
  std::vector<OutputColumn> columns;
  for (std::size_t i = 0; i < table.header().size(); ++i)
    columns.push_back({table.header()[i], [&table, i](fmt::memory_buffer& buffer, std::size_t row) {
                         append_cell(buffer, table.cell(row, i));
                       }});
  const auto put = [&](const std::string& name) {
    const std::size_t place = table.find(name);
    OutputColumn& target = place == Table::none ? columns.emplace_back() : columns[place];
    target = name == "status" ? column_of_statuses(contacts, results.status)
             : name == "path" ? column_of_paths(results.path)
                              : column_of_numbers(*results.numbers.find(name));
  };
  for (const std::string& name : columns_of(contacts.form()).results) put(name);
  for (const std::string& name : results.further) put(name);
  const auto& there = results.on_demand;
  for (const std::string& name : columns_of(contacts.form()).details)
    if ((details && std::find(there.begin(), there.end(), name) != there.end()) || table.find(name) != Table::none)
      put(name);
  return columns;
}

}  // namespace

void write_results(std::ostream& stream, const Table& table, const ContactNumbers& contacts,
                   const ResultNumbers& results, bool details, bool with_header) {
  constexpr std::size_t block = 1 << 20;
  const std::vector<OutputColumn> columns = output_columns(table, contacts, results, details);
  fmt::memory_buffer buffer;
  const auto flush = [&] {
    stream.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    buffer.clear();
  };
  const auto end_cell = [&](std::size_t i) { buffer.push_back(i + 1 < columns.size() ? ',' : '\n'); };

  for (std::size_t i = 0; with_header && i < columns.size(); ++i) {
    append_cell(buffer, columns[i].name);
    end_cell(i);
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      columns[i].write(buffer, row);
      end_cell(i);
    }
    if (buffer.size() >= block) flush();
  }
  flush();
  stream.flush();
  if (!stream) throw Error("carom: the results could not be written");
}

}  // namespace carom::io
