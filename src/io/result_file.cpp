#include "io/result_file.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <functional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace carom::io {
namespace {

void append(fmt::memory_buffer& buffer, std::string_view text) {
  buffer.append(text);
}

void append_cell(fmt::memory_buffer& buffer, std::string_view text) {
  append(buffer, needs_quotes(text) ? std::string_view(quoted(text)) : text);
}

void append_number(fmt::memory_buffer& buffer, double value) {
  fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{:.17g}"), value);
}

void append_number(fmt::memory_buffer& buffer, float value) {
  fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{:.9g}"), value);
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

template <class Contacts>
std::vector<OutputColumn> output_columns(const Table& table, const ContactData<Contacts>& contacts,
                                         const ResultData<Contacts>& results, bool details) {
  std::vector<OutputColumn> columns;
  for (std::size_t i = 0; i < table.header().size(); ++i)
    columns.push_back({table.header()[i], [&table, i](fmt::memory_buffer& buffer, std::size_t row) {
                         append_cell(buffer, table.cell(row, i));
                       }});
  const auto put = [&](const std::string& name, const auto& column) {
    const std::size_t place = table.find(name);
    OutputColumn& target = place == Table::none ? columns.emplace_back() : columns[place];
    target.name = name;
    using Source = std::remove_cvref_t<decltype(column)>;
    if constexpr (std::is_same_v<Source, Column<Status>>) {
      target.write = [&contacts, column](fmt::memory_buffer& buffer, std::size_t row) {
        append(buffer, contacts.readable(row) ? to_string(column[row]) : unreadable);
      };
    } else if constexpr (std::is_same_v<Source, Column<Path>>) {
      target.write = [column, texts = texts_of_paths()](fmt::memory_buffer& buffer, std::size_t row) {
        append(buffer, texts[column[row].index()]);
      };
    } else if constexpr (std::is_same_v<Source, Column<std::int32_t>>) {
      target.write = [column](fmt::memory_buffer& buffer, std::size_t row) {
        fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{}"), column[row]);
      };
    } else {
      target.write = [column](fmt::memory_buffer& buffer, std::size_t row) { append_number(buffer, column[row]); };
    }
  };
  auto view = results.view();
  visit_results(contacts.view(), view, put);
  visit_details(contacts.view(), view, [&](const std::string& name, const auto& column) {
    if (details || table.find(name) != Table::none) put(name, column);
  });
  return columns;
}

}  // namespace

template <class Contacts>
void write_results(std::ostream& stream, const Table& table, const ContactData<Contacts>& contacts,
                   const ResultData<Contacts>& results, bool details, bool with_header) {
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

template void write_results(std::ostream&, const Table&, const ContactData<InlineContacts<float>>&,
                            const ResultData<InlineContacts<float>>&, bool, bool);
template void write_results(std::ostream&, const Table&, const ContactData<InlineContacts<double>>&,
                            const ResultData<InlineContacts<double>>&, bool, bool);
template void write_results(std::ostream&, const Table&, const ContactData<SpaceContacts<float>>&,
                            const ResultData<SpaceContacts<float>>&, bool, bool);
template void write_results(std::ostream&, const Table&, const ContactData<SpaceContacts<double>>&,
                            const ResultData<SpaceContacts<double>>&, bool, bool);
template void write_results(std::ostream&, const Table&, const ContactData<planar::InlineContacts<float>>&,
                            const ResultData<planar::InlineContacts<float>>&, bool, bool);
template void write_results(std::ostream&, const Table&, const ContactData<planar::InlineContacts<double>>&,
                            const ResultData<planar::InlineContacts<double>>&, bool, bool);
template void write_results(std::ostream&, const Table&, const ContactData<planar::SpaceContacts<float>>&,
                            const ResultData<planar::SpaceContacts<float>>&, bool, bool);
template void write_results(std::ostream&, const Table&, const ContactData<planar::SpaceContacts<double>>&,
                            const ResultData<planar::SpaceContacts<double>>&, bool, bool);

}  // namespace carom::io
