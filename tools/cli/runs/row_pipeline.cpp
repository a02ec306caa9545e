#include "row_pipeline.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace carom::apps {

std::size_t rows_in_flight(int threads) {
  const int offered = tbb::this_task_arena::max_concurrency();
  // One more than threads that work on them, so that none waits for what another writes.
  return static_cast<std::size_t>(threads == 0 ? offered : std::min(threads, offered)) + 1;
}

void run_stages(const RowStages& stages, int threads) {
  std::vector<Rows> ring(rows_in_flight(threads));
  std::size_t next = 0;
  std::exception_ptr failure;
  // The last stage keeps the order, so that the rows that entered longest ago have left when all are in use.
  const auto read = [&](tbb::flow_control& control) -> Rows* {
    Rows& rows = ring[next++ % ring.size()];
    try {
      if (stages.read(rows)) return &rows;
    } catch (...) {
      failure = std::current_exception();
    }
    control.stop();
    return nullptr;
  };
  const auto stage = [](const std::function<void(Rows&)>& work) {
    return [&work](Rows* rows) {
      work(*rows);
      return rows;
    };
  };
  using tbb::filter_mode;
  const auto all =
      tbb::make_filter<void, Rows*>(filter_mode::serial_in_order, read) &
      tbb::make_filter<Rows*, Rows*>(filter_mode::parallel, stage(stages.understand)) &
      tbb::make_filter<Rows*, Rows*>(filter_mode::serial_in_order, stage(stages.solve)) &
      tbb::make_filter<Rows*, Rows*>(filter_mode::parallel, stage(stages.make)) &
      tbb::make_filter<Rows*, void>(filter_mode::serial_in_order, [&stages](Rows* rows) { stages.write(*rows); });
  tbb::task_arena arena(threads == 0 ? tbb::task_arena::automatic : threads);
  arena.execute([&] { tbb::parallel_pipeline(ring.size(), all); });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace carom::apps
