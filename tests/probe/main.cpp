// The prober: draws contacts of hard kinds, solves them under every law, form, precision and ISA, and judges what the
// documentation promises. It prints the worst of each, with the row that shows it, and fails if one is beyond its
// bound. So it does with scenes, in scene_probe.cpp.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <tuple>

#include "probe/judge.hpp"
#include "probe/kinds.hpp"
#include "probe/scene_probe.hpp"

namespace carom::probe {
namespace {

constexpr std::size_t batch = 128;

/// Errors on a logarithmic scale: a quarter of a power of two a bin.
class Distribution {
 public:
  void add(double error) {
    ++count_;
    const double position = 4 * (std::log2(std::min(larger(error, 0x1p-20), 0x1p100)) + 20);
    ++bins_[std::min<std::size_t>(static_cast<std::size_t>(position), bins_.size() - 1)];
  }
  std::uint64_t count() const { return count_; }
  /// The upper end of the bin.
  double quantile(double share) const {
    double left = share * static_cast<double>(count_);
    for (std::size_t i = 0; i < bins_.size(); ++i) {
      left -= static_cast<double>(bins_[i]);
      if (left <= 0) return i == 0 ? 0 : std::exp2(static_cast<double>(i + 1) / 4 - 20);
    }
    return std::numeric_limits<double>::infinity();
  }
  void merge(const Distribution& other) {
    count_ += other.count_;
    for (std::size_t i = 0; i < bins_.size(); ++i) bins_[i] += other.bins_[i];
  }

