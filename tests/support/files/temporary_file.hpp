#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace carom::test {

/// A temporary file, unique for each test process; removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text = {}, const std::string& suffix = ".csv") {
    static int count = 0;
    path_ = std::filesystem::temp_directory_path() /
            ("carom_test_" + std::to_string(getpid()) + "_" + std::to_string(count++) + suffix);
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string name() const { return path_.string(); }
  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return text.str();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace carom::test
