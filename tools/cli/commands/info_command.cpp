#include <fmt/format.h>
#include <tbb/info.h>
#include <tbb/version.h>

#include <carom/solver.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <xsimd/config/xsimd_config.hpp>

#include "cli/report/report_words.hpp"
#include "commands.hpp"

namespace carom::apps {
namespace {

constexpr const char* info_footer =
    R"(Says what carom would use here. The environment variable CAROM_ISA names the instruction set that
is chosen where --isa is auto.

Examples:
  carom info
  carom info --json

Exit code: 0; 2 wrong usage, or CAROM_ISA names an instruction set that is not available.)";

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
  return "unknown";
}

int run(bool as_json) {
  const auto xsimd_version = fmt::format("{}.{}.{}", XSIMD_VERSION_MAJOR, XSIMD_VERSION_MINOR, XSIMD_VERSION_PATCH);
  std::vector<std::string> isas;
  for (const Isa isa : available_isas()) isas.emplace_back(to_string(isa));
  const std::string chosen(to_string(Solver().isa()));
  const int threads = tbb::info::default_concurrency();
  if (as_json) {
    print(Json{{"version", version()},
               {"cpu", cpu_model()},
               {"isas", isas},
               {"isa", chosen},
               {"threads", threads},
               {"xsimd", xsimd_version},
               {"tbb", TBB_runtime_version()}});
    return exit_fine;
  }
  fmt::print("carom    {}\n", version());
  fmt::print("cpu      {}\n", cpu_model());
  fmt::print("isas     {}; chosen: {}\n", fmt::join(isas, ", "), chosen);
  fmt::print("threads  {}\n", threads);
  fmt::print("xsimd    {}\n", xsimd_version);
  fmt::print("oneTBB   {}\n", TBB_runtime_version());
  return exit_fine;
}

}  // namespace

void add_info_command(CLI::App& app, int& exit_code) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* info = app.add_subcommand("info", "Show the version, the CPU, its instruction sets, threads and libraries");
  info->add_flag("--json", *as_json, "One JSON object");
  info->footer(info_footer);
  info->callback([as_json, &exit_code] { exit_code = run(*as_json); });
}

}  // namespace carom::apps
