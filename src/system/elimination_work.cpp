#include "elimination_work.hpp"

namespace carom::systems {

double EliminationWork::count(std::size_t bodies, const std::vector<std::array<std::int32_t, 2>>& pairs) {
  pattern_.clear();
  pattern_.friction.assign(bodies, 0);
  auto pair = pairs.begin();
  for (std::size_t i = 0; i < bodies; ++i) {
    pattern_.column.push_back(static_cast<std::int32_t>(i));
    for (; pair != pairs.end() && at((*pair)[0]) == i; ++pair) pattern_.column.push_back((*pair)[1]);
    pattern_.row_start.push_back(static_cast<std::int32_t>(pattern_.column.size()));
  }
  minimum_degree_.run(pattern_, elimination_);
  // Each body has two blocks.
  double products = 0;
  for (std::size_t g = 0; g < elimination_.groups(); ++g) {
    const std::size_t pivots = 2 * elimination_.pivots[g].size(), whole = pivots + 2 * elimination_.border[g].size();
    for (std::size_t k = 0; k < pivots; ++k) products += products_of_pivot(static_cast<double>(whole - k - 1));
  }
  return products;
}

}  // namespace carom::systems
