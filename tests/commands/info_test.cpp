// `carom info` as a user runs it.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "support/files/contact_tables.hpp"
#include "support/files/run_command.hpp"
#include "support/files/temporary_file.hpp"

namespace carom::test {
namespace {

TEST(Info, names_what_is_available_and_chosen) {
  const Ended run = carom("info --json");
  EXPECT_EQ(run.exit_code, 0);
  const auto json = nlohmann::json::parse(run.out);
  const auto& isas = json["isas"];
  EXPECT_NE(std::find(isas.begin(), isas.end(), json["isa"]), isas.end());
  EXPECT_GE(json["threads"], 1);
  const Ended text = carom("info");
  for (const char* part : {"carom", "cpu", "isas", "threads", "xsimd", "oneTBB"}) expect_within(part, text.out);
}

TEST(Info, the_environment_chooses_the_isa) {
  for (const std::string isa : nlohmann::json::parse(carom("info --json").out)["isas"])
    EXPECT_EQ(nlohmann::json::parse(carom("info --json", "CAROM_ISA=" + isa).out)["isa"], isa);
  const Ended run = carom("info", "CAROM_ISA=mmx");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(run.err.starts_with("carom: ")) << run.err;
}

}  // namespace
}  // namespace carom::test
