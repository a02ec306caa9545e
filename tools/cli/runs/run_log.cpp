#include "run_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <carom/status.hpp>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "cli/output/interruption.hpp"

namespace carom::apps {

static void to_json(nlohmann::json& json, const RowRange& range) {
  json = {range.first, range.last};
}
static void from_json(const nlohmann::json& json, RowRange& range) {
  range = {json.at(0), json.at(1)};
}

namespace {

namespace fs = std::filesystem;

/// Sorts and joins the ranges.
std::vector<RowRange> merged(std::vector<RowRange> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const RowRange& a, const RowRange& b) { return a.first < b.first; });
  std::vector<RowRange> all;
  for (const RowRange& range : ranges) {
    if (!all.empty() && range.first <= all.back().last)
      all.back().last = std::max(all.back().last, range.last);
    else
      all.push_back(range);
  }
  return all;
}

/// Throws Error if the journal is of another run.
void require_same_run(const std::string& output, const nlohmann::json& before, const nlohmann::json& now) {
  const auto refuse = [&](const std::string& why) {
    throw Error("carom: --resume: " + output + ".part was begun with " + why + "; remove it and " + output +
                ".journal to begin anew");
  };
  const auto was = [&](const char* part, const std::string& name) {
    return before.value(part, nlohmann::json::object()).value(name, nlohmann::json());
  };
  for (const auto& [name, value] : now["options"].items())
    if (const auto old = was("options", name); old != value)
      refuse("other options: " + name + " was " + text_of(old) + " and is " + text_of(value));
  for (const auto& [name, value] : now["input"].items())
    if (was("input", name) != value) refuse("another input: its " + name + " was another");
}

}  // namespace

std::size_t rows_in(const std::vector<RowRange>& ranges) {
  std::size_t rows = 0;
  for (const RowRange& range : ranges) rows += range.last - range.first;
  return rows;
}

std::vector<std::vector<RowRange>> shares(std::size_t rows, std::vector<RowRange> done, std::size_t block, int ranks) {
  done.push_back({rows, rows});
  std::vector<RowRange> left;
  std::size_t blocks = 0, next = 0;
  const auto blocks_in = [block](const RowRange& range) { return (range.last - range.first + block - 1) / block; };
  for (const RowRange& range : merged(std::move(done))) {
    if (range.first > next) blocks += blocks_in(left.emplace_back(RowRange{next, range.first}));
    next = range.last;
  }
  std::vector<std::vector<RowRange>> all(static_cast<std::size_t>(ranks));
  auto range = left.begin();
  for (std::size_t rank = 0, end = 0; rank < all.size(); ++rank) {
    const std::size_t begin = std::exchange(end, blocks * (rank + 1) / all.size());
    for (std::size_t wanted = end - begin; wanted > 0;) {
      const std::size_t taken = std::min(wanted, blocks_in(*range));
      const std::size_t last = std::min(range->last, range->first + taken * block);
      all[rank].push_back({std::exchange(range->first, last), last});
      wanted -= taken;
      if (range->first == range->last) ++range;
    }
  }
  return all;
}

nlohmann::json description_of(const std::string& input, io::TableReader& reader) {
  nlohmann::json types = nlohmann::json::array();
  for (const io::ColumnType& type : reader.types()) types.push_back({type.kind, type.width});
  return {{"size", fs::file_size(input)},
          {"time", fs::last_write_time(input).time_since_epoch().count()},
          {"rows", reader.count()},
          {"columns", reader.table().header()},
          {"types", types}};
}

RunLog::RunLog(std::string name, const OutputFile* output, Ranks& ranks) : name_(std::move(name)), ranks_(ranks) {
  if (output == nullptr) return;
  place_ = output->place();
  part_ = output->part();
}

std::string RunLog::journal_of(int rank) const {
  return place_ + ".journal" + (rank == 0 ? "" : "." + std::to_string(rank));
}

std::vector<std::string> RunLog::journals_of_ranks() const {
  const fs::path main = journal_of(0);
  const std::string prefix = main.filename().string() + '.';
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(main.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.find_first_not_of("0123456789", prefix.size()) == std::string::npos)
      all.push_back(entry.path().string());
  }
  std::sort(all.begin(), all.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);  // by rank
  });
  return all;
}

void RunLog::remove_journals_of_ranks() const {
  for (const std::string& path : journals_of_ranks()) fs::remove(path);
}