 private:
  std::uint64_t count_ = 0;
  std::array<std::uint64_t, 256> bins_{};
};

struct Case {
  Law law;
  Kind kind;
  bool is_float, is_planar;
  Isa isa;
  auto operator<=>(const Case&) const = default;
};

struct Record {
  Distribution errors;
  std::uint64_t broken = 0, unanswered = 0, separating = 0;
  double worst = -1;
  std::string promise;
  Form form = Form::space;
  std::string header, row;
};

struct Result {
  std::map<Case, Record> records;
  std::uint64_t contacts = 0;
};

/// The contact as a line of a contact file, and its header.
template <class T>
void keep_row(Record& record, const Contacts<T>& c, std::size_t i, Law law, RestitutionLaw restitution_law) {
  record.header = "law,restitution_law";
  record.row = fmt::format("{},{}", carom::to_string(law), carom::to_string(restitution_law));
  for (const auto& [name, column] : c.columns) {
    record.header += "," + name;
    record.row += fmt::format(",{}", column[i]);
  }
}

template <class T, std::size_t D>
void probe_batch(Form form, Kind kind, std::optional<Law> only, support::Draw& draw, Result& result) {
  Contacts<T> contacts = Drawer<T>(kind, form, batch, draw).take();
  std::vector<Encounter<Real<T>, D>> encounters;
  for (std::size_t i = 0; i < batch; ++i) encounters.push_back(encounter<Real<T>, D>(contacts, i));
  Outcomes<T> outcomes(batch);
  const std::vector<Isa> isas = available_isas();
  for (const LawInfo& info : all_laws()) {
    if ((D == 3 ? !info.in_space : !info.in_plane) || (only && *only != info.law)) continue;
    Options options;
    options.law = info.law;
    options.restitution_law = static_cast<RestitutionLaw>(draw.below(3));
    const Isa isa = isas[draw.below(isas.size())];
    Solver solver({.isa = isa, .threads = 1});
    solve(solver, contacts, outcomes, options);
    Record& record = result.records[{info.law, kind, std::is_same_v<T, float>, is_planar(form), isa}];
    for (std::size_t i = 0; i < batch; ++i) {
      ++result.contacts;
      Judge<T, D> judge(contacts, encounters[i], i);
      const std::optional<Verdict> verdict = judge.judge(info.law, options.restitution_law, outcomes);
      if (!verdict) {
        ++record.unanswered;
        continue;
      }
      if (outcomes.status[i] == Status::separating && verdict->worst <= bound) {
        ++record.separating;
        continue;
      }
      record.errors.add(verdict->worst);
      if (verdict->worst > bound) ++record.broken;
      if (verdict->worst > record.worst) {
        record.worst = verdict->worst;
        record.promise = fmt::format("{} ({})", verdict->promise, to_string(form));
        record.form = form;
        keep_row(record, contacts, i, info.law, options.restitution_law);
      }
    }
  }
}

void probe_form(Form form, Kind kind, bool is_float, std::optional<Law> only, support::Draw& draw, Result& result) {
  if (is_float)
    is_planar(form) ? probe_batch<float, 2>(form, kind, only, draw, result)
                    : probe_batch<float, 3>(form, kind, only, draw, result);
  else
    is_planar(form) ? probe_batch<double, 2>(form, kind, only, draw, result)
                    : probe_batch<double, 3>(form, kind, only, draw, result);
}

std::string number(double x) {
  return x < 0 ? "-" : x >= 1e4 || (x > 0 && x < 0.01) ? fmt::format("{:.1e}", x) : fmt::format("{:.2g}", x);
}

/// Law by kind, for either precision and dimension, all ISAs together.
std::string table_of(const Result& result) {
  std::map<std::tuple<bool, bool, Law, Kind>, Record> merged;
  for (const auto& [c, r] : result.records) {
    Record& m = merged[{c.is_planar, c.is_float, c.law, c.kind}];
    m.errors.merge(r.errors);
    m.worst = larger(m.worst, r.worst);
    m.unanswered += r.unanswered;
  }
  std::string table =
      "| law | kind | contacts | float: median | 99.9 % | worst | double: median | 99.9 % | worst | bound |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const bool planar : {false, true})
    for (const LawInfo& info : all_laws())
      for (std::size_t kind = 0; kind < kind_names.size(); ++kind) {
        const auto cells = [&](bool is_float) {
          const auto found = merged.find({planar, is_float, info.law, static_cast<Kind>(kind)});
          if (found == merged.end() || found->second.errors.count() == 0) return std::string("– | – | –");
          const Record& r = found->second;
          return fmt::format("{} | {} | {}", number(r.errors.quantile(0.5)), number(r.errors.quantile(0.999)),
                             number(r.worst));
        };
        std::uint64_t count = 0;
        for (const bool is_float : {false, true})
          if (const auto found = merged.find({planar, is_float, info.law, static_cast<Kind>(kind)});
              found != merged.end())
            count += found->second.errors.count();
        if (count == 0) continue;
        table += fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", carom::to_string(info.law),
                             planar ? ", planar" : "", kind_names[kind], count, cells(true), cells(false), bound);
      }
  return table;
}

/// Puts the table between the marks of a file that has them.
bool renew_table(const std::string& path, const Result& result) {
  constexpr std::string_view begin = "<!-- table of carom_probe -->\n", end = "<!-- end of table -->";
  std::ifstream in(path);
  std::string text(std::istreambuf_iterator<char>(in), {});
  const std::size_t from = text.find(begin), to = text.find(end);
  if (!in || from == std::string::npos || to == std::string::npos) {
    fmt::print(stderr, "carom_probe: {} has no marks for a table, or cannot be read\n", path);
    return false;
  }
  in.close();
  text.replace(from + begin.size(), to - from - begin.size(),
               fmt::format("{}\n{} contacts judged.\n", table_of(result), result.contacts));
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) fmt::print(stderr, "carom_probe: cannot write {}\n", path);
  return static_cast<bool>(out);
}

/// The worst contact of every kind, law, precision and ISA, a contact file a form, with what it was.
bool write_rows(const std::filesystem::path& folder, const Result& result) {
  std::map<Form, std::string> files;
  for (const auto& [c, r] : result.records) {
    if (r.row.empty()) continue;
    std::string& text = files[r.form];
    if (text.empty()) text = r.header + ",kind,precision,isa,error,promise\n";
    text += fmt::format("{},{},{},{},{},{}\n", r.row, kind_names[static_cast<std::size_t>(c.kind)],
                        c.is_float ? "float" : "double", carom::to_string(c.isa), r.worst, r.promise);
  }
  for (const auto& [form, text] : files) {
    const std::filesystem::path path = folder / fmt::format("{}.csv", to_string(form));
    std::ofstream out(path);
    out << text;
    out.close();
    if (!out) {
      fmt::print(stderr, "carom_probe: cannot write {}\n", path.string());
      return false;
    }
  }
  return true;
}

/// Tells whether time is left of `seconds` from now on.
auto clock_of(double seconds) {
  using Clock = std::chrono::steady_clock;
  return
      [start = Clock::now(), seconds] { return std::chrono::duration<double>(Clock::now() - start).count() < seconds; };
}

