// One law after the other on the contacts of a file.
#pragma once

#include <string>
#include <vector>

#include "analysis/region.hpp"
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

/// Solves every contact under its own law, or options.law, on the lanes or by the reference, and shows a bar with the
/// label. The reference needs contacts in double.
io::ResultNumbers solve_contacts(const io::ContactNumbers& contacts, Solver& solver, const Options& options,
                                 bool by_reference, const std::string& label);

/// Puts the impulses to the region, and shows a bar.
Region check_impulses(const io::ContactNumbers& contacts, const ContactScales& scales, const io::Numbers& impulses,
                      Solver& solver, const Options& options);

}  // namespace carom::apps
