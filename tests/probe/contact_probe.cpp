#include "probe/contact_probe.hpp"

#include <fmt/format.h>

#include <carom/carom.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include "probe/call_options_draw.hpp"
#include "probe/judge.hpp"
#include "probe/kinds.hpp"
#include "support/running/isas.hpp"

namespace carom::probe {
namespace {

constexpr std::size_t batch = 128;

/// Histogram of errors on a logarithmic scale, with four bins per power of two.
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
  std::uint64_t judged = 0, broken = 0, unanswered = 0, separating = 0;
  struct Example {
    double error = -1;
    std::string promise;
    Form form = Form::space;
    std::string header, row, options;
    std::uint64_t batch = 0;
  } worst;

  void merge(const Record& other) {
    errors.merge(other.errors);
    judged += other.judged;
    broken += other.broken;
    unanswered += other.unanswered;
    separating += other.separating;
    if (other.worst.error > worst.error) worst = other.worst;
  }
};

struct Result {
  std::map<Case, Record> records;
};

bool is_judged(const LawInfo& info, Form form, std::optional<Law> only) {
  return (is_planar(form) ? info.in_plane : info.in_space) && (!only || *only == info.law);
}

std::uint64_t contacts_of_a_round(std::optional<Law> only) {
  std::uint64_t sum = 0;
  for (const Form form : forms)
    for (const LawInfo& info : all_laws()) sum += is_judged(info, form, only) ? 2 * batch * kind_names.size() : 0;
  return sum;
}

/// Stores the contact as a line of a contact file, with its header and the options.
template <class T>
void keep_row(Record::Example& example, const AnyContacts<T>& c, std::size_t i, const Options& options) {
  example.options = changes_of(options);
  example.header = "law,restitution_law";
  example.row = fmt::format("{},{}", carom::to_string(options.law), carom::to_string(options.restitution_law));
  for (const auto& [name, column] : c.columns) {
    example.header += "," + name;
    example.row += fmt::format(",{}", column[i]);
  }
}

/// Solves the contacts again with other neighbours, on another ISA, on two threads and maybe in place. Returns which
/// results kept their bits.
template <class T>
std::vector<bool> kept_bits(const AnyContacts<T>& contacts, const Outcomes<T>& outcomes, const Options& options,
                            support::Draw& draw) {
  const std::vector<Isa> isas = support::isas_with_fma();
  const std::size_t first = draw.below(batch);
  AnyContacts<T> turned = rotated(contacts, first);
  Outcomes<T> others(batch);
  Solver solver({.isa = isas[draw.below(isas.size())], .threads = 2});
  solve(solver, turned, others, options, draw.below(2) == 0);
  std::vector<bool> kept(batch);
  for (std::size_t i = 0; i < batch; ++i) kept[i] = has_bits_of(outcomes, i, others, (i + batch - first) % batch);
  return kept;
}

template <class T, std::size_t D>
void probe_batch(Form form, Kind kind, std::uint64_t number, std::optional<Law> only, Result& result) {
  support::Draw draw(number);
  AnyContacts<T> contacts = Drawer<T>(kind, form, batch, draw).take();
  std::vector<Encounter<Real<T>, D>> encounters;
  for (std::size_t i = 0; i < batch; ++i) encounters.push_back(encounter<Real<T>, D>(contacts, i));
  Outcomes<T> outcomes(batch);
  const std::vector<Isa> isas = available_isas();
  for (const LawInfo& info : all_laws()) {
    if (!is_judged(info, form, only)) continue;
    const Options options = draw_options_of(info.law, contacts, draw);
    const Isa isa = isas[draw.below(isas.size())];
    Solver solver({.isa = isa, .threads = 1});
    solve(solver, contacts, outcomes, options);
    std::vector<bool> kept(batch, true);
    if (isa != Isa::sse2 && draw.below(4) == 0) kept = kept_bits(contacts, outcomes, options, draw);
    Record& record = result.records[{info.law, kind, std::is_same_v<T, float>, is_planar(form), isa}];
    for (std::size_t i = 0; i < batch; ++i) {
      ++record.judged;
      Judge<T, D> judge(contacts, encounters[i], i);
      std::optional<Verdict> verdict = judge.judge(options, outcomes);
      if (!kept[i]) {
        if (!verdict) verdict.emplace();
        verdict->want("neighbours, ISAs and places of results change no bit", false);
      }
      if (!verdict) {
        ++record.unanswered;
        continue;
      }
      if (outcomes.status[i] == Status::separating && !verdict->broken()) {
        ++record.separating;
        continue;
      }
      record.errors.add(verdict->worst);
      if (verdict->broken()) ++record.broken;
      if (verdict->worst > record.worst.error) {
        record.worst.error = verdict->worst;
        record.worst.promise = fmt::format("{} ({})", verdict->promise, to_string(form));
        record.worst.form = form;
        record.worst.batch = number;
        keep_row(record.worst, contacts, i, options);
      }
    }
  }
}

constexpr std::size_t batches_of_a_round = kind_names.size() * forms.size() * 2;

/// Cycles through kinds, forms and precisions.
void probe_batch(std::uint64_t index, std::uint64_t number, std::optional<Law> only, Result& result) {
  const bool is_float = index % 2 == 0;
  const Form form = forms[index / 2 % forms.size()];
  const auto kind = static_cast<Kind>(index / (2 * forms.size()) % kind_names.size());
  if (is_float)
    is_planar(form) ? probe_batch<float, 2>(form, kind, number, only, result)
                    : probe_batch<float, 3>(form, kind, number, only, result);
  else
    is_planar(form) ? probe_batch<double, 2>(form, kind, number, only, result)
                    : probe_batch<double, 3>(form, kind, number, only, result);
}

std::string number(double x) {
  return x < 0 ? "-" : x >= 1e4 || (x > 0 && x < 0.01) ? fmt::format("{:.1e}", x) : fmt::format("{:.2g}", x);
}

/// Table of laws by kinds for each precision and dimension, over all ISAs.
std::string table_of(const Result& result) {
  std::map<std::tuple<bool, bool, Law, Kind>, Record> merged;
  for (const auto& [c, r] : result.records) {
    merged[{c.is_planar, c.is_float, c.law, c.kind}].merge(r);
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
                             number(r.worst.error));
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

/// Writes the worst contact of every kind, law, precision and ISA, with a description: one contact file per form.
bool write_rows(const std::filesystem::path& folder, const Result& result) {
  std::map<Form, std::string> files;
  for (const auto& [c, r] : result.records) {
    if (r.worst.row.empty()) continue;
    std::string& text = files[r.worst.form];
    if (text.empty()) text = r.worst.header + ",kind,precision,isa,error,promise\n";
    text += fmt::format("{},{},{},{},{},{}\n", r.worst.row, kind_names[static_cast<std::size_t>(c.kind)],
                        c.is_float ? "float" : "double", carom::to_string(c.isa), r.worst.error, r.worst.promise);
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

void print(const Case& c, const Record& r) {
  fmt::print("{:<18}{:<13}{:<8}{:<7}{:<8}{:>10}{:>10}{:>10}{:>10}  {}\n", carom::to_string(c.law),
             kind_names[static_cast<std::size_t>(c.kind)], c.is_planar ? "planar" : "space",
             c.is_float ? "float" : "double", carom::to_string(c.isa), number(r.errors.quantile(0.5)),
             number(r.errors.quantile(0.999)), number(r.worst.error), bound, r.worst.promise);
}

}  // namespace

std::optional<Counts> search_contacts(const ContactSearch& search, const GoesOn& goes_on) {
  const std::uint64_t round = contacts_of_a_round(search.law);
  // Whole rounds, so that a search over a given number of contacts draws the same ones on any number of threads.
  const std::uint64_t inner_iterations = search.contacts / round + (search.contacts % round > 0 ? 1 : 0);
  const auto parts = on_threads<Result>(
      search.threads,
      [&](std::uint64_t batches) { return batches / batches_of_a_round < inner_iterations && goes_on(batches); },
      [&](std::uint64_t index, Result& part) {
        probe_batch(index, case_number(search.seed, index), search.law, part);
      });
  Result result;
  for (const Result& part : parts)
    for (const auto& [c, r] : part.records) result.records[c].merge(r);

  if (search.details)
    fmt::print("{:<18}{:<13}{:<8}{:<7}{:<8}{:>10}{:>10}{:>10}{:>10}  {}\n", "law", "kind", "", "", "isa", "median",
               "99.9 %", "worst", "bound", "promise");
  Counts counts;
  Record all;
  for (const auto& [c, r] : result.records) {
    if (search.details && r.errors.count() > 0) print(c, r);
    counts["contacts, " + std::string(kind_names[static_cast<std::size_t>(c.kind)])].add({r.judged, r.broken});
    all.merge(r);
  }
  for (const auto& [c, r] : result.records)
    if (r.broken > 0)
      fmt::print("broken {} times, worst {}: {} under {}, {}, {}, {}, batch {}\noptions {}\n{}\n{}\n", r.broken,
                 number(r.worst.error), r.worst.promise, carom::to_string(c.law),
                 kind_names[static_cast<std::size_t>(c.kind)], c.is_float ? "float" : "double", carom::to_string(c.isa),
                 r.worst.batch, r.worst.options, r.worst.header, r.worst.row);
  fmt::print("{} contacts judged from seed {}, {} of them separating, {} without an answer\n", all.judged, search.seed,
             all.separating, all.unanswered);
  if (!search.rows.empty() && !write_rows(search.rows, result)) return std::nullopt;
  if (!search.table.empty() &&
      !renew_table(search.table, "carom_probe", fmt::format("{}\n{} contacts judged.\n", table_of(result), all.judged)))
    return std::nullopt;
  return counts;
}

}  // namespace carom::probe