int run(double seconds, std::uint64_t seed, std::uint64_t contacts, std::optional<Law> only, const std::string& table,
        const std::string& rows) {
  Result result;
  support::Draw draw(seed);
  const auto time_left = clock_of(seconds);
  while (time_left() && result.contacts < contacts)
    for (std::size_t kind = 0; kind < kind_names.size(); ++kind)
      for (const Form form : forms)
        for (const bool is_float : {false, true})
          probe_form(form, static_cast<Kind>(kind), is_float, only, draw, result);

  std::uint64_t broken = 0, unanswered = 0, separating = 0;
  fmt::print("{:<18}{:<13}{:<8}{:<7}{:<8}{:>10}{:>10}{:>10}{:>10}  {}\n", "law", "kind", "", "", "isa", "median",
             "99.9 %", "worst", "bound", "promise");
  for (const auto& [c, r] : result.records) {
    if (r.errors.count() == 0) continue;
    fmt::print("{:<18}{:<13}{:<8}{:<7}{:<8}{:>10}{:>10}{:>10}{:>10}  {}\n", carom::to_string(c.law),
               kind_names[static_cast<std::size_t>(c.kind)], c.is_planar ? "planar" : "space",
               c.is_float ? "float" : "double", carom::to_string(c.isa), number(r.errors.quantile(0.5)),
               number(r.errors.quantile(0.999)), number(r.worst), bound, r.promise);
    broken += r.broken;
    unanswered += r.unanswered;
    separating += r.separating;
  }
  if (!rows.empty() && !write_rows(rows, result)) return 2;
  for (const auto& [c, r] : result.records)
    if (r.broken > 0)
      fmt::print("\nbroken {} times, worst {}: {} under {}, {}, {}, {}\n{}", r.broken, number(r.worst), r.promise,
                 carom::to_string(c.law), kind_names[static_cast<std::size_t>(c.kind)], c.is_float ? "float" : "double",
                 carom::to_string(c.isa), r.header + "\n" + r.row + "\n");
  if (!table.empty() && !renew_table(table, result)) return 2;
  fmt::print("\n{} contacts judged from seed {}, {} of them separating, {} without an answer, {} promises broken\n",
             result.contacts, seed, separating, unanswered, broken);
  return broken > 0 ? 1 : 0;
}

}  // namespace
}  // namespace carom::probe

int main(int argc, char** argv) {
  CLI::App app("Searches for contacts and scenes that break what the documentation promises", "carom_probe");
  double seconds = 60;
  std::uint64_t seed = 1, contacts = std::numeric_limits<std::uint64_t>::max();
  std::string table, rows;
  app.add_option("seconds", seconds, "how long to search")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("seed", seed, "of the random numbers")->capture_default_str();
  app.add_option("--contacts", contacts, "stop after so many judged contacts");
  std::string law_name;
  std::vector<std::string> names;
  for (const carom::LawInfo& info : carom::all_laws()) names.emplace_back(carom::to_string(info.law));
  app.add_option("--law", law_name, "only this one")->option_text("NAME")->check(CLI::IsMember(names));
  app.add_option("--table", table, "renew the table of the errors, law by kind, in this file");
  app.add_option("--rows", rows,
                 "write the worst contact of every law, kind, precision and ISA into contact files in this folder");
  std::string what = "both";
  std::uint64_t scenes = std::numeric_limits<std::uint64_t>::max(), scene = 0;
  app.add_option("--what", what, "contacts, scenes or both, which share the time")
      ->option_text("WHAT")
      ->check(CLI::IsMember({"contacts", "scenes", "both"}));
  app.add_option("--scenes", scenes, "stop after so many scenes");
  CLI::Option* const one = app.add_option("--scene", scene, "judge the scene of this number alone, and print it");
  CLI11_PARSE(app, argc, argv);
  if (*one) return carom::probe::show_scene(scene) ? 0 : 1;
  std::optional<carom::Law> law;
  if (!law_name.empty()) law = carom::law_from_string(law_name);
  if (what == "both") seconds /= 2;
  int result = 0;
  if (what != "scenes") result = carom::probe::run(seconds, seed, contacts, law, table, rows);
  if (what != "contacts") {
    const auto time_left = carom::probe::clock_of(seconds);
    const auto found = carom::probe::search_scenes(seed, [&](std::uint64_t n) { return n < scenes && time_left(); });
    if (found.broken > 0) result = std::max(result, 1);
  }
  return result;
}
