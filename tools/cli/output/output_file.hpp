#pragma once

#include <memory>
#include <ostream>
#include <string>

namespace carom::apps {

/// Fate of the part if the run ends before its file is complete.
enum class UnfinishedPart { is_removed, is_kept };

/// The file that a command writes. It is written to a part in the same folder, whose name is NAME, six random
/// characters and ".part", and renamed when it is complete: a run that fails or that a signal ends does not touch NAME.
/// A part that is kept is named NAME.part; it may be the part of an earlier run. Devices, pipes and files of a process
/// (/dev/stdout) are written directly; "-" is standard output. Only one OutputFile exists at a time.
class OutputFile {
 public:
  /// Opens the file. Do this before the work, so that a path that cannot be written costs no work. Throws Error, also
  /// if the path is the path of the input.
  OutputFile(const std::string& path, const std::string& input, UnfinishedPart unfinished = UnfinishedPart::is_removed);
  /// Removes an unfinished part.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws Error with the system's reason if writing fails.
  std::ostream& stream() { return stream_; }
  /// The path of the part, for writers that do not use the stream. Throws Error if the output is not a regular file,
  /// which HDF5 needs.
  const std::string& part() const;
  /// True if the name ends in .h5 or .hdf5.
  bool is_hdf5() const;
  /// The final path, with symbolic links resolved.
  const std::string& place() const { return place_; }
  /// Removes the part at once, even if it would be kept.
  void discard();
  /// Completes the file: renames the part. Throws Error.
  void finish();

 private:
  class Buffer;

  std::string name_;   ///< for messages
  std::string place_;  ///< the path with symbolic links resolved
  std::string part_;   ///< the path of the part in the same folder; empty if there is no part
  bool is_kept_ = false;
  std::unique_ptr<Buffer> buffer_;
  std::ostream stream_{nullptr};
};

}  // namespace carom::apps
