// Rows of a contact file, without the checks of the library's own reader.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace carom::bench {

inline std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

class CsvFile {
 public:
  explicit CsvFile(const std::string& path) : path_(path), file_(path) {
    std::string line;
    if (!std::getline(file_, line)) throw std::runtime_error(path + " has no contacts");
    header_ = split(line);
  }

  std::size_t column(const std::string& name) const {
    const auto found = std::find(header_.begin(), header_.end(), name);
    if (found == header_.end()) throw std::runtime_error(path_ + " has no column " + name);
    return static_cast<std::size_t>(found - header_.begin());
  }

  /// False at the end.
  bool next(std::vector<std::string>& row) {
    std::string line;
    if (!std::getline(file_, line)) return false;
    row = split(line);
    return true;
  }

 private:
  std::string path_;
  std::ifstream file_;
  std::vector<std::string> header_;
};

}  // namespace carom::bench
