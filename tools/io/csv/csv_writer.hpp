// Writes rows as comma-separated text.
#pragma once

#include <ostream>
#include <vector>

#include "io/columns/row_writer.hpp"

namespace carom::io {

class CsvWriter final : public RowWriter {
 public:
  /// Writes the header. The stream must outlive the writer.
  CsvWriter(std::ostream& stream, const std::vector<FileColumn>& columns);

  void format(RowBlock& rows) const override;
  void write(const RowBlock& rows) override;
  void put(const RowBlock& rows, const Progress& progress = {}) override;
  /// Flushes the stream.
  void sync() override;

 private:
  std::ostream& stream_;
};

}  // namespace carom::io
