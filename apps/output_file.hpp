#pragma once

#include <carom/status.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace carom::apps {

/// Opened before the work, so that a path that can't be written costs none. "-" is standard output.
class OutputFile {
 public:
  /// Throws Error if it can't be written, or is the input.
  OutputFile(const std::string& path, const std::string& input) : to_stdout_(path == "-") {
    if (to_stdout_) return;
    std::error_code absent;
    if (std::filesystem::equivalent(path, input, absent))
      throw Error("carom: " + path + " is the input file; give another one for the results");
    file_.open(path, std::ios::binary);
    if (!file_) throw Error("carom: the file " + path + " can't be written");
  }
  std::ostream& stream() { return to_stdout_ ? std::cout : file_; }

 private:
  bool to_stdout_;
  std::ofstream file_;
};

}  // namespace carom::apps
