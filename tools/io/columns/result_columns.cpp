#include "result_columns.hpp"

#include <algorithm>

namespace carom::io {

std::vector<ResultColumn> result_columns(const Table& table, Form form, const ResultNumbers& results, bool details) {
  using Source = ResultColumn::Source;
  std::vector<ResultColumn> columns;
  for (std::size_t i = 0; i < table.header().size(); ++i) columns.push_back({table.header()[i], Source::table, i});
  const auto put = [&](const std::string& name) {
    const std::size_t place = table.find(name);
    ResultColumn& target = place == Table::none ? columns.emplace_back() : columns[place];
    target.name = name;
    target.source = name == "status" ? Source::status : name == "path" ? Source::path : Source::numbers;
    if (target.source == Source::numbers) target.index = results.numbers.index_of(name);
  };
  for (const std::string& name : columns_of(form).results) put(name);
  for (const std::string& name : results.further) put(name);
  const auto& there = results.on_demand;
  for (const std::string& name : columns_of(form).details)
    if ((details && std::find(there.begin(), there.end(), name) != there.end()) || table.find(name) != Table::none)
      put(name);
  return columns;
}

const std::vector<std::string>& words_of_statuses() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all;
    for (std::size_t i = 0; i < status_room; ++i) {
      std::string word(to_string(static_cast<Status>(i)));
      // Numbers without a status keep their places.
      all.push_back(word == "unknown" ? "unknown_" + std::to_string(i) : word);
    }
    all.emplace_back(unreadable);
    all.emplace_back(body_state_disagrees);
    return all;
  }();
  return words;
}

// Making the text of a path for every row would cost more than all its numbers.
const std::vector<std::string>& words_of_paths() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all(Path::kinds);
    for (std::size_t i = 0; i < Path::kinds; ++i) all[i] = to_string(Path::from_index(i));
    return all;
  }();
  return words;
}

std::size_t index_of_status(const ContactNumbers& contacts, const ResultNumbers& results, std::size_t row) {
  if (contacts.readable(row)) return static_cast<std::size_t>(results.status[row]);
  return status_room + (contacts.status_of_unreadable(row) == unreadable ? 0 : 1);
}

}  // namespace carom::io
