#include "output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <carom/status.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "interruption.hpp"
#include "io/files/table_file.hpp"

namespace carom::apps {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_unwritable(const std::string& name, int reason) {
  throw Error("carom: " + name + " can't be written: " + std::strerror(reason));
}

std::array<char, 4096> place_of_part{};
/// The part that a signal removes, or null.
std::atomic<const char*> part_of_signals{nullptr};

extern "C" void remove_part(int signal) {
  if (const char* const part = part_of_signals) unlink(part);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// Blocks signals while it lives, so that none arrives before the removal of a new part is arranged. A fault of the
/// process itself ends it all the same.
class Uninterrupted {
 public:
  Uninterrupted() {
    sigset_t wait;
    sigemptyset(&wait);
    for (int signal = 1; signal <= last_signal(); ++signal)
      if (ends_process(signal)) sigaddset(&wait, signal);
    pthread_sigmask(SIG_BLOCK, &wait, &before_);
  }
  ~Uninterrupted() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;

 private:
  sigset_t before_;
};

void remove_on_signals(const std::string& part) {
  if (part.size() >= place_of_part.size()) return;
  std::memcpy(place_of_part.data(), part.c_str(), part.size() + 1);
  part_of_signals = place_of_part.data();
  for (int signal = 1; signal <= last_signal(); ++signal)
    if (ends_process(signal)) handle(signal, remove_part);
}

/// Gives the new file the owner and mode of the file that it replaces, as far as the system permits, else the mode of
/// any new file.
void give_rights(int file, const struct stat* old) {
  mode_t rights = 0666;
  if (old != nullptr) {
    rights = old->st_mode & 07777;
    [[maybe_unused]] const int changed = ::fchown(file, old->st_uid, old->st_gid);
  } else {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    rights &= ~mask;
  }
  ::fchmod(file, rights);
}

/// Syncs the name to the disk, if the file system supports it.
void keep_name(const std::string& path) {
  const int folder = ::open(fs::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

constexpr const char* processes = "/proc/";

// Resolves symbolic links, so that the target of a link is replaced and not the link. Links in /proc stay: they lead to
// open files of a process, which need not have a name.
fs::path without_links(fs::path path) {
  for (int links = 0; links < 40; ++links) {
    const fs::path folder = fs::canonical(path.has_parent_path() ? path.parent_path() : ".");
    path = folder / path.filename();
    if (folder.native().starts_with(processes) || !fs::is_symlink(path)) break;
    path = folder / fs::read_symlink(path);
  }
  return path;
}

}  // namespace

/// Writes to a file of the system, and closes it.
class OutputFile::Buffer : public std::streambuf {
 public:
  Buffer(const std::string& name, int file) : name_(name), file_(file) {
    if (file < 0) throw_unwritable(name, errno);
    setp(characters_.data(), characters_.data() + characters_.size());
  }
  ~Buffer() override {
    if (file_ >= 0) ::close(file_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  /// Syncs to the disk, so that the renamed file is never without its contents.
  void keep() {
    sync();
    if (::fsync(file_) != 0 && errno != EINVAL) throw_unwritable(name_, errno);
  }
  void close() {
    sync();
    const int file = file_;
    file_ = -1;
    if (::close(file) != 0) throw_unwritable(name_, errno);
  }

 protected:
  int sync() override {
    const auto waiting = static_cast<std::size_t>(pptr() - pbase());
    setp(characters_.data(), characters_.data() + characters_.size());
    write(characters_.data(), waiting);
    return 0;
  }
  int_type overflow(int_type character) override {
    sync();
    if (traits_type::eq_int_type(character, traits_type::eof())) return 0;
    *pptr() = traits_type::to_char_type(character);
    pbump(1);
    return character;
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    if (count < epptr() - pptr()) return std::streambuf::xsputn(text, count);
    sync();
    write(text, static_cast<std::size_t>(count));
    return count;
  }

 private:
  void write(const char* text, std::size_t count) const {
    while (count > 0) {
      const ssize_t written = ::write(file_, text, count);
      if (written < 0 && errno != EINTR) throw_unwritable(name_, errno);
      if (written < 0) continue;
      text += written;
      count -= static_cast<std::size_t>(written);
    }
  }

  const std::string& name_;
  int file_;
  std::array<char, 1 << 16> characters_;
};

OutputFile::OutputFile(const std::string& path, const std::string& input, UnfinishedPart unfinished)
    : name_(path == "-" ? "standard output" : path), is_kept_(unfinished == UnfinishedPart::is_kept) {
  if (path == "-") {
    buffer_ = std::make_unique<Buffer>(name_, ::dup(STDOUT_FILENO));
  } else {
    try {
      place_ = without_links(path).string();
    } catch (const fs::filesystem_error& error) {
      throw_unwritable(name_, error.code().value());
    }
    struct stat old {};
    const bool exists = ::stat(place_.c_str(), &old) == 0;
    std::error_code absent;
    if (exists && fs::equivalent(place_, input == "-" ? "/dev/stdin" : input, absent))
      throw Error("carom: " + path + " is the input file; give another one for the results");
    if (exists && (!S_ISREG(old.st_mode) || place_.starts_with(processes))) {
      buffer_ = std::make_unique<Buffer>(name_, ::open(place_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
    } else {
      // A file that must not be written to must not be replaced either.
      if (exists && ::access(place_.c_str(), W_OK) != 0) throw_unwritable(name_, errno);
      std::string part = place_ + (is_kept_ ? ".part" : ".XXXXXX.part");
      if (is_kept_ && fs::equivalent(part, input, absent))
        throw Error("carom: " + input + " is where the results of " + path + " begin; give another name for them");
      const Uninterrupted until_removal_is_arranged;
      const int file =
          is_kept_ ? ::open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600) : ::mkostemps(part.data(), 5, O_CLOEXEC);
      buffer_ = std::make_unique<Buffer>(name_, file);
      part_ = part;
      if (!is_kept_) remove_on_signals(part_);
      give_rights(file, exists ? &old : nullptr);
    }
  }
  stream_.rdbuf(buffer_.get());
  stream_.exceptions(std::ios::badbit);  // lets the buffer's own errors through
}

OutputFile::~OutputFile() {
  if (!is_kept_) discard();
}

void OutputFile::discard() {
  if (part_.empty()) return;
  ::unlink(part_.c_str());
  part_of_signals = nullptr;
  part_.clear();
}

const std::string& OutputFile::part() const {
  if (part_.empty()) throw Error("carom: " + name_ + " is no file of its own, which HDF5 needs");
  return part_;
}

bool OutputFile::is_hdf5() const {
  return io::is_hdf5_name(name_);
}

void OutputFile::finish() {
  if (!part_.empty()) buffer_->keep();
  buffer_->close();
  if (part_.empty()) return;
  if (std::rename(part_.c_str(), place_.c_str()) != 0) throw_unwritable(name_, errno);
  keep_name(place_);
  part_of_signals = nullptr;
  part_.clear();
}

}  // namespace carom::apps
