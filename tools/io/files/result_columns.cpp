#include "result_columns.hpp"

#include <algorithm>
#include <utility>

namespace carom::io {
namespace {

using Source = ResultColumn::Source;

/// The words of the column `path`, by Path::index(). Making the text of a path for every row would cost more than all
/// its numbers.
const Words& words_of_paths() {
  static const Words words = [] {
    std::vector<std::string> all(Path::kinds);
    for (std::size_t i = 0; i < Path::kinds; ++i) all[i] = to_string(Path::from_index(i));
    return std::make_shared<const std::vector<std::string>>(std::move(all));
  }();
  return words;
}

}  // namespace

ResultColumn result_column(std::string name, const ResultNumbers& results) {
  const Source source = name == "status" ? Source::status : name == "path" ? Source::path : Source::numbers;
  const std::size_t index = source == Source::numbers ? results.numbers.index_of(name) : 0;
  return {std::move(name), source, index};
}

std::vector<ResultColumn> result_columns(const Table& table, Form form, const ResultNumbers& results, bool details) {
  std::vector<ResultColumn> columns;
  for (std::size_t i = 0; i < table.header().size(); ++i) columns.push_back({table.header()[i], Source::table, i});
  const auto put = [&](const std::string& name) {
    const std::size_t place = table.find(name);
    (place == Table::none ? columns.emplace_back() : columns[place]) = result_column(name, results);
  };
  for (const std::string& name : columns_of(form).results) put(name);
  for (const std::string& name : results.further) put(name);
  const auto& there = results.on_demand;
  for (const std::string& name : columns_of(form).details)
    if ((details && std::find(there.begin(), there.end(), name) != there.end()) || table.find(name) != Table::none)
      put(name);
  return columns;
}

std::vector<FileColumn> file_columns(const std::vector<ResultColumn>& columns, const std::vector<ColumnType>& types,
                                     const ResultNumbers& results) {
  std::vector<FileColumn> all;
  for (const ResultColumn& column : columns) {
    ColumnType type;
    if (column.source == Source::table && !types.empty()) type = types[column.index];
    if (column.source == Source::numbers && results.numbers.columns()[column.index].digits == digits_of_float)
      type.kind = ColumnType::float32;
    if (column.source == Source::status) type = {ColumnType::word, 1, words_of_statuses()};
    if (column.source == Source::path) type = {ColumnType::word, 1, words_of_paths()};
    all.push_back({column.name, std::move(type)});
  }
  return all;
}

RowBlock result_rows(const std::vector<ResultColumn>& columns, const Table& table, const ContactNumbers& contacts,
                     const ResultNumbers& results) {
  RowBlock rows{.count = table.rows(), .table = &table, .keeps_lines = true};
  const auto words = [&](const Words& all, const auto& index_of) {
    WordCells cells{std::vector<std::uint8_t>(contacts.size()), all};
    for (std::size_t row = 0; row < contacts.size(); ++row) cells.codes[row] = static_cast<std::uint8_t>(index_of(row));
    return cells;
  };
  for (const ResultColumn& column : columns) {
    if (column.source == Source::table)
      rows.columns.emplace_back(column.index);
    else if (column.source == Source::numbers)
      rows.columns.emplace_back(&results.numbers.columns()[column.index]);
    else if (column.source == Source::status)
      rows.columns.emplace_back(
          words(words_of_statuses(), [&](std::size_t row) { return index_of_status(contacts, results, row); }));
    else
      rows.columns.emplace_back(words(words_of_paths(), [&](std::size_t row) { return results.path[row].index(); }));
  }
  return rows;
}

const Words& words_of_statuses() {
  static const Words words = [] {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < status_room; ++i) {
      std::string word(to_string(static_cast<Status>(i)));
      // Numbers without a status keep their places.
      all.push_back(word == "unknown" ? "unknown_" + std::to_string(i) : word);
    }
    all.emplace_back(unreadable);
    all.emplace_back(body_state_disagrees);
    return std::make_shared<const std::vector<std::string>>(std::move(all));
  }();
  return words;
}

std::size_t index_of_status(const ContactNumbers& contacts, const ResultNumbers& results, std::size_t row) {
  if (contacts.readable(row)) return static_cast<std::size_t>(results.status[row]);
  return status_room + (contacts.status_of_unreadable(row) == unreadable ? 0 : 1);
}

}  // namespace carom::io
