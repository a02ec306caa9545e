// Rows on their way through the stages of `carom solve`, several at a time: while some are read, others are solved and
// others are written.
#pragma once

#include <functional>

#include "result_sink.hpp"

namespace carom::apps {

struct RowStages {
  std::function<bool(Rows&)> read;  ///< false: there are none left. The stages of one name each run in the file's order
  std::function<void(Rows&)> understand;  ///< in any order, on several threads
  std::function<void(Rows&)> solve;       ///< in order
  std::function<void(Rows&)> make;        ///< in any order
  std::function<void(Rows&)> write;       ///< in order
};

/// How many Rows there are at a time with this limit of threads, 0 for as many as the machine has.
std::size_t rows_in_flight(int threads);

/// Takes all rows through the stages. An error of `read` is thrown when the rows before it are written, any other at
/// once.
void run_stages(const RowStages& stages, int threads);

}  // namespace carom::apps
