// One law after the other on the contacts of a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/batch.hpp"
#include "commands/command_options.hpp"

namespace carom::apps {

struct SkippedLaw {
  Law law;
  std::string why;
};

struct LawSelection {
  std::vector<Law> laws;
  std::vector<SkippedLaw> skipped;
};

/// All laws that the form and the columns of the table allow.
LawSelection all_laws_for(const io::Table& table, io::Form form);

/// Those of the names, in their order. Throws Error if there is one that the table does not allow, or that stands
/// twice.
LawSelection laws_by_name(const std::vector<std::string>& names, const io::Table& table, io::Form form);

/// Solves every contact under its own law, or options.law, on the lanes or by the reference. `T` of the reference is
/// double.
template <class Contacts>
void solve_contacts(const io::ContactData<Contacts>& contacts, io::ResultData<Contacts>& results,
                    const Machine& machine, const Options& options, bool by_reference, const std::string& label) {
  std::optional<Solver> solver;
  if (!by_reference) solver.emplace(machine);
  solve_in_parts(contacts.size(), label, [&](std::size_t first, std::size_t count) {
    const auto part = contacts.view(first, count);
    const auto places = results.view(first, count);
    if constexpr (std::is_same_v<io::ScalarOf<Contacts>, double>)
      if (by_reference) return solve_by_reference(part, places, options);
    return solver->solve(part, places, options);
  });
}

}  // namespace carom::apps
