// The rows of a rank's share of a file, block by block.
#pragma once

#include <algorithm>
#include <carom/status.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "result_sink.hpp"
#include "run_log.hpp"

namespace carom::apps {

class ShareReader {
 public:
  ShareReader(std::string path, std::vector<RowRange> share, std::size_t block)
      : path_(std::move(path)), share_(std::move(share)), block_(block), total_(rows_in(share_)) {}

  /// Reads the next block into the table of `rows`. False: there was none left. Throws Error, and Ranks::Stopped.
  bool read(Rows& rows) {
    Ranks::world().poll();
    for (; begun_ == 0 || next_ >= share_[begun_ - 1].last; ++begun_) {
      if (begun_ == share_.size()) return false;
      next_ = share_[begun_].first;
      reader_ = io::open_table(path_, {}, next_);
    }
    const std::size_t wanted = std::min(block_, share_[begun_ - 1].last - next_);
    // Another program may have made the file shorter.
    if (!reader_->read(wanted))
      throw Error("carom: " + path_ + " ends before row " + std::to_string(share_[begun_ - 1].last));
    rows.table = reader_->take();
    rows.first = next_;
    next_ += rows.table.rows();
    rows.done = read_ += rows.table.rows();
    rows.total = total_;
    return true;
  }

 private:
  std::string path_;
  std::vector<RowRange> share_;
  std::size_t block_, total_, begun_ = 0, next_ = 0, read_ = 0;
  std::unique_ptr<io::TableReader> reader_;
};

}  // namespace carom::apps
