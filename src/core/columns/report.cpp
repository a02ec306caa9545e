// Reports: their text and their sums.
#include <algorithm>
#include <carom/scene.hpp>
#include <carom/solver.hpp>
#include <carom/system.hpp>
#include <cstdint>
#include <ostream>

#include "counts_access.hpp"
#include "public_call.hpp"
#include "report_table.hpp"
#include "text.hpp"

namespace carom {
namespace {

/// "1 contact", "2 contacts".
Text counted(std::size_t number, std::string_view what) {
  return Text(number, ' ', what, number == 1 ? "" : "s");
}

/// "2 contacts: 1 ok, 1 normal_not_unit (first: contact 1)". `shows_first` says for which statuses.
template <class S, std::size_t room, class ShowsFirst>
void write(std::ostream& stream, std::size_t number, std::string_view what, const StatusCounts<S, room>& counts,
           const ShowsFirst& shows_first) {
  stream << counted(number, what).view();
  const char* between = ": ";
  for (std::size_t i = 0; i < room; ++i) {
    const auto status = static_cast<S>(i);
    if (counts.count(status) == 0) continue;
    stream << Text(between, counts.count(status), ' ', to_string(status)).view();
    if (shows_first(status)) stream << Text(" (first: ", what, ' ', *counts.first(status), ')').view();
    between = ", ";
  }
}

/// A magnitude with one digit: "3e-10". Independent of the stream's own format.
std::string_view one_digit(double value, char (&to)[32]) {
  return {to, std::to_chars(to, to + sizeof to, value, std::chars_format::general, 1).ptr};
}

}  // namespace

std::size_t count_faults(const ContactCounts& counts) {
  std::size_t sum = 0;
  for (const Status status : fault_priority) sum += counts.count(status);
  return sum;
}

Report& Report::operator+=(const Report& next) {
  if (next.max_energy_gain > max_energy_gain) {
    max_energy_gain = next.max_energy_gain;
    max_energy_gain_contact = contacts + next.max_energy_gain_contact;
  }
  by_status.add(next.by_status, contacts);
  by_path.add(next.by_path);
  contacts += next.contacts;
  isa = next.isa;
  threads = std::max(threads, next.threads);
  sliding_steps += next.sliding_steps;
  lane_steps += next.lane_steps;
  return *this;
}

std::size_t Report::faults() const {
  return count_faults(by_status);
}

std::vector<std::pair<Path, std::size_t>> Report::paths() const {
  return public_call("Report::paths", [&] {
    std::vector<std::pair<Path, std::size_t>> found;
    for (std::size_t i = 0; i < Path::kinds; ++i)
      if (const Path path = Path::from_index(i); count(path) > 0) found.emplace_back(path, count(path));
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    return found;
  });
}

std::ostream& operator<<(std::ostream& stream, const Report& report) {
  write(stream, report.contacts, "contact", report.by_status, is_fault);
  return stream;
}

std::ostream& operator<<(std::ostream& stream, const RegionReport& report) {
  write(stream, report.contacts, "contact", report.by_status, is_fault);
  const char* between = "; ";
  each_field(
      [&]<class T>(std::string_view name, const T& number) {
        if constexpr (std::is_same_v<T, std::size_t>) {
          if (number == 0 || name == "contacts") return;
          stream << Text(between, number, ' ', name).view();
          between = ", ";
        }
      },
      report);
  return stream;
}

std::ostream& operator<<(std::ostream& stream, const GradientReport& report) {
  write(stream, report.contacts, "contact", report.by_status,
        [](GradientStatus status) { return status == GradientStatus::none; });
  return stream;
}

bool SceneReport::ok() const {
  const bool converges = method != SceneMethod::substeps && method != SceneMethod::pgs;
  return faults() == 0 && (!converges || not_converged == 0);
}

std::ostream& operator<<(std::ostream& stream, const SceneReport& report) {
  write(stream, report.contacts, "contact", report.by_status, is_fault);
  if (report.joint_rows > 0) {
    stream << "; ";
    write(stream, report.joint_rows, "joint row", report.joints_by_status, is_fault);
  }
  char digits[32];
  stream << "; " << counted(report.islands, "island").view();
  if (report.method == SceneMethod::ncp)
    stream << Text(", relative error ", one_digit(report.relative_error, digits)).view();
  else
    stream << Text(", residual ", one_digit(report.residual, digits), " m/s").view();
  if (report.method == SceneMethod::substeps)
    stream << ", " << counted(static_cast<std::size_t>(report.substeps), "substep").view();
  else if (report.method == SceneMethod::sequential_impacts)
    stream << ", " << counted(report.impacts, "impact").view();
  else
    stream << ", " << counted(static_cast<std::size_t>(report.iterations), "iteration").view();
  if (report.not_converged > 0) stream << Text(", ", report.not_converged, " not converged").view();
  return stream;
}

std::ostream& operator<<(std::ostream& stream, const SystemReport& report) {
  char digits[32];
  write(stream, report.contacts, "contact", report.by_state, [](ContactState) { return false; });
  const std::int64_t iterations = report.pgs_iterations + report.interior_point_iterations + report.newton_iterations;
  stream << "; " << counted(report.islands, "island").view()
         << Text(", error ", one_digit(report.error, digits), ", ").view()
         << counted(static_cast<std::size_t>(iterations), "iteration").view();
  if (report.unsolved > 0) stream << Text(", ", report.unsolved, " not solved").view();
  return stream;
}

}  // namespace carom
