#include "law_runs.hpp"

#include <algorithm>
#include <carom/law_info.hpp>

#include "cli/output/progress_bar.hpp"
#include "solving.hpp"

namespace carom::apps {
namespace {

// Why the law can't be applied; empty if it can.
std::string obstacle(Law law, const io::Table& table, io::Form form) {
  const LawInfo& info = law_info(law);
  if (!io::is_there(info, form)) return info.in_plane ? "is for planar contacts" : "is for contacts in 3D";
  const std::string missing = missing_parameters(law, table, form);
  return missing.empty() ? missing : "reads " + missing;
}

}  // namespace

LawSelection all_laws_for(const io::Table& table, io::Form form) {
  LawSelection selection;
  for (const LawInfo& info : all_laws()) {
    std::string why = obstacle(info.law, table, form);
    if (why.empty())
      selection.laws.push_back(info.law);
    else
      selection.skipped.push_back({info.law, std::move(why)});
  }
  return selection;
}

LawSelection laws_by_name(const std::vector<std::string>& names, const io::Table& table, io::Form form) {
  LawSelection selection;
  for (const std::string& name : names) {
    const Law law = law_from_string(name);
    if (const std::string why = obstacle(law, table, form); !why.empty())
      throw Error("carom: " + table.header_place() + name + " " + why);
    if (std::find(selection.laws.begin(), selection.laws.end(), law) != selection.laws.end())
      throw Error("carom: " + name + " stands twice among the laws");
    selection.laws.push_back(law);
  }
  return selection;
}

io::ResultNumbers solve_contacts(const io::ContactNumbers& contacts, Solver& solver, const Options& options,
                                 bool by_reference, const std::string& label) {
  ProgressBar bar(label);
  if (by_reference) return solve_by_reference(contacts, options, bar.function()).results;
  return solve_on_lanes(contacts, solver, options, bar.function()).results;
}

}  // namespace carom::apps
