// Solves the contacts of a file under one law after the other.
#pragma once

#include <string>
#include <vector>

#include "cli/options/command_options.hpp"
#include "io/columns/contact_numbers.hpp"

namespace carom::apps {

struct SkippedLaw {
  Law law;
  std::string why;
};

struct LawSelection {
  std::vector<Law> laws;
  std::vector<SkippedLaw> skipped;
};

/// Selects all laws that the form and the columns of the table allow.
LawSelection all_laws_for(const io::Table& table, io::Form form);

/// Selects the laws of these names, in their order. Throws Error if the table does not allow one of them, or if a name
/// is there twice.
LawSelection laws_by_name(const std::vector<std::string>& names, const io::Table& table, io::Form form);

/// Solves every contact under its own law, or options.law, on the lanes or by the reference, and shows a bar with the
/// label. The reference needs contacts in double.
io::ResultNumbers solve_contacts(const io::ContactNumbers& contacts, Solver& solver, const Options& options,
                                 bool by_reference, const std::string& label);

}  // namespace carom::apps
