// What a figure has to be read with: the machine and the build.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace carom::bench {

std::vector<std::pair<std::string, std::string>> machine_facts();

}  // namespace carom::bench
