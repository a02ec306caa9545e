#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <carom/solver.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <system_error>

#include "cli/ranks/ranks.hpp"
#include "commands.hpp"

namespace carom::apps {
namespace {

constexpr const char* main_footer =
    R"(Start with:
  carom info                                what this execution offers
  carom laws                                the collision laws
  carom solve contacts.csv -o results.csv   resolve the contacts of a file
  carom solve --scene contacts.csv -o results.csv --method pgs   those of each moment together
  carom compare contacts.csv                check the lanes against the reference, and time both
  carom check results.csv                   which impulses leave the permissible region
  carom compare-laws contacts.csv           how far the laws lie apart
  carom sweep contacts.csv --friction 0:1:0.1    laws and coefficients over the contacts of a file
  carom convert contacts.csv contacts.h5    HDF5, for files beyond millions of contacts
  carom export --fclib scenes.csv -o problem.hdf5    a scene as a contact system
  carom generate --contacts 1000 -o contacts.csv    random contacts
carom COMMAND --help tells more of each.

Exit code: 0 all is fine; 1 there are bad rows; 2 wrong usage or a file error.)";

/// Allows several processes only for `solve` and `sweep`. With any other command every process would do all the work
/// and overwrite the others' output.
void refuse_ranks(CLI::App& app) {
  for (CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const std::string name = command->get_name();
    if (name == "solve" || name == "sweep") continue;
    command->preparse_callback([name](std::size_t) {
      if (transport::size_of_environment() > 1)
        throw CLI::ValidationError(name + " is for one process; several do solve and sweep together");
    });
  }
}

int run_command(int argc, char** argv) {
  int exit_code = exit_fine;
  CLI::App app("Resolves rigid-body collisions in batches, on SIMD lanes and threads.", "carom");
  app.set_version_flag("--version", "carom " + std::string(version()));
  app.require_subcommand(1);
  app.footer(main_footer);
  add_solve_command(app, exit_code);
  add_compare_command(app, exit_code);
  add_laws_command(app, exit_code);
  add_check_command(app, exit_code);
  add_compare_laws_command(app, exit_code);
  add_sweep_command(app, exit_code);
  add_convert_command(app, exit_code);
  add_export_command(app, exit_code);
  add_generate_command(app, exit_code);
  add_info_command(app, exit_code);
  refuse_ranks(app);
  try {
    app.parse(argc, argv);
    return exit_code;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    if (speaks()) fmt::print(stderr, "carom: {}\nRun carom --help or carom COMMAND --help for more.\n", error.what());
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
  } catch (const std::system_error& error) {
    // Only fmt's reports on standard output fail this way.
    fmt::print(stderr, "carom: standard output can't be written: {}\n", error.code().message());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "carom: this needs more memory than there is\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "carom: {}\n", error.what());
  }
  return exit_error;
}

}  // namespace
}  // namespace carom::apps

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // write() then returns EFBIG at the size limit of a file
  const int exit_code = carom::apps::run_command(argc, argv);
  carom::apps::transport::end();
  // There may be no space left for the last text of the buffer.
  if (exit_code != carom::apps::exit_error && std::fflush(stdout) != 0) {
    fmt::print(stderr, "carom: standard output can't be written: {}\n", std::strerror(errno));
    return carom::apps::exit_error;
  }
  return exit_code;
}
