#include "scene_parts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>

#include "io/files/table_file.hpp"

namespace carom::apps {
namespace {

constexpr std::size_t rows_read_at_once = 1 << 16, rows_of_part = 1 << 12;

/// Calls on_row(row, scene_step) for every row with a number in the column.
void each_row(const std::string& path, const std::function<void(std::size_t, double)>& on_row) {
  const auto reader = io::open_table(path, {}, 0, "scene_step");
  for (std::size_t first = 0; reader->read(rows_read_at_once); first += reader->table().rows())
    for (std::size_t row = 0; row < reader->table().rows(); ++row)
      if (const auto step = reader->table().number(row, 0); step && std::isfinite(*step)) on_row(first + row, *step);
}

}  // namespace

std::vector<std::size_t> borders_of_scenes(const std::string& path) {
  std::unordered_map<double, std::size_t> last_row;
  each_row(path, [&](std::size_t row, double step) { last_row[step] = row; });
  std::vector<std::size_t> borders = {0};
  std::size_t open_until = 0;
  each_row(path, [&](std::size_t row, double step) {
    if (row > open_until && row >= borders.back() + rows_of_part) borders.push_back(row);
    open_until = std::max(open_until, last_row.at(step));
  });
  borders.push_back(io::open_table(path, {}, 0, "scene_step")->count());
  return borders;
}

}  // namespace carom::apps
