// The subcommands of `carom`. Each adds itself to the application; its callback leaves the exit code in `exit_code`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/options/exit_codes.hpp"

namespace carom::apps {

void add_solve_command(CLI::App& app, int& exit_code);
void add_compare_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_laws_command(CLI::App& app, int& exit_code);
void add_compare_laws_command(CLI::App& app, int& exit_code);
void add_sweep_command(CLI::App& app, int& exit_code);
void add_convert_command(CLI::App& app, int& exit_code);
void add_export_command(CLI::App& app, int& exit_code);
void add_generate_command(CLI::App& app, int& exit_code);
void add_info_command(CLI::App& app, int& exit_code);

}  // namespace carom::apps
