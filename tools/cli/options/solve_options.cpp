#include "solve_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <carom/system.hpp>
#include <utility>
#include <variant>

namespace carom::apps {
namespace {

/// Calls f(method, its default options) for every method.
template <class F>
void each_method(const F& f) {
  for (std::size_t i = 0; i < scene_method_count; ++i) {
    const auto method = static_cast<SceneMethod>(i);
    std::visit([&](const auto& options) { f(method, options); }, default_method(method));
  }
}

template <class O>
OptionOwner owner_of(std::string name, const O& options) {
  OptionOwner owner{std::move(name), {}};
  each_single_option([&](const OptionInfo& info, const auto&) { owner.fields.emplace_back(info.name); }, options);
  return owner;
}

bool has_field(const OptionOwner& owner, std::string_view field) {
  return std::find(owner.fields.begin(), owner.fields.end(), field) != owner.fields.end();
}

/// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

template <class O>
void append_table(std::string& text, const std::string& title, const O& options) {
  text += fmt::format("{}\n", title);
  each_single_option(
      [&]<class T>(const OptionInfo& info, const T& value) {
        const auto [symbol, range] = value_help<T>(info);
        text +=
            fmt::format("  {:<26} {:<10} {}\n  {:<26} {:<10} {}\n", flag_of(info.name), info.unit, info.help, "", "",
                        symbol.empty()  ? std::string("not set by default")
                        : range.empty() ? "default " + text_of(value)
                                        : range + ", default " + text_of(value));
      },
      options);
}

}  // namespace

const std::vector<OptionOwner>& option_owners() {
  static const std::vector<OptionOwner> owners = [] {
    std::vector<OptionOwner> all = {owner_of(single_contacts, Options{}), owner_of(all_scenes, SceneOptions{})};
    each_method([&](SceneMethod method, const auto& options) {
      all.push_back(owner_of(std::string(to_string(method)), options));
    });
    all.push_back(owner_of(contact_systems, SystemOptions{}));
    return all;
  }();
  return owners;
}

SceneMethod SolveOptions::scene_method() const {
  if (!method.empty()) return scene_method_from_string(method);
  if (!given.has("time_step"))
    throw Error(
        "carom: --scene needs --time-step for substeps, the default method, or another --method, as --method pgs");
  return SceneMethod::substeps;
}

SceneOptions SolveOptions::scene_options() const {
  const SceneMethod selected = scene_method();
  const std::string name(to_string(selected));
  require_owned({all_scenes, name}, name);
  SceneOptions scene;
  scene.method = default_method(selected);
  given.read(scene);
  std::visit([&](auto& of_method) { given.read(of_method); }, scene.method);
  return scene;
}

void SolveOptions::require_owned(const std::vector<std::string>& owners, const std::string& solved) const {
  for (const std::string& field : given.fields()) {
    std::vector<std::string> having;
    for (const OptionOwner& owner : option_owners())
      if (has_field(owner, field)) having.push_back(owner.name);
    const bool is_owned = std::any_of(having.begin(), having.end(), [&](const std::string& name) {
      return std::find(owners.begin(), owners.end(), name) != owners.end();
    });
    if (!is_owned)
      throw Error(fmt::format("carom: {} is an option of {}, and not of {}", flag_of(field), listed(having), solved));
  }
}

void add_library_options(CLI::App& command, SolveOptions& options) {
  options.given.add_to(command, SceneOptions{}, [](const OptionInfo& info) { return std::string(info.help); });
  const auto add = [&](const auto& defaults) {
    options.given.add_to(
        command, defaults,
        [](const OptionInfo& info) {
          std::vector<std::string> having;
          for (const OptionOwner& owner : option_owners())
            if (has_field(owner, info.name)) having.push_back(owner.name);
          return "Of " + listed(having);
        },
        false);
  };
  each_method([&](SceneMethod, const auto& defaults) { add(defaults); });
  add(SystemOptions{});
}

std::string help_of_method(SceneMethod method) {
  std::string text = fmt::format("carom solve --scene IN --method {0} -o OUT\n\n", to_string(method));
  std::visit([&](const auto& options) { append_table(text, "Options of " + std::string(to_string(method)), options); },
             default_method(method));
  append_table(text, "\nOptions of all methods", SceneOptions{});
  return text;
}

}  // namespace carom::apps
