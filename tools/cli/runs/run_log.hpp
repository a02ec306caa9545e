// Shares and progress of a run over the rows of an HDF5 file, on all ranks and over earlier runs.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/output/journal.hpp"
#include "cli/output/output_file.hpp"
#include "cli/ranks/ranks.hpp"
#include "io/columns/table_reader.hpp"

namespace carom::apps {

/// Rows [first, last).
struct RowRange {
  std::size_t first = 0, last = 0;
};

std::size_t rows_in(const std::vector<RowRange>& ranges);

/// Cuts the rows that are not done into one share per rank. Shares have whole blocks of rows.
std::vector<std::vector<RowRange>> shares(std::size_t rows, std::vector<RowRange> done, std::size_t block, int ranks);

/// Size, time, rows and columns of an input, to recognise it in a later run.
nlohmann::json description_of(const std::string& input, io::TableReader& reader);

/// The shares of the ranks, and the journals of a resumable run. Rank 0 has OUT.journal, which later runs read. During
/// the run rank R has OUT.journal.R. A moment lists the rows that a rank has on the disk, and sums over them.
class RunLog {
 public:
  /// `output`: the file on rank 0, otherwise null. `name`: its name in messages.
  RunLog(std::string name, const OutputFile* output, Ranks& ranks);

  /// Opens the journal on rank 0. Without it the run is not resumable. `run`: the options and the input that determine
  /// the bits of the results. Returns true if an earlier run with this description is resumed. Throws Error if there is
  /// an earlier run and its description differs or `resume` is false.
  bool open(const nlohmann::json& run, bool resume);
  /// The last sums of the ranks of earlier runs.
  const std::vector<nlohmann::json>& earlier() const { return earlier_; }

  /// The rows that are done.
  const std::vector<RowRange>& done() const { return done_; }

  /// Begins the run and returns this rank's share of the rows. `sums`: over all earlier runs. Only the arguments of
  /// rank 0 count. Other ranks call no open().
  std::vector<RowRange> begin(const nlohmann::json& sums, const std::vector<std::vector<RowRange>>& shares);
  /// The path of the part. Other ranks know it after begin().
  const std::string& part() const { return part_; }

  /// Notes that these rows of this rank's share are done.
  void add_rows(std::size_t first, std::size_t count);
  /// Adds a moment with the sums over all rows that are done. Returns when it is on the disk.
  void add_moment(const nlohmann::json& sums);
  /// Deletes the journals of a complete run, on rank 0.
  void remove();
  /// Ends a run before all of its `rows` are done. Adds a last moment if possible. Rank 0 prints that --resume
  /// continues the run; if rank 0 is dead, another rank does. Returns false if there is nothing to resume; then no
  /// journal is left.
  bool leave(const std::function<void()>& last_moment, std::size_t rows);

 private:
  std::size_t rows_of_moment() const;
  std::string journal_of(int rank) const;
  std::vector<std::string> journals_of_ranks() const;
  void remove_journals_of_ranks() const;
  bool tell_unfinished(std::size_t rows) const;

  std::string name_, place_, part_;
  Ranks& ranks_;
  std::optional<Journal> journal_;
  std::vector<nlohmann::json> earlier_;
  std::vector<RowRange> done_;
  bool is_open_ = false;  ///< The journal belongs to this run.
  std::size_t launch_ = 0, rows_before_ = 0;
};

}  // namespace carom::apps
