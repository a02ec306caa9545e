// Report on contact systems: a line or a JSON object each.
#pragma once

#include <carom/system.hpp>
#include <string>
#include <vector>

namespace carom::apps {

struct SolvedSystem {
  std::string name;  ///< of the file
  SystemReport report;
};

void print_text(const std::vector<SolvedSystem>& systems, std::FILE* out);
/// One object, with a list of the systems and sums.
void print_json(const std::vector<SolvedSystem>& systems, const SystemOptions& options, double tolerance,
                std::FILE* out);

}  // namespace carom::apps
