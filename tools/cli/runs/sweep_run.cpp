#include <algorithm>
#include <memory>
#include <utility>

#include "cli/analysis/energy.hpp"
#include "cli/analysis/law_runs.hpp"
#include "cli/options/exit_codes.hpp"
#include "cli/options/sweep_options.hpp"
#include "cli/report/sweep_report.hpp"
#include "row_run.hpp"

namespace carom::apps {
namespace {

std::vector<StudyPoint> points_of(const SweepOptions& options) {
  const auto or_own = [](const std::vector<double>& values) {
    std::vector<std::optional<double>> all(values.begin(), values.end());
    if (all.empty()) all.emplace_back();
    return all;
  };
  std::vector<StudyPoint> points;
  for (const std::string& law : options.laws)
    for (const auto& friction : or_own(options.frictions))
      for (const auto& restitution : or_own(options.restitutions))
        points.push_back({law_from_string(law), friction, restitution});
  return points;
}

std::vector<std::string> texts_of(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(fmt::format("{}", value));
  return texts;
}

/// The datasets that describe the points. There is no dataset for a coefficient that differs from row to row.
std::vector<io::ConstantColumn> datasets_of(const std::vector<StudyPoint>& points) {
  std::vector<std::string> laws = law_names();
  io::WordCells law;
  std::vector<double> friction, restitution;
  for (const StudyPoint& point : points) {
    const auto place = std::find(laws.begin(), laws.end(), to_string(point.law)) - laws.begin();
    law.codes.push_back(static_cast<std::uint8_t>(place));
    if (point.friction) friction.push_back(*point.friction);
    if (point.restitution) restitution.push_back(*point.restitution);
  }
  law.words = std::make_shared<const std::vector<std::string>>(std::move(laws));
  const std::vector<std::size_t> extents = {points.size()};
  std::vector<io::ConstantColumn> datasets = {{{"law", {io::ColumnType::word, 1, law.words}, extents}, law}};
  if (!friction.empty()) datasets.push_back({{"friction", {}, extents}, friction});
  if (!restitution.empty()) datasets.push_back({{"restitution", {}, extents}, restitution});
  return datasets;
}

/// Passes every block through the stages once per point.
class SweepRun final : public RowRun {
 public:
  SweepRun(const SweepOptions& options, std::vector<StudyPoint> points, Ranks& ranks)
      : RowRun(options, {.passes = points.size(), .shares_need_output = false}, ranks),
        options_(options),
        points_(std::move(points)),
        solver_(options.execution()),
        sums_(points_.size()),
        sums_of_block_(points_.size()) {
    form_ = io::form_of(reader_->table());
    laws_by_name(options.laws, reader_->table(), form_);  // throws if the table does not allow one of them
    if (!options.output.empty() && !to_hdf5_)
      throw Error("carom: " + options.output + " would be CSV, and a sweep is written as HDF5: OUT.h5");
    require_hdf5();
  }

 private:
  void prepare(Block& block) override {
    block.contacts.emplace(block.table, form_, options_.read_options_without_laws());
  }
  void understand(Rows& rows) const override {
    const StudyPoint& point = points_[rows.pass];
    rows.contacts = rows.block->contacts;
    if (point.friction) rows.contacts->fill("friction", *point.friction);
    if (point.restitution) rows.contacts->fill("restitution", *point.restitution);
  }
  void solve(Rows& rows) override {
    Options options = options_.solver_options();
    options.law = points_[rows.pass].law;
    rows.solved = solve_on_lanes(*rows.contacts, solver_, options);
  }
  /// A moment of the journal has the sums of whole blocks only.
  void add(const Rows& rows) override {
    PointSums& sums = sums_of_block_[rows.pass];
    const io::ResultNumbers& results = rows.solved->results;
    for (std::size_t row = 0; row < rows.contacts->size(); ++row)
      ++sums.by_status[io::index_of_status(*rows.contacts, results, row)];
    sums.energy_loss = energy_loss(*rows.contacts, results);
    sums.max_energy_gain = rows.solved->report.max_energy_gain;
    if (rows.pass + 1 < points_.size()) return;
    for (std::size_t point = 0; point < points_.size(); ++point)
      sums_[point].add(std::exchange(sums_of_block_[point], {}));
  }

  std::vector<io::ResultColumn> columns(const Rows& none) const override {
    const io::ResultNumbers& results = none.solved->results;
    const io::FormColumns& of_form = io::columns_of(form_);
    std::vector<std::string> names = of_form.impulse_components;
    names.emplace_back("status");
    if (options_.details) {
      names = of_form.results;
      names.insert(names.end(), results.on_demand.begin(), results.on_demand.end());
    }
    std::vector<io::ResultColumn> columns;
    for (const std::string& name : names) columns.push_back(io::result_column(name, results));
    return columns;
  }
  std::vector<io::ConstantColumn> constants() const override { return datasets_of(points_); }
  std::vector<std::size_t> extents() override { return {points_.size(), reader_->count()}; }

  nlohmann::json options_of_results() const override {
    nlohmann::json options = RowRun::options_of_results();
    options.update({{"--law", options_.laws},
                    {"--friction", texts_of(options_.frictions)},
                    {"--restitution", texts_of(options_.restitutions)},
                    {"--isa", to_string(solver_.isa())}});
    return options;
  }
  nlohmann::json sums() const override {
    nlohmann::json sums = RowRun::sums();
    sums["points"] = sums_;
    return sums;
  }
  void take(const nlohmann::json& sums) override {
    for (std::size_t point = 0; point < points_.size(); ++point)
      sums_[point].add(sums.at("points").at(point).get<PointSums>());
    RowRun::take(sums);
  }
  int report() override {
    bad_rows_.finish(reader_->table());
    const SweepReport report{reader_->table().name(), form_, rows_of_input(), points_, sums_};
    if (options_.as_json)
      print_json(report, options_);
    else
      print_text(report, options_);
    const auto is_bad = [](const PointSums& sums) { return sums.bad() > 0; };
    return std::any_of(sums_.begin(), sums_.end(), is_bad) ? exit_bad_rows : exit_fine;
  }

  const SweepOptions& options_;
  std::vector<StudyPoint> points_;
  Solver solver_;
  std::vector<PointSums> sums_, sums_of_block_;
};

}  // namespace

int run_sweep(const SweepOptions& options) {
  options.require_valid();
  return SweepRun(options, points_of(options), Ranks::world()).run();
}

}  // namespace carom::apps
