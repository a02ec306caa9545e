#include "machine.hpp"

#include <carom/solver.hpp>
#include <fstream>

namespace carom::bench {
namespace {

std::string cpu_name() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && line.starts_with("model name")) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string isa_names() {
  std::string names;
  for (const Isa isa : available_isas()) {
    if (!names.empty()) names += ' ';
    names += to_string(isa);
  }
  return names;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_facts() {
  return {{"carom", std::string(version())},
          {"cpu", cpu_name()},
          {"isas", isa_names()},
          {"compiler", CAROM_BENCH_COMPILER},
          {"flags", CAROM_BENCH_FLAGS}};
}

}  // namespace carom::bench
