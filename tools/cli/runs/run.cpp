#include "run.hpp"

#include <exception>
#include <utility>
#include <vector>

#include "cli/options/exit_codes.hpp"
#include "cli/output/interruption.hpp"

namespace carom::apps {

Run::Run(std::string input, std::string output, bool keeps_part, Ranks& ranks)
    : input_name_(std::move(input)), output_name_(std::move(output)), keeps_part_(keeps_part), ranks_(ranks) {}

int Run::run() {
  if (keeps_part_) take_interruptions();  // before the part exists: a run without rows removes it
  if (ranks_.is_first() && !output_name_.empty())
    output_.emplace(output_name_, input_name_, keeps_part_ ? UnfinishedPart::is_kept : UnfinishedPart::is_removed);
  std::exception_ptr failure;
  bool is_complete = false;
  std::vector<std::string> heard;
  try {
    work();
    if (interrupted == 0) {
      if (ranks_.are_many()) heard = ranks_.gather(text_of(sums()));
      if (output_) output_->finish();
      finish();
      is_complete = true;
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (!is_complete) {
    leave();
    if (interrupted == 0) std::rethrow_exception(failure);
    end_as_interrupted();
  }
  if (!ranks_.is_first()) return exit_fine;
  // Only now, so that sums in the journal are of rank 0 alone.
  for (std::size_t other = 1; other < heard.size(); ++other) take(nlohmann::json::parse(heard[other]));
  return report();
}

}  // namespace carom::apps
