// The exit codes of the command.
#pragma once

namespace carom::apps {

inline constexpr int exit_fine = 0;
inline constexpr int exit_bad_rows = 1;
inline constexpr int exit_error = 2;

}  // namespace carom::apps
