#include <algorithm>
#include <carom/law_info.hpp>
#include <memory>
#include <string>
#include <vector>

#include "cli/report/report_words.hpp"
#include "commands.hpp"

namespace carom::apps {
namespace {

constexpr const char* laws_footer =
    R"(Lists the collision laws: in which dimension there are contacts for them, the columns that they read beside
friction and restitution (those in brackets in 3D only), what restitution stands for, whether the law can
gain energy, and where it comes from. docs/laws.md and docs/planar.md have the equations.

Examples:
  carom laws
  carom laws --json | jq '.laws[] | select(.may_gain_energy) | .name'

Exit code: 0; 2 wrong usage.)";

std::string dimension(const LawInfo& info) {
  return info.in_space && info.in_plane ? "2D, 3D" : info.in_space ? "3D" : "2D";
}

// Each name stands here once, though it may have a range of its own in each dimension.
std::vector<std::string> parameters(const LawInfo& info) {
  std::vector<std::string> names;
  for (const LawParameter& parameter : info.parameters) {
    const bool anywhere_in_plane =
        std::any_of(info.parameters.begin(), info.parameters.end(),
                    [&](const LawParameter& other) { return other.name == parameter.name && other.in_plane; });
    const std::string name = std::string(parameter.name);
    const std::string shown = anywhere_in_plane ? name : "(" + name + ")";
    if (std::find(names.begin(), names.end(), shown) == names.end()) names.push_back(shown);
  }
  return names;
}

std::string parameters_in_words(const LawInfo& info) {
  if (info.law == Law::composite) return "weight_LAW, those of its members";
  return fmt::format("{}", fmt::join(parameters(info), ", "));
}

void print_table() {
  std::vector<std::vector<std::string>> rows = {{"law", "dimension", "reads", "restitution", "gains energy", "source"}};
  for (const LawInfo& info : all_laws())
    rows.push_back({std::string(to_string(info.law)), dimension(info), parameters_in_words(info),
                    std::string(info.restitution), std::string(info.energy_gain), std::string(info.source)});
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}", row[i], widths[i] + 2);
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  }
}

void print_json() {
  Json laws = Json::array();
  for (const LawInfo& info : all_laws()) {
    Json read = Json::array();
    for (const LawParameter& p : info.parameters)
      read.push_back({{"column", p.name}, {"in_3d", p.in_space}, {"in_2d", p.in_plane}});
    laws.push_back({{"name", to_string(info.law)},
                    {"in_3d", info.in_space},
                    {"in_2d", info.in_plane},
                    {"reads_friction", info.reads_friction},
                    {"reads_restitution", info.reads_restitution},
                    {"parameters", read},
                    {"restitution", info.restitution},
                    {"may_gain_energy", info.may_gain_energy},
                    {"energy_gain", info.energy_gain},
                    {"source", info.source}});
  }
  print(Json{{"laws", laws}});
}

}  // namespace

void add_laws_command(CLI::App& app, int& exit_code) {
  auto as_json = std::make_shared<bool>(false);
  CLI::App* laws = app.add_subcommand("laws", "List the collision laws: what they read, may gain energy, come from");
  laws->add_flag("--json", *as_json, "One JSON object on standard output");
  laws->footer(laws_footer);
  laws->callback([as_json, &exit_code] {
    *as_json ? print_json() : print_table();
    exit_code = exit_fine;
  });
}

}  // namespace carom::apps
