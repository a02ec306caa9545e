// Reads files and their numbers, and shows a bar meanwhile.
#pragma once

#include <string>

#include "cli/output/progress_bar.hpp"
#include "io/columns/contact_numbers.hpp"
#include "io/files/table_file.hpp"

namespace carom::apps {

inline io::Table read_table(const std::string& path) {
  ProgressBar bar("reading");
  return io::read_table(path, bar.function());
}

inline io::ContactNumbers read_contacts(const io::Table& table, io::Form form, const io::ReadOptions& options) {
  ProgressBar bar("reading numbers");
  return io::ContactNumbers(table, form, options, bar.function());
}

}  // namespace carom::apps
