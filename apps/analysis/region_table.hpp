// A table with the margins of its rows and what spans their impulse space.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/region.hpp"

namespace carom::apps {

/// Writes all rows with all their cells, but those of columns that bear names of what stands behind them. Throws Error
/// if the stream fails.
template <class Contacts>
void write_region(std::ostream& stream, const io::Table& table, const Region<Contacts>& region,
                  const io::Progress& progress) {
  std::vector<std::pair<std::string, std::function<double(std::size_t)>>> numbers;
  for (std::size_t i = 0; i < bounds.size(); ++i)
    numbers.emplace_back(bounds[i].column, [&region, i](std::size_t row) { return region.margin(i, row); });
  constexpr std::size_t axes = io::is_planar<Contacts> ? 2 : 3;
  for (std::size_t axis = 0; axis < axes; ++axis)
    numbers.emplace_back(std::string("plastic_frictionless_") + "xyz"[axis],
                         [&region, axis](std::size_t row) { return region.plastic_frictionless(axis, row); });
  for (std::size_t axis = 0; axis < axes; ++axis)
    numbers.emplace_back(std::string("plastic_sticking_") + "xyz"[axis],
                         [&region, axis](std::size_t row) { return region.plastic_sticking(axis, row); });
  numbers.emplace_back("contact_energy", [&region](std::size_t row) { return region.contact_energy(row); });

  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < table.header().size(); ++i)
    if (std::none_of(numbers.begin(), numbers.end(),
                     [&](const auto& number) { return number.first == table.header()[i]; }))
      kept.push_back(i);
  const auto cell = [](std::string_view text) { return io::needs_quotes(text) ? io::quoted(text) : std::string(text); };

  std::string line;
  for (const std::size_t i : kept) line += cell(table.header()[i]) + ",";
  for (const auto& [name, value] : numbers) line += name + (name == numbers.back().first ? "\n" : ",");
  stream << line;
  constexpr int digits = std::numeric_limits<io::ScalarOf<Contacts>>::max_digits10;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    line.clear();
    for (const std::size_t i : kept) line += cell(table.cell(row, i)) + ",";
    for (const auto& [name, value] : numbers) line += fmt::format("{:.{}g},", value(row), digits);
    line.back() = '\n';
    stream << line;
    if (progress && row % 4096 == 0) progress(row, table.rows());
  }
  stream.flush();
  if (!stream) throw Error("carom: the output could not be written");
}

}  // namespace carom::apps
