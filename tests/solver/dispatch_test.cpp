// The kernels of a solver: chosen by the option, by the environment variable CAROM_ISA, or by the CPU.
#include "core/jobs/dispatch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <carom/carom.hpp>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "support/contacts/random_contacts.hpp"
#include "support/running/configured_solver.hpp"

namespace carom {
#ifdef __x86_64__
namespace kernel::scalar_fma {
extern const Kernels incremental;
}
#endif
namespace {

/// The variable for the time of a test; nullptr: not set.
class CaromIsa {
 public:
  explicit CaromIsa(const char* value) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~CaromIsa() { set(before_ ? before_->c_str() : nullptr); }
  CaromIsa(const CaromIsa&) = delete;
  CaromIsa& operator=(const CaromIsa&) = delete;

 private:
  static constexpr const char* name = "CAROM_ISA";
  static void set(const char* value) {
    if (value != nullptr)
      setenv(name, value, 1);
    else
      unsetenv(name);
  }
  std::optional<std::string> before_;
};

SolverSetup with_isa(Isa isa) {
  SolverSetup options;
  options.integrator = Integrator::euler;
  options.execution.isa = isa;
  options.execution.threads = 1;
  return options;
}

Isa reported(const SolverSetup& options) {
  const support::RandomSpaceContacts<float> contacts(40, 1);
  ConfiguredSolver solver(options);
  const Report report = solver.solve(contacts.space_contacts(), Results<float>{});
  EXPECT_EQ(solver.isa(), report.isa);
  return report.isa;
}

std::vector<Isa> lacking() {
  std::vector<Isa> isas = {Isa::scalar, Isa::sse2, Isa::avx2, Isa::avx512, Isa::neon};
  for (const Isa isa : available_isas()) std::erase(isas, isa);
  return isas;
}

/// The message of the error that making a solver throws, empty without an error.
std::string error_of(const SolverSetup& options) {
  try {
    const ConfiguredSolver solver(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

void expect_lists_available(const std::string& message) {
  std::string list;
  for (const Isa isa : available_isas()) list += (list.empty() ? "" : ", ") + std::string(to_string(isa));
  EXPECT_TRUE(contains(message, list)) << message;
}

TEST(Dispatch, the_scalar_kernel_is_the_last_choice) {
  const std::vector<Isa> isas = available_isas();
  ASSERT_FALSE(isas.empty());
  EXPECT_EQ(isas.back(), Isa::scalar);
  EXPECT_EQ(std::count(isas.begin(), isas.end(), Isa::automatic), 0);
  for (const Isa isa : isas) EXPECT_EQ(std::count(isas.begin(), isas.end(), isa), 1) << to_string(isa);
}

#ifdef CAROM_HAS_SCALAR_FMA
TEST(Dispatch, the_scalar_kernel_has_fused_multiply_add_where_the_cpu_has_it) {
  EXPECT_EQ(find_isa(Isa::scalar).kernels == &kernel::scalar_fma::incremental, __builtin_cpu_supports("fma") != 0);
}
#endif

TEST(Dispatch, automatic_takes_the_first_that_is_available) {
  for (const char* unset : {static_cast<const char*>(nullptr), "", "auto"}) {
    const CaromIsa variable(unset);
    EXPECT_EQ(reported(with_isa(Isa::automatic)), available_isas().front());
  }
}

TEST(Dispatch, the_option_forces_every_available_isa) {
  const CaromIsa variable(nullptr);
  for (const Isa isa : available_isas()) EXPECT_EQ(reported(with_isa(isa)), isa) << to_string(isa);
}

TEST(Dispatch, the_environment_variable_forces_every_available_isa) {
  for (const Isa isa : available_isas()) {
    const CaromIsa variable(std::string(to_string(isa)).c_str());
    EXPECT_EQ(reported(with_isa(Isa::automatic)), isa) << to_string(isa);
  }
}

TEST(Dispatch, the_option_outranks_the_environment_variable) {
  const CaromIsa variable("scalar");
  for (const Isa isa : available_isas()) EXPECT_EQ(reported(with_isa(isa)), isa) << to_string(isa);
}

TEST(Dispatch, a_solver_keeps_its_isa_when_the_environment_changes) {
  const CaromIsa before("scalar");
  ConfiguredSolver solver(with_isa(Isa::automatic));
  const CaromIsa after("auto");
  const support::RandomSpaceContacts<float> contacts(40, 1);
  EXPECT_EQ(solver.solve(contacts.space_contacts(), Results<float>{}).isa, Isa::scalar);
}

TEST(Dispatch, an_isa_that_is_lacking_is_an_error_that_names_it_and_lists_what_is_there) {
  ASSERT_FALSE(lacking().empty()) << "no CPU has both AVX2 and NEON";
  for (const Isa isa : lacking()) {
    const std::string name(to_string(isa));
    {
      const CaromIsa variable(nullptr);
      const std::string message = error_of(with_isa(isa));
      EXPECT_TRUE(contains(message, "the option isa is " + name + ",")) << message;
      expect_lists_available(message);
    }
    {
      const CaromIsa variable(name.c_str());
      const std::string message = error_of(with_isa(Isa::automatic));
      EXPECT_TRUE(contains(message, "the environment variable CAROM_ISA is " + name + ",")) << message;
      expect_lists_available(message);
    }
  }
}

TEST(Dispatch, a_name_that_is_no_isa_is_an_error_that_quotes_it) {
  for (const char* name : {"avx", "AVX2", "avx2 ", "fastest"}) {
    const CaromIsa variable(name);
    const std::string message = error_of(with_isa(Isa::automatic));
    EXPECT_TRUE(contains(message, std::string("'") + name + "'")) << message;
    EXPECT_TRUE(contains(message, "CAROM_ISA")) << message;
    for (const Isa isa : {Isa::automatic, Isa::scalar, Isa::sse2, Isa::avx2, Isa::avx512, Isa::neon})
      EXPECT_TRUE(contains(message, to_string(isa))) << message;
  }
}

}  // namespace
}  // namespace carom
