// Runs a program if the CPU has the ISA that it is compiled for. The program cannot test this itself, because the
// constructors of its static objects are compiled for the ISA too.
//
// on_isa ISA FMA(0|1) PROGRAM
#include <unistd.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto isas = carom::available_isas();
  const bool has_isa = std::find(isas.begin(), isas.end(), carom::isa_from_string(argv[1])) != isas.end();
#if defined(__x86_64__) || defined(__i386__)
  const bool has_fma = __builtin_cpu_supports("fma") != 0;
#else
  const bool has_fma = true;
#endif
  if (!has_isa || (argv[2][0] == '1' && !has_fma)) {
    std::printf("This CPU has no %s%s.\n", argv[1], has_isa ? " with FMA" : "");
    return 0;
  }
  execl(argv[3], argv[3], static_cast<char*>(nullptr));
  std::perror(argv[3]);
  return 1;
}
