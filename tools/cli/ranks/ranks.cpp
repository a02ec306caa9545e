#include "ranks.hpp"

#include <carom/status.hpp>
#include <chrono>
#include <exception>
#include <thread>

#include "cli/options/exit_codes.hpp"
#include "cli/output/interruption.hpp"

namespace carom::apps {

Ranks& Ranks::world() {
  static Ranks ranks;
  return ranks;
}

int Ranks::run(const std::function<int()>& command) {
  if (!are_many()) return command();
  std::string error;
  try {
    const std::string code = std::to_string(command());
    return std::stoi(scatter(std::vector<std::string>(inbox_.size(), code)));
  } catch (const Stopped&) {
    if (interrupted != 0) end_as_interrupted();
  } catch (const std::exception& thrown) {
    error = thrown.what();
  }
  return end_failed(error);
}

int Ranks::end_failed(const std::string& error) {
  const std::string prefix = "carom: ";
  if (!is_first()) {
    if (!error.empty())
      transport::send(0, transport::Kind::failure,
                      prefix + "rank " + std::to_string(rank()) + " on " + transport::machine() + ": " +
                          (error.starts_with(prefix) ? error.substr(prefix.size()) : error));
    wait([this] { return is_stopped_; }, false);
    transport::send(0, transport::Kind::end, {});
    return exit_error;
  }
  if (!error.empty()) errors_[0] = error;
  stop_others();
  wait([this] { return ended_ == size() - 1; }, false);
  throw Error(errors_.begin()->second);
}

void Ranks::stop_others() {
  if (is_stopped_) return;
  is_stopped_ = true;
  for (int other = 1; other < size(); ++other) transport::send(other, transport::Kind::stop, {});
}

void Ranks::take_messages() {
  while (const auto message = transport::receive()) {
    switch (message->kind) {
      case transport::Kind::text:
        inbox_[static_cast<std::size_t>(message->from)].push_back(message->text);
        break;
      case transport::Kind::failure:
        errors_[message->from] = message->text;
        stop_others();
        break;
      case transport::Kind::stop:
        is_stopped_ = true;
        break;
      case transport::Kind::end:
        ++ended_;
        break;
    }
  }
}

void Ranks::poll() {
  if (!are_many()) return;
  take_messages();
  if (is_stopped_) throw Stopped();
}

// Waiting inside MPI would occupy a core that working ranks need.
void Ranks::wait(const std::function<bool()>& is_over, bool until_stopped) {
  constexpr auto patience = std::chrono::microseconds(300);
  for (take_messages(); !is_over(); take_messages()) {
    if (until_stopped && (is_stopped_ || interrupted != 0)) throw Stopped();
    if (interrupted != 0) end_as_interrupted();
    std::this_thread::sleep_for(patience);
  }
}

std::vector<std::string> Ranks::gather(const std::string& text) {
  if (!is_first()) {
    transport::send(0, transport::Kind::text, text);
    return {};
  }
  std::vector<std::string> texts = {text};
  for (std::size_t other = 1; other < inbox_.size(); ++other) {
    wait([&] { return !inbox_[other].empty(); }, true);
    texts.push_back(std::move(inbox_[other].front()));
    inbox_[other].pop_front();
  }
  return texts;
}

std::string Ranks::scatter(const std::vector<std::string>& texts) {
  if (is_first()) {
    for (int other = 1; other < size(); ++other)
      transport::send(other, transport::Kind::text, texts[static_cast<std::size_t>(other)]);
    return texts.front();
  }
  wait([this] { return !inbox_[0].empty(); }, true);
  std::string answer = std::move(inbox_[0].front());
  inbox_[0].pop_front();
  return answer;
}

}  // namespace carom::apps
