#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  const auto isas = carom::available_isas();
  if (std::find(isas.begin(), isas.end(), carom::isa_from_string(CAROM_TEST_ISA_NAME)) == isas.end()) {
    std::puts("This CPU has no " CAROM_TEST_ISA_NAME ".");
    return 0;
  }
#ifdef CAROM_TEST_FMA
  if (!__builtin_cpu_supports("fma")) {
    std::puts("This CPU has no FMA.");
    return 0;
  }
#endif
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
