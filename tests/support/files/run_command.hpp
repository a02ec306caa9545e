// The command as a user runs it: CAROM_COMMAND is the binary.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <string>

#include "support/files/temporary_file.hpp"

namespace carom::test {

struct Ended {
  int exit_code;
  std::string out, err;
};

/// A line of shell, in which the command is "carom".
inline Ended shell(const std::string& line) {
  const TemporaryFile out, err;
  const std::string whole =
      "carom() { '" CAROM_COMMAND "' \"$@\"; }\n{ " + line + "\n} > '" + out.name() + "' 2> '" + err.name() + "'";
  const int status = std::system(whole.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out.text(), err.text()};
}

inline Ended carom(const std::string& arguments, const std::string& environment = "") {
  return shell(environment + (environment.empty() ? "carom " : " '" CAROM_COMMAND "' ") + arguments);
}

inline const std::string golden = CAROM_GOLDEN_DIR;

inline void expect_within(const std::string& part, const std::string& text) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in '" << text << "'";
}

}  // namespace carom::test
