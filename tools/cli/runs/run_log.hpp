// How far runs over the rows of an HDF5 file have come: on all ranks of this one, and before it.
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

/// Cuts what is left of `rows` behind the ranges that are done into as many shares as there are ranks, of whole blocks
/// of rows.
std::vector<std::vector<RowRange>> shares(std::size_t rows, std::vector<RowRange> done, std::size_t block, int ranks);

/// All that may tell a file that is read from another one.
nlohmann::json description_of(const std::string& input, io::TableReader& reader);

/// The journals of a run: OUT.journal is that of rank 0, and of all earlier runs; OUT.journal.R that of rank R, as long
/// as the run lasts. A moment tells the rows that a rank has brought to the disk, and sums over them.
class RunLog {
 public:
  /// `output` is the file of rank 0, none elsewhere; `name` stands in messages.
  RunLog(std::string name, const OutputFile* output, Ranks& ranks);

  /// On rank 0: opens the journal. `run` describes all that the bits of results depend on, in "options" and "input".
  /// True if there is an earlier run of that description, which `resume` asks to go on with. Throws Error if it is
  /// there and is of another description or not asked for.
  bool open(const nlohmann::json& run, bool resume);
  /// The sums that the ranks of earlier runs have told last.
  const std::vector<nlohmann::json>& earlier() const { return earlier_; }

  /// The rows that are done.
  const std::vector<RowRange>& done() const { return done_; }

  /// Begins, with the sums of all that was done earlier, and tells every rank its share of the rows. On other ranks
  /// this is the first call, and only rank 0's arguments count.
  std::vector<RowRange> begin(const nlohmann::json& sums, const std::vector<std::vector<RowRange>>& shares);
  /// The file that is written, known from then on.
  const std::string& part() const { return part_; }

  /// These rows of this rank's share are done.
  void add_rows(std::size_t first, std::size_t count);
  /// Adds a moment with sums over all rows that are done, and returns when it is on the disk.
  void add_moment(const nlohmann::json& sums);
  /// On rank 0: all is complete.
  void remove();
  /// The run ends before all of its `rows` are done. Adds a last moment, if it can be had, and says that --resume goes
  /// on: rank 0 does, or another one that finds it dead. False: there is nothing to go on with, and no journal is left.
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
  bool is_open_ = false;  ///< and not another run's
  std::size_t launch_ = 0, rows_before_ = 0;
};

}  // namespace carom::apps
