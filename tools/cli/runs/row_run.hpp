// A run over the rows of a file: reads blocks of rows, solves them, writes them with their results. If both files are
// HDF5, ranks share the rows and a journal makes the run resumable.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "cli/analysis/solving.hpp"
#include "cli/options/command_options.hpp"
#include "cli/output/bad_rows.hpp"
#include "cli/output/progress_bar.hpp"
#include "io/files/result_columns.hpp"
#include "run.hpp"
#include "run_log.hpp"

namespace carom::apps {

/// Consecutive rows of the input.
struct Block {
  std::size_t first = 0;            ///< index of the first row in the file
  std::size_t done = 0, total = 0;  ///< progress through the file after this block
  io::Table table;
  std::optional<io::ContactNumbers> contacts;  ///< set by RowRun::prepare(), if at all
};

/// A block on one of its passes through the stages of a run.
struct Rows {
  std::shared_ptr<const Block> block;
  std::size_t pass = 0;
  std::optional<io::ContactNumbers> contacts;
  std::optional<Solved> solved;
  io::RowBlock output;

  const io::Table& table() const { return block->table; }
};

class RowRun : public Run {
 protected:
  struct Course {
    std::size_t passes = 1;            ///< times that a block passes the stages
    std::size_t rows_at_once = 16384;  ///< few enough for the caches of a core to keep much of them
    bool is_pipelined = true;          ///< Reads, solves and writes several blocks at a time.
    bool is_resumable = true;          ///< between HDF5 files
    bool shares_need_output = true;    ///< Ranks share the work only if it has an output.
  };

  /// Opens the input. Throws Error.
  RowRun(const RunOptions& command, const Course& course, Ranks& ranks);
  ~RowRun() override;

  /// Throws Error if --resume or the number of ranks needs HDF5 files and these are others.
  void require_hdf5() const;

  // The stages of a block, in this order. Stages that are const run on several threads at a time, others in the order
  // of the blocks.
  virtual void prepare(Block&) {}
  virtual void understand(Rows& rows) const = 0;
  virtual void solve(Rows& rows) = 0;
  virtual void add(const Rows& rows) = 0;  ///< Adds the results to the sums.

  /// The columns of the output. `none`: no rows, solved.
  virtual std::vector<io::ResultColumn> columns(const Rows& none) const;
  /// Datasets of the output besides the columns.
  virtual std::vector<io::ConstantColumn> constants() const { return {}; }
  /// The shape of the output's columns in HDF5; empty: the number of rows.
  virtual std::vector<std::size_t> extents() { return {}; }
  /// The shares of the ranks in the rows that are not done.
  virtual std::vector<std::vector<RowRange>> shares_of_ranks(const std::vector<RowRange>& done);
  /// The options that determine the bits of the results.
  virtual nlohmann::json options_of_results() const;

  void work() final;
  nlohmann::json sums() const override;
  void take(const nlohmann::json& sums) override;

  /// Rows of the input, which is read to its end.
  std::size_t rows_of_input() { return from_hdf5_ ? reader_->count() : written_; }

  const RunOptions& command_;
  const Course course_;
  const bool from_hdf5_, to_hdf5_, in_shares_;
  ProgressBar bar_{"solving"};
  std::unique_ptr<io::TableReader> reader_;
  io::Form form_{};
  BadRows bad_rows_;

 private:
  void begin();
  void make_writer(const std::string& part, bool is_resumed);
  bool read(Rows& rows);
  bool read_block(Block& block);
  bool read_share(Block& block);
  void format(Rows& rows) const;
  void end(const Rows& rows);
  void run_pipeline();
  void run_alone();
  void add_moment();
  void finish() override;
  void leave() override;

  std::unique_ptr<io::RowWriter> writer_;
  std::vector<io::ResultColumn> columns_;
  std::size_t rows_of_file_ = 0;  // if it is HDF5
  std::optional<RunLog> log_;
  std::vector<RowRange> share_;
  std::size_t range_ = 0, next_ = 0;  // of the share; row that the reader is at
  std::size_t done_ = 0, total_ = 0;  // progress through CSV [bytes] or through the share [rows]
  ProgressBar* reading_ = nullptr;
  std::shared_ptr<const Block> block_;  // that has not made its last pass
  std::size_t pass_ = 0, written_ = 0;
  bool is_begun_ = false, is_sound_ = true;
  Stopwatch since_moment_;
};

}  // namespace carom::apps
