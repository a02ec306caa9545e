// The prober draws every option of the table (core/columns/option_table.hpp).
#include <gtest/gtest.h>

#include <carom/law_info.hpp>
#include <carom/mechanism.hpp>
#include <map>
#include <set>
#include <string>

#include "probe/call_options_draw.hpp"
#include "probe/kinds.hpp"
#include "probe/scene_draw.hpp"

namespace carom::probe {
namespace {

/// The values that were seen of each option, by name.
class Seen {
 public:
  template <class O>
  void add(const O& options, const std::string& prefix = "") {
    each_option([&](const OptionInfo& info, const auto& value) { add_line(prefix + info.name, value); }, options);
    if constexpr (requires { options.method; })
      std::visit([&](const auto& method) { add(method, std::string(to_string(options.selected())) + "."); },
                 options.method);
  }

  /// Expects two values of every option that has a line in the table.
  template <class O>
  void expect_all_of(const O& options) {
    Seen table;
    table.add(options);
    EXPECT_FALSE(table.values_.empty());
    for (const auto& [name, unused] : table.values_) EXPECT_GE(values_[name].size(), 2u) << name;
  }

 private:
  template <class T>
  void add_line(const std::string& name, const T& value) {
    if constexpr (std::is_same_v<T, PositionCorrection>) {
      add(value, name + ".");
    } else if constexpr (std::is_same_v<T, std::optional<PositionCorrection>>) {
      values_[name].insert(value ? "given" : "absent");
      if (value) add(*value, name + ".");
    } else if constexpr (std::is_same_v<T, std::optional<double>>) {
      values_[name].insert(value ? text_of(*value) : "absent");
    } else {
      values_[name].insert(text_of(value));
    }
  }

  std::map<std::string, std::set<std::string>> values_;
};

TEST(OptionDraw, gives_values_to_every_option_of_a_scene) {
  Seen seen;
  for (std::uint64_t number = 0; number < 3000; ++number)
    seen.add(draw_scene<float>(number, OptionValues::table).options);
  for (std::size_t method = 0; method < scene_method_count; ++method) {
    SceneOptions options{.method = default_method(static_cast<SceneMethod>(method))};
    if (auto* pgs = std::get_if<Pgs>(&options.method)) pgs->position_correction.emplace();
    seen.expect_all_of(options);
  }
}

TEST(OptionDraw, gives_values_to_every_option_of_single_contacts) {
  Seen seen;
  support::Draw draw(1);
  AnyContacts<float> contacts = Drawer<float>(Kind::ordinary, Form::bodies, 1, draw).take();
  for (int i = 0; i < 100; ++i)
    for (const LawInfo& info : all_laws())
      if (info.in_space) seen.add(draw_options_of(info.law, contacts, draw));
  seen.expect_all_of(Options{});
}

TEST(OptionDraw, gives_values_to_every_option_of_systems) {
  Seen seen;
  support::Draw draw(1);
  for (int i = 0; i < 300; ++i) seen.add(draw_system_options<double>(draw));
  seen.expect_all_of(SystemOptions{});
}

TEST(OptionDraw, stays_in_the_ranges_and_reaches_their_ends) {
  support::Draw draw(1);
  std::map<std::string, std::set<double>> values;
  const auto see = [&](const OptionInfo& info, double value) {
    EXPECT_TRUE(info.range.holds(value)) << info.name << " " << value;
    values[info.name].insert(value);
  };
  for (int i = 0; i < 3000; ++i) {
    PositionCorrection options;
    OptionDraw(draw).vary(options);
    each_option(see, options);
  }
  EXPECT_TRUE(values["rate"].contains(0.0) && values["rate"].contains(1.0));
  EXPECT_TRUE(values["relax_iterations"].contains(0.0) && values["relax_iterations"].contains(OptionDraw::max_count));
  EXPECT_TRUE(values["max_speed"].contains(max_float));
}

}  // namespace
}  // namespace carom::probe
