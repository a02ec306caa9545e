#include "row_run.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <carom/status.hpp>
#include <exception>
#include <utility>

#include "cli/output/interruption.hpp"
#include "io/csv/csv_writer.hpp"
#include "io/files/table_file.hpp"
#include "io/hdf5/open_hdf5.hpp"

namespace carom::apps {

RowRun::RowRun(const RunOptions& command, const Course& course, Ranks& ranks)
    : Run(command.input, command.output,
          course.is_resumable && io::is_hdf5(command.input) && io::is_hdf5_name(command.output), ranks),
      command_(command),
      course_(course),
      from_hdf5_(io::is_hdf5(command.input)),
      to_hdf5_(io::is_hdf5_name(command.output)),
      in_shares_(from_hdf5_ && (to_hdf5_ || !course.shares_need_output)),
      bad_rows_(command, !ranks.is_first()) {
  io::Progress progress = [this](std::size_t done, std::size_t total) {
    done_ = done, total_ = total;
    if (reading_ != nullptr) reading_->show(done, total);
  };
  reader_ = io::open_table(command.input, in_shares_ ? io::Progress() : std::move(progress));
}
RowRun::~RowRun() = default;

void RowRun::require_hdf5() const {
  if (command_.resume && !keeps_part_)
    throw Error("carom: --resume needs HDF5 files, as IN and as OUT; `carom convert` makes them");
  if (ranks_.are_many() && !in_shares_)
    throw Error("carom: " + std::to_string(ranks_.size()) + " ranks need " +
                (course_.shares_need_output ? "HDF5 files, as IN and as OUT" : "an HDF5 file") +
                ", where every row has its place; `carom convert` makes " +
                (course_.shares_need_output ? "them" : "it"));
}

std::vector<io::ResultColumn> RowRun::columns(const Rows& none) const {
  return io::result_columns(none.table(), form_, none.solved->results, command_.details);
}

std::vector<std::vector<RowRange>> RowRun::shares_of_ranks(const std::vector<RowRange>& done) {
  return shares(reader_->count(), done, course_.rows_at_once, ranks_.size());
}

nlohmann::json RowRun::options_of_results() const {
  nlohmann::json options = texts_of_options(command_.solver_options());
  options.update({{"version", version()}, {"--precision", command_.precision}, {"--details", command_.details}});
  return options;
}

nlohmann::json RowRun::sums() const {
  return bad_rows_.sums();
}

void RowRun::take(const nlohmann::json& sums) {
  bad_rows_.take(sums);
}

void RowRun::work() {
  begin();
  if (course_.is_pipelined)
    run_pipeline();
  else
    run_alone();
  bar_.hide();
  if (interrupted != 0) return;
  // Another rank may be killed before its sums arrive.
  if (keeps_part_ && ranks_.are_many() && written_ > 0)
    add_moment();
  else if (writer_)
    writer_->sync();
}

void RowRun::begin() {
  if (!in_shares_) {
    if (output_) make_writer(to_hdf5_ ? output_->part() : std::string(), false);
    return;
  }
  log_.emplace(output_name_, output_ ? &*output_ : nullptr, ranks_);
  bool is_resumed = false;
  if (keeps_part_ && ranks_.is_first()) {
    is_resumed = log_->open({{"options", options_of_results()}, {"input", description_of(input_name_, *reader_)}},
                            command_.resume);
    for (const nlohmann::json& sums : log_->earlier()) take(sums);
  }
  if (output_) make_writer(log_->part(), is_resumed);
  share_ =
      log_->begin(sums(), ranks_.is_first() ? shares_of_ranks(log_->done()) : std::vector<std::vector<RowRange>>());
  if (!ranks_.is_first() && to_hdf5_) make_writer(log_->part(), true);
  done_ = 0;
  total_ = rows_in(share_);
}

/// Makes the file, or goes on with the file of an earlier run or of rank 0.
void RowRun::make_writer(const std::string& part, bool is_resumed) {
  auto block = std::make_shared<Block>();
  reader_->read(0);
  block->table = reader_->take();
  prepare(*block);
  Rows none;
  none.block = std::move(block);
  understand(none);
  solve(none);
  columns_ = columns(none);
  std::vector<io::FileColumn> in_file =
      io::file_columns(columns_, to_hdf5_ ? reader_->types() : std::vector<io::ColumnType>(), none.solved->results);
  if (!to_hdf5_) {
    writer_ = std::make_unique<io::CsvWriter>(output_->stream(), in_file);
    return;
  }
  rows_of_file_ = reader_->count();
  for (io::FileColumn& column : in_file) column.extents = extents();
  writer_ = is_resumed ? io::resumed_hdf5(part, in_file, rows_of_file_, constants())
                       : io::new_hdf5(part, in_file, rows_of_file_, constants());
  if (ranks_.are_many()) writer_->sync();  // before another rank counts on it
}

/// Reads a block once and passes it through the stages `passes` times.
bool RowRun::read(Rows& rows) {
  if (interrupted != 0) return false;
  if (pass_ == 0) {
    auto block = std::make_shared<Block>();
    if (!read_block(*block)) return false;
    prepare(*block);
    block_ = std::move(block);
  }
  rows.block = block_;
  rows.pass = pass_;
  pass_ = (pass_ + 1) % course_.passes;
  return true;
}

bool RowRun::read_block(Block& block) {
  if (in_shares_) {
    if (!read_share(block)) return false;
    done_ += block.table.rows();
  } else {
    // An empty file passes the stages once, so that there is a report.
    const bool is_first = !std::exchange(is_begun_, true);
    if (!reader_->read(course_.rows_at_once) && !is_first) return false;
    block.table = reader_->take();
  }
  block.first = next_;
  next_ += block.table.rows();
  block.done = done_;
  block.total = total_;
  return true;
}

bool RowRun::read_share(Block& block) {
  ranks_.poll();
  while (range_ < share_.size() && next_ >= share_[range_].last) ++range_;
  if (range_ == share_.size()) return false;
  const auto [first, last] = share_[range_];
  if (next_ < first) {
    next_ = first;
    reader_ = io::open_table(input_name_, {}, next_);
  }
  // Another program may have made the file shorter.
  if (!reader_->read(std::min(course_.rows_at_once, last - next_)))
    throw Error("carom: " + input_name_ + " ends before row " + std::to_string(last));
  block.table = reader_->take();
  return true;
}

void RowRun::format(Rows& rows) const {
  if (!writer_) return;
  rows.output = io::result_rows(columns_, rows.table(), *rows.contacts, rows.solved->results);
  rows.output.first = rows.pass * rows_of_file_ + rows.block->first;
}

void RowRun::end(const Rows& rows) {
  bar_.hide();
  add(rows);
  if (rows.pass + 1 < course_.passes) return;
  bad_rows_.print(rows.table(), *rows.contacts, rows.solved->results.status);
  written_ += rows.table().rows();
  if (ranks_.is_first()) bar_.show(rows.block->done, rows.block->total, written_ * course_.passes);
  if (!keeps_part_) return;
  log_->add_rows(rows.block->first, rows.table().rows());
  if (since_moment_.seconds() >= command_.checkpoint) add_moment();
}

/// While some blocks are read, others are solved and others are written. An error of reading is thrown when the rows
/// before it are written, any other error at once.
void RowRun::run_pipeline() {
  const int threads = command_.threads, offered = tbb::this_task_arena::max_concurrency();
  // One more block than threads, so that no thread waits for another one that writes.
  std::vector<Rows> ring(static_cast<std::size_t>(threads == 0 ? offered : std::min(threads, offered)) + 1);
  std::size_t next = 0;
  std::exception_ptr failure;
  // The last stage keeps the order, so the rows that entered first have left when all are in use.
  const auto source = [&](tbb::flow_control& control) -> Rows* {
    Rows& rows = ring[next++ % ring.size()];
    try {
      if (read(rows)) return &rows;
    } catch (...) {
      failure = std::current_exception();
    }
    control.stop();
    return nullptr;
  };
  const auto stage = [](tbb::filter_mode mode, const auto& work) {
    return tbb::make_filter<Rows*, Rows*>(mode, [work](Rows* rows) {
      work(*rows);
      return rows;
    });
  };
  using tbb::filter_mode;
  const auto all = tbb::make_filter<void, Rows*>(filter_mode::serial_in_order, source) &
                   stage(filter_mode::parallel, [this](Rows& rows) { understand(rows); }) &
                   stage(filter_mode::serial_in_order, [this](Rows& rows) { solve(rows); }) &
                   stage(filter_mode::parallel,
                         [this](Rows& rows) {
                           format(rows);
                           if (writer_) writer_->format(rows.output);
                         }) &
                   tbb::make_filter<Rows*, void>(filter_mode::serial_in_order, [this](Rows* rows) {
                     if (writer_) writer_->write(rows->output);
                     end(*rows);
                   });
  tbb::task_arena arena(threads == 0 ? tbb::task_arena::automatic : threads);
  arena.execute([&] { tbb::parallel_pipeline(ring.size(), all); });
  if (failure) std::rethrow_exception(failure);
}

/// One block after the other, with the least memory.
void RowRun::run_alone() {
  for (;;) {
    Rows rows;
    {
      ProgressBar bar("reading");
      reading_ = &bar;
      const bool has_rows = read(rows);
      reading_ = nullptr;
      if (!has_rows) return;
    }
    block_.reset();
    understand(rows);
    solve(rows);
    format(rows);
    if (writer_) writer_->put(rows.output);
    end(rows);
  }
}

void RowRun::add_moment() {
  // A disk that has failed once may report success on the next attempt.
  is_sound_ = false;
  writer_->sync();
  is_sound_ = true;
  log_->add_moment(sums());
  since_moment_ = Stopwatch();
}

void RowRun::finish() {
  if (keeps_part_ && ranks_.is_first()) log_->remove();
}

void RowRun::leave() {
  bar_.hide();
  if (!log_) return;
  const auto last_moment = [this] {
    if (written_ > 0 && is_sound_) add_moment();
  };
  if (!log_->leave(last_moment, reader_->count()) && output_) output_->discard();
}

}  // namespace carom::apps
