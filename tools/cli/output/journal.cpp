#include "journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <carom/status.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace carom::apps {
namespace {

[[noreturn]] void throw_unwritable_journal(const std::string& path) {
  throw Error("carom: " + path + " can't be written: " + std::strerror(errno));
}

}  // namespace

Journal::Journal(const std::string& path, const std::string& output)
    : path_(path), file_(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw_unwritable_journal(path_);
  // A file system without locks cannot detect another run.
  if (::flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(file_);
    throw Error("carom: " + output + " is being written by another run");
  }
  std::ifstream stream(path_, std::ios::binary);
  if (!stream) {
    const int reason = errno;
    ::close(file_);
    throw Error("carom: " + path_ + " can't be read: " + std::strerror(reason));
  }
  std::size_t complete = 0;
  for (std::string line; std::getline(stream, line) && !stream.eof();) {
    nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
    if (!json.is_object()) break;
    (run_.is_null() ? run_ : moment_) = std::move(json);
    complete += line.size() + 1;
  }
  // The next line must not be added to half a line.
  if (::ftruncate(file_, static_cast<off_t>(complete)) != 0) throw_unwritable_journal(path_);
}

Journal::~Journal() {
  ::close(file_);
}

void Journal::begin(const nlohmann::json& run) {
  if (::ftruncate(file_, 0) != 0) throw_unwritable_journal(path_);
  run_ = run;
  moment_ = nullptr;
  write(run);
}

void Journal::add(const nlohmann::json& moment) {
  write(moment);
  moment_ = moment;
}

void Journal::write(const nlohmann::json& line) {
  // Names of columns need not be UTF-8, but JSON must be.
  const std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
  const off_t before = ::lseek(file_, 0, SEEK_END);
  const auto fail = [&] {
    // Half a line would hide the next one.
    const int reason = errno;
    [[maybe_unused]] const int cut = ::ftruncate(file_, before);
    errno = reason;
    throw_unwritable_journal(path_);
  };
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written = ::write(file_, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) fail();
    if (written > 0) done += static_cast<std::size_t>(written);
  }
  if (::fsync(file_) != 0) fail();
}

void Journal::remove() {
  ::unlink(path_.c_str());
}

}  // namespace carom::apps
