#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/options/command_options.hpp"
#include "cli/output/progress_bar.hpp"
#include "cli/output/table_output.hpp"
#include "commands.hpp"
#include "io/columns/contact_columns.hpp"
#include "random/random_contacts.hpp"
#include "random/random_scenes.hpp"

namespace carom::apps {
namespace {

struct GenerateCommand {
  std::string output, distribution = "boxes", precision = "double";
  std::size_t contacts = 0;
  std::uint64_t seed = 1;
};

constexpr const char* generate_footer =
    R"(Writes random contacts, all of which collide but for chains. The same seed gives the same contacts everywhere, and more
contacts begin with those of fewer.
  boxes     boxes that touch, in the body form: one in five is slender, half of the contacts are against
            an immovable body; normals in all directions, friction in [0, 1.2], restitution in [0, 1]
  matrices  collision matrices with random axes and eigenvalues from 1/32 to 32 1/kg, in contact space
  chains    scenes for `carom solve --scene`, of 20 contacts each: 21 spheres of 0.1 to 10 kg in a row, with
            random velocities and spins. Not all of their contacts collide

OUT is HDF5 if its name ends in .h5 or .hdf5, and CSV else.

Examples:
  carom generate --contacts 1000000 --seed 1 -o contacts.h5
  carom generate --contacts 1000 --distribution matrices -o - | carom solve - -o results.csv

Exit code: 0 all is well; 2 wrong usage, or a file that can't be written.)";

/// Contacts that are drawn at once, each such block from a seed of its own.
constexpr std::size_t contacts_of_block = 65536;

/// The columns of some rows: names and cells.
using Block = std::vector<std::pair<std::string, io::Cells>>;

template <class AnyContacts>
Block block_of(AnyContacts contacts) {
  Block block;
  io::visit_needed(contacts, [&](const std::string& name, const auto& column) {
    std::vector<NumberOf<AnyContacts>> values(column.count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = column[i];
    block.emplace_back(name, std::move(values));
  });
  return block;
}

template <class T>
Block drawn(const GenerateCommand& command, std::size_t contacts, std::uint64_t seed) {
  if (command.distribution == "boxes") return block_of(support::RandomContacts<T>(contacts, seed).inline_contacts());
  return block_of(support::RandomSpaceContacts<T>(contacts, seed).space_contacts());
}

Block drawn(const GenerateCommand& command, std::size_t number) {
  const std::size_t first = number * contacts_of_block;
  const std::size_t contacts = std::min(contacts_of_block, command.contacts - first);
  if (command.distribution == "chains")
    return rows_of_chains(command.seed, first, contacts, command.precision == "float");
  const std::uint64_t seed = support::seed_of_part(command.seed, number);
  return command.precision == "float" ? drawn<float>(command, contacts, seed) : drawn<double>(command, contacts, seed);
}

io::FileColumn column_of(const std::string& name, const io::Cells& cells) {
  if (std::holds_alternative<std::vector<std::int64_t>>(cells)) return {name, {.kind = io::ColumnType::int64}};
  const bool in_float = std::holds_alternative<std::vector<float>>(cells);
  return {name, {.kind = in_float ? io::ColumnType::float32 : io::ColumnType::float64}};
}

int run(const GenerateCommand& command) {
  ProgressBar bar("generating");
  OutputFile output(command.output, "");
  std::unique_ptr<io::RowWriter> writer;
  const std::size_t blocks = std::max<std::size_t>(1, (command.contacts + contacts_of_block - 1) / contacts_of_block);
  std::vector<Block> group(std::min(blocks, static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())));
  for (std::size_t first = 0; first < blocks; first += group.size()) {
    const std::size_t count = std::min(group.size(), blocks - first);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { group[i] = drawn(command, first + i); });
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t row = (first + i) * contacts_of_block;
      io::RowBlock rows{.first = row, .count = std::min(contacts_of_block, command.contacts - row)};
      std::vector<io::FileColumn> columns;
      for (const auto& [name, cells] : group[i]) {
        columns.push_back(column_of(name, cells));
        rows.columns.emplace_back(&cells);
      }
      if (!writer) writer = new_rows(output, columns, command.contacts);
      writer->put(rows);
    }
    bar.show(std::min((first + count) * contacts_of_block, command.contacts), command.contacts);
  }
  output.finish();
  return exit_fine;
}

}  // namespace

void add_generate_command(CLI::App& app, int& exit_code) {
  constexpr std::size_t max_contacts = std::size_t{1} << 40;
  auto command = std::make_shared<GenerateCommand>();
  CLI::App* generate = app.add_subcommand("generate", "Write random contacts");
  generate->add_option("--contacts", command->contacts, "How many")
      ->option_text("N REQUIRED")
      ->check(within(std::size_t{0}, max_contacts))
      ->required();
  generate->add_option("--seed", command->seed, "Of the random numbers")
      ->option_text(fmt::format("S [{}]", command->seed));
  generate->add_option("--distribution", command->distribution, "What they are: see below")
      ->option_text("boxes|matrices|chains [" + command->distribution + "]")
      ->check(CLI::IsMember({"boxes", "matrices", "chains"}));
  add_precision(*generate, command->precision, "Of the numbers");
  generate->add_option("-o,--output", command->output, "File to write; - is standard output")
      ->option_text("OUT REQUIRED")
      ->required();
  generate->footer(generate_footer);
  generate->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace carom::apps
