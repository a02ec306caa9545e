#pragma once

#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

namespace carom::apps {

/// A run may end before its file is complete: its part is then kept or removed.
enum class UnfinishedPart { is_removed, is_kept };

/// The file that a command makes. It is written as NAME.XXXXXX.part in the same folder and renamed when it is complete:
/// a run that fails, or that a signal ends, does not touch NAME. Devices, pipes and the files of a process
/// (/dev/stdout) are written directly; "-" is standard output. There is one OutputFile at a time. A part that is kept
/// is NAME.part; an earlier run may have begun it.
class OutputFile {
 public:
  /// Opens the file. This comes before the work, so that a path that can't be written costs none. Throws Error, also if
  /// the path is the input's.
  OutputFile(const std::string& path, const std::string& input, UnfinishedPart unfinished = UnfinishedPart::is_removed);
  /// Removes the part that has not taken its place.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error with the system's reason where it can't be written.
  std::ostream& stream() { return stream_; }
  /// The path that is written, for who writes it otherwise than by the stream. Throws Error if it is no file of its
  /// own, which HDF5 needs.
  const std::string& part() const;
  /// The path that it will have, without links.
  const std::string& place() const { return place_; }
  /// Removes the part at once, also one that would be kept.
  void discard();
  /// The file is complete. Throws Error.
  void finish();

 private:
  class Buffer;

  std::string name_;   ///< for messages
  std::string place_;  ///< the path without links
  std::string part_;   ///< the path beside it that is written; empty if there is none
  bool is_kept_ = false;
  std::unique_ptr<Buffer> buffer_;
  std::ostream stream_{nullptr};
};

/// Makes HDF5 of the CSV that the stream has got, if the file's name is one of HDF5. Its whole text comes into memory.
/// Throws Error.
void make_hdf5_of_csv(OutputFile& output);

}  // namespace carom::apps
