#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/analysis/random_scenes.hpp"
#include "cli/options/command_options.hpp"
#include "cli/output/output_file.hpp"
#include "cli/output/progress_bar.hpp"
#include "commands.hpp"
#include "io/columns/contact_columns.hpp"
#include "io/columns/table_reader.hpp"
#include "io/csv/csv.hpp"
#include "io/hdf5/hdf5_writer.hpp"
#include "support/contacts/random_contacts.hpp"

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

std::uint64_t seed_of_block(std::uint64_t seed, std::size_t block) {
  constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15;  // its multiples are far apart
  return seed + block * golden_ratio;
}

struct Block {
  std::vector<std::string> names;
  std::vector<io::Cells> cells;
};

template <class AnyContacts>
Block block_of(AnyContacts contacts) {
  Block block;
  io::visit_needed(contacts, [&](const std::string& name, const auto& column) {
    std::vector<NumberOf<AnyContacts>> values(column.count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = column[i];
    block.names.push_back(name);
    block.cells.emplace_back(std::move(values));
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
  if (command.distribution == "chains") {
    Block block;
    for (auto& [name, cells] : rows_of_chains(command.seed, first, contacts, command.precision == "float")) {
      block.names.push_back(name);
      block.cells.push_back(std::move(cells));
    }
    return block;
  }
  const std::uint64_t seed = seed_of_block(command.seed, number);
  return command.precision == "float" ? drawn<float>(command, contacts, seed) : drawn<double>(command, contacts, seed);
}

std::string csv_of(const Block& block, std::size_t contacts, bool with_header) {
  std::string text;
  for (const std::string& name : block.names) text += with_header ? name + ',' : "";
  if (with_header) text.back() = '\n';
  for (std::size_t row = 0; row < contacts; ++row) {
    for (const io::Cells& cells : block.cells) {
      io::append_number(text, cells, row);
      text += ',';
    }
    text.back() = '\n';
  }
  return text;
}

int run(const GenerateCommand& command) {
  ProgressBar bar("generating");
  OutputFile output(command.output, "");
  const bool in_hdf5 = io::is_hdf5_name(command.output);
  std::optional<io::Hdf5Writer> writer;
  const std::size_t blocks = std::max<std::size_t>(1, (command.contacts + contacts_of_block - 1) / contacts_of_block);
  std::vector<Block> group(std::min(blocks, static_cast<std::size_t>(tbb::this_task_arena::max_concurrency())));
  for (std::size_t first = 0; first < blocks; first += group.size()) {
    const std::size_t count = std::min(group.size(), blocks - first);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) { group[i] = drawn(command, first + i); });
    for (std::size_t i = 0; i < count; ++i) {
      const Block& block = group[i];
      const std::size_t row = (first + i) * contacts_of_block;
      if (in_hdf5 && !writer) {
        const auto kind = [&](const io::Cells& cells) {
          if (std::holds_alternative<std::vector<std::int64_t>>(cells)) return io::ColumnType::int64;
          return command.precision == "float" ? io::ColumnType::float32 : io::ColumnType::float64;
        };
        std::vector<io::Hdf5Column> columns;
        for (std::size_t c = 0; c < block.names.size(); ++c)
          columns.push_back({block.names[c], {kind(block.cells[c]), 1, nullptr}, {}});
        writer.emplace(output.part(), columns, command.contacts);
      }
      for (std::size_t c = 0; in_hdf5 && c < block.cells.size(); ++c) writer->write(c, row, block.cells[c]);
      if (!in_hdf5)
        output.stream() << csv_of(block, std::min(contacts_of_block, command.contacts - row), first + i == 0);
    }
    bar.show(std::min((first + count) * contacts_of_block, command.contacts), command.contacts);
  }
  output.stream().flush();
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
  generate->add_option("--precision", command->precision, "Of the numbers")
      ->option_text("double|float [" + command->precision + "]")
      ->check(CLI::IsMember({"double", "float"}));
  generate->add_option("-o,--output", command->output, "File to write; - is standard output")
      ->option_text("OUT REQUIRED")
      ->required();
  generate->footer(generate_footer);
  generate->callback([command, &exit_code] { exit_code = run(*command); });
}

}  // namespace carom::apps
