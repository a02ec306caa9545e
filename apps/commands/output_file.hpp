#pragma once

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

namespace carom::apps {

/// The file that a command makes. It is written beside its place, as NAME.XXXXXX.part, and takes its place when it is
/// complete: a run that fails or is interrupted leaves what was there as it was. A device or a pipe is written where it
/// is, as is what a process has open (/dev/stdout); "-" is standard output. There is one at a time.
class OutputFile {
 public:
  /// Opens the file. This comes before the work, so that a path that can't be written costs none. Throws Error, also if
  /// the path is the input's.
  OutputFile(const std::string& path, const std::string& input);
  /// Removes the part that has not taken its place.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error with the system's reason where it can't be written.
  std::ostream& stream() { return stream_; }
  /// The file is complete. Throws Error.
  void finish();

 private:
  class Buffer;

  std::string name_;   ///< for messages
  std::string place_;  ///< the path without links
  std::string part_;   ///< the path beside it that is written; empty if there is none
  std::unique_ptr<Buffer> buffer_;
  std::ostream stream_{nullptr};
};

}  // namespace carom::apps
