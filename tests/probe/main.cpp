// The prober draws hard kinds of contacts, scenes, contact systems and gradients, solves them under every law, method,
// form, precision and ISA, and checks the promises of the documentation. It prints a line for each kind and how to
// reproduce each broken promise, and fails if any promise is broken.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <carom/law_info.hpp>
#include <chrono>
#include <limits>
#include <thread>

#include "probe/contact_probe.hpp"

namespace carom::probe {
namespace {

/// Contacts get the rest of the time.
constexpr std::array<Subject, 6> subjects{{
    {"scenes", "--scene", 1, 0.3, false, judge_scene},
    {"options", "--options-of", 0.25, 0.1, false, judge_options},
    {"motions", "--motion", 0.1, 0.05, false, judge_motion},
    {"systems", "--system", 0.5, 0.05, false, judge_system},
    {"gradients", "--gradients-of", 0.1, 0.05, false, judge_gradients},
    {"memory", "--memory", 0.02, 0.05, true, judge_memory},
}};

constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

/// Continues for `seconds` from now, up to case number `most`.
GoesOn within(double seconds, std::uint64_t most) {
  using Clock = std::chrono::steady_clock;
  return [start = Clock::now(), seconds, most](std::uint64_t cases) {
    return cases < most && std::chrono::duration<double>(Clock::now() - start).count() < seconds;
  };
}

struct Wanted {
  double seconds = 60;
  std::uint64_t scenes = endless, motions = endless;
  std::string what = "all";
  ContactSearch contacts;
};

int run(const Wanted& wanted) {
  const bool all = wanted.what == "all", both = wanted.what == "both" || all;
  const double share = all ? 0.4 : both ? 0.5 : 1;
  Counts counts;
  if (both || wanted.what == "contacts") {
    const std::optional<Counts> found = search_contacts(wanted.contacts, within(share * wanted.seconds, endless));
    if (!found) return 2;
    counts.insert(found->begin(), found->end());
  }
  for (const Subject& subject : subjects) {
    const bool is_scenes = &subject == subjects.data();
    if (!all && wanted.what != subject.name && !(both && is_scenes)) continue;
    const double seconds = wanted.seconds * (all ? subject.time : share);
    auto most = wanted.scenes == endless
                    ? endless
                    : static_cast<std::uint64_t>(subject.share * static_cast<double>(wanted.scenes));
    const bool moves = subject.judge == judge_motion;
    if (moves && wanted.motions != endless) most = wanted.motions;
    const bool makes_table = moves && wanted.what == subject.name && !wanted.contacts.table.empty();
    std::string table;
    const Counts found = search_cases(subject, wanted.contacts.seed, wanted.contacts.threads, within(seconds, most),
                                      wanted.contacts.details, makes_table ? &table : nullptr);
    if (makes_table && !renew_table(wanted.contacts.table, "moving scenes", table)) return 2;
    counts.insert(found.begin(), found.end());
  }
  std::uint64_t broken = 0;
  for (const auto& [kind, count] : counts) {
    fmt::print("{:<28}{:>12}  broken: {}\n", kind, count.judged, count.broken);
    broken += count.broken;
  }
  fmt::print("broken: {}\n", broken);
  return broken > 0 ? 1 : 0;
}

int show(const Subject& subject, std::uint64_t number) {
  const Judged judged = subject.judge(number, true);
  fmt::print("{}, {}, {}: worst '{}' by {:.3g} of {}\n", judged.detail, judged.kind, judged.precision,
             judged.verdict.promise, judged.verdict.worst, bound);
  return judged.verdict.broken() ? 1 : 0;
}

}  // namespace
}  // namespace carom::probe

int main(int argc, char** argv) {
  using namespace carom::probe;
  CLI::App app("Searches for cases that break what the documentation promises", "carom_probe");
  Wanted wanted;
  ContactSearch& contacts = wanted.contacts;
  contacts.contacts = endless;
  contacts.threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  CLI::Option* const seconds =
      app.add_option("seconds", wanted.seconds,
                     "how long to search; without bound if --contacts, --scenes or --motions is given")
          ->check(CLI::PositiveNumber)
          ->capture_default_str();
  app.add_option("seed", contacts.seed, "of the random numbers")->capture_default_str();
  app.add_option("--threads", contacts.threads, "that search")->check(CLI::PositiveNumber)->capture_default_str();
  std::vector<std::string> whats{"all", "both", "contacts"};
  for (const Subject& subject : subjects) whats.emplace_back(subject.name);
  app.add_option("--what", wanted.what, "what to search: all, both (contacts and scenes) or one of them")
      ->option_text("WHAT")
      ->check(CLI::IsMember(whats));
  CLI::Option* const by_contacts =
      app.add_option("--contacts", contacts.contacts, "stop after so many judged contacts");
  CLI::Option* const by_scenes =
      app.add_option("--scenes", wanted.scenes, "stop after so many scenes, and others in proportion");
  CLI::Option* const by_motions = app.add_option("--motions", wanted.motions,
                                                 "stop after so many scenes that move; by default a tenth of --scenes");
  std::string law_name;
  std::vector<std::string> names;
  for (const carom::LawInfo& info : carom::all_laws()) names.emplace_back(carom::to_string(info.law));
  app.add_option("--law", law_name, "contacts: only this law")->option_text("NAME")->check(CLI::IsMember(names));
  app.add_option("--table", contacts.table, "contacts and motions: renew the table of the errors in this file");
  app.add_option("--rows", contacts.rows,
                 "contacts: write the worst of every law, kind, precision and ISA into contact files in this folder");
  app.add_flag("--details", contacts.details, "print the worst error of every law or method, kind and precision");
  std::uint64_t number = 0;
  std::vector<CLI::Option*> single;
  for (const Subject& subject : subjects)
    single.push_back(
        app.add_option(std::string(subject.option), number,
                       fmt::format("judge the one of the {} with this number alone, and print it", subject.name)));
  CLI11_PARSE(app, argc, argv);
  for (std::size_t i = 0; i < subjects.size(); ++i)
    if (*single[i]) return show(subjects[i], number);
  if (!law_name.empty()) contacts.law = carom::law_from_string(law_name);
  if (!*seconds && (*by_contacts || *by_scenes || *by_motions)) {
    wanted.seconds = std::numeric_limits<double>::infinity();
    // Searches without a number of cases do not run.
    if (!*by_contacts && wanted.what == "all") contacts.contacts = 0;
    if (!*by_scenes) wanted.scenes = 0;
  }
  return run(wanted);
}