bool RunLog::open(const nlohmann::json& run, bool resume) {
  journal_.emplace(journal_of(0), name_);
  const auto read = [this](const nlohmann::json& moment) {
    for (const RowRange& range : moment.at("done").get<std::vector<RowRange>>()) done_.push_back(range);
    earlier_.push_back(moment.at("sums"));
  };
  // A run that ended between the names of its file and of its journal has left no part.
  if (!journal_->run().is_null() && fs::file_size(part_) > 0) {
    const nlohmann::json& moment = journal_->moment();
    launch_ = moment.is_null() ? 0 : moment.at("launch").get<std::size_t>();
    if (!moment.is_null()) read(moment);
    for (const std::string& path : journals_of_ranks()) {
      const Journal other(path, name_);
      if (!other.moment().is_null() && other.run().value("launch", launch_ + 1) == launch_) read(other.moment());
    }
  }
  if (earlier_.empty()) {
    remove_journals_of_ranks();
    journal_->begin(run);
    is_open_ = true;
    return false;
  }
  done_ = merged(std::move(done_));
  rows_before_ = rows_in(done_);
  if (!resume)
    throw Error(
        fmt::format("carom: {0}.part has {1} rows of an earlier run: --resume goes on with it; remove it and "
                    "{0}.journal to begin anew",
                    name_, rows_before_));
  require_same_run(name_, journal_->run(), nlohmann::json::parse(text_of(run)));
  is_open_ = true;
  return true;
}

std::vector<RowRange> RunLog::begin(const nlohmann::json& sums, const std::vector<std::vector<RowRange>>& shares) {
  std::vector<std::string> plans;
  if (ranks_.is_first()) {
    // Journals of ranks count until this line is on the disk, and no longer.
    if (!earlier_.empty()) {
      ++launch_;
      add_moment(sums);
    }
    if (is_open_) remove_journals_of_ranks();
    for (const std::vector<RowRange>& share : shares)
      plans.push_back(nlohmann::json{
          {"place", json_of_bytes(place_)},
          {"part", json_of_bytes(part_)},
          {"has_journal", is_open_},
          {"launch", launch_},
          {"share",
           share}}.dump());
  }
  const nlohmann::json plan = nlohmann::json::parse(ranks_.scatter(plans));
  if (!ranks_.is_first()) {
    place_ = bytes_of(plan.at("place"));
    part_ = bytes_of(plan.at("part"));
    launch_ = plan.at("launch");
    if (plan.at("has_journal")) {
      journal_.emplace(journal_of(ranks_.rank()), name_);
      journal_->begin({{"launch", launch_}});
      is_open_ = true;
    }
  }
  return plan.at("share");
}

void RunLog::add_rows(std::size_t first, std::size_t count) {
  done_.push_back({first, first + count});
  done_ = merged(std::move(done_));
}

void RunLog::add_moment(const nlohmann::json& sums) {
  journal_->add({{"launch", launch_}, {"rows", rows_in(done_)}, {"done", done_}, {"sums", sums}});
}

std::size_t RunLog::rows_of_moment() const {
  const nlohmann::json& moment = journal_->moment();
  return std::max(rows_before_, moment.is_null() ? 0 : moment.at("rows").get<std::size_t>());
}

void RunLog::remove() {
  is_open_ = false;
  journal_->remove();
  remove_journals_of_ranks();
}

bool RunLog::leave(const std::function<void()>& last_moment, std::size_t rows) {
  if (!is_open_) return true;
  try {
    last_moment();
  } catch (const Error&) {
    // The last moment stands.
  }
  if (!ranks_.is_first() && interrupted == 0) return true;
  const bool is_kept = tell_unfinished(rows);
  if (!is_kept) remove();
  return is_kept;
}

bool RunLog::tell_unfinished(std::size_t rows) const {
  if (!ranks_.are_many()) {
    const std::size_t done = rows_of_moment();
    if (done > 0) fmt::print(stderr, "carom: {}.part has {} of {} rows: --resume goes on with it\n", name_, done, rows);
    return done > 0;
  }
  if (!ranks_.is_first()) {
    // Its journal is locked as long as rank 0 lives. The first one that gets the lock keeps it until the process ends.
    const int journal = ::open(journal_of(0).c_str(), O_RDONLY | O_CLOEXEC);
    if (journal < 0 || ::flock(journal, LOCK_EX | LOCK_NB) != 0) return true;
  }
  // Other ranks may be adding their last moments still.
  fmt::print(stderr, "carom: {}.part has the rows that {} ranks have finished{}: --resume goes on with it\n", name_,
             ranks_.size(), rows_of_moment() > 0 ? "" : ", if any");
  return true;
}

}  // namespace carom::apps
